"""`python -m exercises` in a terminal: it watches, and each key does what it says."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from exercises import __main__ as program, editor, terminal, training, watching
from exercises.terminal import QUIT
from exercises.watching import Watcher
from solutions.grading.marking import Graders
from solutions.sets import EXERCISES, ROOT, ExerciseSet, find_sets, sets_of
from tests.submissions import ANSWERS, chapter_one, with_code, write_submission

Step = str | Callable[[], object]


@pytest.fixture(scope="module")
def graders() -> Iterator[Graders]:
    with Graders([chapter_one()]) as graders:
        yield graders


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A folder with the blanks of chapter 1."""
    for name, stub in chapter_one().stubs.items():
        write_submission(tmp_path, stub, name)
    return tmp_path


class Script:
    """Keys that a test presses, one after the other, and then `q`. What is no text is done instead."""

    attached, lent, show_busy = True, staticmethod(nullcontext), staticmethod(lambda text: None)

    def __init__(self, *steps: Step):
        self.steps = iter(steps)

    def read(self, seconds: float) -> str:
        step = next(self.steps, QUIT)
        return step if isinstance(step, str) else step() and ""


@pytest.fixture
def watch(work: Path, graders: Graders, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch):
    """What is printed after each step of a script, and at first."""
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)

    def watch(*steps: Step) -> list[str]:
        printed: list[str] = []
        script = Script()
        script.steps = (printed.append(capsys.readouterr().out) or step for step in [*steps, QUIT])
        Watcher(work, [*chapter_one().tasks.values()], graders, script).run()
        return printed

    return watch


def write(work: Path, *files: str, text: str = "") -> Callable[[], str]:
    """A step: to save files of chapter 1, answers unless there is a text."""
    return lambda: str([write_submission(work, text or ANSWERS[file], file) for file in files])


def test_it_begins_where_the_student_is_and_goes_on_by_itself(watch, work: Path) -> None:
    write_submission(work, ANSWERS["by_hand"], "by_hand")
    write_submission(work, with_code("return 7"), "perplexity")
    first, wrong, right, both = watch(
        write(work, "perplexity", text=with_code("return 8")), write(work, "perplexity"), write(work, "counting")
    )
    assert first.startswith("1.2   not attempted") and "counting.py, line 14, about 10 minutes" in first
    assert "chapter 1 [###.................] 1 of 6\nh hint, n next, l list" in first
    assert "\n1.5   failed" in wrong and "probability 1/12; yours gives 8" in wrong and " 1 of 6\n" in wrong
    assert "\n1.5   passed" in right and "\n\n1.6   not attempted" in right and "kneser_ney.py, line " in right
    assert "\n1.2   passed" in both and "\n\n1.4   not attempted" in both, "1.3 is in the same file"
    assert " 4 of 6\n" in both


def test_a_refactored_exercise_is_checked_again(watch, work: Path) -> None:
    write_submission(work, ANSWERS["by_hand"], "by_hand")
    right, wrong = watch(
        write(work, "by_hand", text=ANSWERS["by_hand"] + "# tidy\n"),
        write(work, "by_hand", text=ANSWERS["by_hand"].replace("6 + 1 + 5 + 1", "11")),
    )[1:]
    assert "\n1.1   passed" in right and "\n\n1.2   not attempted" in right
    assert "\n1.1   failed" in wrong and " 0 of 6\n" in wrong


def test_hints_come_one_by_one(watch) -> None:
    hints = chapter_one().tasks["1.1"].hints
    for text, own in zip(watch("h", "H", "h", "h")[1:], [*hints, hints[-1]], strict=True):
        assert [hint for hint in hints if hint in text] == [own]


def test_next_goes_round(watch, work: Path) -> None:
    write_submission(work, ANSWERS["perplexity"], "perplexity")
    shown = [text.strip()[:3] for text in watch(*"nnnnn")]
    assert shown == ["1.1", "1.2", "1.3", "1.4", "1.6", "1.1"], "but for what passes"


def test_the_list_marks_the_exercise(watch) -> None:
    listed = watch("n", "l")[2].splitlines()
    assert listed[1].startswith(" 1 [....") and [line[:5] for line in listed if line[:1] == ">"] == ["> 1.2"]
    assert [line.split()[0] for line in listed[2:] if line[:1] == " "] == ["1.1", "1.3", "1.4", "1.5", "1.6"]


