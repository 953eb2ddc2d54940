"""Graders of network.py."""

import dynet as dy
import numpy as np

from common.text.batching import make_batch
from solutions.checks import check, close, numbers, task
from solutions.grading.exam import parameters

V, L, H = 6, 2, 3
M, W_MH, B_H, W_HS, B_S = (
    np.random.default_rng(3).normal(0, 0.8, shape) for shape in ((V, L), (H, 2 * L), (H,), (V, H), (V,))
)


def make_weights(work, M=M, W_mh=W_MH, b_h=B_H, W_hs=W_HS, b_s=B_S):
    """A `Weights` of the file, of order 3; the collection must be kept."""
    collection, others = parameters(W_mh, b_h, W_hs, b_s)
    return collection, work.Weights(collection.lookup_parameters_from_numpy(M), *others, 3)


def batch_of(*sentences):
    """inputs, targets and mask, (T, B); what stands in the padding is a word, so that reading it shows."""
    inputs, targets, mask = make_batch(sentences, range(len(sentences)))[:3]
    return np.where(mask > 0, inputs, 1), np.where(mask > 0, targets, 4), mask


def log_prob(context, word):
    """log P(word | context) by the equations."""
    scores = W_HS @ np.tanh(W_MH @ np.concatenate([M[word] for word in context]) + B_H) + B_S
    return scores[word] - np.log(np.exp(scores).sum())


def small_weights(work):
    M = np.array([[0.0, 0.0], [1.0, -1.0], [0.5, 2.0]])
    W_mh = np.array([[1.0, 0.5, -1.0, 0.25], [0.0, -0.5, 2.0, 1.0], [0.75, 0.0, 0.0, -1.5]])
    W_hs = np.array([[1.0, -1.0, 0.5], [0.0, 2.0, 0.25], [-0.5, 0.5, 1.5]])
    return make_weights(work, M, W_mh, np.array([0.1, -0.2, 0.3]), W_hs, np.array([0.2, 0.4, -0.6]))


@task("4.3")
def test_one_context_by_hand(work):
    collection, weights = small_weights(work)
    h = numbers(work.hidden(weights, np.array([[1], [2]]), 0.0), (3, 1), "h of one context")
    expected = np.tanh([1.0 - 0.5 - 0.5 + 0.5 + 0.1, 0.5 + 1.0 + 2.0 - 0.2, 0.75 - 3.0 + 0.3])
    message = "h after the words 1, 2 with embeddings (1, -1), (0.5, 2): the older word's embedding is on top"
    close(h[:, 0], expected, message, tolerance=1e-5)


@task("4.3")
def test_scores_by_hand(work):
    collection, weights = small_weights(work)
    scores = numbers(work.scores(weights, dy.inputVector([1.0, 2.0, -1.0])), (3, 1), "the scores of one context")
    close(scores[:, 0], np.array([-1.3, 4.15, -1.6]), "the scores of 3 words where h = 1, 2, -1", tolerance=1e-5)


@task("4.3")
def test_dropout_is_random_only_where_asked_for(work):
    words = np.ones((2, 200), dtype=int)
    collection, weights = make_weights(work, W_mh=0 * W_MH, b_h=np.full(H, 0.5))
    off = numbers(work.hidden(weights, words, 0.0), (H, 200), "h of 200 contexts")
    check(np.ptp(off, axis=1).max() == 0, "with dropout 0, the same context must always have the same h")
    dropped = (numbers(work.hidden(weights, words, 0.5), (H, 200), "h of 200 contexts") == 0).mean()
    check(0.35 < dropped < 0.65, f"with dropout 0.5, about half of h must be zero; of yours {dropped:.0%} is")
    collection, weights = make_weights(work)
    h = numbers(work.hidden(weights, words, 0.5), (H, 200), "h of 200 contexts")
    different = len(np.unique(np.round(h[h != 0], 4)))
    check(different > H, "with dropout, what the hidden layer reads must be random too, not only h itself")


@task("4.4")
def test_the_loss_by_hand(work):
    collection, weights = make_weights(work)
    loss = numbers(work.loss(weights, *batch_of([2, 5]), 0.0), (1, 1), "the loss of a batch")
    expected = -log_prob([0, 0], 2) - log_prob([0, 2], 5) - log_prob([2, 5], 0)
    message = "the loss of `2 5`: -log P of 2 after 0 0, of 5 after 0 2, and of </s>, which is 0, after 2 5"
    close(loss.item(), expected, message, tolerance=1e-4)


@task("4.4")
def test_a_batch_is_the_sum_of_its_sentences(work):
    collection, weights = make_weights(work)
    sentences = [2, 5, 3], [4], [], [3, 3, 2]
    parts = sum(work.loss(weights, *batch_of(sentence), 0.0).value() for sentence in sentences)
    message = "the loss of sentences of 3, 1, 0 and 3 words must be the sum of their losses, whatever the padding holds"
    close(work.loss(weights, *batch_of(*sentences), 0.0).value(), parts, message, tolerance=1e-4)


@task("4.4")
def test_log_probs(work):
    collection, weights = make_weights(work)
    expected = [[log_prob([0, 0], 2), log_prob([0, 0], 4)], [log_prob([0, 2], 5), log_prob([0, 4], 0)]]
    expected.append([log_prob([2, 5], 0), 0])
    log_probs = work.log_probs(weights, *batch_of([2, 5], [4]))
    close(log_probs, np.array(expected), "log P of each target of `2 5` and `4`, and 0 on padding", tolerance=1e-4)
