"""The views of lab 9: both contexts of a step, the gate, and what happens when somebody else sets the gate."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures.ch08_draw import matrix
from book.figures.ch09_record import annotations
from book.figures.diagrams import frames
from book.figures.plots import drawing, paired_bars
from book.figures.style import BLUE, GREEN, INK, ORANGE, PURPLE
from common.errors import UserError
from common.nn.softmax import embed, unfold_time
from common.plots.plotting import plt
from common.search.attending import force
from common.text.alignment import Links
from common.text.pairs import Pair
from common.text.vocab import BEGIN, BOUNDARY

Gate = float | Sequence[float] | None
"""What the gate is set to: one number for all of its elements, one for each, or None for the model's own."""


def with_gate(model: Any, gate: Gate) -> Any:
    """The same model, with the same parameters, whose gate is set; the model itself stays as it is."""
    if gate is None:
        return model
    forced = copy.copy(model)

    def fixed(word: Any, before: dy.Expression, contexts: list[dy.Expression]) -> dy.Expression:
        (size,), batch = before.dim()
        rows = np.broadcast_to(gate, (batch, size)).ravel()  # DyNet's order: the elements of one row side by side
        return dy.reshape(dy.inputTensor(rows), (size,), batch)

    forced.gate = fixed
    return forced


class Step(NamedTuple):
    """One step of the decoder.

    read: the last word. right: the word of the target. weights: of annotations and of words, (2, source words). plain
    and gated: both contexts before and behind the gate, (2, H). gate: o, (H,). probabilities: of the next word, (V,).
    """

    read: str
    right: str
    weights: np.ndarray
    plain: np.ndarray
    gated: np.ndarray
    gate: np.ndarray
    probabilities: np.ndarray

    @property
    def share(self) -> float:
        """The share of the word context, the mean of 1 - o."""
        return float(1 - self.gate.mean())


def step_of(model: Any, pair: Pair, step: int, gate: Gate = None) -> Step:
    """A step, counted from 1, after reading the target up to it with the model's own gates; this step's may be set."""
    words = [*pair.target, BOUNDARY]
    if not 1 <= step <= len(words):
        raise UserError(f"step {step}: this target has steps 1 to {len(words)}")
    dy.renew_cg()
    state = model.encode([model.source_vocab.encode(pair.source)])
    ids = [model.vocab.boundary, *model.vocab.encode(pair.target)]
    for word in ids[: step - 1]:
        state, _ = model.next_words(state, [word])
    embedded = embed(model.embedding, [ids[step - 1]])
    reading = model.read(unfold_time(embedded, 1)).at(0)
    result = with_gate(model, gate).step(state.memories, state.layers, reading)
    seen = dy.concatenate([embedded, result.layers[-1].hidden, *result.for_output])
    plain = [memory.annotations * weights for memory, weights in zip(state.memories, result.weights, strict=True)]
    return Step(
        [BEGIN, *pair.target][step - 1],
        words[step - 1],
        np.array([numbers(part) for part in result.weights]),
        np.array([numbers(part) for part in plain]),
        np.array([numbers(part) for part in result.contexts]),
        numbers(result.gate),
        numbers(dy.softmax(model.logits(seen))),
    )


def numbers(expression: dy.Expression) -> np.ndarray:
    return np.array(expression.npvalue(), dtype=float).ravel()


def best(model: Any, probabilities: np.ndarray, number: int = 6) -> list[str]:
    """The most probable words."""
    return [model.vocab.words[place] for place in np.argsort(-probabilities, kind="stable")[:number]]


