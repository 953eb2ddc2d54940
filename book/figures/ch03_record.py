"""`python -m book.figures.ch03_record`: train the small networks that the figures of chapter 3 show."""

from __future__ import annotations

import dataclasses

import numpy as np

from book.figures.ch03_data import LOCKSTEP, gradient_errors
from book.figures.recording import Recording
from chapters.neural_networks import how_often, model, report, settings as settings_module, tasks, train
from chapters.neural_networks.presets import PRESETS

CHAPTER = "03_neural_networks"
Settings = settings_module.Settings

EPOCHS, SEEDS = 200, 100
EVERY = 4
"""Epochs between two points of a curve."""
TWO_UNITS = 3
"""The seed with which two tanh units learn equality."""
SPIRALS = {"two layers of 16": {}, "one layer of 84": {"layers": 1, "hidden_size": 84}}


def settings_of(preset: str, epochs: int, **changed):
    """A preset's settings, trained at most for so many epochs."""
    settings = dataclasses.replace(Settings(), **{**PRESETS[preset], **changed})
    return dataclasses.replace(settings, epochs=min(settings.epochs, epochs))


def trained(settings, arrays: list[np.ndarray] | None = None):
    """The network after the last epoch, and its arrays after every `EVERY` epochs, before the first included.

    arrays: where training starts, if not where the seed says.
    """
    network, task = train.make_network(settings), tasks.make_task(settings.task)
    if arrays is not None:
        network.set_arrays(arrays)
    seen = [[array.copy() for array in network.arrays()]]
    for epoch in range(1, settings.epochs + 1):
        train.train_epoch(network, task.train, settings, epoch)
        if epoch % EVERY == 0:
            seen.append([array.copy() for array in network.arrays()])
    return network, seen


def losses(seen: list[list[np.ndarray]], task: str = "equality", activation: str = "tanh") -> list[float]:
    """The mean squared error of each of the networks with these arrays."""
    split = tasks.make_task(task).train
    return [report.evaluate(model.MLP(arrays, activation), split)["loss"] for arrays in seen]


def curves(epochs: int, seeds: int) -> dict[str, list[float]]:
    """Mean squared error of two tanh units by epoch, for seeds 1, 2, ..."""
    return {str(seed): losses(trained(settings_of("quick", epochs, hidden_size=2, seed=seed))[1])
            for seed in range(1, seeds + 1)}  # fmt: skip


def lockstep(epochs: int) -> dict[str, dict]:
    """Four units that start equal, and four that differ by up to 0.01: the loss and their first weights by epoch."""
    rng, runs = np.random.default_rng(1), {}
    for name, noise in (("equal", 0.0), ("nearly equal", 0.01)):
        start = [np.full(array.shape, value) + noise * rng.uniform(-1, 1, array.shape)
                 for array, value in zip(model.initial_arrays(2, 4, 1, rng), LOCKSTEP, strict=True)]  # fmt: skip
        _, seen = trained(settings_of("quick", epochs, hidden_size=4), start)
        runs[name] = {"loss": losses(seen), "weights": [arrays[0][:, 0].tolist() for arrays in seen]}
    return runs


def counts(epochs: int, seeds: int) -> dict[str, list[int]]:
    """How many of so many seeds learn equality, by activation function and hidden size: what how_often.py prints."""
    with np.errstate(over="ignore", invalid="ignore"):
        return {name: [how_often.successes(settings_of("quick", epochs, activation=name, hidden_size=size), seeds)
                       for size in how_often.SIZES] for name in model.ACTIVATIONS}  # fmt: skip


def spirals(epochs: int, seeds: int) -> tuple[dict[str, list[float]], dict[str, list]]:
    """Test accuracy on the spirals with seeds 1, 2, ..., and the arrays of seed 1, by depth and activation function."""
    test, accuracies, arrays = tasks.make_task("spirals").test, {}, {}
    for depth, changed in SPIRALS.items():
        for activation in ("tanh", "relu"):
            name = f"{activation}, {depth}"
            networks = [trained(settings_of("spirals", epochs, activation=activation, seed=seed, **changed))[0]
                    for seed in range(1, seeds + 1)]  # fmt: skip
            accuracies[name] = [report.evaluate(network, test)["accuracy"] for network in networks]
            arrays[name] = networks[0].arrays()
    return accuracies, {name: arrays[f"tanh, {name}"] for name in SPIRALS}


def measure(epochs: int = 500, seeds: int = SEEDS) -> tuple[dict, dict]:
    """Settings and numbers: everything, or a little of it for a test. epochs, seeds: at most so many."""
    few = min(epochs, EPOCHS)
    accuracies, deep = spirals(epochs, min(seeds, 5))
    numbers = {
        "every": EVERY,
        "curves": curves(few, min(seeds, 8)),
        "two_units": trained(settings_of("quick", few, hidden_size=2, seed=TWO_UNITS))[1],
        "lockstep": lockstep(few),
        "rings": trained(settings_of("rings", epochs))[0].arrays(),
        "spirals": deep,
        "accuracies": accuracies,
        "seeds": seeds,
        "sizes": list(how_often.SIZES),
        "counts": counts(few, seeds),
        "gradient_errors": gradient_errors(),
    }
    settings = {"equality": dataclasses.asdict(settings_of("quick", few)), "rings": PRESETS["rings"],
                "spirals": PRESETS["spirals"], "one layer": SPIRALS["one layer of 84"]}  # fmt: skip
    return settings, numbers


RECORDING = Recording(CHAPTER, "python -m book.figures.ch03_record", lambda _: measure())

if __name__ == "__main__":
    RECORDING.main(__doc__)
