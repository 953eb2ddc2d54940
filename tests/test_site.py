"""The book as a site: what is made from lessons, code and tables, and the built pages themselves."""

from __future__ import annotations

import html
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

from book.lessons import LESSONS, ROOT, read
from book.site.__main__ import NEEDED, build
from book.site.api import api_pages
from book.site.bibliography import bibliography, mentions
from book.site.edition import Edition, document
from book.site.equations import equations_page, read_formulas
from book.site.exercises import exercise_pages
from book.site.pages import adapted, outside_code
from book.site.sources import escaped
from book.site.staging import navigation, stage
from common.errors import UserError
from solutions.sets import find_sets
from tests.browser import Browser, open_page
from tools.equations import find_tests, read_table

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_book = pytest.mark.skipif(bool(MISSING), reason=f"the book's packages are not installed: {MISSING}")
LESSON = "chapters/06_attentive_lm/README.md"
TAG = re.compile(r"<[a-zA-Z][^>]*>")
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
STUDENTS = Edition()


# --- what pages are made of


def test_links_of_a_page_lead_to_pages_of_the_site() -> None:
    text = (
        "[one](../05_rnn_lm/README.md#run-it) [two](model.py) [three](model.py#L3-L7) [four](https://example.org/) "
        "![five](figures/causal_mask.svg) [six](../../solutions/README.md) [seven](#here) [eight](../../common/nn) "
        "`[nine](model.py)`\n\n```\n[ten](model.py)\n```\n"
    )
    code = '<a class="reference internal" href="../../code/chapters/06_attentive_lm/model.py.html'
    assert adapted(STUDENTS, LESSON, text) == (
        f'[one](../05_rnn_lm/index.md#run-it) {code}">two</a> {code}?to=7#L-3">three</a> [four](https://example.org/) '
        "![five](figures/causal_mask.svg) six [seven](#here) [eight](../../code/index.md) "
        "`[nine](model.py)`\n\n```\n[ten](model.py)\n```\n"
    ).replace("[eight](../../code/index.md)", '<a class="reference internal" href="../../code/index.html">eight</a>')


def test_an_excerpt_names_its_lines() -> None:
    text = adapted(STUDENTS, LESSON, read(LESSON))
    lines = (ROOT / "common/nn/attention.py").read_text("utf-8").splitlines()
    first, last = re.search(
        r'common/nn/attention\.py\.html\?to=(\d+)#L-\d+">common/nn/attention\.py, line (\d+)<', text
    ).groups()[::-1]
    assert lines[int(first) - 1].startswith("def causal_weights(") and lines[int(last) - 1].startswith("    return ")


def test_only_prose_is_changed() -> None:
    assert outside_code("a `a` ``a ` a``\n```\na\n```\na", str.upper) == "A `a` ``a ` a``\n```\na\n```\nA"
    assert escaped("a_b *c* `d_e` <s>") == r"a\_b \*c\* `d_e` \<s\>"


def test_what_students_do_not_get() -> None:
    whole = Edition(instructor=True)
    answers = {f"solutions/{one.name}/answers.md" for one in find_sets()}
    assert answers <= set(whole.pages) and "solutions/README.md" in whole.pages
    assert any(path.startswith("solutions/ch01") for path in whole.code)
    shown = STUDENTS.pages + STUDENTS.code
    assert not [path for path in shown if path.startswith("solutions/") or "instructor" in path or "answers.md" in path]
    assert "tests/test_solutions_grade.py" not in shown and "tests/test_attention.py" in shown
    assert {*LESSONS, "RESULTS.md", "SPEED.md", "exercises/README.md", "data/README.md"} <= set(STUDENTS.pages)


def test_without_answers_there_is_no_instructors_edition(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="leave --instructor out"):
        Edition(instructor=True, root=tmp_path)


def test_every_document_has_one_place(tmp_path: Path) -> None:
    documents = stage(STUDENTS, tmp_path, labs(tmp_path / "labs"))
    trees = {
        name: (tmp_path / f"{name}.md").read_text("utf-8") for name in ("index", "api/index", *map(document, LESSONS))
    }
    placed = [one for text in trees.values() for tree in re.findall(r"```{toctree}\n(.*?)```", text, re.DOTALL)
              for one in re.findall(r"^/(.+)$", tree, re.MULTILINE)]  # fmt: skip
    assert sorted([*placed, "index"]) == sorted(documents)
    assert ":caption: More" not in trees["index"]
    assert (
        "book/labs/ch01_lab\n/exercises/ch01_ngram_lm\n/chapters/01_ngram_lm/RESULTS\n" in trees[document(LESSONS[0])]
    )
    assert "](../../chapters/01_ngram_lm/index.md)" in (tmp_path / "book/labs/ch01_lab.ipynb").read_text("utf-8")