@drawing(10.4, 3.0, columns=3, width_ratios=(1, 1, 1.1))
def overridden(left: Axes, middle: Axes, right: Axes, model: Any, pair: Pair, step: int, gate: Gate) -> None:
    """Both contexts behind the gate, number by number, and the next words: the model's own gate in grey, the set one
    in colour."""
    own, changed = step_of(model, pair, step), step_of(model, pair, step, gate)
    for axes, place, colour, title in ((left, 0, BLUE, "annotations"), (middle, 1, ORANGE, "words")):
        elements = np.arange(len(own.gate))
        axes.stem(elements - 0.2, own.gated[place], linefmt=INK, markerfmt=" ", basefmt=" ")
        axes.stem(elements + 0.2, changed.gated[place], linefmt=colour, markerfmt=" ", basefmt=" ")
        top = 1.05 * max(np.abs(result.plain).max() for result in (own, changed))
        axes.set(title=f"context of the {title}, gated", xlabel="number", ylim=(-top, top))
    words = best(model, (own.probabilities + changed.probabilities) / 2)
    ids = [model.vocab.ids[word] for word in words]
    rows = {f"own gate, share {own.share:.2f}": (own.probabilities[ids], INK)}
    rows[f"set, share {changed.share:.2f}"] = changed.probabilities[ids], GREEN
    paired_bars(right, words, rows)
    right.set(title=f"after “{own.read}” (right: {own.right})", xlim=(0, 1))


@drawing(7.0, 3.0)
def from_0_to_1(axes: Axes, model: Any, pair: Pair, step: int, points: int = 21) -> None:
    """P of some next words while the gate goes from 0, words alone, to 1, annotations alone; a dot: the own gate's."""
    line = np.linspace(0, 1, points)
    rows = np.array([step_of(model, pair, step, float(gate)).probabilities for gate in line])
    own = step_of(model, pair, step)
    for word in dict.fromkeys([own.right, *best(model, rows.max(axis=0), 4)]):
        (place,) = model.vocab.encode([word])
        (curve,) = axes.plot(line, rows[:, place], label=word, linewidth=2.4 if word == own.right else 1.2)
        axes.plot(1 - own.share, own.probabilities[place], "o", color=curve.get_color())
    axes.set(xlabel="gate: 0 reads words alone, 1 annotations alone", ylabel="P(next word)", ylim=(-0.02, 1.02))
    axes.set_title(f"after “{own.read}”; the right word is {own.right}")
    axes.legend(fontsize=8)


@drawing(7.0, 2.3)
def gate_numbers(axes: Axes, model: Any, pair: Pair, step: int) -> None:
    """The single numbers of the gate of one step, sorted."""
    own = step_of(model, pair, step)
    axes.bar(range(len(own.gate)), np.sort(own.gate), color=PURPLE, width=1.0)
    axes.axhline(0.5, color=INK, linestyle=":", linewidth=1)
    axes.set(xlabel="numbers of the gate, sorted", ylabel="o", ylim=(0, 1))
    axes.set_title(f"to write {own.right}: mean {own.gate.mean():.2f}")


def two_maps(model: Any, pair: Pair, true: Links) -> Figure:
    """Both attentions with the true links, and the share of the word context in each row."""
    (forced,) = force(model, [pair.source], [pair.target])
    figure, panels = plt.subplots(1, 3, figsize=(9.6, 3.6), width_ratios=(4, 4, 1), sharey=True)
    for axes, rows, title in zip(
        panels, (forced.attention, forced.word_attention), ("annotations", "words"), strict=False
    ):
        matrix(axes, rows, pair.source, pair.target)
        frames(axes, true)
        axes.set(title=f"attention to {title}", aspect="auto")
    panels[2].barh(range(len(pair.target)), forced.gates[: len(pair.target)], color=ORANGE)
    panels[2].axvline(0.5, color=INK, linestyle=":", linewidth=1)
    panels[2].set(title="mean of $1 - o$", xlim=(0, 1))
    return figure


def similarities(model: Any, pairs: Sequence[Pair], word: str) -> list[tuple[float, str, str]]:
    """How alike the annotation of a word, in the first source that holds it, is to those in other sources: the cosine,
    the other word and its sentence, the nearest first. Raises `UserError` for a word that no source holds."""
    rows = annotations(model, pairs)
    if all(name != word for name, *_ in rows):
        raise UserError(f"no sentence here contains {word!r}; choose another word")
    _, first, own = next(row for row in rows if row[0] == word)
    others = [(float(own @ row), name, " ".join(pairs[n].source)) for name, n, row in rows if n != first]
    return sorted(others, reverse=True)
