"""Graders of merging.py."""

import numpy as np

from common.nn.stacking import input_batch
from solutions.checks import check, close, numbers, task
from solutions.grading.exam import parameters

W_C = np.array([[1.0, -0.5, 2.0, 0.25], [0.3, 0.75, -1.5, 0.6], [-0.2, 1.25, 0.4, -0.9]])
B_C = np.array([0.1, -0.3, 0.5])


def merge(work, states, contexts, what):
    """h' of one sentence, (M, T), from states and contexts (H, T)."""
    collection, weights = parameters(W_C, B_C)
    found = work.merge(*weights, input_batch(states[:, :, None]), input_batch(contexts[:, :, None]))
    return numbers(found, (3, states.shape[1], 1), what)[:, :, 0]


@task("6.5")
def test_a_merged_state_by_hand(work):
    what = "h' of h = (1, -2), c = (0.5, 4)"
    found = merge(work, np.array([[1.0], [-2.0]]), np.array([[0.5], [4.0]]), what)[:, 0]
    expected = np.tanh([1.0 + 1.0 + 1.0 + 1.0 + 0.1, 0.3 - 1.5 - 0.75 + 2.4 - 0.3, -0.2 - 2.5 + 0.2 - 3.6 + 0.5])
    close(found, expected, f"{what}: the state stands above the context, the bias inside the tanh", tolerance=1e-5)


@task("6.5")
def test_the_context_is_read(work):
    states, contexts = np.random.default_rng(4).normal(size=(2, 2, 3))
    before = merge(work, states, contexts, "three steps")
    contexts[:, 1] += 0.7
    changed = (np.abs(merge(work, states, contexts, "three steps") - before) > 1e-6).any(axis=0).tolist()
    check(any(changed), "another context must give another h'; here it is never read")
    message = "where the context of step 2 changes, h' of step 2 must change, and no other"
    check(changed == [False, True, False], message)


@task("6.5")
def test_scores_of_the_vocabulary_by_hand(work):
    embedding, bias = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]), np.array([0.2, -0.1])
    collection, weights = parameters(embedding, bias)
    what = "the scores of 2 words for h' = (1, 2, -1) and (0.5, -1, 0.25)"
    found = work.tied_logits(*weights, input_batch(np.array([[1.0, 0.5], [2.0, -1.0], [-1.0, 0.25]])))
    rows = [[0.5 - 2.0 - 2.0 + 0.2, 0.25 + 1.0 + 0.5 + 0.2], [1.5 + 0.5 + 0.75 - 0.1, 0.75 - 0.25 - 0.1875 - 0.1]]
    message = f"{what}: embedding . h' + bias, neither squashed nor normalised"
    close(numbers(found, (2, 2), what), np.array(rows), message, tolerance=1e-5)