def test_a_page_that_nobody_placed_is_shown_all_the_same() -> None:
    assert ":caption: More\n/data/other\n" in navigation(["index", "data/index", "data/other"])["index"]


def test_staging_again_writes_only_what_changed(tmp_path: Path) -> None:
    stage(STUDENTS, tmp_path, tmp_path)
    (tmp_path / "old.md").write_text("# Old\n")
    (tmp_path / "SPEED.md").write_text("spoilt")
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("**/*.md")}
    stage(STUDENTS, tmp_path, tmp_path)
    after = {path: path.stat().st_mtime_ns for path in tmp_path.glob("**/*.md")}
    assert {path.name for path in before if before[path] != after.get(path)} == {"old.md", "SPEED.md"}


# --- pages made of code and tables


def test_every_equation_has_its_formula() -> None:
    table, formulas = read_table(), read_formulas()
    assert list(formulas) == [one.key for one in table] and len(formulas) == 96
    page = equations_page(STUDENTS)
    assert page.count("```{math}") == 96 and page.count("**Departs") == sum(bool(one.departs) for one in table)
    for latex in formulas.values():
        assert latex.count("{") == latex.count("}") and latex.count(r"\begin") == latex.count(r"\end") and latex in page


def test_equations_link_to_the_lines_of_code_and_tests() -> None:
    section = equations_page(STUDENTS).partition("(neubig2017-eq-15)=")[2].partition("(neubig2017-eq-16)=")[0]
    files = re.findall(r'href="code/(\S+)\.html\?to=(\d+)#L-(\d+)">`(\w+)`', section)
    assert [name for *_, name in files][0] == "perplexity"
    assert len(files) == 1 + len(find_tests(ROOT)["neubig2017", 15])
    for file, last, first, name in files:
        lines = (ROOT / file).read_text("utf-8").splitlines()[int(first) - 1 : int(last)]
        assert lines[0].strip().startswith(f"def {name}(")


def test_the_reference_has_every_public_function() -> None:
    pages = api_pages(STUDENTS)
    attention = pages["api/common/nn"]
    assert "### causal\\_weights\n\n```python\ndef causal_weights(scores: dy.Expression, time: int)" in attention
    assert "[Salton et al. 2017, Eq. 4](#salton2017-eq-4)" in attention and "#### DotScore.keys" not in attention
    assert (
        "- `hidden_size` (`int`): size of embeddings and states (default: `128`)"
        in pages["api/chapters/06_attentive_lm"]
    )
    functions = re.findall(r"^def ([a-z]\w*)\(", (ROOT / "common/search/decoding.py").read_text("utf-8"), re.MULTILINE)
    assert len(functions) > 2 and all(f"### {escaped(name)}\n" in pages["api/common/search"] for name in functions)


def test_the_bibliography_names_a_work_once() -> None:
    page = bibliography(STUDENTS)
    (work,) = re.findall(r"\*Neural Machine Translation by Jointly.*?(?=\n\n\*\*)", page, re.DOTALL)
    assert {"Chapter 6 <", "Chapter 8 <", "Chapter 9 <"} <= set(re.findall(r"Chapter \d <", work))
    names = re.findall(r"^\*\*(.+?)\*\*: ", page, re.MULTILINE)
    assert len(names) >= 50 and names.index("D. Bahdanau, K. Cho, Y. Bengio") < names.index("R. Kneser, H. Ney")


def test_an_item_that_names_no_work_is_an_error() -> None:
    with pytest.raises(UserError, match="no 'Authors"):
        list(mentions("page", "## Sources\n\n- something else\n"))


def test_exercises_have_all_their_hints_folded() -> None:
    pages = exercise_pages(STUDENTS)
    for one in find_sets():
        text = pages[f"exercises/{one.name}"]
        assert text.count("<details>") == sum(len(task.hints) for task in one.tasks.values())
        assert all(f"## {task.number} " in text for task in one.tasks.values())
    first = pages["exercises/ch01_ngram_lm"]
    assert "python -m exercises check 1.2\n" in first
    assert 'href="../code/exercises/ch01_ngram_lm/counting.py.html?to=23#L-14">`count_ngrams`</a>' in first


# --- the built site


