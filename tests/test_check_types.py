"""The types of common/ and chapters/ are checked, and a mistake is reported with the name of its file."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import pytest

from tools.check_types import ROOT, check

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("mypy"), reason="mypy is not installed")


def test_a_mistake_has_the_name_of_its_file(tmp_path: Path) -> None:
    """A chapter's module is imported by another one, and its function is called with an argument of the wrong type."""
    root = tmp_path / "course"
    for path, text in {
        "common/__init__.py": "",
        "chapters/06_lm/model.py": "def double(number: int) -> int:\n    return 2 * number\n",
        "chapters/06_lm/train.py": 'from .model import double\n\nprint(double("six"))\n',
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    shutil.copy(ROOT / "pyproject.toml", root)
    status, report = check(root, tmp_path / "copy")
    assert status == 1 and report.startswith("chapters/06_lm/train.py:3: error: Argument 1 to")
    (root / "chapters/06_lm/train.py").write_text("from .model import double\n\nprint(double(6))\n", "utf-8")
    assert check(root, tmp_path / "copy")[0] == 0
