"""Train an encoder-decoder with attention: `python chapters/08_attention/train.py --help`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from common import environment

environment.require()

from common import program_pairs
from common.alignment_report import check_alignments, report_alignments
from common.batching import make_pair_batches
from common.errors import UserError, exits_cleanly
from common.evaluation import check_unknown_words
from common.pairs import ParallelCorpus
from common.training import Meter, Schedule, Training, epoch_rng
from common.vocab import Vocabulary
from settings import CHAPTER, PRESETS, Settings


def train(setup: program_pairs.PairSetup) -> None:
    """Train until the epochs or the patience are used up, and report on the best model."""
    import dynet as dy

    from common.checkpoint import count_parameters
    from common.nn.optimiser import make_optimiser
    from common.nn.parameters import DynetParameters
    from common.report_pairs import finish_training
    from common.translation import Decoding, evaluate_pairs
    from model import AttentionalModel
    from objective import Objective, training_links
    from symmetry import Backward

    settings, log = setup.settings, setup.log
    sources = [setup.source_vocab.encode(pair.source) for pair in setup.corpus.train]
    targets = [setup.vocab.encode(pair.target) for pair in setup.corpus.train]
    model = AttentionalModel.of_pairs(setup.source_vocab, setup.vocab, settings, sources, targets)
    links, origin = training_links(setup.corpus) if settings.supervised else (None, "")
    objective = Objective(model, settings, links)
    backward = Backward.begin(setup, links) if settings.symmetry else None
    schedule = Schedule.from_settings(settings)
    optimiser = make_optimiser(settings.optimiser, model.collection, settings.clip, settings.epsilon)
    optimisers = [optimiser, *([backward.optimiser] if backward else [])]
    beside = [optimiser, *([backward.training.parameters, backward.optimiser] if backward else [])]
    training = Training.begin(setup.folder, DynetParameters(model.collection), model.name, settings.resume, *beside)
    log(f"{model.name}; {count_parameters(training.parameters):,} parameters; writing to {setup.folder}")
    if links is not None:
        log(f"attention is supervised by {origin}")
    if backward:
        backward.go_on_with(training)
        log(f"beside it the other direction: {backward.model.name}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        if backward:
            backward.begin_epoch()
        meter = Meter(epoch, make_pair_batches(sources, targets, settings.batch_size, rng))
        for batch in meter:
            dy.renew_cg()
            loss, total, weights = objective(batch)
            meter.add(loss.scalar_value(), batch.target.predictions)
            if backward:
                total += backward.cost(batch.target.indices, weights)
            mean = total * (1 / len(batch.target.indices))
            mean.backward()
            for one in optimisers:
                one.learning_rate = schedule(meter.epochs_done, training.history)
                one.update()
        dev = evaluate_pairs(model, setup.corpus.dev, settings.unk)
        record = meter.record(dev.perplexity, optimiser.learning_rate)
        other = backward.finish_epoch(record) if backward else ""
        log(record.line(improved=training.finish_epoch(record)))
        if backward:
            backward.setup.log(f"  backward {other}")

    if backward:
        backward.finish()
    report_alignments(setup, model, finish_training(setup, model, training, Decoding()))


def check(settings: Settings, corpus: ParallelCorpus, source_vocab: Vocabulary) -> None:
    """Raises `UserError` for bad alignments, and where a model of the other direction cannot be trained."""
    if not settings.subwords:
        check_alignments(corpus)
    if settings.symmetry:
        if settings.resume and settings.run_dir and (Path(settings.run_dir).parent / "config.json").exists():
            raise UserError(f"{settings.run_dir} was trained beside another model; resume that one, a folder above")
        for split in ("dev", "test"):
            sources = [pair.source for pair in getattr(corpus, split)]
            check_unknown_words(sources, source_vocab, settings.unk, f"{split}.source")


@exits_cleanly
def main() -> None:
    train(program_pairs.begin(CHAPTER, Settings, PRESETS, "Train an encoder-decoder with attention.", check))


if __name__ == "__main__":
    main()
