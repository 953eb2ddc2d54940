"""What is typed into the explorer becomes words in the form of a model's vocabulary."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from book.explorer import bounds
from book.explorer.typed import as_in
from common.errors import UserError
from common.text.vocab import Vocabulary, split_words

VILLAGE = Vocabulary("the goat waits . , until \" mira's".split())
CASED = Vocabulary("The the Goat .".split())
TREEBANK = Vocabulary("mr. corp. N the said".split())


@pytest.mark.parametrize(
    ("vocab", "typed", "words"),
    [
        (VILLAGE, "The Goat Waits.", "the goat waits ."),
        (VILLAGE, 'the goat, "Mira\'s," waits...', 'the goat , " mira\'s , " waits . . .'),
        (VILLAGE, "the <unk> ZEBRA!", "the <unk> zebra !"),
        (CASED, "The Goat WAITS.", "The Goat WAITS ."),
        (TREEBANK, "Mr. N said the corp.", "mr. N said the corp."),
    ],
)
def test_words_take_the_form_of_the_vocabulary(vocab: Vocabulary, typed: str, words: str) -> None:
    assert as_in(vocab, typed.split()) == words.split()


@given(st.text(max_size=60))
def test_no_letter_is_lost_and_twice_is_once(text: str) -> None:
    words = as_in(CASED, split_words(text))
    assert "".join(words) == "".join(split_words(text)) and all(words)
    assert as_in(CASED, words) == words


def test_marks_count_as_words() -> None:
    assert bounds.words_of({"text": "goat..."}, "text", VILLAGE, 4) == ["goat", ".", ".", "."]
    with pytest.raises(UserError, match="4 words: at most 3 here"):
        bounds.words_of({"text": "goat..."}, "text", VILLAGE, 3)
    assert bounds.words_of({"text": "The goat."}, "text", None) == ["The", "goat."]
