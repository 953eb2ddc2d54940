"""Every live figure on a built page: typed into, dragged and read, offline, on a desktop and on a telephone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import dynet as dy
import numpy as np
import pytest

from book.counted import two_opinions
from book.explorer.next_words import divergence, over_vocabulary
from book.figures.recorded import recorded
from book.lessons.cells import namespace
from book.live.scripts import MODELS, script_data
from chapters.ngram_lm.tuning import tune_weight
from chapters.transformer.positions import rotate, sinusoids
from common.search.length_prior import LengthPrior
from common.text.pairs import load_pairs
from common.text.vocab import Vocabulary
from data import oracle
from tests.browser import Browser
from tests.live_site import ALL, BUILT, LiveSite, drag, open_site, page_name, texts, type_into
from tests.test_live_models import course_model
from tests.test_site_built import CONTRAST, complaints

pytestmark = [*BUILT, pytest.mark.needs("loopback")]
WIDTHS = (1000, 390)
"""Of the screens on which figures are drawn, and clicked and pointed at; sliders are moved by events of their own."""
HEADS = 4
NARROWEST = 12  # pixels: nine points
SMALL_TEXT = """[...document.querySelectorAll('div.live *')].filter(node =>
  [...node.childNodes].some(child => child.nodeType === 3 && child.textContent.trim())).map(node => {
    const drawing = node.closest('svg');
    const zoom = drawing ? drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width : 1;
    return [zoom * parseFloat(getComputedStyle(node).fontSize), node.textContent];
  }).filter(([size]) => size < %s)"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSite]:
    with open_site(tmp_path_factory.mktemp("live"), ALL) as opened:
        yield opened


def status(page: Browser) -> str:
    return texts(page, "div.live [role=status]")[0]


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"[-−]?\d+(?:\.\d+)?", text.replace("−", "-"))]


def bars(page: Browser) -> list[list[float]]:
    """The numbers of each row of the bar chart."""
    rows = page.evaluate(
        "[...document.querySelectorAll('div.live .bar-row')]"
        ".map(row => [...row.querySelectorAll('.bar b')].map(b => b.textContent))"
    )
    return [[float(text.replace("−", "-")) for text in row] for row in rows]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(("name", "chapter"), ALL)
def test_a_figure_is_drawn_without_a_fault(name: str, chapter: str, width: int, site: LiveSite) -> None:
    """No error, nothing from the network, nothing wider than the screen, and text of nine points or more."""
    page = site.show(name, chapter, width)
    assert complaints(page.events) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(SMALL_TEXT % NARROWEST) == []
    nameless = page.evaluate(
        "[...document.querySelectorAll('div.live input, div.live select, div.live button')].filter(node =>"
        " !node.getAttribute('aria-label') && !node.textContent.trim()).map(node => node.outerHTML)"
    )
    assert nameless == []


@pytest.mark.parametrize(("name", "chapter"), ALL)
def test_a_figure_can_be_read_in_the_dark(name: str, chapter: str, site: LiveSite) -> None:
    page = site.show(name, chapter, dark=True)
    assert page.evaluate(CONTRAST.replace("article p,", "div.live *, article p,")) == []


def test_other_pages_load_no_scripts_of_figures(site: LiveSite) -> None:
    first = (site.folder / "index.html").read_text("utf-8")
    figure = (site.folder / f"{page_name('softmax', '02')}.html").read_text("utf-8")
    assert "_static/live/" not in first and "_static/live/live.css" in figure
    scripts = re.findall(r"_static/live/([\w-]+\.js)", figure)
    assert scripts == ["live.js", "numbers.js", "softmax.js", "data-softmax.js"]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("chapter", ["01", "05", "06", "11"])
def test_next_words_are_typed_clicked_and_read(chapter: str, width: int, site: LiveSite) -> None:
    page = site.show("next-words", chapter, width)
    type_into(page, "div.live input", "The Hen, of")
    assert "cannot produce word 3, “,”" in status(page) and all(len(row) == 1 for row in bars(page))
    type_into(page, "div.live input", "The Hen of")
    assert status(page) == ""
    best = texts(page, "div.live .bar-row .word")[0]
    truth = oracle.next_word_probs("the hen of".split())
    assert best == max(truth, key=truth.get) and bars(page)[0][0] == pytest.approx(truth[best], abs=5e-4)
    page.click("document.querySelector('div.live .bar-row button')")
    assert page.evaluate("document.querySelector('div.live input').value") == f"the hen of {best}"
    assert page.evaluate("document.activeElement === document.querySelector('div.live .bar-row button')")
    page.click("[...document.querySelectorAll('div.live .controls button')].find(b => b.textContent === 'clear')")
    assert page.evaluate("document.querySelector('div.live input').value") == ""
    type_into(page, "div.live input", "the wombat")
    assert "Unknown to the model, which reads <unk>: wombat." in status(page)
    type_into(page, "div.live input", "the hen " * 500)
    assert status(page).startswith("Only the first 40 words are read.")
    assert complaints(page.events) == []


