"""The cells of a lesson: Python between ```python fences, run from the top of the page to its end in one namespace.

A cell that prints, or ends in an expression, has its output below it, written by `python -m book.lessons --write`:

    <!-- output -->
    what it shows
    <!-- end output -->

A number in the text may carry the expression that it is, as in `0.454<!-- = weights[0] -->`; an expression of several
numbers stands behind the last of them: `0.9, 0.2<!-- = h[0] -->`. A comment that begins `<!-- run` is a cell that the
page does not show. Code in the marks of an excerpt belongs to a file of the course and is not run.
"""

from __future__ import annotations

import ast
import io
import re
import traceback
from collections import ChainMap
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, redirect_stdout
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np

from book.lessons import PAGES, read
from book.tables import Table
from common.errors import UserError

PIECE = re.compile(
    r"(?P<excerpt><!-- excerpt: .*?<!-- end excerpt -->)"
    r"|(?P<cell>^```python\n(?P<code>.*?)^```\n)"
    r"|(?P<fence>^```.*?^```$)"
    r"|(?P<hidden>^<!-- run\n(?P<run>.*?)^-->\n)"
    r"|(?P<output>\n*^<!-- output -->\n(?P<shown>.*?)^<!-- end output -->\n)"
    r"|(?P<mark><!-- = (?P<expression>.*?) -->)",
    re.MULTILINE | re.DOTALL,
)
INNER = {"cell": "code", "hidden": "run", "output": "shown", "mark": "expression"}


class Piece(NamedTuple):
    """A part of a page. kind: "text", "cell", "hidden", "output", "mark", "excerpt" or "fence"; code: what is run."""

    kind: str
    text: str
    code: str
    line: int


def pieces(text: str) -> Iterator[Piece]:
    """The page cut into its pieces, which together are the page. line: where the code of a piece begins, from 1."""
    end = 0
    for match in PIECE.finditer(text):
        if match.start() > end:
            yield Piece("text", text[end : match.start()], "", text.count("\n", 0, end) + 1)
        kind = match.lastgroup
        inner = INNER.get(kind, kind)
        yield Piece(kind, match[0], match[inner], text.count("\n", 0, match.start(inner)) + 1)
        end = match.end()
    yield Piece("text", text[end:], "", text.count("\n", 0, end) + 1)


def run(piece: Piece, page: str, namespace: dict) -> str:
    """Run a cell and return its output as Markdown, "" where it has none. Raises `UserError` with page and line."""
    with failures(page, piece), redirect_stdout(io.StringIO()) as printed:
        body = parsed(piece.code, page, piece.line).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), page, "exec"), namespace)
        value = eval(compile(ast.Expression(last.value), page, "eval"), namespace) if last else None
    text = printed.getvalue() + ("" if value is None or isinstance(value, Table) else shown(value) + "\n")
    return (f"```text\n{text}```\n" if text else "") + (f"{value}\n" if isinstance(value, Table) else "")


def assigned(code: str) -> set[str]:
    """The names that a cell gives a value: variables and functions."""
    nodes = list(ast.walk(ast.parse(code)))
    variables = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    return variables | {node.name for node in nodes if isinstance(node, ast.FunctionDef)}


def value_of(piece: Piece, page: str, namespace: dict) -> object:
    """The value of a mark's expression. Raises `UserError` with page and line."""
    with failures(page, piece):
        return eval(compile(parsed(f"({piece.code})", page, piece.line, "eval"), page, "eval"), namespace)


def parsed(code: str, page: str, line: int, mode: str = "exec") -> ast.AST:
    tree = ast.parse(code, page, mode)
    return ast.increment_lineno(tree, line - 1)


@contextmanager
def failures(page: str, piece: Piece) -> Iterator[None]:
    """What goes wrong in a cell becomes one line with page, line and error."""
    try:
        yield
    except Exception as error:
        line = piece.line
        if isinstance(error, SyntaxError) and error.filename == page:
            line += (error.lineno or 1) - 1
        for frame in traceback.extract_tb(error.__traceback__):
            line = frame.lineno if frame.filename == page else line
        message = (str(error) or "no message").splitlines()[0]
        raise UserError(f"{page}:{line}: {type(error).__name__}: {message}") from error


def shown(value: object) -> str:
    """The last expression of a cell, as text: arrays by NumPy, numbers with four digits that count."""
    if isinstance(value, (float, np.floating)):
        return f"{value:.4g}"
    if isinstance(value, tuple):
        return ", ".join(shown(part) for part in value)
    if isinstance(value, dict):
        return "\n".join(f"{key}: {shown(part)}" for key, part in value.items())
    return str(value)


def digits() -> AbstractContextManager:
    """How a page shows arrays: three digits after the point, no exponents."""
    return np.printoptions(precision=3, suppress=True, floatmode="fixed", linewidth=100)


class Names(Mapping):
    """All names that the cells of a page define. The page is run to the end when the first name is asked for."""

    def __init__(self, chapter: str, page: str):
        self.chapter, self.page = chapter, page

    @cached_property
    def names(self) -> dict:
        names = new_namespace(self.chapter)
        with digits():
            for piece in pieces(read(self.page)):
                if piece.kind in ("cell", "hidden"):
                    run(piece, self.page, names)
        return names

    def __getitem__(self, name: str) -> Any:
        return self.names[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


@cache
def namespace(chapter: str, part: int = 1) -> Names:
    """All names that the cells of a chapter ("06") define. part: 2 for PART2.md.

    Raises `UserError` where there is no such page, and, when a name is asked for, where a cell fails.
    """
    return Names(chapter, page_of(chapter, part))


def page_of(chapter: str, part: int = 1) -> str:
    """The page of a chapter's lesson, or of a further part of it. Raises `UserError` where there is none."""
    name = "README.md" if part == 1 else f"PART{part}.md"
    pages = [page for page in PAGES if page.startswith(f"chapters/{chapter}_") and page.endswith(f"/{name}")]
    if not pages:
        raise UserError(f"chapter {chapter} has no {name}")
    return pages[0]


def new_namespace(page: str) -> dict:
    return {"__name__": f"lesson {page}"}


def with_lesson(chapter: str) -> dict:
    """All names of a chapter's lesson and its further parts, for its slides; the lesson's where both have one."""
    pages = [page for page in PAGES if page.startswith(f"chapters/{chapter}_")]
    return dict(ChainMap(*(namespace(chapter, part) for part, _ in enumerate(pages, start=1))))
