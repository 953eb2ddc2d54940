"""What one request may ask for, so that no page, and no slip of a finger, keeps the machine busy for minutes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from common.errors import UserError
from common.text.corpus import problem_of
from common.text.vocab import Vocabulary, split_words

from .typed import as_in

MOST_BYTES = 20_000
"""Of the body of a request."""
MOST_WORDS = 60
"""Of a sentence that is read, or of one that is sampled."""
MOST_LETTERS = 60
"""Of a word."""
MOST_MODELS = 8
MOST_TRANSLATED = 40
"""Words of a sentence to translate."""
MOST_TOGETHER = 5
"""Models of an ensemble."""
MOST_COMPARED = 12
"""Runs whose curves are drawn side by side."""
MOST_BEAM = 10
MOST_SAMPLES = 10
MOST_SEED = 2**32 - 1
LISTED = 12
"""Next words that are shown of each model."""
BUTTONS = 450
"""Continuations that are offered; the village grammar has no more than some 420."""

Body = Mapping[str, Any]


def words_of(body: Body, name: str, vocab: Vocabulary | None, most: int = MOST_WORDS) -> list[str]:
    """The words of a text, perhaps none, in the form of a vocabulary's, or for None as they are. Raises `UserError`
    where it is too long, or is no text."""
    text = body.get(name, "")
    if not isinstance(text, str):
        raise UserError(f"{name}: must be text")
    words = split_words(text)
    longest = max(words, key=len, default="")
    if len(longest) > MOST_LETTERS:
        raise UserError(f"{longest[:20]}...: a word has at most {MOST_LETTERS} letters here; put blanks between words")
    if words and problem_of(words):
        raise UserError(problem_of(words))
    words = words if vocab is None else as_in(vocab, words)
    if len(words) > most:
        raise UserError(f"{len(words)} words: at most {most} here; take some out")
    return words


def sentence_of(body: Body, name: str, vocab: Vocabulary, most: int = MOST_WORDS) -> list[str]:
    """The same of a sentence, which has a word."""
    words = words_of(body, name, vocab, most)
    if not words:
        raise UserError("type a sentence first")
    return words


def whole(body: Body, name: str, least: int, most: int) -> int:
    """A whole number within its bounds."""
    value = body.get(name)
    if type(value) is not int or not least <= value <= most:
        raise UserError(f"{name}: must be a whole number from {least} to {most}")
    return value


def number(body: Body, name: str, least: float, most: float) -> float:
    """A number within its bounds."""
    value = body.get(name)
    if type(value) not in (int, float) or not least <= value <= most:
        raise UserError(f"{name}: must be a number from {least} to {most}")
    return float(value)


def one_of(body: Body, name: str, choices: Sequence[str]) -> str:
    value = body.get(name)
    if not isinstance(value, str) or value not in choices:
        raise UserError(f"{name}: choose from {', '.join(choices)}")
    return value


def run_names(body: Body, most: int = MOST_MODELS) -> list[str]:
    """The names of the chosen runs: one or more, each once."""
    value = body.get("runs")
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise UserError("runs: must be a list of names")
    names = list(dict.fromkeys(value))
    if not 1 <= len(names) <= most:
        raise UserError(f"{len(names) or 'no'} models chosen: choose 1 to {most}")
    return names
