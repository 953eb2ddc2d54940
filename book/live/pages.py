"""Live figures on a page: a line `<!-- live: next-words 06 -->` becomes the element that the scripts draw in.

A code host shows the page without it. Only pages with such a line load the scripts.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from book.lessons import LIVE
from book.live.figures import STYLE, find, script_names
from common.errors import UserError

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NAMED = re.compile(r" ([\w-]+) (\d\d) ")
ELEMENT = re.compile(r'<div class="live" data-figure="([\w-]+)" data-chapter="(\d\d)"></div>')
FOLDER = "live"
"""Where the scripts lie on the site, below _static."""


def with_figures(path: str, text: str) -> str:
    """The text of a page with an element for each live figure. Raises `UserError` where a line names none."""
    return LIVE.sub(lambda match: figure_element(path, match), text)


def figure_element(path: str, match: re.Match) -> str:
    named = NAMED.fullmatch(match[1])
    if named is None:
        raise UserError(f"{path}: {match[0].strip()}: write <!-- live: NAME CHAPTER -->, the chapter with two digits")
    try:
        find(*named.groups())
    except UserError as error:
        raise UserError(f"{path}: {error}") from None
    return f'\n<div class="live" data-figure="{named[1]}" data-chapter="{named[2]}"></div>\n\n'


def figures_in(text: str) -> list[tuple[str, str]]:
    """The live figures of an adapted page or of its HTML, (name, chapter)."""
    return list(dict.fromkeys(ELEMENT.findall(text)))


def figures_below(folder: Path) -> set[tuple[str, str]]:
    """Those of all pages in a folder of Markdown."""
    return {figure for path in folder.glob("**/*.md") for figure in figures_in(path.read_text(encoding="utf-8"))}


def load_scripts(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Before Sphinx writes a page: name the scripts and the style of the live figures on it."""
    figures = figures_in(context.get("body", ""))
    names = dict.fromkeys(name for figure in figures for name in script_names(*figure))
    for name in names:
        app.add_js_file(f"{FOLDER}/{name}", loading_method="defer")
    if figures:
        app.add_css_file(f"{FOLDER}/{STYLE}")
