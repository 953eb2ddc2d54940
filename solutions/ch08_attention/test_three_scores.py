"""Graders of three_scores.py."""

from types import SimpleNamespace

import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import close, numbers, task
from solutions.grading.exam import parameters

W_A = np.array([[1.0, -0.5], [0.25, 2.0], [-1.5, 0.75]])
W_E = np.array([[0.5, -1.0], [1.5, 0.25], [-0.75, 2.0], [0.3, 0.6]])
W_F = np.array([[1.0, 0.5, -0.25], [-0.5, 2.0, 0.1], [0.2, -1.0, 1.5], [0.8, 0.4, -0.6]])
W_2 = np.array([[0.5, -2.0, 1.25, 0.75]])
WORDS = np.array([[[1.0], [-0.5]], [[2.0], [0.25]], [[0.0], [-1.0]]])
"""h_1 = (1, 2, 0) and h_2 = (-0.5, 0.25, -1), of one sentence"""
WHAT = "the scores of h_1 = (1, 2, 0) and h_2 = (-0.5, 0.25, -1) for"
QUERY = np.array([[2.0], [-1.0]])


@task("8.3")
def test_the_dot_product_by_hand(work):
    query = np.array([[3.0], [0.5], [-1.0]])
    scores = numbers(work.dot_scores(input_batch(WORDS), input_batch(query)), (2, 1, 1), f"{WHAT} (3, 0.5, -1)")
    message = f"{WHAT} (3, 0.5, -1): each word's numbers times the query's, added up"
    close(scores[:, 0, 0], np.array([3.0 + 1.0 + 0.0, -1.5 + 0.125 + 1.0]), message, tolerance=1e-5)


@task("8.3")
def test_the_bilinear_score_by_hand(work):
    collection, (W_a,) = parameters(W_A)
    scores = work.bilinear_scores(W_a, input_batch(WORDS), input_batch(QUERY))
    query = [2.0 + 0.5, 0.5 - 2.0, -3.0 - 0.75]  # W_a h_t
    expected = np.array([1 * query[0] + 2 * query[1], -0.5 * query[0] + 0.25 * query[1] - query[2]])
    message = f"{WHAT} (2, -1): h_j^T W_a h_t, a plain product, with W_a (3, 2)"
    close(numbers(scores, (2, 1, 1), f"{WHAT} (2, -1)")[:, 0, 0], expected, message, tolerance=1e-5)


@task("8.3")
def test_the_mlp_by_hand(work):
    collection, (W_e, W_f, w) = parameters(W_E, W_F, W_2)
    score = SimpleNamespace(W_query=W_e, W_source=W_f, w=w)
    query = np.array([1.0 + 1.0, 3.0 - 0.25, -1.5 - 2.0, 0.6 - 0.6])  # W_e h_t
    read = np.array([[2.0, 3.5, -1.8, 1.6], [-0.125, 0.65, -1.85, 0.3]])  # W_f h_j, a row a word
    keys = work.mlp_keys(score, input_batch(WORDS))
    message = "the keys are W_f h_j alone, a column a word, before any tanh"
    close(numbers(keys, (4, 2, 1), "the keys of two words")[:, :, 0], read.T, message, tolerance=1e-5)
    scores = numbers(work.mlp_scores(score, keys, input_batch(QUERY)), (2, 1, 1), f"the MLP's {WHAT} (2, -1)")[:, 0, 0]
    message = f"the MLP's {WHAT} (2, -1): W_e h_t + W_f h_j, its tanh, and the product with w; these are scores, and"
    close(scores, np.tanh(query + read) @ W_2[0], f"{message} no softmax is taken yet", tolerance=1e-5)
