"""The n-gram language model as a table: a probability for each n-gram seen, a factor for each context.

Whatever the smoothing, what it gives can be written so (the back-off form):

    P(w | h) = the probability of the n-gram h w, where training saw it;
               factor(h) * P(w | h without its first word), where it did not.

A context that was never seen has the factor 1. smoothing.py and katz.py say where the numbers come from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from common.text.batching import Batch
from common.text.vocab import Vocabulary

from .counts import NOWHERE

Contexts = list[np.ndarray]
"""What the next prediction depends on: the numbers of the last word, of the last two words as a bigram, and so on."""
ENDS = (np.iinfo(np.int64).max, np.nan, 0.0)
"""What stands behind the keys, the log-probabilities and the log-factors: one entry more than there are n-grams. The
number NOWHERE (-1) finds it, so an unseen n-gram has no probability of its own, and an unseen context the factor 1."""


class NgramLM:
    """A table of n-grams of orders 1 to n, numbered as in counts.py. It is an
    `evaluation.perplexity.LanguageModel`.

    keys: for each order k the keys of its n-grams, (N_k,), rising; for order 1 every word of the vocabulary.
    log_probs: for each order log P(last word | the words before it) (Neubig 2017, Eq. 7), (N_k,), in nats.
    log_factors: for each order but the last the log of the factor of its n-grams as contexts, (N_k,), in nats.
    """

    name = "n-gram language model"
    plain_states = True

    def __init__(
        self,
        vocab: Vocabulary,
        keys: Sequence[np.ndarray],
        log_probs: Sequence[np.ndarray],
        log_factors: Sequence[np.ndarray],
        ended: bool = False,
    ):
        """ended: whether the arrays have their last entries (`ENDS`) already, so that they need not be copied."""
        self.vocab = vocab
        self.order = len(keys)
        parts = [keys, log_probs, log_factors]
        if not ended:
            parts = [[np.append(level, end) for level in part] for part, end in zip(parts, ENDS, strict=True)]
        self.keys, self.log_probabilities, self.log_factors = map(list, parts)

    @classmethod
    def from_probabilities(
        cls, vocab: Vocabulary, keys: Sequence[np.ndarray], probs: Sequence[np.ndarray], factors: Sequence[np.ndarray]
    ) -> NgramLM:
        """The same from probabilities and factors that are not logarithms yet; zero is allowed."""
        with np.errstate(divide="ignore"):
            return cls(vocab, keys, [np.log(level) for level in probs], [np.log(level) for level in factors])

    def tables(self) -> tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]:
        """keys, log_probs and log_factors, as they were given."""
        parts = self.keys, self.log_probabilities, self.log_factors
        keys, log_probs, log_factors = ([level[:-1] for level in part] for part in parts)
        return keys, log_probs, log_factors

    def find(self, order: int, contexts: np.ndarray, words: np.ndarray) -> np.ndarray:
        """The numbers of the n-grams (context, word) of an order, or `NOWHERE`; arrays of one shape."""
        keys = self.keys[order - 1]
        ngrams = contexts * len(self.vocab) + words
        places = np.searchsorted(keys, ngrams)
        return np.where(keys[places] == ngrams, places, NOWHERE)

    def contexts(self, inputs: np.ndarray) -> Contexts:
        """What each prediction depends on: the last n-1 words and nothing else (Neubig 2017, Eq. 6).

        inputs: the words read, (T, ...), time first, `<s>` (id 0) wherever a sentence begins. A list of n-1 arrays
        of that shape (one for n = 1), with the number of the last k words as a k-gram. None reaches across `<s>`:
        as a target its id is `</s>`, and nothing was ever counted after that.
        """
        contexts = [inputs]
        for order in range(2, self.order):
            shorter = np.concatenate([np.full_like(inputs[:1], NOWHERE), contexts[-1][:-1]])
            contexts.append(self.find(order, shorter, inputs))
        return contexts

    def score(self, contexts: Contexts, targets: np.ndarray) -> np.ndarray:
        """log P(target | context) in nats, in the shape of `targets`: the longest n-gram seen, and factors."""
        log_probs = self.log_probabilities[0][targets]
        for order in range(2, self.order + 1):
            context = contexts[order - 2]
            ngram = self.find(order, context, targets)
            backed_off = self.log_factors[order - 2][context] + log_probs
            log_probs = np.where(ngram == NOWHERE, backed_off, self.log_probabilities[order - 1][ngram])
        return log_probs

    def distributions(self, contexts: Contexts) -> np.ndarray:
        """log P(next word) for each of B contexts, (B, V) in nats: `score` for all words at once."""
        size = len(self.vocab)
        rows = np.tile(self.log_probabilities[0][:-1], (len(contexts[0]), 1))
        for order in range(2, self.order + 1):
            context, keys = contexts[order - 2], self.keys[order - 1]
            rows += self.log_factors[order - 2][context][:, None]
            starts, ends = np.searchsorted(keys, context * size), np.searchsorted(keys, (context + 1) * size)
            for row, start, end in zip(rows, starts, ends, strict=True):  # what was seen after a context lies together
                row[keys[start:end] % size] = self.log_probabilities[order - 1][start:end]
        return rows

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | words before it) in nats, (T, B)."""
        return self.score(self.contexts(batch.inputs), batch.targets)

    def start(self, batch_size: int) -> Contexts:
        """The state before `<s>`: no words yet."""
        return [np.full(batch_size, NOWHERE)] * max(self.order - 1, 1)

    def advance(self, state: Contexts, words: Sequence[int]) -> tuple[Contexts, np.ndarray]:
        """Read one word per sentence; the new state, and log P(next word), (B, V) in nats."""
        read = np.asarray(words)
        contexts = [read]
        for order in range(2, self.order):
            contexts.append(self.find(order, state[order - 2], read))
        return contexts, self.distributions(contexts)
