"""How a stranger finds a page, and comes from it to its source: search words, edit links, notebooks to take away."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from book.lessons import COMMENT, FENCE, LINK, MATHS, PAGES, ROOT
from book.lessons.notebooks import as_notebook, name_of
from book.site.edition import Edition, document

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HYPHENATED = re.compile(r"\b([a-z]+)-([a-z]+)\b", re.IGNORECASE)
BRITISH = re.compile(r"\b([a-z]+)is(e|ed|er|ers|es|ing|ation|ations)\b", re.IGNORECASE)
SYNONYMS = {"development set": "validation", "encoder-decoder": "seq2seq", "log-linear": "maxent", "softmax": "logits"}
"""What a page is also found by that has these words."""
TEXTS = "search_texts.js"
NO_PROSE = re.compile(r"^(?:#+ |\||:::|\([\w-]+\)=|<p class=\"download\">).*$|^(?:-|\d+\.) ", re.MULTILINE)
FRONT = re.compile(r"\A---\n.*?^---\n", re.MULTILINE | re.DOTALL)


def with_synonyms(split: Callable) -> Callable:
    """A search's way to find the words of a text, with other words for them: whoever looks for "backpropagation",
    "optimizer" or "seq2seq" finds "back-propagation", "optimiser" or "encoder-decoder"."""

    def words(language: object, text: str) -> list[str]:
        joined = ["".join(pair) for pair in HYPHENATED.findall(text)]
        american = ["iz".join(pair) for pair in BRITISH.findall(text)]
        others = [other for word, other in SYNONYMS.items() if word in text.lower()]
        return [*split(language, text), *joined, *american, *others]

    return words


def plain_text(text: str) -> str:
    """The sentences of a page in Markdown on one line, with dots in place of formulas: no code, tables and headings."""
    text = COMMENT.sub("", FENCE.sub("", FRONT.sub("", text)))
    text = NO_PROSE.sub("", text)
    text = LINK.sub(r"\2", MATHS.sub("…", text))
    return " ".join(re.sub(r"</?[a-z][^>]*>|^> |[*`]", "", text, flags=re.MULTILINE).split())


def write_texts(staged: Path, folder: Path) -> None:
    """The texts of all staged pages as a script, for the excerpts of `search.js`: a file may not fetch pages."""
    paths = {path.relative_to(staged).with_suffix("").as_posix(): path for path in sorted(staged.glob("**/*.md"))}
    texts = {page: plain_text(path.read_text("utf-8")) for page, path in paths.items() if not page.startswith("code/")}
    folder.mkdir(parents=True, exist_ok=True)
    script = f"const PAGE_TEXTS = {json.dumps(texts, ensure_ascii=False)};\n"
    (folder / TEXTS).write_text(script, encoding="utf-8", newline="\n")


def load_excerpts(app: Sphinx, page: str, template: str, context: dict, doctree: object) -> None:
    """Before Sphinx writes the page of the search: name what shows excerpts."""
    if page == "search":
        for name in (TEXTS, "search.js"):
            app.add_js_file(name)


def edit_link(repository: str) -> Callable:
    """What gives a page the link to its file in the repository; none where no address is set, or no file."""
    sources = {
        document(path): path for path in Edition(bool(list(Edition().root.glob("solutions/*/answers.md")))).pages
    }

    def add(app: object, page: str, template: str, context: dict, doctree: object) -> None:
        if repository and page in sources:
            context["theme_source_edit_link"] = f"{repository}/edit/main/{sources[page]}"

    return add


def with_notebook(page: str, text: str, repository: str) -> str:
    """A lesson's page with links to its notebook, below its title: to take away, and where the course has an address,
    to run it on a hosted service."""
    name = name_of(page)
    links = [f'<a href="../../notebooks/{name}" download>This page as a notebook</a>']
    links += [f'<a href="{address}">Run it on {service}</a>' for service, address in hosted(name, repository).items()]
    title, _, rest = text.partition("\n")
    return f'{title}\n\n<p class="download">{" · ".join(links)}</p>\n{rest}'


def hosted(name: str, repository: str) -> dict[str, str]:
    """Where services run a notebook: Colab takes it from the branch `notebooks` on GitHub, which the workflow of the
    pages writes; Binder builds the repository, wherever it is, and makes its notebooks (`.binder/`)."""
    if not repository:
        return {}
    place = urlsplit(repository)
    on_github, path = place.netloc == "github.com", place.path.strip("/")
    source = f"gh/{path}" if on_github else f"git/{quote(repository, safe='')}"
    binder = f"https://mybinder.org/v2/{source}/HEAD?urlpath=lab/tree/build/labs/{name}"
    colab = {"Colab": f"https://colab.research.google.com/github/{path}/blob/notebooks/{name}"}
    return {**(colab if on_github else {}), "Binder": binder}


def write_notebooks(out: Path) -> None:
    """The notebooks of lessons and their parts, beside the pages of the site; their links suit the folder runs/labs."""
    folder = out / "notebooks"
    folder.mkdir(exist_ok=True)
    for page in PAGES:
        (folder / name_of(page)).write_text(as_notebook(page, ROOT / "runs" / "labs"), encoding="utf-8")
