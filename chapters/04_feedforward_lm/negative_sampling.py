"""Skip-gram and CBOW with negative sampling: embeddings without a language model (Mikolov et al. 2013).

T. Mikolov, I. Sutskever, K. Chen, G. Corrado, J. Dean: Distributed Representations of Words and Phrases and their
Compositionality, NIPS 2013. Letters in the shapes: V vocabulary, L embedding size, K negative samples, B examples in a
batch, N tokens, R words that are read for one prediction. NumPy; losses in nats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from common.training.cli import setting

from .vectors import VectorSettings

POWER = 0.75
"""Of the counts from which negative samples are drawn: the paper's (section 2.2)."""
NOBODY = -1
"""In the place of a word where a window has none."""


def noise(counts: np.ndarray) -> np.ndarray:
    """The distribution of negative samples: counts to the power of 0.75, made to sum to 1, (V,)."""
    raised = counts.astype(float) ** POWER
    return raised / raised.sum()


def thinned(
    sentences: Sequence[np.ndarray], counts: np.ndarray, threshold: float, rng: np.random.Generator
) -> list[np.ndarray]:
    """The sentences without some frequent words: one whose share is f is kept with probability sqrt(threshold / f)
    (Eq. 5), all of them if the threshold is 0."""
    arrays = [np.asarray(sentence, dtype=int) for sentence in sentences]
    if threshold == 0:
        return arrays
    keep_prob = np.sqrt(threshold * counts.sum() / np.maximum(counts, 1))
    return [array[rng.random(len(array)) < keep_prob[array]] for array in arrays]


