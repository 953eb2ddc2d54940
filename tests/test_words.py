"""What separates words and lines, wherever a text is read."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from common.errors import UserError
from common.evaluation.metrics import bleu
from common.evaluation.rouge import rouge
from common.text.alignment import read_alignments
from common.text.corpus import stream_sentences
from common.text.pairs import read_pairs
from common.text.trees import read_trees
from common.text.vocab import SEPARATORS, Vocabulary, split_lines, split_words
from data.prepare import decode, lines_to_sentences

LETTERS = [chr(n) for n in range(0x3001) if chr(n).isspace() and chr(n) not in SEPARATORS]
"""What Python calls space, and the course a letter."""


def test_they_are_blank_tab_and_the_ends_of_lines() -> None:
    assert len(LETTERS) == 25
    for letter in LETTERS:
        assert split_words(f"  a{letter}b\t{letter}\r\n") == [f"a{letter}b", letter]
        assert split_lines(f"a{letter}b\nc\r\n\n ") == [f"a{letter}b", "c", ""]
    assert split_words(" \t\r\n") == split_words("") == split_lines("") == []


@given(st.lists(st.text(st.sampled_from("ab" + "".join(LETTERS)), min_size=1)), st.sampled_from(SEPARATORS))
def test_words_joined_by_a_separator_are_the_same_words_again(words: list[str], separator: str) -> None:
    assert split_words(separator.join(words)) == words


@pytest.mark.parametrize("letter", LETTERS)
def test_every_reader_takes_a_blank_of_unicode_for_a_letter(letter: str, tmp_path: Path) -> None:
    word, line = f"a{letter}b", f"a{letter}b c"
    assert list(stream_sentences(io.BytesIO(f"{line}\r\n{letter}".encode()), "here")) == [[word, "c"], [letter]]
    assert lines_to_sentences(decode(f"{line}\n".encode(), "train.txt")) == [line]
    for side in ("source", "target"):
        (tmp_path / f"train.{side}").write_bytes(f"{line}\n".encode())
    pairs = read_pairs(tmp_path, "train")
    assert pairs == [([word, "c"], [word, "c"])]
    (tmp_path / "train.align").write_bytes(b"1-1\t0-0\r\n")
    assert read_alignments(tmp_path / "train.align", pairs) == [{(0, 0), (1, 1)}]
    (tmp_path / "train.align").write_bytes(f"1-1{letter}0-0\n".encode())
    with pytest.raises(UserError, match="is not a link"):
        read_alignments(tmp_path / "train.align", pairs)
    (tmp_path / "train.trees").write_bytes(f"({line})\n".encode())
    assert [words for words, _ in read_trees(tmp_path / "train.trees")] == [[word, "c"]]
    Vocabulary([word, letter]).save(tmp_path / "vocab.txt")
    assert Vocabulary.load(tmp_path / "vocab.txt").words[2:] == [word, letter]


@pytest.mark.parametrize("letter", LETTERS)
def test_bleu_and_rouge_count_the_same_words(letter: str) -> None:
    """The scores are those of ordinary letters in the same places; two words that differ in their blank differ."""
    other = next(first for first in LETTERS if first != letter)
    scores = []
    for inside, strange in ((letter, other), ("x", "y")):
        hypotheses = [[f"a{inside}b", "c", "d", "e", inside], [f"a{strange}b", "c", "d", "e", "f"]]
        references = [[f"a{inside}b", "c", "d", "e", inside], [f"a{inside}b", "c", "d", "e", "f"]]
        scores.append((bleu(hypotheses, references).value, rouge(hypotheses, references)["rouge2"].value))
    assert scores[0] == scores[1] != (100, 100)
