"""Lab 4: embeddings as they are learnt, their neighbours and their map, and what dropout and sampling do."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import dynet as dy
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.counted import distribution, next_word, village
from book.figures import ch04_data as data
from book.figures.ch04_record import SIDES, embeddings, neighbours
from book.figures.plots import drawing, grouped, note
from book.figures.recorded import recorded
from book.figures.style import BLUE, GREEN, INK, ORANGE, RED
from book.lessons.cells import namespace
from chapters.feedforward_lm import model, settings
from common.errors import UserError
from common.nn.optimiser import make_optimiser
from common.plots.plotting import plt
from common.runtime import epoch_rng
from common.text.batching import make_batches
from common.text.vocab import split_words
from common.training.schedules import Schedule
from common.training.start_bias import log_frequencies
from data.oracle import next_word_probs

EPOCHS = 3
READ_AS = {"input": "as read", "output": "as predicted"}
COLOURS = plt.get_cmap("tab20").colors


class Trained(NamedTuple):
    """A small model of the village, the vectors of its words (V, 32) before training and after each epoch, by side,
    and the perplexity on train while learning, by epoch."""

    model: object
    vectors: list[dict[str, np.ndarray]]
    perplexities: list[float]


@cache
def trained() -> Trained:
    """The chapter's model of order 4, 32 numbers a word, three epochs with large steps: a few seconds."""
    vocab, _, train, _ = village()
    options = settings.Settings(order=4, hidden_size=32, dropout=0.0, learning_rate=0.02, epochs=EPOCHS)
    dy.reset_random_seed(1)
    lm = model.FeedForwardLM.from_settings(options, vocab, log_frequencies(train, len(vocab)))
    optimiser = make_optimiser(options.optimiser, lm.collection, options.clip, options.epsilon)
    schedule, vectors, costs = Schedule.from_settings(options), [vectors_of(lm, options)], []
    for epoch in range(1, EPOCHS + 1):
        rng = epoch_rng(1, epoch)
        batches, total = make_batches(train, options.batch_size, rng), 0.0
        for number, batch in enumerate(batches):
            dy.renew_cg()
            loss = lm.loss(batch, rng)
            total += loss.scalar_value()
            (loss * (1 / len(batch.indices))).backward()
            optimiser.learning_rate = schedule(epoch - 1 + number / len(batches), [])
            optimiser.update()
        vectors.append(vectors_of(lm, options))
        costs.append(float(np.exp(total / sum(batch.predictions for batch in batches))))
    return Trained(lm, vectors, costs)


def vectors_of(lm, options) -> dict[str, np.ndarray]:
    """The two vectors of each word, (V, L) by side, in float64; copies, since training goes on."""
    return {side: np.array(neighbours.vectors_of(lm, options, side), dtype=np.float64) for side in SIDES}


def number_of(word: str) -> int:
    """The id of a word. Raises `UserError` where the model does not know it."""
    if word not in village()[0]:
        raise UserError(f"{word!r} is not in the vocabulary; try reads, salmon, miller, two or mira")
    return village()[0].ids[word]


def nearest(word: str, side: str, epoch: int, number: int) -> list[tuple[str, float]]:
    """The nearest neighbours of a word after an epoch, with their cosines."""
    vocab, place = village()[0], number_of(word)
    neighbours = embeddings.nearest(trained().vectors[epoch][side], place, range(2, len(vocab)), number)
    return [(vocab.words[other], cosine) for other, cosine in neighbours]


def two_answers(word: str, epoch: int, number: int = 8) -> Figure:
    """The nearest neighbours of a word by its two vectors; green where they are of its own kind."""
    figure, panels = plt.subplots(1, 2, figsize=(7.4, 0.28 * number + 0.9), sharex=True)
    own = kind_of(word)
    for axes, side in zip(panels, SIDES, strict=True):
        names, cosines = zip(*nearest(word, side, epoch, number), strict=True)
        axes.barh(names, cosines, color=[GREEN if own and kind_of(name) == own else INK for name in names])
        axes.invert_yaxis()
        axes.set(title=f"{word}, {READ_AS[side]}, epoch {epoch}", xlabel="cosine", xlim=(min(0, min(cosines)), 1))
    return figure


@cache
def kinds() -> dict[str, dict[str, list[int]]]:
    """The things and the verbs of the village by the kind of the thing: ids of words."""
    return {group: neighbours.known(names, village()[0]) for group, names in embeddings.village_groups().items()}


def kind_of(word: str) -> tuple[str, str] | None:
    """Group and kind of a word, where it has one."""
    place = village()[0].ids.get(word, -1)
    for group, names in kinds().items():
        for kind, members in names.items():
            if place in members:
                return group, kind
    return None


def own_kind(group: str, side: str, epoch: int) -> float:
    """The share of words whose nearest neighbour of the group is of their own kind."""
    return embeddings.own_class_share(trained().vectors[epoch][side], kinds()[group])[0]


def plane(group: str, side: str, epoch: int) -> tuple[np.ndarray, list[str], list[str], float]:
    """Places of the group's words on the plane of their principal components, (N, 2), words, kinds, variance shown."""
    words = [(kind, word) for kind, members in kinds()[group].items() for word in members]
    places, share = embeddings.principal_plane(trained().vectors[epoch][side][[word for _, word in words]])
    return places, [village()[0].words[word] for _, word in words], [kind for kind, _ in words], share


