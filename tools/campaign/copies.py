"""Submissions with two copies of the work, one blank and one done: which of them is marked, and does the row say so?"""

from __future__ import annotations

import shutil
from pathlib import Path

from solutions.grading.submission import read_submission
from solutions.sets import sets_of

from .cases import Fault

COPIES = Path("copies")
LAYOUTS = {
    "two-courses": ("course-v1/exercises/ch01_ngram_lm", "course-v2/exercises/ch01_ngram_lm"),
    "second-folder": ("exercises/ch01_ngram_lm", "exercises/ch01_ngram_lm (1)"),
    "other-letters": ("exercises/Ch01_Ngram_LM", "ch01_ngram_lm"),
}
"""Where the blank lies, and where the work."""


def make_copies(blank: Path, done: Path) -> None:
    """Write a submission of each layout into the folder `COPIES`. blank, done: folders of a set's files."""
    for layout, places in LAYOUTS.items():
        for source, place in zip((blank, done), places, strict=True):
            shutil.copytree(source, COPIES / layout / place)


def read_copies(layout: str) -> None:
    """Choose what is marked. Raises `Fault` where that is the blank beside work, or work beside other work unsaid."""
    (exercise_set,) = sets_of([1])
    folder = COPIES / layout
    submission = read_submission(folder, [exercise_set])
    for name in exercise_set.answers:
        texts = [read_text(folder / place / f"{name}.py") for place in LAYOUTS[layout]]
        marked = submission.files[exercise_set.name].get(name)
        if exercise_set.answers[name] in texts and (marked is None or marked.text == exercise_set.stubs[name]):
            raise Fault(f"silent: {name}.py: not the work is marked but {marked.path if marked else 'nothing'}")
        if None not in texts and texts[0] != texts[1] and not submission.remarks:
            raise Fault(f"silent: {name}.py: of two different files one is marked, and nothing is said")
    print(*submission.remarks, sep="\n")


def read_text(path: Path) -> str | None:
    """The text of a file, or `None` where it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError):
        return None
