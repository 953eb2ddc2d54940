"""Train an attentive language model: `python chapters/06_attentive_lm/train.py --help`."""

import dataclasses
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from common import environment

environment.require()

from tqdm import tqdm

from common import cli, runtime
from common.batching import make_batches
from common.corpus import Corpus, load_corpus
from common.errors import exits_cleanly
from common.evaluation import check_unknown_words, evaluate, perplexity
from common.plotting import learning_curve
from common.report import finish_run, show_corpus, unknown_kind
from common.runs import Log, begin_run, choose_run
from common.vocab import Vocabulary
from settings import CHAPTER, PRESETS, Settings


def train(settings: Settings, corpus: Corpus, vocab: Vocabulary, folder: Path, log: Log) -> None:
    """Train until the epochs or the patience are used up, and report on the best model."""
    import dynet as dy

    from common.checkpoint import count_parameters
    from common.training import (
        EpochRecord,
        Schedule,
        Training,
        check_loss,
        epoch_rng,
        log_frequencies,
        make_optimiser,
    )
    from model import AttentiveLM

    longest = settings.max_length or None
    train_ids = [vocab.encode(sentence)[:longest] for sentence in corpus.train]
    start_bias = log_frequencies(train_ids, len(vocab)) if settings.bias == "unigram" else None
    model = AttentiveLM.from_settings(vocab, settings, start_bias)
    schedule = Schedule(
        settings.schedule, settings.learning_rate, settings.epochs, settings.decay, settings.decay_start
    )
    training = Training.begin(folder, model.collection, model.name, settings.resume)
    parameters = count_parameters(model.collection)
    log(f"{model.name}; {parameters:,} parameters; writing to {folder}")

    for epoch in training.epochs_left(settings.epochs, settings.patience):
        rng = epoch_rng(settings.seed, epoch)
        optimiser = make_optimiser(settings.optimiser, model.collection, settings.clip, settings.epsilon)
        batches = make_batches(train_ids, settings.batch_size, rng)
        total_loss, predictions, started = 0.0, 0, time.perf_counter()
        progress = tqdm(batches, desc=f"epoch {epoch}", unit="batch", leave=False, disable=None)
        for number, batch in enumerate(progress):
            dy.renew_cg()
            loss = model.loss(batch)
            total_loss += check_loss(loss.scalar_value(), epoch)
            predictions += batch.predictions
            mean_loss = loss * (1 / len(batch.indices))  # the paper clips the gradient of loss / batch size
            mean_loss.backward()
            optimiser.learning_rate = schedule(epoch - 1 + number / len(batches))
            optimiser.update()
            progress.set_postfix(perplexity=f"{perplexity(-total_loss, predictions):.1f}", refresh=False)
        seconds = time.perf_counter() - started
        dev = evaluate(model, corpus.dev, settings.unk)
        record = EpochRecord(
            epoch, perplexity(-total_loss, predictions), dev.perplexity, optimiser.learning_rate, predictions, seconds
        )
        mark = "  (best so far)" if training.finish_epoch(record) else ""
        log(
            f"epoch {epoch:3}  train {record.train_perplexity:8.2f}  dev {record.dev_perplexity:8.2f}  "
            f"{predictions / seconds:6.0f} tokens/s{mark}"
        )

    training.roll_back()
    salton2017 = settings.accounting == "salton2017"
    metrics = finish_run(CHAPTER, settings, corpus, model, parameters, training.history, log, salton2017)
    learning_curve(training.history, folder / "learning_curve.png", metrics["dev"].get("oracle_perplexity"))
    log(f"the best model is of epoch {training.best['epoch']}; everything is in {folder}")
    log(f"next: python chapters/{CHAPTER}/generate.py --run {folder}")
    log(f"      python chapters/{CHAPTER}/visualize.py --run {folder}")


@exits_cleanly
def main() -> None:
    settings, given = cli.parse_settings(Settings, PRESETS, "Train an attentive language model.")
    folder, settings = choose_run(CHAPTER, settings, given)
    corpus = load_corpus(settings.corpus)
    vocab = Vocabulary.from_sentences(corpus.train, settings.min_count)
    settings = dataclasses.replace(settings, unk=unknown_kind(settings.unk, corpus))
    for split in ("dev", "test"):
        check_unknown_words(getattr(corpus, split), vocab, settings.unk, split)
    runtime.configure(settings.device, settings.seed)  # before anything imports DyNet
    begin_run(folder, CHAPTER, settings, vocab)
    log = Log(folder)
    show_corpus(corpus, vocab, log)
    train(settings, corpus, vocab, folder, log)


if __name__ == "__main__":
    main()
