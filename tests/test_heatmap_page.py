"""The page that shows attention: what its file holds, and what it does in a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from common.errors import UserError
from common.plots.heatmap_page import TEMPLATE, embeddable_json, write_page
from common.search.attending import Shown
from tests.browser import Browser, open_page
from tests.programs import leftovers

SOURCE, TARGET = "the old hen sees mira".split(), "gre zul lira".split()
ATTENTION = np.array(
    [[0.1, 0.6, 0.3, 0, 0], [0.05, 0.2, 0.7, 0.05, 0], [0, 0.1, 0.2, 0.5, 0.2], [0.3, 0.1, 0.1, 0.1, 0.4]]
)
WORD_ATTENTION = ATTENTION[:, ::-1]
GATES = np.array([0.25, 1, 0, 0.5])
NASTY = ["</script><script>document.title='broken'</script>", "<unk>", "\"'", "<!--", "&lt;", "{{title}}", "\\u003c"]
PLAIN = Shown(SOURCE, TARGET, ATTENTION)
GATED = Shown(SOURCE, TARGET, ATTENTION, WORD_ATTENTION, GATES)
INJECTED = Shown(NASTY, NASTY, np.eye(len(NASTY)))


def parse(path: Path) -> tuple[list[str], list[str]]:
    """The opening tags of a page, and the text in each script."""
    text = path.read_text(encoding="utf-8")
    return re.findall(r"<[a-zA-Z][^>]*>", text), re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)


class TestFile:
    def test_it_holds_every_sentence(self, tmp_path: Path) -> None:
        write_page(tmp_path / "a.html", [PLAIN, GATED], "hens")
        plain, gated = json.loads(parse(tmp_path / "a.html")[1][0])
        assert plain == {"source": SOURCE, "target": [*TARGET, "</s>"], "attention": ATTENTION.tolist()}
        assert gated == {**plain, "word_attention": WORD_ATTENTION.tolist(), "gates": GATES.tolist()}

    def test_numbers_have_three_decimals(self, tmp_path: Path) -> None:
        write_page(tmp_path / "a.html", [Shown(["a"], ["b"], np.array([[2 / 3]], dtype=np.float32))], "hens")
        assert json.loads(parse(tmp_path / "a.html")[1][0])[0]["attention"] == [[0.667]]

    def test_it_needs_nothing_else(self, tmp_path: Path) -> None:
        """No element names another file, and the page itself forbids whatever is not in it."""
        write_page(tmp_path / "a.html", [GATED], "hens")
        text = (tmp_path / "a.html").read_text(encoding="utf-8")
        tags, _ = parse(tmp_path / "a.html")
        assert not [tag for tag in tags if re.search(r"\s(src|href|srcset|action)\s*=", tag)]
        assert "url(" not in text and "@import" not in text and "http:" not in text and "https:" not in text
        (policy,) = (tag for tag in tags if "http-equiv=" in tag)
        assert "content=\"default-src 'none';" in policy
        assert len(TEMPLATE.read_text(encoding="utf-8").splitlines()) < 200

    def test_no_word_and_no_title_adds_an_element(self, tmp_path: Path) -> None:
        write_page(tmp_path / "a.html", [PLAIN], "hens")
        write_page(tmp_path / "b.html", [INJECTED], "<script>{{sentences}}</script>")
        (tags, scripts), (nasty_tags, nasty_scripts) = parse(tmp_path / "a.html"), parse(tmp_path / "b.html")
        assert nasty_tags == tags and nasty_scripts[1:] == scripts[1:]
        assert json.loads(nasty_scripts[0])[0]["source"] == NASTY
        assert "<title>&lt;script&gt;{{sentences}}&lt;/script&gt;</title>" in (tmp_path / "b.html").read_text("utf-8")

    @pytest.mark.slow
    @given(st.lists(st.text() | st.sampled_from(NASTY)))
    def test_any_text_survives_in_a_script(self, words: list[str]) -> None:
        text = embeddable_json(words)
        assert json.loads(text) == words
        assert not set("<>&") & set(text)

    def test_it_is_written_whole_or_not_at_all(self, tmp_path: Path) -> None:
        page = tmp_path / "a.html"
        write_page(page, [PLAIN], "hens")
        before = page.read_bytes()
        with pytest.raises(ValueError, match="JSON"):
            write_page(page, [PLAIN._replace(attention=np.full((4, 5), np.nan))], "hens")
        assert page.read_bytes() == before and leftovers(tmp_path) == []
        with pytest.raises(UserError, match="cannot write"):
            write_page(page / "b.html", [PLAIN], "hens")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A page of 1,000 sentences in a browser."""
    folder = tmp_path_factory.mktemp("browser")
    write_page(folder / "page.html", [PLAIN, GATED, INJECTED, *[PLAIN] * 997], "hens")
    with open_page(folder / "page.html", folder) as page:
        yield page


