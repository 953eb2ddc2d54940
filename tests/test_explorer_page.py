"""The explorer in a real browser: every tab, clicked through as a user does, with tiny models."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

from data import oracle
from tests.accessibility import findings, needs_axe
from tests.browser import PATIENCE, Browser, open_page
from tests.explorer_runs import TINY, train_runs
from tests.live_site import texts, type_into
from tests.programs import start

pytestmark = pytest.mark.slow

TABS = ("next", "look", "translate", "runs")
SHOWN = list(zip(TABS, (".card.truth", ".view", ".maps table", ".curves svg"), strict=True))
WANTED = (
    ("01_ngram_lm", "001", ()),
    ("06_attentive_lm", "001", ()),
    ("06_attentive_lm", "002", ("--score", "single")),
    ("11_transformer", "001", ()),
    ("08_attention", "001", ()),
    ("09_word_attention", "001", ()),
)


class Opened(NamedTuple):
    browser: Browser
    address: str


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """The page of a server with a run of most chapters, in a browser that tells of requests and errors."""
    folder = tmp_path_factory.mktemp("explorer")
    with open_page(None, folder) as browser:
        root = train_runs(folder / "runs", *WANTED)
        flags = " ".join(["--corpus", str(folder / "runs-corpora" / "hamlet"), *TINY])
        program = start(["-m", "book.explorer", "--runs", str(root), "--port", "0", "--no-browser", f"--train={flags}"])
        try:
            address = next(word for word in program.stdout.readline().split() if word.startswith("http"))
            for domain in ("Network", "Log", "Runtime"):
                browser.call(f"{domain}.enable")
            browser.go(address)
            yield Opened(browser, address)
        finally:
            program.terminate()
            program.communicate()


@pytest.fixture
def page(opened: Opened) -> Iterator[Browser]:
    """The page, which after the test must have had no error, and asked nobody but its own server."""
    browser = opened.browser
    yield browser
    browser.evaluate("1")  # takes in what was told until now
    hosts = {urlsplit(url).netloc for url in requests(browser) if not url.startswith(("data:", "about:"))}
    assert hosts == {urlsplit(opened.address).netloc}
    wrong = [event for event in browser.events if is_wrong(event)]
    assert not wrong


def requests(browser: Browser) -> list[str]:
    sent = [event["params"] for event in browser.events if event["method"] == "Network.requestWillBeSent"]
    return [request["request"]["url"] for request in sent]


def is_wrong(event: dict) -> bool:
    """An exception, an error on the console, or one that the browser itself reports: a blocked file, say."""
    if event["method"] == "Log.entryAdded":
        return event["params"]["entry"]["level"] == "error" and "400 (BAD REQUEST)" not in str(event)
    kinds = {"Runtime.exceptionThrown": True, "Runtime.consoleAPICalled": event["params"].get("type") == "error"}
    return kinds.get(event["method"], False)


def q(selector: str) -> str:
    """The first element that fits, as a JavaScript expression."""
    return f"document.querySelector({selector!r})"


def wait_for(page: Browser, selector: str) -> None:
    page.wait_until(f"{q(selector)} !== null")


def reopen(page: Browser, address: str) -> None:
    """Load the page anew, also where only what follows # is new."""
    page.go("about:blank")
    page.go(address)


def open_tab(page: Browser, name: str) -> None:
    page.click(q(f"#tab-{name}"))
    assert page.evaluate(f"!{q(f'#{name}')}.hidden")


