"""Train a Transformer that translates: `python chapters/11_transformer/train_pairs.py --help`."""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import dynet as dy

from common.errors import exits_cleanly
from common.runtime import epoch_rng
from common.search.translation import evaluate_pairs
from common.text.pairs import make_pair_batches
from common.training.alignment_report import check_alignments, report_alignments
from common.training.checkpoint import count_parameters
from common.training.pairs import Pairs
from common.training.report import finish_training
from common.training.schedules import Schedule
from common.training.setup import Setup, begin
from common.training.start_bias import START_BIASES

from .settings_pairs import CHAPTER, Settings
from .translator import TransformerTranslator


def train(setup: Setup) -> None:
    """Train until the epochs or the patience are used up, and report on the best model."""
    settings, log = setup.settings, setup.log
    sources, targets = setup.data.train_sources, setup.data.train_targets
    start_bias = START_BIASES[settings.bias](targets, len(setup.vocab))
    model = TransformerTranslator.from_settings(settings, setup.data.source_vocab, setup.vocab, start_bias)
    schedule = Schedule.from_settings(settings)
    optimiser = setup.optimiser(model)
    training = setup.training(model, optimiser)
    log(f"{model.name}; {count_parameters(training.parameters):,} parameters; writing to {setup.folder}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        meter = setup.meter(epoch, make_pair_batches(sources, targets, settings.batch_size, rng))
        for batch in meter:
            dy.renew_cg()
            loss = model.loss(batch)
            meter.add(loss.scalar_value(), batch.target.predictions)
            mean_loss = loss * (1 / len(batch.target.indices))
            mean_loss.backward()
            optimiser.learning_rate = schedule(meter.epochs_done, training.history)
            optimiser.update()
        dev = evaluate_pairs(model, setup.corpus.dev, settings.unk)
        record = meter.record(dev.perplexity, optimiser.learning_rate)
        improved = training.finish_epoch(record)
        log(record.line(improved))

    finish_training(setup, model, training, report_alignments)


def check(settings: Settings, data: Pairs) -> None:
    """Raises `UserError` for bad alignments."""
    if not settings.subwords:
        check_alignments(data.corpus)


@exits_cleanly
def main() -> None:
    train(begin(Pairs, CHAPTER, Settings, "Train a Transformer that translates.", check))


if __name__ == "__main__":
    main()