@drawing(7.6, 5)
def word_map(axes: Axes, group: str, side: str, epoch: int, names: bool) -> None:
    """The map of the words of a group, a colour a kind."""
    places, words, of_kind, share = plane(group, side, epoch)
    for number, kind in enumerate(kinds()[group]):
        own = [place for place, own_kind in enumerate(of_kind) if own_kind == kind]
        axes.plot(*places[own].T, "o", color=COLOURS[number % len(COLOURS)], markersize=4, label=kind)
        for place in own if names else ():
            axes.annotate(words[place], places[place], fontsize=6, color=COLOURS[number % len(COLOURS)])
    axes.set(title=f"{group} {READ_AS[side]}, epoch {epoch}: {own_kind(group, side, epoch):.0%} beside their own kind",
             xlabel=f"{share:.0%} of the variance on this plane")  # fmt: skip
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=7)


@drawing(9, 2.4, columns=3)
def next_words(left: Axes, middle: Axes, right: Axes, history: str) -> None:
    """What 5-gram model, network and grammar expect after a history: the six most probable words of each."""
    vocab, words = village()[0], split_words(history)
    models = {"5-gram": next_word("kneser-ney", words), "network": distribution(trained().model, words)}
    truth = next_word_probs(words)
    models["grammar"] = np.array([truth.get(word, 0.0) for word in vocab.words])
    for axes, (name, probs), colour in zip((left, middle, right), models.items(), (INK, BLUE, GREEN), strict=True):
        best = np.argsort(-probs, kind="stable")[:6]
        axes.barh([vocab.words[number] for number in best], probs[best], color=colour)
        axes.invert_yaxis()
        axes.set(title=name, xlabel="probability")
    left.figure.suptitle(f"after “{history}”", fontsize=10, parse_math=False)


def observed(rate: float) -> tuple[tuple[float, float], float, float]:
    """The millhand's embedding after one step of this size, P(flour | millhand offers), P(wheat | millhand buys)."""
    lesson = namespace("04")
    x, forward, new = lesson["x"], lesson["forward"], lesson["millhand"] - rate * lesson["d_m"][:2]
    return tuple(new.tolist()), float(forward(new, x["offers"])[-1][0]), float(forward(new, x["buys"])[-1][1])


@drawing(7.6, 3, columns=2)
def observation(left: Axes, right: Axes, rate: float) -> None:
    """Where the millhand's embedding goes when one sale of flour is seen, and what that teaches of both histories."""
    new, sells, buys = observed(rate)
    _, sold, bought = observed(0.0)
    for word, vector in namespace("04")["x"].items():
        left.plot(*vector, "o", color=INK)
        note(left, word, vector, (5, 5), fontsize=8, ha="left")
    old = namespace("04")["millhand"]
    left.annotate("", new, old, arrowprops={"arrowstyle": "->", "color": RED})
    left.plot(*new, "o", color=RED)
    note(left, "millhand", new, (5, 5), fontsize=8, color=RED, ha="left")
    left.set(xlim=(-1.4, 3), ylim=(-1.4, 1.5), xlabel="trade", ylabel="selling or buying")
    rows = {"before": ([sold, bought], INK), "after": ([sells, buys], BLUE)}
    grouped(right, ["P(flour |\nmillhand offers)", "P(wheat |\nmillhand buys)"], rows, 0.4, 0.38)
    right.set(ylim=(0, 1.25))
    right.legend(fontsize=8, loc="upper left", ncols=2)


@cache
def hidden() -> np.ndarray:
    """The recorded hidden layer, (20,)."""
    return np.array(recorded(data.CHAPTER)["dropped"]["without"])


def dropped(rate: float, draw: int) -> np.ndarray:
    """The hidden layer with dropout: a number is 0 with this probability, else divided by 1 - rate, (20,)."""
    values = hidden()
    survivors = np.random.default_rng(draw).random(len(values)) >= rate
    return np.where(survivors, values / (1 - rate), 0.0)


@drawing(9, 2.2, columns=3, sharey=True)
def dropout(left: Axes, middle: Axes, right: Axes, rate: float, draw: int) -> None:
    """Twenty hidden units without dropout, with it, and the mean of a thousand draws."""
    mean = np.mean([dropped(rate, seed) for seed in range(1000)], axis=0)
    rows = (("without dropout", dropped(0.0, 0)), (f"draw {draw}", dropped(rate, draw)), ("mean of 1,000 draws", mean))
    for axes, (title, values), colour in zip((left, middle, right), rows, (INK, BLUE, ORANGE), strict=True):
        axes.bar(range(len(values)), values, color=colour)
        axes.set(title=title, xlabel="hidden unit")


@drawing(5.6, 2.6)
def sampling(axes: Axes, samples: int) -> None:
    """2,000 estimates of ln Z by the sampled softmax, for one prediction of the recorded network; the truth is 0."""
    logs, _ = data.estimates(samples)
    axes.hist(np.clip(logs, -4, 4), bins=80, range=(-4, 4), color=BLUE)
    axes.axvline(0, color=GREEN, linewidth=2, label="ln Z")
    axes.axvline(logs.mean(), color=ORANGE, linestyle="--", linewidth=2, label=f"mean {logs.mean():+.3f}")
    axes.set(title=f"{samples} samples", xlabel="estimate of ln Z (beyond ±4: at the edge)", yticks=[])
    axes.legend(fontsize=8)
