"""What is typed, as words of a vocabulary: "Library." is two words of the village, `library` and a full stop."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from common.text.vocab import Vocabulary


def as_in(vocab: Vocabulary, typed: Sequence[str]) -> list[str]:
    """The words that were typed, in the form of a vocabulary's own: in lower case where all of its words are, with
    punctuation apart. A word that it has is left as it is (`N`, `mr.`)."""
    lower = not any(len(word) > 1 and word != word.lower() for word in vocab.words)
    return [part for word in typed for part in apart(word if word in vocab or not lower else word.lower(), vocab)]


def apart(word: str, vocab: Vocabulary) -> list[str]:
    """A word without the punctuation at its ends, each mark of which is a word of its own, unless the vocabulary has
    them together."""
    if len(word) == 1 or word in vocab:
        return [word]
    if is_mark(word[-1]):
        return [*apart(word[:-1], vocab), word[-1]]
    return [word[0], *apart(word[1:], vocab)] if is_mark(word[0]) else [word]


def is_mark(character: str) -> bool:
    """Whether a character is punctuation or a symbol."""
    return unicodedata.category(character)[0] in "PS"
