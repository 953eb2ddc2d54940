"""The pages that show the course's files line by line, and the page that lists them."""

from __future__ import annotations

import ast
from itertools import groupby
from pathlib import Path
from string import Template

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import TextLexer, get_lexer_for_filename
from pygments.util import ClassNotFound

from book.site.edition import Edition
from book.site.pages import code_link, tree_of

PROJECT = "From n-grams to word attention"
STATIC = Path(__file__).with_name("static")
LINES = HtmlFormatter(linenos="inline", linespans="L")
TITLES = {"book": "The book", "chapters": "The chapters", "common": "What chapters share", "data": "The data",
          "exercises": "The exercises, to fill in", "solutions": "Answers and graders", "tests": "The tests",
          "tools": "The tools", "": "Beside the folders"}  # fmt: skip


def write_sources(edition: Edition, out: Path) -> None:
    """Write a page for each file into the built site; each line is an element with the id `L-NUMBER`."""
    template = Template((STATIC / "file.html").read_text(encoding="utf-8"))
    described = set(documented_files(edition))
    for path in edition.code:
        top = "/".join([".."] * path.count("/") + [".."])
        api = f' &nbsp; <a href="{top}/{module_page(path)}.html">reference</a>' if path in described else ""
        code = highlighted(path, (edition.root / path).read_text(encoding="utf-8"))
        page = template.substitute(path=path, top=top, project=PROJECT, described=api, code=code)
        target = out / "code" / f"{path}.html"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page, encoding="utf-8", newline="\n")


def highlighted(path: str, text: str) -> str:
    """The text of a file as HTML."""
    try:
        lexer = get_lexer_for_filename(path, stripnl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False)
    return highlight(text, lexer, LINES)


def documented_files(edition: Edition) -> list[str]:
    """The files that the API reference describes: those that chapters are made of."""
    return [path for path in edition.code
            if path.endswith(".py") and path.split("/")[0] in ("chapters", "common", "data")]  # fmt: skip


def module_page(path: str) -> str:
    """The page of the API reference that describes a module: one page a package."""
    return "api/" + "/".join(path.split("/")[:-1])


def code_index(edition: Edition) -> str:
    """The Markdown of the page that lists all files, each with the first line of its docstring."""
    lines = ["# The code\n\nEvery file of the course that the book shows, and what it is for."]
    files = sorted(edition.code, key=lambda path: (not folder_of(path), path.rpartition("/")))
    for folder, paths in groupby(files, folder_of):
        top = folder.split("/")[0]
        heading = folder or TITLES[""]
        if folder == top and top:
            heading = f"{folder}: {TITLES[top][0].lower()}{TITLES[top][1:]}"
        lines.append(f"\n## {heading}\n")
        lines += [
            f"- {code_link(edition, 'code/index', escaped(path.split('/')[-1]), path)}{purpose(edition, path)}"
            for path in paths
        ]
    return "\n".join(lines) + "\n"


def folder_of(path: str) -> str:
    return "/".join(path.split("/")[:-1])


def purpose(edition: Edition, path: str) -> str:
    """The first line of a module's docstring."""
    if not path.endswith(".py"):
        return ""
    docstring = ast.get_docstring(tree_of(edition.root / path))
    return f": {escaped(docstring.splitlines()[0])}" if docstring else ""


def escaped(text: str) -> str:
    """Plain text, with spans in backticks, as Markdown: nothing in it is read as markup."""
    parts = text.split("`")
    return "`".join(part if place % 2 else escape(part) for place, part in enumerate(parts))


def escape(text: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\*_<>[]$#{}|~" else letter for letter in text)
