"""The diagrams of chapter 5: networks and cells as boxes and arrows, and batches as grids of words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from book.figures.diagrams import arrow, box, centred, diagram, node
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE, RED
from book.lessons.cells import namespace
from chapters.rnn_lm.streams import make_streams
from common.plots.plotting import plt
from common.text.batching import make_batch
from common.text.vocab import Vocabulary

READ = "<s> the ponies usually".split()
PREDICTED = "the ponies usually wait".split()
SENTENCES = [sentence.split() for sentence in ("the girls are happy .", "mira dances .", "the son often claps .")]
STREAMS, STEPS = 3, 3
GATE = GREEN


@diagram(12.4, 4.6, 0.62)
def unrolled(axes: Axes) -> None:
    """A recurrent network as a loop, and the same laid out in time."""
    step(axes, 1.2, "$e_{t-1}$", "$e_t$", "$x_t$", "$h_t$")
    axes.plot([1.85, 2.3, 2.3], [2.5, 2.5, 2.1], color=ORANGE, lw=1.4)
    arrow(axes, (2.3, 2.1), (1.85, 2.1), colour=ORANGE, width=1.4)
    centred(axes, 2.75, 2.3, "=", fontsize=18)
    box(axes, 3.6, 2.3, "$h_0 = 0$", 0.95, colour=ORANGE)
    for place, (read, predicted) in enumerate(zip(READ, PREDICTED, strict=True)):
        x = 5.4 + 2.05 * place
        step(axes, x, read, predicted, f"$x_{place + 1}$", f"$h_{place + 1}$")
        arrow(axes, (x - 1.35 if place else 4.08, 2.3), (x - 0.65, 2.3), colour=ORANGE, width=1.4)
    arrow(axes, (12.2, 2.3), (12.4, 2.3), colour=ORANGE, width=1.4)


def step(axes: Axes, x: float, read: str, predicted: str, embedding: str, state: str) -> None:
    """One step: a word, its embedding, the cell, the state, the softmax, the next word."""
    centred(axes, x, 0.25, read)
    box(axes, x, 2.3, "RNN", 1.3, 0.7)
    box(axes, x, 3.55, "softmax", 1.3, 0.5, colour=INK)
    arrow(axes, (x, 0.5), (x, 1.95))
    axes.text(x + 0.12, 1.15, embedding, ha="left", va="center")
    arrow(axes, (x, 2.65), (x, 3.3))
    axes.text(x + 0.12, 2.95, state, ha="left", va="center")
    arrow(axes, (x, 3.8), (x, 4.15))
    centred(axes, x, 4.38, predicted, color=GREEN)


@diagram(11.4, 5.2, 0.64)
def back_through_time(axes: Axes) -> None:
    """The worked example: numbers forward in blue, gradients back in red."""
    lesson = namespace("05")
    states, losses, own, deltas, W_hh = (lesson[name] for name in ("h", "losses", "own", "delta", "W_hh"))
    box(axes, 1.0, 2.3, "$h_0$ = 0", 1.1, colour=INK)
    for t, (word, x) in enumerate(zip(("ponies", "usually"), lesson["x"], strict=True)):
        at = 4.0 + 4.6 * t
        box(axes, at, 2.3, f"tanh\n$h_{t + 1}$ = {states[t + 1]:.4f}", 1.9, 0.9)
        box(axes, at, 4.5, f"$\\ell_{t + 1}$ = {losses[t]:.4f}", 1.9, 0.6, colour=INK)
        centred(axes, at, 0.2, f"{word}: $x_{t + 1}$ = {x:g}")
        arrow(axes, (at - 0.25, 0.45), (at - 0.25, 1.85), colour=BLUE)
        arrow(axes, (at - 0.25, 2.75), (at - 0.25, 4.2), colour=BLUE)
        arrow(axes, (at + 0.25, 4.2), (at + 0.25, 2.75), colour=RED)
        axes.text(at + 0.4, 3.5, f"{own[t]:+.4f}", color=RED, va="center")
        axes.text(at + 0.25, 1.35, f"$\\delta_{t + 1}$ = {deltas[t]:+.4f}", color=RED, va="center")
    for start, end in ((1.55, 3.05), (4.95, 7.65)):
        arrow(axes, (start, 2.5), (end, 2.5), colour=BLUE)
    axes.text(6.3, 2.68, f"· {W_hh}", color=BLUE, ha="center")
    axes.text(2.3, 2.68, f"· {W_hh}", color=BLUE, ha="center")
    arrow(axes, (7.65, 2.1), (4.95, 2.1), colour=RED)
    axes.text(6.3, 1.7, f"{W_hh} · {deltas[1]:+.4f}\n= {W_hh * deltas[1]:+.4f}", color=RED,
              ha="center", va="center", fontsize=9)  # fmt: skip


def from_step_to_step(axes: Axes, width: float, times: float, plus: float, name: str, colour: str) -> None:
    """The outline of a cell, and the line on which a vector goes through it: times a gate, plus what is new."""
    axes.add_patch(plt.Rectangle((1.7, 0.95), width, 4.5, ec=INK, fc="none", ls=":", lw=1))
    arrow(axes, (0.5, 4.8), (times - 0.33, 4.8), colour=colour, width=2)
    node(axes, times, 4.8, "×", colour=GATE)
    arrow(axes, (times + 0.33, 4.8), (plus - 0.33, 4.8), colour=colour, width=2)
    node(axes, plus, 4.8, "+", colour=colour)
    arrow(axes, (plus + 0.33, 4.8), (10.4, 4.8), colour=colour, width=2)
    axes.text(0.5, 5.1, f"${name}_{{t-1}}$", color=colour, ha="center")
    axes.text(10.4, 5.1, f"${name}_t$", color=colour, ha="center")


@diagram(11, 6, 0.62)
def lstm_cell(axes: Axes) -> None:
    """The inside of an LSTM: the cell above, the state below, the gates between them."""
    from_step_to_step(axes, 7.6, 3.0, 5.8, "c", ORANGE)
    for x, name in ((3.0, "f"), (4.6, "i"), (7.4, "o")):
        box(axes, x, 2.3, f"$\\sigma$   ${name}_t$", 1.1, 0.6, colour=GATE)
    box(axes, 5.8, 2.3, "tanh  $u_t$", 1.1, 0.6)
    arrow(axes, (3.0, 2.6), (3.0, 4.47), colour=GATE)
    node(axes, 5.8, 3.6, "×", colour=GATE)
    arrow(axes, (5.8, 2.6), (5.8, 3.27))
    arrow(axes, (4.6, 2.6), (5.5, 3.47), colour=GATE)
    arrow(axes, (5.8, 3.93), (5.8, 4.47))
    box(axes, 8.4, 4.0, "tanh", 0.9, 0.5, colour=ORANGE)
    arrow(axes, (8.4, 4.8), (8.4, 4.25), colour=ORANGE)
    node(axes, 8.4, 3.0, "×", colour=GATE)
    arrow(axes, (8.4, 3.75), (8.4, 3.33))
    arrow(axes, (7.4, 2.6), (8.1, 2.9), colour=GATE)
    axes.plot([8.4, 8.4], [2.67, 1.5], color=BLUE, lw=1.4)
    arrow(axes, (8.4, 1.5), (10.4, 1.5), colour=BLUE)
    axes.text(10.4, 1.75, "$h_t$", color=BLUE, ha="center")
    axes.plot([0.5, 7.4], [1.4, 1.4], color=BLUE, lw=1.4)
    axes.plot([2.2, 2.2], [0.4, 1.4], color=INK, lw=1.1)
    axes.text(0.5, 1.65, "$h_{t-1}$", color=BLUE, ha="center")
    axes.text(2.2, 0.1, "$x_t$", ha="center")
    for place in (3.0, 4.6, 5.8, 7.4):
        arrow(axes, (place, 1.4), (place, 2.0), colour=BLUE)


@diagram(11, 6, 0.62)
def gru_cell(axes: Axes) -> None:
    """The inside of a GRU: the old state above goes on, or the candidate takes its place."""
    from_step_to_step(axes, 7.9, 7.0, 8.8, "h", BLUE)
    box(axes, 2.9, 2.3, "$\\sigma$   $r_t$", 1.1, 0.6, colour=GATE)
    box(axes, 7.0, 2.3, "$\\sigma$   $z_t$", 1.1, 0.6, colour=GATE)
    box(axes, 5.1, 2.3, "tanh  $\\tilde h_t$", 1.3, 0.6)
    node(axes, 4.0, 3.5, "×", colour=GATE)
    arrow(axes, (4.0, 4.8), (4.0, 3.83), colour=BLUE)
    arrow(axes, (3.1, 2.6), (3.74, 3.3), colour=GATE)
    arrow(axes, (4.27, 3.3), (4.85, 2.6), colour=BLUE)
    arrow(axes, (7.0, 2.6), (7.0, 4.47), colour=GATE)
    axes.text(7.1, 4.2, "$1 - z_t$", color=GATE, ha="left", va="center", fontsize=9)
    node(axes, 8.8, 3.4, "×", colour=GATE)
    arrow(axes, (7.55, 2.45), (8.52, 3.22), colour=GATE)
    axes.text(8.1, 2.55, "$z_t$", color=GATE, ha="left", va="center", fontsize=9)
    arrow(axes, (8.8, 3.73), (8.8, 4.47))
    axes.plot([5.1, 5.1, 8.8], [2.6, 3.05, 3.05], color=INK, lw=1.1)
    arrow(axes, (8.8, 3.0), (8.8, 3.07))
    axes.plot([2.2, 2.2], [4.8, 1.4], color=BLUE, lw=1.4)
    axes.plot([2.2, 7.0], [1.4, 1.4], color=BLUE, lw=1.4)
    for place in (2.9, 7.0):
        arrow(axes, (place, 1.4), (place, 2.0), colour=BLUE)
    axes.plot([0.5, 7.2], [0.6, 0.6], color=INK, lw=1.1)
    axes.text(0.5, 0.8, "$x_t$", ha="center")
    for place in (3.1, 5.1, 7.2):
        arrow(axes, (place, 0.6), (place, 2.0))


def ids_of(sentences: Sequence[Sequence[str]]) -> tuple[Vocabulary, list[list[int]]]:
    vocab = Vocabulary.from_sentences(sentences)
    return vocab, [vocab.encode(sentence) for sentence in sentences]


def grid(axes: Axes, words: np.ndarray, colours: np.ndarray, left: float, top: float, title: str) -> None:
    """Words in rows and columns, each in a box of its colour."""
    axes.text(left - 0.75, top + 0.75, title, ha="left", va="center")
    for (row, column), word in np.ndenumerate(words):
        colour = colours[row, column]
        box(axes, left + 1.5 * column, top - 0.62 * row, str(word), 1.4, 0.5, colour=colour, text_colour=colour)


@diagram(10.2, 8.2, 0.62)
def padded_batch(axes: Axes) -> None:
    """Three sentences side by side: what is read, what is predicted, and the mask."""
    vocab, ids = ids_of(SENTENCES)
    batch = make_batch(ids, range(len(ids)))
    read, predicted = (np.array(vocab.words)[part].T for part in (batch.inputs, batch.targets))
    read = np.where(np.arange(read.shape[1]) == 0, "<s>", np.where(batch.mask.T == 1, read, "</s>"))
    colours = np.where(batch.mask.T == 1, BLUE, INK)
    grid(axes, read, colours, 0.95, 7.2, "read")
    grid(axes, predicted, np.where(batch.mask.T == 1, GREEN, INK), 0.95, 4.5, "predicted")
    grid(axes, batch.mask.T.astype(int), np.where(batch.mask.T == 1, ORANGE, INK), 0.95, 1.8, "mask")


@diagram(11, 3.1, 0.62)
def streams(axes: Axes) -> None:
    """A short text in streams: one colour a batch, and where the state goes on and the gradient does not."""
    vocab, ids = ids_of(SENTENCES)
    batches = make_streams(ids, STREAMS, STEPS)
    left = 1.1
    for number, (batch, colour) in enumerate(zip(batches, (BLUE, GREEN, PURPLE), strict=False)):
        words = np.where(batch.mask == 1, np.array(vocab.words)[batch.targets], "")
        grid(axes, words.T, np.full(words.T.shape, colour), left, 2.0, f"batch {number + 1}")
        left += 1.5 * len(batch.targets)
        if number + 1 < len(batches):
            for row in range(STREAMS):
                arrow(axes, (left - 0.78, 2.0 - 0.62 * row), (left + 0.25, 2.0 - 0.62 * row), colour=ORANGE)
            axes.plot([left - 0.28] * 2, [0.5, 2.5], ls=":", color=RED)
            centred(axes, left - 0.28, 0.2, "the state goes on, the gradient ends here", color=RED)
            left += 1.0
