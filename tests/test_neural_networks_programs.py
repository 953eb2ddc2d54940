"""The program of chapter 3 as a user runs it: what it writes, resuming, and bad input."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from chapters.neural_networks import (
    model,
    plots,
    report as report_module,
    settings as settings_module,
    train as train_module,
    with_autodiff,
)
from common.chapters import chapter_module
from common.programs.chapters import CHAPTERS
from tests.programs import Call, error_line, leftovers, make_refused, metrics_of, run_program, run_python
from tools.experiment.runs import Training

CHAPTER = "03_neural_networks"
PICTURES = ["activations", "computation_graph", "decision_surface", "hidden_space", "learning_curve"]
FILES = sorted(
    [
        ".lock",
        "checkpoint.npz",
        "config.json",
        "log.txt",
        "metrics.json",
        "model.npz",
        *(f"{name}.png" for name in PICTURES),
    ]
)
KEYS = "chapter preset task engine seed settings versions parameters seconds epochs train test".split()
RUN_WITHOUT_DYNET = """
import runpy, sys
sys.argv = sys.argv[1:]
sys.path.insert(0, __import__("os").path.dirname(sys.argv[0]))
runpy.run_path(sys.argv[0], run_name="__main__")
sys.exit("DyNet was imported") if "dynet" in sys.modules else None
"""


@pytest.fixture
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "draw", lambda *arguments: None)


@pytest.fixture
def refused(call: Call, capsys: pytest.CaptureFixture) -> Callable[..., str]:
    return functools.partial(make_refused(call, capsys), "train")


def arrays_of(path: Path) -> list[np.ndarray]:
    with np.load(path, allow_pickle=False) as archive:
        return [archive[name] for name in sorted(archive.files) if name != "about"]


def comparable(run: Path) -> dict:
    metrics = metrics_of(run)
    del metrics["seconds"]
    for record in metrics["epochs"]:
        del record["seconds"]
    return metrics


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """`python train.py` without a flag, from the command line."""
    place = tmp_path_factory.mktemp("chapter3")
    train = str(CHAPTERS / CHAPTER / "train.py")
    result = run_python("-c", RUN_WITHOUT_DYNET, train, env={"COURSE_RUNS": str(place)}, fresh=True)
    assert result.returncode == 0, result.stderr
    return {"run": place / CHAPTER / "001", "stdout": result.stdout}


class TestTrain:
    @pytest.mark.slow
    def test_writes_a_whole_run(self, first_run: dict) -> None:
        run = first_run["run"]
        assert sorted(path.name for path in run.iterdir()) == FILES
        assert leftovers(run) == []
        for name in PICTURES:
            assert imread(run / f"{name}.png").std() > 0.01
        assert (run / "log.txt").read_text("utf-8") == first_run["stdout"]

    @pytest.mark.trains
    @pytest.mark.slow
    def test_learns_equality(self, first_run: dict) -> None:
        metrics = metrics_of(first_run["run"])
        assert set(KEYS) <= set(metrics)
        assert (metrics["chapter"], metrics["preset"], metrics["task"]) == (CHAPTER, "quick", "equality")
        assert [record["epoch"] for record in metrics["epochs"]] == list(range(1, 201))
        assert metrics["train"]["accuracy"] == metrics["test"]["accuracy"] == 1
        assert metrics["test"]["loss"] < 1e-6 and metrics["test"]["linear_loss"] == pytest.approx(1)
        assert "( 1, -1) -> -1.0000  (-1)" in first_run["stdout"]

    def test_figures_are_those_of_the_saved_network(self, call: Call, tmp_path: Path, without_pictures: None) -> None:
        call("train", "--preset", "spirals", "--epochs", 3, "--run-dir", tmp_path / "run")
        metrics, arrays = metrics_of(tmp_path / "run"), arrays_of(tmp_path / "run" / "model.npz")
        assert metrics["parameters"] == sum(array.size for array in arrays)
        task = chapter_module(CHAPTER, "tasks").make_task("spirals")
        for name, split in (("train", task.train), ("test", task.test)):
            W1, b1, W2, b2, W3, b3 = arrays
            y = W3 @ np.tanh(W2 @ np.tanh(W1 @ split.x + b1) + b2) + b3
            assert metrics[name]["loss"] == pytest.approx(((y - split.targets) ** 2).mean())
            assert metrics[name]["accuracy"] == np.mean(np.sign(y) == split.targets)
        assert metrics["train"]["loss"] == metrics["epochs"][-1]["loss"] != metrics["test"]["loss"]

    @pytest.mark.trains
    def test_engines_and_seeds(self, call: Call, tmp_path: Path, without_pictures: None) -> None:
        flags = ["--preset", "rings", "--epochs", 4, "--activation", "relu"]
        variants = {"numpy": [], "autodiff": ["--engine", "autodiff"], "dynet": ["--engine", "dynet"]}
        for name, more in {**variants, "again": [], "other": ["--seed", 2]}.items():
            call("train", *flags, *more, "--run-dir", tmp_path / name)
        losses = {run.name: [record["loss"] for record in metrics_of(run)["epochs"]] for run in tmp_path.glob("*")}
        assert losses["again"] == losses["numpy"]
        assert losses["autodiff"] == pytest.approx(losses["numpy"], rel=1e-9)
        assert losses["dynet"] == pytest.approx(losses["numpy"], abs=1e-5)
        assert abs(losses["other"][0] - losses["numpy"][0]) > 1e-3


class Recorder:
    """A network that keeps what it is given to learn from."""

    def __init__(self) -> None:
        self.batches: list[tuple[np.ndarray, np.ndarray]] = []

    def update(self, x: np.ndarray, targets: np.ndarray, learning_rate: float) -> None:
        assert learning_rate == 0.05
        self.batches.append((x, targets))


def test_an_epoch_gives_every_point_once_with_its_label_in_a_new_order() -> None:
    split = chapter_module(CHAPTER, "tasks").make_task("spirals").train
    orders = []
    for epoch in (1, 2, 1):
        network = Recorder()
        train_module.train_epoch(network, split, settings_module.Settings(batch_size=150), epoch)
        assert [x.shape[1] for x, _ in network.batches] == [150, 150, 100]
        arguments = np.concatenate([np.concatenate(pair) for pair in network.batches], axis=1)
        whole = np.concatenate(split)
        np.testing.assert_array_equal(arguments[:, np.lexsort(arguments)], whole[:, np.lexsort(whole)])
        orders.append(arguments)
    assert not np.array_equal(orders[0], orders[1]) and np.array_equal(orders[0], orders[2])


def test_the_seed_decides_where_training_starts_and_the_engine_does_not() -> None:
    def start(**settings) -> list[np.ndarray]:
        return train_module.make_network(settings_module.Settings(**settings)).arrays()

    for array, other in zip(start(seed=1), start(seed=2), strict=True):
        assert not np.isclose(array, other).any()
    for engine in ("autodiff", "dynet"):
        for array, other in zip(start(seed=2), start(seed=2, engine=engine), strict=True):
            np.testing.assert_allclose(array, other, atol=1e-7)


def test_how_often(capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    from chapters.neural_networks import how_often

    monkeypatch.setattr(how_often, "SIZES", (8,))
    monkeypatch.setattr(sys, "argv", ["how_often.py", "--seeds", "2", "--epochs", "60"])
    how_often.main()
    rows = capsys.readouterr().out.splitlines()
    assert [row.split() for row in rows[1:3]] == [["8"], ["tanh", "2"]]
    assert [row.split()[0] for row in rows[2:]] == ["tanh", "relu", "step"]
    monkeypatch.setattr(sys, "argv", ["how_often.py", "--seeds", "0"])
    with pytest.raises(SystemExit):
        how_often.main()
    assert "--seeds 0" in error_line(capsys.readouterr().err)


class Killed(KeyboardInterrupt):
    """Ctrl-C."""


@pytest.mark.parametrize("engine", ["numpy", "autodiff", "dynet"])
def test_an_interrupted_run_goes_on_as_if_nothing_had_been(
    engine: str, call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, without_pictures: None
) -> None:
    """Killed before the first checkpoint, and again after it, it still ends with the same figures and weights."""
    monkeypatch.setattr(train_module, "CHECKPOINT_EVERY", 3)
    flags = ["--engine", engine, "--epochs", 10, "--batch-size", 2]
    call("train", *flags, "--run-dir", tmp_path / "whole")
    real, calls = train_module.evaluate, []

    def evaluate(*arguments):
        calls.append(1)
        if len(calls) in (2, 9):
            raise Killed
        return real(*arguments)

    monkeypatch.setattr(train_module, "evaluate", evaluate)
    for start, more in enumerate([flags, ["--resume"]]):
        with pytest.raises(SystemExit) as stopped:
            call("train", *more, "--run-dir", tmp_path / "killed")
        assert stopped.value.code == 130
        assert (tmp_path / "killed" / "checkpoint.npz").exists() == bool(start)
    call("train", "--resume", "--run-dir", tmp_path / "killed")
    assert len(calls) == 2 + 7 + 4, "epoch 2 died, then 1 to 7, of which 7 died, then 7 to 10"
    assert comparable(tmp_path / "killed") == comparable(tmp_path / "whole")
    models = (arrays_of(tmp_path / name / "model.npz") for name in ("killed", "whole"))
    assert all(np.array_equal(*pair) for pair in zip(*models, strict=True))


def test_a_kill_while_the_pictures_are_drawn(call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is not finished then, but its table is in the log; resumed, it is."""
    training = Training("mine", CHAPTER, tmp_path / "run", ("--epochs", "2"))

    def draw(*arguments: object) -> None:
        if not resumed:
            raise Killed

    monkeypatch.setattr(report_module, "draw", draw)
    for resumed in (False, True):
        with nullcontext() if resumed else pytest.raises(SystemExit):
            call("train", *training.command()[1:])
        assert training.is_finished() == resumed
        assert (tmp_path / "run" / "log.txt").read_text("utf-8").count("the best linear model") == 1 + resumed


