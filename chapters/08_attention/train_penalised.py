"""Train with penalties on the attention (`train.py --fertility X`, `--supervised X`), or both directions of translation
together (`--symmetry X`), so that their attentions agree."""

from __future__ import annotations

import dynet as dy

from common.runtime import epoch_rng
from common.search.translation import evaluate_pairs
from common.text.pairs import make_pair_batches
from common.training.alignment_report import report_alignments
from common.training.checkpoint import count_parameters
from common.training.report import finish_training
from common.training.schedules import Schedule
from common.training.setup import Setup

from .model import AttentionalModel
from .objective import Objective, training_links
from .symmetry import Backward


def train_penalised(setup: Setup) -> None:
    """The loop of train.py with penalties and, with --symmetry, a second model and an optimiser for each."""
    settings, log = setup.settings, setup.log
    sources, targets = setup.data.train_sources, setup.data.train_targets
    model = AttentionalModel.of_pairs(setup.data.source_vocab, setup.vocab, settings, sources, targets)
    links, origin = training_links(setup.corpus) if settings.supervised else (None, "")
    objective = Objective(model, settings, links)
    backward = Backward.begin(setup, links) if settings.symmetry else None
    schedule = Schedule.from_settings(settings)
    optimiser = setup.optimiser(model)
    training = setup.training(model, optimiser, *(backward.companions if backward else ()))
    log(f"{model.name}; {count_parameters(training.parameters):,} parameters; writing to {setup.folder}")
    if links is not None:
        log(f"attention is supervised by {origin}")
    if backward:
        del backward.training.history[len(training.history) :]  # an epoch that is not in this checkpoint
        log(f"trained together with the other direction: {backward.model.name}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        if backward:
            backward.begin_epoch()
        meter = setup.meter(epoch, make_pair_batches(sources, targets, settings.batch_size, rng))
        for batch in meter:
            dy.renew_cg()
            loss, total, weights = objective(batch)
            meter.add(loss.scalar_value(), batch.target.predictions)
            if backward:
                total += backward.cost(batch.target.indices, weights)
            mean = total * (1 / len(batch.target.indices))
            mean.backward()
            for each in (optimiser, backward.optimiser) if backward else (optimiser,):
                each.learning_rate = schedule(meter.epochs_done, training.history)
                each.update()
        dev = evaluate_pairs(model, setup.corpus.dev, settings.unk)
        record = meter.record(dev.perplexity, optimiser.learning_rate)
        line = backward.finish_epoch(record) if backward else ""  # first, so that it is in this direction's checkpoint
        improved = training.finish_epoch(record)
        log(record.line(improved))
        if backward:
            backward.setup.log(f"  backward {line}")

    if backward:
        backward.finish()
    finish_training(setup, model, training, report_alignments)
