"""`train.py --from FOLDER` trains with a student's functions, if they pass; with the answers to the same figures."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path
from types import ModuleType

import pytest

from common.errors import UserError
from common.evaluation import perplexity as course
from solutions.sets import find_sets
from solutions.substitute import replace, use_exercises
from tests.pairs import write_pairs
from tests.programs import TINY, comparable, error_line, leftovers, make_call, run_program, write_corpus
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
    user.CHOICES = {"course": original, "other": max, "pair": (original, max)}
    monkeypatch.setitem(sys.modules, user.__name__, user)
    replace("common.evaluation.perplexity:perplexity", mine)
    try:
        assert user.under_another_name is mine and course.perplexity is mine
        assert user.CHOICES == {"course": mine, "other": max, "pair": (mine, max)}
    finally:
        replace("common.evaluation.perplexity:perplexity", original)


def test_a_method_is_replaced_by_any_object_that_can_be_called(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("has_a_class")
    module.Score = type("Score", (), {"keys": lambda self, annotations: 0})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    replace("has_a_class:Score.keys", partial(lambda factor, score, annotations: factor * annotations, 3))
    assert module.Score().keys(annotations=2) == module.Score().keys(2) == 6


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


PAIRS = [*TINY, "--hidden-size", "6", "--epochs", "1"]
BEYOND = [*PAIRS, "--epochs", "2", "--likelihood-epochs", "1"]
TRAININGS = {
    "loglinear": ("02_loglinear_lm", ["--features", "word1,word2", "--epochs", "2"], {"2.3"}),
    "feedforward": ("04_feedforward_lm", TINY, {"4.2"}),
    "lstm": ("05_rnn_lm", TINY, {"5.3", "5.5"}),
    "gru-kept": ("05_rnn_lm", [*TINY, "--cell", "gru", "--state", "kept", "--bptt", "5"], {"5.4", "5.5", "5.6"}),
    "combined": ("06_attentive_lm", [*TINY, "--score", "combined"], {"6.3", "6.4", "6.5"}),
    "single": ("06_attentive_lm", [*TINY, "--score", "single"], {"6.2", "6.4", "6.5"}),
    "encoder-decoder": ("07_encoder_decoder", PAIRS, {"7.2", "7.5"}),
    "mlp-with-priors": ("08_attention", [*PAIRS, "--position-bias", "--markov"], {"8.3", "8.4", "8.6"}),
    "gates": ("09_word_attention", PAIRS, {"9.3"}),
    "risk": ("10_beyond", [*BEYOND, "--share", "0.4"], {"10.2", "10.4"}),
    "reinforce": ("10_beyond", [*BEYOND, "--share", "0.4", "--objective", "reinforce"], {"10.2", "10.4", "10.5"}),
    "transformer": ("11_transformer", [*TINY, "--heads", "2"], {"11.2", "11.3", "11.4", "11.5"}),
    "scheduled": ("10_beyond", [*BEYOND, "--objective", "scheduled", "--own-words", "0.9"], {"10.6"}),
}
"""Chapter, flags, and the exercises whose functions such a training calls."""
SETS = {exercises.chapter: exercises for exercises in find_sets() if exercises.chapter not in (1, 3)}


@pytest.mark.parametrize("chapter", SETS)
def test_all_that_can_be_replaced_is_trained_with(chapter: int) -> None:
    called = set().union(*(tasks for other, _, tasks in TRAININGS.values() if int(other[:2]) == chapter))
    assert called == {task.number for task in SETS[chapter].tasks.values() if task.replaces}


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAININGS)
def test_training_with_the_answers_gives_the_same_figures(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chapter, flags, tasks = TRAININGS[name]
    exercises, write = SETS[int(chapter[:2])], write_pairs if "07" < chapter < "11" else write_corpus
    flags = ["--corpus", str(write(tmp_path / "corpus", train=30)), *flags]
    answers = tmp_path / "work" / exercises.name
    answers.mkdir(parents=True)
    for file, text in exercises.answers.items():
        traced = re.sub(r"( +)# BEGIN SOLUTION (\S+)", r"\1print('called', \2)", text)
        (answers / f"{file}.py").write_text(traced, encoding="utf-8", newline="\n")
    make_call(monkeypatch, chapter)("train", *flags, "--run-dir", tmp_path / "own")
    theirs = run_program(
        "train", *flags, "--run-dir", str(tmp_path / "theirs"), "--from", str(answers.parent), chapter=chapter
    )
    assert theirs.returncode == 0, theirs.stderr
    called = {line.split()[1] for line in theirs.stdout.splitlines() if line.startswith("called ")}
    assert called == tasks and "still blank" not in theirs.stdout
    actual, expected = (comparable(tmp_path / run) for run in ("theirs", "own"))
    # nine of these trainings agreed to the last digit but for one, whose perplexities differed by 4e-9 of them
    assert actual["test"]["perplexity"] == pytest.approx(expected["test"]["perplexity"], rel=1e-4)
    actual, expected = ([epoch["dev_perplexity"] for epoch in record["epochs"]] for record in (actual, expected))
    assert actual == pytest.approx(expected, rel=1e-4)
