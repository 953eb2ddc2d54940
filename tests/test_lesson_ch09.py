"""Chapter 9's lesson: its sizes and intervals, and what is recorded for lesson and figures."""

from __future__ import annotations

import math
import re
from pathlib import Path
from statistics import mean
from types import SimpleNamespace

import numpy as np
import pytest

from book import blocks
from book.figures import ch09_record
from book.figures.ch09_runs import published_difference, variants
from book.figures.recorded import recorded
from book.lessons import read
from book.lessons.cells import namespace
from common.text import alignment, pairs
from tests.programs import make_call
from tools.significance import critical_value

CHAPTER = "09_word_attention"
PAGE = read(f"chapters/{CHAPTER}/README.md")
LESSON, PART3 = namespace("09"), namespace("09", 3)


def test_parameters_are_those_of_the_model() -> None:
    runs, size, (state, word) = PART3["runs"], PART3["size"], PART3["added"]
    assert size(128, "word", "state") - size(128, "rnnsearch", "state") == state
    assert size(128, "word") - size(128) == word
    assert size(128, "gates") - size(128, "word") == 4 * 128**2 == PART3["parts"][0, 3]
    assert size(128, "rnnsearch") - size(128, "rnnsearch", "state") == 128**2
    assert (size(128), size(128, "word")) == (PART3["smaller"], PART3["larger"])
    assert size(128, "gates") == runs["gates-word-plain"][0]["parameters"]
    assert size(138) < PART3["larger"] <= PART3["wider"], "no smaller one is as large as the one with word attention"


PAIR = ("rnnsearch-state", "word-state")
"""The systems of the interval."""


def test_the_interval_by_hand_is_close_to_the_published_one() -> None:
    """The bootstrap over seeds is the t interval of Welch, but for the chance of drawing."""
    row = published_difference(*PAIR, "log perplexity")
    np.testing.assert_allclose(PART3["interval"], [row["low"], row["high"]], atol=0.001)
    assert PART3["logs"].shape == (2, 5)
    np.testing.assert_array_equal(PART3["logs"], LESSON["logs"])
    assert LESSON["row"] == row
    limits = "0.815 and 0.847", "0.779 and 0.800"
    page = read(f"chapters/{CHAPTER}/PART3.md")
    for values, text in zip(PART3["logs"], limits, strict=True):
        assert text == f"{values.min():.3f} and {values.max():.3f}" and text.split(" and ")[1] in page


def test_the_paired_interval_is_students_over_the_differences_by_seed() -> None:
    differences = LESSON["logs"][1] - LESSON["logs"][0]
    np.testing.assert_array_equal(LESSON["by_seed"], differences.round(4))
    half = critical_value(4) * differences.std(ddof=1) / math.sqrt(5)
    expected = differences.mean() + half * np.array([-1, 1])
    np.testing.assert_allclose(LESSON["paired"], expected, atol=1e-4)
    assert "factor is then 12.706." in PAGE and critical_value(1) == pytest.approx(12.706, abs=5e-4)


def test_differences_of_the_table_are_those_of_the_prose() -> None:
    """The means of BLEU are printed with so many digits that a reader's difference is the one that is claimed."""
    runs = variants()["village_pairs"]["runs"]
    rows = re.findall(r"^\| `(state|word)`[^|]*\|(.*)\|$", PAGE.partition("| query | `rnnsearch` |")[2], re.MULTILINE)
    printed = {query: [float(one) for one in blocks.numbers(row)] for query, row in rows}
    names = ("rnnsearch-{}", "word-{}", "gates-{}-plain", "gates-{}-gated")
    for query, found in printed.items():
        assert found == [round(mean(run["BLEU"] for run in runs[name.format(query)]), 2) for name in names]
    gains = [printed["state"][1] - printed["state"][0], printed["word"][1] - printed["word"][0],
             printed["state"][2] - printed["state"][1], printed["word"][3] - printed["word"][1]]  # fmt: skip
    assert [round(gain, 1) for gain in gains] == [1.5, 1.1, 0.5, -0.8]
    for claimed in ("+1.5 BLEU", "+1.1 with ours", "+0.5 as printed", "harm: −0.8"):
        assert claimed in PAGE


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """All splits of the embedded pairs are cut down to what trains in a moment."""
    read_pairs, read_alignments = pairs.read_pairs, alignment.read_alignments
    monkeypatch.setattr(alignment, "read_alignments", lambda path, _: read_alignments(path)[:40])
    monkeypatch.setattr(pairs, "read_pairs", lambda folder, split: read_pairs(folder, split)[:40])


