"""What the third part of chapter 6 computes: accountings, the first updates of a merge, and a mean of epochs."""

from __future__ import annotations

import math

import dynet as dy
import numpy as np
import pytest

from book.lessons.cells import namespace
from common.evaluation.perplexity import Evaluation, perplexity
from common.nn.attention import COMBINE_STARTS, contexts, single_scores
from common.training.averaging import LastEnds

LESSON = namespace("06", 3)


def test_the_accountings_are_the_course_s() -> None:
    costs = LESSON["surprises"]
    result = Evaluation(1, 4, 0, -costs.sum(), 0.0, -costs.sum(), -costs[1:].sum())
    assert LESSON["honest"] == pytest.approx(result.perplexity)
    assert LESSON["published"] == pytest.approx(result.salton2017_perplexity)


def test_a_printed_perplexity_is_converted_by_its_nats() -> None:
    predictions, sentences = LESSON["predictions"], LESSON["sentences"]
    nats = math.log(LESSON["reported"]) * predictions
    assert LESSON["really_predicted"] == pytest.approx(perplexity(-nats, predictions - sentences))
    assert LESSON["with_first"] == pytest.approx(perplexity(-nats - 5.5 * sentences, predictions))


def test_scores_have_no_gradient_at_the_first_update_and_one_at_the_second() -> None:
    """With the merge of the course, its start and plain gradient descent."""
    collection, size = dy.ParameterCollection(), 2
    W_c = collection.add_parameters((size, 2 * size), init=COMBINE_STARTS["identity"]((size, 2 * size), 0.1))
    v, W = collection.add_parameters((1, size)), collection.add_parameters((size, size))
    sizes, trainer = [], dy.SimpleSGDTrainer(collection, LESSON["rate"])
    for _ in range(2):
        dy.renew_cg()
        past, now, wish = (dy.inputTensor(part) for part in ([[0.9, -0.6], [-0.2, -0.6]], [0.0, 0.9], [1.0, -1.0]))
        context = dy.reshape(contexts(past, dy.softmax(single_scores(v, W, past))), (size,))
        loss = dy.dot_product(wish, dy.tanh(W_c * dy.concatenate([now, context])))
        loss.forward()
        loss.backward()
        sizes.append((np.abs(v.grad_as_array()).max(), np.abs(W_c.grad_as_array()[:, size:]).max()))
        trainer.update()
    assert sizes[0][0] == 0 < sizes[1][0] and sizes[0][1] > 0
    assert np.abs(LESSON["g"][0]).max() == 0 < np.abs(LESSON["g"][1]).max()


def test_the_mean_of_ends_is_that_of_training() -> None:
    class Weight:
        def arrays(self) -> list[np.ndarray]:
            return [np.array([self.value], np.float32)]

    weight = Weight()
    ends = LastEnds(weight, 4)
    for weight.value in LESSON["ends"]:
        ends.add()
    assert math.isclose(float(next(iter(ends.means()))[0]), LESSON["ends"].mean(), abs_tol=1e-6)
