"""The class-based softmax: first the class of the word, then the word within its class (Goodman 2001)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import dynet as dy
import numpy as np

from common.nn.softmax import as_rows


def equal_size(probabilities: np.ndarray, number: int) -> np.ndarray:
    """The class of every word: all classes have as many words (the last may have fewer)."""
    return np.arange(len(probabilities)) // -(-len(probabilities) // number)


def equal_frequency(probabilities: np.ndarray, number: int) -> np.ndarray:
    """The class of every word: all classes have about the same share of the text, so that those of frequent words are
    small (Mikolov et al. 2011)."""
    middle = (np.cumsum(probabilities) - probabilities / 2) / probabilities.sum()
    return (middle * number).astype(int)


def word_classes(unigram: np.ndarray, number: int, divide: Callable[[np.ndarray, int], np.ndarray]) -> list[np.ndarray]:
    """About `number` classes of word ids, from the most frequent words to the rarest; none is empty.

    unigram: log P(word), (V,). divide: `equal_frequency` or `equal_size`.
    """
    order = np.argsort(-unigram, kind="stable")
    first = np.unique(divide(np.exp(unigram[order]), number), return_index=True)[1]
    return np.split(order, first[1:])


class ClassSoftmax:
    """P(word | h) = P(class | h) P(word | class, h), two small softmaxes (Neubig 2017, section 5.6).

    The weights of each class are a lookup table of one entry, so that the optimiser visits only those in use. The entry
    is a vector, a matrix column by column, because DyNet can read only vectors back from a file.
    """

    def __init__(
        self,
        collection: dy.ParameterCollection,
        hidden_size: int,
        members: list[np.ndarray],
        start: np.ndarray,
        init: dy.PyInitializer,
    ):
        """members: the word ids of each class. start: log-probabilities for the biases, (V,). init: of the weights."""
        sizes = [len(words) for words in members]
        self.order = np.concatenate(members)
        self.begin = np.cumsum([0, *sizes])
        self.class_of, self.place_of = np.zeros((2, len(start)), dtype=np.int64)
        for number, words in enumerate(members):
            self.class_of[words], self.place_of[words] = number, np.arange(len(words))
        class_start = np.array([np.logaddexp.reduce(start[words]) for words in members])
        self.W_classes = collection.add_parameters((len(members), hidden_size), init=init)
        self.b_classes = collection.add_parameters(len(members), init=dy.NumpyInitializer(class_start))
        self.W_words = [collection.add_lookup_parameters((1, size * hidden_size), init=init) for size in sizes]
        self.b_words = collection.add_parameters(len(start), init=dy.NumpyInitializer(start[self.order]))
        """In the order of the classes, not of the ids."""

    def class_scores(self, hidden: dy.Expression) -> dy.Expression:
        """(C,) x N for C classes."""
        return dy.affine_transform([self.b_classes, self.W_classes, hidden])

    def word_scores(self, hidden: dy.Expression, number: int) -> dy.Expression:
        """Scores of the words of one class: (words of the class,) x N."""
        begin, end = self.begin[number : number + 2].tolist()
        W = dy.reshape(dy.lookup(self.W_words[number], 0), (end - begin, hidden.dim()[0][0]))
        return dy.affine_transform([dy.pick_range(self.b_words, begin, end), W, hidden])

    def losses(self, hidden: dy.Expression, targets: np.ndarray) -> dy.Expression:
        """-log P of each target, (1,) x N: one product for all whose class is the same, none for other classes."""
        classes = self.class_of[targets]
        losses, positions = [], []
        for number, group in groups(classes):
            scores = self.word_scores(dy.pick_batch_elems(hidden, group.tolist()), number)
            losses.append(dy.pickneglogsoftmax_batch(scores, self.place_of[targets[group]].tolist()))
            positions.append(group)
        back = np.argsort(np.concatenate(positions))
        within = dy.pick_batch_elems(dy.concatenate_to_batch(losses), back.tolist())
        return dy.pickneglogsoftmax_batch(self.class_scores(hidden), classes.tolist()) + within

    def loss(self, hidden: dy.Expression, targets: np.ndarray, rng: np.random.Generator) -> dy.Expression:
        return dy.sum_batches(self.losses(hidden, targets))

    def log_probs(self, hidden: dy.Expression, targets: np.ndarray) -> np.ndarray:
        return -self.losses(hidden, targets).npvalue().ravel()

    def distribution(self, hidden: dy.Expression) -> np.ndarray:
        classes = as_rows(dy.log_softmax(self.class_scores(hidden)))
        result = np.empty((len(classes), len(self.order)))
        for number in range(len(self.W_words)):
            words = self.order[self.begin[number] : self.begin[number + 1]]
            within = as_rows(dy.log_softmax(self.word_scores(hidden, number)))
            result[:, words] = classes[:, [number]] + within
        return result


def groups(labels: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """Every label that occurs, with the positions where it does."""
    order = np.argsort(labels, kind="stable")
    classes, first = np.unique(labels[order], return_index=True)
    return zip(classes.tolist(), np.split(order, first[1:]), strict=True)
