"""The skip-gram with negative sampling: embeddings without a language model (Mikolov et al. 2013).

T. Mikolov, I. Sutskever, K. Chen, G. Corrado, J. Dean: Distributed Representations of Words and Phrases and their
Compositionality, NIPS 2013. Letters in the shapes: V vocabulary, L embedding size, K negative samples, B pairs in a
batch, N tokens. NumPy; losses in nats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from common.training.cli import CheckedSettings, setting

POWER = 0.75
"""Of the counts from which negative samples are drawn: the paper's (section 2.2)."""


@dataclass(frozen=True)
class SkipGramSettings(CheckedSettings):
    """Every flag of skipgram.py that decides what is learnt."""

    seed: int = setting(1, "start of all random numbers", minimum=1, maximum=2**32 - 1)
    epochs: int = setting(5, "passes over the training split", minimum=1)
    embedding_size: int = setting(128, "numbers of a vector", minimum=1)
    window: int = setting(2, "words to either side, at most", minimum=1)
    samples: int = setting(5, "K: negative samples for each pair", minimum=1)
    threshold: float = setting(0.0, "words more frequent than this are thinned out; 0: none", minimum=0, maximum=1)
    learning_rate: float = setting(0.1, "of Adagrad", minimum=0)
    batch_size: int = setting(512, "pairs in a batch", minimum=1)
    corpus: str = setting("village", "an embedded or installed corpus, or a folder with train.txt, dev.txt, test.txt")
    min_count: int = setting(2, "words seen less often in training are <unk>", minimum=1)


def noise(counts: np.ndarray) -> np.ndarray:
    """The distribution of negative samples: counts to the power of 0.75, made to sum to 1, (V,)."""
    raised = counts.astype(float) ** POWER
    return raised / raised.sum()


def thinned(
    sentences: Sequence[Sequence[int]], counts: np.ndarray, threshold: float, rng: np.random.Generator
) -> list[np.ndarray]:
    """The sentences without some frequent words: one whose share is f is kept with probability sqrt(threshold / f)
    (Eq. 5), all of them if the threshold is 0."""
    arrays = [np.asarray(sentence, dtype=int) for sentence in sentences]
    if threshold == 0:
        return arrays
    keep_prob = np.sqrt(threshold * counts.sum() / np.maximum(counts, 1))
    return [array[rng.random(len(array)) < keep_prob[array]] for array in arrays]


def pairs(sentences: Sequence[np.ndarray], window: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of a word and one near it in its sentence: two arrays of word ids of the same length.

    How far a word sees is drawn anew for each, from 1 to `window`, so nearer words are paired more often.
    """
    words = np.concatenate(sentences)
    of_sentence = np.repeat(np.arange(len(sentences)), [len(sentence) for sentence in sentences])
    reach = rng.integers(1, window + 1, size=len(words))
    centres, contexts = [], []
    for distance in range(1, window + 1):
        left, right = np.arange(len(words) - distance), np.arange(distance, len(words))
        same_sentence = of_sentence[left] == of_sentence[right]
        for here, there in ((left, right), (right, left)):
            seen = same_sentence & (reach[here] >= distance)
            centres.append(words[here[seen]])
            contexts.append(words[there[seen]])
    return np.concatenate(centres), np.concatenate(contexts)


def loss_and_gradients(v: np.ndarray, u: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """- ln sigmoid(v . u_0) - sum over k of ln sigmoid(-v . u_k) (Eq. 4), summed over pairs, and its gradients.

    v: the input vectors of the words, (B, L); u: the output vectors of their context word, which is first, and of K
    samples, (B, 1 + K, L). The derivative of a score is its sigmoid, less 1 for the context word.
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


class SkipGram:
    """Two vectors for each word: M (V, L) for a word whose neighbours are asked for, C (V, L) for a neighbour."""

    def __init__(self, words: int, settings: SkipGramSettings):
        rng = np.random.default_rng(settings.seed)
        size = settings.embedding_size
        self.M = rng.uniform(-0.5 / size, 0.5 / size, size=(words, size)).astype(np.float32)
        self.C = np.zeros((words, size), dtype=np.float32)
        self.settings, self.rng = settings, rng
        self.steps = Adagrad(self.M, settings.learning_rate), Adagrad(self.C, settings.learning_rate)

    def batches(self, sentences: Sequence[np.ndarray], q: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """An epoch's words (B,), and their context words with K samples from q behind them, (B, 1 + K), shuffled."""
        centres, contexts = pairs(sentences, self.settings.window, self.rng)
        order, bounds = self.rng.permutation(len(centres)), np.cumsum(q)
        for begin in range(0, len(order), self.settings.batch_size):
            batch_pairs = order[begin : begin + self.settings.batch_size]
            negatives = np.searchsorted(
                bounds, self.rng.random((len(batch_pairs), self.settings.samples)), side="right"
            )
            yield centres[batch_pairs], np.column_stack([contexts[batch_pairs], np.minimum(negatives, len(q) - 1)])

    def train_epoch(self, sentences: Sequence[Sequence[int]], counts: np.ndarray) -> float:
        """One pass; the mean loss of a pair, in nats."""
        total, number = 0.0, 0
        thinned_ids = thinned(sentences, counts, self.settings.threshold, self.rng)
        for words, others in self.batches(thinned_ids, noise(counts)):
            loss, of_words, of_others = loss_and_gradients(self.M[words], self.C[others])
            self.steps[0].update(words, of_words)
            self.steps[1].update(others.ravel(), of_others.reshape(-1, self.C.shape[1]))
            total, number = total + loss, number + len(words)
        return total / max(number, 1)
