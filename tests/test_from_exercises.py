"""`train.py --from FOLDER` trains with a student's functions, if they pass."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from common.errors import UserError
from common.evaluation import perplexity as course
from solutions.substitute import replace, use_exercises
from tests.programs import comparable, error_line, leftovers, make_call, run_program
from tests.submissions import chapter_one, with_code, write_submission

ONE = "01_ngram_lm"
MINE = "print('mine', predictions)"


def test_a_passing_exercise_is_trained_with(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chapter 1 has imported everything when the flags are read: names that it holds already are replaced too."""
    work = write_submission(tmp_path / "work", with_code(MINE))
    flags = ["--corpus", str(corpus), "--order", "2"]
    make_call(monkeypatch, ONE)("train", *flags, "--run-dir", tmp_path / "own")
    mine = run_program("train", *flags, "--run-dir", str(tmp_path / "mine"), "--from", str(work), chapter=ONE)
    assert mine.returncode == 0, mine.stderr
    assert "exercise 1.5: perplexity from " in mine.stdout
    assert any(line.startswith("mine ") for line in mine.stdout.splitlines()), "it is called"
    actual, expected = comparable(tmp_path / "mine"), comparable(tmp_path / "own")
    assert actual["test"] == expected["test"] and actual["settings"]["from_"] == str(work)


def test_every_name_of_a_function_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    original, mine = course.perplexity, lambda log_prob, predictions: 7.0
    user = ModuleType("has_imported_it_before")
    user.under_another_name = original
    user.CHOICES = {"course": original, "other": max}
    monkeypatch.setitem(sys.modules, user.__name__, user)
    replace("common.evaluation.perplexity:perplexity", mine)
    try:
        assert user.under_another_name is mine and course.perplexity is mine
        assert user.CHOICES == {"course": mine, "other": max}
    finally:
        replace("common.evaluation.perplexity:perplexity", original)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (chapter_one().stubs["perplexity"], "nothing to train with yet; exercises that can be used: 1.5"),
        (with_code("return 7.0"), r"exercise 1.5 (perplexity) does not pass: "),
        ("def perplexity(", "SyntaxError"),
    ],
)
def test_a_blank_or_a_wrong_exercise_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError) as refused:
        use_exercises(ONE, str(write_submission(tmp_path, text)))
    assert message in str(refused.value) and "\n" not in str(refused.value)


def test_a_chapter_without_exercises_for_training(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="none of this chapter"):
        use_exercises("99_nothing", str(tmp_path))


def test_the_program_ends_in_one_line_and_writes_nothing(corpus: Path, tmp_path: Path) -> None:
    run, missing = tmp_path / "run", tmp_path / "none"
    flags = ["--corpus", str(corpus), "--run-dir", str(run), "--from", str(missing)]
    result = run_program("train", *flags, chapter=ONE)
    assert result.returncode == 2 and "no such folder" in error_line(result.stderr)
    assert not run.exists() and not leftovers(tmp_path)
