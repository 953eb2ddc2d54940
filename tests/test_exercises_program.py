"""`python -m exercises`, as a student uses it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.errors import UserError
from exercises import __main__ as program, commands
from exercises.questions import model_answers
from solutions.grading.marking import Graders
from solutions.grading.running import grade
from solutions.sets import ExerciseSet, find_sets, sets_of
from solutions.stubs import mutate
from tests.programs import error_line
from tests.submissions import LINE, chapter_one, with_code, without_marks, write_submission


@pytest.fixture(scope="module")
def graders() -> Iterator[Graders]:
    """One server for all these tests."""
    with Graders([chapter_one()]) as graders:
        yield graders


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, graders: Graders) -> Path:
    """A folder with the blanks of chapter 1, which is the only one for these tests."""
    exercises = chapter_one()
    monkeypatch.setattr(commands, "find_sets", lambda: [exercises])
    monkeypatch.setattr(commands, "grade", lambda *arguments, **_: grade(*arguments, graders=graders))
    for name, stub in exercises.stubs.items():
        write_submission(tmp_path, stub, name)
    return tmp_path


def call(
    work: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> tuple[int, str]:
    """Status and output of a command."""
    monkeypatch.setattr(sys, "argv", ["exercises", "--in", str(work), *arguments])
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        program.main()
    printed = capsys.readouterr()
    return stopped.value.code, printed.out + printed.err


@pytest.fixture
def run(work: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch):
    return lambda *arguments: call(work, capsys, monkeypatch, *arguments)


def path_of(work: Path, file: str) -> Path:
    return work / "ch01_ngram_lm" / f"{file}.py"


def test_without_a_command_everything_is_on_one_screen(run, work: Path) -> None:
    for name in ("by_hand", "perplexity"):
        write_submission(work, chapter_one().answers[name], name)
    status, text = run()
    bars, following, listed = text.split("\n\n")
    assert status == 0 and bars.startswith(" 1 [######..............]  2 of  6,   4 of  15 points")
    assert following.startswith("1.2   not attempted") and "counting.py, line" in following
    assert [line.split()[3] for line in listed.splitlines()] == [*program.COMMANDS]
    others = len(find_sets()) - 1
    assert len(text.splitlines()) + others <= 24 and max(map(len, f"{bars}\n{listed}".splitlines())) <= 120
    write_submission(work, chapter_one().stubs["by_hand"].replace("raise", "return 1\n    raise", 1), "by_hand")
    status, text = run()
    assert status == 1 and "\n1.1   failed" in text, "what is wrong comes first"


def test_next_shows_one_failing_check_only(run, work: Path) -> None:
    answer = chapter_one().answers["by_hand"]
    wrong = mutate(mutate(answer, "6 + 1 + 5 + 1", "11", ""), "return 2 / 3", "return 1 / 2", "")
    write_submission(work, wrong, "by_hand")
    status, text = run("next")
    assert status == 1 and "yours gives 11" in text and "yours gives 0.5" not in text
    assert "13" not in text.replace("line 13", "").replace(str(work), ""), "a message must not tell the answer"


def test_next_ends(run, work: Path) -> None:
    for name, answer in chapter_one().answers.items():
        write_submission(work, answer, name)
    status, text = run("next")
    assert (status, text) == (0, "all exercises pass: nothing is left to do\n")
    assert f"15 points  n-gram language models\n\n{text}\npython -m exercises next" in run()[1]


def test_check_tells_what_is_wrong(run, work: Path) -> None:
    write_submission(work, with_code("print('a look')\nreturn 7"), "perplexity")
    status, text = run("check", "1.5")
    assert status == 1 and "probability 1/12; yours gives 7" in text and "| a look" in text
    assert "test_a_uniform_model_has_the_size_of_its_vocabulary in solutions/ch01_ngram_lm/test_perplexity.py" in text


def write_into(path: Path, function: str, body: str) -> None:
    """Write a function's body in place of the two lines of its blank, as a student does."""
    text = path.read_text(encoding="utf-8")
    start = text.index("    # TODO", text.index(f"def {function}("))
    end = text.index("\n", text.index("raise NotImplementedError", start))
    path.write_text(text[:start] + f"    {body}" + text[end:], encoding="utf-8")


def line_in(path: Path, function: str) -> int:
    return path.read_text(encoding="utf-8").partition(f"def {function}(")[0].count("\n") + 1


