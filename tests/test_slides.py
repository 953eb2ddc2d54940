"""The instructor's slides: made from the lessons, without another host, and each fits on its page."""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from book.blocks import numbers
from book.lessons import LESSONS
from book.lessons.cells import namespace
from book.slides import __main__ as program, printing
from book.slides.__main__ import NEEDED, build, main
from book.slides.deck import (
    CELL,
    NOTES,
    SHOWN,
    cell,
    decks,
    filled_in,
    minutes,
    roomy,
    slides,
    stage as stage_deck,
    table,
)
from book.slides.figures import Shown
from book.slides.printing import print_deck
from common.errors import UserError
from tests.accessibility import AXE, findings
from tests.browser import Browser, open_page

DECKS = decks()
pytestmark = pytest.mark.skipif(not DECKS, reason="the students' edition has no slides")
needs_sphinx = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, NEEDED)), reason="slides need the extra: pip install -e .[book]"
)
READY = "!!window.Reveal && Reveal.isReady() && document.querySelectorAll('.math mjx-container').length >= {formulas}"
MEASURED = """JSON.stringify(Reveal.getSlides().map((slide, number) => {
  Reveal.slide(number);
  const points = 0.75 * Reveal.getScale(), code = [...slide.querySelectorAll('pre, pre code')];
  const written = [...slide.querySelectorAll('*')].filter(part => part.getClientRects().length
    && !part.closest('aside, mjx-container')
    && [...part.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
  return {
    title: slide.querySelector('h1, h2').textContent, width: slide.scrollWidth, height: slide.scrollHeight,
    scrolls: code.some(part => part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1),
    letters: Math.min(...written.map(part => points * parseFloat(getComputedStyle(part).fontSize))),
    figures: [...slide.querySelectorAll('img')].map(({src, width, height}) => [src, points * width, points * height]),
  };
}))"""
"""Each slide on a page of 1280 x 720: its size in pixels, its smallest letter and its figures in points."""
ONE_VIEW = (("light", 1000),)
"""Slides have the same colours for everybody, and are scaled to the width of a screen."""
LAST_ROW = 14
"""Points of the smallest letter that the last row can read, on a page 960 points wide."""


def smallest_letter(picture: str, width: float, height: float) -> float:
    """The size of the smallest letter of an SVG of matplotlib, in the points of the place that it is fitted into."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', picture)
    sizes = [100 * float(scale) for scale in re.findall(r"scale\(([\d.]+) -", picture)]
    return min(sizes) * min(width / float(box[1]), height / float(box[2]))


@pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.stem)
def test_a_deck_has_what_a_lecture_needs(deck: Path) -> None:
    text = deck.read_text("utf-8")
    parts = slides(text)
    assert 17 <= len(parts) <= 26 and 50 <= minutes(text) <= 90
    assert all(len(NOTES.findall(slide)) == 1 for _, slide in parts), "notes with minutes below each slide"
    titles = [title for title, _ in parts]
    questions = [number for number, title in enumerate(titles) if title.startswith("A question")]
    assert len(questions) >= 2 and all(titles[number + 1].startswith("The answer") for number in questions)
    assert len(CELL.findall(text)) + text.count("<!-- = ") >= 3
    assert len(re.findall(r"^!\[", text, re.MULTILINE)) >= 7
    assert "![" in text.partition("\n## ")[0], "the title has a picture"


@pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.stem)
def test_worked_numbers_and_code_come_from_the_lesson(deck: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("book.slides.deck.picture", lambda *_: b"")
    text = deck.read_text("utf-8")
    for kind, chapter, name in CELL.findall(text):
        assert numbers(cell(kind, chapter, name))
    assert "<!--" not in filled_in(text).replace("<!-- figure: ", "")
    assert len(SHOWN.findall(text)) <= filled_in(text).count("```python")
    stage_deck(deck, tmp_path)
    assert {path.name for path in tmp_path.glob("*.svg")} == set(
        re.findall(r"\]\(([\w.-]+\.svg)\)", (tmp_path / "index.md").read_text("utf-8"))
    )


def test_every_chapter_has_a_deck() -> None:
    assert [deck.stem for deck in DECKS] == [f"ch{lesson.removeprefix('chapters/')[:2]}" for lesson in LESSONS]


def test_tables_are_those_of_the_lesson() -> None:
    lines = table("05", "decided by", "1", "3").splitlines()
    assert len(lines) == 4 and lines[2].replace(" ", "") == "|agreement|988of14,300|6.90|"
    with pytest.raises(UserError, match="lesson 05 has no table that begins with 'decided on'"):
        table("05", "decided on")
    (chapter_7,) = [deck.read_text("utf-8") for deck in DECKS if deck.stem == "ch07"]
    (searching,) = [slide for title, slide in slides(chapter_7) if title.startswith("Searching: is the best first")]
    rows = [[cell.strip(" *`") for cell in line.split("|")[2:-1]] for line in searching.splitlines() if line[:1] == "|"]
    words = rows[0][1:]
    next_word = namespace("07")["next_word"]
    for so_far, *cells in rows[2:]:
        assert {word: float(cell) for word, cell in zip(words, cells, strict=True) if cell} == next_word[so_far]
    assert len(rows) == 2 + len(next_word)
    (chapter_10,) = [deck.read_text("utf-8") for deck in DECKS if deck.stem == "ch10"]
    typed = re.findall(r"^\| ([^|]+) \| \*(.+)\* \| ([\d.]+) \|$", chapter_10, re.MULTILINE)
    lesson = namespace("10")
    texts = [" ".join(lesson[name]) for name in ("reference", "no_particle", "other_name")]
    assert typed == [(*pair, f"{p:.2f}") for *pair, p in zip(lesson["names"], texts, lesson["P"], strict=True)]


@pytest.mark.parametrize(("chapter", "name"), [("06", "weight"), ("07", "root"), ("07.9", "root")])
def test_a_cell_that_is_not_there(chapter: str, name: str) -> None:
    """The second is in the chapter's part 2."""
    with pytest.raises(UserError, match=f"no cell of lesson {chapter} gives '{name}' a value"):
        cell("output", chapter, name)
    assert "| renormalised |" in cell("output", "07.2", "root")


