"""The views of lab 10: shares, risk, gradients, draws and samples, against NumPy float64."""

from __future__ import annotations

import math

import numpy as np
import pytest

from book.labs.views import ch10 as views
from common.errors import UserError
from common.text.pairs import Pair
from tests import beyond_models as tiny
from tests.attention_models import Twin
from tests.small_models import numeric_gradient

COSTS = np.array(
    [0.0, 1 - math.exp(-0.2) * (4 / 5 * 3 / 4 * 2 / 3) ** 0.25, 1 - (5 / 6 * 5 / 6 * 4 / 5 * 3 / 4) ** 0.25]
)
"""1 - BLEU of the lesson's three candidates, from their counts."""
PAIR = Pair("hen ox".split(), "ba ba".split())
SOURCE = [2, 3]


def reinforce(log_probs: np.ndarray, costs: np.ndarray) -> float:
    """(1/k) sum of log P times the cost less the mean of the others' costs."""
    number = len(costs)
    others = [(costs.sum() - cost) / (number - 1) for cost in costs]
    return sum(lp * (cost - other) for lp, cost, other in zip(log_probs, costs, others, strict=True)) / number


@pytest.mark.parametrize("alpha", [0.0, 0.3, 1.0, 2.5])
@pytest.mark.parametrize("left_out", [None, 1])
def test_what_pushes_candidates(alpha: float, left_out: int | None) -> None:
    log_probs, costs = np.array([-1.2, -0.4, -3.0, -2.0]), np.array([0.0, 0.7, 0.2, 0.5])
    counted = None if left_out is None else np.arange(4) != left_out
    others = [place for place in range(4) if place != left_out]
    result = views.pushes(log_probs, costs, alpha, counted)
    powers = np.where(np.isin(range(4), others), np.exp(alpha * log_probs), 0)
    np.testing.assert_allclose(result.shares, powers / powers.sum(), atol=1e-6)

    def risk() -> float:
        return tiny.expected_cost(log_probs[others], costs[others], alpha)

    assert result.risk == pytest.approx(risk(), abs=1e-6)
    np.testing.assert_allclose(result.by_risk, numeric_gradient(risk, log_probs), atol=1e-6)
    expected = numeric_gradient(lambda: reinforce(log_probs, costs), log_probs)
    np.testing.assert_allclose(result.by_reinforce, expected, atol=1e-6)


def heights(axes) -> list[list[float]]:
    return [[bar.get_height() for bar in container.patches] for container in axes.containers if container.patches]


@pytest.mark.parametrize("divided", [False, True])
def test_three_candidates_show_the_numbers(divided: bool) -> None:
    probabilities, alpha = np.array([0.3, 0.05, 0.6]), 0.4
    left, right = views.three_candidates(probabilities, alpha, divided).axes
    shares = probabilities**alpha / (probabilities**alpha).sum()
    risk = shares @ COSTS
    np.testing.assert_allclose(heights(left), [probabilities, shares, COSTS], atol=1e-6)
    by_risk = (1 if divided else alpha) * shares * (COSTS - risk)
    by_reinforce = numeric_gradient(lambda: reinforce(logs, COSTS), logs := np.log(probabilities))
    np.testing.assert_allclose(heights(right), [-by_risk, -by_reinforce], atol=1e-6)
    assert left.get_title() == f"risk {risk:.3f}"
    assert right.texts[0].get_text() == f"{-by_risk[0]:.3f}"


def test_probabilities_that_cannot_be() -> None:
    views.three_candidates([0.1, 0.2, 0.7], 0.0)
    for probabilities in ([0.5, 0.4, 0.2], [0.0, 0.4, 0.2]):
        with pytest.raises(UserError, match=f"at most 1; these sum to {sum(probabilities):.2f}"):
            views.three_candidates(probabilities, 1.0)
    with pytest.raises(UserError, match="by which nothing can be divided"):
        views.three_candidates([0.1, 0.2, 0.3], 0.0, divided=True)


def test_lines_of_bleu() -> None:
    reference = "a b c d e".split()
    lines = views.bleu_lines("a b x d", reference).splitlines()
    assert [line.split("   ")[1:] for line in lines[:4]] == [
        ["3 / 4", "a, b, d"], ["2 / 4", "a b"], ["1 / 3", ""], ["1 / 2", ""],
    ]  # fmt: skip
    value = math.exp(1 - 5 / 4) * (3 / 4 * 2 / 4 * 1 / 3 * 1 / 2) ** 0.25
    assert lines[4:] == ["4 words for 5", f"BLEU {value:.3f}, cost {1 - value:.3f}"]
    assert views.bleu_lines("", reference).endswith("0 words for 5\nBLEU 0.000, cost 1.000")


# --- a real model


