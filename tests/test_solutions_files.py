"""Blanks, hints, the students' edition: what is made from the answers, and what is refused."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from common.copying import copy_tree
from common.errors import UserError
from solutions import release as releasing
from solutions.check import inspect
from solutions.grading.execution import Source
from solutions.grading.reading import find_problem
from solutions.sets import (
    EXERCISES,
    GRADERS,
    ROOT,
    SOLUTIONS,
    ExerciseSet,
    choose,
    exams_of,
    find_sets,
    mutants_of,
    task_order,
)
from solutions.stubs import is_answer, make_stub, mutate, tasks_of
from solutions.sync import sync
from tests.programs import error_line
from tests.submissions import chapter_one

ANSWER = '''"""A file: a\u2028b\fc."""


class Box:
    def size(self) -> int:
        """Its size."""
        half = 21
        # BEGIN SOLUTION 9.2
        return TWO * half
        # END SOLUTION


# BEGIN SOLUTION
TWO = 2
# END SOLUTION
'''
STUB = '''"""A file: a\u2028b\fc."""


class Box:
    def size(self) -> int:
        """Its size."""
        half = 21
        # TODO 9.2: a box
        raise NotImplementedError("Exercise 9.2: a box")
'''
TITLES = {"9.2": "a box"}


def test_a_blank_keeps_everything_but_the_answer() -> None:
    assert make_stub(ANSWER, TITLES, "file.py") == STUB
    assert make_stub(STUB, TITLES, "file.py") == STUB, "a blank is its own blank"
    assert tasks_of(STUB) == {"9.2": ["Box.size"]}
    assert sorted(["9.10", "9.2"], key=task_order) == ["9.2", "9.10"]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("        # END SOLUTION\n", "", "alternate"),
        ("# END SOLUTION\n", "", "file.py, line 13: BEGIN SOLUTION without END"),
        ("9.2", "9.3", "no task 9.3"),
    ],
)
def test_marks_that_do_not_fit(before: str, after: str, message: str) -> None:
    start, _, end = ANSWER.rpartition(before)
    with pytest.raises(UserError, match=re.escape(message)):
        make_stub(start + after + end, TITLES, "file.py")


def test_a_mutant_must_fit_once() -> None:
    assert mutate("a b", "a", "c", "file.py") == "c b"
    for text in ("x", "aa"):
        with pytest.raises(UserError, match="not once"):
            mutate(text, "a", "c", "file.py")


DOCSTRING = re.search(r'"""exp\(.*?"""', chapter_one().stubs["perplexity"], flags=re.DOTALL)[0]
"""What the blank of `perplexity` says of it."""


class TestSync:
    def test_writes_what_is_missing_or_old(self, tmp_path: Path) -> None:
        exercises = chapter_one()
        written = sync([exercises], tmp_path)
        assert sorted(path.stem for path in written) == sorted(exercises.stubs)
        path = tmp_path / exercises.name / "perplexity.py"
        path.write_text(exercises.stubs["perplexity"].replace("as uncertain as", "like"), encoding="utf-8")
        assert sync([exercises], tmp_path) == [path] and path.read_text("utf-8") == exercises.stubs["perplexity"]
        assert sync([exercises], tmp_path) == []

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("    # TODO 1.5", "    mean = 1\n    # TODO 1.5"),
            ("def perplexity", "def mine():\n    pass\n\n\ndef perplexity"),
            ("WORDS_OF_THE_LANGUAGE = 10_000_000", "MINE = 3"),
            ("def perplexity", "def perplexity("),
            ("def perplexity", "class Mine:\n    pass\n\n\ndef perplexity"),
            (DOCSTRING, "mean = 1"),
            ("def perplexity", "NAME = 'caf\xe9'\n\n\ndef perplexity"),
        ],
    )
    def test_never_over_work(self, tmp_path: Path, before: str, after: str) -> None:
        """The last is no text in UTF-8."""
        exercises = chapter_one()
        sync([exercises], tmp_path)
        path, other = tmp_path / exercises.name / "perplexity.py", tmp_path / exercises.name / "counting.py"
        mine = exercises.stubs["perplexity"].replace(before, after, 1).encode("latin-1")
        path.write_bytes(mine)
        other.unlink()
        with pytest.raises(UserError, match="contains somebody's work"):
            sync([exercises], tmp_path)
        assert path.read_bytes() == mine and not other.exists()
        assert any("perplexity.py: not the blank" in line for line in inspect(exercises, tmp_path))


@pytest.mark.parametrize("decorator", ["@exam", '@exam("1.2", tolerance=1e-2)', '@exam("1.2", TOL)'])
def test_an_exam_that_does_not_say_its_task_plainly(tmp_path: Path, decorator: str) -> None:
    path = tmp_path / "exams.py"
    path.write_text(f"{decorator}\ndef f():\n    pass\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"exams\.py, line 2: f needs its task"):
        exams_of(path)


def test_mutants_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "mutants.toml"
    for text in ("a = [1, 2]", '["1.1"]\na = "b"', '["1.1"]\na = { right = "b" }', '["1.1"]\na = { rigth = "b" }'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match="mutants.toml: a mutant of a task needs a name, and the texts"):
            mutants_of(path)


NO_NUMBERS = ("inf", "nan", '"an hour"', "[45]")


class TestInspect:
    """`python -m solutions check`, of the files."""

    @pytest.fixture
    def copy(self, tmp_path: Path) -> Path:
        copy_tree(SOLUTIONS / "ch01_ngram_lm", tmp_path / "solutions" / "ch01_ngram_lm")
        copy_tree(EXERCISES / "ch01_ngram_lm", tmp_path / "exercises" / "ch01_ngram_lm")
        return tmp_path

    def problems(self, copy: Path, file: str = "", before: str = "", after: str = "") -> list[str]:
        folder = copy / "solutions" / "ch01_ngram_lm"
        if file:
            text = (folder / file).read_text(encoding="utf-8")
            assert text.count(before) == 1
            (folder / file).write_text(text.replace(before, after), encoding="utf-8", newline="\n")
        return list(inspect(ExerciseSet(folder), copy / "exercises"))

    def test_stray_files(self, copy: Path) -> None:
        for path in ("solutions/{}/test_notes.py", "exercises/{}/notes.py", "exercises/{}/counting.py.kept-1"):
            (copy / path.format("ch01_ngram_lm")).write_text("", encoding="utf-8")
        problems = self.problems(copy)
        assert len(problems) == 2 and all("notes.py: a stray file" in line for line in problems)

    @pytest.mark.parametrize(
        ("file", "before", "after", "message"),
        [
            ("counting.py", "How often each n-gram occurs", "How often n-grams occur", "counting.py: not the blank"),
            ("hints.toml", "common.evaluation.perplexity:perplexity", "common.x:y", "does not name a function"),
            ("hints.toml", '["1.6"]', '["1.7"]\ntitle = "x"\n["1.6"]', "no answer has this task"),
            ("hints.toml", "points = 4", "points = 0", "must be given"),
            ("hints.toml", '"Second way: ', '"No way: ', "the lesson has no heading 'No way: "),
            ("hints.toml", '    "c(context) is one', '    "",\n    "c(context) is one', "there must be 3 hints"),
            ("hints.toml", '["--smoothing", "all"]', '"--smoothing all"', "training must be a list of flags"),
        ],
    )
    def test_what_does_not_fit(self, copy: Path, file: str, before: str, after: str, message: str) -> None:
        assert any(message in line for line in self.problems(copy, file, before, after))

    @pytest.mark.parametrize(
        ("before", "after", "message"),
        [
            ("minutes = 45", "", '["1.6"]: minutes is missing'),
            ('section = "Second way', 'part = "Second way', '["1.6"]: section is missing'),
            ("points = 4", "points =", "hints.toml: "),
            *(("minutes = 45", f"minutes = {damage}", 'hints.toml, ["1.6"]: ') for damage in NO_NUMBERS),
            *(("points = 4", f"points = {damage}", 'hints.toml, ["1.6"]: ') for damage in NO_NUMBERS),
        ],
    )
    def test_hints_that_cannot_be_used(self, copy: Path, before: str, after: str, message: str) -> None:
        with pytest.raises(UserError, match=re.escape(message)):
            self.problems(copy, "hints.toml", before, after)

    @pytest.mark.parametrize("damage", ["n = " + "1" * 5000, "n = " + "[" * 5000, ""])
    def test_hints_that_nobody_can_read(self, tmp_path: Path, damage: str) -> None:
        hints = tmp_path / "hints.toml"
        hints.write_text(damage, "utf-8") if damage else hints.mkdir()
        with pytest.raises(UserError, match=r"hints\.toml: " + ("" if damage else "[^']+$")):
            _ = ExerciseSet(tmp_path).facts


@pytest.fixture(scope="module")
def edition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The students' edition of the course."""
    folder = tmp_path_factory.mktemp("release") / "course"
    releasing.release(folder)
    return folder


class TestRelease:
    """The students' edition."""

    @pytest.mark.slow
    def test_has_no_answer_and_no_mutant(self, edition: Path) -> None:
        for exercises in find_sets():
            blanks = {f"{name}.py": text for name, text in exercises.stubs.items()}
            graders = {path.name for pattern in GRADERS for path in exercises.folder.glob(pattern)} | {"hints.toml"}
            for place, others in (("exercises", set()), ("solutions", graders)):
                texts = {path.name: path.read_text("utf-8") for path in (edition / place / exercises.name).iterdir()}
                assert texts.keys() == blanks.keys() | others and texts.items() >= blanks.items()
        assert not any(
            is_answer(path.read_text("utf-8")) for path in edition.rglob("*.py") if path.parts[-2] != "tests"
        )
        workflow = edition / ".github" / "workflows" / "exercises.yml"
        assert workflow.read_bytes() == releasing.WORKFLOW.read_bytes()
        assert not list(edition.rglob("test_solutions*")) and not list(edition.rglob("*.kept-*"))

    @pytest.mark.slow
    def test_can_be_worked_with(self, edition: Path) -> None:
        def run(*arguments: str) -> subprocess.CompletedProcess:
            command = [sys.executable, "-B", "-m", *arguments]
            return subprocess.run(command, cwd=edition, capture_output=True, text=True, encoding="utf-8", check=False)

        assert "0 of" in run("exercises", "check").stdout
        assert "no answers" in error_line(run("exercises", "reveal", "1.1", "--give-up").stderr)
        assert "no answers" in error_line(run("solutions", "grade", "exercises").stderr)
        assert "no answers" in error_line(run("solutions", "check").stderr)
        shutil.copy(chapter_one().path_of("by_hand"), edition / "exercises" / "ch01_ngram_lm")
        assert "1 of 6 passed" in run("exercises", "check", "1").stdout

    def test_its_workflow_installs_the_course_as_our_own_checks_do(self) -> None:
        workflow = releasing.WORKFLOW.read_text(encoding="utf-8")
        own = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
        flags = "--only-binary :all: --no-binary rouge-score --constraint constraints.txt --editable"
        assert flags in workflow and flags in own

    def test_a_folder_that_exists_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
        with pytest.raises(UserError, match="exists already"):
            releasing.release(tmp_path)
        with pytest.raises(UserError, match="inside the course"):
            releasing.release(ROOT / "exercises" / "edition")

    def test_an_error_leaves_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(releasing, "FOLDERS", ("solutions",))
        monkeypatch.setattr(releasing, "WORKFLOW", tmp_path / "missing")
        with pytest.raises(UserError, match="cannot write"):
            releasing.release(tmp_path / "course")
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("test_counting.py", "def (:\n", "test_counting.py, line 1: invalid syntax"),
        ("exams.py", "x = \n", "exams.py, line 1: invalid syntax"),
        ("mutants.toml", "a =\n", "mutants.toml: "),
    ],
)
def test_mistakes_in_a_set_are_told_with_their_file(tmp_path: Path, name: str, text: str, message: str) -> None:
    exercises = chapter_one()
    copy_tree(exercises.folder, tmp_path / exercises.name)
    (tmp_path / exercises.name / name).write_text(text, encoding="utf-8")
    broken = ExerciseSet(tmp_path / exercises.name)
    with pytest.raises(UserError, match=re.escape(message)):
        _ = broken.exams if name == "exams.py" else (broken.graders, broken.mutants)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("def perplexity(log_prob, predictions): ...", ""),
        ("def perplexity(log_prob, predictions=1, base=2, *others, digits=3, **more): ...", ""),
        ("def power(x, y): ...\nperplexity = power", ""),
        ("from power import power as perplexity", ""),
        ("if __debug__:\n    def perplexity(log_prob, predictions): ...", ""),
        ("class perplexity(float): ...", ""),
        ("def perplexity(log_prob, predictions, base): ...", "line 1: perplexity must keep the arguments"),
        ("def perplexity(log_prob, predictions, *, base): ...", "line 1: perplexity must keep the arguments"),
        ("def perplexity(predictions, log_prob): ...", "line 1: perplexity must keep the arguments"),
        ("def f():\n    perplexity = abs", "there is no function perplexity"),
        ("perplexities = abs", "line 1: there is no function perplexity"),
    ],
)
def test_a_function_must_have_its_name_and_accept_its_arguments(lines: str, problem: str) -> None:
    (task,) = choose(find_sets(), "1.5")
    text = f"{lines}\ndef evaluate(log_prob, sentences, vocabulary): ..."
    found = find_problem(task, {task.file: Source("perplexity.py", text)}, Path())
    assert problem in found and bool(problem) == bool(found)
