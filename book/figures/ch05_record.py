"""What the figures of chapter 5 show of trained models: `python -m book.figures.ch05_record RUNS`.

Runs of one cell that differ in their seeds are one curve, their mean. Where verbs agree, runs of
chapter 4 are drawn beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import dynet as dy
import numpy as np

from book.figures.ch01_data import trained as ngram_model
from book.figures.recording import Recording
from chapters.rnn_lm import cache, gradients, model as model_module, neural_cache
from common.evaluation.perplexity import sentence_log_probs
from common.nn.softmax import embed
from common.programs.chapters import load_run
from common.text.corpus import load_corpus
from data.agreement import Agreeing, agreement_sentences, new_sentences

CHAPTER = "05_rnn_lm"
WINDOW = "feed-forward"
SEEDS = range(1, 6)
CELLS = ("lstm", "gru", "rnn")
CELL_RUNS = {f"{cell}-{seed}": (CHAPTER, f"--cell {cell} --epochs 8 --seed {seed}") for cell in CELLS for seed in SEEDS}
WINDOW_RUNS = {f"{WINDOW}-{seed}": ("04_feedforward_lm", f"--epochs 8 --seed {seed}") for seed in SEEDS}
STEPS, SENTENCES = 18, 200
"""As gradients.py has them."""
SAMPLE = 6000
"""New sentences of the village in which verbs are looked for."""
FAR = 7
"""Distances from here on are counted together."""
BIASES = (0, 1, 3)
TWO_NUMBERS = ("the cat beside the old singers is restless .".split(),
               "the cats beside the old singers are restless .".split())  # fmt: skip
NAME, BACK = "the goat that belongs to dora waits until dora fills her ugly spoon .".split(), 8
"""A sentence, and where in it the name comes back."""

Models = Mapping[str, Sequence]
"""Trained models by their cells, and those of chapter 4 under `WINDOW`."""


# Gradients


def curves(model) -> dict[str, list[float]]:
    """The common logarithm of the gradient's mean norm by the number of steps back, for each part of the state."""
    dev = [model.vocab.encode(sentence) for sentence in load_corpus("village").dev]
    norms = gradients.gradient_norms(model, *gradients.beginnings(dev, STEPS, SENTENCES))
    return {part: np.log10(norm.mean(axis=1)[::-1]).tolist() for part, norm in norms.items()}


def untrained(like, cell: str):
    """A model of this cell before its training, as large as another."""
    return model_module.RecurrentLM(like.vocab, cell=cell, hidden_size=like.embedding.shape()[1])


def gradient_curves(trained: Sequence, cell: str) -> dict[str, list[float]]:
    """The curves of the state before and after training, and of the memory cell after it, where there is one.

    After training: the mean of the runs' curves, which are logarithms.
    """
    after = [curves(model) for model in trained]
    result = {"before": curves(untrained(trained[0], cell))["h"]}
    for part, name in (("h", "after"), ("c", "cell after")):
        if part in after[0]:
            result[name] = np.mean([run[part] for run in after], axis=0).tolist()
    return result


def cell_curve(like, bias: float) -> list[float]:
    """The curve of the cell of an LSTM before training whose forget gates start with this bias."""
    model = untrained(like, "lstm")
    set_forget_bias(model, bias)
    return curves(model)["c"]


def set_forget_bias(model, bias: float) -> None:
    """Let the forget gates of an LSTM of one layer start with this bias."""
    (layer,) = model.stack.layers
    values, size = layer.b.as_array().copy(), layer.hidden_size
    values[size : 2 * size] = bias
    layer.b.set_value(values)


# Agreement


def right_form(model, cases: Sequence[Agreeing]) -> np.ndarray:
    """For each verb P(its form) / P(its two forms), given the words before it."""
    right, wrong = (
        np.array([costs[case.verb] for case, costs in zip(cases, sentence_log_probs(model, texts), strict=True)])
        for texts in ([case.sentence for case in cases], [case.twin for case in cases])
    )
    return 1 / (1 + np.exp(wrong - right))


def agreement(models: Models, cases: Sequence[Agreeing]) -> dict:
    """By distance, the mean probability of the right one of a verb's two forms, the mean over the runs of a cell."""
    distances = np.array([min(case.distance, FAR) for case in cases])
    kinds = sorted({int(distance) for distance in distances})

    def by_distance(model) -> list[float]:
        shares = right_form(model, cases)
        return [float(shares[distances == distance].mean()) for distance in kinds]

    result: dict = {"distance": kinds, "verbs": [int((distances == distance).sum()) for distance in kinds]}
    result["misled"] = [
        float(np.mean([case.misled for case, far in zip(cases, distances, strict=True) if far == kind]))
        for kind in kinds
    ]
    result["5-gram"] = by_distance(ngram_model("kneser-ney", 5))
    for cell, kind in models.items():
        result[cell] = np.mean([by_distance(model) for model in kind], axis=0).tolist()
    return result


