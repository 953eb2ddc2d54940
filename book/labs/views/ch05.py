"""Lab 5: what a state keeps: products of slopes, gates, and cells that learn agreement over a distance."""

from __future__ import annotations

import math
from functools import cache

import dynet as dy
import numpy as np
from matplotlib.axes import Axes

from book.figures.ch05_record import cells, gradients, model_module, set_forget_bias
from book.figures.plots import drawing
from book.figures.style import BLUE, GREEN, INK, ORANGE, RED
from book.lessons.cells import namespace
from common.nn.optimiser import make_optimiser
from common.text.batching import make_batch
from common.text.vocab import Vocabulary

CELLS = ("rnn", "gru", "lstm")
COLOURS = {"rnn": RED, "gru": GREEN, "lstm": BLUE}
SINGULAR, PLURAL = ("cat", "goat", "hen"), ("cats", "goats", "hens")
BETWEEN = ("beside", "the", "old", "grey", "singers", "singer", "near", "quietly")
FARTHEST, STEPS = 12, 400
"""The most words between subject and verb, and the minibatches of 32 sentences of a run."""
VOCAB = Vocabulary(["the", *SINGULAR, *PLURAL, *BETWEEN[:1], *BETWEEN[2:], "waits", "wait", "."])


def sentence(rng: np.random.Generator, between: int, plural: bool) -> list[str]:
    """A sentence of the lab's own language: a subject, so many other words, and a verb that agrees with the subject."""
    subject = str(rng.choice(PLURAL if plural else SINGULAR))
    middle = [str(word) for word in rng.choice(BETWEEN, between)]
    return ["the", subject, *middle, "wait" if plural else "waits", "."]


def factors(weight: float, first: float, steps: int) -> np.ndarray:
    """Of one tanh unit that reads `first` and then zeros: the products of W_hh and slopes, by steps back, (steps,)."""
    return np.cumprod(namespace("05")["factors"](weight, first, steps))


@drawing(5.6, 2.9)
def one_weight(axes: Axes, weight: float, first: float, steps: int) -> None:
    """What is left of a gradient after so many steps back through one unit."""
    product = factors(weight, first, steps)
    axes.semilogy(range(1, steps + 1), product, "o-", color=BLUE, markersize=3)
    axes.axhline(1, color=INK, linestyle="--", linewidth=0.8)
    axes.set(xlabel="steps back", ylabel="product of the factors", title=f"after {steps} steps: {product[-1]:.2g}")


def kept(forget: float, inputs: float, steps: int) -> np.ndarray:
    """A cell that holds 1 and whose update is 1 at each step, with constant gates: its value by step, (steps + 1,)."""
    f, i = (1 / (1 + math.exp(-a)) for a in (forget, inputs))
    values = [1.0]
    for _ in range(steps):
        values.append(f * values[-1] + i)
    return np.array(values)


@drawing(7.8, 2.7, columns=2)
def gates(left: Axes, right: Axes, forget: float, inputs: float, steps: int) -> None:
    """How long a cell keeps what it holds, and what it collects."""
    f = 1 / (1 + math.exp(-forget))
    left.plot(f ** np.arange(steps + 1), "o-", color=BLUE, markersize=3)
    half = math.log(0.5) / math.log(f) if f < 1 else math.inf
    left.set(title=f"f = {f:.4f}: half is left after {half:.1f} steps", xlabel="steps", ylim=(0, 1.05))
    left.set_ylabel("what is left of a 1")
    right.plot(kept(forget, inputs, steps), "o-", color=ORANGE, markersize=3)
    right.set(title="the cell, with an update of 1 each step", xlabel="steps")


def build(cell: str, bias: float, seed: int):
    """An untrained model of the lab's language; bias: where the forget gates of an LSTM start."""
    dy.reset_random_seed(seed)
    lm = model_module.RecurrentLM(VOCAB, cell=cell, hidden_size=16, dropout=0.0, init_scale=0.3)
    if cell == "lstm":
        set_forget_bias(lm, bias)
    return lm


@cache
def trained(cell: str, bias: float, seed: int = 1) -> tuple[object, list[float]]:
    """The model after a short run on sentences with 0 to `FARTHEST` words in the middle; losses, nats per word."""
    lm, rng, losses = build(cell, bias, seed), np.random.default_rng(seed), []
    optimiser = make_optimiser("adam", lm.collection, 5.0, 1e-8)
    optimiser.learning_rate = 0.02
    for _ in range(STEPS):
        texts = [sentence(rng, int(rng.integers(FARTHEST + 1)), bool(number % 2)) for number in range(32)]
        batch = make_batch([VOCAB.encode(words) for words in texts], range(len(texts)))
        dy.renew_cg()
        loss, _ = lm.loss(batch)
        losses.append(loss.scalar_value() / batch.predictions)
        (loss * (1 / len(texts))).backward()
        optimiser.update()
    return lm, losses


