"""Graders of looking.py."""

import numpy as np

from common.nn.arrays import input_batch
from common.nn.source_attention import Memory
from solutions.checks import check, close, numbers, task


class Column:
    """A score whose keys are the scores themselves, (S, 1) x B: whatever asks, it answers the same."""

    def scores(self, keys, query):
        return keys


@task("8.4")
def test_padding_by_hand(work):
    label = "what is added for sources of 3, 1 and 2 words, S = 3"
    padding = work.padding_scores(np.array([3, 1, 2]), 3)
    check(padding is not None, f"{label}: two of the sentences are padded, so it may not be None")
    padding = numbers(padding, (3, 1, 3), label)[:, 0]
    words = np.array([[1, 1, 1], [1, 0, 1], [1, 0, 0]], dtype=bool)
    check((padding[words] == 0).all(), f"{label}: nothing is added to words, the last one of a sentence among them")
    message = f"{label}: on padding, from its first place on, it is -1e9: no score outweighs that"
    check((padding[~words] <= -1e8).all(), message)
    check(np.isfinite(padding).all(), f"{label}: every number must be finite; DyNet's products may make NaN of -inf")
    padding = work.padding_scores(np.array([2]), 3)
    check(padding is not None, "a single source of 2 words, S = 3: it is padded, so it may not be None")


@task("8.4")
def test_weights_by_hand(work):
    scores = np.log(np.array([[[1.0, 2.0]], [[3.0, 6.0]], [[4.0, 9.0]]]))
    annotations = input_batch(np.zeros((2, 3, 2)))
    memory = Memory(annotations, input_batch(scores), work.padding_scores(np.array([3, 2]), 3))
    label = "scores log 1, log 3, log 4 and log 2, log 6, padding"
    alpha = work.attention_weights(Column(), memory, input_batch(np.zeros((2, 2))))
    alpha = numbers(alpha, (3, 1, 2), label)[:, 0]
    check((alpha >= 0).all(), f"{label}: no weight may be negative; was the softmax forgotten?")
    check(alpha[2, 1] < 1e-6, f"{label}: padding gets {alpha[2, 1]:.4g} of the attention, and may get nothing")
    why = "is padding taken out before the softmax, or only after it? Is it over the words?"
    for b, total in enumerate(alpha.sum(axis=0)):
        check(abs(total - 1) < 1e-4, f"{label}: alpha of sentence {b + 1} sums to {total:.4g} over its words: {why}")
    expected = np.array([[1 / 8, 2 / 8], [3 / 8, 6 / 8], [4 / 8, 0]])
    close(alpha, expected, "exp(score) over the sum of those of the sentence's own words", tolerance=1e-5)


@task("8.4")
def test_a_context_by_hand(work):
    annotations = np.array([[[2.0], [-1.0]], [[0.0], [4.0]], [[1.0], [0.5]]])
    alpha = input_batch(np.array([[[0.2]], [[0.8]]]))
    context = numbers(work.context(Memory(input_batch(annotations), None, None), alpha), (3, 1), "the context")
    expected = np.array([0.4 - 0.8, 3.2, 0.2 + 0.4])
    close(context[:, 0], expected, "0.2 h_1 + 0.8 h_2 for h_1 = (2, 0, 1) and h_2 = (-1, 4, 0.5)", tolerance=1e-5)