@pytest.mark.needs("loopback")
def test_next_words_by_clicking_and_typing(page: Browser) -> None:
    wait_for(page, "#next .card.truth")
    assert len(texts(page, "#next .card")) == 5, "the truth and the four language models"
    page.click(q("#next .offers button"))
    page.wait_until(
        f"{q('#next-text')}.value !== '' && document.querySelectorAll('#next .surprise tbody tr').length === 5"
    )
    first = max(oracle.next_word_probs([]).items(), key=lambda pair: pair[1])[0]
    assert page.evaluate(f"{q('#next-text')}.value") == first
    type_into(page, "#next-text", "the hen of mira")
    page.wait_until("[...document.querySelectorAll('#next thead th')].map(one => one.textContent).includes('mira')")
    truth = oracle.next_word_probs("the hen of mira".split())
    assert len(texts(page, "#next .offers .buttons button")) == len(truth)
    assert all("nats" in text for text in texts(page, "#next .card:not(.truth) .score"))
    page.click(q("#next .sampling button.main"))
    wait_for(page, "#next .samples li")
    assert all(text.startswith("the hen of mira ") for text in texts(page, "#next .samples li"))
    type_into(page, "#next-text", "the wombat </s>")
    page.wait_until(f"{q('#next .problem')}.textContent.includes('mark where sentences begin')")
    assert texts(page, "#next .card") == [] and page.evaluate(f"{q('#next .surprise')}.hidden"), "of another text"
    page.click(q("#next .clear"))
    page.wait_until(f"{q('#next .problem')}.textContent === '' && {q('#next .surprise')}.hidden")


@pytest.mark.needs("loopback")
def test_attention_by_pointing_and_by_keys(page: Browser) -> None:
    open_tab(page, "look")
    type_into(page, "#look-text", "the hen of mira follows mira .")
    page.click(q("#look .main"))
    page.wait_until("document.querySelectorAll('#look .predicted button').length === 8")
    assert len(texts(page, "#look .view")) == 3, "single beside combined, and a Transformer"
    page.hover(q("#look .predicted span, #look .predicted button:nth-child(6)"))
    weights = texts(page, "#look .view:first-child small")
    assert weights[5] == "last read" and sum(map(float, weights[:5])) == pytest.approx(1, abs=0.03)
    page.evaluate(f"{q('#look .predicted button')}.focus()")
    page.press("ArrowRight")
    assert texts(page, "#look .predicted .chosen") == ["hen"] and "predicts hen" in texts(page, "#look .told")[0]
    page.click(q("#look .view summary"))
    assert page.evaluate(f"{q('#look .view table')}.rows.length") == 9
    heads = texts(page, "#look .view option")
    assert [heads[0], heads[-1], len(heads)] == ["block 1, head 1", "block 2, head 4", 8], "chapter 6 has no choice"
    shares = "#look .view:has(select) small"
    page.hover(q("#look .predicted button:nth-child(6)"))
    before = texts(page, shares)
    assert sum(map(float, before[:6])) == pytest.approx(1, abs=0.04), "the word read last among them"
    choose = f"{q('#look select')}.selectedIndex = 7, {q('#look select')}.dispatchEvent(new Event('change'))"
    page.evaluate(choose)
    assert texts(page, shares) != before and "block 2, head 4 attending to" in texts(page, "#look .told")[0]


@pytest.mark.needs("loopback")
def test_a_translation_its_beam_and_its_attention(page: Browser) -> None:
    open_tab(page, "translate")
    wait_for(page, "#translate .maps table")
    assert len(texts(page, "#translate .maps table")) == 2, "the two attentions of chapter 9"
    assert texts(page, "#translate .share")[1:], "the gate of each word"
    translations = texts(page, "#translate .nbest tbody th")
    assert translations[0].startswith("1") and translations[-1] == "truth"
    assert texts(page, "#translate .node.chosen") and texts(page, "#translate .node.pruned")
    page.click(q("#translate .nbest tr:last-child button"))
    page.wait_until(f"{q('#translate .links')}.textContent.startsWith('Ringed')")
    wait_for(page, "#translate .map .true")
    page.click("document.querySelectorAll('#translate .chips input')[0]")
    page.wait_until("document.querySelectorAll('#translate .maps .view').length === 2")
    assert texts(page, "#translate .problem")[0].startswith("An ensemble of 2"), "also when attention has come"
    for _ in range(2):
        page.click(q("#translate .chips input:checked"))
    page.wait_until(f"{q('#translate .found')}.hidden")
    assert texts(page, "#translate .problem") == ["Choose a model above; several are an ensemble."]


