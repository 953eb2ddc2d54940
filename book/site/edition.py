"""Which files of the course are pages of the book, and which are shown as code, in the students' and in the
instructor's edition."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path

from book.lessons import ROOT
from common.errors import UserError
from solutions.release import LEFT_OUT

PAGES = ("README.md", "RESULTS.md", "SPEED.md", "CONTRIBUTING.md", "book/**/*.md", "chapters/*/*.md",
         "data/*.md", "exercises/*.md", "tools/**/*.md")  # fmt: skip
INSTRUCTOR_PAGES = ("solutions/*.md", "solutions/*/*.md")
CODE = ("LICENSE", "CITATION.cff", "Makefile", "pyproject.toml", "book/**/*.py", "chapters/*/*.py",
        "chapters/*/figures/recorded.json", "common/**/*.py", "data/*.py", "data/registry.json", "exercises/**/*.py",
        "tests/*.py", "tools/**/*.py", "tools/dynet/patches/*", "tools/dynet/*.cmake", "tools/*.json",
        "tools/setup.sh")  # fmt: skip
SLIDES = "book/instructor/slides/"
"""Pages of another kind, which become slides."""
INSTRUCTOR_CODE = ("solutions/**/*.py", "solutions/*.yml", "solutions/*/hints.toml")


@dataclass(frozen=True)
class Edition:
    """The students' edition of the book, or the instructor's, which adds the model answers and the kit."""

    instructor: bool = False
    root: Path = ROOT

    def __post_init__(self):
        if self.instructor and not list(self.root.glob("solutions/*/answers.md")):
            raise UserError("the students' edition of the course has no answers; leave --instructor out")

    @cached_property
    def pages(self) -> list[str]:
        """The Markdown pages, by their paths in the course."""
        return self.found(PAGES + INSTRUCTOR_PAGES if self.instructor else PAGES)

    @cached_property
    def code(self) -> list[str]:
        """The files that are shown as they are, line by line."""
        return self.found(CODE + INSTRUCTOR_CODE if self.instructor else CODE)

    def found(self, patterns: tuple[str, ...]) -> list[str]:
        paths = {path.relative_to(self.root).as_posix() for pattern in patterns for path in self.root.glob(pattern)}
        return sorted(path for path in paths if (self.root / path).is_file() and not self.left_out(path))

    def left_out(self, path: str) -> bool:
        """Whether the book leaves a file out: what a student keeps, slides, and what the students' edition has not."""
        if ".kept-" in path or path.startswith(SLIDES):
            return True
        if self.instructor:
            return False
        return any(fnmatch(part, pattern) for part in path.split("/") for pattern in LEFT_OUT)

    def page_of(self, path: str) -> str | None:
        """Where the site shows a file or a folder of the course, as a document's name; None where it does not."""
        if path in self.pages:
            return document(path)
        if path in self.code:
            return f"code/{path}"
        readme = f"{path}/README.md".removeprefix("./")
        if readme in self.pages:
            return document(readme)
        inside = any(file.startswith(f"{path}/") for file in self.code)
        return "code/index" if inside else None


def document(path: str) -> str:
    """The name of the document that a Markdown page becomes: a README is the first page of its folder."""
    name = path.removesuffix(".md")
    return "index".join(name.rsplit("README", 1)) if name.split("/")[-1] == "README" else name