def test_the_divergence_is_that_of_the_explorer(site: LiveSite) -> None:
    page = site.show("next-words", "05")
    type_into(page, "div.live input", "the hen of mira")
    words = "the hen of mira".split()
    vocab = Vocabulary(script_data((MODELS / "05.js").read_text("utf-8"))["words"][2:])
    log_probs = page.evaluate(
        "[...readWords(new MODELS['05'](live.data['model 05']), 'the hen of mira'.split(' ')).at(-1).logProbs]"
    )
    expected = divergence(over_vocabulary(oracle.next_word_probs(words), vocab), np.array(log_probs))
    assert numbers(texts(page, "div.live .total")[0])[-1] == pytest.approx(expected, abs=6e-4)


def test_attention_beside_the_words_read(site: LiveSite) -> None:
    page = site.show("next-words", "06")
    type_into(page, "div.live input", "the hen of mira follows")
    assert texts(page, "div.live .read span") == "<s> the hen of mira follows".split()
    *weights, last = texts(page, "div.live .read b")
    assert last == "query" and sum(map(float, weights)) == pytest.approx(1, abs=0.03)
    assert np.argmax(list(map(float, weights))) == 4, "the name that comes back"


def test_each_head_has_its_attention(site: LiveSite) -> None:
    page = site.show("next-words", "11")
    type_into(page, "div.live input", "the hen of mira follows")
    field = "document.querySelector('div.live select')"
    names = page.evaluate(f"[...{field}.options].map(option => option.value)")
    assert names == [f"block {block}, head {head}" for block in (1, 2) for head in (1, 2, 3, 4)]
    page.evaluate("window.model = new MODELS['11'](live.data['model 11'])")
    page.evaluate("window.last = readWords(model, 'the hen of mira follows'.split(' ')).at(-1)")
    heads = page.evaluate("Object.values(last.heads).map(weights => [...weights])")
    assert max(weights[4] for weights in heads) > 0.5, "some head attends to the name that comes back"
    for name, computed in zip(names, heads, strict=True):
        page.evaluate(f"{field}.value = {name!r}; {field}.dispatchEvent(new Event('change'))")
        assert texts(page, "div.live .read span") == "<s> the hen of mira follows".split()
        weights = [float(text) for text in texts(page, "div.live .read b")]
        assert weights == pytest.approx(computed, abs=0.006)


def test_mixture_by_dragging_and_by_em(site: LiveSite) -> None:
    page = site.show("mixture", "01")
    bigram, unigram = two_opinions("dev")

    def perplexity(alpha: float) -> float:
        return float(np.exp(-np.log((1 - alpha) * bigram + alpha * unigram).mean()))

    for alpha in (0.3, 0.9):
        drag(page, "weight α", alpha)
        assert numbers(status(page))[0] == alpha
        assert numbers(status(page))[-1] == pytest.approx(perplexity(alpha), abs=2e-3)
    alpha = 0.9
    for _ in range(60):
        page.evaluate("document.querySelector('div.live button').click()")
        alpha = float(np.mean(alpha * unigram / ((1 - alpha) * bigram + alpha * unigram)))
        assert numbers(status(page))[0] == pytest.approx(alpha, abs=1e-4)
    assert numbers(status(page))[0] == pytest.approx(tune_weight(bigram, unigram), abs=1e-3)
    assert page.evaluate("document.querySelectorAll('div.live circle').length") == 61, "each step on the curve"


