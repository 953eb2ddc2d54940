"""Graders of word_context.py."""

import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import check, close, numbers, task
from solutions.grading.exam import parameters

W_B = np.array([[0.5, -1.0], [1.5, 0.25], [-0.75, 2.0], [0.3, 0.6]])
U_B = np.array([[1.0, 0.5, -0.25], [-0.5, 2.0, 0.1], [0.2, -1.0, 1.5], [0.8, 0.4, -0.6]])
V_B = np.array([[0.5, -2.0, 1.25, 0.75]])
STATE = np.array([[2.0], [-1.0]])
WORDS = np.array([[[1.0], [-0.5]], [[2.0], [0.25]], [[0.0], [-1.0]]])
WHAT = "s = (2, -1), x_1 = (1, 2, 0), x_2 = (-0.5, 0.25, -1)"


@task("9.2")
def test_by_hand(work):
    collection, weights = parameters(W_B, U_B, V_B)
    result = work.word_attention(*weights, input_batch(STATE), input_batch(WORDS))
    check(isinstance(result, (list, tuple)) and len(result) == 2, f"{WHAT}: two things are asked for, beta and c^beta")
    beta, seen = numbers(result[0], (2, 1, 1), f"{WHAT}: beta")[:, 0, 0], numbers(result[1], (3, 1), f"{WHAT}: c^beta")
    message = f"{WHAT}: beta sums to {beta.sum():.4g} over the words: is there a softmax, and over the words?"
    check(abs(beta.sum() - 1) < 1e-4, message)
    query = np.array([1.0 + 1.0, 3.0 - 0.25, -1.5 - 2.0, 0.6 - 0.6])  # W_b s
    read = np.array([[2.0, 3.5, -1.8, 1.6], [-0.125, 0.65, -1.85, 0.3]])  # U_b x_j, a row a word
    first, second = np.exp(np.tanh(query + read) @ V_B[0])
    share = first / (first + second)
    message = f"{WHAT}: beta, with tanh of the sum W_b s + U_b x_j, its product with v_b, and a softmax over both words"
    close(beta, np.array([share, 1 - share]), message, tolerance=1e-5)
    message = f"{WHAT}: c^beta is the sum of beta_j x_j, of the embeddings themselves"
    close(seen[:, 0], share * WORDS[:, 0, 0] + (1 - share) * WORDS[:, 1, 0], message, tolerance=1e-5)
