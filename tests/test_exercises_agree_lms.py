"""The answers to the exercises of chapters 2, 4 and 5 can be trained with, and a training comes to the same figures."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from solutions.grading.reading import arguments
from solutions.sets import ROOT, ExerciseSet, find_sets
from solutions.stubs import functions
from tests.programs import TINY, comparable, make_call, run_program, write_corpus

SETS = {one.chapter: one for one in find_sets() if one.chapter in (2, 4, 5)}
TRAININGS = [
    ("02_loglinear_lm", ["--features", "word1,word2", "--epochs", "2"], {"2.3"}),
    ("04_feedforward_lm", TINY, {"4.2"}),
    ("05_rnn_lm", TINY, {"5.3", "5.5"}),
    ("05_rnn_lm", [*TINY, "--cell", "gru", "--state", "kept", "--bptt", "5"], {"5.4", "5.5", "5.6"}),
]
"""Chapter, flags, and the exercises whose functions such a training calls."""


def replaced(one: ExerciseSet) -> list[tuple[str, str, str]]:
    """File, function and target of everything that a set can replace."""
    return [(task.file, name, target) for task in one.tasks.values() for name, target in task.replaces]


def course_function(target: str, chapter: int) -> ast.FunctionDef:
    """The function or method of the course that "module:name" means, in a program of this chapter."""
    module, _, name = target.partition(":")
    (path,) = [
        path
        for folder in (ROOT, *ROOT.glob(f"chapters/{chapter:02}_*"))
        if (path := folder / f"{module.replace('.', '/')}.py").is_file()
    ]
    return functions(ast.parse(path.read_text(encoding="utf-8")))[name]


@pytest.mark.parametrize("chapter", SETS)
def test_what_can_be_replaced_has_the_same_arguments(chapter: int) -> None:
    one = SETS[chapter]
    assert replaced(one)
    for file, name, target in replaced(one):
        own, theirs = functions(ast.parse(one.answers[file]))[name], course_function(target, chapter)
        found, expected = arguments(own), arguments(theirs)
        if expected[0] == "self":  # the object comes first in both, under a name that says what it is
            found, expected = found[1:], expected[1:]
        assert found == expected, target


@pytest.mark.slow
@pytest.mark.parametrize(("chapter", "flags", "tasks"), TRAININGS, ids=["loglinear", "feedforward", "lstm", "gru-kept"])
def test_training_with_the_answers_gives_the_same_figures(
    chapter: str, flags: list[str], tasks: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = ["--corpus", str(write_corpus(tmp_path / "corpus", train=30)), *flags]
    answers = tmp_path / "work" / SETS[int(chapter[:2])].name
    answers.mkdir(parents=True)
    for name, text in SETS[int(chapter[:2])].answers.items():
        told = re.sub(r"( +)# BEGIN SOLUTION (\S+)", r"\1print('called', \2)", text)
        (answers / f"{name}.py").write_text(told, encoding="utf-8", newline="\n")
    make_call(monkeypatch, chapter)("train", *flags, "--run-dir", tmp_path / "own")
    theirs = run_program(
        "train", *flags, "--run-dir", str(tmp_path / "theirs"), "--from", str(answers.parent), chapter=chapter
    )
    assert theirs.returncode == 0, theirs.stderr
    called = {line.split()[1] for line in theirs.stdout.splitlines() if line.startswith("called ")}
    assert called == tasks and "still blank" not in theirs.stdout
    found, expected = (comparable(tmp_path / run)["test"]["perplexity"] for run in ("theirs", "own"))
    assert found == pytest.approx(expected, rel=1e-4)
