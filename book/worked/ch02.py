"""The worked examples of chapter 2. All come from the chapter's own scores, softmax, gradients and optimisers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from book.counted import village
from book.figures.recorded import recorded
from chapters.loglinear_lm import features, model, optimisers, settings, sparse
from chapters.ngram_lm import methods, smoothing
from common.text.batching import make_batches

WORDS = ("giggles", "feeds", "ponies", ".")
FEATURES = ("word1 = girl", "word1 = son", "word2 = the", "word1 = giggles")
BASE = np.array([0.2, 0.1, -0.3, 1.0])
MATRIX = np.array([[1.5, 1.2, -0.8, -1.9], [1.4, 0.3, -0.6, -1.7], [0.3, 0.2, 0.1, -0.6], [-0.5, -0.4, -0.9, 2.1]])
"""W of the examples, features by words as in the code."""
ACTIVE = (0, 2)
"""The features of a context that ends in *the girl*."""
CAME = WORDS.index("feeds")
RATE = 0.5
EXAMPLES = (("the girl", (0, 2), "giggles"), ("the son", (1, 2), "giggles"), ("the girl", (0, 2), "feeds"),
            ("girl giggles", (3,), "."))  # fmt: skip
"""The examples of a minibatch: the words before, the active features, and the word that came."""
GRADIENTS = (np.array([[-0.6, -0.006]]), np.array([[-0.2, -0.002]]))
"""Two gradients in a row, of two parameters."""
STEP_RATE = 0.1


OPENING = "the hen that belongs to dalena waits until dalena".split()


def opening() -> Iterator[float]:
    """The two blocks of words in train, and what the models of two chapters give the last word of the sentence."""
    vocab, levels, train, dev = village()
    *before, name = vocab.encode(OPENING)
    for verb in vocab.encode(["wait", "waits"]):
        block = [name, verb, before[-1]] + ([name] if verb == vocab.ids["wait"] else [])
        yield sum(block == sentence[i : i + len(block)] for sentence in train for i in range(len(sentence)))
    ngrams = methods.METHODS["kneser-ney"](vocab, levels, smoothing.order_zero(len(vocab), False), dev)
    state = ngrams.start(1)
    for word in [vocab.boundary, *before]:
        state, log_probs = ngrams.advance(state, [word])
    yield math.exp(log_probs[0][name])
    yield recorded("02_loglinear_lm")["templates"]["probabilities"][OPENING[-1]]


def size() -> Iterator[float]:
    """The features and parameters of the default model of train.py."""
    vocab, chosen = village()[0], settings.Settings()
    classes = np.arange(len(vocab)) % chosen.classes
    own = features.FeatureSet(chosen.features, vocab, classes, {})
    sizes = [function.size for function in own.functions]
    yield from (*sizes, own.size, own.size, len(vocab), len(vocab), own.size * len(vocab) + len(vocab))


def cost() -> Iterator[float]:
    """How many features the default model has, how many are active in a prediction of train, and what that saves."""
    vocab, _, train, _ = village()
    chosen = settings.Settings()
    own = features.FeatureSet(chosen.features, vocab, np.arange(len(vocab)) % chosen.classes, {})
    batches = make_batches(train, 256)
    active = [own.active(batch.inputs).values[batch.mask > 0] for batch in batches]
    mean = sum(np.count_nonzero(one) for one in active) / sum(len(one) for one in active)
    yield from (own.size, mean, round(mean * len(vocab)), own.size * len(vocab))


def start() -> SimpleNamespace:
    """The parameters of the examples, as an optimiser wants them: W (4, 4) and b (4,)."""
    return SimpleNamespace(W=MATRIX.copy(), b=BASE.copy())


def positions(contexts: list[tuple[int, ...]]):
    """Contexts as groups of active features, each with the value 1."""
    width = max(len(one) for one in contexts)
    ids = np.array([[*one, *[0] * (width - len(one))] for one in contexts])
    values = np.array([[1.0] * len(one) + [0.0] * (width - len(one)) for one in contexts])
    return sparse.by_position(features.Active(ids, values))


def groups() -> Iterator[float]:
    """The features of the examples of a minibatch, prediction by prediction."""
    contexts = [active for _, active, _ in EXAMPLES]
    found = positions(contexts)
    yield from range(len(contexts))
    for active in contexts:
        yield from active
    yield from found.members
    yield from found.bounds
    yield from (1, *found.bounds[1:3])


def turned_round() -> Iterator[float]:
    """The same examples, feature by feature."""
    ids, found = sparse.by_feature(positions([active for _, active, _ in EXAMPLES]))
    for part in (ids, found.members, found.bounds):
        yield from part


class Forward(NamedTuple):
    """One prediction: scores, probabilities and their gradient p - onehot, each (4,); the loss in nats."""

    scores: np.ndarray
    probs: np.ndarray
    by_score: np.ndarray
    loss: float


def forward(parameters: SimpleNamespace, context: tuple[int, ...] = ACTIVE, came: int = CAME) -> Forward:
    """What the model says after a context, and how the loss depends on the scores."""
    scores = (sparse.sum_rows(parameters.W, positions([context])) + parameters.b)[0]
    log_p = model.log_softmax(scores[None].copy())[0]
    onehot = np.eye(len(WORDS))[came]
    return Forward(scores, np.exp(log_p), np.exp(log_p) - onehot, float(-log_p[came]))


def after_one_step(rate: float = RATE) -> SimpleNamespace:
    """The parameters after one step of SGD on the one prediction."""
    parameters = start()
    found = model.gradients(positions([ACTIVE]), forward(parameters).by_score[None])
    optimisers.SGD(parameters, 0.0).update(found, rate)
    return parameters


def votes() -> Iterator[float]:
    """Columns summing to scores, and the softmax of them."""
    found = forward(start())
    total = np.exp(found.scores).sum()
    for number in range(len(WORDS)):
        yield from (BASE[number], *MATRIX[list(ACTIVE), number], found.scores[number])
        yield from (math.exp(found.scores[number]), found.probs[number])
    yield from (total, found.probs.sum())
    yield from (math.exp(found.scores[0]), total, found.probs[0])


def surprise() -> Iterator[float]:
    """The loss of the word that came, and how it changes with one score."""
    found = forward(start())
    nudged = start()
    nudged.b[0] += 0.01
    loss = forward(nudged).loss
    yield from (found.probs[CAME], found.loss)
    yield from (found.scores[0], nudged.b[0] - BASE[0] + found.scores[0], found.loss, loss)
    change = loss - found.loss
    yield from (change, change, 0.01, change / 0.01, found.probs[0])


def gradient_step() -> Iterator[float]:
    """Prediction minus truth, the step, and what it changes."""
    before, moved = forward(start()), after_one_step()
    after = forward(moved)
    yield RATE
    for number in range(len(WORDS)):
        yield from (before.probs[number], float(number == CAME), before.by_score[number])
        yield from (moved.b[number] - BASE[number], before.scores[number], after.scores[number], after.probs[number])
    yield from (-RATE, before.by_score[CAME], moved.b[CAME] - BASE[CAME])
    yield from (3 * (moved.b[CAME] - BASE[CAME]), before.loss, after.loss)


def example_gradients() -> np.ndarray:
    """The gradient by the base score of *giggles* of each of four examples, all parameters being zero."""
    zero = SimpleNamespace(W=np.zeros_like(MATRIX), b=np.zeros_like(BASE))
    return np.array([forward(zero, context, WORDS.index(word)).by_score[0] for _, context, word in EXAMPLES])


def minibatches() -> Iterator[float]:
    """All minibatches of two of four examples: the mean of their means is the mean of all."""
    one = example_gradients()
    pairs = [(one[i] + one[j]) / 2 for i, j in itertools.combinations(range(len(one)), 2)]
    yield 1 / len(WORDS)
    yield from one
    yield one.mean()
    yield from pairs
    yield from (sum(pairs), len(pairs), sum(pairs) / len(pairs))


def steps(kind: str) -> tuple[object, list[np.ndarray]]:
    """An optimiser after the two gradients, and by how much it moved the two parameters, down, each time."""
    own = SimpleNamespace(W=np.zeros((1, 2)), b=np.zeros(1))
    optimiser = optimisers.OPTIMISERS[kind](own, optimisers.OPTIMISERS[kind].epsilon)
    return optimiser, [optimiser.step(0, [0], gradient, np.float32(STEP_RATE))[0] for gradient in GRADIENTS]


def four_steps() -> Iterator[float]:
    """What each optimiser adds to two parameters, for two gradients in a row."""
    yield STEP_RATE
    for gradient in GRADIENTS:
        yield from gradient[0]
    for kind in optimisers.OPTIMISERS:
        for moved in steps(kind)[1]:
            yield from -moved


def adam_memory(number: int, gradients: int) -> tuple[float, float]:
    """Adam's two means for one of the parameters, after so many of the gradients."""
    own = SimpleNamespace(W=np.zeros((1, 2)), b=np.zeros(1))
    optimiser = optimisers.Adam(own, optimisers.Adam.epsilon)
    for gradient in GRADIENTS[:gradients]:
        optimiser.step(0, [0], gradient, np.float32(STEP_RATE))
    return float(optimiser.mean[0][0, number]), float(optimiser.square[0][0, number])


