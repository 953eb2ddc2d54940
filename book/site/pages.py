"""A page of the course adapted to the site: its links lead to pages of the site, its excerpts name their files.

The pages themselves are plain Markdown that a code host shows as well; all of this happens on a copy.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

from book.blocks import EXCERPT
from book.lessons import FENCE, LINK
from book.lessons.cells import pieces
from book.live.pages import with_figures
from book.site.edition import Edition, document
from solutions.release import FOR_INSTRUCTORS

HIDDEN = re.compile(r"\0(\d+)\0")
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
LINES = re.compile(r"L(\d+)(?:-L?(\d+))?")


def adapted(edition: Edition, path: str, text: str) -> str:
    """The text of the page at `path`, for its document on the site."""
    if not edition.instructor:
        text = FOR_INSTRUCTORS.sub("", text)
    text = "".join(piece.text for piece in pieces(text) if piece.kind not in ("mark", "hidden"))
    text = EXCERPT.sub(lambda match: match[0] + f"\n{origin(edition, path, match[2], match[3])}\n", text)
    text = outside_code(text, lambda prose: with_figures(path, prose))
    return outside_code(text, lambda prose: LINK.sub(lambda match: new_link(edition, path, match), prose))


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with its prose changed, and its blocks and spans of code as they are, in the text of a link too."""
    hidden: list[str] = []

    def hide(match: re.Match) -> str:
        hidden.append(match[0])
        return f"\0{len(hidden) - 1}\0"

    changed = change(CODE_SPAN.sub(hide, FENCE.sub(hide, text)))
    while HIDDEN.search(changed):
        changed = HIDDEN.sub(lambda match: hidden[int(match[1])], changed)
    return changed


def new_link(edition: Edition, path: str, match: re.Match) -> str:
    """A link of the page at `path`, to where the site shows its target; only its text where the site does not."""
    picture, text, address = match.groups()
    if picture or "://" in address or address.startswith(("#", "mailto:")):
        return match[0]
    target, _, anchor = address.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    page = edition.page_of(target)
    if page is None:
        return text
    if page.startswith("code/"):
        return code_link(edition, path, text, target, *lines_of(anchor))
    return f"[{text}]({relative(path, page)}.md{'#' + anchor if anchor else ''})"


def lines_of(anchor: str) -> tuple[int, int]:
    """The first and last line that an anchor such as L10-L20 names; zeros where it names none."""
    match = LINES.fullmatch(anchor)
    return (int(match[1]), int(match[2] or match[1])) if match else (0, 0)


def relative(path: str, page: str) -> str:
    """The way to a document from the page at `path`, a Markdown file of the course or a document of the site's own."""
    here = document(path) if path.endswith(".md") else path
    return posixpath.relpath(page, posixpath.dirname(here) or ".")


def code_link(edition: Edition, path: str, text: str, target: str, first: int = 0, last: int = 0) -> str:
    """A link to a file as the site shows it, to some of its lines if these are given. `text` is Markdown.

    path: the page that has the link, as for `relative`. Only the text where the edition does not show the file.
    """
    page = edition.page_of(target)
    if page is None:
        return text
    way = f"{relative(path, page)}.html"
    lines = f"?to={last}#L-{first}" if first else ""
    return f'<a class="reference internal" href="{way}{lines}">{text}</a>'


def origin(edition: Edition, path: str, file: str, name: str) -> str:
    """A line below an excerpt that links to the function or method in its file."""
    first, last = place(edition, file, name)
    return f'<p class="origin">{code_link(edition, path, f"{file}, line {first}", file, first, last)}</p>'


def place(edition: Edition, file: str, name: str) -> tuple[int, int]:
    """The first and last line of a function, class or method (`Class.method`) in a file."""
    node: ast.AST = tree_of(edition.root / file)
    for part in name.split("."):
        node = next(inner for inner in ast.walk(node) if isinstance(inner, NAMED) and inner.name == part)
    return node.lineno, node.end_lineno


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))