def right_form(lm, between: int, number: int = 40) -> float:
    """P(the verb's right form) / P(both forms) after so many words in the middle, the mean over new sentences."""
    rng = np.random.default_rng(1000 + between)
    plural = np.arange(number) % 2 == 1
    texts = [VOCAB.encode(sentence(rng, between, bool(is_plural)))[:-2] for is_plural in plural]
    states = lm.start(number)
    for words in np.array([[VOCAB.boundary, *text] for text in texts]).T:
        states, log_probs = lm.advance(states, words)
    singular, many = (np.exp(log_probs[:, VOCAB.ids[verb]].astype(np.float64)) for verb in ("waits", "wait"))
    return float((np.where(plural, many, singular) / (singular + many)).mean())


@cache
def agreement(cell: str, bias: float, seed: int = 1) -> list[float]:
    """`right_form` of the trained model by the words in the middle, 0 to `FARTHEST`."""
    return [right_form(trained(cell, bias, seed)[0], between) for between in range(FARTHEST + 1)]


@cache
def norms(cell: str, bias: float, after: bool, seed: int = 1) -> dict[str, np.ndarray]:
    """Mean norm of the verb's gradient by steps back, for the state h and, where there is one, the cell c."""
    lm = trained(cell, bias, seed)[0] if after else build(cell, bias, seed)
    rng = np.random.default_rng(5)
    texts = [VOCAB.encode(sentence(rng, FARTHEST, bool(number % 2))) for number in range(32)]
    inputs = np.array([[VOCAB.boundary, *words[:-2]] for words in texts]).T
    by_part = gradients.gradient_norms(lm, inputs, [words[-2] for words in texts])
    return {part: values.mean(axis=1)[::-1] for part, values in by_part.items()}


@drawing(10, 3, columns=3)
def memory(left: Axes, middle: Axes, right: Axes, cell: str, bias: float, seed: int) -> None:
    """Gradients through time before and after a short run, and agreement by distance after it."""
    for axes, after in ((left, False), (middle, True)):
        for part, line in (("h", "-"), ("c", "--")):
            by_part = norms(cell, bias, after, seed)
            if part in by_part:
                axes.semilogy(by_part[part], line, color=COLOURS[cell], label=f"{cell}, {part}")
        axes.set(xlabel="steps back", title=f"gradient norm {'after' if after else 'before'} training", ylim=(1e-8, 10))
        axes.legend(fontsize=8, loc="lower left")
    right.plot(agreement(cell, bias, seed), "o-", color=COLOURS[cell], markersize=3)
    right.axhline(0.5, color=INK, linestyle=":", linewidth=1)
    bias_text = f", forget bias {bias:g}" if cell == "lstm" else ""
    right.set(xlabel="words in the middle", title=f"right form of the verb: {cell}{bias_text}", ylim=(0.4, 1.02))


@drawing(8, 2.7)
def unit(axes: Axes, cell: str, number: int, between: int) -> None:
    """One number of the state (of an LSTM: of its cell), word by word, after a singular and after a plural subject."""
    lm = trained(cell, 1.0)[0]
    for plural, colour in ((False, ORANGE), (True, BLUE)):
        words = sentence(np.random.default_rng(7), between, plural)[:-1]
        axes.plot(through(lm, words)[1:, number], "o-", color=colour, label=f"the {words[1]} ...", markersize=4)
    labels = [words[0], "subject", *words[2:-1], "verb"]
    axes.set_xticks(range(len(labels)), labels, rotation=40, ha="right")
    axes.axhline(0, color=INK, linestyle=":", linewidth=0.8)
    axes.set(ylabel=f"number {number} of the {'cell' if cell == 'lstm' else 'state'}")
    axes.legend(fontsize=8)


def through(lm, words: list[str]) -> np.ndarray:
    """The cell of an LSTM, the state of another, after `<s>` and after each word, (T + 1, 16)."""
    if hasattr(lm.stack.layers[0].state_type, "cell"):
        return cells(lm, words)
    return lm.hidden_from(np.array([[VOCAB.boundary, *VOCAB.encode(words)]]).T)[0][:, :, 0].T
