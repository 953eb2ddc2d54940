"""The answers to the exercises of the translation chapters can be trained with, and come to the same figures."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from solutions.grading.reading import arguments
from solutions.sets import find_sets
from solutions.stubs import functions
from tests.pairs import write_pairs
from tests.programs import TINY, comparable, make_call, run_program
from tests.test_exercises_agree_lms import course_function, replaced

SETS = {one.chapter: one for one in find_sets() if one.chapter in (8, 9, 10)}
BEYOND = ["--epochs", "2", "--likelihood-epochs", "1"]
TRAININGS = {
    "mlp-with-priors": ("08_attention", ["--position-bias", "--markov"], {"8.3", "8.4", "8.6"}),
    "gates": ("09_word_attention", [], {"9.3"}),
    "risk": ("10_beyond", [*BEYOND, "--share", "0.4"], {"10.2", "10.4"}),
    "reinforce": ("10_beyond", [*BEYOND, "--share", "0.4", "--objective", "reinforce"], {"10.2", "10.4", "10.5"}),
    "scheduled": ("10_beyond", [*BEYOND, "--objective", "scheduled", "--own-words", "0.9"], {"10.6"}),
}
"""Chapter, flags, and the exercises whose functions such a training calls."""


@pytest.mark.parametrize("chapter", SETS)
def test_what_can_be_replaced_has_the_same_arguments(chapter: int) -> None:
    assert replaced(SETS[chapter])
    for file, name, target in replaced(SETS[chapter]):
        own = arguments(functions(ast.parse(SETS[chapter].answers[file]))[name])
        expected = arguments(course_function(target, chapter))
        if expected[0] == "self":  # the object comes first in both, under a name that says what it is
            own, expected = own[1:], expected[1:]
        assert own == expected, target


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAININGS)
def test_training_with_the_answers_gives_the_same_figures(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapter, flags, tasks = TRAININGS[name]
    one = SETS[int(chapter[:2])]
    all_called = set().union(*(called for other, _, called in TRAININGS.values() if other == chapter))
    assert all_called == {task.number for task in one.tasks.values() if task.replaces}
    pairs = write_pairs(tmp_path / "pairs", train=30)
    flags = ["--corpus", str(pairs), *TINY, "--hidden-size", "6", "--epochs", "1", *flags]
    answers = tmp_path / "work" / one.name
    answers.mkdir(parents=True)
    for file, text in one.answers.items():
        told = re.sub(r"( +)# BEGIN SOLUTION (\S+)", r"\1print('called', \2)", text)
        (answers / f"{file}.py").write_text(told, encoding="utf-8", newline="\n")
    make_call(monkeypatch, chapter)("train", *flags, "--run-dir", tmp_path / "own")
    theirs = run_program(
        "train", *flags, "--run-dir", str(tmp_path / "theirs"), "--from", str(answers.parent), chapter=chapter
    )
    assert theirs.returncode == 0, theirs.stderr
    called = {line.split()[1] for line in theirs.stdout.splitlines() if line.startswith("called ")}
    assert called == tasks and "still blank" not in theirs.stdout
    found, expected = (comparable(tmp_path / run) for run in ("theirs", "own"))
    assert found["test"]["perplexity"] == pytest.approx(expected["test"]["perplexity"], rel=1e-4)
    found, expected = ([epoch["dev_perplexity"] for epoch in one["epochs"]] for one in (found, expected))
    assert found == pytest.approx(expected, rel=1e-4)
