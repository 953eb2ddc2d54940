"""The figures of parts 2 and 3 of chapter 8: order of a step, input feeding, coverage; hard attention, priors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from book.figures.ch08_draw import CHAPTER, COLOURS, PLACE, WINDOW, bars, crosses, three_ways
from book.figures.diagrams import arrow, box, centred, diagram, frames
from book.figures.plots import drawing, note, numbers_over, weight_map
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE
from book.lessons.cells import namespace

REACH = 3
"""D of the windows that are drawn."""
Place = tuple[float, float, str, str]
"""x, y, text and colour of a box."""
STATE, BEFORE, WORD = (3.3, 1.6, "$h_t$", ORANGE), (0.9, 1.6, "$h_{t-1}$", ORANGE), (3.3, 0.4, "$x_t$", INK)
WEIGHTS, CONTEXT = (3.3, 2.8, "$a_t$", GREEN), (3.3, 4.0, "$c_t$", GREEN)
COMBINED, PREDICTION = (3.3, 5.2, r"$\tilde h_t$", BLUE), (3.3, 6.4, "$p_t$", INK)


@diagram(17.4, 7.6)
def three_orders(axes: Axes) -> None:
    """One step of three decoders, with the order in which its parts are computed."""
    bahdanau(axes, 0.0)
    tutorial(axes, 6.0)
    luong(axes, 12.0)


def bahdanau(axes: Axes, shift: float) -> None:
    """The weights come from the state before, and the new state reads their context."""
    weights, context, state = (0.9, 2.8, "$a_t$", GREEN), (0.9, 4.0, "$c_t$", GREEN), (3.3, 4.0, "$h_t$", ORANGE)
    boxes(axes, shift, "Bahdanau et al.", [BEFORE, weights, context, state, (3.3, 2.8, "$x_t$", INK), PREDICTION])
    for number, start, end in (("1", BEFORE, weights), ("2", weights, context), ("4", state, PREDICTION)):
        upwards(axes, shift, start, end, number)
    arrow(axes, (shift + 1.4, 4.0), (shift + 2.8, 4.0), "3", colour=GREEN)
    arrow(axes, (shift + 3.3, 3.1), (shift + 3.3, 3.7))
    arrow(axes, (shift + 1.4, 1.7), (shift + 2.85, 3.68), colour=ORANGE)
    arrow(axes, (shift + 1.3, 4.32), (shift + 2.85, 6.15), colour=GREEN)
    arrow(axes, (shift + 3.8, 2.8), (shift + 3.8, 6.2), bend=0.3)


def tutorial(axes: Axes, shift: float) -> None:
    """The state reads the context of the step before, and its own context joins it in the softmax."""
    before = (0.9, 4.0, "$c_{t-1}$", GREEN)
    boxes(axes, shift, "this chapter", [BEFORE, WORD, STATE, WEIGHTS, CONTEXT, PREDICTION, before])
    to_the_state(axes, shift, before)
    for number, start, end in (("2", STATE, WEIGHTS), ("3", WEIGHTS, CONTEXT), ("4", CONTEXT, PREDICTION)):
        upwards(axes, shift, start, end, number)
    arrow(axes, (shift + 3.8, 1.75), (shift + 3.8, 6.2), colour=ORANGE, bend=0.25)


def luong(axes: Axes, shift: float) -> None:
    """State and context make the attentional state, which predicts the word and is read in the next step."""
    before = (0.9, 5.2, r"$\tilde h_{t-1}$", BLUE)
    parts = [BEFORE, WORD, STATE, WEIGHTS, CONTEXT, COMBINED, PREDICTION, before]
    boxes(axes, shift, "Luong et al., input feeding", parts)
    to_the_state(axes, shift, before)
    steps = ((STATE, WEIGHTS), (WEIGHTS, CONTEXT), (CONTEXT, COMBINED), (COMBINED, PREDICTION))
    for number, (start, end) in enumerate(steps, start=2):
        upwards(axes, shift, start, end, str(number))
    arrow(axes, (shift + 3.8, 1.75), (shift + 3.8, 5.05), colour=ORANGE, bend=0.3)


def boxes(axes: Axes, shift: float, title: str, places: Sequence[Place]) -> None:
    """The parts of a step, and what the decoder is called."""
    centred(axes, shift + 2.4, 7.3, title, fontsize=10)
    for x, y, text, colour in places:
        box(axes, shift + x, y, text, 1.0, 0.6, colour=colour, dashed="t-1" in text)


def upwards(axes: Axes, shift: float, start: Place, end: Place, number: str) -> None:
    """An arrow from a part to the one above it, with its place in the order."""
    arrow(axes, (shift + start[0], start[1] + 0.3), (shift + end[0], end[1] - 0.3), number, colour=end[3])


def to_the_state(axes: Axes, shift: float, fed: Place) -> None:
    """What the first computation of a step reads: the word, the state before, and what is fed."""
    arrow(axes, (shift + 3.3, 0.7), (shift + 3.3, 1.3), "1")
    arrow(axes, (shift + 1.4, 1.6), (shift + 2.8, 1.6), colour=ORANGE)
    arrow(axes, (shift + fed[0] + 0.2, fed[1] - 0.3), (shift + 2.9, 1.92), colour=fed[3], dashed=True)


@drawing(10.2, 3.2, columns=3, width_ratios=(1.35, 1, 1))
def feeding_by_hand(plane: Axes, left: Axes, right: Axes) -> None:
    """The second step of the worked example without and with input feeding: the state, and the weights."""
    lesson = namespace("08", 2)
    for annotation, word, colour in zip(lesson["h"], lesson["source"], COLOURS, strict=True):
        plane.plot(*annotation, "o", color=colour)
        note(plane, word, tuple(annotation), (6, 4), fontsize=9, color=colour, ha="left")
    states = np.round(lesson["second_states"], 4)
    texts = (("state without feeding", (12, -13)), ("state with feeding", (-34, 9)))
    for state, (text, offset) in zip(states, texts, strict=True):
        plane.plot(*state, "s", color=INK, markersize=5)
        note(plane, text, tuple(state), offset, fontsize=9)
    arrow(plane, tuple(states[0]), tuple(states[1]), colour=BLUE, width=1.6)
    plane.axhline(0, color=INK, linewidth=0.6)
    plane.axvline(0, color=INK, linewidth=0.6)
    plane.set_xticks([-0.5, 0, 0.5, 1])
    plane.set(xlim=(-0.75, 1.25), ylim=(-0.6, 1.0), xlabel="first number", ylabel="second number")
    titles = ("weights, nothing fed", "weights, input feeding")
    for axes, weights, title in zip((left, right), lesson["second_weights"], titles, strict=True):
        bars(axes, lesson["source"], np.round(weights, 4), COLOURS)
        axes.set(title=title, ylim=(0, 0.6))


@drawing(9.8, 4.4, columns=2, width_ratios=(1.5, 1))
def windows_of_local_m(axes: Axes, right: Axes) -> None:
    """The true links of a recorded pair and the band that local-m sees; the share of test's links in the band."""
    record = recorded(CHAPTER)["long"]
    source, target, links = record["source"], record["target"], [tuple(link) for link in record["links"]]
    middle = np.minimum(np.arange(len(target)), len(source) - 1)
    seen = np.abs(np.arange(len(source)) - middle[:, None]) <= REACH
    weight_map(axes, np.ma.masked_where(~seen, seen), source, target, cmap="summer", alpha=0.35, vmin=None, vmax=None)
    axes.spines[["top", "right"]].set_visible(True)
    frames(axes, links)
    crosses(axes, [(i, j) for i, j in links if not seen[j, i]])
    axes.set(xlabel="source word", ylabel="target word")
    sizes, share_seen = range(1, 11), namespace("08", 2)["share_seen"]
    right.plot(sizes, [round(100 * share_seen(size), 4) for size in sizes], "-o", color=GREEN, markersize=4)
    right.set(xlabel="D, words to either side", ylabel="true links of test in the window, %", ylim=(0, 104))


