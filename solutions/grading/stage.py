"""A copy of the course for students' processes: without answers, and either with graders or with exams.

It is what a process in bubblewrap sees of this repository. Before each student it is compared with what it was.
"""

from __future__ import annotations

import hashlib

from solutions.grading.scratch import make_folder, name_folder, remove_folder
from solutions.sets import ROOT, ExerciseSet

MACHINERY = ("__init__.py", "checks.py", "diagnosis.py", "public_exam.py", "sets.py", "stubs.py", "grading/*.py")


class Stage:
    """A folder of its own, to be closed in the end. patterns: of the files of graders, or of exams, in a set."""

    def __init__(self, sets: list[ExerciseSet], patterns: tuple[str, ...]):
        self.texts: dict[str, bytes] = {}
        for pattern_of in ("common/**/*.py", "chapters/**/*.py", *(f"solutions/{name}" for name in MACHINERY)):
            for path in ROOT.glob(pattern_of):
                self.texts[path.relative_to(ROOT).as_posix()] = path.read_bytes()
        for exercises in sets:
            for path in (path for pattern in patterns for path in exercises.folder.glob(pattern)):
                self.texts[f"solutions/{exercises.name}/{path.name}"] = path.read_bytes()
        self.digests = {name: hashlib.sha256(text).digest() for name, text in self.texts.items()}
        self.folder = name_folder("course")
        try:
            make_folder(self.folder)
            self.write(self.texts)
        except BaseException:
            self.close()
            raise

    def write(self, names) -> None:
        for name in names:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.texts[name])
        self.folder.chmod(0o755)

    def restore(self) -> list[str]:
        """The files that were changed, removed or added since; they are put right."""
        there = {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if not path.is_dir()}
        wrong = sorted(there - self.texts.keys())
        for name in wrong:
            (self.folder / name).unlink(missing_ok=True)
        for name, digest in self.digests.items():
            path = self.folder / name
            if path.is_symlink() or not path.is_file() or hashlib.sha256(path.read_bytes()).digest() != digest:
                wrong.append(name)
                if path.is_symlink() or path.exists():
                    path.unlink()
                self.write([name])
        return wrong

    def close(self) -> None:
        remove_folder(self.folder)
