"""What a line of a text must be before a model can be trained on it. `data get` installs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

MAX_WORDS = 1000
BEGIN, BOUNDARY = "<s>", "</s>"


def problem_of(sentence: Sequence[str]) -> str:
    """What keeps the words of a line from being a sentence, and what to do; "" where nothing does."""
    if not sentence:
        return "an empty line; every line must hold a sentence"
    if len(sentence) > MAX_WORDS:
        return f"{len(sentence)} words, more than {MAX_WORDS}; is it one sentence a line? split it"
    if BOUNDARY in sentence or BEGIN in sentence:
        return f"{BEGIN} and {BOUNDARY} mark sentence ends here; remove them"
    return ""
