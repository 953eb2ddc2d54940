"""The committed blanks are those that the answers make."""

from __future__ import annotations

import pytest

from solutions.sets import EXERCISES, SET_NAME, ExerciseSet, find_sets


@pytest.mark.parametrize("exercises", find_sets(), ids=lambda exercises: exercises.name)
def test_the_blanks_are_in_sync(exercises: ExerciseSet) -> None:
    """Where this fails: python -m solutions sync."""
    blanks = {path.stem: path.read_text(encoding="utf-8") for path in (EXERCISES / exercises.name).glob("*.py")}
    assert blanks == exercises.stubs


def test_no_set_lacks_its_answers() -> None:
    folders = {path.name for path in EXERCISES.iterdir() if SET_NAME.fullmatch(path.name) and any(path.glob("*.py"))}
    assert folders == {exercises.name for exercises in find_sets()}
