"""The labs: each has the form, and what runs them says what failed."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from matplotlib.layout_engine import ConstrainedLayoutEngine

from book.labs import __main__ as program
from book.lessons import LESSONS, ROOT
from tests.programs import error_line

for package in program.NEEDED:
    pytest.importorskip(package, reason="the labs need the extra `labs`")

import nbformat  # noqa: E402

from book.labs import notebook, running  # noqa: E402

LABS = running.find()
ids = [path.stem for path in LABS]

VIEW = """# %%
from book.labs.notebook import explore, show, slider

number = slider("a number", 0, 9, 4, 1)
explore(lambda number: f"twice is {2 * number}", number=number)
"""
MOVED = (
    VIEW
    + """
# %%
still = slider("another", 0, 9, 4, 1)
explore(lambda number: f"twice is {2 * number}", number=still)

# %%
from common.errors import UserError

def refuse(number):
    raise UserError(f"no {number}")

refused = slider("a third", 0, 9, 4, 1)
explore(lambda number: refuse(number) or "never", number=refused)

# %%
number.value, refused.value = 7, 5
still.value
"""
)


def run_text(text: str, folder: Path):
    """The notebook, run, of a lab with this text."""
    path = folder / "ch00_lab.py"
    path.write_text(text, encoding="utf-8")
    return asyncio.run(running.execute_all([path]))[0]


def texts_of(cell: nbformat.NotebookNode) -> list[str]:
    """What a cell printed or displayed."""
    outputs = cell.get("outputs", [])
    return [output.get("text") or output["data"].get("text/plain") or str(output["data"]) for output in outputs]


@cache
def cells(path: Path) -> list[tuple[str, str]]:
    """The kind and the text of each cell of a lab."""
    return [(cell.cell_type, cell.source) for cell in running.notebook_of(path).cells]


def source(path: Path, kind: str) -> list[str]:
    return [text for own, text in cells(path) if own == kind]


@pytest.mark.parametrize("path", LABS, ids=ids)
def test_a_lab_has_the_form(path: Path) -> None:
    code, texts = source(path, "code"), source(path, "markdown")
    kinds = [kind for kind, _ in cells(path)]
    number = int(path.stem[2:4])
    assert texts[0].startswith(f"# Lab {number}: ")
    assert LESSONS[number - 1].removeprefix("chapters/") in texts[0]  # the lesson that it goes with
    assert code[0] == source(LABS[0], "code")[0]  # the cell that installs the course is the same everywhere
    assert 20 <= len(code) <= 45
    assert all(kinds[place - 1] == "markdown" for place, kind in enumerate(kinds) if kind == "code")
    assert max(len(cell.splitlines()) for cell in code[1:]) <= 16
    assert sum("explore(" in cell for cell in code) >= 1
    assert sum("What do you expect" in text for text in texts) >= 3
    assert sum("**Try" in text for text in texts) >= 4


def test_no_notebook_and_so_no_output_is_in_git() -> None:
    listed = subprocess.run(["git", "ls-files", "*.ipynb"], cwd=ROOT, capture_output=True, text=True)
    assert listed.stdout == ""


def test_the_first_cell_fetches_the_course_where_it_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a hosted service: clone, install, go there. At home: no command is run."""
    done = []

    def pretend(command: list, check: bool) -> None:
        done.append([str(part) for part in command])
        if command[0] == "git":
            Path(command[-1]).symlink_to(ROOT, target_is_directory=True)

    cell = source(LABS[0], "code")[0]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (written,) = re.findall(r'^REPOSITORY = "(.+)"', cell, re.M)
    assert f"git clone {written} course" in readme
    address = "https://example.org/team/course"
    monkeypatch.setattr(subprocess, "run", pretend)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    with notebook.plt.rc_context():
        monkeypatch.chdir(tmp_path)
        with pytest.raises(SystemExit, match="write its address into this cell, as REPOSITORY"):
            exec(cell.replace(written, "THIS-REPOSITORY"), {})
        exec(cell.replace(written, address), {})
        assert Path.cwd() == ROOT and sys.path[0] == str(tmp_path / "course")
        assert done[0][:2] == ["git", "clone"] and done[0][-2:] == [address, str(tmp_path / "course")]
        assert done[1][1:4] == ["-m", "pip", "install"] and done[1][-1] == str(tmp_path / "course")
        done.clear()
        monkeypatch.chdir(ROOT / "book")
        exec(cell, {})
        assert Path.cwd() == ROOT and not done