class TestInsideAnExercise:
    """What a student reads between the first function of an exercise and the last."""

    def test_the_first_of_several_functions(self, run, work: Path) -> None:
        path = path_of(work, "by_hand")
        write_into(path, "predictions", "return 13.0")
        status, text = run("check", "1.1")
        goat = f"next: probability_of_goat, line {line_in(path, 'probability_of_goat')}"
        assert status == 0 and text.startswith("1.1   begun") and f"1 of 6 functions right; {goat}" in text
        assert "0 of 1 passed, 1 begun, 0 not attempted" in text
        _, text = run("next")
        assert f"by_hand.py, line {line_in(path, 'probability_of_goat')}, about" in text

    def test_a_mistake_in_a_later_function_is_told_before_blanks(self, run, work: Path) -> None:
        path = path_of(work, "by_hand")
        write_into(path, "predictions", "return 13")
        write_into(path, "how_many_sentences", "return words**vocabulary_size")
        status, text = run("check", "1.1")
        assert status == 1 and "      in how_many_sentences: Which is the base and" in text and "yours gives " in text
        line = line_in(path, "how_many_sentences")
        assert f"1 of 6 functions right; next: how_many_sentences, line {line}" in text

    def test_a_mistake_that_only_drawn_inputs_show_is_in_the_function_that_was_called(self, run, work: Path) -> None:
        path = path_of(work, "perplexity")
        write_into(path, "perplexity", "return math.exp(min(-log_prob / predictions, 300))")
        status, text = run("check", "1.5")
        assert status == 1 and "      in perplexity: the perplexity of what is nearly impossible: expected inf" in text
        assert "the input is perplexity(-1000000.0, " in text and "public exam of 1.5 in solutions/" in text

    def test_what_calls_a_blank_is_neither_right_nor_wrong(self, run, work: Path) -> None:
        path = path_of(work, "counting")
        write_into(path, "sentence_log_prob", "return math.log(maximum_likelihood(bigrams, (START,), END))")
        status, text = run("check", "1.3")
        assert status == 0 and "0 of 2 functions right; next: maximum_likelihood, line" in text
        write_into(path, "maximum_likelihood", "return 0.5")
        status, text = run("check", "1.3")
        assert status == 1 and "      in maximum_likelihood: P(c | a b)" in text

    def test_statements_before_the_raise_are_no_attempt(self, run, work: Path) -> None:
        path = path_of(work, "perplexity")
        text = path.read_text(encoding="utf-8")
        path.write_text(
            text.replace("    # TODO", "    mean = log_prob / predictions\n    # TODO", 1), encoding="utf-8"
        )
        status, text = run("check", "1.5")
        assert status == 0 and text.startswith("1.5   not attempted")

    def test_a_raise_that_was_forgotten(self, run, work: Path) -> None:
        path = path_of(work, "interpolation")
        text = path.read_text(encoding="utf-8")
        path.write_text(text + "    return 1 / vocabulary_size\n", encoding="utf-8")
        line = text[: text.index("raise NotImplementedError")].count("\n") + 1
        status, text = run("check", "1.4")
        assert status == 1 and f"interpolation.py, line {line}: the line `raise NotImplementedError` is still" in text

    def test_what_is_printed_is_shown_on_success_too(self, run, work: Path) -> None:
        write_submission(work, with_code("print('a look')"), "perplexity")
        status, text = run("check", "1.5")
        assert status == 0 and text.startswith("1.5   passed") and "it printed:\n      | a look\n" in text
        write_submission(work, with_code("for number in range(99):\n    print(number)"), "perplexity")
        assert "| 19\n" in (text := run("check", "1.5")[1]) and "| 20\n" not in text and "more lines" in text


