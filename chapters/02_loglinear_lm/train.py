"""Train a log-linear language model: `python chapters/02_loglinear_lm/train.py --help`."""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import numpy as np

from common.errors import exits_cleanly
from common.evaluation.perplexity import evaluate
from common.files import atomic_write
from common.runtime import epoch_rng
from common.text.batching import make_batches
from common.training.checkpoint import can_resume, count_parameters
from common.training.loop import Meter, Training
from common.training.report import finish_training
from common.training.schedules import Schedule
from common.training.setup import Setup, begin
from common.training.start_bias import START_BIASES
from common.training.text import Text

from .features import FeatureSet, make_features, needs_classes
from .learners import LEARNERS
from .model import footprint
from .settings import CHAPTER, Settings


def prepare_features(setup: Setup, train_ids: list[list[int]]) -> FeatureSet:
    """The features, made from the training text; kept in the run folder, with the classes for people to read."""
    stored, readable = setup.folder / "features.npz", setup.folder / "classes.txt"
    resumed = setup.settings.resume and can_resume(setup.folder, stored.name)
    if resumed:
        from .loading import load_features

        features = load_features(stored, setup.vocab)
    else:
        features = make_features(setup.settings, setup.vocab, train_ids)
    if needs_classes(features.spec) and not (resumed and readable.exists()):
        write_classes(readable, features)
    if not resumed:
        features.save(stored)  # last: where this file exists, all is prepared
    return features


def write_classes(path: Path, features: FeatureSet) -> None:
    """The classes of words for people to read, one per line."""
    with atomic_write(path) as file:
        for number in range(features.classes.max() + 1):
            words = (features.vocab.words[word] for word in np.flatnonzero(features.classes == number))
            file.write(f"{number}: {' '.join(words)}\n")


def train(setup: Setup) -> None:
    """Train until the epochs or the patience are used up, and report on the best model."""
    settings, log = setup.settings, setup.log
    train_ids = setup.data.train
    features = prepare_features(setup, train_ids)
    learner_class = LEARNERS[settings.engine]()
    footprint(features, learner_class.bytes).rows(1, max(map(len, train_ids)) + 1, trained=True)  # it fits, or an error
    start_bias = START_BIASES[settings.bias](train_ids, len(setup.vocab))
    learner = learner_class(settings, features, start_bias)
    model = learner.model
    schedule = Schedule(settings.schedule, settings.initial_rate, settings.epochs, settings.decay, settings.decay_start)
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
        improved = training.finish_epoch(record)
        log(record.line(improved))

    finish_training(setup, model, training, parameters=parameters)


@exits_cleanly
def main() -> None:
    description = "Train a log-linear language model."
    train(begin(Text, CHAPTER, Settings, description))


if __name__ == "__main__":
    main()
