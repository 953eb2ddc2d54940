"""Train an encoder-decoder: `python chapters/07_encoder_decoder/train.py --help`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from common import environment

environment.require()

from common import program_pairs
from common.batching import make_pair_batches
from common.errors import exits_cleanly
from common.pairs import ParallelCorpus
from common.training import Meter, Schedule, Training, epoch_rng, log_frequencies
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
    from encoder import make_treebank
    from model import EncoderDecoder

    settings, log = setup.settings, setup.log
    sources = [setup.source_vocab.encode(pair.source) for pair in setup.corpus.train]
    targets = [setup.vocab.encode(pair.target) for pair in setup.corpus.train]
    start_bias = log_frequencies(targets, len(setup.vocab)) if settings.bias == "unigram" else None
    trees = make_treebank(settings, setup.source_vocab, setup.corpus)
    model = EncoderDecoder(setup.source_vocab, setup.vocab, settings, trees, start_bias)
    schedule = Schedule.from_settings(settings)
    optimiser = make_optimiser(settings.optimiser, model.collection, settings.clip, settings.epsilon)
    training = Training.begin(setup.folder, DynetParameters(model.collection), model.name, settings.resume, optimiser)
    log(f"{model.name}; {count_parameters(training.parameters):,} parameters; writing to {setup.folder}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        meter = Meter(epoch, make_pair_batches(sources, targets, settings.batch_size, rng))
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
        log(record.line(improved=training.finish_epoch(record)))

    finish_training(setup, model, training, Decoding())


def check_trees(settings: Settings, corpus: ParallelCorpus, source_vocab: Vocabulary) -> None:
    """Raises `UserError` where the encoder follows trees and those of the corpus are bad."""
    from encoder import make_treebank

    make_treebank(settings, source_vocab, corpus)


@exits_cleanly
def main() -> None:
    train(program_pairs.begin(CHAPTER, Settings, PRESETS, "Train an encoder-decoder that translates.", check_trees))


if __name__ == "__main__":
    main()