def test_softmax_by_its_sliders(site: LiveSite) -> None:
    page = site.show("softmax", "02")
    lesson = namespace("02")
    expected = np.stack([lesson["p"], lesson["gradient"]], axis=1)
    np.testing.assert_allclose(bars(page), expected, atol=6e-4)
    assert numbers(status(page))[-1] == pytest.approx(lesson["loss"], abs=6e-4)
    scores = lesson["s"].copy()
    page.evaluate("document.querySelector('div.live input').focus()")
    page.press("ArrowRight")
    scores[0], scores[2] = scores[0] + 0.1, 3.0
    drag(page, lesson["words"][2], 3.0)
    probs = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(bars(page), np.stack([probs, probs - lesson["truth"]], axis=1), atol=6e-4)


def test_a_graph_whose_input_is_changed(site: LiveSite) -> None:
    page = site.show("graph", "03")
    lesson = namespace("03")

    def shown(kind: str) -> list[float]:
        return [float(text) for text in texts(page, f"div.live .{kind}")]

    assert shown("value")[2:] == pytest.approx([*lesson["h"], lesson["y"], lesson["loss"]], abs=6e-4)
    assert shown("derivative")[2:] == pytest.approx([*lesson["d_h"], lesson["d_y"], 1], abs=6e-4)
    table = [numbers(text) for text in texts(page, "div.live td:nth-child(3), div.live td:nth-child(5)")]
    rows = [[*lesson["d_W_xh"][unit]] for unit in (0, 1)], lesson["d_w_hy"]
    np.testing.assert_allclose(np.concatenate(table), [*rows[0][0], rows[1][0], *rows[0][1], rows[1][1]], atol=6e-4)

    def loss(x: np.ndarray) -> float:
        hidden = np.tanh(lesson["W_xh"] @ x + lesson["b_h"])
        return float((1 - (lesson["w_hy"] @ hidden + lesson["b_y"])) ** 2)

    drag(page, "x1", -0.4)
    choose(page, "1")
    x, step = np.array([-0.4, lesson["x"][1]]), 1e-5
    slopes = [(loss(x + move) - loss(x - move)) / (2 * step) for move in step * np.eye(2)]
    assert shown("value")[-1] == pytest.approx(loss(x), abs=6e-4)
    assert shown("derivative")[:2] == pytest.approx(slopes, abs=6e-4)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_query_that_is_dragged(width: int, site: LiveSite) -> None:
    page = site.show("query", "06", width)
    lesson = namespace("06")

    def weights() -> list[float]:
        return [row[0] for row in bars(page)]

    assert weights() == pytest.approx(lesson["after_floran"], abs=6e-4)
    assert numbers(status(page)) == pytest.approx(lesson["after_floran"] @ lesson["h"], abs=6e-4)
    drag(page, "first number", 0.9)
    drag(page, "second number", 0.0)
    assert weights() == pytest.approx(lesson["after_orlek"], abs=6e-4)
    x, y = page.hover("document.querySelector('div.live [data-place=\"0\"] circle')")
    for kind, move in (("mousePressed", 0), ("mouseMoved", 60), ("mouseReleased", 60)):
        page.call("Input.dispatchMouseEvent", type=kind, x=x - move, y=y, button="left", buttons=1, clickCount=1)
    moved = page.evaluate("[...document.querySelectorAll('div.live label.slider output')].map(o => +o.textContent)")
    states = lesson["h"].copy()
    assert moved[0] < states[0, 0] - 0.2 and moved[1] == pytest.approx(states[0, 1], abs=0.02)
    states[0] = moved
    scores = np.tanh(states + 2 * np.array([0.9, 0.0])).sum(axis=1)
    assert weights() == pytest.approx(np.exp(scores) / np.exp(scores).sum(), abs=0.02)


def test_states_slide_along_tanh(site: LiveSite) -> None:
    """The dots are where states and query enter the tanh of each unit: they move with the query, all by the same."""
    page = site.show("query", "06")
    lesson = namespace("06")

    def places() -> np.ndarray:
        """(unit, word): where the dots are across the drawing."""
        dots = page.evaluate(
            "[...document.querySelectorAll('div.live svg:nth-of-type(2) circle')].map(dot => +dot.getAttribute('cx'))"
        )
        return np.reshape(dots, (2, 3))

    before = places()
    gaps = np.diff(before, axis=1)
    states = np.diff(lesson["h"].T, axis=1)
    unit = gaps[0, 0] / states[0, 0]  # of the drawing
    np.testing.assert_allclose(gaps, unit * states, atol=1e-6)
    drag(page, "second number", float(lesson["floran_brings"][1]) - 0.5)
    moved = places() - before
    np.testing.assert_allclose(moved[0], 0, atol=1e-6)
    np.testing.assert_allclose(moved[1], 2 * -0.5 * unit, atol=1e-6)


