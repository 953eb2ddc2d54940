"""What chapter 7's lesson computes and records, against NumPy, the library of BLEU, and the course's own search."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from book.figures import ch07, ch07_record, ch07_search
from book.figures.__main__ import figures_of
from book.figures.recorded import record
from book.figures.style import styled
from book.lessons import ROOT
from book.worked import (
    ch07 as worked,
    ch07_bleu,  # fmt: skip
    ch07_search as searching,
)
from common.evaluation.metrics import bleu
from common.plots.plotting import plt
from common.runtime import seed_dynet
from common.search.beams import beam_search
from common.search.decoding import greedy
from common.search.translation import Conditional, Decoding, translate
from common.text.pairs import Pair
from common.text.vocab import Vocabulary


@pytest.mark.parametrize("encoder", ["forward", "reverse"])
def test_the_tiny_model_is_its_equations(encoder: str) -> None:
    """Neubig 2017, Eq. 60 in float64, with the matrices that the lesson names."""
    state = np.zeros(2)
    for word in worked.SOURCE if encoder == "forward" else worked.SOURCE[::-1]:
        state = np.tanh(1.0 * np.array(worked.SOURCE_EMBEDDINGS[word]) + 0.5 * state)
    np.testing.assert_allclose(worked.reading(encoder)[-1], state, atol=1e-6)
    words = list(worked.TARGET_EMBEDDINGS)
    table = np.array(list(worked.TARGET_EMBEDDINGS.values()), dtype=float)
    expected = []
    for before, word in zip(["</s>", *worked.TARGET], [*worked.TARGET, "</s>"], strict=True):
        state = np.tanh(-0.5 * table[words.index(before)] + state)
        probs = np.exp(table @ state)
        expected.append(probs[words.index(word)] / probs.sum())
    np.testing.assert_allclose(worked.word_probs(encoder), expected, atol=1e-6)


def test_distances_count_the_steps_between() -> None:
    links, read = {(0, 0), (2, 1), (1, 3)}, ["a", "b", "c"]
    for backward in (False, True):
        order = [*(read[::-1] if backward else read), 0, 1, 2, 3]
        found = worked.distances(links, len(read), backward)
        assert found == [order.index(j) - order.index(read[i]) for i, j in sorted(links, key=lambda one: one[1])]
    assert worked.distances({(t, t) for t in range(5)}, 5, False) == [5] * 5
    assert worked.distances({(t, t) for t in range(5)}, 5, True) == [1, 3, 5, 7, 9]  # 2t - 1, t from 1


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_a_traced_search_is_the_search(size: int) -> None:
    """What has ended in the trace is what beam search finds, and every step keeps no more than its places."""
    model = searching.Table()
    steps = searching.traced(model, size, 5)
    ended = sorted((one for step in steps for one in step if one.kept and one.words[-1] == "</s>"),
                   key=lambda one: -one.log_prob)  # fmt: skip
    (found,) = beam_search(model, 1, size)
    assert [list(one.words[:-1]) for one in ended] == [one.words for one in found]
    assert [one.log_prob for one in ended] == pytest.approx([one.log_prob for one in found])
    assert all(sum(one.kept for one in step) <= size for step in steps)


def test_the_beam_finds_what_greedy_search_misses() -> None:
    (path,) = greedy(searching.Table(), 1)
    ((best, _),) = beam_search(searching.Table(), 1, 2)
    assert (path.words, best.words) == (["rurnal", "mega"], ["mega", "ya"])
    assert math.exp(best.log_prob) == pytest.approx(0.4 * 0.9 * 0.9)
    (third,) = beam_search(searching.Table(), 1, 3)
    (fourth,) = beam_search(searching.Table(), 1, 4)
    assert [" ".join(one.words) for one in third] == ["mega ya", "rurnal ya", "rurnal mega"]
    assert [" ".join(one.words) for one in fourth] == ["mega ya", "rurnal ya", "rurnal", "rurnal mega"]


def test_bleu_by_hand_is_the_librarys() -> None:
    rng = np.random.default_rng(1)
    compared = 0
    while compared < 20:
        reference = rng.integers(4, size=rng.integers(8, 13)).astype(str).tolist()
        found = [word for word in reference if rng.random() > 0.12] + ["0"] * int(rng.integers(3))
        if all(ch07_bleu.matches(found, reference, order).found for order in ch07_bleu.ORDERS):
            assert ch07_bleu.score(found, reference) == pytest.approx(bleu([found], [reference]).value)
            compared += 1


def tiny_models(number: int, init_scale: float = 0.5) -> list:
    """Encoder-decoders of random numbers that know some words of the embedded pairs."""
    source_vocab, vocab = (
        Vocabulary.from_sentences([side for pair in worked.corpus().dev[:50] for side in [pair[place]]])
        for place in (0, 1)
    )
    sizes = {"hidden_size": 3, "dropout": 0.0, "init_scale": init_scale}
    return [worked.model.EncoderDecoder(source_vocab, vocab, **sizes) for _ in range(number)]


def test_references_that_are_more_probable_are_counted() -> None:
    """Word by word: the log-probability of references against that of what greedy search and a beam of 4 find."""
    seed_dynet(3)  # with which greedy search misses something
    model, sources = tiny_models(1, init_scale=2.0)[0], [list(pair.source) for pair in worked.corpus().dev[:30]]
    model.b_s.set_value([2.0] + [0.0] * (len(model.vocab) - 1))
    greedily, widely = ([some[0] for some in translate(model, sources, Decoding(beam=size))] for size in (1, 4))
    pairs = [Pair(source, one.words) for source, one in zip(sources, widely, strict=True)]
    pairs[-1] = worked.corpus().dev[29]  # some words at least
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


def keys(value, depth: int = 3):
    """The keys of nested dictionaries, without those below `depth`; lists count as their first element."""
    value = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else value
    return {key: keys(one, depth - 1) for key, one in value.items()} if isinstance(value, dict) and depth else None


def test_what_is_recorded_is_what_figures_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At tiny size: random models, a few sentences. All figures of it can be drawn."""
    by_length = sorted(worked.corpus().test, key=lambda pair: len(pair.source))
    found = ch07_record.numbers(tiny_models(3), by_length[::99][:-1] + by_length[-1:], beams=(1, 2), wide=3)
    path = record(worked.CHAPTER, ch07_record.COMMAND, {"seeds": [1]}, found, tmp_path)
    made = json.loads(path.read_text("utf-8"))
    committed = json.loads((ROOT / "chapters" / worked.CHAPTER / "figures" / "recorded.json").read_text("utf-8"))
    beams = [name for name in committed["scores"][0] if name.startswith(("5 ", "10 "))]
    expected = keys(committed)
    expected["scores"] = {name: one for name, one in expected["scores"].items() if name not in beams}
    expected["settings"] = {"seeds": None}
    assert keys(made) == expected
    for module in (ch07, ch07_search):
        monkeypatch.setattr(module, "recorded", lambda chapter: made)
    with styled():
        for draw in (*figures_of(ch07), *figures_of(ch07_search)):
            if draw not in (ch07_search.beam_tree, ch07_search.scores_by_length, ch07_search.bleu_matches):
                plt.close(draw())
