"""What lesson 11 computes by hand is what the course's own functions compute, and its claims are in its records."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from book.figures.recorded import recorded
from book.lessons.cells import namespace
from chapters.transformer.block import Attention, layer_norm
from chapters.transformer.model import TransformerLM
from chapters.transformer.positions import sinusoids
from chapters.transformer.settings import Settings
from common.nn.arrays import input_batch
from common.text.vocab import Vocabulary


@pytest.fixture(scope="module")
def lesson() -> dict:
    return namespace("11")


def test_waves_are_the_models(lesson: dict) -> None:
    np.testing.assert_allclose(lesson["waves"](6, 9).T, sinusoids(6, 0, 9), atol=1e-12)


def test_without_positions_the_order_does_not_matter(lesson: dict) -> None:
    words = np.array([[0.9, -0.2], [-0.6, -0.6], [-0.2, 0.9]])
    contexts = [lesson["attend"](lesson["last"], order, order) for order in (words, words[::-1], words[[1, 2, 0]])]
    np.testing.assert_allclose(contexts, np.tile(contexts[0], (3, 1)))
    assert np.abs(lesson["forwards"] - lesson["backwards"]).max() > 0.1


@pytest.mark.equation("vaswani2017", 1)
def test_two_heads_are_those_of_the_block(lesson: dict) -> None:
    """With the matrices of the lesson side by side, padded with zeros to a square."""
    dy.renew_cg()
    collection, x = dy.ParameterCollection(), lesson["x"]
    attention = Attention(collection, Settings(hidden_size=6, heads=2))
    attention.head_size = 2  # the lesson's heads have two numbers
    queries = np.zeros((6, 1))
    queries[:4, 0] = [*lesson["q1"], *lesson["q2"]]
    keys = np.zeros((6, 4))
    keys[:2], keys[2:4] = lesson["k1"].T, lesson["k2"].T
    weights = attention.weights(dy.inputTensor(queries), dy.inputTensor(keys), None)
    for actual, expected in zip(weights, (lesson["head1"], lesson["head2"]), strict=True):
        np.testing.assert_allclose(actual.npvalue().ravel(), expected, atol=1e-6)
    assert x.shape == (4, 6)


def test_the_normalised_vector(lesson: dict) -> None:
    dy.renew_cg()
    actual = layer_norm(input_batch(lesson["vector"][:, None])).npvalue()
    np.testing.assert_allclose(np.ravel(actual), lesson["normed"], atol=1e-4)


def test_the_cache_has_so_many_numbers(lesson: dict) -> None:
    model = TransformerLM(Vocabulary(["a", "b"]))
    state = model.start(1)
    for _ in range(15):
        state, _ = model.next_words(state, [2])
    assert sum(part.npvalue().size for past in state for part in past) == lesson["cache"]


def test_what_the_lesson_says_of_trained_models(lesson: dict) -> None:
    record, before = recorded("11_transformer"), recorded("06_attentive_lm")
    mean = {name: np.mean(values) for name, values in record["test"].items()}
    assert mean["bag"] > mean["none"] > mean["sinusoidal"] > mean["rotary"] > np.mean(before["test"]["combined"])
    cost = record["cost"]["training"]
    assert cost["attentive LSTM"][-1] > 3 * cost["Transformer"][-1] > 3 * cost["LSTM"][-1]
    attentive, transformer, plain = (lesson[name][:, 0] for name in ("lstm", "longer", "plain"))
    assert (attentive < transformer).all() and (transformer < plain).all(), "with each seed"