@pytest.mark.slow
def test_a_view_is_shown_once_and_follows_its_controls(tmp_path: Path) -> None:
    """And a state that is refused is said where the view was."""
    moved, still, refused, last = (texts_of(cell) for cell in run_text(MOVED, tmp_path).cells)
    assert moved == ["{'text/markdown': '*Controls, when the lab runs: a number.*'}", "twice is 14"]
    assert still[1:] == ["twice is 8"] and last == ["4"]
    assert refused[1:] == ["error: no 5"]


@pytest.mark.slow
def test_a_failing_cell_is_named_in_one_line(tmp_path: Path, monkeypatch, capsys) -> None:
    (tmp_path / "ch00_lab.py").write_text("# %%\n1\n\n# %%\nraise ValueError('two\\nlines')\n", encoding="utf-8")
    (tmp_path / "ch10_lab.py").write_text(VIEW + "\n# %%\nshow('fine')\n", encoding="utf-8")
    monkeypatch.setattr(running, "FOLDER", tmp_path)
    built = tmp_path / "build" / "labs"
    built.mkdir(parents=True)
    (built / "ch00_lab.ipynb").write_text("of an earlier run")
    monkeypatch.setattr(running, "BUILT", built)
    monkeypatch.setattr(sys, "argv", ["labs"])
    with pytest.raises(SystemExit) as stopped:
        program.main()
    assert stopped.value.code == 1
    assert capsys.readouterr().err == "error: ch00_lab, code cell 2: ValueError: two\\nlines\n"
    assert [path.name for path in built.iterdir()] == ["ch10_lab.ipynb"]
    text = (built / "ch10_lab.ipynb").read_text(encoding="utf-8")
    assert "fine" in text and "twice is 8" in text and notebook.WIDGET not in text


def ran(errors: str = "", pictures: int = running.PICTURES, last: int = 2) -> nbformat.NotebookNode:
    """A notebook of two cells as one comes back from its run."""
    pictures_of = [nbformat.v4.new_output("display_data", {"image/svg+xml": "<svg/>"}) for _ in range(pictures)]
    streams = [
        nbformat.v4.new_output("stream", name=name, text=text) for name, text in [("stdout", "so"), ("stderr", errors)]
    ]
    cells = [
        nbformat.v4.new_code_cell("show()", execution_count=1, outputs=pictures_of),
        nbformat.v4.new_code_cell("so()", execution_count=last, outputs=streams if errors else streams[:1]),
    ]
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# Lab 0"), *cells])


@pytest.mark.parametrize(
    "notebook, message",
    [
        (ran(), None),
        (ran(errors="a warning\nof old"), "ch00_lab, on standard error: a warning\\nof old"),
        (ran(pictures=4), "ch00_lab: 4 pictures, of at least 5"),
        (ran(last=3), "ch00_lab: not every cell ran once, in order"),
    ],
    ids=["fine", "noise", "pictures", "order"],
)
def test_a_check_asks_more_than_that_no_cell_fails(tmp_path: Path, monkeypatch, capsys, notebook, message) -> None:
    async def execute_all(paths: list) -> list:
        return [notebook for _ in paths]

    monkeypatch.setattr(running, "execute_all", execute_all)
    built = tmp_path / "build" / "labs"
    built.mkdir(parents=True)
    assert program.run([Path("ch00_lab.py")], built) == [] and list(built.iterdir())
    assert program.run([Path("ch00_lab.py")], built, check=True) == ([message] if message else [])
    assert bool(list(built.iterdir())) == (message is None)
    monkeypatch.setattr(running, "BUILT", built)
    for flags, status in (["ch01"], 0), (["ch01", "--check"], 1 if message else 0):
        monkeypatch.setattr(sys, "argv", ["labs", *flags])
        with pytest.raises(SystemExit) as stopped:
            program.main()
        assert stopped.value.code == status
    assert capsys.readouterr().err == (f"error: {message.replace('ch00', 'ch01')}\n" if message else "")