def windows(sentences: Sequence[np.ndarray], window: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """All words (N,), and those near each of them in its sentence, (R, N), `NOBODY` where there is none.

    How far a word sees is drawn anew for each, from 1 to `window`, so nearer words are read more often.
    """
    words = np.concatenate(sentences)
    of_sentence = np.repeat(np.arange(len(sentences)), [len(sentence) for sentence in sentences])
    reach = rng.integers(1, window + 1, size=len(words))
    furthest = min(window, max(map(len, sentences)))
    near = np.full((2 * furthest, len(words)), NOBODY)
    for distance in range(1, furthest + 1):
        left, right = np.arange(len(words) - distance), np.arange(distance, len(words))
        same_sentence = of_sentence[left] == of_sentence[right]
        for side, (here, there) in enumerate(((left, right), (right, left))):
            seen = same_sentence & (reach[here] >= distance)
            near[2 * distance - 2 + side, here[seen]] = words[there[seen]]
    return words, near


def skipgram_examples(words: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A word is read (B, 1), and one near it is predicted (B,): every pair of the windows is an example."""
    slots, places = np.nonzero(near != NOBODY)
    return words[places, None], near[slots, places]


def cbow_examples(words: np.ndarray, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The words near a word are read (B, R), and the word is predicted (B,): every window is an example."""
    some = (near != NOBODY).any(axis=0)
    return near.T[some], words[some]


METHODS = {"skipgram": skipgram_examples, "cbow": cbow_examples}
"""The choices of --method: what is read, and what is predicted from it."""


@dataclass(frozen=True)
class NegativeSamplingSettings(VectorSettings):
    """Every flag of skipgram.py that decides what is learnt."""

    seed: int = setting(1, "seed of all random numbers", minimum=1, maximum=2**32 - 1)
    method: str = setting(
        "skipgram", "what predicts what: a word its neighbours, or their mean the word", choices=METHODS
    )
    epochs: int = setting(5, "passes over the training split", minimum=1)
    samples: int = setting(5, "K: negative samples for each prediction", minimum=1)
    threshold: float = setting(
        0.0, "words more frequent than this share are thinned out; 0: none", minimum=0, maximum=1
    )
    learning_rate: float = setting(0.1, "learning rate of Adagrad", minimum=0)
    batch_size: int = setting(512, "predictions in a batch", minimum=1)


def mean_vectors(M: np.ndarray, read: np.ndarray) -> np.ndarray:
    """v: the mean of the input vectors of the words that are read, (B, R) -> (B, L)."""
    there = read != NOBODY
    return (M[read] * there[:, :, None]).sum(axis=1) / there.sum(axis=1, keepdims=True, dtype=M.dtype)


def shared(read: np.ndarray, slopes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows of M in the means, and the gradient of each, from those of the means (B, L): of n words each has 1/n."""
    there = read != NOBODY
    numbers = there.sum(axis=1)
    return read[there], np.repeat(slopes / numbers[:, None].astype(slopes.dtype), numbers, axis=0)


def loss_and_gradients(v: np.ndarray, u: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """- ln sigmoid(v . u_0) - sum over k of ln sigmoid(-v . u_k) (Eq. 4), summed over examples, and its gradients.

    v: the input vector of what is read, (B, L); u: the output vectors of the word of the text, which is first, and of K
    samples, (B, 1 + K, L). The derivative of a score is its sigmoid, less 1 for the word of the text.
    """
    scores = np.matmul(u, v[:, :, None])[:, :, 0]
    signed = np.concatenate([-scores[:, :1], scores[:, 1:]], axis=1)
    slopes = 0.5 * (1 + np.tanh(scores / 2))
    slopes[:, 0] -= 1
    return float(np.logaddexp(0, signed).sum()), np.matmul(slopes[:, None], u)[:, 0], slopes[:, :, None] * v[:, None]


class Adagrad:
    """A step of its own size for each number: the learning rate by the root of the sum of its squared gradients."""

    def __init__(self, values: np.ndarray, learning_rate: float):
        self.values, self.squares, self.learning_rate = values, np.full_like(values, 1e-8), learning_rate

    def update(self, rows: np.ndarray, slopes: np.ndarray) -> None:
        """Move these rows (N,), which may repeat, against their gradients (N, L), those of one row added up."""
        order = np.argsort(rows, kind="stable")
        touched, first = np.unique(rows[order], return_index=True)
        gradient = np.add.reduceat(slopes[order], first, axis=0)
        self.squares[touched] += gradient**2
        self.values[touched] -= self.learning_rate * gradient / np.sqrt(self.squares[touched])


class WordVectors:
    """Two vectors for each word: M (V, L) for a word that is read, C (V, L) for one that is predicted."""

    def __init__(self, words: int, settings: NegativeSamplingSettings):
        rng = np.random.default_rng(settings.seed)
        size = settings.embedding_size
        self.M = rng.uniform(-0.5 / size, 0.5 / size, size=(words, size)).astype(np.float32)
        self.C = np.zeros((words, size), dtype=np.float32)
        self.settings, self.rng = settings, rng
        self.steps = Adagrad(self.M, settings.learning_rate), Adagrad(self.C, settings.learning_rate)

    def batches(
        self, sentences: Sequence[np.ndarray], q: np.ndarray, rng: np.random.Generator
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """What is read (B, R), and the word of the text with K samples from q behind it, (B, 1 + K), shuffled."""
        examples = METHODS[self.settings.method]
        read, predicted = examples(*windows(sentences, self.settings.window, rng))
        order, bounds = rng.permutation(len(predicted)), np.cumsum(q)
        for begin in range(0, len(order), self.settings.batch_size):
            batch = order[begin : begin + self.settings.batch_size]
            negatives = np.searchsorted(bounds, rng.random((len(batch), self.settings.samples)), side="right")
            yield read[batch], np.column_stack([predicted[batch], np.minimum(negatives, len(q) - 1)])

    def train_epoch(self, sentences: Sequence[np.ndarray], counts: np.ndarray) -> float:
        """One pass; the mean loss of an example, in nats."""
        total, number = 0.0, 0
        thinned_ids = thinned(sentences, counts, self.settings.threshold, self.rng)
        for read, predicted in self.batches(thinned_ids, noise(counts), self.rng):
            loss, of_v, of_u = loss_and_gradients(mean_vectors(self.M, read), self.C[predicted])
            self.steps[0].update(*shared(read, of_v))
            self.steps[1].update(predicted.ravel(), of_u.reshape(-1, self.C.shape[1]))
            total, number = total + loss, number + len(read)
        return total / max(number, 1)

    def loss(self, sentences: Sequence[np.ndarray], counts: np.ndarray) -> float:
        """The mean loss of an example of other sentences, in nats: their windows and samples are always the same."""
        batches = list(self.batches(sentences, noise(counts), np.random.default_rng(self.settings.seed)))
        losses = [loss_and_gradients(mean_vectors(self.M, read), self.C[predicted])[0] for read, predicted in batches]
        return sum(losses) / max(sum(len(read) for read, _ in batches), 1)