@pytest.mark.slow
def test_a_mistake_in_an_earlier_exercise_is_looked_for_there(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (four,) = sets_of([4])
    monkeypatch.setattr(commands, "find_sets", lambda: [four])
    folder = tmp_path / four.name
    folder.mkdir()
    for name, text in four.answers.items():
        text = without_marks(text).replace("return np.stack([padded", "return np.stack([0 * padded")
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    _, text = call(tmp_path, capsys, monkeypatch, "check", "4.4")
    assert "(it uses exercise 4.2, which does not pass yet: begin there)" in text and "functions right" not in text
    (folder / "windows.py").write_text(four.stubs["windows"], encoding="utf-8")
    _, text = call(tmp_path, capsys, monkeypatch, "check", "4.4")
    assert "needs exercise 4.2, which is still to be written\n" in text


def test_check_of_what_passes_and_of_what_is_blank(run, work: Path) -> None:
    write_submission(work, chapter_one().answers["perplexity"], "perplexity")
    status, text = run("check")
    assert status == 0 and "1 of 6 passed, 5 not attempted" in text and "1.2" not in text
    status, text = run("check", "1")
    assert status == 0 and "1.2   not attempted" in text


def test_progress_has_columns(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Whatever the titles are, and with two digits as with one."""
    commands.progress(tmp_path)
    rows = capsys.readouterr().out.splitlines()[:-1]
    assert [int(row[:2]) for row in rows] == [exercises.chapter for exercises in find_sets()]
    for mark in ("[", "]", " of ", " points"):
        assert len({row.index(mark) for row in rows}) == 1, mark
    assert [row.partition(" points  ")[2] for row in rows] == [exercises.title for exercises in find_sets()]


def test_hints_come_one_by_one(run) -> None:
    hints = chapter_one().tasks["1.5"].hints
    for level, hint in enumerate(hints, start=1):
        _, text = run("hint", "1.5", *([str(level)] if level > 1 else []))
        assert hint in text and not any(other in text for other in hints if other != hint)


def test_the_answer_is_shown_when_earned_or_given_up(run, work: Path) -> None:
    status, text = run("reveal", "1.5")
    assert status == 2 and "not attempted" in error_line(text) and "math.exp" not in text
    status, text = run("reveal", "1.5", "--give-up")
    assert status == 0 and LINE in text and "SOLUTION" not in text and "def evaluate" in text
    write_submission(work, chapter_one().answers["perplexity"], "perplexity")
    assert run("reveal", "1.5") == (0, text)


def test_a_model_answer_is_shown_after_ones_own_or_given_up(run, work: Path) -> None:
    status, text = run("answers", "1")
    assert status == 0 and " 1 open     How many sentences\n" in text and "1153^T" not in text
    status, text = run("answers", "1", "2")
    assert status == 2 and "first write your own answer to question 2" in error_line(text)
    own = path_of(work, "counting").with_name("answers.md")
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("## 1\n\n## 2 parameters\nV^n\n", encoding="utf-8")
    status, text = run("answers", "1", "2")
    assert status == 0 and "different n-grams" in text and "A patchwork" not in text and "1153^T" not in text
    assert " 1 open " in run("answers", "1")[1] and " 2 answered " in run("answers", "1")[1]
    assert run("answers", "1", "1")[0] == 2, "there is no answer below the line ## 1"
    assert run("answers", "1", "2", "--give-up") == (0, text)
    assert "1153^T" in run("answers", "1", "1", "--give-up")[1]


def test_without_model_answers_one_line_says_so(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="this edition of the course has no model answers"):
        model_answers(ExerciseSet(tmp_path / "ch01_ngram_lm"))


@pytest.mark.parametrize("exercises", find_sets(), ids=lambda exercises: exercises.name)
def test_every_chapter_has_model_answers_with_titles(exercises: ExerciseSet) -> None:
    answers = model_answers(exercises)
    assert len(answers) >= 4 and all(answer.title and answer.text for answer in answers)


def test_reset_makes_one_exercise_blank_and_keeps_the_work(run, work: Path) -> None:
    path, stub = path_of(work, "counting"), chapter_one().stubs["counting"]
    mine = without_marks(chapter_one().answers["counting"]).replace("START, END =", "# a note of mine\nSTART, END =")
    path.write_text(mine, encoding="utf-8")
    status, text = run("reset", "1.2")
    assert status == 0 and "counting.py.kept-1" in text
    assert path.with_name("counting.py.kept-1").read_text(encoding="utf-8") == mine
    now = path.read_text(encoding="utf-8")
    assert 'NotImplementedError("Exercise 1.2' in now and "# a note of mine" in now
    assert "math.log(probability)" in now, "the other exercise of the file stays"
    run("reset", "1.3")
    assert path.with_name("counting.py.kept-2").read_text(encoding="utf-8") == now
    assert path.read_text(encoding="utf-8").replace("# a note of mine\n", "") == stub


@pytest.mark.parametrize("strange", ["\u2028", "\x0c", "\x85"])
def test_reset_counts_lines_as_python_does(run, work: Path, strange: str) -> None:
    """A letter that other programs take for the end of a line, and a mark of Windows at the beginning of the file."""
    path, stub = path_of(work, "counting"), chapter_one().stubs["counting"]
    mine = without_marks(chapter_one().answers["counting"])
    path.write_text(f"\ufeff# mine {strange * 6}\n{mine}", encoding="utf-8")
    assert run("reset", "1.3")[0] == run("reset", "1.2")[0] == 0
    assert path.read_text(encoding="utf-8").partition("\n")[2] == stub


def test_reset_of_a_blank_writes_nothing(run, work: Path) -> None:
    before = sorted(work.rglob("*"))
    assert run("reset", "1.2")[0] == 0
    assert sorted(work.rglob("*")) == before


def test_reset_of_a_broken_file(run, work: Path) -> None:
    path = path_of(work, "counting")
    path.write_text("def count_ngrams(:\n", encoding="utf-8")
    status, text = run("reset", "1.2")
    assert status == 2 and "reset 1.2 --file" in error_line(text)
    assert path.read_text(encoding="utf-8") == "def count_ngrams(:\n"
    assert run("reset", "1.2", "--file")[0] == 0
    assert path.read_text(encoding="utf-8") == chapter_one().stubs["counting"]
    assert path.with_name("counting.py.kept-1").read_text(encoding="utf-8") == "def count_ngrams(:\n"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("check 99", "no exercise 99"),
        ("hint 1", "1 is a chapter"),
        ("hint 1.1 4", "invalid choice"),
        ("answers 99", "no exercises of chapter 99"),
        ("answers 1 77", "chapter 1 has questions 1 to 8, but no question 77"),
    ],
)
def test_bad_arguments_get_one_line(run, command: str, message: str) -> None:
    status, text = run(*command.split())
    assert status == 2 and message in error_line(text)


def test_every_task_has_a_place_in_a_fresh_clone() -> None:
    for exercises in find_sets():
        for task in exercises.tasks.values():
            for function in task.functions:
                assert "line" in program.commands.place_of(Path(program.EXERCISES), task, function)