@drawing(9.6, 2.9, columns=3, sharey=True)
def local_p_in_parts(*panels: Axes) -> None:
    """A recorded step under local-p: the softmax over the window, the bell, and their product."""
    source, _, _, local, bell = three_ways()
    inside = np.abs(np.arange(1, len(source) + 1) - PLACE) < WINDOW
    shares = np.where(inside, np.divide(local, bell, out=np.zeros_like(local), where=bell > 0), 0)
    titles = ("softmax over the window", "bell around the place", "the weights, their product")
    for axes, values, title, colour in zip(panels, (shares, bell, local), titles, (BLUE, ORANGE, GREEN), strict=True):
        axes.bar(range(len(source)), np.round(np.where(inside, values, 0), 3), color=colour)
        axes.axvline(PLACE - 1, color=ORANGE, linestyle=":", linewidth=1)
        axes.axvspan(PLACE - 1 - WINDOW, len(source) - 0.5, color=INK, alpha=0.1, linewidth=0)
        axes.set_xticks(range(len(source)), source, rotation=90)
        axes.set(title=title, xlim=(-0.5, len(source) - 0.5), ylim=(0, 1.05))


@drawing(10.0, 3.0, columns=3)
def coverage_by_hand(left: Axes, middle: Axes, right: Axes) -> None:
    """What each word has got after two steps, as a share of its fertility, and the weights of the third step."""
    lesson = namespace("08", 2)
    source, places = lesson["source"], np.arange(3)
    first, second = np.round(np.cumsum(lesson["weights"], axis=0) / lesson["phi"], 4)
    left.bar(places, first, color=COLOURS, alpha=0.55)
    left.bar(places, second - first, bottom=first, color=COLOURS)
    numbers_over(left, second, fontsize=9)
    left.axhline(1, color=INK, linestyle=":", linewidth=1)
    left.set_xticks(places, source)
    left.set(title="coverage after two steps", ylim=(0, 1.15))
    for axes, scores, how in ((middle, "plain_scores", "without"), (right, "covered_scores", "with")):
        bars(axes, source, np.round(lesson["softmax"](lesson[scores]), 4), COLOURS)
        axes.set(title=f"third step, {how} coverage", ylim=(0, 0.75))


