"""The views of lab 6: what a language model attends to in its past, and what changes when one reaches in."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from book.figures.ch06 import COLOURS, heat
from book.figures.plots import bars, drawing, paired_bars
from book.figures.style import BLUE, INK, ORANGE
from book.labs.views.small import returns
from common.errors import UserError
from common.nn.attention import contexts
from common.nn.softmax import FORBIDDEN
from common.plots.plotting import plt
from common.text.batching import make_batch
from common.text.vocab import BEGIN, BOUNDARY, counted, split_words

MOST_WORDS = 24


class Look(NamedTuple):
    """What a model makes of one sentence of n words: T = n + 1 steps.

    read: the word that each step reads, `<s>` first. predicted: the word that it predicts, `</s>` last. states:
    h_1 ... h_T, (H, T). weights: (T, T), a row for each step. log_probs: of the predicted words, (T,), in nats.
    """

    read: list[str]
    predicted: list[str]
    states: np.ndarray
    weights: np.ndarray
    log_probs: np.ndarray


def words_of(model: Any, text: str) -> list[str]:
    """The words of a sentence. Raises `UserError` for none, too many, or one that the model does not know."""
    words = split_words(text)
    unknown = [word for word in words if word not in model.vocab]
    if not words or len(words) > MOST_WORDS:
        raise UserError(f"give a sentence of 1 to {MOST_WORDS} words; this one has {len(words)}")
    if unknown:
        raise UserError(
            f"not in the model's vocabulary of {len(model.vocab) - 2} words: {', '.join(unknown)}; choose others"
        )
    return words


def look(model: Any, text: str) -> Look:
    """Read a sentence; the weights are 0 where the model has no attention. Raises `UserError` as `words_of` does."""
    words = words_of(model, text)
    batch = make_batch([model.vocab.encode(words)], [0])
    log_probs = model.log_probs(batch)[:, 0]
    dy.renew_cg()
    states = model.states(batch.inputs)
    numbers = np.array(states.npvalue()).reshape(-1, len(words) + 1)
    weights = np.zeros((len(words) + 1,) * 2)
    if model.score:
        weights = np.array(model.weights(states).npvalue()).reshape(weights.shape).T
    return Look([BEGIN, *words], [*words, BOUNDARY], numbers, weights, log_probs.astype(float))


def weights_at(
    model: Any,
    passage: Look,
    step: int,
    query_step: int | None = None,
    sharpness: float = 1.0,
    forgotten: Collection[int] = (),
) -> np.ndarray:
    """The weights of one step, counted from 1, over the states before it: (step - 1,); they sum to one.

    query_step: the step whose state is the query, if not this one. sharpness: what the scores are multiplied by before
    the softmax. forgotten: states, counted from 1, that get no weight. Raises `UserError` where no state is left.
    """
    past = step - 1
    if past < 1 or set(range(1, step)) <= set(forgotten):
        raise UserError(f"step {step} has nothing left to attend to; choose a later step, or forget less")
    dy.renew_cg()
    memory = dy.inputTensor(passage.states[:, :past])
    query = dy.inputTensor(passage.states[:, [(query_step or step) - 1]])
    scores = np.array(model.score.scores(model.score.keys(memory), query).npvalue()).reshape(past) * sharpness
    scores[[place - 1 for place in forgotten if place <= past]] = FORBIDDEN
    return np.array(dy.softmax(dy.inputTensor(scores)).npvalue()).astype(float)


def next_words(model: Any, passage: Look, step: int, weights: np.ndarray) -> np.ndarray:
    """P(next word) at a step that reads the context which these weights make, (V,)."""
    dy.renew_cg()
    memory, state = dy.inputTensor(passage.states[:, : step - 1]), dy.inputTensor(passage.states[:, [step - 1]])
    context = contexts(memory, dy.inputTensor(weights[:, None]))
    return np.array(dy.softmax(model.output(dy.concatenate([state, context]))).npvalue()).ravel().astype(float)


def best(model: Any, probabilities: np.ndarray, number: int = 6) -> list[tuple[str, float]]:
    """The most probable words."""
    order = np.argsort(-probabilities, kind="stable")[:number]
    return [(model.vocab.words[place], float(probabilities[place])) for place in order]


class Return(NamedTuple):
    """A name that comes back: how many words ago it stood last, -log P of its return, in nats, and the weight of all
    states after reading that name."""

    distance: int
    nats: float
    weight: float


def returned(model: Any, sentences: Sequence[Sequence[str]], people: Collection[str]) -> list[Return]:
    """Every return of a name in these sentences, as the model predicts it."""
    recurrences = []
    for words in sentences:
        if any(word not in model.vocab for word in words):
            continue
        seen = look(model, " ".join(words))
        for place in returns(words, people):
            before = [i for i in range(place) if words[i] == words[place]]
            weight = float(sum(seen.weights[place, i + 1] for i in before))
            recurrences.append(Return(place - before[-1], -float(seen.log_probs[place]), weight))
    return recurrences


def by_distance(by_model: Mapping[str, Sequence[Return]], ends: Sequence[int]) -> str:
    """A table of mean surprise and mean weight for returns by distance: up to each of `ends`, both for each model."""
    lines = ["words ago  " + "".join(f"{name:>12} nats  weight" for name in by_model)]
    for low, high in zip((0, *ends), ends, strict=False):
        rows = {name: [case for case in some if low < case.distance <= high] for name, some in by_model.items()}
        number = len(next(iter(rows.values())))
        if number:
            means = [np.mean([(case.nats, case.weight) for case in some], axis=0) for some in rows.values()]
            cells = "".join(f"{nats:17.2f}{weight:8.2f}" for nats, weight in means)
            lines.append(f"{low + 1:2} to {high:2}   {cells}   ({counted(number, 'return')})")
    return "\n".join(lines)


def maps(models: Mapping[str, Any], text: str) -> Figure:
    """The weights of each model for one sentence, side by side: a row for each predicted word."""
    figure, panels = plt.subplots(1, len(models), figsize=(9.6, 4.4), sharey=True)
    for axes, (name, model) in zip(panels, models.items(), strict=True):
        passage = look(model, text)
        heat(axes, passage.weights, passage.read, passage.predicted)
        axes.set(title=f"{name}: log P = {passage.log_probs.sum():.1f}", xlabel="state after reading ...")
    panels[0].set(ylabel="when predicting ...")
    return figure


def one_step(models: Mapping[str, Any], text: str, step: int) -> Figure:
    """The weights of one step, a bar for each state before it, and what each model gives the next word."""
    figure, panels = plt.subplots(1, len(models), figsize=(9.6, 2.7), sharey=True)
    for axes, (name, model) in zip(panels, models.items(), strict=True):
        passage = look(model, text)
        check_step(passage, step)
        weights = weights_at(model, passage, step)
        bars(axes, passage.read[: step - 1], weights, COLOURS[name], rotation=90)
        probability = np.exp(passage.log_probs[step - 1])
        axes.set(title=f"{name}: P({passage.predicted[step - 1]}) = {probability:.3f}", ylim=(0, 1.05))
    panels[0].set(ylabel=f"weights after “{passage.read[step - 1]}”")
    return figure


def exchanged_query(models: Mapping[str, Any], text: str, step: int, query_step: int) -> Figure:
    """The weights of one step with its own query (grey), and with that of another step (coloured)."""
    figure, panels = plt.subplots(1, len(models), figsize=(9.6, 2.7), sharey=True)
    for axes, (name, model) in zip(panels, models.items(), strict=True):
        passage = look(model, text)
        check_step(passage, step)
        check_step(passage, query_step)
        places = np.arange(step - 1)
        axes.bar(places - 0.2, weights_at(model, passage, step), 0.4, color=INK)
        axes.bar(places + 0.2, weights_at(model, passage, step, query_step), 0.4, color=COLOURS[name])
        axes.set_xticks(places, passage.read[: step - 1], rotation=90)
        axes.set(title=name, ylim=(0, 1.05))
    panels[0].set(ylabel=f"query: “{passage.read[step - 1]}” or “{passage.read[query_step - 1]}”")
    return figure


def sharpened(model: Any, text: str, step: int, sharpness: float) -> Figure:
    """Weights and next words of one step whose scores are multiplied by a number."""
    passage = look(model, text)
    check_step(passage, step)
    weights = weights_at(model, passage, step, sharpness=sharpness)
    title = f"scores times {sharpness:g}"
    return weights_and_words(model, passage, step, weights, title)


def forgetting(model: Any, text: str, step: int, word: str) -> Figure:
    """Weights and next words of one step when all states after reading `word` are taken from the memory."""
    passage = look(model, text)
    check_step(passage, step)
    forgotten = [place for place, read in enumerate(passage.read[: step - 1], start=1) if read == word]
    weights = weights_at(model, passage, step, forgotten=forgotten)
    title = f"without the state after “{word}”" if forgotten else "nothing forgotten"
    return weights_and_words(model, passage, step, weights, title)


@drawing(9.6, 2.9, columns=2, width_ratios=(1.4, 1))
def weights_and_words(
    left: Axes, right: Axes, model: Any, passage: Look, step: int, weights: np.ndarray, title: str
) -> None:
    """Left the weights of a step, right what follows from them: the model's own in grey, these in colour."""
    own = next_words(model, passage, step, passage.weights[step - 1, : step - 1])
    changed = next_words(model, passage, step, weights)
    bars(left, passage.read[: step - 1], weights, BLUE, rotation=90)
    left.set(title=title, ylabel="attention weight", ylim=(0, 1.05))
    words = [word for word, _ in best(model, (own + changed) / 2)]
    ids = model.vocab.encode(words)
    paired_bars(right, words, {"the model's own": (own[ids], INK), title: (changed[ids], ORANGE)})
    right.set(xlabel="P(next word)", xlim=(0, 1))


def check_step(passage: Look, step: int) -> None:
    """Raises `UserError` for a step that the sentence has not, or that has no past."""
    if not 2 <= step <= len(passage.read):
        raise UserError(f"step {step}: this sentence has steps 2 to {len(passage.read)} with something to attend to")
