"""Graders of whole_block.py."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import close, numbers, task
from solutions.grading.exam import parameters

NORMED = np.array([-0.9258201, -0.4629100, 1.3887301])
"""(1, 2, 6) with mean 0 and variance 1: (-2, -1, 3) over the root of 14/3."""
W_1 = np.array([[1.0, -2.0, 0.5], [0.5, 1.0, -1.0]])
W_2 = np.array([[2.0, -1.0], [0.5, 3.0], [-1.0, 1.0]])
b_1, b_2 = np.array([0.5, 2.0]), np.array([1.0, -1.0, 0.25])
W_v = np.array([[1.0, 0.0, 2.0], [-1.0, 1.0, 0.5], [0.0, 3.0, -1.0]])
W_o = np.array([[0.0, 1.0, -1.0], [2.0, 0.5, 0.0], [1.0, -1.0, 1.0]])


def make_block(work, of_attention, of_network):
    """A `Block` of one head, H = 3, two inner units, whose parts are zero where these are 0; keep the collection."""
    others = np.random.default_rng(5).normal(size=(2, 3, 3))  # W_q and W_k do not matter where there is one position
    arrays = [*others, of_attention * W_v, of_attention * W_o]
    collection, params = parameters(*arrays, *(of_network * array for array in (W_1, b_1, W_2, b_2)))
    return collection, work.Block(work.Heads(1, *params[:4]), *params[4:])


@task("11.5")
def test_normalised_vectors_by_hand(work):
    vectors = np.array([[1.0, 0.001], [2.0, 0.002], [6.0, 0.006]])
    label = "the vectors (1, 2, 6) and (0.001, 0.002, 0.006), normalised"
    actual = numbers(work.layer_norm(input_batch(vectors)), (3, 2), label)
    small = np.array([-0.002, -0.001, 0.003]) / np.sqrt(14e-6 / 3 + 1e-5)
    message = f"{label}: each by itself, shifted to mean 0, over the root of its variance plus 1e-5"
    close(actual, np.stack([NORMED, small], axis=1), message, tolerance=1e-4)


@task("11.5")
def test_the_network_by_hand(work):
    collection, block = make_block(work, 0.0, 1.0)
    label = "the network of x = (1, 2, -1)"
    actual = numbers(work.network(block, input_batch(np.array([[1.0], [2.0], [-1.0]]))), (3, 1), label)[:, 0]
    inner = max(0.0, 1 - 4 - 0.5 + 0.5), max(0.0, 0.5 + 2 + 1 + 2)
    expected = [2 * inner[0] - inner[1] + 1, 0.5 * inner[0] + 3 * inner[1] - 1, -inner[0] + inner[1] + 0.25]
    close(actual, expected, f"{label}: what is negative in the middle becomes 0; both biases", tolerance=1e-5)


@task("11.5")
def test_each_part_is_added(work):
    """One position of two sentences, which can attend to itself alone: its context is its own value."""
    x = np.array([[1.0, 10.0], [2.0, 20.0], [6.0, 60.0]])
    of_attention, of_network = W_o @ W_v @ NORMED, W_2 @ np.maximum(W_1 @ NORMED + b_1, 0) + b_2
    for parts, added in (((0.0, 0.0), 0.0), ((1.0, 0.0), of_attention), ((0.0, 1.0), of_network)):
        collection, block = make_block(work, *parts)
        names = {(0.0, 0.0): "all weights zero", (1.0, 0.0): "the network's weights zero"}
        label = f"a block of one position, {names.get(parts, 'the weights of attention zero')}"
        actual = numbers(work.transform(block, input_batch(x), 1, dy.inputTensor(np.zeros((1, 1)))), (3, 2), label)
        message = f"{label}: x itself, plus what each part makes of the normalised x"
        close(actual, x + np.reshape(np.broadcast_to(added, 3), (3, 1)), message, tolerance=1e-3)
