"""What chapter 3's lesson prints and draws: the worked example beside plain arithmetic, and the recorded networks."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from book.figures import ch03, ch03_data, ch03_record
from book.lessons import ROOT
from book.worked import ch03 as worked
from chapters.neural_networks import report, with_dynet


def by_hand() -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Values and derivatives of the worked example, number by number, from the rules of the lesson."""
    (w11, w12), (w21, w22) = worked.START[0].tolist()
    (b1,), (b2,) = worked.START[1].tolist()
    (v1, v2), c = worked.START[2][0].tolist(), worked.START[3].item()
    (x1, x2), label = worked.POINT.ravel().tolist(), worked.LABEL.item()
    a1, a2 = w11 * x1 + w12 * x2 + b1, w21 * x1 + w22 * x2 + b2
    h1, h2 = math.tanh(a1), math.tanh(a2)
    y = v1 * h1 + v2 * h2 + c
    values = {"h'": [a1, a2], "h": [h1, h2], "y": [y], "y* − y": [label - y], "loss": [(label - y) ** 2]}
    g = 2 * (y - label)
    g1, g2 = v1 * g * (1 - h1 * h1), v2 * g * (1 - h2 * h2)
    derivatives = {"y": [g], "b_y": [g], "w_hy": [g * h1, g * h2], "h": [v1 * g, v2 * g], "h'": [g1, g2],
                   "b_h": [g1, g2], "W_xh": [g1 * x1, g1 * x2, g2 * x1, g2 * x2],
                   "x": [w11 * g1 + w21 * g2, w12 * g1 + w22 * g2], "loss": [1.0]}  # fmt: skip
    return values, derivatives


@pytest.mark.equation("neubig2017", 39, 40)
def test_the_worked_example_is_plain_arithmetic() -> None:
    values, derivatives = by_hand()
    for name, numbers in values.items():
        np.testing.assert_allclose(worked.value(name), numbers, rtol=1e-12)
    for name, numbers in derivatives.items():
        np.testing.assert_allclose(worked.gradient(name), numbers, rtol=1e-12)
    for new, old, name in zip(worked.stepped(), worked.START, ("W_xh", "b_h", "w_hy", "b_y"), strict=True):
        np.testing.assert_allclose(new.ravel(), old.ravel() - worked.RATE * np.array(derivatives[name]), rtol=1e-12)


def test_no_random_line_is_right_four_times() -> None:
    counts = ch03_data.points_right(500)
    assert sum(counts) == 500 and counts[0] == counts[4] == 0 and counts[3] > 50


def test_no_sum_of_votes_costs_less_than_a_coin() -> None:
    """Any line's mean loss as a softmax over two wares; the line that says 0 everywhere reaches the bound."""
    bound = list(worked.coin())[-1]
    points = [(1, 1, 1), (-1, 1, -1), (1, -1, -1), (-1, -1, 1)]
    for w1, w2, b in [(0.0, 0.0, 0.0), *np.random.default_rng(1).normal(size=(200, 3)).tolist()]:
        loss = sum(math.log(1 + math.exp(-label * (w1 * x1 + w2 * x2 + b))) for x1, x2, label in points) / 4
        assert loss >= bound - 1e-12 and (loss == pytest.approx(bound)) == (w1 == 0)
    assert list(worked.riddle())[1:] == pytest.approx([bound, 0], abs=1e-3)


def test_sigmoid_is_the_logistic_function() -> None:
    x = np.linspace(-6, 6, 13)
    np.testing.assert_allclose(ch03_data.sigmoid(x), [1 / (1 + math.exp(-value)) for value in x], rtol=1e-12)


def test_finite_differences_find_the_wrong_derivative_and_only_that() -> None:
    errors = {name: dict(zip(ch03_data.WIDTHS, values, strict=True))
              for name, values in ch03_data.gradient_errors().items()}  # fmt: skip
    assert errors["both sides"][1e-5] < -9 < -6 < errors["one side"][1e-5]
    for width, slope in ((1e-2, 2), (1e-3, 2)):
        assert errors["both sides"][10 * width] - errors["both sides"][width] == pytest.approx(slope, abs=0.1)
    assert all(error > 0 for error in errors["both sides, wrong derivative"].values())