def test_a_figure_that_is_not_there(tmp_path: Path) -> None:
    deck = tmp_path / "ch01.md"
    deck.write_text("# x\n\n## y\n\n![a](figures/none.svg)\n", encoding="utf-8")
    with pytest.raises(UserError, match="there is no figure figures/none.svg"):
        stage_deck(deck, tmp_path / "staged")


@pytest.mark.parametrize("mark", ["besides", "panels", "panels a", "heights 3", "beside panels 1 2"])
def test_a_mark_of_a_figure_that_says_nothing(mark: str) -> None:
    with pytest.raises(UserError, match=f"^figure: {mark}: write beside, panels 1,2 or heights 0-6$"):
        Shown.read(mark)


def test_marks_of_figures() -> None:
    assert Shown.read("") == Shown()
    assert Shown.read("beside panels 5,6,8") == Shown(beside=True, panels=(5, 6, 8))
    assert Shown.read("heights 0-5.2") == Shown(heights=(0, 5.2))


def test_little_text_is_set_larger() -> None:
    notes = "```{revealjs-notes}\n(1 min) x\n```\n"
    short, wide = f"## Title\n\nShort.\n\n{notes}", f"## Title\n\n```python\n{'x' * 80}\n```\n\n{notes}"
    assert ":::{container} roomy\n\nShort.\n" in roomy(short) and roomy(short).endswith(notes)
    assert roomy(wide) == wide, "a line of code does not fit then"
    for other in (f"## Title\n\n![a](a.svg)\n\n{notes}", "## Title\n\n" + "A line.\n\n" * 9 + notes):
        assert roomy(other) == other


BROWSER = """#!/bin/sh
echo x >> {log}
for option; do case $option in --print-to-pdf=*) pdf=${{option#--print-to-pdf=}};; esac; done
case $(wc -l < {log}) in 1) sheet='612 792';; *) sheet='960 540';; esac
printf "<< /MediaBox [0 0 $sheet] >>" > "$pdf"
if [ $(wc -l < {log}) -ge {good} ]; then printf '/MediaBox [0 0 960 540] /MediaBox [0 0 960 540]' > "$pdf"; fi
"""