def test_reset_asks_once(watch, work: Path) -> None:
    path, mine = work / "ch01_ngram_lm" / "by_hand.py", ANSWERS["by_hand"].replace("6 + 1 + 5 + 1", "11")
    path.write_text(mine, encoding="utf-8")
    question, kept = watch("r", "n")[1:]
    assert "make 1.1 blank again?" in question and "1.1 stays as it is" in kept and path.read_text("utf-8") == mine
    assert "kept-1" in watch("r", "y")[2] and path.read_text("utf-8") == chapter_one().stubs["by_hand"]
    assert path.with_name("by_hand.py.kept-1").read_text("utf-8") == mine


def test_what_cannot_be_done_is_a_line(watch, work: Path) -> None:
    write_submission(work, "def predictions(:\n", "by_hand")
    assert "Python cannot read it" in watch("r", "y")[2]


def test_the_answer_is_shown_when_earned_or_given_up(watch, work: Path) -> None:
    asked, refused = watch("a", "n")[1:]
    assert "1.1 does not pass yet. Give up" in asked and "return" not in refused
    assert "return 6 + 1 + 5 + 1" in watch("a", "y")[2]
    assert "return 6 + 1 + 5 + 1" in watch(write(work, "by_hand"), "a")[2], "the one that has just passed"


def test_an_edition_without_answers_offers_none(watch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "is_answer", lambda text: False)
    first, after = watch("a")
    assert "a answer" not in first and after == ""


