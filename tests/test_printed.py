"""The whole book as EPUB and as PDF: every lesson, figure and formula is in it, and no markup."""

from __future__ import annotations

import html
import importlib.util
import posixpath
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path
from urllib.parse import unquote
from zipfile import ZipFile

import pytest

from book.lessons import FENCE, PAGES, read
from book.printed import making
from book.printed.making import NEEDED, build, make_epub, make_pdf
from book.printed.pages import PrintedEdition, printed
from book.slides.printing import PAGE, find_browser
from common.errors import UserError
from tests.browser import open_page
from tests.test_site_built import BAD_PICTURES, TYPESET

MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
needs_printer = pytest.mark.skipif(
    bool(MISSING) or not find_browser(), reason=f"no Chrome or Chromium, or packages are not installed: {MISSING}"
)
made = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning"),
    needs_printer,
]
XHTML, MATHML = "{http://www.w3.org/1999/xhtml}", "{http://www.w3.org/1998/Math/MathML}"
MARKUP = re.compile(r"\*\*|`|\\[([]|<!--|</?(?:details|summary)|\$[^\s$][^$]*\$")


def titles() -> list[str]:
    return [read(page).partition("\n")[0].removeprefix("# ") for page in PAGES]


def test_what_folds_and_moves_on_the_site_stands_still() -> None:
    path = "chapters/06_attentive_lm/README.md"
    text = printed(PrintedEdition(), path)
    assert read(path).count("<details>") == text.count('<div class="answer">') > 5 and "<details>" not in text
    assert "<!-- live:" in read(path) and 'class="live"' not in text
    assert "](model.py)" in read(path) and "code/chapters" not in text, "files of code have no page in it"


def test_without_a_browser_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for make in (make_epub, make_pdf):
        monkeypatch.setattr("book.slides.printing.find_browser", lambda: None)
        with pytest.raises(UserError, match="needs Chrome, Chromium or Edge"):
            make(tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("printed")


@pytest.fixture(scope="module")
def files(folder: Path) -> dict[str, bytes]:
    """What the EPUB contains."""
    with ZipFile(make_epub(folder)) as book:
        return {name: book.read(name) for name in book.namelist()}


@pytest.fixture(scope="module")
def pages(files: dict[str, bytes]) -> dict[str, ET.Element]:
    return {name: ET.fromstring(text) for name, text in files.items() if name.endswith(".xhtml")}


def prose(element: ET.Element) -> str:
    """The text of an element without code and formulas."""
    if element.tag in (f"{XHTML}pre", f"{XHTML}code", f"{MATHML}math"):
        return ""
    parts = (prose(child) + (child.tail or "") for child in element)
    return (element.text or "") + "".join(parts)


class TestEpub:
    pytestmark = made

    def test_every_lesson_is_listed(self, pages: dict[str, ET.Element]) -> None:
        listed = ["".join(link.itertext()) for link in pages["nav.xhtml"].iter(f"{XHTML}a")]
        assert {re.sub(r"[*`$]", "", title) for title in titles()} <= set(listed)

    def test_links_and_pictures_are_in_it(self, files: dict[str, bytes], pages: dict[str, ET.Element]) -> None:
        ids = {name: {part.get("id") for part in page.iter()} for name, page in pages.items()}
        for name, page in pages.items():
            for link in page.iter(f"{XHTML}a"):
                address, _, anchor = unquote(link.get("href", "")).partition("#")
                if "://" in address:
                    continue
                target = posixpath.normpath(posixpath.join(posixpath.dirname(name), address)) if address else name
                assert target in files and (not anchor or anchor in ids[target]), f"{name}: {link.get('href')}"
            for picture in page.iter(f"{XHTML}img"):
                path = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(picture.get("src"))))
                assert path in files and picture.get("alt"), f"{name}: {path}"
        figures = {Path(path).name for page in PAGES for path in re.findall(r"\]\((figures/[^)]+)\)", read(page))}
        assert len(figures) > 100 and figures <= {Path(name).name for name in files}

    def test_formulas_are_mathml(self, files: dict[str, bytes], pages: dict[str, ET.Element]) -> None:
        count = {name: len(list(page.iter(f"{MATHML}math"))) for name, page in pages.items()}
        blocks = sum(len(re.findall(r"^(?:> )?```math", read(page), re.MULTILINE)) for page in PAGES)
        assert sum(count.values()) > 1500 and blocks > 100
        assert sum(part.get("display") == "block" for page in pages.values() for part in page.iter()) >= blocks
        listing = files["content.opf"].decode()
        marked = set(re.findall(r'href="([^"]+)"[^>]* properties="mathml"', listing))
        assert marked == {name for name, number in count.items() if number}

    def test_no_markup_is_left(self, pages: dict[str, ET.Element]) -> None:
        for name, page in pages.items():
            found = MARKUP.search(prose(page))
            assert found is None, f"{name}: {found}"


