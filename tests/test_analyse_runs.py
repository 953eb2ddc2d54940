"""`python -m tools.analyse` of translations by length, frequency and phenomenon, and of builds by what they change."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import stdev

import numpy as np
import pytest

from common.evaluation.metrics import bleu
from common.text.pairs import Pair, load_pairs
from common.text.vocab import Vocabulary
from common.training.pairs import checksum_of_pairs
from data.pairs import TRUTHS
from tests.pairs import write_pairs
from tests.programs import write_lines
from tools.analyse import __main__ as analyse, translations
from tools.analyse.phenomena import labels_of_pairs, pair_table
from tools.analyse.translations import FREQUENCIES, Matches, frequency_table, length_table, matches

PAIRS = [Pair(["f"] * words, ["a", "b", "c", "d", "e", *["x"] * words]) for words in (1, 3, 4, 8, 3)]
COUNTS = Counter({"the": 1200, "hen": 12, "wombat": 1})
REFERENCES = [["the", "hen", "the", "wombat"], ["the", "emu"]]
OUTPUTS = [["the", "wombat", "wombat", "emu"], ["the", "the", "hen"]]
TRUTH = TRUTHS["village_pairs"]


# --- translations by length and by frequency


def test_each_group_has_its_own_score(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translations, "BOUNDS", (3, 6))
    right = [pair.target for pair in PAIRS]
    half = [right[0], right[1], ["nothing"], "a b c d e".split(), right[4]]
    lines = length_table(PAIRS, {"one": right, "other": half}).splitlines()
    last = f"{bleu([half[3]], [PAIRS[3].target]).value:.2f}"
    assert [line.split()[-2:] for line in lines[1:4]] == [["100.00", score] for score in ("100.00", "0.00", last)]
    assert lines[4].split()[:2] == ["all", "5"]
    assert lines[5:7] == ["[1] one", "[2] other"] and lines[7].startswith("BLEU nrefs:1")


def test_words_are_matched_in_their_own_sentence_and_as_often_as_both_have_them() -> None:
    by_group = matches(REFERENCES, OUTPUTS, COUNTS)
    assert {group: row for group, row in by_group.items() if any(row)} == {
        "never": Matches(reference=1, written=1, both=0),
        "once": Matches(reference=1, written=2, both=1),
        "10 to 99 times": Matches(reference=1, written=1, both=0),
        "1,000 times or more": Matches(reference=3, written=3, both=2),
    }
    assert tuple(by_group) == tuple(FREQUENCIES) and sum(row.reference for row in by_group.values()) == 6
    head, *rows = frequency_table(REFERENCES, [OUTPUTS, REFERENCES], COUNTS).splitlines()
    assert head.split()[4:] == ["references", *"[1] recall written precision [2] recall written precision".split()]
    assert rows[1].split()[-7:] == ["1", "100.0%", "2", "50.0%", "100.0%", "1", "100.0%"]
    assert rows[2].split()[-3:] == ["0", "0", "0"], "no share of nothing"


def test_translations_of_runs(tmp_path: Path, run_main: Callable, refuse_main: Callable) -> None:
    corpus, run = write_pairs(tmp_path / "farm"), tmp_path / "run"
    run.mkdir()
    config = {"settings": {"corpus": str(corpus)}, "fingerprints": {"corpus": checksum_of_pairs(corpus)}}
    write_lines(run / "config.json", [json.dumps(config)])
    targets = (corpus / "test.target").read_text("utf-8").splitlines()
    write_lines(run / "test.hypotheses.txt", targets)
    by_length, by_frequency = (
        [line.split() for line in run_main(analyse.main, run, "--by", name).splitlines()]
        for name in ("length", "frequency")
    )
    assert by_length[-3] == ["all", "16", "100.00"] and by_frequency[-1] == ["[1]", str(run)]
    assert "wombat" in targets[-1] and by_frequency[1][-4:] == ["1", "100.0%", "1", "100.0%"], "not in training"
    write_lines(run / "test.hypotheses.txt", targets[1:])
    for name in ("length", "frequency"):
        for folder, problem in ((run, "15 translations of 16 sentences"), (tmp_path, "no finished run")):
            assert problem in refuse_main(analyse.main, folder, "--by", name)
    write_lines(run / "test.hypotheses.txt", targets)
    write_lines(corpus / "test.target", ["an ox", *targets[1:]])
    for name in ("length", "frequency"):
        assert "have changed since the run was trained" in refuse_main(analyse.main, run, "--by", name)


# --- translations by phenomenon


def test_every_prediction_has_a_label() -> None:
    pairs = load_pairs("village_pairs").test[:25]
    vocab = Vocabulary.from_sentences([pair.target for pair in pairs], 2)
    labels = labels_of_pairs(TRUTH, pairs, vocab)
    for pair, sentence_labels in zip(pairs, labels, strict=True):
        assert len(sentence_labels) == len(pair.target) + 1 and sentence_labels[-1] == "</s>"
        for word, label, truth in zip(pair.target, sentence_labels, TRUTH.phenomena(*pair), strict=False):
            assert label == (truth if word in vocab else "<unk>")
    even = [np.full(len(sentence_labels), math.log(1 / 50)) for sentence_labels in labels]
    oracle = [TRUTH.token_log_probs(*pair) for pair in pairs]
    heading, *rows = pair_table(labels, {"oracle": oracle, "even": even}).splitlines()
    assert heading.split() == ["decided", "by", "words", "[1]", "[2]"] and rows[-2:] == ["[1] oracle", "[2] even"]
    cells = [row.split() for row in rows[:-2]]
    numbers = [int(row[1].replace(",", "")) for row in cells]
    assert sum(numbers) == sum(map(len, labels)) and {row[3] for row in cells} == {"50.00"}
    total = sum(number * math.log(float(row[2])) for number, row in zip(numbers, cells, strict=True))
    assert total == pytest.approx(-sum(map(math.fsum, oracle)), rel=0.02), "two decimals"


# --- what builds change beside what seeds change: differences of invented runs, worked out by hand

PERPLEXITIES = {"wheel": (2.0, 2.125, 2.25), "blas": (2.0625, 2.125, 2.375)}


def write_run(folder: Path, chapter: str, seed: int, **test: float) -> None:
    folder.mkdir()
    content = {"chapter": chapter, "corpus": "village_pairs", "seed": seed, "test": test}
    write_lines(folder / "metrics.json", [json.dumps(content)])


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Three seeds of chapter 9 and one of chapter 6, which has no BLEU, with each build; of "blas" a fourth seed."""
    for build, values in PERPLEXITIES.items():
        for seed, value in enumerate(values, start=1):
            write_run(tmp_path / f"{build}-{seed}", "09_words", seed, perplexity=value, bleu=20 * value)
        write_run(tmp_path / f"{build}-lm", "06_lm", 1, perplexity=7.0 + (build == "blas"))
    write_run(tmp_path / "blas-4", "09_words", 4, perplexity=90.0, bleu=1.0)
    return tmp_path


