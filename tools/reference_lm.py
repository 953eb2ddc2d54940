"""Train the attentive language model of chapter 6 in PyTorch: `python -m tools.reference_lm --help`.

An independent check of the training procedure: the model is the benchmark's PyTorch model, with `nn.LSTM`,
PyTorch's gradients and PyTorch's optimisers. Flags, presets, data, batches, schedule, first weights and the
computation of perplexity are chapter 6's, so that a difference in results is one of the training itself.
Two differences are known: PyTorch adds Adam's epsilon after the correction for the first steps, DyNet before it; and
Adam's running means begin anew with each epoch here, since a checkpoint holds the parameters alone.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from chapters.attentive_lm import settings as chapter
from common.chapters import chapter_module
from common.errors import UserError, exits_cleanly
from common.evaluation.perplexity import evaluate
from common.files import write_json
from common.runtime import epoch_rng
from common.text.batching import Batch, make_batches
from common.text.vocab import Vocabulary
from common.training.checkpoint import count_parameters
from common.training.cli import parse_settings, setting
from common.training.loop import Meter, Training
from common.training.report import report_run
from common.training.schedules import Schedule
from common.training.setup import Setup, begin
from common.training.start_bias import log_frequencies
from common.training.text import Text

if TYPE_CHECKING:
    from tools.bench.reference import TorchSide

NAME, ABOUT = "reference_lm", "Train chapter 6's model in PyTorch."


@dataclass(frozen=True)
class Settings(chapter.Settings):
    """Chapter 6's flags. Both accountings are always reported."""

    threads: int = setting(1, "threads of PyTorch", minimum=1)
    accounting: str = setting(
        "salton2017", "salton2017: also print perplexity as that paper computes it", choices=("salton2017",)
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.device != "cpu" or self.from_:
            raise UserError("--device and --from are not for the reference model; leave them out")
        if (self.dropout_kind, self.weight_decay, self.average_epochs) != ("zaremba", 0, 1):
            flags = "--dropout-kind, --weight-decay and --average-epochs"
            raise UserError(f"{flags} are not for the reference model; leave them out, and presets that have them")
        if self.memory_states or self.divides_states or self.scores_few or self.data_parallel:
            flags = "--softmax, --memory-states, --parts, --merge-layer and --data-parallel"
            raise UserError(f"{flags} are not for the reference model; leave them out")


class ReferenceLM:
    """The model in PyTorch, with the methods that training and evaluation call."""

    def __init__(self, vocab: Vocabulary, settings: Settings, log_frequencies: np.ndarray | None = None):
        """It starts with the parameters of chapter 6's model. log_frequencies: (V,), see there."""
        from tools.bench import language_models_torch
        from tools.bench.language_models import Attentive
        from tools.bench.reference import TorchSide

        start = chapter_module("06_attentive_lm", "model").AttentiveLM.from_settings(settings, vocab, log_frequencies)
        self.vocab, self.name = vocab, f"{start.name}, in PyTorch"
        model = language_models_torch.Attentive(
            len(vocab), settings.hidden_size, settings.layers, settings.score, settings.dropout
        )
        clip = settings.clip or math.inf
        self.side: TorchSide = TorchSide(model, Attentive(start).parameters(), settings.learning_rate, clip)

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | words before it) in nats, (time, batch), without dropout; 0 on padding."""
        with self.side.inference():
            losses = self.side.model(*self.side.model.inputs(batch), reduction="none")
        return -losses.numpy().reshape(batch.targets.shape)

    def arrays(self) -> list[np.ndarray]:
        """Every trained number, for checkpoints."""
        return [tensor.detach().numpy().copy() for tensor in self.side.trained]

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None:
        import torch

        for tensor, array in zip(self.side.trained, arrays, strict=True):
            tensor.data.copy_(torch.from_numpy(array))


def optimisers() -> dict[str, Callable[[Sequence[Any], Settings], Any]]:
    """PyTorch's optimisers by the names of --optimiser."""
    import torch

    return {
        "adam": lambda trained, settings: torch.optim.Adam(trained, settings.learning_rate, eps=settings.epsilon),
        "sgd": lambda trained, settings: torch.optim.SGD(trained, settings.learning_rate),
    }


def train(setup: Setup) -> None:
    """Train until the epochs or the patience are used up, and report on the best model."""
    import torch

    settings, log = setup.settings, setup.log
    torch.set_num_threads(settings.threads)
    train_ids = [setup.vocab.encode(sentence)[: settings.max_length or None] for sentence in setup.corpus.train]
    start_bias = log_frequencies(train_ids, len(setup.vocab)) if settings.bias == "unigram" else None
    model = ReferenceLM(setup.vocab, settings, start_bias)
    schedule = Schedule.from_settings(settings)
    training = Training.begin(setup.folder, model, model.name, settings.resume)
    log(f"{model.name}; {count_parameters(model):,} parameters; writing to {setup.folder}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        meter = Meter(epoch, make_batches(train_ids, settings.batch_size, rng))
        torch.manual_seed(int(rng.integers(2**31)))
        model.side.optimiser = optimisers()[settings.optimiser](model.side.trained, settings)
        for batch in meter:
            rate = schedule(meter.epochs_done, training.history)
            model.side.optimiser.param_groups[0]["lr"] = rate
            meter.add(model.side.train_batch(batch), batch.predictions)
        dev = evaluate(model, setup.corpus.dev, settings.unk)
        record = meter.record(dev.perplexity, rate)
        log(record.line(improved=training.finish_epoch(record)))

    def add_version(setup: Setup, model: ReferenceLM, metrics: dict[str, Any]) -> None:
        metrics["versions"]["torch"] = torch.__version__

    training.roll_back()
    metrics = report_run(setup, model, count_parameters(model), training.history, [add_version])
    log(f"the best model is of epoch {training.best['epoch']}; everything is in {setup.folder}")
    write_json(setup.folder / "metrics.json", metrics)


@exits_cleanly
def main() -> None:
    parse_settings(Settings, chapter.CHAPTER, ABOUT)  # --help, and what is wrong with flags, come before PyTorch
    if importlib.util.find_spec("torch") is None:
        raise UserError("the reference model needs PyTorch: pip install torch")
    train(begin(Text, NAME, Settings, ABOUT, presets=chapter.CHAPTER))


if __name__ == "__main__":
    main()
