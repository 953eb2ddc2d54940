"""The campaign notices when the blank of two copies is marked, or one of two works without a word."""

from __future__ import annotations

from pathlib import Path

import pytest

from solutions.grading import submission
from solutions.sets import sets_of
from tools.campaign.cases import Found
from tools.campaign.copies import COPIES, LAYOUTS, make_copies, read_copies

NAME = "counting"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a submission of each layout."""
    (one,) = sets_of([1])
    for folder, files in (("blank", one.stubs), ("done", one.answers)):
        (tmp_path / folder).mkdir()
        for name, text in files.items():
            (tmp_path / folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    make_copies(Path("blank"), Path("done"))
    return tmp_path / COPIES


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies(layout: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    read_copies(layout)
    assert "was marked" in capsys.readouterr().out
    blank, work = (place / layout / folder / f"{NAME}.py" for folder in LAYOUTS[layout])
    work.write_bytes(b"\xff")
    read_copies(layout)  # the blank is all that can be read
    blank.write_text("def f(:\n", encoding="utf-8")
    read_copies(layout)
    with monkeypatch.context() as patched:
        patched.setattr(submission, "choose", lambda found: (min(found, key=lambda one: one.attempted), []))
        with pytest.raises(Found, match="^silent: .*not the work is marked"):
            read_copies(layout)
    with monkeypatch.context() as patched:
        patched.setattr(submission, "describe", lambda one, choices: [])
        with pytest.raises(Found, match="^silent: .*and nothing is said"):
            read_copies(layout)
