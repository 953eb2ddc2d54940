"""Chapter 10's second part: the numbers on its page, and what is recorded for its figures."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import dynet as dy
import numpy as np
import pytest

from book.figures import ch10_part2, ch10_part2_record
from book.figures.recorded import recorded
from book.lessons.cells import namespace
from chapters.beyond import open_vocabulary, output_parts as parts, word_tables as tables
from common.text.vocab import Vocabulary
from tests.pairs import write_pairs
from tests.programs import make_call
from tests.recorded_form import keys, train_tiny

LESSON = namespace("10", 2)


def step_of(source: np.ndarray, weights: np.ndarray) -> parts.Step:
    """A step of a decoder that reads a source, (S, 1), with these attention weights."""
    return parts.Step(dy.zeros((2, 1)), dy.inputTensor(weights[:, None]), source)


def gate_of(share: float):
    """A gate that always gives the same share."""
    return lambda both: dy.inputVector([math.log(share / (1 - share))])


@pytest.mark.parametrize("epsilon", [0.001, 0.2])
def test_the_lexicon_by_hand_is_the_chapters(epsilon: float) -> None:
    words, sources = LESSON["words"], ["cestolan", "park", "cranes"]
    columns = {
        source: dict(zip(words, column, strict=True)) for source, column in zip(sources, LESSON["L"].T, strict=True)
    }
    vocab, source = Vocabulary(words), open_vocabulary.OpenVocabulary(Vocabulary(sources))
    learnt = SimpleNamespace(best=lambda word, number: list(columns.get(word, {}).items()), target=words)
    table = tables.LexiconTable(source, tables.by_lexicon(learnt, vocab))
    dy.renew_cg()
    step = step_of(np.array([source.encode(sources)]).T, LESSON["a"])
    logits = dy.inputTensor(np.log([1e-30, 1e-30, *LESSON["network"]])[:, None])
    looked_up = step.look_up(table, len(vocab)).npvalue().ravel()[2:]
    biased = dy.softmax(parts.LexiconBias(table, epsilon).scores(logits, step)).npvalue().ravel()[2:]
    mixture = parts.Mixture(table, gate_of(0.5))
    linear = np.exp(mixture.of_words(dy.log_softmax(dy.reshape(logits, (7,))), step, 7).npvalue())[2:]
    np.testing.assert_allclose(looked_up, LESSON["lexicon"], atol=1e-6)
    np.testing.assert_allclose(biased, LESSON["with_bias"](epsilon), atol=1e-6)
    np.testing.assert_allclose(linear, LESSON["linear"], atol=1e-6)


def test_copying_by_hand_is_the_chapters() -> None:
    sources, target = list(LESSON["attention"]), [word for word in LESSON["known"] if word != "<unk>"]
    vocab, source = Vocabulary(target), open_vocabulary.OpenVocabulary(Vocabulary(sources[1:]), target)
    words = open_vocabulary.CopyingVocabulary(vocab).for_source(sources).words
    step = np.array([source.encode(sources)]).T
    mixture = parts.Mixture(tables.CopyingTable(source, vocab), gate_of(0.8))
    dy.renew_cg()
    log_probs = dy.log_softmax(dy.inputVector(np.log([1e-30, *LESSON["known"].values()])))
    weights = np.array(list(LESSON["attention"].values()))
    probs = np.exp(mixture.of_words(log_probs, step_of(step, weights), len(words)).npvalue())
    actual = [probs[words.index(word)] for word in LESSON["candidates"]]
    np.testing.assert_allclose(actual, LESSON["in_all"], atol=1e-6)
    assert sum(actual) == pytest.approx(1, abs=1e-6)


@pytest.mark.slow
def test_what_is_recorded_has_the_form_of_what_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs that are recorded, one seed, on a few pairs."""
    for name in ("pairs", "headlines"):
        write_pairs(tmp_path / name)
    (tmp_path / "headlines" / "corpus.json").write_text('{"task": "summarisation"}\n', "utf-8")
    train_tiny(ch10_part2_record, monkeypatch, tmp_path, SEEDS=(1,), SENTENCE="the hen sees a wombat")
    for system in ch10_part2_record.SYSTEMS:
        make_call(monkeypatch, ch10_part2_record.CHAPTER)("names", "--run", tmp_path / f"{system}1")
    found = ch10_part2_record.measure(tmp_path)[1]
    kept = recorded(ch10_part2_record.CHAPTER, ch10_part2_record.RECORD)
    assert keys(found, 1).keys() == kept.keys() - {"command", "settings"}
    assert found["names"].keys() == kept["names"].keys() == set(ch10_part2.SYSTEMS)
    assert found["names"]["plain"]["1"].keys() == kept["names"]["plain"]["1"].keys()
    assert keys(found["risks"]["bleu"]["1"]) == keys(kept["risks"]["bleu"]["1"])
    assert len(found["gate"]["words"]) == len(found["gate"]["copied"])
    assert all(0 < share < 1 for share in found["gate"]["copied"])
    assert 0.4 < found["share_of_lexicon"]["1"] < 0.6, "a few steps from one half"
    before = {str(found["risks"][risk]["1"]["before"]) for risk in ch10_part2_record.RISKS}
    assert len(before) == 1
