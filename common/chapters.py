"""Loading files of the chapters, whose folders begin with digits, so that `import` cannot name them."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from common.errors import UserError
from common.evaluation import LanguageModel
from common.runs import read_config

CHAPTERS = Path(__file__).resolve().parents[1] / "chapters"


def load_trained(folder: Path) -> tuple[LanguageModel, Any]:
    """The best model of a run of any chapter, and its settings. Raises `UserError` where there is none."""
    chapter = str(read_config(folder)["chapter"])
    if not (CHAPTERS / chapter / "trained.py").is_file():
        raise UserError(f"{folder}: a run of {chapter!r}, which is no chapter whose models can be loaded")
    module = load_chapter_module(chapter, "trained")
    with neighbours_importable(chapter):  # for what the module imports when it is called
        return module.load_model(folder)


def load_chapter_module(folder: str, name: str) -> ModuleType:
    """Import `chapters/<folder>/<name>.py`, once, as the module `chapter_<folder>_<name>`.

    Every chapter has a `model.py` and a `train.py`; under these long names they can be loaded side by side.
    A file that imports its neighbour (`from model import ...`) gets its own chapter's.
    """
    unique = f"chapter_{folder}_{name}"
    if unique in sys.modules:
        return sys.modules[unique]
    spec = importlib.util.spec_from_file_location(unique, CHAPTERS / folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[unique] = module  # before it runs: a dataclass looks its own module up
    try:
        with neighbours_importable(folder):
            spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[unique]
        raise
    return module


@contextmanager
def neighbours_importable(folder: str) -> Iterator[None]:
    """Let `import model` mean this chapter's model while the body runs, and nothing afterwards."""
    finder = NeighbourFinder(folder)
    hidden = {name: sys.modules.pop(name) for name in finder.names if name in sys.modules}
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in finder.names:
            sys.modules.pop(name, None)
        sys.modules.update(hidden)


class NeighbourFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers `import model` with the module that `load_chapter_module` returns for it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.names = {path.stem for path in (CHAPTERS / folder).glob("*.py")}

    def find_spec(self, fullname, path=None, target=None):
        return importlib.machinery.ModuleSpec(fullname, self) if fullname in self.names else None

    def create_module(self, spec):
        module = load_chapter_module(self.folder, spec.name)
        self.own_spec = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self.own_spec  # it has run already; only the import machinery's label is put back
