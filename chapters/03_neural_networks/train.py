"""Train a multi-layer perceptron: `python chapters/03_neural_networks/train.py --help`."""

import runpy
import time
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import numpy as np
from tqdm import tqdm

from common.errors import UserError, exits_cleanly
from common.files import reading
from common.runtime import epoch_rng
from common.training import cli
from common.training.checkpoint import CHECKPOINT, can_resume, check_loss, save_parameters
from common.training.runs import Log, begin_run, lock_run, new_run

from .engines import ENGINES
from .model import initial_arrays
from .network import Network
from .report import evaluate, finish_run, show_task
from .settings import CHAPTER, Settings
from .tasks import Split, Task, make_task

CHECKPOINT_EVERY = 50
"""Epochs between two checkpoints: an epoch takes milliseconds, and so does writing one."""
RECORD = ("epoch", "loss", "accuracy", "seconds")
"""What the record of an epoch contains."""
LINES = 10
"""About how many epochs have a line in the log: 10 to 19 of a run of 10 or more."""


def make_network(settings: Settings) -> Network:
    """The network that the settings describe, where training starts, with its gradients from the chosen engine."""
    rng = np.random.default_rng(settings.seed)
    arrays = initial_arrays(2, settings.hidden_size, settings.layers, rng)
    return ENGINES[settings.engine](arrays, settings.activation)


def train_epoch(network: Network, split: Split, settings: Settings, epoch: int) -> None:
    """One pass over the points in a new order, an update for each minibatch."""
    order = epoch_rng(settings.seed, epoch).permutation(split.x.shape[1])
    for start in range(0, len(order), settings.batch_size):
        batch = order[start : start + settings.batch_size]
        network.update(split.x[:, batch], split.targets[:, batch], settings.learning_rate)


def train(settings: Settings, network: Network, task: Task, folder: Path, log: Log) -> list[dict]:
    """Train for all the epochs that are left; the record of each epoch, those before a resumption included."""
    name = f"MLP, {settings.layers} x {settings.hidden_size}, {settings.activation}"
    checkpoint = folder / CHECKPOINT
    resumed = settings.resume and can_resume(folder)
    history = read_history(checkpoint, network, name) if resumed else []
    log(f"{name}; engine {settings.engine}; {sum(array.size for array in network.arrays()):,} parameters")

    progress = tqdm(total=settings.epochs, initial=len(history), unit="epoch", leave=False, disable=None)
    for epoch in range(len(history) + 1, settings.epochs + 1):
        started = time.perf_counter()
        train_epoch(network, task.train, settings, epoch)
        figures = evaluate(network, task.train)
        check_loss(figures["loss"], epoch)
        history.append({"epoch": epoch, **figures, "seconds": time.perf_counter() - started})
        if epoch % CHECKPOINT_EVERY == 0 or epoch == settings.epochs:
            save_parameters(checkpoint, network, {"model": name, "history": history})
        progress.update()
        progress.set_postfix(loss=f"{figures['loss']:.4f}", refresh=False)
        if epoch % max(settings.epochs // LINES, 1) == 0:
            log(f"epoch {epoch:4}  mean squared error {figures['loss']:8.5f}  accuracy {figures['accuracy']:7.2%}")
    progress.close()
    save_parameters(folder / "model.npz", network, {"model": name, "history": history})
    return history


def read_history(path: Path, network: Network, name: str) -> list[dict]:
    """The records in a checkpoint, whose numbers the network gets. Raises `UserError` where something is missing."""
    from common.training.loading import load_parameters

    facts = load_parameters(path, network, name)
    with reading(path, "no such file", "its epochs are damaged; take another copy"):
        return [{name: record[name] for name in RECORD} for record in facts["history"]]


@exits_cleanly
def main() -> None:
    settings, flags = cli.parse_settings(Settings, CHAPTER, "Train a multi-layer perceptron on points of the plane.")
    choose = new_run
    if settings.resume:
        from common.training.past_runs import past_run as choose
    folder, settings = choose(CHAPTER, settings, flags)
    if settings.engine != "dynet" and settings.device == "gpu":
        raise UserError(f"--device gpu: --engine {settings.engine} computes on the CPU; add --engine dynet")
    network, task = make_network(settings), make_task(settings.task)
    lock_run(folder)
    begin_run(folder, CHAPTER, settings)
    log = Log(folder)
    show_task(task, log)
    with np.errstate(over="ignore", invalid="ignore"):  # a loss that is not finite is reported in one line
        history = train(settings, network, task, folder, log)
    finish_run(settings, network, task, history, log)


if __name__ == "__main__":
    main()