def word(line: int, index: int) -> str:
    """A word on the page, as a JavaScript expression."""
    return f"document.querySelectorAll('.line')[{line}].querySelectorAll('.word')[{index}]"


def show(browser: Browser, number: int) -> None:
    """Choose a sentence, with the mouse out of the way."""
    browser.hover("document.querySelector('h1')")
    browser.evaluate(f"list.selectedIndex = {number}; list.dispatchEvent(new Event('change'))")
    browser.evaluate("document.activeElement.blur()")


def texts(browser: Browser, line: int) -> list[str]:
    words = f"document.querySelectorAll('.line')[{line}].querySelectorAll('.word')"
    return browser.evaluate(f"Array.from({words}, word => word.textContent)")


def depths(browser: Browser, line: int, kind: str = ".word") -> list[float]:
    """How strongly each word of a line is shaded, as the browser paints it: the opacity of its background."""
    return browser.evaluate(
        f"Array.from(document.querySelectorAll('.line')[{line}].querySelectorAll('{kind}'), word => "
        "{ const parts = getComputedStyle(word).backgroundColor.match(/[0-9.]+/g).map(Number);"
        " return parts.length > 3 ? parts[3] : 1; })"
    )


def numbers(browser: Browser, line: int) -> list[str]:
    return browser.evaluate(
        f"Array.from(document.querySelectorAll('.line')[{line}].querySelectorAll('small'), one => one.textContent)"
    )


