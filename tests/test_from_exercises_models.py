"""`--from exercises` trains the models of chapters 6 and 7 with a student's own functions, to the same figures."""

from __future__ import annotations

from pathlib import Path

import pytest

from solutions.sets import ExerciseSet, find_sets
from tests.pairs import write_pairs
from tests.programs import TINY, comparable, run_program, write_corpus


def submission(folder: Path, exercises: ExerciseSet) -> Path:
    """The answers of a set as a student's files; a function that replaces one of the course's says so when called."""
    target = folder / exercises.name
    target.mkdir(parents=True)
    for name, text in exercises.answers.items():
        for number, task in exercises.tasks.items():
            if task.replaces:
                mark = f"    # BEGIN SOLUTION {number}\n"
                text = text.replace(mark, f"    print('called: exercise {number}')\n{mark}")
        (target / f"{name}.py").write_text(text, encoding="utf-8", newline="\n")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chapter", "write", "flags", "called"),
    [
        ("06_attentive_lm", write_corpus, ["--score", "combined"], ["6.3", "6.4", "6.5"]),
        ("07_encoder_decoder", write_pairs, [], ["7.2", "7.5"]),
    ],
)
def test_a_model_is_trained_with_a_students_functions(tmp_path: Path, chapter, write, flags, called) -> None:
    (exercises,) = [exercises for exercises in find_sets() if exercises.chapter == int(chapter[:2])]
    work = submission(tmp_path / "work", exercises)
    flags = ["--corpus", str(write(tmp_path / "corpus")), *TINY, *flags]
    own = run_program("train", *flags, "--run-dir", str(tmp_path / "own"), chapter=chapter)
    mine = run_program("train", *flags, "--run-dir", str(tmp_path / "mine"), "--from", str(work), chapter=chapter)
    assert mine.returncode == own.returncode == 0, mine.stderr
    for number, task in exercises.tasks.items():
        assert (f"exercise {number}: " in mine.stdout) == bool(task.replaces)
    for number in called:
        assert f"called: exercise {number}" in mine.stdout
    actual, expected = comparable(tmp_path / "mine"), comparable(tmp_path / "own")
    assert actual["test"] == expected["test"] and actual["epochs"] == expected["epochs"]