def test_positions_at_a_distance(site: LiveSite) -> None:
    """The inner products are those of positions.py; rotary ones do not change with the position, others do."""
    page = site.show("positions", "11")
    model = course_model("11")
    word = model.embedding.as_array()[model.vocab.encode(["mira"])[0]].astype(np.float64)
    word = (word - word.mean()) / np.sqrt(word.var() + 1e-5)
    choose(page, "mira")

    def products(position: int, distance: int) -> list[float]:
        waves = sinusoids(len(word), position - distance, distance + 1)[:, [-1, 0]]
        added = word[:, None] + waves
        turned = np.stack([turn(word, place) for place in (position, position - distance)], axis=1)
        return [float(pair[:, 0] @ pair[:, 1]) / len(word) for pair in (added, turned, waves)]

    def turn(vector: np.ndarray, position: int) -> np.ndarray:
        dy.renew_cg()
        return rotate(dy.inputTensor(vector[:, None]), HEADS, position).npvalue().ravel()

    shown = {}
    for position, distance in ((30, 0), (30, 4), (57, 4), (57, 29)):
        drag(page, "position", position)
        drag(page, "distance", distance)
        shown[position, distance] = [row[0] for row in bars(page)[:3]]
        assert shown[position, distance] == pytest.approx(products(position, distance), abs=2e-3)
        assert status(page) == f"“mira” at position {position} and at position {position - distance}"
    (added, turned, alone), (other, same, unmoved) = shown[30, 4], shown[57, 4]
    assert (turned, alone) == (same, unmoved) and abs(added - other) > 0.02


@pytest.mark.parametrize("width", WIDTHS)
def test_heads_are_picked(width: int, site: LiveSite) -> None:
    page = site.show("positions", "11", width)
    model, words = course_model("11"), "the hen of mira follows mira .".split()
    inputs = np.array([Vocabulary.boundary, *model.vocab.encode(words)])[:, None]
    weights = model.attention(inputs)[..., 0]  # (block, head, read, reading)
    for place, block, head in ((5, 0, 2), (5, 1, 3), (2, 0, 0)):
        buttons = "[...document.querySelectorAll('div.live [role=group] button')]"
        page.click(f"{buttons}[{place}]")
        name = f"block {block + 1}, head {head + 1}"
        page.click(f"[...document.querySelectorAll('div.live .bar-row button')].find(b => b.textContent === '{name}')")
        assert texts(page, "div.live .read span") == ["<s>", *words][: place + 1]
        read = weights[block, head, : place + 1, place]
        assert [float(text) for text in texts(page, "div.live .read b")] == pytest.approx(read, abs=0.006)
        distances = [row[0] for row in bars(page)[3:]]
        expected = (weights[:, :, : place + 1, place] @ (place - np.arange(place + 1))).ravel()
        assert distances == pytest.approx(expected, abs=0.02)
    type_into(page, "div.live input[type=text]", "the wombat sees")
    assert texts(page, "div.live .read span") == "<s> the wombat sees".split()
    assert complaints(page.events) == []


@pytest.mark.parametrize("chapter", ["05", "06"])
def test_gradients_at_a_distance(chapter: str, site: LiveSite) -> None:
    page = site.show("gradient-distance", chapter)
    curves = recorded("05_rnn_lm")["gradients"]
    if chapter == "06":
        attentive = script_data((MODELS / "gradients-06.js").read_text("utf-8"))
        curves = {"lstm": curves["lstm"], "lstm, attention": attentive, "rnn": curves["rnn"]}
    assert texts(page, "div.live .bar-row > span:first-child") == list(curves)
    for distance, when in ((0, "after"), (17, "after"), (9, "before")):
        choose(page, when)
        drag(page, "steps back", distance)
        expected = [10 ** curve[when][distance] for curve in curves.values()]
        assert [row[0] for row in bars(page)] == pytest.approx(expected, rel=0.06)
        assert f" {distance} steps back, {when} training" in status(page)


def choose(page: Browser, value: str) -> None:
    """Choose an option of the figure's list."""
    page.evaluate(
        f"(list => {{ list.value = {value!r}; list.dispatchEvent(new Event('change')); }})"
        "(document.querySelector('div.live select'))"
    )


