"""`python -m book.figures.ch02_record`: what the figures of chapter 2 show of trained models, written down once.

Three things, with seed 1: the default model and what each template of features adds to one prediction; the same model
trained on for longer, for early stopping; and each optimiser at several learning rates. Some CPU
minutes, more of them on a busy machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from book.figures.recording import Recording
from chapters.loglinear_lm import compare_optimisers as comparison, features, fitting, learners, optimisers, settings
from common.evaluation.perplexity import evaluate
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from common.training.start_bias import log_frequencies

CHAPTER = "02_loglinear_lm"
COMMAND = "python -m book.figures.ch02_record"
SENTENCE = "the hen that belongs to dalena waits until dalena hides a leather halter .".split()
"""One of dev. What is predicted is the second *dalena*."""
READ = SENTENCE.index("until") + 1
CANDIDATES = ("dalena", "mira", "she", "the")
FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0)


class Text:
    """The embedded corpus as train.py reads it. sentences: only so many of each split, for a test."""

    def __init__(self, sentences: int | None = None):
        corpus = load_corpus("village")
        self.train, self.dev = corpus.train[:sentences], corpus.dev[:sentences]
        self.vocab = Vocabulary.from_sentences(self.train, min_count=2)
        self.ids = [self.vocab.encode(sentence) for sentence in self.train]
        self.bias = log_frequencies(self.ids, len(self.vocab))

    def features(self, options):
        return features.make_features(options, self.vocab, self.ids)

    def learner(self, options, own_features):
        return learners.NumpyLearner(options, own_features, self.bias)


def contributions(model, words: Sequence[str]) -> dict[str, np.ndarray]:
    """What b and each template of features add to the scores of all words after the first ones of a sentence, (V,)."""
    active = model.features.active(np.array([[Vocabulary.boundary, *model.vocab.encode(words)]]).T)
    ids, values = active.ids[-1, 0], active.values[-1, 0]
    parts = {"b": model.b.astype(float)}
    for name, start, end in zip(model.features.names, model.features.offsets, model.features.offsets[1:], strict=False):
        own = (values > 0) & (start <= ids) & (ids < end)
        parts[name] = (values[own, None] * model.W[ids[own]].astype(float)).sum(axis=0)
    return parts


def templates(model) -> dict:
    """For the prediction after the first words of `SENTENCE`: what b and each template add to every candidate's score.

    From each contribution its mean over the vocabulary is taken away, which changes no probability. Features that
    come more than once count so often.
    """
    parts = contributions(model, SENTENCE[:READ])
    scores = sum(parts.values())
    probs = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
    words = {word: model.vocab.encode([word])[0] for word in CANDIDATES}
    return {
        "contributions": {word: {name: float(part[number] - part.mean()) for name, part in parts.items()}
                          for word, number in words.items()},
        "probabilities": {word: float(probs[number]) for word, number in words.items()},
    }  # fmt: skip


def curves(text: Text, options) -> dict:
    """Loss in nats per prediction after each epoch, on train (its first thousand sentences) and on dev."""
    learner = text.learner(options, text.features(options))
    losses = {"train": [], "dev": []}
    for _ in fitting.fit(learner, options, text.ids):
        for split, sentences in (("train", text.train[:1000]), ("dev", text.dev)):
            losses[split].append(math.log(evaluate(learner.model, sentences, "uniform").perplexity))
    return losses


def rates(text: Text, options, factors: tuple[float, ...]) -> dict:
    """For each optimiser, its learning rates and the dev perplexities after the last epoch (none where it broke)."""
    own = text.features(options)
    results = {}
    for kind, optimiser in optimisers.OPTIMISERS.items():
        rows = []
        for factor in factors:
            trial = replace(options, optimiser=kind, learning_rate=optimiser.rate * factor)
            row = comparison.run(trial, text.learner(trial, own), text.ids, text.dev)
            rows.append([trial.learning_rate, row["dev"][-1] if len(row["dev"]) == trial.epochs else None])
        results[kind] = rows
    return results


def measure(sentences: int | None = None, epochs: int = 10, factors: tuple[float, ...] = FACTORS) -> tuple[dict, dict]:
    """Train; settings and numbers. sentences, epochs (of the long run) and factors: other ones, for a test."""
    text = Text(sentences)
    quick = settings.Settings()
    learner = text.learner(quick, text.features(quick))
    for _ in fitting.fit(learner, quick, text.ids):
        pass
    short = settings.Settings(features="word1,word2", epochs=min(2, epochs))
    long = replace(quick, schedule="constant", epochs=epochs)
    models = {"templates": templates(learner.model), "curves": curves(text, long)}
    described = {
        "seed": quick.seed,
        "templates": {"features": quick.features, "epochs": quick.epochs},
        "curves": {"features": long.features, "epochs": long.epochs, "schedule": long.schedule},
        "rates": {"features": short.features, "epochs": short.epochs},
    }
    return described, {**models, "rates": rates(text, short, factors)}


RECORDING = Recording(CHAPTER, COMMAND, lambda _: measure())

if __name__ == "__main__":
    RECORDING.main(__doc__)
