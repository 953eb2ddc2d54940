"""Brown clustering: classes of words that keep as much as possible of the mutual information of neighbours.

Brown et al. (1992): begin with every word in a class of its own, and merge again and again the two classes
whose merger costs the least average mutual information (AMI) between the class of a word and the class of the next,

    AMI = sum over classes c, d of p(c, d) log(p(c, d) / (p(c) p(d))).

Merging from V classes down would cost V^3 comparisons and more. Their window makes it V * C^2: take the words in order
of frequency, keep C classes, let the next word in as a class of its own, and merge the cheapest two of the C + 1. The
words that wait outside form one class of their own here, so that no count is lost; that class is never merged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from common.text.vocab import Vocabulary
from common.training.cost import with_cost


def brown_clusters(sentences: Sequence[Sequence[int]], vocabulary_size: int, classes: int) -> np.ndarray:
    """The class of every word: (V,) of numbers from 0 up, below `classes`; every number has words.

    sentences: of word ids, frequent words first (as `Vocabulary` numbers them). The boundary, id 0, stands before
    and after every sentence.
    """
    window = Window(bigram_counts(sentences, vocabulary_size), min(classes, vocabulary_size))
    for _ in with_cost(range(window.next_word, vocabulary_size), "the search for classes of words"):
        window.let_in()
        window.merge(*window.cheapest_merger())
    return window.class_of_word


def bigram_counts(sentences: Sequence[Sequence[int]], vocabulary_size: int) -> list[dict[str, np.ndarray]]:
    """For every word: its neighbours on the right and on the left (word ids), and how often each pair occurs."""
    boundary = [Vocabulary.boundary]
    text = np.concatenate([boundary, *([*sentence, *boundary] for sentence in sentences)]).astype(np.int64)
    neighbours: list[dict[str, np.ndarray]] = [{} for _ in range(vocabulary_size)]
    for side, (words, others) in {"right": (text[:-1], text[1:]), "left": (text[1:], text[:-1])}.items():
        pairs, counts = np.unique(words * vocabulary_size + others, return_counts=True)
        bounds = np.searchsorted(pairs, np.arange(vocabulary_size + 1) * vocabulary_size)
        for word, facts in enumerate(neighbours):
            span = slice(bounds[word], bounds[word + 1])
            facts[side], facts[f"{side}_counts"] = pairs[span] % vocabulary_size, counts[span]
    return neighbours


def entropy_terms(counts: np.ndarray) -> np.ndarray:
    """n log n, and 0 for n = 0. With it, N * AMI = sum f(n_cd) - sum f(n_c.) - sum f(n_.d) + f(N)."""
    return counts * np.log(np.maximum(counts, 1))


class Window:
    """The C classes, one place for the word that comes in, and one for all the words that still wait outside.

    counts[c, d] is how often class d follows class c. `rows[a, b]` is the sum over d of f(n_ad + n_bd), `columns[a, b]`
    the same for what precedes: the expensive part of every merger's cost. A merger changes two rows and two columns
    of the counts, so these tables are kept up to date in C^2 steps instead of being computed anew in C^3.
    """

    def __init__(self, neighbours: list[dict[str, np.ndarray]], classes: int):
        self.neighbours, self.classes = neighbours, classes
        self.free, self.outside = classes, classes + 1
        self.class_of_word = np.full(len(neighbours), self.outside)
        self.class_of_word[:classes] = np.arange(classes)
        self.next_word = classes
        self.counts = np.zeros((classes + 2, classes + 2))
        for word, facts in enumerate(neighbours):
            np.add.at(
                self.counts, (self.class_of_word[word], self.class_of_word[facts["right"]]), facts["right_counts"]
            )
        self.rows, self.columns = all_pair_sums(self.counts), all_pair_sums(self.counts.T)

    def let_in(self) -> None:
        """Move the next word from outside into the free place."""
        word, counts = self.next_word, self.counts.copy()
        self.class_of_word[word], self.next_word = self.free, word + 1
        facts, n = self.neighbours[word], len(counts)
        classes_right, classes_left = self.class_of_word[facts["right"]], self.class_of_word[facts["left"]]
        counts[self.free] = np.bincount(classes_right, facts["right_counts"], n)
        counts[:, self.free] = np.bincount(classes_left, facts["left_counts"], n)
        others = [place for place in range(n) if place not in (self.free, self.outside)]
        counts[self.outside, others] -= counts[self.free, others]
        counts[others, self.outside] -= counts[others, self.free]
        inside = counts.sum() - counts[self.outside, self.outside]
        counts[self.outside, self.outside] = self.counts.sum() - inside
        self.change(counts, (self.free, self.outside))

    def cheapest_merger(self) -> tuple[int, int]:
        """The two classes a < b whose merger loses the least mutual information; the first, among equals."""
        losses = self.losses()
        return divmod(int(np.argmin(losses)), len(losses))

    def losses(self) -> np.ndarray:
        """N times the AMI that is lost by merging classes a and b: (C + 1, C + 1), infinite unless a < b."""
        f, n = entropy_terms, self.counts
        own, out, into = np.diag(n), n.sum(axis=1), n.sum(axis=0)
        loss = pairwise(f(n).sum(axis=1)) - self.rows + pairwise(f(n).sum(axis=0)) - self.columns
        # Above, the four counts among a and b themselves were merged once as rows and once as columns;
        # really they become one count.
        loss -= f(own)[:, None] + f(n.T) - f(own[:, None] + n.T) + f(n) + f(own)[None] - f(n + own[None])
        loss -= f(own)[:, None] + f(n) - f(own[:, None] + n) + f(n.T) + f(own)[None] - f(n.T + own[None])
        loss += pairwise(f(own)) + f(n) + f(n.T) - f(pairwise(own) + n + n.T)
        for total in (out, into):
            loss += f(pairwise(total)) - pairwise(f(total))
        loss[np.tril_indices_from(loss)] = np.inf
        return loss[: self.outside, : self.outside]

    def merge(self, a: int, b: int) -> None:
        """Put the words of class b into class a, and what is in the free place into place b."""
        counts = self.counts.copy()
        counts[a] += counts[b]
        counts[:, a] += counts[:, b]
        moved = self.class_of_word == b
        self.class_of_word[self.class_of_word == self.free] = b
        self.class_of_word[moved] = a
        if b != self.free:
            counts[b] = counts[self.free]
            counts[:, b] = counts[:, self.free]
            counts[b, b] = counts[self.free, self.free]
        counts[self.free] = 0
        counts[:, self.free] = 0
        self.change(counts, (a, b, self.free))

    def change(self, counts: np.ndarray, places: tuple[int, ...]) -> None:
        """Take over new counts that differ from the old ones in the rows and columns of these places only."""
        for table, old, new in ((self.rows, self.counts, counts), (self.columns, self.counts.T, counts.T)):
            for place in sorted(set(places)):
                table += entropy_terms(pairwise(new[:, place])) - entropy_terms(pairwise(old[:, place]))
            for place in sorted(set(places)):
                table[place] = table[:, place] = entropy_terms(new + new[place]).sum(axis=1)
        self.counts = counts


def pairwise(values: np.ndarray) -> np.ndarray:
    """values[a] + values[b] for all a and b."""
    return values[:, None] + values[None, :]


def all_pair_sums(counts: np.ndarray) -> np.ndarray:
    """sum over d of f(n_ad + n_bd) for all a and b."""
    return np.stack([entropy_terms(counts + row).sum(axis=1) for row in counts])