class TestBadInput:
    @pytest.mark.parametrize(
        "flags, message",
        [
            (["--hidden-size", "0"], "--hidden-size 0: must be at least 1"),
            (["--layers", "0"], "--layers 0: must be at least 1"),
            (["--learning-rate", "nan"], "--learning-rate nan"),
            (["--preset", "mnist"], "choose from quick, rings, spirals"),
            (["--task", "parity"], "parity"),
            (["--corpus", "village"], "--corpus"),
            (["--device", "gpu"], "add --engine dynet"),
            (["--engine", "dynet", "--activation", "step"], "use --engine numpy or autodiff"),
        ],
    )
    def test_one_line_and_nothing_written(
        self, flags: list[str], message: str, refused: Callable[..., str], tmp_path: Path
    ) -> None:
        assert message in refused(*flags, "--run-dir", tmp_path / "run")
        assert not (tmp_path / "run").exists()

    @pytest.mark.parametrize("engine", ["numpy", "dynet"])
    def test_a_loss_that_is_not_finite(self, engine: str, tmp_path: Path) -> None:
        """In a process of its own: DyNet cannot go on after a number that is none."""
        flags = ["--engine", engine, "--learning-rate", "1e6", "--activation", "relu", "--run-dir", str(tmp_path)]
        result = run_program("train", *flags, chapter=CHAPTER)
        assert result.returncode == 2
        line = error_line(result.stderr)
        assert re.search(r"epoch \d+: the loss is (nan|inf); the steps are too large; lower --learning-rate", line)
        assert not (tmp_path / "metrics.json").exists() and leftovers(tmp_path) == []

    def test_a_folder_that_holds_a_run(
        self, call: Call, refused: Callable[..., str], tmp_path: Path, without_pictures: None
    ) -> None:
        call("train", "--epochs", 1, "--run-dir", tmp_path / "run")
        assert "already contains a run" in refused("--run-dir", tmp_path / "run")
        assert "this run began with 1" in refused("--resume", "--run-dir", tmp_path / "run", "--epochs", 5)

    def test_a_checkpoint_of_another_network(
        self, call: Call, refused: Callable[..., str], tmp_path: Path, without_pictures: None
    ) -> None:
        call("train", "--epochs", 1, "--run-dir", tmp_path / "one")
        call("train", "--epochs", 1, "--hidden-size", 3, "--run-dir", tmp_path / "other")
        os.replace(tmp_path / "other" / "checkpoint.npz", tmp_path / "one" / "checkpoint.npz")
        line = refused("--resume", "--run-dir", tmp_path / "one")
        assert "1 x 3" in line and "1 x 8" in line

    def test_an_epoch_without_its_time(
        self, call: Call, refused: Callable[..., str], tmp_path: Path, without_pictures: None
    ) -> None:
        call("train", "--epochs", 1, "--run-dir", tmp_path / "run")
        with np.load(tmp_path / "run" / "checkpoint.npz") as saved:
            arrays = dict(saved)
        facts = next(name for name, array in arrays.items() if array.dtype.kind == "U")
        arrays[facts] = np.array(str(arrays[facts]).replace("seconds", "second"))
        np.savez(tmp_path / "run" / "checkpoint.npz", **arrays)
        assert "checkpoint.npz: its epochs are damaged" in refused("--resume", "--run-dir", tmp_path / "run")


