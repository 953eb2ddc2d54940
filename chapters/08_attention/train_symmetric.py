"""Train both directions of translation together (`train.py --symmetry X`), so that their attentions agree."""

from __future__ import annotations

from pathlib import Path

import dynet as dy

from common.errors import UserError
from common.evaluation.perplexity import check_unknown_words
from common.search.translation import evaluate_pairs
from common.text.pair_batching import make_pair_batches
from common.training.alignment_report import report_alignments
from common.training.checkpoint import count_parameters
from common.training.loop import epoch_rng
from common.training.pairs import Pairs
from common.training.report import finish_training
from common.training.schedules import Schedule
from common.training.setup import Setup

from .model import AttentionalModel
from .objective import Objective, training_links
from .settings import Settings
from .symmetry import Backward


def train_symmetric(setup: Setup) -> None:
    """The loop of train.py with a second model, and an optimiser for each."""
    settings, log = setup.settings, setup.log
    sources, targets = setup.data.train_sources, setup.data.train_targets
    model = AttentionalModel.of_pairs(setup.data.source_vocab, setup.vocab, settings, sources, targets)
    links, origin = training_links(setup.corpus) if settings.supervised else (None, "")
    objective = Objective(model, settings, links)
    backward = Backward.begin(setup, links)
    schedule = Schedule.from_settings(settings)
    optimiser = setup.optimiser(model)
    companions = [optimiser, backward.training.parameters, backward.optimiser]
    training = setup.training(model, *companions)
    del backward.training.history[len(training.history) :]  # an epoch that is not in this checkpoint
    log(f"{model.name}; {count_parameters(training.parameters):,} parameters; writing to {setup.folder}")
    if links is not None:
        log(f"attention is supervised by {origin}")
    log(f"trained together with the other direction: {backward.model.name}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        backward.begin_epoch()
        meter = setup.meter(epoch, make_pair_batches(sources, targets, settings.batch_size, rng))
        for batch in meter:
            dy.renew_cg()
            loss, total, weights = objective(batch)
            meter.add(loss.scalar_value(), batch.target.predictions)
            total += backward.cost(batch.target.indices, weights)
            mean = total * (1 / len(batch.target.indices))
            mean.backward()
            for one in (optimiser, backward.optimiser):
                one.learning_rate = schedule(meter.epochs_done, training.history)
                one.update()
        dev = evaluate_pairs(model, setup.corpus.dev, settings.unk)
        record = meter.record(dev.perplexity, optimiser.learning_rate)
        other = backward.finish_epoch(record)  # first, so that it is in this direction's checkpoint
        improved = training.finish_epoch(record)
        log(record.line(improved))
        backward.setup.log(f"  backward {other}")

    backward.finish()
    finish_training(setup, model, training, report_alignments)


def check_other_direction(settings: Settings, data: Pairs) -> None:
    """Raises `UserError` where a model of the other direction cannot be trained."""
    if settings.resume and settings.run_dir and (Path(settings.run_dir).parent / "config.json").exists():
        raise UserError(f"{settings.run_dir} was trained together with another model; resume that one, a folder above")
    for split in ("dev", "test"):
        sources = [pair.source for pair in getattr(data.corpus, split)]
        check_unknown_words(sources, data.source_vocab, settings.unk, f"{split}.source")
