"""The four contexts of Figure 6: which distributions can a sum of features give? (Neubig 2017, section 5.1)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from common.batching import make_batch
from common.vocab import Vocabulary
from features import Active
from model import LogLinearLM, select
from optimisers import SGD
from settings import Settings
from trained import make_features

Context = tuple[str, ...]
Counts = Mapping[Context, Mapping[str, int]]

FIGURE_6: Counts = {
    ("farmers", "eat"): {"steak": 8, "hay": 1, "beans": 1},
    ("cows", "eat"): {"steak": 1, "hay": 8, "beans": 1},
    ("farmers", "grow"): {"steak": 1, "hay": 8, "beans": 1},
    ("cows", "grow"): {"steak": 1, "hay": 1, "beans": 8},
}
"""How often each word follows, out of ten times: 8 is "high", 1 is "low". Beans take what steak and hay leave."""

EXCLUSIVE_OR: Counts = {
    ("farmers", "eat"): {"steak": 1},
    ("cows", "eat"): {"hay": 1},
    ("farmers", "grow"): {"hay": 1},
    ("cows", "grow"): {"steak": 1},
}
"""Two words only: each verb, and each subject, goes with both of them equally often."""


def best_fit(counts: Counts, features: str, steps: int = 3000) -> LogLinearLM:
    """The model of these features that fits the counts best, in float64.

    The loss of a log-linear model is convex: going downhill with all the data at every step ends at the minimum.
    """
    sentences = [[*context, word] for context, words in counts.items() for word in words for _ in range(words[word])]
    vocab = Vocabulary.from_sentences(sentences)
    encoded = [vocab.encode(sentence) for sentence in sentences]
    model = LogLinearLM(make_features(Settings(features=features, pair_count=1), vocab, encoded))
    model.W, model.b = model.W.astype(np.float64), model.b.astype(np.float64)
    active, targets = third_words(model, encoded)
    optimiser = SGD(model, epsilon=0)
    for _ in range(steps):
        _, gradients = model.loss_and_gradients(active, targets, divisor=len(targets))
        optimiser.update(gradients, rate=1.0)
    return model


def third_words(model: LogLinearLM, encoded: list[list[int]]) -> tuple[Active, np.ndarray]:
    """The features before the third words of sentences of three, and these words."""
    batch = make_batch(encoded, range(len(encoded)))
    batch.mask[[0, 1, 3]] = 0
    return select(model.features, batch)


def probabilities(model: LogLinearLM, context: Context) -> dict[str, float]:
    """P(word | context) of every word."""
    state = model.start(1)
    for word in [model.vocab.boundary, *model.vocab.encode(context)]:
        state, log_probs = model.advance(state, [word])
    return dict(zip(model.vocab.words, np.exp(log_probs[0]).tolist(), strict=True))


def cost(counts: Counts, model: LogLinearLM | None = None) -> float:
    """Nats a word: what the model spends on the words that follow, or, without one, the least that anybody can."""
    spent = total = 0.0
    for context, words in counts.items():
        found = probabilities(model, context) if model else {word: words[word] / sum(words.values()) for word in words}
        spent -= sum(times * np.log(found[word]) for word, times in words.items())
        total += sum(words.values())
    return spent / total
