"""What the third part of chapter 6 computes: accountings, the first updates of a merge, and a mean of epochs."""

from __future__ import annotations

import math
from itertools import takewhile

import dynet as dy
import numpy as np
import pytest

from book.lessons.cells import namespace
from common import ROOT
from common.evaluation.perplexity import Evaluation, perplexity
from common.nn.attention import COMBINE_STARTS, contexts, single_scores
from common.training.averaging import LastEnds
from tools.analyse import evenness

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
    assert LESSON["with_first"] == pytest.approx(perplexity(-nats - 5.4 * sentences, predictions))


def table_of(page: str, heading: str) -> list[list[str]]:
    """The cells of the rows below the line that `heading` begins."""
    rows = page[page.index(f"\n{heading}") :].strip().splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in takewhile(bool, rows)]


def test_printed_perplexities_of_wikitext_are_converted_by_the_counts_of_the_results() -> None:
    page = (ROOT / "chapters/06_attentive_lm/RESULTS.md").read_text("utf-8")
    counts = [[int(cell.replace(",", "")) for cell in row[1:]] for row in table_of(page, "| | W, words")]
    sizes = table_of(page, "| | text | sentences | words")
    sentences, words, predictions = ([int(row[column].replace(",", "")) for row in sizes] for column in (2, 3, 5))
    assert predictions == [sum(pair) for pair in zip(sentences, words, strict=True)]
    assert words[2:] == [W + L for W, L, *_ in counts]  # `<eos>` among them
    assert all(N == W + L + S for W, L, _, S, N in counts)
    rows = [row for row in table_of(page, "| | a sentence begins with | parameters | as printed |") if row[4]]
    assert len(rows) == 2
    for row in rows:
        printed, made, uncertain = ([float(number) for number in cell.split(", ")] for cell in row[3:6])
        for (W, L, _, S, N), *figures in zip(counts, printed, made, uncertain, strict=True):
            nats = N * math.log(figures[0])  # a mean over the predictions that are meant
            assert figures[1] == pytest.approx(perplexity(-nats, N - S), abs=0.05)
            assert figures[2] == pytest.approx(perplexity(-nats, N - S - L), abs=0.05) and N - S - L == W


def test_evenness_is_what_the_tool_measures() -> None:
    """Three states: the last column of a sentence of three words."""
    one, other = np.zeros((2, 4, 4))
    one[:3, 3], other[:3, 3] = LESSON["a"], LESSON["b"]
    measured = dict(zip(evenness.FIGURES, evenness.figures(one)[:, -1], strict=True))
    assert (LESSON["evenness"], LESSON["to_even"]) == pytest.approx((measured["evenness"], measured["moved"]))
    assert LESSON["to_other"] == pytest.approx(evenness.moved(one, other)[-1])


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