def labs(folder: Path) -> Path:
    """A folder with a notebook that was run, as `python -m book.labs` leaves one."""
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": PIXEL, "text/plain": "a picture"}}
    text = {"output_type": "stream", "name": "stdout", "text": ["perplexity 7.65\n"]}
    link = "# Lab 1\n\nThe [lesson](../../chapters/01_ngram_lm/README.md) and $x^2$.\n"
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": [link]},
        {
            "cell_type": "code",
            "id": "b",
            "metadata": {},
            "execution_count": 1,
            "source": "1",
            "outputs": [text, picture],
        },
    ]
    folder.mkdir(parents=True)
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (folder / "ch01_lab.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build(STUDENTS, folder / "book", labs(folder / "labs"))
    return folder / "book"


def foreign(text: str) -> list[str]:
    """What a page would fetch from another host."""
    return re.findall(
        r"<(?:link|script|img|iframe|source|object)\b[^>]*\b(?:href|src|data)=\"((?:https?:)?//[^\"]+)", text
    )


def dead_links(site: Path) -> Iterator[str]:
    """Links and pictures of the site's pages that lead nowhere within it."""
    tags = {path.resolve(): "".join(TAG.findall(path.read_text("utf-8"))) for path in site.glob("**/*.html")}
    ids = {
        path: {html.unescape(one) for one in re.findall(r'\b(?:id|name)="([^"]+)"', text)}
        for path, text in tags.items()
    }
    for path, text in tags.items():
        for address in {html.unescape(one) for one in re.findall(r'\b(?:href|src)="([^"]*)"', text)}:
            if re.match(r"https?:|mailto:|data:|javascript:", address):
                continue
            file, _, anchor = re.sub(r"\?[^#]*", "", address).partition("#")
            target = (path.parent / unquote(file)).resolve() if file else path
            if not target.is_file() or anchor and unquote(anchor) not in ids.get(target, ()):
                yield f"{path.relative_to(site.resolve())}: {address}"


def test_what_leads_nowhere_or_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#x">1</a> <a href="?to=2#L-2">2</a> <p id="L-2"> <a href="#y">3</a>'
    )
    (tmp_path / "b.html").write_text(
        '<img src="no.png"> <a href="a.html?q=1">4</a> <a href="https://example.org">5</a>'
    )
    assert sorted(dead_links(tmp_path)) == ["a.html: #y", "a.html: b.html#x", "b.html: no.png"]
    text = '<script async src="https://a.b/c.js"></script><a href="https://x.y">z</a><img src="//d.e/f.png">'
    assert foreign(text) == ["https://a.b/c.js", "//d.e/f.png"]


@needs_book
def test_nothing_comes_from_another_host(site: Path) -> None:
    pages = list(site.glob("**/*.html"))
    assert len(pages) > 400
    assert [(path.name, found) for path in pages if (found := foreign(path.read_text("utf-8")))] == []
    for style in site.glob("_static/**/*.css"):
        assert not re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//", style.read_text("utf-8")), style


@needs_book
def test_every_link_leads_somewhere(site: Path) -> None:
    assert list(dead_links(site)) == []