def beam_by_hand(steps: list, size: int) -> list[list[str]]:
    """What a beam keeps at each step, when every parent's continuations are those recorded."""
    kept, beam = [], [""]
    for candidates in steps:
        open_ones = [text for text in beam if not text.endswith("</s>")]
        size -= len(beam) - len(open_ones)
        scores = {text: score for text, score, _ in candidates if text.rpartition(" ")[0] in open_ones}
        beam = sorted(scores, key=scores.get, reverse=True)[:size]
        if beam:
            kept.append(beam)
    return kept


def score_with(prior: LengthPrior, weight: float, best: tuple[int, float, str], source: int) -> float:
    words, log_prob, _ = best
    return log_prob + weight * prior.log_prob(words, source) if weight else log_prob


def test_a_beam_step_by_step(site: LiveSite) -> None:
    page = site.show("beam", "07")
    record = recorded("07_encoder_decoder")
    steps = record["tree"]["steps"]
    of_search = [sorted(text for text, _, is_kept in candidates if is_kept) for candidates in steps]
    assert [sorted(beam) for beam in beam_by_hand(steps, record["tree"]["beam"])] == of_search
    for size in (1, 2, 3):
        drag(page, "beam size", size)
        expected = beam_by_hand(steps, size)
        for number, beam in enumerate(expected, start=1):
            drag(page, "step", number)
            kept = [text.partition(" (")[0] for text in texts(page, "div.live .beam .kept")]
            assert sorted(kept) == sorted(beam), (size, number)
            assert status(page).startswith(f"step {number} of {len(expected)}: ")
    prior = LengthPrior.from_pairs(load_pairs("village_pairs").train)
    source = len(record["by_length"]["source"].split())
    chosen = []
    for weight in (0, 0.05, 1):
        drag(page, "weight of the length prior", weight)
        words, _, text = max(record["by_length"]["best"], key=lambda best: score_with(prior, weight, best, source))
        row = texts(page, "div.live tr.kept td")
        assert (int(row[0]), row[-1]) == (words, text)
        chosen.append(words)
    assert chosen[0] == 2 and chosen[-1] == 8, "the prior prefers the length of the reference"


@pytest.mark.parametrize("width", WIDTHS)
def test_a_target_word_and_its_source_words(width: int, site: LiveSite) -> None:
    page = site.show("alignment", "08", width)
    models = [script_data((MODELS / f"08-{kind}.js").read_text("utf-8")) for kind in ("dot", "mlp", "local")]
    record = models[0]
    for place in (3, 9, 13):
        if width > 500:
            page.evaluate("scrollTo(0, 0)")
            page.hover(f"document.querySelectorAll('div.live button')[{place}]")
        else:
            page.click(f"document.querySelectorAll('div.live button')[{place}]")
        expected = np.stack([model["weights"][place] for model in models], axis=1)
        np.testing.assert_allclose(bars(page), expected, atol=6e-3)
        aligned = [record["source"][source] for source, target in record["links"] if target == place]
        assert texts(page, "div.live .bar-row .aligned") == aligned
        word = [*record["target"], "</s>"][place]
        assert status(page) == f"{word}: aligned with {', '.join(aligned) or 'no word'}"


def test_a_gate_and_its_state(site: LiveSite) -> None:
    page = site.show("gate", "09")
    lesson = namespace("09")

    def table() -> list[list[float]]:
        cells = [float(text) for text in texts(page, "div.live td:not(:first-child)")]
        return np.reshape(cells, (5, 2)).tolist()

    np.testing.assert_allclose(table(), [lesson["c_h"], lesson["c_x"], lesson["o"], *lesson["read"]], atol=6e-4)
    state = np.array([-0.75, 1.2])
    drag(page, "state, first number", state[0])
    drag(page, "state, second number", state[1])

    def weights(memory: np.ndarray) -> np.ndarray:
        exponentials = np.exp(np.tanh(state + 2 * memory) @ [2, -2])
        return exponentials / exponentials.sum()

    both = [weights(lesson["h"]), weights(lesson["x"])]
    np.testing.assert_allclose(bars(page), np.stack(both, axis=1), atol=6e-4)
    c_h, c_x = both[0] @ lesson["h"], both[1] @ lesson["x"]
    o = 1 / (1 + np.exp(-(0.5 * lesson["last"] + state + c_h - c_x)))
    np.testing.assert_allclose(table(), [c_h, c_x, o, o * c_h, (1 - o) * c_x], atol=6e-4)
