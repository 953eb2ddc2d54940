"""What chapter 3's lesson prints and draws: its cells beside the course's graph, and the recorded networks."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

from book.figures import ch03, ch03_data, ch03_record
from book.lessons import ROOT
from book.lessons.cells import namespace
from chapters.neural_networks import by_hand, model, report, tasks

LESSON = namespace("03")


@pytest.mark.equation("neubig2017", 39, 40)
def test_the_cells_compute_what_the_course_s_graph_does() -> None:
    graph = ch03_data.graph()
    values = {"h'": "pre_activation", "h": "h", "y": "y", "loss": "loss"}
    derivatives = {"y": "d_y", "w_hy": "d_w_hy", "h": "d_h", "W_xh": "d_W_xh"}
    derivatives |= dict.fromkeys(("h'", "b_h"), "d_pre_activation")
    for node, name in values.items():
        np.testing.assert_allclose(graph[node].value.ravel(), np.ravel(LESSON[name]), rtol=1e-12)
    for node, name in derivatives.items():
        np.testing.assert_allclose(graph[node].gradient.ravel(), np.ravel(LESSON[name]), rtol=1e-12)
    assert LESSON["x"].tolist() == ch03_data.POINT.ravel().tolist() and LESSON["label"] == ch03_data.LABEL.item()


def test_the_step_is_the_course_s() -> None:
    network = model.MLP(ch03_data.start(), "tanh")
    network.update(ch03_data.POINT, ch03_data.LABEL, 0.05)
    for array, name in zip(network.arrays(), ("W_new", "b_h_new", "w_new", "b_y_new"), strict=True):
        np.testing.assert_allclose(array.ravel(), np.ravel(LESSON[name]), rtol=1e-12)
    assert LESSON["y_new"] == pytest.approx(network.outputs(ch03_data.POINT).item())


def test_the_network_by_hand_is_the_course_s() -> None:
    for array, name in zip(by_hand.EQUALITY_BY_HAND, ("W", "b", "w", "c"), strict=True):
        assert array.ravel().tolist() == np.ravel(LESSON[name]).tolist()
    x, targets = tasks.equality()
    assert x.T.tolist() == LESSON["points"].tolist() and targets[0].tolist() == LESSON["labels"].tolist()
    np.testing.assert_array_equal(model.MLP(by_hand.EQUALITY_BY_HAND, "step").outputs(x)[0], LESSON["y_hand"])


def test_the_best_sum_of_votes_costs_what_a_coin_does() -> None:
    assert LESSON["cost"](LESSON["EXCLUSIVE_OR"], LESSON["fit"]) == pytest.approx(math.log(2), abs=1e-3)


def test_finite_differences_find_the_wrong_derivative_and_only_that() -> None:
    errors = {name: dict(zip(ch03_data.WIDTHS, values, strict=True))
              for name, values in ch03_data.gradient_errors().items()}  # fmt: skip
    assert errors["both sides"][1e-5] < -9 < -6 < errors["one side"][1e-5]
    for width, slope in ((1e-2, 2), (1e-3, 2)):
        assert errors["both sides"][10 * width] - errors["both sides"][width] == pytest.approx(slope, abs=0.1)
    assert all(error > 0 for error in errors["both sides, wrong derivative"].values())


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
