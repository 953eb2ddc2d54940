"""The list of all pages beside each page of the site, made in a fraction of the time that Sphinx takes for it.

Sphinx copies for each page the headings inside every other page, some thousands, and then removes them, as the list
names pages only. Here they are removed once.
"""

from __future__ import annotations

from functools import lru_cache

from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def list_pages_only(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Before a page is written: let the list of pages that its theme asks for be made of contents without headings."""
    whole = context.get("toctree")
    if whole is None:
        return

    def pages(*, titles_only: bool = False, **options: object) -> str:
        env, contents = app.env, app.env.tocs
        env.tocs = without_headings(env) if titles_only else contents
        try:
            return whole(titles_only=titles_only, **options)
        finally:
            env.tocs = contents

    context["toctree"] = pages


@lru_cache(maxsize=1)
def without_headings(env: BuildEnvironment) -> dict:
    """Of each document its title, and the documents that it lists."""
    short = {name: contents.deepcopy() for name, contents in env.tocs.items()}
    for contents in short.values():
        for title in contents:
            if len(title) > 1:
                listed = list(title.findall(addnodes.toctree))
                if listed:
                    title[1][:] = listed
                else:
                    title.pop(1)
    return short
