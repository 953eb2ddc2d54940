"""Train a recurrent language model: `python chapters/05_rnn_lm/train.py --help`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from common import environment

environment.require()

from common import program
from common.batching import make_batches
from common.errors import exits_cleanly
from common.evaluation import evaluate
from common.files import write_json
from common.report import finish_training
from common.training import Meter, Schedule, Training, epoch_rng, log_frequencies
from settings import CHAPTER, PRESETS, Settings


def train(setup: program.Setup) -> None:
    """Train until the epochs or the patience are used up, and report on the best model."""
    import dynet as dy

    from common.checkpoint import count_parameters
    from common.nn.optimiser import make_optimiser
    from common.nn.parameters import DynetParameters
    from common.nn.stacking import detach
    from streams import evaluate_stream, make_streams
    from trained import make_model

    settings, log, dev = setup.settings, setup.log, setup.corpus.dev
    kept = settings.state == "kept"
    train_ids = [setup.vocab.encode(sentence) for sentence in setup.corpus.train]
    start_bias = log_frequencies(train_ids, len(setup.vocab)) if settings.bias == "unigram" else None
    model = make_model(setup.vocab, settings, start_bias)
    schedule = Schedule.from_settings(settings)
    optimiser = make_optimiser(settings.optimiser, model.collection, settings.clip, settings.epsilon)
    training = Training.begin(setup.folder, DynetParameters(model.collection), model.name, settings.resume, optimiser)
    log(f"{model.name}; {count_parameters(training.parameters):,} parameters; writing to {setup.folder}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        in_order = make_streams(train_ids, settings.batch_size, settings.bptt) if kept else None
        meter = Meter(epoch, in_order or make_batches(train_ids, settings.batch_size, rng))
        carried = None
        for batch in meter:
            dy.renew_cg()
            loss, states = model.loss(batch, carried)
            meter.add(loss.scalar_value(), batch.predictions)
            mean_loss = loss * (1 / len(batch.indices))
            mean_loss.backward()
            optimiser.learning_rate = schedule(meter.epochs_done, training.history)
            optimiser.update()
            carried = detach(states) if kept else None
        result = evaluate_stream(model, dev, settings.unk) if kept else evaluate(model, dev, settings.unk)
        record = meter.record(result.perplexity, optimiser.learning_rate)
        log(record.line(improved=training.finish_epoch(record)))

    metrics = finish_training(setup, model, training)
    if kept:
        for split in ("dev", "test"):
            metrics[split]["stream_perplexity"] = evaluate_stream(
                model, getattr(setup.corpus, split), settings.unk
            ).perplexity
            log(f"perplexity on {split} with the state kept: {metrics[split]['stream_perplexity']:.2f}")
        write_json(setup.folder / "metrics.json", metrics)


@exits_cleanly
def main() -> None:
    train(program.begin(CHAPTER, Settings, PRESETS, "Train a recurrent language model."))


if __name__ == "__main__":
    main()