def adam() -> Iterator[float]:
    """Two steps of Adam for the first parameter, and the first step for the second, in full."""
    kind = optimisers.Adam
    fade, fade_squares, epsilon = kind.beta1, kind.beta2, kind.epsilon
    moved = steps("adam")[1]
    yield from (STEP_RATE, fade, fade_squares, epsilon)
    for count, gradient in enumerate(GRADIENTS, start=1):
        g, (mean, square) = gradient[0, 0], adam_memory(0, count)
        old_mean, old_square = adam_memory(0, count - 1)
        corrected, corrected_square = mean / (1 - fade**count), square / (1 - fade_squares**count)
        kept, kept_squares = ((fade, old_mean), (fade_squares, old_square)) if count > 1 else ((), ())
        yield from (g, *kept, 1 - fade, g, mean, *kept_squares, 1 - fade_squares, g**2, square)
        yield from (mean, 1 - fade**count, corrected, square, 1 - fade_squares**count, corrected_square)
        yield from (-STEP_RATE, corrected, math.sqrt(corrected_square), epsilon, -moved[count - 1][0])
        if count == 1:
            root = math.sqrt(square)
            yield from (-STEP_RATE, mean, root, epsilon, -STEP_RATE * mean / (root + epsilon))
    small = GRADIENTS[0][0, 1]
    yield from (small, -STEP_RATE, small, -small, epsilon, -moved[0][1])
