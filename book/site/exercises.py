"""The pages of the exercises: what a student has to write in each chapter, and the hints, folded away."""

from __future__ import annotations

from book.site.edition import Edition
from book.site.pages import code_link, place
from book.site.sources import escaped
from solutions.sets import LEVELS, ExerciseSet, Task, find_sets


def exercise_pages(edition: Edition) -> dict[str, str]:
    """The Markdown of a page for each set of exercises, by the names of their documents."""
    sets = find_sets(edition.root / "solutions")
    return {f"exercises/{exercise_set.name}": page(edition, exercise_set) for exercise_set in sets}


def page(edition: Edition, exercise_set: ExerciseSet) -> str:
    minutes = sum(task.minutes for task in exercise_set.tasks.values())
    head = (
        f"# Exercises of chapter {exercise_set.chapter}: {escaped(exercise_set.title)}\n\n"
        f"{len(exercise_set.tasks)} exercises, about {minutes} minutes. How to work on them: "
        "{doc}`Exercises </exercises/index>`.\n"
    )
    return head + "".join(describe(edition, exercise_set, task) for task in exercise_set.tasks.values())


def describe(edition: Edition, exercise_set: ExerciseSet, task: Task) -> str:
    """A task: what to write where, and its hints."""
    file = f"exercises/{exercise_set.name}/{task.file}.py"
    functions = [
        code_link(edition, f"exercises/{exercise_set.name}", f"`{name}`", file, *place(edition, file, name))
        for name in task.functions
    ]
    hints = "".join(
        f"\n<details><summary>Hint {number}: {level}</summary>\n\n{escaped(hint)}\n\n</details>\n"
        for number, (level, hint) in enumerate(zip(LEVELS, task.hints, strict=False), start=1)
    )
    points = f"{task.points:g} point" + "s" * (task.points != 1)
    return (
        f"\n## {task.number} {escaped(task.title)}\n\n"
        f"About {task.minutes} minutes, {points}. Write {', '.join(functions)} in `{file}`, then\n\n"
        f"```\npython -m exercises check {task.number}\n```\n{hints}"
    )
