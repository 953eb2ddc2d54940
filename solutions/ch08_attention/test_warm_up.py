"""Graders of warm_up.py."""

import dynet as dy
import numpy as np

from common.nn.source_attention import MLPScore
from common.nn.source_scores import BilinearScore
from solutions.checks import check, close, equal, task


@task("8.1")
def test_a_context_by_hand(work):
    annotations, query = np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([np.log(2), 5.0])
    alpha, context = np.exp(annotations.T @ query), work.context_by_hand()
    if isinstance(context, list) and len(context) == 2 and isinstance(context[1], (int, float)):
        message = f"both words have 1 as their second number, and yours is {context[1]:.4g}: what do weights sum to?"
        check(abs(context[1] - 1) < 1e-3, message)
    message = "c_t: scores by the dot product, weights exp(score) over the sum of both, then their sum of h_1 and h_2"
    close(context, (annotations @ alpha / alpha.sum()).tolist(), message, tolerance=1e-3)


@task("8.1")
def test_parameters_of_the_scores(work):
    """The course's own scores are counted."""
    for H, Q, A in ((1, 1, 1), (4, 6, 3), (5, 2, 7)):
        dot, bilinear, mlp = (dy.ParameterCollection() for _ in range(3))
        BilinearScore(bilinear, H, Q, 0.1)
        MLPScore(mlp, H, Q, A, 0.1)
        for score, collection in (("dot", dot), ("bilinear", bilinear), ("mlp", mlp)):
            size = collection.parameter_count()
            message = f"{score}, H = {H}, Q = {Q}, A = {A}: all numbers of its matrices and vectors, and no biases"
            equal(work.how_many_parameters(score, H, Q, A), size, message)


@task("8.1")
def test_where_the_mlp_is_smaller(work):
    for H, Q in ((2, 2), (4, 5), (7, 4), (128, 128), (2, 5)):
        largest = max(A for A in range(H * Q) if A == 0 or A * (H + Q) + A < H * Q)
        message = f"H = {H}, Q = {Q}: the largest whole A with which the MLP has fewer parameters, and not as many"
        equal(work.largest_hidden_layer(H, Q), largest, message)
