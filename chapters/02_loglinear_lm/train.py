"""Train a log-linear language model: `python chapters/02_loglinear_lm/train.py --help`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from common import environment

environment.require()

import numpy as np

from common import program
from common.batching import make_batches
from common.checkpoint import count_parameters
from common.errors import exits_cleanly
from common.evaluation import evaluate
from common.files import atomic_write
from common.report import finish_training
from common.training import Meter, Schedule, Training, epoch_rng, log_frequencies
from features import FeatureSet, needs_classes
from learners import LEARNERS
from settings import CHAPTER, PRESETS, Settings
from trained import make_features


def prepare_features(setup: program.Setup, train_ids: list[list[int]]) -> FeatureSet:
    """The features, made from the training text; kept in the run folder, with the classes for people to read."""
    stored = setup.folder / "features.npz"
    if setup.settings.resume and stored.exists():
        return FeatureSet.load(stored, setup.vocab)
    features = make_features(setup.settings, setup.vocab, train_ids)
    features.save(stored)
    if needs_classes(features.spec):
        with atomic_write(setup.folder / "classes.txt") as file:
            for number in range(features.classes.max() + 1):
                words = (setup.vocab.words[word] for word in np.flatnonzero(features.classes == number))
                file.write(f"{number}: {' '.join(words)}\n")
    return features


def train(setup: program.Setup) -> None:
    """Train until the epochs or the patience are used up, and report on the best model."""
    settings, log = setup.settings, setup.log
    train_ids = [setup.vocab.encode(sentence) for sentence in setup.corpus.train]
    features = prepare_features(setup, train_ids)
    start_bias = log_frequencies(train_ids, len(setup.vocab)) if settings.bias == "unigram" else None
    learner = LEARNERS[settings.engine](settings, features, start_bias)
    model = learner.model
    schedule = Schedule(settings.schedule, settings.its_rate, settings.epochs, settings.decay, settings.decay_start)
    training = Training.begin(setup.folder, learner, model.name, settings.resume)
    parameters = count_parameters(model)
    log(f"{model.name}; {parameters:,} parameters; writing to {setup.folder}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        learner.begin_epoch()
        meter = Meter(epoch, make_batches(train_ids, settings.batch_size, rng))
        for batch in meter:
            rate = schedule(meter.epochs_done, training.history)
            meter.add(learner.step(batch, rate), batch.predictions)
        dev = evaluate(model, setup.corpus.dev, settings.unk)
        record = meter.record(dev.perplexity, rate)
        log(record.line(improved=training.finish_epoch(record)))

    finish_training(setup, model, training, parameters)


@exits_cleanly
def main() -> None:
    description = "Train a log-linear language model."
    train(program.begin(CHAPTER, Settings, PRESETS, description, lambda settings: settings.engine == "dynet"))


if __name__ == "__main__":
    main()
