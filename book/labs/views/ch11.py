"""The views of lab 11: what the heads of a Transformer attend to, and what changes when one intervenes.

A head is a pair of numbers, its block and its place there, both counted from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import dynet as dy
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures.ch11 import head_maps
from book.figures.plots import drawing, grouped, paired_bars, weight_map
from book.figures.style import BLUE, INK, ORANGE
from book.labs.views.ch06 import best, words_of
from book.labs.views.small import SmallPairs, returns
from common.errors import UserError
from common.nn.parameters import set_arrays
from common.text.alignment import Links, alignment_figures, links_of
from common.text.batching import Batch, make_batch
from common.text.pairs import make_pair_batches
from common.text.vocab import BEGIN, BOUNDARY

Head = tuple[int, int]


class Look(NamedTuple):
    """What a model makes of one sentence of n words: T = n + 1 steps.

    read: the word that each step reads, `<s>` first. predicted: the word that it predicts, `</s>` last. weights:
    (blocks, heads, T, T), a row for each step. distributions: P(next word) at each step, (T, V).
    """

    read: list[str]
    predicted: list[str]
    weights: np.ndarray
    distributions: np.ndarray


def look(model: Any, text: str) -> Look:
    """Read a sentence. Raises `UserError` where it has no word, an unknown word, or too many words."""
    words = words_of(model, text)
    inputs = make_batch([model.vocab.encode(words)], [0]).inputs
    weights = np.swapaxes(model.attention(inputs)[..., 0], 2, 3)
    dy.renew_cg()
    distributions = np.reshape(dy.softmax(model.logits(inputs)).npvalue(), (-1, len(inputs)), order="F").T
    return Look([BEGIN, *words], [*words, BOUNDARY], weights, distributions.astype(float))


class Reordered:
    """Positions of a model in another order: word t has the vector of position order[t]."""

    def __init__(self, positions: Any, order: Sequence[int]):
        self.positions, self.order = positions, list(order)

    def __call__(self, first: int, time: int) -> dy.Expression:
        """The vectors of `time` words from `first` on, (H, T). Raises `UserError` for a word that has no position."""
        wanted = self.order[first : first + time]
        if len(wanted) < time:
            raise UserError(f"{len(self.order)} positions for {first + time} steps: give each step a position")
        return dy.select_cols(self.positions(0, max(wanted) + 1), wanted)


def attentions_of(model: Any) -> list[Any]:
    """The attention of each block whose heads are changed: in a translator, that of the decoder to the source."""
    blocks = getattr(model, "decoder", None)
    return [block.to_source for block in blocks] if blocks else [block.attention for block in model.blocks]


@contextmanager
def changed(
    model: Any, without: Collection[Head] = (), sharpness: float = 1.0, order: Sequence[int] | None = None
) -> Iterator[Any]:
    """The model with changed attention; after the block it is as before.

    without: heads of which W_o reads nothing. sharpness: what all scores are multiplied by before the softmax; the root
    of the head size leaves the root of Eq. 1 out. order: the position of each step, counted from 0. Raises `UserError`
    for an order where the model has no positions to give.
    """
    if order is not None and model.positions is None:
        raise UserError("this model adds no positions, so there is no order to change")
    attentions = attentions_of(model)
    matrices = [matrix for attention in attentions for matrix in (attention.W_q, attention.W_o)]
    own_arrays, own_positions = [np.array(matrix.as_array()) for matrix in matrices], model.positions
    try:
        for number, attention in enumerate(attentions):
            queries, output = (np.array(matrix.as_array()) for matrix in (attention.W_q, attention.W_o))
            for head in (head for block, head in without if block == number):
                output[:, head * attention.head_size : (head + 1) * attention.head_size] = 0
            set_arrays([attention.W_q, attention.W_o], [queries * sharpness, output])
        if order is not None:
            model.positions = Reordered(own_positions, order)
        yield model
    finally:
        set_arrays(matrices, own_arrays)
        model.positions = own_positions


def heads_of(model: Any) -> dict[str, Head]:
    """Every head by its name, "block 1, head 1" first."""
    attentions = attentions_of(model)
    numbers = np.ndindex(len(attentions), attentions[0].heads)
    return {f"block {block + 1}, head {head + 1}": (block, head) for block, head in numbers}


class Costs(NamedTuple):
    """Mean -log P, in nats: of names that come back, and of all other predictions."""

    returns: float
    others: float


def readable(model: Any, sentences: Sequence[Sequence[str]]) -> tuple[list[Sequence[str]], Batch]:
    """The sentences of which the model knows every word, and their batch."""
    known = [sentence for sentence in sentences if all(word in model.vocab for word in sentence)]
    return known, make_batch([model.vocab.encode(sentence) for sentence in known], range(len(known)))


def costs(model: Any, sentences: Sequence[Sequence[str]], people: Collection[str]) -> Costs:
    """What the sentences that the model can read cost it."""
    known, batch = readable(model, sentences)
    nats, repeated = -model.log_probs(batch), np.zeros(batch.mask.shape, dtype=bool)
    for column, sentence in enumerate(known):
        repeated[returns(sentence, people), column] = True
    return Costs(*(float(nats[chosen].mean()) for chosen in (repeated, ~repeated & (batch.mask > 0))))


def at_returns(model: Any, sentences: Sequence[Sequence[str]], people: Collection[str]) -> dict[str, np.ndarray]:
    """The mean weight of each head where a name comes back, (blocks, heads), on that name, on `<s>` and on the word
    read last."""
    known, batch = readable(model, sentences)
    weights = model.attention(batch.inputs)
    rows: dict[str, list[np.ndarray]] = {"the name": [], "<s>": [], "the word read last": []}
    for column, sentence in enumerate(known):
        for place in returns(sentence, people):
            before = [i + 1 for i in range(place) if sentence[i] == sentence[place]]
            for kind, steps in zip(rows, (before, [0], [place]), strict=True):
                rows[kind].append(weights[:, :, steps, place, column].sum(axis=2))
    return {kind: np.mean(maps, axis=0) for kind, maps in rows.items()}


def each_without(model: Any, measure: Callable[[], Any]) -> dict[str, Any]:
    """What is measured without one head, for each head."""
    table = {}
    for name, head in heads_of(model).items():
        with changed(model, without=[head]):
            table[name] = measure()
    return table


def pull_out(model: Any, measure: Callable[[], Any]) -> list[tuple[str, Any]]:
    """Heads pulled out one by one, each time the one without which the measure, in a tuple its first number, is least,
    and the measure without it and those before it."""
    heads, steps = heads_of(model), []
    removed: list[Head] = []
    while len(removed) < len(heads):
        left = {}
        for name, head in heads.items():
            if head not in removed:
                with changed(model, without=[*removed, head]):
                    left[name] = measure()
        name = min(left, key=lambda name: left[name])
        removed.append(heads[name])
        steps.append((name, left[name]))
    return steps


def head_errors(model: Any, pairs: SmallPairs) -> dict[str, float]:
    """The alignment error rate of each head of a translator, over the target words that have an aligned word."""
    links: dict[str, list[Links]] = {name: [] for name in heads_of(model)}
    for pair in pairs.pairs:
        ids = [vocab.encode(side) for vocab, side in zip((model.source_vocab, model.vocab), pair, strict=True)]
        weights = model.attention(make_pair_batches(ids[:1], ids[1:], 1)[0])[..., 0]
        for of_head, rows in zip(links.values(), weights, strict=True):
            of_head.append(links_of(rows))
    figures = {name: alignment_figures(of_head, pairs.links) for name, of_head in links.items()}
    return {name: of_head["error_rate_of_aligned_words"] for name, of_head in figures.items()}


def maps(model: Any, text: str, **changes: Any) -> Figure:
    """The weights of every head: a row of maps for each block, in a map a row for each predicted word."""
    with changed(model, **changes):
        passage = look(model, text)
    blocks, heads = passage.weights.shape[:2]
    return head_maps(passage.weights, passage.read, passage.predicted, (2.6 * heads, 2.9 * blocks))


@drawing(9.6, 3.0, columns=2, width_ratios=(1.5, 1))
def at_step(left: Axes, right: Axes, model: Any, text: str, step: int, **changes: Any) -> None:
    """Left the weights of all heads at one step, counted from 1, after the changes; a head that is pulled out is left
    empty. Right the next words: the model's own in grey, after the changes in colour."""
    own = look(model, text)
    if not 1 <= step <= len(own.read):
        raise UserError(f"step {step}: this sentence has steps 1 to {len(own.read)}")
    with changed(model, **changes):
        now = look(model, text)
    names = heads_of(model)
    removed = [head in changes.get("without", ()) for head in names.values()]
    weights = np.array([now.weights[block, head, step - 1, :step] for block, head in names.values()])
    shaded = np.ma.masked_where(np.tile(np.array(removed)[:, None], step), weights)
    weight_map(left, shaded, own.read[:step], list(names), aspect="auto")
    left.set(title=f"weights after reading “{own.read[step - 1]}”")
    before, after = own.distributions[step - 1], now.distributions[step - 1]
    words = [word for word, _ in best(model, (before + after) / 2)]
    ids = model.vocab.encode(words)
    paired_bars(right, words, {"the model's own": (before[ids], INK), "changed": (after[ids], ORANGE)})
    right.set(xlabel="P(next word)", xlim=(0, 1))


@drawing(9.6, 2.6)
def surprises(axes: Axes, model: Any, text: str, **changes: Any) -> None:
    """-log P of each predicted word, in nats: the model's own in grey, after the changes in colour."""
    own = look(model, text)
    with changed(model, **changes):
        now = look(model, text)
    ids = model.vocab.encode(own.predicted)
    bars = {
        label: (-np.log(passage.distributions[range(len(ids)), ids]), colour)
        for label, passage, colour in (("the model's own", own, INK), ("changed", now, BLUE))
    }
    grouped(axes, own.predicted, bars, 0.4, 0.4)
    axes.tick_params(axis="x", rotation=60)
    axes.set(ylabel="nats")
    axes.legend()


def swapped(time: int, first: int, second: int) -> list[int]:
    """The positions of `time` steps, with those of two steps, counted from 0, exchanged. Raises `UserError` for a step
    that is not there."""
    if not 0 <= max(first, second) < time:
        raise UserError(f"step {max(first, second)}: there are steps 0 to {time - 1}")
    order = list(range(time))
    order[first], order[second] = second, first
    return order
