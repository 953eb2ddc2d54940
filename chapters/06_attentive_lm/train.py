"""Train an attentive language model: `python chapters/06_attentive_lm/train.py --help`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from common import environment

environment.require()

from common import program
from common.batching import make_batches
from common.errors import exits_cleanly
from common.evaluation import evaluate
from common.report import finish_training
from common.training import Meter, Schedule, Training, epoch_rng, log_frequencies
from settings import CHAPTER, PRESETS, Settings


def train(setup: program.Setup) -> None:
    """Train until the epochs or the patience are used up, and report on the best model."""
    import dynet as dy

    from common.checkpoint import count_parameters
    from common.nn.optimiser import make_optimiser
    from common.nn.parameters import DynetParameters
    from model import AttentiveLM

    settings, log = setup.settings, setup.log
    train_ids = [setup.vocab.encode(sentence)[: settings.max_length or None] for sentence in setup.corpus.train]
    start_bias = log_frequencies(train_ids, len(setup.vocab)) if settings.bias == "unigram" else None
    model = AttentiveLM.from_settings(setup.vocab, settings, start_bias)
    schedule = Schedule.from_settings(settings)
    optimiser = make_optimiser(settings.optimiser, model.collection, settings.clip, settings.epsilon)
    training = Training.begin(setup.folder, DynetParameters(model.collection), model.name, settings.resume, optimiser)
    log(f"{model.name}; {count_parameters(training.parameters):,} parameters; writing to {setup.folder}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        meter = Meter(epoch, make_batches(train_ids, settings.batch_size, rng))
        for batch in meter:
            dy.renew_cg()
            loss = model.loss(batch)
            meter.add(loss.scalar_value(), batch.predictions)
            mean_loss = loss * (1 / len(batch.indices))  # the paper clips the gradient of loss / batch size
            mean_loss.backward()
            optimiser.learning_rate = schedule(meter.epochs_done, training.history)
            optimiser.update()
        dev = evaluate(model, setup.corpus.dev, settings.unk)
        record = meter.record(dev.perplexity, optimiser.learning_rate)
        log(record.line(improved=training.finish_epoch(record)))

    finish_training(setup, model, training)
    log(f"      python chapters/{CHAPTER}/visualize.py --run {setup.folder}")


@exits_cleanly
def main() -> None:
    train(program.begin(CHAPTER, Settings, PRESETS, "Train an attentive language model."))


if __name__ == "__main__":
    main()
