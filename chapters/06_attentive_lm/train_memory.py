"""The loop of train.py with --memory-states: the text is read in streams, and the memory kept between sentences."""

from __future__ import annotations

from functools import partial

import dynet as dy

from common.evaluation.streaming import evaluate_stream, report_stream
from common.runtime import epoch_rng
from common.text.streams import make_streams
from common.training.checkpoint import count_parameters
from common.training.report import finish_training
from common.training.schedules import Schedule
from common.training.setup import Setup

from .variants import make_model


def train(setup: Setup) -> None:
    """As `train.train`, by truncated back-propagation through time."""
    settings, log = setup.settings, setup.log
    train_ids = [sentence[: settings.max_length or None] for sentence in setup.data.train]
    start_bias = settings.start_bias(train_ids, len(setup.vocab))
    model = make_model(setup.vocab, settings, start_bias, setup.folder)
    schedule = Schedule.from_settings(settings)
    optimiser = setup.optimiser(model)
    training = setup.training(model, optimiser)
    log(f"{model.name}; {count_parameters(training.parameters):,} parameters; writing to {setup.folder}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        epoch_rng(settings.seed, epoch)  # for dropout; the order of a text is its own
        streams, carried = make_streams(train_ids, settings.batch_size, settings.bptt), None
        meter = setup.meter(epoch, streams, divisible=False)
        for batch in meter:
            dy.renew_cg()
            loss, carried = model.loss_from(batch, carried)
            meter.add(loss.scalar_value(), batch.predictions)
            mean_loss = loss * (1 / len(batch.indices))
            mean_loss.backward()
            optimiser.learning_rate = schedule(meter.epochs_done, training.history)
            optimiser.update()
        dev = evaluate_stream(model, setup.corpus.dev, settings.unk)
        record = meter.record(dev.perplexity, optimiser.learning_rate)
        improved = training.finish_epoch(record)
        log(record.line(improved))

    finish_training(setup, model, training, partial(report_stream, "memory"))
    log(f"      python chapters/{setup.chapter}/visualize.py --run {setup.folder}")