@pytest.mark.needs("loopback")
@pytest.mark.parametrize(("good", "printed"), [(1, 1), (3, 3), (99, 0)])
def test_what_is_printed_too_early_is_printed_again(good: int, printed: int, tmp_path: Path, monkeypatch) -> None:
    """In a hurry a browser prints on sheets of paper, or one blank sheet; the third attempt may succeed."""
    waits: list[float] = []
    monkeypatch.setattr(printing, "sleep", waits.append)
    log, browser = tmp_path / "log", tmp_path / "browser"
    browser.write_text(BROWSER.format(log=shlex.quote(str(log)), good=good), encoding="utf-8")
    browser.chmod(0o755)
    if printed:
        print_deck(str(browser), tmp_path / "index.html", tmp_path / "deck.pdf")
        assert len(log.read_text().splitlines()) == printed
    else:
        with pytest.raises(UserError, match="printed .* too early"):
            print_deck(str(browser), tmp_path / "index.html", tmp_path / "deck.pdf")
        assert not (tmp_path / "deck.pdf").exists(), "it would pass for the deck"
    assert waits == list(printing.WAITS[: printed or None]) and waits == sorted(waits), "longer each time"


@pytest.mark.needs("loopback")
@needs_sphinx
def test_a_deck_that_fails_does_not_stop_the_others(tmp_path: Path, monkeypatch, capsys) -> None:
    def build_deck(deck: Path, out: Path) -> None:
        if deck.stem == "ch04":
            raise UserError(f"{deck.name} has faulty slides")

    def print_pdf(browser: str, page: Path, pdf: Path) -> None:
        if page.parent.name == "ch02":
            raise UserError(f"{page} is blank")

    monkeypatch.setattr(program, "build", build_deck)
    monkeypatch.setattr(program, "print_deck", print_pdf)
    monkeypatch.setattr(program, "find_browser", lambda: "chrome")
    monkeypatch.setattr("sys.argv", ["slides", "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as stopped:
        main()
    printed = capsys.readouterr()
    names = {Path(line).stem for line in printed.out.splitlines() if line.endswith(".pdf")}
    assert names == {deck.stem for deck in DECKS} - {"ch02", "ch04"}
    blank = f"error: {tmp_path / 'ch02' / 'index.html'} is blank"
    assert printed.err.splitlines() == [blank, "error: ch04.md has faulty slides"]
    assert stopped.value.code == "error: not made: ch02, ch04; make them again: python -m book.slides ch02 ch04"
    monkeypatch.setattr("sys.argv", ["slides", "--out", str(tmp_path), "ch01", "ch03"])
    main()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with open_page(None, tmp_path_factory.mktemp("browser")) as page:
        yield page


@pytest.mark.needs("loopback")
@pytest.mark.slow
@needs_sphinx
@pytest.mark.parametrize("deck", DECKS, ids=lambda deck: deck.stem)
def test_every_slide_fits_in_a_browser(browser: Browser, deck: Path, tmp_path: Path) -> None:
    """And can be read from the last row; the pages ask no other host for anything."""
    build(deck, tmp_path / "deck")
    page = (tmp_path / "deck" / "index.html").read_text("utf-8")
    assert page.count('class="notes"') == len(slides(deck.read_text("utf-8")))
    assert not re.findall(r"""(?:src|href)=["']https?://(?!.*</a>)""", page)
    styles = "".join(path.read_text("utf-8") for path in (tmp_path / "deck" / "_static").rglob("white.css"))
    assert styles and not re.findall(r"url\(['\"]?https?:", styles)
    browser.call("Emulation.setDeviceMetricsOverride", width=1280, height=720, deviceScaleFactor=1, mobile=False)
    browser.go((tmp_path / "deck" / "index.html").as_uri())
    browser.wait_until(READY.format(formulas=page.count('class="math')))
    for slide in json.loads(browser.evaluate(MEASURED)):
        assert slide["width"] <= 1280 and 20 < slide["height"] <= 720 and not slide["scrolls"], slide
        assert slide["letters"] >= LAST_ROW, slide
        for address, width, height in slide["figures"]:
            picture = (tmp_path / "deck" / unquote(urlsplit(address).path).partition("/deck/")[2]).read_text("utf-8")
            assert smallest_letter(picture, width, height) >= LAST_ROW, slide
    if AXE.is_file():
        assert list(findings(browser, ONE_VIEW)) == []
        browser.call("Emulation.clearDeviceMetricsOverride")
