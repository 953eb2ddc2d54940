"""The side of a benchmark that runs on DyNet."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from common import runtime
from common.chapters import chapter_module
from tools.bench.decoding import decoded_steps
from tools.bench.workloads import CLIP, LEARNING_RATE, BenchSettings, Workload, predicted

if TYPE_CHECKING:
    import dynet as dy

    from tools.bench.reference import TorchSide


def training_flops(products: float) -> float:
    """Floating-point operations, forward and backward, of so many multiplications in the forward pass.

    A product of (m, k) and (k, n) is 2mkn operations, and the backward pass has two such products for each of the
    forward pass, hence three times.
    """
    return 3 * 2 * products


class DyNetSide:
    """A benchmark, and its side on DyNet: the training steps of a chapter's train.py, its log-probabilities, the steps
    of greedy search.

    name: of the benchmark. model_class: what the chapter calls its model. description: of the model, with the names of
    settings in braces. shape: the settings that the PyTorch reference model, the class of this name in MODULE_torch.py,
    needs beside the sizes.
    """

    name: str
    description: str
    chapter: str
    model_class: str
    shape: tuple[str, ...] = ("layers",)
    Settings: type[BenchSettings]

    def __init__(self, model: Any, learning_rate: float = LEARNING_RATE, clip: float = CLIP):
        from common.nn.optimiser import make_optimiser

        self.model = model
        self.optimiser = make_optimiser("sgd", model.collection, clip)
        self.optimiser.learning_rate = learning_rate

    @classmethod
    def title(cls, settings: Any) -> str:
        """What is measured, for the head of the table."""
        return f"{cls.description.format(**asdict(settings))}: {settings.size}"

    @classmethod
    def make_workload(cls, settings: Any) -> Workload:
        """The batches of a round."""
        raise NotImplementedError

    @classmethod
    def flops_per_token(cls, settings: Any, workload: Any) -> float:
        """Floating-point operations of the matrix products for one real prediction, forward and backward.

        What is computed on padding is not counted.
        """
        raise NotImplementedError

    @classmethod
    def make_model(cls, settings: Any) -> Any:
        """The chapter's model, where DyNet is set up already."""
        raise NotImplementedError

    @classmethod
    def make(cls, settings: Any) -> DyNetSide:
        """The DyNet side, in a process that has not imported DyNet yet."""
        runtime.seed_dynet(settings.seed)
        return cls(cls.make_model(settings))

    @classmethod
    def part_of_chapter(cls, name: str) -> Any:
        """A module of the chapter."""
        return chapter_module(cls.chapter, name)

    @classmethod
    def reference_class(cls) -> Any:
        """The same model in PyTorch."""
        return getattr(importlib.import_module(f"{cls.__module__}_torch"), cls.__name__)

    @classmethod
    def make_torch(cls, settings: Any, parameters: Mapping[str, np.ndarray]) -> TorchSide:
        """The PyTorch side, with the parameters of the other."""
        from tools.bench.reference import make_side

        return make_side(settings, cls.make_reference(settings, parameters), parameters)

    def named(self) -> dict[str, dy.Parameters | dy.LookupParameters]:
        """The parameters of the model by their places in it, as layers_0_W_x; one that is tied is there once."""
        from common.nn.parameters import named_parameters

        names: dict[str, tuple[str, Any]] = {}
        for path, parameter in named_parameters(self.model):
            names.setdefault(parameter.name(), (path.replace(".", "_"), parameter))
        return dict(names.values())

    def parameters(self) -> dict[str, np.ndarray]:
        """The same as arrays."""
        return {name: parameter.as_array() for name, parameter in self.named().items()}

    def loss(self, batch: Any) -> dy.Expression:
        """The summed loss of a batch in nats, with dropout."""
        return self.model.loss(batch)

    def start(self, batch: Any) -> Any:
        """The state before the first word of each row of a batch."""
        raise NotImplementedError

    def loss_without_dropout(self, batch: Any) -> float:
        """The summed loss of a batch in nats, to compare the sides."""
        return -self.evaluate_batch(batch)

    def train_batch(self, batch: Any) -> float:
        """One step of training; the batch's summed loss in nats."""
        import dynet as dy

        dy.renew_cg()
        loss = self.loss(batch)
        value = loss.scalar_value()
        mean_loss = loss * (1 / len(predicted(batch).indices))
        mean_loss.backward()
        self.optimiser.update()
        return value

    def evaluate_batch(self, batch: Any) -> float:
        """log P of all sentences that are predicted, summed, in nats, without dropout."""
        return float((self.model.log_probs(batch) * predicted(batch).mask).sum(dtype=np.float64))

    def decode_batch(self, batch: Any) -> float:
        """The most probable next word, as many times as the batch's longest sentence has; the sum of log P, in nats."""
        steps, rows = predicted(batch).targets.shape
        return decoded_steps(self.model, self.start(batch), rows, steps)