@pytest.mark.needs("time")
@pytest.mark.slow
def test_a_cell_that_does_not_end_is_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(running, "PATIENCE", 1)
    failure = run_text("# %%\nimport time\n\ntime.sleep(600)\n", tmp_path)
    assert str(failure) == "ch00_lab, code cell 1: took longer than 1 seconds"


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["ch77"], "there is no lab ch77; there are ch01"),
        (["ch01", "--", "--port", "8890"], "-- --port 8890: only --open starts JupyterLab"),
    ],
)
def test_what_cannot_be_done_is_one_line(flags: list[str], message: str, monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["labs", *flags])
    with pytest.raises(SystemExit) as stopped:
        program.main()
    assert stopped.value.code == 2
    assert error_line(capsys.readouterr().err).startswith(f"error: {message}")


def test_missing_packages_are_named() -> None:
    with pytest.raises(program.UserError, match=r"^no_such_package: not installed; make labs"):
        program.require("nbclient", "no_such_package")


class Jupyter:
    """In place of the process of JupyterLab: ends with the given status at once. started: the flags of each."""

    def __init__(self, status: int = 0):
        self.status, self.started = status, []

    def __call__(self, command: list[str]) -> Jupyter:
        self.started.append(command[1:])
        return self

    def wait(self) -> int:
        return self.status


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A function that opens the first lab with more flags; what JupyterLab was started with, and the exit status."""
    monkeypatch.setattr(program, "require", lambda *names: None)
    monkeypatch.setattr(running, "ROOT", tmp_path)
    monkeypatch.setattr(program.signal, "signal", lambda *_: None)

    def run(*flags: str, status: int = 0) -> tuple[list[str], int]:
        jupyter = Jupyter(status)
        monkeypatch.setattr(program.subprocess, "Popen", jupyter)
        monkeypatch.setattr(sys, "argv", ["labs", "--open", "ch01", *flags])
        with pytest.raises(SystemExit) as stopped:
            program.main()
        (started,) = jupyter.started
        return started, stopped.value.code

    return run


def test_open_keeps_what_a_student_changed(tmp_path: Path, opened) -> None:
    mine = tmp_path / "runs" / "labs" / f"{LABS[0].stem}.ipynb"
    assert opened() == (["-m", "jupyterlab", str(mine.parent)], 0)
    assert '"outputs": []' in mine.read_text(encoding="utf-8")
    mine.write_text("mine", encoding="utf-8")
    opened()
    assert mine.read_text(encoding="utf-8") == "mine"


def test_flags_go_to_jupyter_and_its_status_comes_back(opened) -> None:
    """As it refuses to start for root; -9: killed by a signal."""
    assert opened("--", "--no-browser", "--port", "8890")[0][3:] == ["--no-browser", "--port", "8890"]
    assert opened("--")[0][3:] == []
    assert [opened(status=status)[1] for status in (0, 1, 5, -9)] == [0, 1, 5, 137]


def curve(height: float) -> notebook.Figure:
    figure, axes = notebook.plt.subplots()
    axes.plot([0, 1], [0, height])
    axes.set(xlabel="x", ylim=(0, 10 if height < 10 else 1e6))
    return figure


def test_axes_stay_in_place_while_their_labels_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their places are computed once for each set of tick labels."""
    engine, placed = ConstrainedLayoutEngine, []
    place = engine.execute
    monkeypatch.setattr(engine, "execute", lambda self, figure: placed.append(figure) or place(self, figure))
    with notebook.plt.rc_context(notebook.STYLE):
        layouts: notebook.Layouts = {}
        first, same, higher = curve(4), curve(5), curve(20)
        pictures = [notebook.laid_out(figure, layouts).data for figure in (first, same, higher)]
        assert set(placed) == {first, higher} and len(set(pictures)) == 3
        places = [figure.axes[0].get_position().bounds for figure in (first, same, higher)]
        assert places[1] == pytest.approx(places[0]) != places[2]


def test_sliders_redraw_while_dragged_as_long_as_that_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([0, 0.01, 1, 1.2, 2, 2.01])
    monkeypatch.setattr(notebook, "process_time", lambda: next(seconds))
    monkeypatch.setattr(notebook, "display", lambda *_, **__: Jupyter())
    monkeypatch.setattr(Jupyter, "update", lambda self, shown: None, raising=False)
    number, text = notebook.slider("a number", 0, 9, 4, 1), notebook.words("a text", "x")
    notebook.explore(lambda number, text: f"{number}", number=number, text=text)
    followed = []
    for value in (5, 6, 7):
        number.value = value
        followed.append((number.continuous_update, text.continuous_update))
    assert followed == [(True, False), (False, False), (True, False)]