FEW = ("chapters/01_ngram_lm/index", "chapters/06_attentive_lm/PART2")
"""Pages that are opened in a browser and printed. The whole book takes a minute, and is printed as they are."""


def shortened(page: str) -> str:
    """The page that is printed with its beginning and end, and of what lies between only a few pages."""
    beginning, *parts = re.split(r'(?=<span id="document-)', page)
    kept = [part for part in parts[:-1] if part.startswith(tuple(f'<span id="document-{name}"' for name in FEW))]
    assert len(kept) == len(FEW)
    return "".join([beginning, *kept, parts[-1]])


class TestPdf:
    pytestmark = made

    @pytest.fixture(scope="class")
    def page(self, folder: Path) -> Path:
        return build(folder, "singlehtml") / "index.html"

    @pytest.fixture(scope="class")
    def short(self, page: Path, folder: Path) -> Path:
        """The shortened page, beside all that it shows."""
        (page.parent / "short.html").write_text(shortened(page.read_text("utf-8")), encoding="utf-8")
        return page.parent / "short.html"

    def test_every_lesson_is_on_the_page_that_is_printed(self, page: Path) -> None:
        """And every picture. (The formulas are those of the site, whose every page is opened in a browser.)"""
        text = page.read_text("utf-8")
        pictures = [unquote(html.unescape(path)) for path in re.findall(r'<img [^>]*src="([^"]+)"', text)]
        assert [path for path in pictures if not path.startswith("data:") and not (page.parent / path).is_file()] == []
        assert len(pictures) >= sum(len(re.findall(r"^!\[", FENCE.sub("", read(page)), re.MULTILINE)) for page in PAGES)
        headings = {
            html.unescape(re.sub(r"<[^>]*>", "", heading)).removesuffix("¶").strip()
            for heading in re.findall(r"<h[12]>(.*?)</h[12]>", text, re.DOTALL)
        }
        assert {re.sub(r"[*`$]", "", title) for title in titles()} <= headings

    @pytest.mark.needs("loopback")
    def test_formulas_are_set_and_pictures_seen(self, short: Path, tmp_path: Path) -> None:
        with open_page(short, tmp_path) as browser:
            browser.wait_until(TYPESET)
            assert browser.evaluate("document.querySelectorAll('mjx-container').length") > 50
            assert browser.evaluate("document.querySelectorAll('mjx-merror').length") == 0
            assert browser.evaluate(BAD_PICTURES) == []

    def test_headings_are_the_outline_of_the_pdf(
        self, short: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        copy = Path(shutil.copytree(short.parent, tmp_path / "short"))
        shutil.move(copy / short.name, copy / "index.html")
        monkeypatch.setattr(making, "build", lambda folder, builder: copy)
        content = make_pdf(tmp_path).read_bytes()
        assert content.startswith(b"%PDF") and len(PAGE.findall(content)) > 20
        for name in FEW:
            title = read(f"{name}.md".replace("index", "README")).partition("\n")[0].removeprefix("# ")
            assert b"/Title (" + re.sub(rb"([()\\])", rb"\\\1", title.encode("ascii")) + b")" in content
