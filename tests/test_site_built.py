"""The book as a site, built once: its pages as files, and in a browser."""

from __future__ import annotations

import gzip
import html
import json
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

import pytest
from pygments.lexers import TextLexer

from book.lessons import LESSONS, ROOT
from book.site import sources
from book.site.__main__ import build
from book.site.edition import Edition, document
from tests.accessibility import TWO_VIEWS, VIEWS, findings, needs_axe
from tests.browser import Browser, open_page
from tests.live_site import BUILT
from tests.notebooks import labs

pytestmark = BUILT
TAG = re.compile(r"<[a-zA-Z][^>]*>")
LESSON = "chapters/06_attentive_lm/README.md"


COLOURED = ("common/nn/attention.py", "chapters/06_attentive_lm/model.py")
"""Files whose pages are looked at in colour. That of the others takes as long as all else that the site is made of."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    lexer_of = sources.get_lexer_for_filename

    def lexer(path: str, **options):
        return lexer_of(path, **options) if path in COLOURED else TextLexer(**options)

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(sources, "get_lexer_for_filename", lexer)
        build(Edition(), folder / "book", labs(folder / "labs"))
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
        path: {html.unescape(name) for name in re.findall(r'\b(?:id|name)="([^"]+)"', text)}
        for path, text in tags.items()
    }
    for path, text in tags.items():
        for address in {html.unescape(link) for link in re.findall(r'\b(?:href|src)="([^"]*)"', text)}:
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


def test_nothing_comes_from_another_host(site: Path) -> None:
    pages = list(site.glob("**/*.html"))
    assert len(pages) > 400
    assert [(path.name, hosts) for path in pages if (hosts := foreign(path.read_text("utf-8")))] == []
    for style in site.glob("_static/**/*.css"):
        assert not re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//", style.read_text("utf-8")), style


def test_every_link_leads_somewhere(site: Path) -> None:
    assert list(dead_links(site)) == []


def search_index(site: Path) -> dict:
    text = (site / "searchindex.js").read_text("utf-8")
    return json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))


def test_beside_a_page_each_page_is_listed_once_and_no_heading(site: Path) -> None:
    here = "chapters/02_loglinear_lm/"
    listed = (site / f"{here}index.html").read_text("utf-8").partition('<div class="sidebar-tree">')[2]
    links = re.findall(r'class="(?:current )?reference internal" href="([^"]*)"', listed.partition("</aside>")[0])
    pages = [posixpath.normpath(posixpath.join(here, "index.html" if link == "#" else link)) for link in links]
    assert sorted(pages) == sorted(f"{name}.html" for name in search_index(site)["docnames"] if name != "index")


def test_search_knows_the_words_of_lessons(site: Path) -> None:
    index = search_index(site)
    pages = index["terms"]["perplex"]
    assert index["docnames"].index("chapters/01_ngram_lm/index") in pages and len(pages) > 10


def test_a_page_tells_what_it_is_and_flags_keep_their_dashes(site: Path) -> None:
    pages = {path: path.read_text("utf-8") for path in site.glob("chapters/*/*.html")}
    for path, text in pages.items():
        assert re.search(r'<meta name="description" content="[^"]{20,}', text), path
        assert not re.search(r"[–—][a-z]+-?[a-z]*\b(?=</)", "".join(re.findall(r"<code.*?</code>", text))), path
        assert not re.search(r"\s–[a-z]", re.sub(r"<[^>]*>", "", text)), f"{path}: a flag with a dash of print"
        assert "favicon.svg" in text and "copybutton.js" in text, path
    for name in re.findall(r'href="\.\./\.\./(notebooks/[^"]+)"', "".join(pages.values())):
        assert (site / name).is_file()


def test_pages_follow_each_other(site: Path) -> None:
    page = (site / "chapters/02_loglinear_lm/index.html").read_text("utf-8")
    ways = dict(re.findall(r'<link rel="(next|prev)" title="[^"]*" href="([^"]+)"', page))
    assert ways == {"next": "PART2.html", "prev": "../01_ngram_lm/RESULTS.html"}


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
    faults = [str(event["params"]) for event in events if event["method"] == "Runtime.exceptionThrown"]
    faults += [event["params"]["entry"]["text"] for event in events
              if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error"]  # fmt: skip
    faults += [str(event["params"]["args"]) for event in events
              if event["method"] == "Runtime.consoleAPICalled" and event["params"]["type"] == "error"]  # fmt: skip
    addresses = [
        event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"
    ]
    return faults + [url for url in addresses if not url.startswith(("file:", "data:"))]


class Visit(NamedTuple):
    """What was found on a page on a telephone, and, where it is looked at there too, on a desktop: clipped code."""

    faults: list[str]
    clipped: list[str]
    facts: dict[str, str]
    bare_pictures: list[str]
    asked_for: set[str]


FACTS = {"title": "document.title", "language": "document.documentElement.lang"}
FACTS |= {name: f"document.querySelector('meta[name={name}]')?.content" for name in ("description", "viewport")}
BARE = """[...document.images].filter(one => !one.alt || !one.getAttribute('width') || !one.getAttribute('height'))
  .map(one => one.src)"""
DESKTOP = {"index.html", "exercises/index.html", *(f"{document(lesson)}.html" for lesson in LESSONS)}
DESKTOP |= {f"{Path(lesson).parent.as_posix()}/RESULTS.html" for lesson in LESSONS}
CLIPPED = """[...document.querySelectorAll('article pre')].filter(one => one.scrollWidth > one.clientWidth + 1)
  .map(one => one.textContent.slice(0, 60))"""


def visit(browser: Browser, page: Path, desktop: bool) -> Visit:
    """A page takes a second to be set: it is opened once for all that is asked of it."""
    browser.events.clear()
    show(browser, page)
    faults = complaints(browser.events) + browser.evaluate(BAD_PICTURES)
    faults += ["mathematics"] * browser.evaluate("document.querySelectorAll('mjx-merror').length")
    if browser.evaluate("document.documentElement.scrollWidth") > 390:
        faults.append(f"too wide: {browser.evaluate(WIDE + '.map(one => one.outerHTML.slice(0, 90))')[:3]}")
    sent = [event["params"]["request"]["url"] for event in browser.events
            if event["method"] == "Network.requestWillBeSent"]  # fmt: skip
    facts = {name: browser.evaluate(f"{expression} ?? ''") for name, expression in FACTS.items()}
    bare = browser.evaluate(BARE)
    if desktop:
        browser.call("Emulation.setDeviceMetricsOverride", width=1280, height=800, deviceScaleFactor=1, mobile=False)
        browser.wait_until("innerWidth === 1280")
    return Visit(faults, browser.evaluate(CLIPPED) if desktop else [], facts, bare, set(sent))


@pytest.fixture(scope="module")
def visits(browser: Browser, site: Path) -> dict[str, Visit]:
    """Every page of the site, but of those of code only two."""
    pages = [path for path in sorted(site.glob("**/*.html")) if "code" not in path.relative_to(site).parts]
    pages += [site / "code/index.html", site / "code/chapters/06_attentive_lm/model.py.html"]
    names = [page.relative_to(site).as_posix() for page in pages]
    return {name: visit(browser, site / name, name in DESKTOP) for name in names}


@pytest.mark.needs("loopback")
def test_every_page_on_a_telephone(visits: dict[str, Visit]) -> None:
    """No error, no request to another host, mathematics set, every picture there, and nothing wider than the screen."""
    assert len(visits) > 50
    assert [f"{page}: {fault}" for page, visit in visits.items() for fault in visit.faults] == []


@pytest.mark.needs("loopback")
def test_complaints_are_heard(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text(
        '<script>console.error("no"); missing()</script><img src="http://127.0.0.1:9/x.png"><p class="math">'
    )
    browser.events.clear()
    browser.go(page.as_uri())
    browser.wait_until("document.images[0].complete")
    messages = " ".join(complaints(browser.events))
    assert "'no'" in messages and "missing is not defined" in messages and "http://127.0.0.1:9/x.png" in messages
    assert browser.evaluate(BAD_PICTURES) and not browser.evaluate(TYPESET)


FOUND = """[...document.querySelectorAll('#search-results li')].map(one =>
  [one.querySelector('a').getAttribute('href'), one.querySelector('p.excerpt')?.textContent ?? '',
   [...one.querySelectorAll('mark')].map(mark => mark.textContent)])"""


def rank(address: str) -> int:
    """Lessons and their parts come first in a search, then other pages, then those that are made of code."""
    if re.match(r"chapters/\d\d_\w+/(index|PART\d)\.", address):
        return 0
    return 2 if re.match("(api|code|exercises)/", address) else 1


@pytest.mark.needs("loopback")
@pytest.mark.parametrize(
    ("query", "lesson", "marked"),
    [
        ("perplexity", "01_ngram_lm", "perplexity"),
        ("backpropagation", "03_neural_networks", "back-propagation"),
        ("optimizer", "02_loglinear_lm", "optimisers"),
        ("attention+weights", "06_attentive_lm", "weights"),
    ],
)
def test_search_finds_lessons_first_with_excerpts(
    query: str, lesson: str, marked: str, browser: Browser, site: Path
) -> None:
    browser.events.clear()
    show(browser, site / "search.html", f"?q={query}", width=1000)
    page = f"chapters/{lesson}/index.html"
    browser.wait_until("document.querySelector('.search-summary').textContent")  # all results are shown
    found = browser.evaluate(FOUND)
    pages = [address for address, _, _ in found]
    assert [rank(address) for address in pages] == sorted(rank(address) for address in pages)
    _, excerpt, marks = found[pages.index(page)]
    assert marked in [mark.lower() for mark in marks] and marks[0] in excerpt and len(excerpt) < 260
    assert complaints(browser.events) == []


@pytest.mark.needs("loopback")
@pytest.mark.parametrize("page", [document(LESSON), "equations", "code/common/nn/attention.py", "api/common/nn"])
def test_dark_pages_can_be_read(browser: Browser, site: Path, page: str) -> None:
    show(browser, site / f"{page}.html", width=1000, dark=True)
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert browser.evaluate(CONTRAST) == []


ACCESSIBLE = (
    "index", "chapters/01_ngram_lm/index", "chapters/03_neural_networks/index", "chapters/06_attentive_lm/index",
    "chapters/08_attention/index", "chapters/11_transformer/index", "chapters/01_ngram_lm/PART2",
    "chapters/06_attentive_lm/RESULTS", "RESULTS", "book/using", "exercises/index", "exercises/ch06_attentive_lm",
    "book/glossary", "book/notation", "equations", "bibliography", "api/index", "api/common/search", "search",
    "book/labs/ch01_lab", "book/explorer/index", "code/index", "code/common/nn/attention.py",
)  # fmt: skip
"""A page of each kind; five lessons, with eight live figures between them."""
WHOLE = ("index", "chapters/01_ngram_lm/index", "search", "code/common/nn/attention.py")
"""Those on which what surrounds an article is looked at in all four views."""


@pytest.mark.needs("loopback")
@needs_axe
@pytest.mark.parametrize("page", ACCESSIBLE)
def test_no_serious_fault_of_accessibility(browser: Browser, site: Path, page: str) -> None:
    show(browser, site / f"{page}.html", "?q=attention" if page == "search" else "")
    browser.wait_until("!location.search || document.querySelectorAll('#search-results li').length > 0")
    for number in range(browser.evaluate("document.querySelectorAll('div.live').length")):
        figure = f"document.querySelectorAll('div.live')[{number}]"
        browser.evaluate(f"{figure}.scrollIntoView({{behavior: 'instant'}})")
        browser.wait_until(f"{figure}.children.length > 0")
    assert list(findings(browser, VIEWS if page in WHOLE else TWO_VIEWS)) == []


@pytest.mark.needs("loopback")
@needs_axe
def test_faults_of_accessibility_are_found(browser: Browser, tmp_path: Path) -> None:
    page = tmp_path / "bad.html"
    page.write_text('<html lang="en"><title>x</title><p style="color: #999">grey</p><img src="x.png"><input>')
    browser.go(page.as_uri())
    assert {finding.split(": ")[1] for finding in findings(browser)} == {"color-contrast", "image-alt", "label"}


MODELS = re.compile(r"/live/(?:model-\d\d|village)\.js")
"""Scripts with trained models and their vocabulary: they come last, and are not counted."""


@pytest.mark.needs("loopback")
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_has_what_a_stranger_needs(visits: dict[str, Visit], lesson: str) -> None:
    """Title, description, language, width of the screen; under a megabyte, as hosts send it: compressed."""
    visit = visits[f"{document(lesson)}.html"]
    assert len(visit.facts["title"]) > 10 and len(visit.facts["description"]) > 20
    assert visit.facts["language"] == "en" and "width=device-width" in visit.facts["viewport"]
    assert visit.bare_pictures == []
    files = [Path(url2pathname(urlsplit(url).path)) for url in visit.asked_for if url.startswith("file:")]
    sizes = {file.name: len(gzip.compress(file.read_bytes())) for file in files if not MODELS.search(file.as_posix())}
    assert len(sizes) > 15 and sum(sizes.values()) < 1_000_000, sizes


@pytest.mark.needs("loopback")
def test_no_code_is_cut_off_on_a_desktop(visits: dict[str, Visit]) -> None:
    assert {page: visits[page].clipped for page in DESKTOP if visits[page].clipped} == {}


@pytest.mark.needs("loopback")
def test_a_link_to_code_marks_its_lines(browser: Browser, site: Path) -> None:
    show(browser, site / "code/common/nn/attention.py.html", "?to=12#L-10", width=1000)
    browser.wait_until("document.querySelectorAll('.hll').length")
    assert browser.evaluate("[...document.querySelectorAll('.hll')].map(one => one.id)") == ["L-10", "L-11", "L-12"]


@pytest.mark.needs("loopback")
def test_answers_are_folded(browser: Browser, site: Path) -> None:
    show(browser, site / f"{document(LESSON)}.html", width=1000)
    folded = (ROOT / LESSON).read_text("utf-8").count("<details>")
    assert browser.evaluate("document.querySelectorAll('details:not([open]) > summary').length") == folded
    first = "#check-yourself details"
    browser.click(f"document.querySelector('{first} > summary')")
    assert "0.422" in browser.evaluate(f"document.querySelector('{first}[open]').innerText")
