"""What `python -m data show` says is counted right, for language models and for pairs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from common.errors import UserError
from data import show
from data.__main__ import main
from data.show import describe, find_folder, unknown_rates

TRAIN = "a b c\na b\na <unk>\n"
DEV = "a d d c\n"


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    for split, text in (("train", TRAIN), ("dev", DEV), ("test", "a\n" + "b " * 36 + "\n" + "b " * 35 + "\n")):
        (folder / f"{split}.txt").write_text(text, encoding="utf-8", newline="\n")
    return folder


def row(text: str, heading: str, name: str) -> list[str]:
    """The figures of `name` in the table that `heading` begins."""
    lines = text[text.index(heading) :].splitlines()
    return next(line.split()[1:] for line in lines if line.startswith(name))


def test_unknown_words_are_counted_by_token_and_by_type() -> None:
    train, dev = [line.split() for line in TRAIN.splitlines()], [DEV.split()]
    assert unknown_rates(train, dev) == (2 / 4, 1 / 3)  # d, twice
    assert unknown_rates(train, dev, min_count=2) == (3 / 4, 2 / 3)  # and c, which train holds once
    assert unknown_rates(train, train) == (0, 0)


def test_sizes_lengths_and_unknown_words_are_shown(corpus: Path) -> None:
    text = describe(corpus)
    assert row(text, "   ", "train.txt") == ["3", "7", "10", "4", "1", "14.29%"]
    assert row(text, "words each", "train.txt") == ["2.3", "2.0", "3", "0.00%"]
    assert row(text, "words each", "test.txt") == ["24.0", "35.0", "36", "33.33%"]
    assert row(text, "words that train lacks", "dev.txt") == ["50.00%", "33.33%", "75.00%", "66.67%"]
    assert "\n  a b c\n  a b\n  a <unk>" in text
    assert "oracle" not in text and "licence" not in text


def test_the_oracle_and_the_provenance_are_shown_where_known(corpus: Path) -> None:
    oracle = {split: {"perplexity": value} for split, value in (("train", 12.345), ("dev", 23.456), ("test", 34.567))}
    (corpus / "oracle.json").write_text(json.dumps(oracle), encoding="utf-8")
    record = {"title": "a toy", "source": "toy.zip", "licence": "invented here", "verified": False}
    (corpus / "corpus.json").write_text(json.dumps(record), encoding="utf-8")
    text = describe(corpus)
    assert row(text, "oracle", "  test") == ["34.57"]
    assert "licence:  invented here" in text and "unverified" in text


def test_pairs_are_shown_side_by_side(tmp_path: Path) -> None:
    for split in ("train", "dev", "test"):
        (tmp_path / f"{split}.source").write_text("ein hund\neine katze\n", encoding="utf-8")
        (tmp_path / f"{split}.target").write_text("a dog\na cat\n", encoding="utf-8")
    text = describe(tmp_path)
    assert "  ein hund\n    = a dog\n  eine katze\n    = a cat" in text
    assert row(text, "words that train lacks", "test.target") == ["0.00%", "0.00%", "50.00%", "66.67%"]
    assert row(text, "   ", "dev.source") == ["2", "4", "4", "0", "0.00%"]  # a source is not predicted
    assert row(text, "   ", "dev.target") == ["2", "4", "6", "3", "0", "0.00%"]
    (tmp_path / "dev.target").write_text("a dog\n", encoding="utf-8")
    with pytest.raises(UserError, match="dev.source has 2 lines but dev.target has 1 line"):
        describe(tmp_path)


@pytest.mark.parametrize(
    ("name", "sizes", "prepared"),
    [
        ("wikitext2", ["2", "7", "9", "6", "1", "14.29%"], "The <unk> stands .\nIt turns .\n"),
        (
            "wikitext2-salton2017",
            ["5", "15", "20", "9", "1", "6.67%"],
            "<eos>\n= The Mill = <eos>\n<eos>\nThe <unk> stands .\nIt turns . <eos>\n",
        ),
    ],
)
def test_texts_that_are_not_installed_are_shown_as_prepared(
    name: str, sizes: list[str], prepared: str, tmp_path: Path, run_main: Callable, refuse_main: Callable
) -> None:
    """From valid and test alone: the sizes, and checksums of the texts and of what is made of them."""
    text = b" \n = The Mill = \n \n The <unk> stands . It turns . \n"
    for split in ("valid", "test"):
        (tmp_path / f"{split}.txt").write_bytes(text)
    output = run_main(main, "show", name, "--from", tmp_path)
    assert f"{name} from {tmp_path}, not installed\nwithout train.txt\n" in output and "\ntrain.txt" not in output
    for split in ("dev.txt", "test.txt"):
        assert row(output, "   ", split) == sizes
        assert row(output, "SHA-256 of the texts\n", split) == [hashlib.sha256(text).hexdigest()]
        assert row(output, "SHA-256 of the texts as prepared", split) == [hashlib.sha256(prepared.encode()).hexdigest()]
    for split in ("valid", "test"):
        (tmp_path / f"{split}.txt").unlink()
    line = refuse_main(main, "show", name, "--from", tmp_path)
    assert line.endswith("contains no wiki.train.tokens or train.txt, which train.txt is made of; is it the right one?")


def test_pairs_that_are_not_installed_are_shown_only_whole(tmp_path: Path, refuse_main: Callable) -> None:
    (tmp_path / "train.ja").write_text("a b\n", encoding="utf-8")
    line = refuse_main(main, "show", "tanaka", "--from", tmp_path)
    assert line.endswith("contains no train.en, which train.target is made of; is it the right one?")


def test_unusable_text_is_named_with_its_line(corpus: Path) -> None:
    (corpus / "dev.txt").unlink()
    with pytest.raises(UserError, match="cannot read .*dev.txt: No such file"):
        describe(corpus)
    for content, message in ((b"", " is empty"), (b"a\n\nb\n", ", line 2: an empty"), (b"a\nb\xff\n", ", line 2: not")):
        (corpus / "dev.txt").write_bytes(content)
        with pytest.raises(UserError, match=f"dev.txt{message}"):
            describe(corpus)


def test_a_corpus_is_found_by_name_and_by_folder(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(show, "EMBEDDED", corpus.parent / "none")
    assert find_folder(str(corpus)) == corpus
    assert find_folder("own", corpus.parent) == corpus
    monkeypatch.setenv("COURSE_DATA", str(corpus.parent))
    assert find_folder("own") == corpus
    monkeypatch.setattr(show, "EMBEDDED", corpus.parent)
    monkeypatch.delenv("COURSE_DATA")
    assert find_folder("own") == corpus


def test_the_command_prints_the_description(corpus: Path, run_main: Callable) -> None:
    assert run_main(main, "show", corpus) == describe(corpus) + "\n"