# One unit, and one name


def cells(model, sentence: Sequence[str]) -> np.ndarray:
    """The cell of an LSTM after `<s>` and after each word, (T + 1, H)."""
    dy.renew_cg()
    states, values = model.stack.first_states, []
    for word in [model.vocab.boundary, *model.vocab.encode(sentence)]:
        _, states = model.stack.step(embed(model.embedding, [word]), states)
        values.append(states[-1].cell.npvalue())
    return np.array(values)


def unit_of_number(model, cases: Sequence[Agreeing], others: Sequence[Agreeing]) -> dict:
    """The unit that tells singular subjects from plural ones best just before their verb, in two sentences.

    Best: in the sentences `cases`, the means of both kinds are the most standard deviations apart. In the `others`, the
    share of verbs where the unit lies on the right side of the middle between these means.
    """
    before, singular = before_verbs(model, cases)
    singulars, plurals = before[singular], before[~singular]
    deviation = np.sqrt((singulars.var(axis=0) + plurals.var(axis=0)) / 2 + 1e-8)
    apart = (singulars.mean(axis=0) - plurals.mean(axis=0)) / deviation
    unit = int(np.argmax(np.abs(apart)))
    middle = (singulars[:, unit].mean() + plurals[:, unit].mean()) / 2
    elsewhere, singular_elsewhere = before_verbs(model, others)
    correct = (elsewhere[:, unit] > middle) == (singular_elsewhere if apart[unit] > 0 else ~singular_elsewhere)
    return {
        "unit": unit,
        "apart": float(abs(apart[unit])),
        "verbs": len(others),
        "right": float(correct.mean()),
        "singular": float(singular_elsewhere.mean()),
        "sentences": list(TWO_NUMBERS),
        "values": [cells(model, sentence)[1:, unit].tolist() for sentence in TWO_NUMBERS],
    }


def before_verbs(model, cases: Sequence[Agreeing]) -> tuple[np.ndarray, np.ndarray]:
    """The cell just before each verb, (N, H), and whether the verb is singular, (N,)."""
    before = [cells(model, case.sentence[: case.verb])[case.verb] for case in cases]
    return np.array(before), np.array([case.singular for case in cases])


def name_that_comes_back(model) -> dict:
    """The cache within a sentence, tuned on dev, where a name comes back: its weights, and the name's probabilities."""
    best = cache.tune(cache.read(model, load_corpus("village").dev, continued=False), "sentence")
    text = cache.read(model, [NAME], continued=False)
    weights = []
    for earlier in range(BACK):  # as if only this word had been the one that comes back
        words = np.arange(len(text.words))
        words[BACK] = earlier
        weights.append(float(neural_cache.cache_probs(text.hidden, words, text.first, best.theta)[BACK]))
    mixed = cache.with_cache(text, best, "sentence")[BACK]
    return {
        "words": NAME[: BACK + 1],
        "weights": weights,
        "theta": best.theta,
        "share": best.share,
        "model": float(np.exp(text.log_probs[BACK])),
        "cache": float(cache.cached(text, best.theta, len(NAME), "sentence")[BACK]),
        "both": float(np.exp(mixed)),
    }


def measure(runs: Path) -> tuple[dict, dict]:
    """Settings and numbers of the runs in a folder."""
    models = {kind: [load_run(runs / f"{kind}-{seed}")[0] for seed in SEEDS] for kind in (*CELLS, WINDOW)}
    lstm, cases = models["lstm"][0], agreement_sentences(new_sentences(SAMPLE))
    return {"runs": commands_of(RUNS), "sentences": SAMPLE}, {
        "gradients": {cell: gradient_curves(models[cell], cell) for cell in CELLS},
        "forget bias": {str(bias): cell_curve(lstm, bias) for bias in BIASES},
        "agreement": agreement(models, cases),
        "cell": unit_of_number(lstm, cases[::2], cases[1::2]),
        "name": name_that_comes_back(lstm),
    }


def commands_of(runs: Mapping[str, tuple[str, str]]) -> list[str]:
    """The commands of runs."""
    return [f"python chapters/{chapter}/train.py {flags}" for chapter, flags in runs.values()]


RUNS = {**CELL_RUNS, **WINDOW_RUNS}
RECORDING = Recording(CHAPTER, "python -m book.figures.ch05_record RUNS", measure, RUNS)

if __name__ == "__main__":
    RECORDING.main(__doc__)
