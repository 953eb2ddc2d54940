"""The model answers to a chapter's questions to explore: one at a time, after the student's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from common.errors import UserError
from solutions.grading.reading import locate, show_path
from solutions.sets import ExerciseSet, sets_of

ANSWERS = "answers.md"
"""Of a set: the model answers; in the student's own folder of it: the student's."""
HEADING = re.compile(r"^## (?:(Part \d+), )?\d+\. (.+)$", re.MULTILINE)
OWN_HEADING = re.compile(r"^## *(\d+)\b.*$", re.MULTILINE)


class ModelAnswer(NamedTuple):
    """The title of a question, with its part of the lesson, and the model answer to it."""

    title: str
    text: str


def answers(folder: Path, chapter: int, number: int, give_up: bool) -> int:
    """List the questions of a chapter, or print one model answer. folder: where the student's work is.

    number: of the question in the list; 0 for the list. Raises `UserError` where the student has no answer yet, unless
    give_up; and where this edition has no model answers.
    """
    (exercises,) = sets_of([chapter])
    model, own = model_answers(exercises), locate(folder, exercises) / ANSWERS
    if not 0 <= number <= len(model):
        raise UserError(f"chapter {chapter} has questions 1 to {len(model)}, but no question {number}")
    if not number:
        written = own_answers(own)
        for place, answer in enumerate(model, start=1):
            print(f"{place:2} {'answered' if place in written else 'open':8} {answer.title}")
        print(f"your answers: {show_path(own)}, each below a line such as `## 1`")
        print(f"python -m exercises answers {chapter} 1  the model answer to the first, once yours is there")
        return 0
    title, text = model[number - 1]
    if not give_up and number not in own_answers(own):
        place = f"{show_path(own)}, below the line `## {number}`"
        raise UserError(f"first write your own answer to question {number}, {title!r}, into {place}; or use --give-up")
    print(f"{chapter}, question {number}: {title}\n\n{text}")
    return 0


def model_answers(exercises: ExerciseSet) -> list[ModelAnswer]:
    """The model answers of a chapter, in their order. Raises `UserError` where there are none."""
    path = exercises.folder / ANSWERS
    if not path.is_file():
        raise UserError("this edition of the course has no model answers; ask your instructor for them")
    pieces = HEADING.split(path.read_text(encoding="utf-8"))[1:]
    titles = [f"{part}: {title}" if part else title for part, title in zip(pieces[::3], pieces[1::3], strict=True)]
    return [ModelAnswer(title, text.strip()) for title, text in zip(titles, pieces[2::3], strict=True)]


def own_answers(path: Path) -> set[int]:
    """The numbers of the questions below whose line a student has written something."""
    try:
        pieces = OWN_HEADING.split(path.read_text(encoding="utf-8"))[1:]
    except (OSError, UnicodeDecodeError):
        return set()
    return {int(number) for number, text in zip(pieces[::2], pieces[1::2], strict=True) if text.strip()}
