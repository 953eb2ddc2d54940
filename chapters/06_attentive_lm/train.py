"""Train an attentive language model: `python chapters/06_attentive_lm/train.py --help`."""

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
from common.training.text import Text

from .model import AttentiveLM
from .settings import CHAPTER, Settings


def train(setup: Setup) -> None:
    """Train until the epochs or the patience are used up, and report on the best model."""
    settings, log = setup.settings, setup.log
    train_ids = [sentence[: settings.max_length or None] for sentence in setup.data.train]
    start_bias = settings.start_bias(train_ids, len(setup.vocab))
    if settings.is_variant:
        from .variants import make_model

        model = make_model(setup.vocab, settings, start_bias, setup.folder)
    else:
        model = AttentiveLM.from_settings(settings, setup.vocab, start_bias)
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
            mean_loss = loss * (1 / len(batch.indices))  # the paper clips the gradient of loss / batch size
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
    setup = begin(Text, CHAPTER, Settings, "Train an attentive language model.")
    if setup.settings.memory_states:  # the text in order, by a loop of its own
        from .train_memory import train as train_with_memory

        train_with_memory(setup)
    else:
        train(setup)


if __name__ == "__main__":
    main()
