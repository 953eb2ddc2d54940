"""What chapter 7's lesson computes and records, against NumPy, the library of BLEU, and the course's own search."""

from __future__ import annotations

import math

import dynet as dy
import numpy as np
import pytest

from book.figures import ch07_record
from book.figures.beams import Table, traced
from book.figures.recorded import recorded
from book.labs.views import ch07 as views
from book.lessons.cells import namespace
from chapters.encoder_decoder.model import EncoderDecoder
from common.evaluation.metrics import bleu
from common.runtime import seed_dynet
from common.search.searches import Decoding, translate
from common.search.translation import Conditional
from common.text.pairs import Pair
from common.text.vocab import Vocabulary
from tests.recorded_form import keys

LESSON = namespace("07")


def small_model(encoder: str) -> EncoderDecoder:
    """The chapter's own encoder-decoder with the numbers of the lesson; `<unk>`, which the lesson leaves out, is
    impossible."""
    source_vocab, vocab = Vocabulary(["uncles", "stroll"]), Vocabulary(["huskumai", "gisuzen"])
    model = EncoderDecoder(source_vocab, vocab, encoder=encoder, cell="rnn", hidden_size=2, dropout=0.0)
    sources, targets = {"uncles": LESSON["uncles"], "stroll": LESSON["stroll"]}, ["huskumai", "gisuzen", "</s>"]
    rows = dict(zip(targets, LESSON["M"], strict=True))
    model.source_embedding.set_value(np.array([sources.get(word, [0, 0]) for word in source_vocab.words], dtype=float))
    model.embedding.set_value(np.array([rows.get(word, [0, 0]) for word in vocab.words], dtype=float))
    (reading,), (writing,) = model.encoder.stack.layers, model.decoder.layers
    for layer, of_word, of_state in ((reading, 1.0, 0.5), (writing, -0.5, 1.0)):
        layer.W_x.set_value(of_word * np.eye(2))
        layer.W_h.set_value(of_state * np.eye(2))
    model.b_s.set_value([-100.0 if word == "<unk>" else 0.0 for word in vocab.words])
    return model


@pytest.mark.parametrize(("encoder", "read"), [("forward", "h_2"), ("reverse", "backwards")])
def test_the_tiny_model_is_the_chapters(encoder: str, read: str) -> None:
    model = small_model(encoder)
    dy.renew_cg()
    state = model.encode([model.source_vocab.encode(["uncles", "stroll"])])
    np.testing.assert_allclose(state.layers[0].hidden.npvalue(), LESSON[read], atol=1e-6)
    probs, targets = [], [*model.vocab.encode(["huskumai", "gisuzen"]), Vocabulary.boundary]
    for before, word in zip([Vocabulary.boundary, *targets], targets, strict=False):
        state, log_probs = model.next_words(state, [before])
        probs.append(np.exp(log_probs.npvalue()[word]))
    np.testing.assert_allclose(LESSON["write"](LESSON[read])[:, 5], probs, atol=1e-6)


def test_ways_count_the_steps_between() -> None:
    links, pair = {(0, 0), (2, 1), (1, 3)}, Pair(["a", "b", "c"], list("wxyz"))
    orders = [[*pair.source, 0, 1, 2, 3], [*pair.source[::-1], 0, 1, 2, 3]]
    by_target = sorted(links, key=lambda link: link[1])
    expected = [[order.index(j) - order.index(pair.source[i]) for order in orders] for i, j in by_target]
    assert LESSON["ways"](pair, links).tolist() == expected
    diagonal = LESSON["ways"](Pair(list("abcde"), list("abcde")), {(t, t) for t in range(5)})
    assert diagonal.tolist() == [[5, n] for n in (1, 3, 5, 7, 9)]  # 2t - 1, t from 1


@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_search_of_the_lesson_is_the_courses(size: int) -> None:
    """Every continuation of every step, its probability and its fate."""
    expected = [
        (number, " ".join(candidate.words), pytest.approx(math.exp(candidate.log_prob)), candidate.kept)
        for number, step in enumerate(traced(Table(), size), start=1)
        for candidate in step
    ]
    rows = [(number, words, p, fate != "pruned") for number, words, p, fate in LESSON["search"](size)]
    assert sorted(rows) == sorted(expected, key=lambda row: row[:2])


def test_bleu_by_hand_is_the_librarys() -> None:
    rng, compared = np.random.default_rng(1), 0
    while compared < 20:
        reference = rng.integers(4, size=rng.integers(8, 13)).astype(str).tolist()
        words = [word for word in reference if rng.random() > 0.12] + ["0"] * int(rng.integers(3))
        shown = views.bleu_by_hand(" ".join(words), " ".join(reference))
        assert shown.endswith(f"BLEU {bleu([words], [reference]).value:.2f}") or ": 0 of" in shown
        compared += ": 0 of" not in shown


def tiny_models(number: int, init_scale: float = 0.5) -> list:
    """Encoder-decoders of random numbers that know some words of the embedded pairs."""
    source_vocab, vocab = (
        Vocabulary.from_sentences([side for pair in LESSON["pairs"].dev[:50] for side in [pair[place]]])
        for place in (0, 1)
    )
    sizes = {"hidden_size": 3, "dropout": 0.0, "init_scale": init_scale}
    return [EncoderDecoder(source_vocab, vocab, **sizes) for _ in range(number)]


def test_references_that_are_more_probable_are_counted() -> None:
    """Word by word: the log-probability of references against that of what greedy search and a beam of 4 find."""
    seed_dynet(3)  # with which greedy search misses something
    model, sources = tiny_models(1, init_scale=2.0)[0], [list(pair.source) for pair in LESSON["pairs"].dev[:30]]
    model.b_s.set_value([2.0] + [0.0] * (len(model.vocab) - 1))
    greedily, widely = ([some[0] for some in translate(model, sources, Decoding(beam=size))] for size in (1, 4))
    pairs = [Pair(source, translation.words) for source, translation in zip(sources, widely, strict=True)]
    pairs[-1] = LESSON["pairs"].dev[29]  # some words at least
    expected = np.zeros(2)
    for (source, target), first, second in zip(pairs, greedily, widely, strict=True):
        state, before, total = Conditional(model, [source]).start(1), 0, 0.0
        for word in [*model.vocab.encode(target), 0]:
            state, log_probs = model.advance(state, [before])
            before, total = word, total + float(log_probs[0, word])
        expected += [total > first.log_prob + 1e-3, total > second.log_prob + 1e-3]
    better = ch07_record.scores(model, pairs, beams=(1, 2, 4))["better"]
    assert better == pytest.approx((expected / len(pairs)).tolist())
    assert better[0] > better[1] == 0


def test_what_is_recorded_is_what_figures_read() -> None:
    """At tiny size: random models, a few sentences."""
    by_length = sorted(LESSON["pairs"].test, key=lambda pair: len(pair.source))
    found = ch07_record.numbers(tiny_models(3), by_length[::99][:-1] + by_length[-1:], beams=(1, 2), wide=3)
    expected = keys(recorded(ch07_record.CHAPTER), 3)
    del expected["command"], expected["settings"]
    expected["scores"] = {name: form for name, form in expected["scores"].items() if not name.startswith(("5 ", "10 "))}
    assert keys(found, 3) == expected
