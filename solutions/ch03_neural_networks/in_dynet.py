"""Exercise 3.5: the same network in DyNet, which finds the derivatives itself.

Letters in the shapes: I inputs, H hidden size, B examples in the batch. DyNet keeps the batch in a dimension of its
own: (H, 1) x B is B columns of H numbers, and a parameter, which has no batch, is used for all of them.
"""

from __future__ import annotations

import dynet as dy
import numpy as np


def output(
    W_xh: dy.Parameters, b_h: dy.Parameters, w_hy: dy.Parameters, b_y: dy.Parameters, x: np.ndarray
) -> dy.Expression:
    """y = w_hy tanh(W_xh x + b_h) + b_y, (1, 1) x B, as an expression. Do not begin a new graph.

    W_xh (H, I), b_h (H,), w_hy (1, H), b_y (1,), x (I, B), one column per example: dy.inputTensor(x[:, None, :],
    batched=True) turns it into (I, 1) x B. Use the parameters themselves in the formula; `*` is the product of
    matrices, `+` adds.

    With W_xh = [[0]], b_h = [0], w_hy = [[2]], b_y = [0.5] and x = [[3, 4]], y is 0.5 for both examples.
    """
    # BEGIN SOLUTION 3.5
    h = dy.tanh(W_xh * dy.inputTensor(x[:, None, :], batched=True) + b_h)
    return w_hy * h + b_y
    # END SOLUTION


def loss(y: dy.Expression, targets: np.ndarray) -> dy.Expression:
    """The sum over the batch of (y* - y)^2 (Neubig 2017, Eq. 36), one number, as an expression.

    y (1, 1) x B, targets (1, B), which become an expression as x does in `output`. Useful: dy.squared_distance and
    dy.sum_batches.
    """
    # BEGIN SOLUTION 3.5
    return dy.sum_batches(dy.squared_distance(y, dy.inputTensor(targets[:, None, :], batched=True)))
    # END SOLUTION


def train_step(trainer: dy.Trainer, batch_loss: dy.Expression) -> float:
    """One step of gradient descent: forward, backward, update. Returns the loss *before* the step.

    Three functions: the expression's value() and backward(), the trainer's update(). backward() needs value() first.
    """
    # BEGIN SOLUTION 3.5
    before = batch_loss.value()
    batch_loss.backward()
    trainer.update()
    return before
    # END SOLUTION
