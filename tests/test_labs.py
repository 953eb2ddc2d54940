"""The labs: each runs from its first cell to its last and has the form; what runs them says what failed."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from book.labs import __main__ as program
from book.lessons import LESSONS, ROOT
from tests.programs import error_line

for package in program.NEEDED:
    pytest.importorskip(package, reason="the labs need the extra `labs`")

from book.labs import notebook, running  # noqa: E402

LABS = running.find()
ids = [path.stem for path in LABS]

TINY = """# %%
from book.labs.notebook import explore, show, slider

number = slider("a number", 0, 9, 4, 1)
explore(lambda number: f"twice is {2 * number}", number=number)

# %%
LINE
"""


def run_text(text: str, folder: Path):
    """The notebook, run, of a lab with this text."""
    path = folder / "ch00_lab.py"
    path.write_text(text, encoding="utf-8")
    return asyncio.run(running.execute_all([path]))[0]


def outputs_of(found) -> list[str]:
    """All texts that the cells printed or displayed."""
    outputs = [output for cell in found.cells for output in cell.get("outputs", [])]
    return [output.get("text") or output["data"].get("text/plain") or str(output["data"]) for output in outputs]


def source(path: Path, kind: str) -> list[str]:
    return [cell.source for cell in running.notebook_of(path).cells if cell.cell_type == kind]


@pytest.mark.parametrize("path", LABS, ids=ids)
def test_a_lab_runs_from_the_first_cell_to_the_last(path: Path) -> None:
    (found,) = asyncio.run(running.execute_all([path]))
    assert not isinstance(found, running.LabError), found
    code = [cell for cell in found.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    pictures = sum("image/svg+xml" in output.get("data", {}) for cell in code for output in cell.outputs)
    assert pictures >= 5
    noise = [output.text for cell in code for output in cell.outputs if output.get("name") == "stderr"]
    assert not noise


@pytest.mark.parametrize("path", LABS, ids=ids)
def test_a_lab_has_the_form(path: Path) -> None:
    code, texts = source(path, "code"), source(path, "markdown")
    kinds = [cell.cell_type for cell in running.notebook_of(path).cells]
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
    (address,) = re.findall(r'^REPOSITORY = "(.+)"', cell, re.M)
    assert f"git clone {address} course" in readme
    monkeypatch.setattr(subprocess, "run", pretend)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    with notebook.plt.rc_context():
        monkeypatch.chdir(tmp_path)
        exec(cell, {})
        assert Path.cwd() == ROOT and sys.path[0] == str(tmp_path / "course")
        assert done[0][:2] == ["git", "clone"] and done[0][-2:] == [address, str(tmp_path / "course")]
        assert done[1][1:4] == ["-m", "pip", "install"] and done[1][-1] == str(tmp_path / "course")
        done.clear()
        monkeypatch.chdir(ROOT / "book")
        exec(cell, {})
        assert Path.cwd() == ROOT and not done


def test_a_view_is_shown_once_and_follows_its_controls(tmp_path: Path) -> None:
    found = run_text(TINY.replace("LINE", "number.value = 7"), tmp_path)
    assert outputs_of(found) == ["{'text/markdown': '*Controls, when the lab runs: a number.*'}", "twice is 14"]
    still = run_text(TINY.replace("LINE", "number.value"), tmp_path)
    assert outputs_of(still)[1:] == ["twice is 8", "4"]


def test_a_refused_state_is_said_where_the_view_was(tmp_path: Path) -> None:
    refuse = "from common.errors import UserError\n\ndef refuse(number):\n    raise UserError(f'no {number}')\n\n"
    text = "# %%\n" + refuse + TINY.partition("# %%\n")[2].replace("lambda number:", "lambda number: refuse(number) or")
    assert outputs_of(run_text(text.replace("LINE", "number.value = 5"), tmp_path))[1:] == ["error: no 5"]


def test_a_failing_cell_is_named_in_one_line(tmp_path: Path, monkeypatch, capsys) -> None:
    (tmp_path / "ch00_lab.py").write_text(TINY.replace("LINE", "raise ValueError('two\\nlines')"), encoding="utf-8")
    (tmp_path / "ch10_lab.py").write_text(TINY.replace("LINE", "show('fine')"), encoding="utf-8")
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


def test_a_cell_that_does_not_end_is_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(running, "PATIENCE", 1)
    found = run_text("# %%\nimport time\n\ntime.sleep(60)\n", tmp_path)
    assert str(found) == "ch00_lab, code cell 1: took longer than 1 seconds"


def test_what_is_missing_is_one_line(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["labs", "ch77"])
    with pytest.raises(SystemExit) as stopped:
        program.main()
    assert stopped.value.code == 2
    assert error_line(capsys.readouterr().err).startswith("error: there is no lab ch77; there are ch01")
    with pytest.raises(program.UserError, match=r"^no_such_package: not installed; make labs"):
        program.require("nbclient", "no_such_package")


def test_open_keeps_what_a_student_changed(tmp_path: Path, monkeypatch) -> None:
    started = []
    monkeypatch.setattr(program.subprocess, "run", lambda command, check: started.append(command[1:3]))
    monkeypatch.setattr(running, "ROOT", tmp_path)
    program.open_labs(LABS[:1])
    mine = tmp_path / "runs" / "labs" / f"{LABS[0].stem}.ipynb"
    assert '"outputs": []' in mine.read_text(encoding="utf-8")
    mine.write_text("mine", encoding="utf-8")
    program.open_labs(LABS[:1])
    assert mine.read_text(encoding="utf-8") == "mine" and started == [["-m", "jupyterlab"]] * 2
