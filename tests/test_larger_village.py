"""Larger villages: more sentences, or more names, from the village's own rules, with the truth about them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from common.text.corpus import load_corpus, read_sentences
from data.__main__ import main
from data.larger_village import grammar_of, many_names, write_larger_village
from data.pairs import SIZES
from data.village_grammar import START
from data.village_phrases import village

VILLAGE = Path(__file__).resolve().parents[1] / "data" / "village"
NAMES, SENTENCES = 40, 150
"""Of the village that is written here: how many names, and how many sentences dev and test have."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("names")
    with pytest.MonkeyPatch.context() as patched:
        for split in ("dev", "test"):
            patched.setitem(SIZES, split, SENTENCES)
        write_larger_village(folder, 60, NAMES, seed=3, with_truth=True)
    return folder


def test_more_sentences_leave_dev_and_test_as_they_are(tmp_path: Path) -> None:
    write_larger_village(tmp_path, 50, None, seed=4, with_truth=False)
    for split in ("dev", "test"):
        assert (tmp_path / f"{split}.txt").read_bytes() == (VILLAGE / f"{split}.txt").read_bytes()
    train = read_sentences(tmp_path / "train.txt")
    assert len(train) == 50 and train != read_sentences(VILLAGE / "train.txt")[:50]
    write_larger_village(tmp_path / "again", 50, None, seed=4, with_truth=False)
    assert (tmp_path / "again" / "train.txt").read_bytes() == (tmp_path / "train.txt").read_bytes()
    assert grammar_of(load_corpus(str(tmp_path)).facts) is village


def test_the_oracle_of_the_written_splits(folder: Path) -> None:
    grammar = grammar_of(load_corpus(str(folder)).facts)
    assert grammar.names == many_names(NAMES).names
    truth = json.loads((folder / "oracle.json").read_text("utf-8"))
    for split in ("dev", "test"):
        sentences = read_sentences(folder / f"{split}.txt")
        total = math.fsum(grammar.log_prob(START, sentence) for sentence in sentences)
        assert truth[split]["log_prob"] == pytest.approx(total) and len(sentences) == SENTENCES
        assert truth[split]["predictions"] == sum(len(sentence) + 1 for sentence in sentences)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ((), "say with --out"),
        (("--out", "farm", "--sentences", "3"), "without --sentences"),
        (("--out", "farm", "--names", "3"), "from 4 to"),
        (("--out", "farm", "--seed", "1867"), "which gives dev and test"),
        (("--out", "farm", "--train", "0"), "from 1 to"),
        (("--out", "farm", "--names", "5"), "an even number from 4 to"),
    ],
)
def test_refused(flags: tuple[str, ...], message: str, refuse_main, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in refuse_main(main, "generate", "village", "--train", "20", *flags)
    assert not list(tmp_path.iterdir())
