"""Train a Transformer language model: `python chapters/11_transformer/train.py --help`."""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import dynet as dy

from common.errors import exits_cleanly
from common.evaluation.perplexity import evaluate
from common.runtime import epoch_rng
from common.text.batching import make_batches
from common.training.checkpoint import count_parameters
from common.training.report import finish_training
from common.training.schedules import Schedule
from common.training.setup import Setup, begin
from common.training.start_bias import START_BIASES
from common.training.text import Text

from .model import TransformerLM
from .settings import CHAPTER, Settings


def train(setup: Setup) -> None:
    """Train until the epochs or the patience are used up, and report on the best model."""
    settings, log = setup.settings, setup.log
    train_ids = setup.data.train
    start_bias = START_BIASES[settings.bias](train_ids, len(setup.vocab))
    model = TransformerLM.from_settings(settings, setup.vocab, start_bias)
    schedule = Schedule.from_settings(settings)
    optimiser = setup.optimiser(model)
    training = setup.training(model, optimiser)
    log(f"{model.name}; {count_parameters(training.parameters):,} parameters; writing to {setup.folder}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        meter = setup.meter(epoch, make_batches(train_ids, settings.batch_size, rng))
        for batch in meter:
            dy.renew_cg()
            loss = model.loss(batch, rng)
            meter.add(loss.scalar_value(), batch.predictions)
            mean_loss = loss * (1 / len(batch.indices))
            mean_loss.backward()
            optimiser.learning_rate = schedule(meter.epochs_done, training.history)
            optimiser.update()
        dev = evaluate(model, setup.corpus.dev, settings.unk)
        record = meter.record(dev.perplexity, optimiser.learning_rate)
        improved = training.finish_epoch(record)
        log(record.line(improved))

    finish_training(setup, model, training)
    log(f"      python chapters/{CHAPTER}/visualize.py --run {setup.folder}")


@exits_cleanly
def main() -> None:
    train(begin(Text, CHAPTER, Settings, "Train a Transformer language model."))


if __name__ == "__main__":
    main()
