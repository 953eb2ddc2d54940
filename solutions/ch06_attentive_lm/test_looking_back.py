"""Graders of looking_back.py."""

import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import check, close, numbers, task


@task("6.4")
def test_weights_by_hand(work):
    odds = np.array([[2.0, 1.0, 3.0], [5.0, 7.0, 1.0], [4.0, 6.0, 9.0]])
    weights = work.causal_weights(input_batch(np.log(odds)[:, :, None]), 3)
    weights = numbers(weights, (3, 3, 1), "the weights of three steps")[:, :, 0]
    check(np.isfinite(weights).all(), "every weight must be a finite number")
    for t in (1, 2, 0):
        ahead = np.abs(weights[t:, t]).max()
        steps = "has no past: its column must be zeros" if t == 0 else "must give no weight to itself or to later steps"
        check(ahead < 1e-6, f"step {t + 1} {steps}, however high the scores there; it gives a weight of {ahead:.4g}")
        total = weights[:t, t].sum()
        message = f"the weights of step {t + 1} sum to {total:.4g} over the steps before it: was the softmax "
        right = t == 0 or (abs(total - 1) < 1e-4 and weights[:t, t].min() >= 0)
        check(right, f"{message}forgotten, taken along the rows, or taken before the mask?")
    expected = np.array([[0.0, 1.0, 0.75], [0.0, 0.0, 0.25], [0.0, 0.0, 0.0]])
    message = "the weights of three steps, from scores of which step 3 has log 3 for h_1 and log 1 for h_2"
    close(weights, expected, message, tolerance=1e-5)


@task("6.4")
def test_contexts_by_hand(work):
    past = np.array([[1.0, 3.0, -2.0], [0.5, -1.0, 4.0]])
    alphas = np.array([[0.0, 1.0, 0.75, 0.2], [0.0, 0.0, 0.25, 0.3], [0.0, 0.0, 0.0, 0.5]])
    contexts = work.contexts(input_batch(past[:, :, None]), input_batch(alphas[:, :, None]))
    contexts = numbers(contexts, (2, 4, 1), "the contexts of four steps from three states")[:, :, 0]
    expected = np.array([[0.0, 1.0, 0.75 + 0.75, 0.2 + 0.9 - 1.0], [0.0, 0.5, 0.375 - 0.25, 0.1 - 0.3 + 2.0]])
    close(contexts, expected, "c_t: each state of the past times its weight in column t, added up", tolerance=1e-5)