def test_the_example_of_two_uses_is_plain_arithmetic() -> None:
    """(2 v + v)^2 is 9 v^2, and moving v a little to both sides gives the derivative of the block's last line."""
    loss, numbers = lambda v: (2 * v + v) ** 2, list(worked.uses())
    assert numbers[2] ** 2 == loss(3) and numbers[3:6] == [2, 9, 18]
    assert numbers[-1] == pytest.approx((loss(3.001) - loss(2.999)) / 0.002)


def test_single_precision_needs_a_move_of_some_thousandths() -> None:
    """The worst finite difference of the example on DyNet, against derivatives in double precision."""
    network = with_dynet.DynetMLP(worked.START, "tanh")
    names = ("W_xh", "b_h", "w_hy", "b_y")

    def error(width: float) -> float:
        worst = 0.0
        for start, parameter, name in zip(worked.START, network.parameters, names, strict=True):
            for place, right in zip(np.ndindex(start.shape), worked.gradient(name), strict=True):
                losses = []
                for side in (width, -width):
                    moved = start.copy()
                    moved[place] += side
                    parameter.set_value(moved)
                    losses.append(network.loss(worked.POINT, worked.LABEL).value())
                worst = max(worst, abs((losses[0] - losses[1]) / (2 * width) - right))
            parameter.set_value(start)
        return worst

    assert max(error(0.003), error(0.005)) < 2e-4 < 1e-3 < min(error(1e-5), error(1e-1))


def test_the_loss_of_a_network_is_not_convex() -> None:
    """Two units that solve equality may be exchanged; halfway the units are equal, and the loss is higher."""
    x, targets = ch03_data.tasks.equality()
    W_xh, b_h, w_hy, b_y = ch03_data.arrays_of(ch03_data.seen("two_units")[-1])
    exchanged = [W_xh[::-1], b_h[::-1], w_hy[:, ::-1], b_y]
    halfway = [(array + other) / 2 for array, other in zip((W_xh, b_h, w_hy, b_y), exchanged, strict=True)]
    losses = [worked.model.squared_error(targets, worked.model.MLP(arrays, "tanh").outputs(x)) / 4
              for arrays in ((W_xh, b_h, w_hy, b_y), exchanged, halfway)]  # fmt: skip
    assert losses[0] == pytest.approx(losses[1]) and losses[0] < 0.01 and losses[2] > 0.5


def test_only_the_output_bias_learns_where_all_parameters_are_zero() -> None:
    network = worked.model.MLP([np.zeros_like(array) for array in worked.START], "tanh")
    x = ch03_data.tasks.equality().x
    targets = np.array([[1.0, 1.0, 1.0, -1.0]])
    for _ in range(200):
        network.update(x, targets, worked.RATE)
    *others, b_y = network.arrays()
    assert not any(array.any() for array in others) and b_y.item() == pytest.approx(targets.mean(), abs=1e-6)


def test_what_is_recorded_is_what_the_figures_read() -> None:
    """At tiny size; the committed record has the same keys, and its networks the accuracy that it tells."""
    _, record = ch03_record.measure(4, 1)
    committed = json.loads((ROOT / "chapters/03_neural_networks/figures/recorded.json").read_text("utf-8"))
    read = set(re.findall(r'data\.seen\("(\w+)"\)', Path(ch03.__file__).read_text("utf-8")))
    assert read <= set(record) and {*record, "command", "settings"} == set(committed) and len(read) >= 8
    assert {name: len(counts) for name, counts in record["counts"].items()} == dict.fromkeys(
        ("tanh", "relu", "step"), 4
    )
    assert [len(record["curves"]), len(committed["curves"]), record["seeds"], committed["seeds"]] == [1, 8, 1, 100]
    test = ch03_record.tasks.make_task("spirals").test
    for depth in ch03_record.SPIRALS:
        network = ch03_record.model.MLP(ch03_data.arrays_of(committed["spirals"][depth]), "tanh")
        accuracy = committed["accuracies"][f"tanh, {depth}"][0]
        assert report.evaluate(network, test)["accuracy"] == pytest.approx(accuracy, abs=0.006)


def test_equal_units_stay_equal_and_nearly_equal_ones_part() -> None:
    runs = ch03_record.lockstep(80)
    last = {name: run["weights"][-1] for name, run in runs.items()}
    assert np.ptp(last["equal"]) < 1e-12 and np.ptp(last["nearly equal"]) > 0.3
    assert runs["equal"]["loss"][-1] > 0.9 > runs["nearly equal"]["loss"][-1]
