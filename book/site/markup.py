"""Corrections of the HTML that Sphinx and the theme write, for readers who do not see the page, or see it arrive."""

from __future__ import annotations

import posixpath
import re

import imagesize
from sphinx.application import Sphinx

PICTURE = re.compile(r'<img ([^>]*?)src="([^"]+)"')


def give_sizes(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Write the width and height of each picture into its page, so that the text does not move when it arrives."""
    files = {name: app.srcdir / path for path, name in app.builder.images.items()}

    def sized(match: re.Match) -> str:
        width, height = imagesize.get(files[posixpath.basename(match[2])])
        return f'<img width="{width:.0f}" height="{height:.0f}" {match[1]}src="{match[2]}"'

    context["body"] = PICTURE.sub(sized, context.get("body", ""))


def give_levels(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Give the captions of the list of pages a level: they are headings, of the second level."""
    if tree := context.get("furo_navigation_tree"):
        context["furo_navigation_tree"] = tree.replace('role="heading"', 'role="heading" aria-level="2"')