@needs_book
def test_search_knows_the_words_of_lessons(site: Path) -> None:
    text = (site / "searchindex.js").read_text("utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    found = index["terms"]["perplex"]
    assert index["docnames"].index("chapters/01_ngram_lm/index") in found and len(found) > 10


@needs_book
def test_pages_follow_each_other(site: Path) -> None:
    page = (site / "chapters/02_loglinear_lm/index.html").read_text("utf-8")
    ways = dict(re.findall(r'<link rel="(next|prev)" title="[^"]*" href="([^"]+)"', page))
    assert ways == {"next": "../../exercises/ch02_loglinear_lm.html", "prev": "../01_ngram_lm/RESULTS.html"}


@needs_book
def test_a_lab_is_shown_with_its_outputs(site: Path) -> None:
    page = (site / "book/labs/ch01_lab.html").read_text("utf-8")
    assert "perplexity 7.65" in page and 'href="../../chapters/01_ngram_lm/index.html"' in page
    assert re.search(r'<img [^>]*src="\.\./\.\./_images/\w+\.png"', page)


# --- in a browser

WIDE = "[...document.querySelectorAll('body *')].filter(one => one.getBoundingClientRect().right > innerWidth + 1)"
TYPESET = "[...document.querySelectorAll('.math')].every(one => one.querySelector('mjx-container'))"
BAD_PICTURES = "[...document.images].filter(one => !one.complete || !one.naturalWidth).map(one => one.src)"
CONTRAST = """(() => {
  const light = colour => {
    const part = x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = colour.match(/[\\d.]+/g).map(x => part(x / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = one => {
    const colour = getComputedStyle(one).backgroundColor;
    return /rgba\\(.* 0\\)|transparent/.test(colour) && one.parentElement ? ground(one.parentElement) : colour;
  };
  return [...document.querySelectorAll('article p, article td, article h2, article code, article summary, pre span')]
    .map(one => {
      const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
      return [(a + 0.05) / (b + 0.05), one.tagName, one.textContent.slice(0, 40)];
    }).filter(one => one[0] < 3 && one[2].trim());
})()"""


@pytest.fixture(scope="module")
def browser(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_page(None, tmp_path_factory.mktemp("browser")) as page:
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        yield page


def show(browser: Browser, page: Path, query: str = "", width: int = 390, dark: bool = False) -> None:
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 500)
    browser.call("Emulation.setEmulatedMedia", features=[scheme])
    browser.go(page.as_uri() + query)
    browser.wait_until(TYPESET)


def complaints(events: list[dict]) -> list[str]:
    """Errors that a page has told, and what it asked of the network."""
    found = [str(one["params"]) for one in events if one["method"] == "Runtime.exceptionThrown"]
    found += [one["params"]["entry"]["text"] for one in events
              if one["method"] == "Log.entryAdded" and one["params"]["entry"]["level"] == "error"]  # fmt: skip
    found += [str(one["params"]["args"]) for one in events
              if one["method"] == "Runtime.consoleAPICalled" and one["params"]["type"] == "error"]  # fmt: skip
    asked = [one["params"]["request"]["url"] for one in events if one["method"] == "Network.requestWillBeSent"]
    return found + [url for url in asked if not url.startswith(("file:", "data:"))]


@needs_book
def test_every_page_on_a_telephone(browser: Browser, site: Path) -> None:
    """No error, no request to another host, mathematics set, every picture there, and nothing wider than the screen."""
    pages = [path for path in sorted(site.glob("**/*.html")) if "code" not in path.relative_to(site).parts]
    pages += [site / "code/index.html", site / "code/chapters/06_attentive_lm/model.py.html"]
    assert len(pages) > 50
    faults = []
    for page in pages:
        browser.events.clear()
        show(browser, page)
        found = complaints(browser.events) + browser.evaluate(BAD_PICTURES)
        found += ["mathematics"] * browser.evaluate("document.querySelectorAll('mjx-merror').length")
        if browser.evaluate("document.documentElement.scrollWidth") > 390:
            found.append(f"too wide: {browser.evaluate(WIDE + '.map(one => one.outerHTML.slice(0, 90))')[:3]}")
        faults += [f"{page.relative_to(site)}: {one}" for one in found]
    assert faults == []


@needs_book
def test_complaints_are_heard(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text(
        '<script>console.error("no"); missing()</script><img src="http://127.0.0.1:9/x.png"><p class="math">'
    )
    browser.events.clear()
    browser.go(page.as_uri())
    browser.wait_until("document.images[0].complete")
    told = " ".join(complaints(browser.events))
    assert "'no'" in told and "missing is not defined" in told and "http://127.0.0.1:9/x.png" in told
    assert browser.evaluate(BAD_PICTURES) and not browser.evaluate(TYPESET)


@needs_book
def test_search_finds_a_lesson(browser: Browser, site: Path) -> None:
    browser.events.clear()
    show(browser, site / "search.html", "?q=perplexity", width=1000)
    browser.wait_until("document.querySelectorAll('#search-results li').length > 5")
    assert browser.evaluate(
        "[...document.querySelectorAll('#search-results a')].some(a => a.href.includes('01_ngram'))"
    )
    assert complaints(browser.events) == []


@needs_book
@pytest.mark.parametrize("page", [document(LESSON), "equations", "code/common/nn/attention.py", "api/common/nn"])
def test_dark_pages_can_be_read(browser: Browser, site: Path, page: str) -> None:
    show(browser, site / f"{page}.html", width=1000, dark=True)
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert browser.evaluate(CONTRAST) == []


@needs_book
def test_a_link_to_code_marks_its_lines(browser: Browser, site: Path) -> None:
    show(browser, site / "code/common/nn/attention.py.html", "?to=12#L-10", width=1000)
    browser.wait_until("document.querySelectorAll('.hll').length")
    assert browser.evaluate("[...document.querySelectorAll('.hll')].map(one => one.id)") == ["L-10", "L-11", "L-12"]


@needs_book
def test_answers_are_folded(browser: Browser, site: Path) -> None:
    show(browser, site / f"{document(LESSON)}.html", width=1000)
    assert browser.evaluate("document.querySelectorAll('details:not([open]) > summary').length") == 5
    browser.click("document.querySelector('details > summary')")
    assert "0.422" in browser.evaluate("document.querySelector('details[open]').innerText")