def log_probs_of(model, prefix: list[int]) -> np.ndarray:
    return Twin(model).steps(SOURCE, [0, *prefix])[-1].log_probs


@pytest.mark.parametrize("prefix", [[], ["ba"], ["ba", "goat"]])
def test_the_next_word_after_a_prefix(prefix: list[str]) -> None:
    model = tiny.make_model()
    expected = log_probs_of(model, [{"ba": 2}.get(word, 1) for word in prefix])
    np.testing.assert_allclose(views.after(model, PAIR, prefix), expected, atol=1e-4)


def test_a_draw_by_noise() -> None:
    """The bars add up, and the title names the largest sum, which is drawn whatever its probability."""
    vocab, log_probs = tiny.make_model().vocab, np.log([0.6, 0.3, 0.1])
    (axes,) = views.one_draw(vocab, log_probs, 3).axes
    logs, noise, total = np.array(heights(axes))
    np.testing.assert_allclose(logs + noise, total)
    np.testing.assert_allclose(logs, log_probs)
    names = [label.get_text() for label in axes.get_xticklabels()]
    assert names == ["</s>", "<unk>", "ba"] and axes.get_title() == f"drawn: {names[int(total.argmax())]}"
    for seed in range(8):
        (axes,) = views.one_draw(vocab, log_probs, seed, most=1).axes
        assert axes.get_title().removeprefix("drawn: ") in [label.get_text() for label in axes.get_xticklabels()]


def test_many_draws() -> None:
    vocab, p = tiny.make_model().vocab, np.array([0.2, 0.7, 0.1])
    counts = views.draws(np.log(p), 5000, 2)
    assert counts.sum() == 5000 and (counts == views.draws(np.log(p), 5000, 2)).all()
    assert (counts != views.draws(np.log(p), 5000, 3)).any()
    assert (np.abs(counts / 5000 - p) <= 4 * np.sqrt(p * (1 - p) / 5000)).all()
    (axes,) = views.drawn_often(vocab, np.log(p), 5000, 2, most=2).axes
    np.testing.assert_allclose(heights(axes), [[0.7, 0.2], counts[[1, 0]] / 5000], atol=1e-6)
    assert [label.get_text() for label in axes.get_xticklabels()] == ["<unk>", "</s>"]


def test_samples_and_what_they_cost() -> None:
    model, pair = tiny.make_model(), Pair(PAIR.source, ["ba"])
    twin, samples = Twin(model), views.samples_of(model, pair, 300, 1)
    assert len(samples.texts) == 300 == len(samples.costs)
    assert samples.texts == views.samples_of(model, pair, 300, 1).texts
    assert samples.texts != views.samples_of(model, pair, 300, 2).texts
    by_hand = {"": 1.0, "<unk>": 1.0, "ba": 0.0, "ba <unk>": 1 - (1 / 2 * 1 / 2) ** 0.25}
    for place, (text, log_prob, cost) in enumerate(zip(*samples[:3], strict=True)):
        words = text.removesuffix("...").split()
        ids = [{"ba": 2, "<unk>": 1}[word] for word in words] + [0] * (not text.endswith("..."))
        assert log_prob == pytest.approx(tiny.log_prob(twin, SOURCE, ids), abs=1e-4)
        assert samples.first[place] == (text not in samples.texts[:place])
        if text in by_hand:
            assert cost == pytest.approx(by_hand[text])
    assert set(by_hand) <= set(samples.texts)


def test_lines_of_samples() -> None:
    texts = ["a", "b", "a", "c"]
    log_probs, costs = np.array([-1.0, -2.0, -1.0, -0.5]), np.array([0.4, 0.1, 0.4, 0.9])
    samples = views.Samples(texts, log_probs, costs, np.array([True, True, False, True]))
    lines = views.sample_lines(samples, 0.5).splitlines()
    powers = np.exp(0.5 * log_probs[[1, 0, 3]])
    shares, first_costs = powers / powers.sum(), costs[[1, 0, 3]]
    risk = shares @ first_costs
    slope = np.array([cost - (costs.sum() - cost) / 3 for cost in costs]) / 4
    rows = zip("bac", (1, 2, 1), (1, 0, 3), shares, first_costs, strict=True)
    for line, (text, times, place, share, cost) in zip(lines[1:-1], rows, strict=True):
        pushed = sum(slope[index] for index in range(4) if texts[index] == text)
        expected = [times, log_probs[place], cost, share, 0.5 * share * (cost - risk), pushed]
        *numbers, printed = line.split()
        assert printed == text
        np.testing.assert_allclose([float(number) for number in numbers], expected, atol=0.00051)
    assert lines[-1] == f"risk {risk:.3f}, mean cost {costs.mean():.3f}"
