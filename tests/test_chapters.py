"""The loader keeps chapters apart."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from common import chapters as loader

MODEL = """from __future__ import annotations
from dataclasses import dataclass
@dataclass
class Settings:
    chapter: str = "{name}"
"""


@pytest.fixture
def chapters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("01_one", "02_two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.py").write_text(MODEL.format(name=name), encoding="utf-8")
        (tmp_path / name / "train.py").write_text("from model import Settings\n", encoding="utf-8")
    monkeypatch.setattr(loader, "CHAPTERS", tmp_path)
    yield tmp_path
    for module in [module for module in sys.modules if module.startswith(("chapter_01_one", "chapter_02_two"))]:
        del sys.modules[module]


def test_each_program_imports_its_own_neighbour(chapters: Path) -> None:
    for name in ("01_one", "02_two"):
        train = loader.load_chapter_module(name, "train")
        assert train.Settings().chapter == name
        assert train.Settings is loader.load_chapter_module(name, "model").Settings
        assert train.Settings.__module__ == f"chapter_{name}_model"
    assert "model" not in sys.modules and "train" not in sys.modules


def test_a_file_that_fails_leaves_nothing_behind(chapters: Path) -> None:
    broken = chapters / "01_one" / "model.py"
    broken.write_text("raise ValueError('broken')\n", encoding="utf-8")
    with pytest.raises(ValueError, match="broken"):
        loader.load_chapter_module("01_one", "train")
    assert not any(name.startswith("chapter_01_one") for name in sys.modules)
    broken.write_text(MODEL.format(name="mended"), encoding="utf-8")
    assert loader.load_chapter_module("01_one", "train").Settings().chapter == "mended"
