"""How often does training learn equality? It depends on where training starts, so many seeds are tried.

python chapters/03_neural_networks/how_often.py
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import dataclasses

import numpy as np

from common.errors import OneLineParser, UserError, exits_cleanly
from common.programs.arguments import check_most
from common.text.vocab import counted

from .model import ACTIVATIONS
from .report import evaluate
from .settings import Settings
from .tasks import make_task
from .train import make_network, train_epoch

SIZES = (2, 3, 4, 8)


def learns(settings: Settings) -> bool:
    """Whether the network has all four points on the right side after the last epoch."""
    network, task = make_network(settings), make_task("equality")
    for epoch in range(1, settings.epochs + 1):
        train_epoch(network, task.train, settings, epoch)
    return evaluate(network, task.train)["accuracy"] == 1


def successes(settings: Settings, seeds: int) -> int:
    """How many of the seeds 1, 2, ... learn."""
    return sum(learns(dataclasses.replace(settings, seed=seed)) for seed in range(1, seeds + 1))


@exits_cleanly
def main() -> None:
    parser = OneLineParser(description="How many seeds learn equality, by activation function and hidden size.")
    parser.add_argument("--seeds", type=int, default=100, metavar="N", help="seeds 1 to N (default: 100)")
    parser.add_argument("--epochs", type=int, default=200, metavar="N", help="passes over the points (default: 200)")
    parser.add_argument("--learning-rate", type=float, default=0.05, metavar="X", help="size of a step (default: 0.05)")
    arguments = parser.parse_args()
    check_most(arguments)
    if arguments.seeds < 1:
        raise UserError(f"--seeds {arguments.seeds}: must be at least 1")
    settings = Settings(epochs=arguments.epochs, learning_rate=arguments.learning_rate)
    print(f"how many of {counted(arguments.seeds, 'seed')} learn equality, by hidden size")
    print("      " + "".join(f"{size:6}" for size in SIZES))
    for activation in ACTIVATIONS:
        print(f"{activation:6}", end="", flush=True)
        for size in SIZES:
            variant = dataclasses.replace(settings, activation=activation, hidden_size=size)
            with np.errstate(over="ignore", invalid="ignore"):  # a loss that grows without limit is no success
                print(f"{successes(variant, arguments.seeds):6}", end="", flush=True)
        print()


if __name__ == "__main__":
    main()
