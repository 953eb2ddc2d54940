"""The settings of chapter 3."""

from __future__ import annotations

from dataclasses import dataclass

from common.training.cli import ProgramSettings, setting

from .engines import ENGINES
from .model import ACTIVATIONS
from .tasks import TASKS

CHAPTER = "03_neural_networks"


@dataclass(frozen=True)
class Settings(ProgramSettings):
    """Every flag of train.py. The defaults learn when two numbers are equal, in a second."""

    epochs: int = setting(200, "passes over the training points", minimum=1)
    batch_size: int = setting(1, "points in a minibatch", minimum=1)
    task: str = setting("equality", "what to learn", choices=TASKS)
    engine: str = setting("numpy", "what computes the gradients", choices=ENGINES)
    hidden_size: int = setting(8, "units in a hidden layer", minimum=1, maximum=10_000)
    layers: int = setting(1, "hidden layers", minimum=1, maximum=20)
    activation: str = setting("tanh", "activation function of the hidden layers", choices=ACTIVATIONS)
    learning_rate: float = setting(0.05, "size of a step", minimum=1e-9)
