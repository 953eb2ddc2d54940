"""Train a recurrent language model: `python chapters/05_rnn_lm/train.py --help`."""

import runpy
from functools import partial
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import dynet as dy

from common.errors import exits_cleanly
from common.evaluation.perplexity import evaluate
from common.nn.arrays import detach
from common.runtime import epoch_rng
from common.text.batching import make_batches
from common.training.checkpoint import count_parameters
from common.training.report import finish_training
from common.training.schedules import Schedule
from common.training.setup import Setup, begin
from common.training.text import Text

from .model import RecurrentLM
from .settings import CHAPTER, STATES, Settings


def train(setup: Setup) -> None:
    """Train until the epochs or the patience are used up, and report on the best model."""
    settings, log, dev = setup.settings, setup.log, setup.corpus.dev
    keeps_state = STATES[settings.state]
    if keeps_state:  # the text is read in order, as streams
        from common.evaluation.streaming import evaluate_stream, report_stream
        from common.text.streams import make_streams
    train_ids = setup.data.train
    start_bias = settings.start_bias(train_ids, len(setup.vocab))
    if settings.is_variant:
        from .variants import make_model

        model = make_model(setup.vocab, settings, start_bias, setup.folder)
    else:
        model = RecurrentLM.from_settings(settings, setup.vocab, start_bias)
    schedule = Schedule.from_settings(settings)
    optimiser = setup.optimiser(model)
    training = setup.training(model, optimiser)
    log(f"{model.name}; {count_parameters(training.parameters):,} parameters; writing to {setup.folder}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        in_order = make_streams(train_ids, settings.batch_size, settings.bptt) if keeps_state else None
        batches = in_order or make_batches(train_ids, settings.batch_size, rng)
        meter = setup.meter(epoch, batches, divisible=not keeps_state)
        carried = None
        for batch in meter:
            dy.renew_cg()
            loss, states = model.loss(batch, carried, rng)
            meter.add(loss.scalar_value(), batch.predictions)
            mean_loss = loss * (1 / len(batch.indices))
            mean_loss.backward()
            optimiser.learning_rate = schedule(meter.epochs_done, training.history)
            optimiser.update()
            carried = detach(states) if keeps_state else None
        result = evaluate_stream(model, dev, settings.unk) if keeps_state else evaluate(model, dev, settings.unk)
        record = meter.record(result.perplexity, optimiser.learning_rate)
        improved = training.finish_epoch(record)
        log(record.line(improved))

    additions = [partial(report_stream, "state")] if keeps_state else []
    finish_training(setup, model, training, *additions)


@exits_cleanly
def main() -> None:
    train(begin(Text, CHAPTER, Settings, "Train a recurrent language model."))


if __name__ == "__main__":
    main()