class TestPictures:
    @pytest.mark.slow
    @pytest.mark.parametrize("size, layers, activation", [(1, 1, "tanh"), (3, 2, "step")])
    def test_of_unusual_networks(self, size: int, layers: int, activation: str, tmp_path: Path) -> None:
        network = model.MLP(model.initial_arrays(2, size, layers, np.random.default_rng(1)), activation)
        split = chapter_module(CHAPTER, "tasks").equality()
        for draw in (plots.hidden_space, plots.computation_graphs):
            draw(network, split, tmp_path / "picture.png")
            assert imread(tmp_path / "picture.png").std() > 0.01

    def test_a_plane_that_shows_what_the_output_layer_sees(self) -> None:
        """On the plane, y is exactly that of the hidden vector: nothing that the output layer reads is left out."""
        rng = np.random.default_rng(1)
        for size in (1, 2, 3, 7):
            hidden, w = rng.normal(size=(size, 20)), rng.normal(size=(1, size))
            origin, basis = plots.viewing_plane(hidden, w)
            seen = origin + basis @ (basis.T @ (hidden - origin))
            np.testing.assert_allclose(w @ seen, w @ hidden)
            if size > 1:
                np.testing.assert_allclose(basis.T @ basis, np.eye(2), atol=1e-12)

    def test_a_computation_graph_has_every_node_at_a_place_of_its_own(self) -> None:
        graph = with_autodiff.Graph()
        network = with_autodiff.AutodiffMLP(model.initial_arrays(2, 4, 3, np.random.default_rng(1)), "tanh")
        root = network.loss_node(graph, np.zeros((2, 5)), np.zeros((1, 5)))
        layout = plots.lay_out(root)
        assert set(layout) == set(graph.nodes)
        assert len(set(layout.values())) == len(layout)
        assert all(layout[node][1] > layout[argument][1] for node in layout for argument in node.arguments)
