"""Train by maximum likelihood, then by what translations cost: `python chapters/10_beyond/train.py --help`."""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from typing import Any

import numpy as np

from common.errors import exits_cleanly
from common.nn.parameters import DynetParameters
from common.runtime import epoch_rng
from common.text.pairs import PairBatch, make_pair_batches
from common.training.checkpoint import count_parameters
from common.training.pairs import Pairs
from common.training.report import finish_training
from common.training.schedules import Schedule
from common.training.setup import Setup, begin

from .gain import BleuTraining, record_epoch
from .networks import new_model
from .objectives import OBJECTIVES
from .settings import CHAPTER, Settings


def train(setup: Setup) -> None:
    """Train in two phases until the epochs or the patience are used up, and report on the best model."""
    settings, log = setup.settings, setup.log
    if settings.start_from:
        from .past_model import continue_model

        model = continue_model(setup.folder, settings)
    else:
        model = new_model(setup)
    optimiser = setup.optimiser(model)
    training = BleuTraining.begin(setup.folder, DynetParameters(model), model.name, settings.resume, optimiser)
    first, last = settings.phase_one, settings.epochs
    fall = settings.decay, settings.decay_start
    phases = (
        Schedule(settings.schedule, settings.learning_rate, first, *fall, settings.warm_up),
        Schedule(settings.schedule, settings.objective_rate, last - first, *fall),
    )
    log(f"{model.name}; {count_parameters(training.parameters):,} parameters; writing to {setup.folder}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        second = epoch > first
        schedule, epochs_before = (phases[1], first) if second else (phases[0], 0)
        if epoch == first + 1:
            training.keep_before()
            log(f"from epoch {epoch} on: {settings.objective}, on {100 * settings.share:g}% of the pairs per epoch")
        objective = OBJECTIVES[settings.objective if second else "likelihood"]
        meter = setup.meter(epoch, batches_of(setup, model, settings.share if second else 1.0, rng))
        for batch in meter:
            done = meter.epochs_done - epochs_before
            cost = objective(model, settings, batch, done / max(last - first, 1), rng)
            meter.add(cost.loss.scalar_value(), batch.target.predictions)
            mean_cost = cost.total * (1 / len(batch.target.indices))
            mean_cost.backward()
            optimiser.learning_rate = schedule(done, training.history[epochs_before:])
            optimiser.update()
        record = record_epoch(setup, model, meter, optimiser.learning_rate)
        improved = training.finish_epoch(record)
        log(record.line(improved))

    reports = [training.report_gain]
    if is_multilingual(setup.data):
        from .directions import report_directions

        reports.insert(0, report_directions)
    finish_training(setup, model, training, *reports)


def batches_of(setup: Setup, model: Any, share: float, rng: np.random.Generator) -> list[PairBatch]:
    """A share of the training pairs, drawn anew each epoch, in batches; their words by the numbers of the model."""
    pairs = setup.corpus.train
    if share < 1:
        pairs = [pairs[index] for index in rng.permutation(len(pairs))[: max(int(share * len(pairs)), 1)]]
    sources = [model.source_vocab.encode(pair.source) for pair in pairs]
    targets = [model.vocab.for_source(pair.source).encode(pair.target) for pair in pairs]
    return make_pair_batches(sources, targets, setup.settings.batch_size, rng)


def is_multilingual(data: Pairs) -> bool:
    """Whether the pairs are of several directions of translation, with files that say of which each is."""
    return (data.words.folder / "test.directions").exists()


def check(settings: Settings, data: Pairs) -> None:
    """Raises `UserError` for what would only be read after training has begun: another run, and directions."""
    if settings.start_from:
        from .past_model import check_start

        check_start(settings, data)
    if is_multilingual(data):
        from .directions import by_split

        by_split(data.words)


@exits_cleanly
def main() -> None:
    description = "Train a translation model by maximum likelihood, then by what its translations cost."
    train(begin(Pairs, CHAPTER, Settings, description, check))


if __name__ == "__main__":
    main()
