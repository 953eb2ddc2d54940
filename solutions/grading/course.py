"""One submission, graded set by set as results are requested: what `pytest solutions/` shows."""

from __future__ import annotations

from pathlib import Path

from solutions.grading.execution import NOT_ATTEMPTED, Outcome, Source
from solutions.grading.members import CannotRead
from solutions.grading.running import TaskResult, grade
from solutions.grading.submission import read_submission
from solutions.sets import EXERCISES, ExerciseSet, find_sets


class Course:
    """All sets and one submission, graded set by set as results are requested: what pytest needs."""

    def __init__(self, submission: Path):
        self.submission = submission
        self.sets = {exercises.folder: exercises for exercises in find_sets()}
        self.results: dict[Path, dict[str, TaskResult]] = {}
        self.remarks: list[str] = []

    def outcome(self, exercises: ExerciseSet, grader) -> Outcome:
        """How a grader ended on the submission."""
        if exercises.folder not in self.results:
            files = self.files_of(exercises)
            graded = grade(self.submission, list(exercises.tasks.values()), files=files)
            self.results[exercises.folder] = {result.task.number: result for result in graded}
        result = self.results[exercises.folder][grader.task]
        return result.graders.get(grader.name, Outcome(result.status, result.message))

    def files_of(self, exercises: ExerciseSet) -> dict[str, dict[str, Source]] | None:
        """The files of a set as for a mark; None for the course's own exercises, which are graded where they are."""
        if self.submission == EXERCISES:
            return None
        try:
            submitted = read_submission(self.submission, [exercises])
        except CannotRead as error:
            self.remarks.append(f"{self.submission}: {error}")
            return {exercises.name: {}}
        self.remarks += submitted.remarks
        return submitted.files

    def summary(self) -> list[str]:
        """What was ambiguous, then a line for each set that was graded: points, and what is not attempted."""
        lines = [*self.remarks]
        for folder, results in self.results.items():
            score, points = (sum(getattr(result, name) for result in results.values()) for name in ("score", "points"))
            blank = sum(result.status == NOT_ATTEMPTED for result in results.values())
            lines.append(f"{folder.name:24} {score:5g} of {points:g} points, {blank} of {len(results)} not attempted")
        return lines
