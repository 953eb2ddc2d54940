"""What every encoder reads, and what searching finds with them (their laws: test_model_laws.py)."""

from __future__ import annotations

import itertools

import dynet as dy
import numpy as np
import pytest

from common.nn.dropout import Dropout
from common.nn.encoders import Source
from common.search.beams import beam_search
from common.search.searches import Decoding, translate
from common.search.translation import Conditional, target_log_probs
from common.search.translation_ensemble import TranslationEnsemble
from common.text.pairs import Pair
from tests.attention_models import whole_batch
from tests.encoder_models import (
    ENCODERS,
    SHAPES,
    SOURCES,
    WORDS,
    Twin,
    make_model,
)
from tests.learning import learn
from tests.pair_laws import SENTENCES

each_encoder = pytest.mark.parametrize("name", ENCODERS)
each_cell = pytest.mark.parametrize("cell", ["lstm", "gru", "rnn"])


# --- the equations


@pytest.mark.equation("neubig2017", 60)
@each_encoder
@each_cell
def test_the_decoder_starts_from_what_was_read(name: str, cell: str) -> None:
    """Every part of every layer's state, of sentences side by side and padded."""
    model = make_model(name, cell=cell)
    twin, layers = Twin(model, name, cell), model.encode(SOURCES).layers
    for number, source in enumerate(SOURCES):
        for actual, expected in zip(layers, twin.start(source, SHAPES[number]), strict=True):
            assert len(actual) == len(expected)
            for part, by_hand in zip(actual, expected, strict=True):
                np.testing.assert_allclose(part.npvalue()[:, number], by_hand, atol=1e-5)


# --- learning


@pytest.mark.trains
@each_encoder
def test_translations_can_be_learnt_by_heart(name: str) -> None:
    model = make_model(name, scale=0.1, hidden_size=12, layers=1)
    batch = whole_batch()
    real = batch.target.mask > 0
    learn(model, lambda: model.loss(batch), lambda: np.exp(model.log_probs(batch)[real]).min() > 0.8, budget=400)


# --- batches


@each_encoder
def test_every_source_word_matters(name: str) -> None:
    """And its place: an encoder that read only a part would not notice every change."""
    model, source = make_model(name, layers=1), [2, 3, 4, 5, 2]
    dy.renew_cg()
    changed = [source, *([*source[:place], 1, *source[place + 1 :]] for place in range(5)), [3, 2, 4, 5, 2]]
    (layer,) = model.encode(changed).layers
    hidden = layer.hidden.npvalue().T
    if name not in ("cnn max", "cnn kmax"):  # which keep only what is large
        assert np.abs(hidden[1:] - hidden[0]).max(axis=1).min() > 1e-4


@each_encoder
@pytest.mark.parametrize("kind", ["zaremba", "variational"])
def test_dropout_is_in_every_encoder(name: str, kind: str) -> None:
    model = make_model(name, layers=1)
    source = Source.of(model.source_embedding, SOURCES)
    actual = {model.encoder.start(source, Dropout(0.5, kind))[0].hidden.npvalue().tobytes() for _ in range(3)}
    assert len(actual) == 3


# --- translations


def every_target(longest: int) -> list[list[str]]:
    return [list(words) for size in range(longest + 1) for words in itertools.product(["<unk>", *WORDS], repeat=size)]


@pytest.mark.equation("neubig2017", 2)
@each_encoder
def test_a_beam_as_wide_as_the_space_finds_the_best_there_is(name: str) -> None:
    """Of all 341 targets of at most four words: the search ends where the sum of all their probabilities is known."""
    model, targets = make_model(name, seed=7), every_target(4)
    model.b_s.set_value(model.b_s.as_array() + np.array([3, 0, 0, 0, 0]))  # so that the best end early
    for source in (["hen", "sees", "ox"], ["waits"]):
        scored = np.array(
            [log_probs.sum() for log_probs in target_log_probs(model, [Pair(source, t) for t in targets])]
        )
        order = np.argsort(-scored)[:10]
        (actual,) = beam_search(Conditional(model, [source]), 1, 2000, 5)
        ended = [hypothesis for hypothesis in actual if hypothesis.finished and len(hypothesis.words) <= 4]
        assert [hypothesis.words for hypothesis in ended[:10]] == [targets[index] for index in order]
        np.testing.assert_allclose([hypothesis.log_prob for hypothesis in ended[:10]], scored[order], atol=1e-5)
        greedy = translate(model, [source], Decoding())[0][0]
        assert greedy.log_prob <= actual[0].log_prob + 1e-6


@each_encoder
def test_a_sample_has_the_log_probability_that_teacher_forcing_gives_it(name: str) -> None:
    model = make_model(name)
    actual = translate(model, SENTENCES, Decoding(samples=3), np.random.default_rng(4))
    sampled = [
        (source, hypothesis)
        for source, samples in zip(SENTENCES, actual, strict=True)
        for hypothesis in samples
        if hypothesis.finished
    ]
    assert len({tuple(hypothesis.words) for _, hypothesis in sampled}) > 5
    forced = target_log_probs(model, [Pair(source, hypothesis.words) for source, hypothesis in sampled])
    np.testing.assert_allclose(
        [hypothesis.log_prob for _, hypothesis in sampled], [row.sum() for row in forced], atol=1e-4
    )


class TestEnsembles:
    """Of models that read their sources in different ways."""

    @pytest.mark.parametrize("decoding", [Decoding(), Decoding(beam=3)])
    def test_translate(self, decoding: Decoding) -> None:
        """What they find has the mean of the probabilities that they give it; one model thrice is that model."""
        members = [make_model("treelstm", seed=2), make_model("cnn max", cell="gru"), make_model("reverse", layers=1)]
        ensemble = TranslationEnsemble(members)
        for source, actual in zip(SENTENCES, translate(ensemble, SENTENCES, decoding), strict=True):
            ended = [hypothesis for hypothesis in actual if hypothesis.finished]
            forced = target_log_probs(ensemble, [Pair(source, hypothesis.words) for hypothesis in ended])
            np.testing.assert_allclose(
                [hypothesis.log_prob for hypothesis in ended], [row.sum() for row in forced], atol=1e-4
            )
        hypothesis, thrice = (
            translate(model, SENTENCES, decoding) for model in (members[0], TranslationEnsemble(members[:1] * 3))
        )
        assert [[h.words for h in actual] for actual in hypothesis] == [[h.words for h in actual] for actual in thrice]
