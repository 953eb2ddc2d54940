"""Graders of in_dynet.py."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import close, numbers, task
from solutions.grading.exam import parameters

X = np.array([[1.0, -1.0], [0.5, 2.0]])
UNITS = np.array([[0.5, -1.0], [1.0, 0.25], [-0.75, 0.5]]), np.array([0.1, -0.2, 0.3])
OUTPUT = np.array([[1.5, -0.5, 2.0]]), np.array([0.4])


@task("3.5")
def test_the_output(work):
    collection, params = parameters(*UNITS, *OUTPUT)
    expected = OUTPUT[0] @ np.tanh(UNITS[0] @ X + UNITS[1][:, None]) + OUTPUT[1]
    close(numbers(work.output(*params, X), (1, 1, 2), "y")[0], expected, "y of a batch of 2 examples", tolerance=1e-5)


@task("3.5")
def test_the_loss(work):
    loss = work.loss(input_batch(np.array([[0.5, 2.0, 1.0]])), np.array([[1.0, -1.0, 1.0]]))
    message = "the sum of the squared differences of (1, -1, 1) and (0.5, 2, 1), one number for the whole batch"
    close(numbers(loss, (1, 1), "the loss").item(), 9.25, message, tolerance=1e-5)


@task("3.5")
def test_a_step(work):
    """The output layer's derivatives are known: 2 (y - y*) h and 2 (y - y*), summed over the batch."""
    collection, params = parameters(*UNITS, *OUTPUT)
    trainer = dy.SimpleSGDTrainer(collection, learning_rate=0.01)
    trainer.set_clip_threshold(0)
    h = np.tanh(UNITS[0] @ X + UNITS[1][:, None])
    error = OUTPUT[0] @ h + OUTPUT[1] - np.array([[1.0, -1.0]])
    batch_loss = work.loss(work.output(*params, X), np.array([[1.0, -1.0]]))
    close(work.train_step(trainer, batch_loss), float((error**2).sum()), "the loss before the step", tolerance=1e-4)
    message = "after one step with a learning rate of 0.01: use the parameter itself in the formula"
    close(params[2].as_array(), OUTPUT[0] - 0.01 * 2 * error @ h.T, f"w_hy {message}", tolerance=1e-5)
    close(params[3].as_array(), OUTPUT[1] - 0.01 * 2 * error.sum(axis=1), f"b_y {message}", tolerance=1e-5)