def test_open_starts_the_editor_at_the_line(watch, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, ignored = watch("o")
    assert "o open" not in first and ignored == "", "nobody has named an editor"
    called = []
    monkeypatch.setattr(editor.subprocess, "run", lambda command, check: called.append(command))
    path = str(work / "ch01_ngram_lm" / "by_hand.py")
    for name, words in [("nano -l", ["nano", "-l", "+13", path]), ("notes", ["notes", path])]:
        monkeypatch.setenv("EDITOR", name)
        assert "o open" in watch("o")[0] and called.pop() == words
    monkeypatch.setenv("VISUAL", "/opt/bin/code")
    assert watch("o") and called.pop() == ["/opt/bin/code", "--goto", f"{path}:13"]
    monkeypatch.undo()
    for wrong, reason in [(str(work / "none"), "No such file"), ("'vi", "No closing quotation")]:
        monkeypatch.setenv("VISUAL", wrong)
        assert f"{wrong}: {reason}" in watch("o")[1]


def test_when_all_pass_a_training_is_offered(watch, work: Path) -> None:
    for file in {*ANSWERS} - {"by_hand"}:
        write_submission(work, ANSWERS[file], file)
    first, last = watch(write(work, "by_hand"))
    assert "t train" not in first
    assert "\n1.1   passed" in last and "Chapter 1 is complete: press t to train its model" in last
    assert "all exercises pass" in last and "6 of 6\n" in last and "t train" in last


@pytest.mark.slow
def test_training_with_ones_own_code_names_the_picture(
    watch, work: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COURSE_RUNS", str(tmp_path / "runs"))
    for file, text in ANSWERS.items():
        write_submission(work, text, file)
    text = watch("t")[1]
    command = f"python chapters/01_ngram_lm/train.py --smoothing all --from {work}"
    picture = tmp_path / "runs" / "01_ngram_lm" / "001" / "perplexity_by_order.png"
    assert command in text and f"the picture of it: {picture}\n" in text and picture.is_file()


@pytest.mark.parametrize("exercises", find_sets(), ids=lambda exercises: exercises.name)
def test_every_chapter_ends_with_a_training(exercises: ExerciseSet) -> None:
    offer, words = training.offer(exercises, EXERCISES), training.training_of(exercises, EXERCISES)
    assert (ROOT / words[0]).is_file() and offer.startswith(f"Chapter {exercises.chapter} is complete")
    if exercises.chapter == 3:
        assert offer.endswith("uses none of its exercises; without them: python chapters/03_neural_networks/train.py")
    else:
        assert "press t" in offer and words[-2:] == ["--from", "exercises"]


def test_without_a_terminal_the_command_watches_all_the_same(
    work: Path, graders: Graders, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = iter(range(4))

    def wait(keys: terminal.Keys, seconds: float) -> str:
        number = next(rounds)
        if number == 1:
            write_submission(work, ANSWERS["by_hand"], "by_hand")
        elif number == 3:
            raise KeyboardInterrupt
        return ""

    monkeypatch.setattr(terminal.Keys, "read", wait)
    monkeypatch.setattr(watching, "find_sets", lambda: sets_of([1]))
    monkeypatch.setattr(watching, "Graders", lambda sets: nullcontext(graders))
    monkeypatch.setattr(sys, "argv", ["exercises", "--in", str(work), "watch"])
    with pytest.raises(SystemExit) as stopped:
        program.main()
    first, second = capsys.readouterr().out.split("--- ")[1:]
    assert stopped.value.code == 130 and "\x1b" not in first + second
    assert "next: " in first and "1.2   not attempted" in second
    assert "quit" not in first, "no keys"


EDITOR = """
import sys, termios, time
print("lines" if termios.tcgetattr(0)[3] & termios.ICANON else "keys", "in", sys.argv[-1])
while True:
    time.sleep(0.01)
"""
"""Waits for Ctrl-C. Reading would not do: a signal just before the system's read is noticed only when the read ends."""


class TestInATerminal:
    """The program itself, in a pseudo-terminal."""

    @pytest.fixture(autouse=True)
    def terminals(self) -> None:
        self.terminals = pytest.importorskip("tests.terminals", exc_type=ImportError)

    @pytest.mark.needs("time")
    def test_from_the_start_to_the_end(self, work: Path, tmp_path: Path) -> None:
        (tmp_path / "editor.py").write_text(EDITOR, encoding="utf-8")
        names_editor = {"VISUAL": shlex.join([sys.executable, str(tmp_path / "editor.py")])}
        with self.terminals.Terminal("-m", "exercises", "--in", work, **names_editor) as student:
            first = student.wait_for("q quit\n")
            assert "1.1   not attempted" in first and "by_hand.py, line 13" in first and "in all [..." in first
            student.type("o")
            student.wait_for("lines in ")
            student.type("\x03")
            student.wait_for("KeyboardInterrupt")
            student.type("h")
            student.wait_for(chapter_one().tasks["1.1"].hints[0][-20:])
            write_submission(work, ANSWERS["by_hand"], "by_hand")
            passed = student.wait_for("q quit\n")
            assert "1.1   passed" in passed and "1.2   not attempted" in passed and "1 of 6, in all" in passed
            assert "\x1b[32mpassed" in student.raw, "green"
            assert not student.is_as_before()
            student.type("q")
            assert student.wait() == 0 and student.is_as_before()

    def test_ctrl_c_ends_it_and_no_color_has_no_codes(self, work: Path) -> None:
        with self.terminals.Terminal("-m", "exercises", "--in", work, "watch", "1", NO_COLOR="1") as student:
            student.wait_for("q quit\n")
            student.type("\x03")
            student.wait_for("interrupted")
            assert student.wait() == 130 and student.is_as_before() and "\x1b" not in student.raw

    def test_a_closed_terminal_leaves_no_temporary_folder(self, work: Path, tmp_path: Path) -> None:
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        with self.terminals.Terminal("-m", "exercises", "--in", work, "watch", "1", TMPDIR=str(temporary)) as student:
            student.wait_for("q quit\n")
            assert [*temporary.iterdir()]
            student.hang_up()
            assert student.wait() in (0, -signal.SIGHUP) and not [*temporary.iterdir()]


def test_on_windows_the_console_has_the_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """An arrow, which is two keys, is none; Ctrl-C may come as a key."""
    pressed = [*"h\xe0H\x03"]
    console = SimpleNamespace(kbhit=lambda: bool(pressed), getwch=lambda: pressed.pop(0))
    monkeypatch.setattr(terminal, "os", SimpleNamespace(name="nt"))
    monkeypatch.setattr(terminal, "msvcrt", console, raising=False)
    monkeypatch.setattr(terminal, "is_attached", lambda: True)
    with terminal.Keys() as keys:
        assert [keys.read(0) for _ in range(4)] == ["h", "", QUIT, ""]