@drawing(8.4, 2.8, columns=2, sharey=True)
def hard_gradients(*panels: Axes) -> None:
    """The gradients of three scores: by the straight-through estimator, and with the hard context subtracted."""
    lesson = namespace("08", 3)
    for axes, name, title in zip(panels, ("slopes", "mistaken"), ("straight-through", "with g · c"), strict=True):
        bars(axes, lesson["source"], np.round(lesson[name], 6), COLOURS)
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.set(title=title, ylim=(-0.36, 0.34))
    panels[0].set(ylabel="gradient of the score")


@drawing(9.4, 2.8, columns=3, sharey=True)
def priors_by_hand(*panels: Axes) -> None:
    """The weights of the worked step without a prior, with a position bias, and with a Markov prior."""
    lesson = namespace("08", 3)
    titles = {"galin_weights": "no prior", "biased": "position bias", "moved": "Markov prior"}
    for axes, (name, title) in zip(panels, titles.items(), strict=True):
        bars(axes, lesson["source"], np.round(lesson[name], 6), COLOURS)
        axes.set(title=title, ylim=(0, 0.75))
    panels[0].set(ylabel="attention weight")


@drawing(5.2, 3)
def fertility_by_hand(axes: Axes) -> None:
    """What each source word received in two steps, and the fertility that was expected."""
    lesson = namespace("08", 3)
    first, both = np.round(lesson["mirena_weights"], 4), np.round(lesson["received"], 4)
    bars(axes, lesson["source"], both, COLOURS)
    axes.bar(range(len(first)), first, color="white", alpha=0.5)
    axes.axhline(1, color=INK, linestyle=":", linewidth=1)
    axes.set(ylabel="attention received", ylim=(0, 1.15))
