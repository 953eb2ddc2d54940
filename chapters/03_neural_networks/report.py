"""What a run of chapter 3 prints and writes: the points before training, the numbers and the pictures after it."""

from __future__ import annotations

import dataclasses

import numpy as np

from common.files import as_json, write_json
from common.runtime import versions
from common.training.checkpoint import count_parameters
from common.training.runs import ABOUT_THE_RUN, Log

from . import plots
from .linear import least_squares, linear
from .model import squared_error
from .network import Network
from .settings import CHAPTER, Settings
from .tasks import Split, Task


def show_task(task: Task, log: Log) -> None:
    """The data first: how many points, and three of them."""
    sizes = ", ".join(f"{split.x.shape[1]} {name} points" for name, split in splits(task).items())
    log(f"task {task.name}: {sizes}")
    for (x1, x2), target in zip(task.train.x.T[:3], task.train.targets[0], strict=False):
        log(f"  | ({x1:6.3f}, {x2:6.3f}) is {target:2.0f}")


def splits(task: Task) -> dict[str, Split]:
    return {"train": task.train, "test": task.test}


def evaluate(network: Network, split: Split) -> dict:
    """The mean squared error (Neubig 2017, Eq. 36) and the share of points on the right side of y = 0."""
    return judge(network.outputs(split.x), split)


def judge(outputs: np.ndarray, split: Split) -> dict:
    """The same for given outputs (1, N)."""
    return {
        "loss": squared_error(split.targets, outputs) / outputs.size,
        "accuracy": float(((outputs > 0) == (split.targets > 0)).mean()),
    }


def finish_run(settings: Settings, network: Network, task: Task, history: list[dict], log: Log) -> dict:
    """Evaluate on both splits, print the table, draw, and last write metrics.json, whose content is returned."""
    W, b = least_squares(*task.train)
    metrics = {
        "chapter": CHAPTER,
        "preset": settings.preset,
        "task": settings.task,
        "engine": settings.engine,
        "seed": settings.seed,
        "settings": {name: value for name, value in dataclasses.asdict(settings).items() if name not in ABOUT_THE_RUN},
        "versions": versions(),
        "parameters": count_parameters(network),
        "seconds": round(sum(record["seconds"] for record in history), 3),
        "epochs": history,
    }
    for name, split in splits(task).items():
        metrics[name] = {"points": split.x.shape[1], **evaluate(network, split)}
        metrics[name]["linear_loss"] = judge(linear(W, b, split.x), split)["loss"]
    path = log.folder / "metrics.json"
    as_json(metrics, path)  # raises an error where a number is not finite: nothing is drawn
    show_results(metrics, network, task, log)
    draw(network, task, history, log)
    write_json(path, metrics)  # whoever finds it takes the run for finished
    return metrics


def show_results(metrics: dict, network: Network, task: Task, log: Log) -> None:
    """The table at the end, and the output for each point where there are few."""

    def row(label: str, name: str, form: str) -> None:
        log(f"{label:44}" + "".join(format(metrics[split][name], form) for split in ("train", "test")))

    log()
    log(f"{'':44}{'train':>10}{'test':>10}")
    row("points", "points", "10,")
    row("accuracy", "accuracy", "10.2%")
    row("mean squared error", "loss", "10.4f")
    row("  the best linear model", "linear_loss", "10.4f")
    log()
    if task.name == "equality":
        for (x1, x2), y, target in zip(
            task.test.x.T, network.outputs(task.test.x)[0], task.test.targets[0], strict=True
        ):
            log(f"  ({x1:2.0f}, {x2:2.0f}) -> {y:7.4f}  ({target:2.0f})")
        log()


def draw(network: Network, task: Task, history: list[dict], log: Log) -> None:
    """All pictures of a run."""
    plots.learning_curve(history, log.folder / "learning_curve.png")
    plots.decision_surface(network, task.train, log.folder / "decision_surface.png")
    plots.hidden_space(network, task.train, log.folder / "hidden_space.png")
    plots.computation_graphs(network, task.train, log.folder / "computation_graph.png")
    plots.activations(log.folder / "activations.png")
    log(f"pictures, numbers and the network are in {log.folder}")
