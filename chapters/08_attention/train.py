"""Train an encoder-decoder with attention: `python chapters/08_attention/train.py --help`."""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import dynet as dy

from common.errors import exits_cleanly
from common.runtime import epoch_rng
from common.search.translation import evaluate_pairs
from common.text.pairs import make_pair_batches
from common.training.checkpoint import count_parameters
from common.training.pairs import Pairs
from common.training.report import finish_training
from common.training.schedules import Schedule
from common.training.setup import Setup, begin

from .model import AttentionalModel
from .settings import CHAPTER, Settings


def train(setup: Setup) -> None:
    """Train until the epochs or the patience are used up, and report on the best model."""
    settings, log = setup.settings, setup.log
    sources, targets = setup.data.train_sources, setup.data.train_targets
    model = AttentionalModel.of_pairs(setup.data.source_vocab, setup.vocab, settings, sources, targets)
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

    reports = []
    if setup.corpus.aligned:
        from common.training.alignment_report import report_alignments

        reports.append(report_alignments)
    finish_training(setup, model, training, *reports)


def check(settings: Settings, data: Pairs) -> None:
    """Raises `UserError` for bad alignments, and where a model of the other direction cannot be trained."""
    if data.corpus.aligned and not settings.subwords:
        from common.training.alignment_report import check_alignments

        check_alignments(data.corpus)
    if settings.symmetry:
        from .symmetry import check_other_direction

        check_other_direction(settings, data)


@exits_cleanly
def main() -> None:
    setup = begin(Pairs, CHAPTER, Settings, "Train an encoder-decoder with attention.", check)
    settings = setup.settings
    if settings.fertility or settings.supervised or settings.symmetry:
        from .train_penalised import train_penalised

        train_penalised(setup)
    else:
        train(setup)


if __name__ == "__main__":
    main()
