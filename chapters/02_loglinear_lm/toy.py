"""The best that a set of features can do, whatever the data: fitting a known truth (Neubig 2017, section 5.1)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from common.text.vocab import UNKNOWN, Vocabulary

from .features import Active, make_features
from .model import LogLinearLM, gradients, log_softmax
from .optimisers import AdaGrad
from .settings import Settings
from .sparse import by_position

Context = tuple[str, ...]
Truth = Mapping[Context, Mapping[str, float]]
"""P(word | context) of some contexts of equal length."""

FIGURE_6: Truth = {
    ("farmers", "eat"): {"steak": 0.8, "hay": 0.1, "beans": 0.1},
    ("cows", "eat"): {"steak": 0.1, "hay": 0.8, "beans": 0.1},
    ("farmers", "grow"): {"steak": 0.1, "hay": 0.8, "beans": 0.1},
    ("cows", "grow"): {"steak": 0.1, "hay": 0.1, "beans": 0.8},
}
"""0.8 is "high", 0.1 is "low". Beans take what steak and hay leave."""

EXCLUSIVE_OR: Truth = {
    ("farmers", "eat"): {"steak": 1.0},
    ("cows", "eat"): {"hay": 1.0},
    ("farmers", "grow"): {"hay": 1.0},
    ("cows", "grow"): {"steak": 1.0},
}
"""Two words only: each verb, and each subject, goes with both of them equally often."""


def best_fit(truth: Truth, features: str) -> LogLinearLM:
    """The model of these features with the least expected loss, all contexts being equally frequent, in float64.

    There is no sample, so there is neither overfitting nor underfitting: the gradient of the expected loss is
    p - truth in place of p - onehot. The loss is convex: going downhill with all contexts ends at the minimum.
    """
    vocab = Vocabulary(sorted({word for context, words in truth.items() for word in (*context, *words)}))
    encoded = [vocab.encode(context) for context in truth]
    model = LogLinearLM(make_features(Settings(features=features, pair_count=1), vocab, encoded))
    model.W, model.b = model.W.astype(np.float64), model.b.astype(np.float64)
    active = model.features.active(np.array([[Vocabulary.boundary, *ids] for ids in encoded]).T)
    positions = by_position(Active(active.ids[-1], active.values[-1]))
    targets = np.array([[words.get(word, 0.0) for word in vocab.words] for words in truth.values()])
    optimiser = AdaGrad(model, epsilon=1e-8)
    for _ in range(500):
        p = np.exp(log_softmax(model.scores(positions)))
        optimiser.update(gradients(positions, (p - targets) / len(truth)), rate=1.0)
    return model


def probabilities(model: LogLinearLM, context: Context) -> dict[str, float]:
    """P(word | context) of every word."""
    state = model.start(1)
    for word in [Vocabulary.boundary, *model.vocab.encode(context)]:
        state, log_probs = model.advance(state, [word])
    return dict(zip(model.vocab.words, np.exp(log_probs[0]).tolist(), strict=True))


def cost(truth: Truth, model: LogLinearLM | None = None) -> float:
    """Nats per word, all contexts being equally frequent: the model's or, without one, the least possible."""
    spent = 0.0
    for context, words in truth.items():
        predicted = probabilities(model, context) if model else words
        spent -= sum(p * np.log(predicted[word if word in predicted else UNKNOWN]) for word, p in words.items())
    return float(spent) / len(truth)
