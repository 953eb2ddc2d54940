"""The views of lab 7 against the decoder itself, teacher forcing, and sacrebleu."""

from __future__ import annotations

import numpy as np
import pytest

from book.labs.views import ch07 as views
from common.errors import UserError
from common.evaluation.metrics import bleu
from common.search.ensemble import log_mean
from common.search.length_prior import LengthPrior
from common.search.searches import Decoding, translate
from common.text.pairs import Pair, make_pair_batches
from common.text.vocab import Vocabulary
from tests import rnn_reference as rnn
from tests.encoder_models import EncoderDecoder

WORDS = ["ba", "do", "ku"]
PAIR = Pair("hen sees ox".split(), "do ku ba".split())
PRIOR = LengthPrior([(3, 2), (3, 3), (3, 3), (3, 5)])


def make_model(seed: int = 5, scale: float = 1.0):
    model = EncoderDecoder(Vocabulary(["hen", "ox", "sees"]), Vocabulary(WORDS), hidden_size=3, dropout=0.0)
    rnn.randomise({str(n): parameter for n, parameter in enumerate(model.collection.parameters_list())}, scale, seed)
    return model


def forced(model, target: tuple[str, ...]) -> np.ndarray:
    """log P of every next word after each beginning of the target, (words + 1, V), from the batched computation."""
    source, ids = [model.source_vocab.encode(PAIR.source)], model.vocab.encode(target)
    rows = []
    for word in range(len(model.vocab)):  # each word in turn as the last one
        (batch,) = make_pair_batches(source, [[*ids, word]], 1)
        rows.append(model.log_probs(batch)[len(ids), 0])
    return np.array(rows, dtype=float)


@pytest.mark.parametrize("length", ["none", "normalise"])
def test_a_search_finds_what_the_course_finds(length: str) -> None:
    found = views.search_tree(make_model(), PAIR.source, 3, length).hypotheses
    (expected,) = translate(make_model(), [PAIR.source], Decoding(beam=3, length=length))
    assert [hypothesis.words for hypothesis in found] == [hypothesis.words for hypothesis in expected]


def test_the_reference_has_the_models_log_probability() -> None:
    model = make_model()
    (batch,) = make_pair_batches([model.source_vocab.encode(PAIR.source)], [model.vocab.encode(PAIR.target)], 1)
    own = model.log_probs(batch).sum()
    assert np.isclose(views.reference_log_prob(model, PAIR), own, atol=1e-5)
    lines = views.verdict(model, PAIR, 2, "normalise", PRIOR)
    assert f"{own:8.2f} {own / 4:8.2f}  do ku ba  (the reference)" in lines
    (best, *_) = translate(model, [PAIR.source], Decoding(beam=2, length="normalise"))[0]
    assert ("A search error" in lines) == (own / 4 > best.log_prob / (len(best.words) + 1))
    itself = Pair(PAIR.source, best.words)
    assert "was found" in views.verdict(model, itself, 2, "normalise", PRIOR)


def test_best_by_length_and_the_three_scores() -> None:
    model = make_model(6)
    best = views.best_by_length(model, PAIR.source, 8)
    every = translate(model, [PAIR.source], Decoding(beam=8))[0]
    for words, hypothesis in best.items():
        assert hypothesis.log_prob == max(other.log_prob for other in every if len(other.words) == words)
    head, *lines = views.lengths(model, PAIR.source, PRIOR, 8).split("\n")
    assert head.split() == ["words", "none", "normalise", "prior"] and len(lines) == len(best)
    for line, (words, hypothesis) in zip(lines, best.items(), strict=True):
        number, plain, mean, prior, *_ = line.replace("*", " ").split()
        share = PRIOR.pairs[3, words] / 4
        assert (int(number), float(plain)) == (words, round(hypothesis.log_prob, 2))
        assert np.isclose(float(mean), hypothesis.log_prob / (words + 1), atol=0.006)
        assert np.isclose(float(prior), hypothesis.log_prob + np.log(share) if share else -np.inf, atol=0.006)


def test_teacher_forcing_reads_the_reference() -> None:
    model = make_model()
    guesses = views.teacher_forcing(model, PAIR)
    assert [guess.read for guess in guesses] == ["<s>", *PAIR.target] and guesses[-1].right == "</s>"
    for number, guess in enumerate(guesses):
        scores = forced(model, tuple(PAIR.target[:number]))
        assert guess.best == model.vocab.words[int(scores.argmax())]
        assert np.isclose(guess.p_best, np.exp(scores.max()), atol=1e-5)
        assert np.isclose(guess.p_right, np.exp(scores[model.vocab.ids[guess.right]]), atol=1e-5)


def test_influence_is_the_difference_of_two_log_probabilities() -> None:
    model = make_model()
    influences = views.influence(model, PAIR)
    for place in range(3):
        changed = list(PAIR.source)
        changed[place] = "goat"  # unknown
        whole, part = (views.reference_log_prob(model, Pair(source, PAIR.target)) for source in (PAIR.source, changed))
        assert np.isclose(influences[place], whole - part, atol=1e-5)
    heights = [bar.get_height() for bar in views.influence_bars(model, PAIR).axes[0].patches]
    np.testing.assert_allclose(heights, influences, atol=1e-6)


def test_mixtures() -> None:
    members = [[0.6, 0.38, 0.02], [0.02, 0.28, 0.7]]
    np.testing.assert_allclose(views.mixed(members, [1, 1]), np.exp(log_mean(np.log(members))))
    np.testing.assert_allclose(views.mixed(members, [3, 1]), [0.455, 0.355, 0.19])
    roots = np.sqrt(np.prod(members, axis=0))
    np.testing.assert_allclose(views.mixed(members, [2, 2], of_logs=True), roots / roots.sum())
    containers = views.mixture(["a", "b", "c"], members, [3, 1]).axes[0].containers
    np.testing.assert_allclose(containers[2].datavalues, [0.455, 0.355, 0.19])
    with pytest.raises(UserError, match="at least one member"):
        views.mixed(members, [0, 0])


def test_bleu_by_hand_is_sacrebleus() -> None:
    translation, reference = "do ku ba do ku do", "do ku ba do do ku ba"
    value = bleu([translation.split()], [reference.split()]).value
    lines = views.bleu_by_hand(translation, reference).split("\n")
    assert lines[0] == "n = 1: 6 of 6" and lines[-1] == f"BLEU {value:.2f}" and value > 1
    assert lines[-2] == f"brevity penalty {np.exp(1 - 7 / 6):.3f}"
    assert views.bleu_by_hand("ba ku do ba", "do do ku ku ba ba").endswith("BLEU 0.00")
    with pytest.raises(UserError, match="4 words or more"):
        views.bleu_by_hand("do ku", reference)


def test_a_tree_is_drawn_with_what_stays_and_what_is_pruned() -> None:
    model = make_model()
    steps = views.steps_of(views.search_tree(model, PAIR.source, 2))
    axes = views.tree(model, PAIR, 2).axes[0]
    boxes = [text.get_text() for text in axes.texts]
    survivors = [candidate for step in steps[:3] for candidate in step if candidate.kept]
    assert all(any(box.endswith(f"\n{candidate.log_prob:.2f}") for box in boxes) for candidate in survivors)
    dashed = [patch for patch in axes.patches if patch.get_linestyle() == "--"]
    assert dashed and len(dashed) < len(axes.patches)
    starred = {box.split("*")[0] for box in boxes if "*" in box}
    assert starred <= {*PAIR.target, "</s>"}
