"""Part 3 of chapter 2: its cells compute what the chapter's own sums, Adam and clusters do, and its figure bends up."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from book.counted import TEXT, by_hand
from book.figures import ch02_part2
from book.figures.ch02_data import positions
from book.figures.style import styled
from book.lessons.cells import namespace
from chapters.loglinear_lm import clusters, model
from chapters.loglinear_lm.optimisers import Adam
from chapters.ngram_lm import counts

LESSON = namespace("02", 3)


def test_losses_along_lines_are_the_course_s_and_bend_upwards() -> None:
    moved = LESSON["s"] + LESSON["distances"][:, None] * LESSON["delta"]
    np.testing.assert_allclose(LESSON["losses"], -model.log_softmax(moved)[:, 1])
    with styled():
        curves = [line for line in ch02_part2.loss_along_lines().axes[0].lines if len(line.get_xdata()) > 2]
        assert len(curves) == len(ch02_part2.LINES)
        for line in curves:
            assert (np.diff(line.get_ydata(), 2) > 0).all()


def test_groups_are_the_course_s() -> None:
    groups = positions([tuple(features) for features in LESSON["active"]])
    assert groups.members.tolist() == LESSON["members"].tolist()
    assert groups.bounds.tolist() == LESSON["bounds"].tolist()


def test_adam_by_hand_is_the_course_s_and_the_lesson_s() -> None:
    gradients = namespace("02")["gradients"]
    optimiser = Adam(SimpleNamespace(W=np.zeros((1, 2)), b=np.zeros(1)), Adam.epsilon)
    for gradient, (_, large, m_1, m_2, *_), move in zip(gradients, LESSON["rows"], LESSON["adam"], strict=True):
        np.testing.assert_allclose(move, -optimiser.step(0, [0], gradient[None], np.float32(0.1))[0], rtol=1e-4)
        assert (large, m_1, m_2) == pytest.approx((gradient[0], optimiser.mean[0][0, 0], optimiser.square[0][0, 0]))
    np.testing.assert_allclose(LESSON["adam"], namespace("02")["moves"]["Adam"])


def test_mergers_are_the_course_s() -> None:
    vocab = by_hand()[0]
    table = np.zeros((len(vocab), len(vocab)))
    np.add.at(table, counts.join([vocab.encode(sentence) for sentence in TEXT]), 1)
    f, total = clusters.entropy_terms, table.sum()
    information = (f(table).sum() - f(table.sum(axis=0)).sum() - f(table.sum(axis=1)).sum() + f(total)) / total
    assert LESSON["information"](LESSON["neighbours"]) == pytest.approx(information)
    words = dict.fromkeys(word for sentence in TEXT for word in sentence)
    losses = {pair: LESSON["lost"](*pair) for pair in itertools.combinations(words, 2)}
    assert min(losses, key=losses.get) == ("girl", "son")