@pytest.mark.needs("loopback")
def test_runs_are_compared(page: Browser) -> None:
    open_tab(page, "runs")
    wait_for(page, "#runs .curves svg")
    assert len(texts(page, "#runs .legend li")) == 4
    runs = "[...document.querySelectorAll('#runs .list label')]"
    page.evaluate(f"{runs}.find(run => run.textContent.includes('transformer')).querySelector('input').click()")
    page.click(q("#runs .list input"))  # without chapters 1 and 11, two runs of chapter 6 are left
    names = "[...document.querySelectorAll('#runs .settings > table tbody th')].map(one => one.textContent)"
    page.wait_until(f"{names}.join() === 'score'")
    assert texts(page, "#runs .settings summary")[0].endswith("equal in all")
    assert not page.evaluate(f"{q('#runs .settings details')}.open"), "folded away"
    assert len(texts(page, "#runs .legend li")) == 2 and "dev perplexity" in texts(page, "#runs .results th")
    for _ in range(2):
        page.click(q("#runs .list input:checked"))
    assert texts(page, "#runs .problem") == ["Choose a run above."] and page.evaluate(f"{q('#runs .found')}.hidden")


@pytest.mark.needs("loopback")
def test_capitals_and_punctuation_are_read_as_the_village_writes_them(page: Browser) -> None:
    """And one mistake has one message, with one full stop."""
    open_tab(page, "next")
    type_into(page, "#next-text", "The Goat Waits.")
    page.wait_until(f"{q('#next .problem')}.textContent.includes('“the goat waits .”')")
    assert texts(page, "#next .surprise thead th") == ["the", "goat", "waits", ".", "sum"]
    page.click(q("#next .back"))
    page.wait_until(f"{q('#next-text')}.value === 'the goat waits'")
    type_into(page, "#next-text", "the goat of Zorro")
    page.wait_until(f"{q('#next .problem')}.textContent.includes('zorro')")
    told = texts(page, "#next .problem")[0]
    read, mistake = told.split(". ")
    assert read == "Read as “the goat of zorro”" and mistake.startswith("“zorro” is not in the vocabulary")
    assert mistake.count(".") == 1 and mistake.endswith(".")
    type_into(page, "#next-text", "x" * 61)
    page.wait_until(f"{q('#next .problem')}.textContent.includes('at most 60 letters')")
    assert texts(page, "#next .problem")[0].endswith("between words.")


@pytest.mark.needs("loopback")
def test_values_by_pointing_and_by_keys(page: Browser) -> None:
    open_tab(page, "next")
    type_into(page, "#next-text", "the hen of mira")
    page.wait_until(f"{q('#next .surprise thead th:nth-last-child(2)')}?.textContent === 'mira'")
    truth = sorted(oracle.next_word_probs("the hen of mira".split()).items(), key=lambda pair: (-pair[1], pair[0]))
    page.evaluate(f"{q('#next .card.truth')}.scrollIntoView()")
    page.hover(q("#next .card.truth .bar"))
    shown = "P({}) = {:.4g}"
    page.wait_until(f"!{q('#value')}.hidden")
    assert texts(page, "#value") == [shown.format(*truth[0])]
    page.evaluate(f"{q('#next .card.truth .bar')}.focus()")
    page.press("ArrowDown")
    assert texts(page, "#value") == [shown.format(*truth[1])]
    page.press("ArrowRight")
    assert texts(page, "#value")[0].endswith(f"; in truth {truth[1][1]:.4g}"), "the same word by a model"
    assert page.evaluate("document.activeElement.getAttribute('aria-describedby')") == "value"
    assert page.evaluate("[...document.querySelectorAll('#next .bar')].filter(bar => bar.tabIndex === 0).length") == 1
    page.press("Escape")
    assert page.evaluate(f"{q('#value')}.hidden")


def saved(page: Browser, selector: str) -> str:
    """What a button saves."""
    page.evaluate(
        "window.content = null; window.plain ??= URL.createObjectURL.bind(URL); URL.createObjectURL = "
        "blob => { blob.text().then(text => { window.content = text; }); return window.plain(blob); }"
    )
    page.click(q(selector))
    page.wait_until("window.content !== null")
    return page.evaluate("window.content")


