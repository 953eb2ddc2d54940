"""The last step of a chapter: its model, trained with the student's own functions."""

from __future__ import annotations

import shlex
from pathlib import Path

from common.training.past_runs import latest_run
from solutions.grading.reading import show_path
from solutions.sets import ROOT, ExerciseSet


def can_use_exercises(exercises: ExerciseSet) -> bool:
    """Whether training can use any exercise of a chapter."""
    return any(task.replaces for task in exercises.tasks.values())


def training_of(exercises: ExerciseSet, folder: Path) -> list[str]:
    """The words after `python` that train the model of a chapter, with the exercises of a folder if it can use any."""
    words = [show_path(program_of(exercises)), *exercises.facts.get("training", ())]
    return [*words, "--from", show_path(folder)] if can_use_exercises(exercises) else words


def offer(exercises: ExerciseSet, folder: Path) -> str:
    """What to read when all exercises of a chapter pass."""
    complete = f"Chapter {exercises.chapter} is complete"
    if can_use_exercises(exercises):
        return f"{complete}: press t to train its model with what you have written."
    command = shlex.join(["python", *training_of(exercises, folder)])
    return f"{complete}. Training uses none of its exercises; without them: {command}"


def program_of(exercises: ExerciseSet) -> Path:
    """train.py of a chapter."""
    (program,) = ROOT.glob(f"chapters/{exercises.chapter:02}_*/train.py")
    return program


def pictures_of(exercises: ExerciseSet) -> list[str]:
    """The pictures of the latest run of a chapter."""
    run = latest_run(program_of(exercises).parent.name)
    return [show_path(path) for path in sorted(run.glob("*.png"))]
