"""Part 2 of chapter 7: its cells compute what the course's encoders, length scores and ensembles do."""

from __future__ import annotations

import dynet as dy
import numpy as np

from book.lessons.cells import namespace
from chapters.encoder_decoder.convolution import convolve, maximum
from chapters.encoder_decoder.tree_encoders import RecursiveNetwork, levels_of
from common.nn.recurrent import HiddenState
from common.search.ensemble import log_mean
from common.search.length_prior import length_score
from common.text.trees import balanced

LESSON = namespace("07", 2)
COLLECTION = dy.ParameterCollection()
"""It lives as long as the parameters in it are used: DyNet frees them with it."""


def test_the_convolution_is_the_courses() -> None:
    W = COLLECTION.add_parameters((2, 4), init=dy.NumpyInitializer(LESSON["W"].astype(float)))
    dy.renew_cg()
    words = np.array([LESSON["embedding"][word] for word in ("uncles", "stroll", ".")], dtype=float)
    features = dy.tanh(convolve(W, dy.inputTensor(words.T), 2))
    np.testing.assert_allclose(features.npvalue().T, LESSON["features"], atol=1e-6)
    pooled = np.ravel(maximum(features, np.array([2]), 1).npvalue())
    np.testing.assert_allclose(pooled, LESSON["pooled"], atol=1e-6)


def test_the_tree_is_the_courses() -> None:
    network = RecursiveNetwork(COLLECTION, 2, 0.1)
    network.W_x.set_value(np.eye(2))
    network.W_lr.set_value(np.hstack([np.eye(2), 0.5 * np.eye(2)]))
    dy.renew_cg()
    uncles, stroll, stop = (
        network.leaves(dy.inputTensor(np.array(LESSON["embedding"][word], dtype=float)))
        for word in ("uncles", "stroll", ".")
    )
    phrase: HiddenState = network.join(uncles, stroll)
    np.testing.assert_allclose(phrase.hidden.npvalue(), LESSON["phrase"], atol=1e-6)
    np.testing.assert_allclose(network.join(phrase, stop).hidden.npvalue(), LESSON["sentence"], atol=1e-6)


def test_nodes_passed_are_the_levels_above_a_word() -> None:
    """The word that passes most nodes passes one on each level; every node is passed by the words below it."""
    for pair in LESSON["pairs"].dev[:50]:
        length = len(pair.source)
        for tree in (pair.source.tree, balanced(length)):
            passed = LESSON["nodes_passed"](tree, length)
            assert passed.max() == len(levels_of([tree], [length], length)[0])
            above = {child: node for node, both in enumerate(tree, start=length) for child in both}
            for word in range(length):
                node, steps = word, 0
                while node in above:
                    node, steps = above[node], steps + 1
                assert passed[word] == steps


def test_the_scores_of_length_are_the_courses() -> None:
    for kind, column in (("prior", LESSON["totals"]), ("normalise", LESSON["log_probs"] / (LESSON["lengths"] + 1))):
        score = length_score(kind, LESSON["source_length"], LESSON["prior"])
        pairs = zip(LESSON["log_probs"], LESSON["lengths"], strict=True)
        values = [score(log_prob, int(words)) for log_prob, words in pairs]
        np.testing.assert_allclose(values, column)


def test_the_mean_is_that_of_ensembles() -> None:
    members = [np.log(LESSON["first"]), np.log(LESSON["second"])]
    np.testing.assert_allclose(np.exp(log_mean(members)), LESSON["mean"])
    root = np.exp(np.mean(members, axis=0))
    np.testing.assert_allclose(root, LESSON["root"])
