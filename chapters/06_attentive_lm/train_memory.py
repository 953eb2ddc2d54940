"""The loop of train.py with --memory-states: the text is read in streams, and the memory kept between sentences."""

from __future__ import annotations

import dynet as dy

from common.evaluation.streaming import evaluate_stream
from common.files import write_json
from common.nn.optimiser import make_optimiser
from common.nn.parameters import DynetParameters
from common.text.streams import make_streams
from common.training.checkpoint import Training, count_parameters
from common.training.loop import Meter, Schedule, epoch_rng
from common.training.report import finish_training
from common.training.setup import SPLITS, Setup

from .model import make_model


def train(setup: Setup) -> None:
    """As `train.train`, by truncated back-propagation through time."""
    settings, log = setup.settings, setup.log
    train_ids = [sentence[: settings.max_length or None] for sentence in setup.data.train]
    start_bias = settings.start_bias(train_ids, len(setup.vocab))
    model = make_model(setup.vocab, settings, start_bias, setup.folder)
    schedule = Schedule.from_settings(settings)
    optimiser = make_optimiser(settings.optimiser, model.collection, settings.clip, settings.epsilon)
    training = Training.begin(setup.folder, DynetParameters(model), model.name, settings.resume, optimiser)
    log(f"{model.name}; {count_parameters(training.parameters):,} parameters; writing to {setup.folder}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        epoch_rng(settings.seed, epoch)  # for dropout; the order of a text is its own
        meter, carried = Meter(epoch, make_streams(train_ids, settings.batch_size, settings.bptt)), None
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

    metrics = finish_training(setup, model, training)
    for split in SPLITS[1:]:
        kept = evaluate_stream(model, getattr(setup.corpus, split), settings.unk).perplexity
        metrics[split]["stream_perplexity"] = kept
        log(f"perplexity on {split} with the memory kept: {kept:.2f}")
    write_json(setup.folder / "metrics.json", metrics)
    log(f"      python chapters/{setup.chapter}/visualize.py --run {setup.folder}")
