"""The log-linear language model once more, in float64 with plain loops and dense vectors, one position at a time.

Written from the equations, without a look at the sparse code that it judges; and small models to judge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from chapters.loglinear_lm import features as features_module, model as model_module
from common.text.batching import Batch, make_batch
from common.text.vocab import Vocabulary

CHAPTER = "02_loglinear_lm"
Active, FeatureSet, LogLinearLM = features_module.Active, features_module.FeatureSet, model_module.LogLinearLM

WORDS = ["singing", "ringing", "bringing", "hay", "cows", "eat", "king", "sing"]
V = len(WORDS) + 2
CLASSES = np.array([0, 1, 2, 2, 2, 3, 3, 1, 0, 2])
SENTENCES = [[2, 3, 4, 1, 6], [5, 2], [], [3, 3, 2, 9, 3]]
SPEC = "word1,word2,class1,suffix1,pair21,classpair21,bag"


def vocabulary() -> Vocabulary:
    return Vocabulary(WORDS)


def feature_set(spec: str = SPEC, pair_count: int = 1):
    vocab = vocabulary()
    known_words = features_module.known_pairs(spec, vocab, CLASSES, SENTENCES, pair_count)
    return FeatureSet(spec, vocab, CLASSES, known_words)


def random_model(spec: str = SPEC, dtype=np.float64, seed: int = 3):
    """A model with random parameters."""
    model, rng = LogLinearLM(feature_set(spec)), np.random.default_rng(seed)
    model.W, model.b = (rng.normal(size=array.shape).astype(dtype) for array in model.arrays())
    return model


def random_active(features: int, positions: int, seed: int = 4):
    """Positions with up to five features of any value: some padding, some feature twice, the last position empty."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(positions, 5)) * (rng.random((positions, 5)) < 0.7)
    ids = rng.integers(0, features, (positions, 5))
    ids[0, :2] = ids[1, 0] = ids[0, 0]
    values[0, :2] = 0.5, 0.25
    values[-1] = 0
    return Active(ids, values)


def whole_batch() -> Batch:
    return make_batch(SENTENCES, range(len(SENTENCES)))


def dense(active, features: int) -> np.ndarray:
    """The vectors x of the equations, zeros and all: (N, F)."""
    x = np.zeros((len(active.ids), features))
    for n in range(len(active.ids)):
        for j, value in zip(active.ids[n], active.values[n], strict=True):
            x[n, j] += value
    return x


def scores(W: np.ndarray, b: np.ndarray, x: np.ndarray) -> list[float]:
    """s = W x + b, word by word (Neubig 2017, Eq. 17); W is (F, V) as the model stores it."""
    return [sum(W[j, k] * x[j] for j in range(len(x))) + b[k] for k in range(len(b))]


def softmax(s: Sequence[float]) -> list[float]:
    """Neubig 2017, Eq. 19."""
    total = math.fsum(math.exp(value) for value in s)
    return [math.exp(value) / total for value in s]


def loss(W: np.ndarray, b: np.ndarray, x: np.ndarray, targets: Sequence[int]) -> float:
    """-log P of all positions (Neubig 2017, Eq. 21 and 22)."""
    return -math.fsum(math.log(softmax(scores(W, b, row))[target]) for row, target in zip(x, targets, strict=True))


def active_by_hand(sentence: Sequence[int], t: int) -> set[tuple[str, object]]:
    """Names of the features after reading `<s>` and the first t words, from their definitions, with how often."""
    words = ["</s>", "<unk>", *WORDS]
    read = [0, 0, *sentence[:t]]  # before the sentence there is <s> again
    first, two = read[-1], read[-2]
    result: list[tuple] = [("word1", first), ("word2", two), ("class1", int(CLASSES[first]))]
    for length in (1, 2, 3):
        suffix = words[first][-length:]
        if first > 1 and len(words[first]) > length and sum(w.endswith(suffix) and len(w) > length for w in WORDS) >= 5:
            result.append(("suffix1", suffix))
    result += [("pair21", (two, first)), ("classpair21", (int(CLASSES[two]), int(CLASSES[first])))]
    counted = {entry: 1 for entry in result}
    for word in sentence[:t]:
        counted["bag", word] = counted.get(("bag", word), 0) + 1
    return set(counted.items())