@pytest.mark.slow
def test_what_is_recorded(small: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tiny runs give everything that the figures read, in the same form."""
    call, folders = make_call(monkeypatch, CHAPTER), {}
    for variant in ("rnnsearch", "word", "gates"):
        folders[variant] = [tmp_path / f"{variant}{seed}" for seed in (1, 2)]
        for seed, folder in enumerate(folders[variant], start=1):
            flags = ["--hidden-size", 4, "--epochs", 1, "--variant", variant, "--seed", seed, "--run-dir", folder]
            call("train", *flags)
    published = recorded(CHAPTER)
    runs = {system: folders[system.split("-")[0]] for system in published["settings"]["systems"]}
    found = ch09_record.measure(runs, pairs.load_pairs(ch09_record.CORPUS), resamples=20, sentences=30)
    assert found.keys() == published.keys() - {"command", "settings"}
    for name in found:
        assert found[name].keys() == published[name].keys(), name
    for system, told in found["opened"].items():
        assert told.keys() == published["opened"][system].keys()
        assert told["gates"].keys() == published["opened"][system]["gates"].keys()
        assert all(len(row["share"]) == 2 and 0 < row["share"][0] < 1 for row in told["by_kind"].values())
    np.testing.assert_allclose(np.sum(found["sentence"]["attention"], axis=1), 1, atol=1e-4)
    np.testing.assert_allclose(np.sum(found["sentence"]["word_attention"], axis=1), 1, atol=1e-4)
    assert sum(found["bootstrap"]["drawn"]["both"]) == 20
    for name in ("same", "different"):
        assert math.isclose(sum(found["similarity"][name]), 1)


def test_what_was_recorded_is_what_the_lesson_says() -> None:
    """Seeds and BLEU are those of the chapter's comparison; names have less of the word context."""
    found, runs = recorded(CHAPTER), variants()["village_pairs"]["runs"]
    for system, values in found["bootstrap"]["scores"].items():
        np.testing.assert_allclose(values, [run["BLEU"] for run in runs[system]], atol=1e-4)
    row = published_difference(*PAIR, "BLEU")
    np.testing.assert_allclose([found["bootstrap"]["found"], *found["bootstrap"]["interval"]],
                               [row["found"], row["low"], row["high"]], atol=1e-4)  # fmt: skip
    name, sentence, other, where, _ = found["similarity"]["example"][0]
    assert f"> {sentence}\n" in PAGE and f"*{name}*" in PAGE and f"*{other}* in *{where}*" in PAGE
    for system in found["opened"].values():
        shares = {kind: told["share"] for kind, told in system["by_kind"].items()}
        for kind in ("reordering", "choice", "agreement", "idiom", "ambiguity", "case", "local"):
            assert all(name < other for name, other in zip(shares["name"], shares[kind], strict=True)), kind


def test_the_nearest_annotation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two sentences with the words a and b, where the annotation of the second b is nearer to that of a."""
    rows = [("a", 0, [1.0, 0.0]), ("b", 0, [0.0, 1.0]), ("a", 1, [1.0, 0.0]), ("b", 1, [0.8, 0.6])]
    monkeypatch.setattr(ch09_record, "annotations", lambda *_: [(w, n, np.array(v)) for w, n, v in rows])
    sentences = [pairs.Pair(["a", "b"], ["a"]), pairs.Pair(["a", "b"], ["a"])]
    found = ch09_record.similarity(SimpleNamespace(source_vocab={"a", "b"}), sentences)
    assert found["missed"] == {"names": [2, 0.0], "other words": [2, 0.5]}
    assert math.isclose(found["means"]["same"], (1 + 0.6) / 2) and math.isclose(found["means"]["different"], 0.4)
