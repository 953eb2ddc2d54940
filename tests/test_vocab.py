"""Words and their numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from common.errors import UserError
from common.text.vocab import BOUNDARY, UNKNOWN, Vocabulary

TEXT = [line.split() for line in ("the hen sees the cow", "a hen sleeps", "the cow eats a <unk>")]
tokens = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=4)  # no blanks, no controls
texts = st.lists(st.lists(tokens.filter(lambda word: word != BOUNDARY), max_size=6), max_size=6)


def test_frequent_words_come_first_and_ties_in_alphabetical_order() -> None:
    vocab = Vocabulary.from_sentences(TEXT)
    assert vocab.words == [BOUNDARY, UNKNOWN, "the", "a", "cow", "hen", "eats", "sees", "sleeps"]
    assert [vocab.ids[word] for word in vocab.words] == list(range(len(vocab))) == list(range(9))


def test_rare_words_are_left_out() -> None:
    assert Vocabulary.from_sentences(TEXT, min_count=2).words == [BOUNDARY, UNKNOWN, "the", "a", "cow", "hen"]
    assert Vocabulary.from_sentences(TEXT, min_count=3).words == [BOUNDARY, UNKNOWN, "the"]
    assert len(Vocabulary.from_sentences(TEXT, min_count=4)) == 2


def test_unknown_words_become_unk() -> None:
    vocab = Vocabulary.from_sentences(TEXT, min_count=2)
    assert vocab.encode(["the", "ox", "eats", "<unk>", "hen"]) == [2, 1, 1, 1, 5]
    assert vocab.decode([2, 1, 5, 0]) == ["the", UNKNOWN, "hen"]
    assert "the" in vocab and UNKNOWN in vocab and "ox" not in vocab


@pytest.mark.parametrize("word", [BOUNDARY, UNKNOWN, "cow"])
def test_a_word_has_one_id(word: str) -> None:
    with pytest.raises(UserError, match=f"contains the word '{word}' twice"):
        Vocabulary(["cow", word])


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(sentences=texts)
def test_known_text_comes_back_as_it_was(sentences: list[list[str]]) -> None:
    vocab = Vocabulary.from_sentences(sentences)
    for sentence in sentences:
        assert vocab.decode(vocab.encode(sentence)) == sentence


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(sentences=texts)
def test_a_saved_vocabulary_is_the_same(sentences: list[list[str]], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("vocab") / "vocab.txt"
    vocab = Vocabulary.from_sentences(sentences)
    vocab.save(path)
    assert Vocabulary.load(path).words == vocab.words
    assert path.read_bytes() == "".join(f"{word}\n" for word in vocab.words).encode()


def test_blanks_that_are_not_ascii_separate_no_lines(tmp_path: Path) -> None:
    """What str.splitlines takes for a line's end may stand in a word that an own corpus brings along."""
    vocab = Vocabulary(["a\u2028b", "ü", "\x85"])
    vocab.save(tmp_path / "vocab.txt")
    assert Vocabulary.load(tmp_path / "vocab.txt").words == vocab.words


NO_VOCABULARIES = ["", "the\na\n", "</s>\n<unk>\nhen\ngo", "</s>\n<unk>\na hen\n", "</s>\n<unk>\n\n"]
"""Contents of files: without the first two words, cut short, two words on a line, and an empty line."""


@pytest.mark.parametrize(
    "content",
    [None, b"\xff\xfe", b"</s>\n<unk>\n\xff\n", b"</s>\n<unk>\nhen\nhen\n", *map(str.encode, NO_VOCABULARIES)],
)
def test_a_file_that_is_none_is_refused(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "vocab.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match="vocab.txt: no readable vocabulary"):
        Vocabulary.load(path)