class TestBrowser:
    @pytest.mark.needs("loopback")
    def test_pointing_at_a_target_word_shades_the_source(self, browser: Browser) -> None:
        show(browser, 0)
        assert texts(browser, 0) == SOURCE and texts(browser, 1) == [*TARGET, "</s>"]
        assert depths(browser, 0) == [0] * 5 and numbers(browser, 0) == [""] * 5
        for row, weights in enumerate(ATTENTION):
            browser.hover(word(1, row))
            assert depths(browser, 0) == pytest.approx(weights, abs=0.01)
            assert np.argmax(depths(browser, 0)) == weights.argmax()
            assert numbers(browser, 0) == [f"{weight:.2f}" for weight in weights]
            assert depths(browser, 1) == [0] * 4
        assert browser.evaluate("said.textContent").startswith("</s>: mira 0.40, the 0.30")
        browser.hover("document.querySelector('h1')")
        assert depths(browser, 0) == [0] * 5, "nothing stays shaded"

    @pytest.mark.needs("loopback")
    @pytest.mark.slow
    def test_pointing_at_a_source_word_shades_the_target(self, browser: Browser) -> None:
        show(browser, 0)
        for column, weights in enumerate(ATTENTION.T):
            browser.hover(word(0, column))
            assert depths(browser, 1) == pytest.approx(weights, abs=0.01)
            assert depths(browser, 0) == [0] * 5

    @pytest.mark.needs("loopback")
    def test_two_attentions_and_gates(self, browser: Browser) -> None:
        show(browser, 1)
        assert texts(browser, 0) == texts(browser, 2) == SOURCE
        assert depths(browser, 1, ".gate") == pytest.approx(GATES, abs=0.01)
        browser.hover(word(1, 1))
        assert depths(browser, 0) == pytest.approx(ATTENTION[1], abs=0.01)
        assert depths(browser, 2) == pytest.approx(WORD_ATTENTION[1], abs=0.01)
        sentences = browser.evaluate("said.textContent").split(". ")
        assert sentences[0].startswith("annotation attention of zul: hen 0.70,")
        assert sentences[1].startswith("word attention of zul: hen 0.70,") and sentences[2] == "1 - o: 1.00"
        browser.hover(word(2, 4))
        assert browser.evaluate("said.textContent").startswith("word attention of mira: </s> 0.30,")
        assert depths(browser, 1) == pytest.approx(WORD_ATTENTION[:, 4], abs=0.01)
        assert depths(browser, 0) == [0] * 5
        browser.hover(word(0, 4))
        assert depths(browser, 1) == pytest.approx(ATTENTION[:, 4], abs=0.01)

    @pytest.mark.needs("loopback")
    def test_the_keyboard_reaches_every_word(self, browser: Browser) -> None:
        show(browser, 0)
        browser.evaluate("list.focus()")
        browser.press("Tab")
        assert browser.evaluate(f"document.activeElement === {word(0, 0)}")
        browser.press("ArrowRight")
        assert depths(browser, 1) == pytest.approx(ATTENTION[:, 1], abs=0.01)
        browser.press("ArrowDown")
        assert depths(browser, 0) == pytest.approx(ATTENTION[1], abs=0.01)
        browser.press("ArrowUp")
        browser.press("ArrowLeft")
        browser.press("ArrowLeft")
        assert browser.evaluate(f"document.activeElement === {word(0, 0)}"), "the line ends here"
        browser.press("Tab")
        assert browser.evaluate("document.activeElement.line.attention") is None, "one stop a line"

    @pytest.mark.needs("loopback")
    def test_stepping_through_the_sentences(self, browser: Browser) -> None:
        show(browser, 0)
        assert browser.evaluate("list.length") == 1000
        assert browser.evaluate("document.querySelectorAll('.word').length") == 9, "only one sentence is built"
        assert browser.evaluate("document.getElementById('previous').disabled")
        browser.evaluate("document.getElementById('next').click()")
        assert browser.evaluate("document.querySelectorAll('.line').length") == 3
        assert browser.evaluate("place.textContent") == "2 of 1000"
        browser.evaluate("document.getElementById('previous').click()")
        assert browser.evaluate("document.querySelectorAll('.line').length") == 2
        show(browser, 999)
        assert browser.evaluate("document.getElementById('next').disabled")

    @pytest.mark.needs("loopback")
    def test_words_are_only_text(self, browser: Browser) -> None:
        show(browser, 2)
        assert texts(browser, 0) == NASTY
        browser.hover(word(1, 0))
        assert np.argmax(depths(browser, 0)) == 0
        assert NASTY[0] in browser.evaluate("said.textContent")
        assert browser.evaluate("document.title") == "hens"
        assert browser.evaluate("document.scripts.length") == 2

    @pytest.mark.needs("loopback")
    def test_nothing_is_fetched(self, browser: Browser) -> None:
        assert browser.evaluate("performance.getEntriesByType('resource').length") == 0

    @pytest.mark.needs("loopback")
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_shaded_words_can_be_read(self, browser: Browser, scheme: str) -> None:
        """Text and the strongest shade differ at least 4.5 to 1 in luminance (WCAG 2.1, criterion 1.4.3)."""
        browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        style = "getComputedStyle(document.body)"
        text = browser.evaluate(f"{style}.color.match(/[0-9.]+/g).map(Number)")
        page = browser.evaluate(f"{style}.backgroundColor.match(/[0-9.]+/g).map(Number)")
        shade = browser.evaluate(
            "getComputedStyle(document.documentElement).getPropertyValue('--weight').split(' ').map(Number)"
        )
        assert (luminance(page) > 0.9) if scheme == "light" else (luminance(page) < 0.02)
        for ground in (page, shade):
            high, low = sorted([luminance(text), luminance(ground)], reverse=True)
            assert (high + 0.05) / (low + 0.05) > 4.5


def luminance(colour: list[float]) -> float:
    """The relative luminance of an sRGB colour from 0 to 255 (WCAG 2.1)."""
    parts = np.array(colour) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])