def written_in(picture: str) -> list[str]:
    """The texts of an SVG file, in which every colour is plain."""
    root = ElementTree.fromstring(picture)
    assert root.tag.endswith("}svg") and "var(" not in picture and "rgb" not in picture and "class=" not in picture
    assert all(float(size) > 50 for size in root.attrib["viewBox"].split()[2:])
    return [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.needs("loopback")
def test_pictures_and_numbers_are_saved(opened: Opened, page: Browser) -> None:
    reopen(page, opened.address)
    open_tab(page, "next")
    type_into(page, "#next-text", "the hen of mira")
    page.wait_until(f"{q('#next .surprise thead th:nth-last-child(2)')}?.textContent === 'mira'")
    truth = oracle.next_word_probs("the hen of mira".split())
    head, *rows = csv.reader(saved(page, "#next .save button:last-child").splitlines())
    assert head[:3] == ["word", "the truth", "1. n-gram language models"] and len(head) >= 6
    assert [(row[0], float(row[1])) for row in rows] == [(word, pytest.approx(truth.get(word, 0))) for word, *_ in rows]
    told = written_in(saved(page, "#next .save button"))
    assert {"The truth", *head[2:3], *(row[0] for row in rows)} <= set(told)
    head, *rows = csv.reader(saved(page, "#next .surprise .save button:last-child").splitlines())
    assert [row[0] for row in rows] == "the hen of mira".split() and all(float(cost) >= 0 for cost in rows[0][1:])
    open_tab(page, "translate")
    wait_for(page, "#translate .maps table")
    words = texts(page, "#translate .map tbody th")
    assert set(words) <= set(written_in(saved(page, "#translate .maps .save button"))), "headings that are turned, too"
    nodes = list(csv.DictReader(saved(page, "#translate .of-tree button:last-child").splitlines()))
    boxes = [word for word in written_in(saved(page, "#translate .of-tree button")) if not word.startswith("-")]
    assert len(nodes) == len(boxes) - 1 and {node["fate"] for node in nodes} >= {"kept", "pruned"}
    open_tab(page, "runs")
    wait_for(page, "#runs .curves svg")
    curves = list(csv.DictReader(saved(page, "#runs .of-curves button:last-child").splitlines()))
    assert {"run", "epoch", "dev perplexity"} <= set(curves[0]) and float(curves[-1]["dev perplexity"]) > 1
    assert "epoch" in written_in(saved(page, "#runs .of-curves button"))


@pytest.mark.needs("loopback")
def test_a_page_opens_again_from_its_address(opened: Opened, page: Browser) -> None:
    """Each tab's text, runs and choices are in the address; what is not there is said once."""

    open_tab(page, "look")
    wait_for(page, "#look .predicted .chosen")
    type_into(page, "#look-text", "The hen, of mira, follows Mira.")
    page.click(q("#look .chips input:checked"))
    page.wait_until("document.querySelectorAll('#look .predicted button').length === 10")
    page.click(q("#look .predicted button:nth-child(5)"))
    chosen = texts(page, "#look .chips label:has(:checked)")
    page.wait_until("location.hash.includes('word=4')")
    reopen(page, page.evaluate("location.href"))
    page.wait_until(f"{q('#look .predicted .chosen')}?.textContent === 'mira'")
    assert page.evaluate(f"{q('#look-text')}.value") == "The hen, of mira, follows Mira."
    assert texts(page, "#look .chips label:has(:checked)") == chosen and len(chosen) == 2
    assert page.evaluate(f"!{q('#look')}.hidden && {q('#next')}.hidden")
    open_tab(page, "translate")
    wait_for(page, "#translate .maps table")
    beam = q("#translate [name=beam]")
    page.evaluate(f"{beam}.value = 2, {beam}.dispatchEvent(new Event('change', {{bubbles: true}}))")
    page.wait_until(f"!{q('#translate .found')}.hidden")
    page.click(q("#translate .nbest tr:last-child button"))
    page.wait_until("location.hash.includes('beam=2') && location.hash.includes('rank=')")
    reopen(page, page.evaluate("location.href"))
    page.wait_until(f"{q('#translate .nbest tr:last-child [aria-pressed=true]')} !== null")
    assert page.evaluate(f"{beam}.value") == "2"
    reopen(page, f"{opened.address}#runs?run=06_attentive_lm/001&run=06_attentive_lm/gone")
    page.wait_until(f"{q('#runs .legend li')} !== null && !{q('#alert')}.hidden")
    assert texts(page, "#alert") == ["not in this folder of runs: 06_attentive_lm/gone; other models are shown."]
    assert len(texts(page, "#runs .legend li")) == 1
    reopen(page, opened.address)


@pytest.mark.needs("loopback")
def test_a_missing_model_is_trained_from_the_page(page: Browser) -> None:
    open_tab(page, "next")
    missing = "[...document.querySelectorAll('#next .chips button')].find(one => one.textContent.startsWith('train 5'))"
    page.click(missing)
    wait_for(page, ".job")
    page.evaluate(f"window.article = {q('.job')}")
    page.wait_until(f"{missing} === undefined", 4 * PATIENCE)  # a whole program, on a machine that may be busy
    assert "done" in texts(page, ".job h3")[0]
    assert page.evaluate(f"window.article === {q('.job')}"), "it stays, so that its button keeps the focus"
    assert any(text.startswith("5. Recurrent") for text in texts(page, "#next .chips label"))


@pytest.mark.needs("loopback")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_narrow_screens_and_dark_ones(page: Browser, scheme: str) -> None:
    """On a telephone nothing is wider than the screen; text and ground are far apart in light and dark."""
    page.call("Emulation.setDeviceMetricsOverride", width=360, height=740, deviceScaleFactor=2, mobile=True)
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    for tab in TABS:
        open_tab(page, tab)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, tab
    style = "getComputedStyle(document.body)"
    ground, text = (
        page.evaluate(f"{style}.{name}.match(/[0-9]+/g).map(Number)") for name in ("backgroundColor", "color")
    )
    assert abs(sum(ground) - sum(text)) > 450 and (sum(text) > sum(ground)) == (scheme == "dark")
    page.call("Emulation.clearDeviceMetricsOverride")


@pytest.mark.needs("loopback")
@needs_axe
@pytest.mark.parametrize(("tab", "shown"), SHOWN)
def test_no_serious_fault_of_accessibility(page: Browser, tab: str, shown: str) -> None:
    open_tab(page, tab)
    if tab == "look":
        type_into(page, "#look-text", "the hen of mira follows mira .")
        page.click(q("#look .main"))
    elif tab == "translate" and page.evaluate(f"!{q('#translate .chips input:checked')}"):
        page.click(q("#translate .chips input"))
    elif tab == "runs" and page.evaluate(f"!{q('#runs .list input:checked')}"):
        page.click(q("#runs .list input"))
    wait_for(page, f"#{tab} {shown}")
    assert list(findings(page)) == []
    page.call("Emulation.clearDeviceMetricsOverride")


@pytest.mark.needs("loopback")
def test_every_field_has_a_name(page: Browser) -> None:
    """Fields have labels, buttons texts, tabs their panels; the keys move from tab to tab."""
    nameless = page.evaluate(
        "[...document.querySelectorAll('input, select, button')].filter(one => !one.closest('[hidden]') &&"
        " !(one.labels && one.labels.length && one.labels[0].textContent.trim()) && !one.textContent.trim() &&"
        " !one.getAttribute('aria-label')).map(one => one.outerHTML)"
    )
    assert nameless == []
    open_tab(page, "next")
    page.evaluate(f"{q('#tab-next')}.focus()")
    page.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-look" and page.evaluate(f"!{q('#look')}.hidden")
    page.press("ArrowLeft")
    page.press("ArrowLeft")
    assert page.evaluate("document.activeElement.id") == "tab-runs", "round to the last"