def flags_of(place: Path, groups: str) -> list[str]:
    """Builds and their runs, written as "wheel 1 2, blas 1 lm"."""
    flags = ["--by", "build"]
    for name, *runs in map(str.split, groups.split(",")):
        flags += ["--build", name, *(str(place / f"{name}-{run}") for run in runs)]
    return flags


def cells_of(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_a_measure_that_one_run_lacks_is_left_out(run_main: Callable, place: Path) -> None:
    write_run(place / "wheel-4", "09_words", 4, perplexity=80.0)
    write_run(place / "wheel-5", "09_words", 5, perplexity=8.0, bleu=1.0)
    write_run(place / "blas-5", "09_words", 5, perplexity=9.0)
    for runs in ("wheel 3 4, blas 3 4", "wheel 3 5, blas 3 5"):
        (row,) = run_main(analyse.main, *flags_of(place, runs)).splitlines()[2:]
        assert cells_of(row)[-3:] == ["", "", ""]


def test_the_table_of_builds(run_main: Callable, place: Path) -> None:
    """The fourth seed has one build only, and does not count."""
    flags = flags_of(place, "wheel 1 2 3 lm, blas 4 3 2 1 lm")
    header, _, *rows = run_main(analyse.main, *flags).splitlines()
    deviation, of_perplexity = stdev(PERPLEXITIES["blas"]), ("09_words", "village_pairs", "3", "0.125", "0.312")
    assert list(map(cells_of, rows)) == [
        ["06_lm", "village_pairs", "1", "1.000", "", "", "", "", ""],
        [*of_perplexity, f"{deviation:.3f}", "2.50", "6.25", f"{20 * deviation:.2f}"],
    ]
    assert header.count("|") == 10 and header.index("builds") < header.index("seeds", 25)


@pytest.mark.parametrize(
    "groups, complaint",
    [
        ("wheel 1 2", "two builds or more"),
        ("wheel 1, wheel 2", "--build wheel: given twice"),
        ("wheel 1 1, blas 1", "wheel already has a run of 09_words on village_pairs with seed 1"),
        ("wheel 1, blas 5", "no finished run"),
        ("wheel 1, blas 4 lm", "no chapter was trained with the same seed and every build"),
    ],
)
def test_builds_that_are_refused(groups: str, complaint: str, place: Path, refuse_main: Callable) -> None:
    assert complaint in refuse_main(analyse.main, *flags_of(place, groups))
