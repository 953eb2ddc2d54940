"""What the training of a translation model tells: the pairs before it, the figures and translations after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from common.checkpoint import count_parameters
from common.corpus import SPLITS, Sentence
from common.evaluation import summarise
from common.files import atomic_write, write_json
from common.metrics import bleu, chrf, rouge
from common.pairs import SIDES, Pair, ParallelCorpus
from common.plotting import learning_curve
from common.report import facts_of_run, figures, share_unknown, show_results
from common.runs import Log
from common.subwords import by_words, join
from common.training import Training
from common.translation import Decoding, TranslationModel, evaluate_pairs, target_log_probs, translate
from common.vocab import Vocabulary

if TYPE_CHECKING:
    from common.program_pairs import PairSetup


def show_pairs(
    corpus: ParallelCorpus, source_vocab: Vocabulary, vocab: Vocabulary, log: Log, unit: str = "words"
) -> None:
    """The data first: sizes, unknown words, three pairs. unit: what the sentences are made of, words or pieces."""
    sizes = f"{len(source_vocab):,} source {unit} and {len(vocab):,} target {unit}"
    log(f"corpus {corpus.name}: {sizes} in the vocabularies")
    for split in SPLITS:
        pairs = getattr(corpus, split)
        line = f"  {split:5} {len(pairs):7,} pairs"
        for side, known in zip(SIDES, (source_vocab, vocab), strict=True):
            sentences = [getattr(pair, side) for pair in pairs]
            length = sum(len(sentence) for sentence in sentences)
            line += f"  {side} {length:9,} {unit} {share_unknown(sentences, known):6.2%} <unk>"
        log(line)
    for pair in corpus.train[:3]:
        log("  | " + " ".join(pair.source))
        log("  > " + " ".join(pair.target))


def finish_training(setup: PairSetup, model: TranslationModel, training: Training, decoding: Decoding) -> dict:
    """Return to the best epoch's model and report on it: perplexity, BLEU, three translations; draw the learning curve.

    Writes metrics.json, whose content is returned, and the translations of dev and test, a sentence a line.
    """
    training.roll_back()
    metrics = facts_of_run(setup, count_parameters(training.parameters), training.history)
    best = {}
    for split in SPLITS[1:]:
        found = translate(model, [pair.source for pair in getattr(setup.corpus, split)], decoding)
        best[split] = [joined(setup, hypotheses[0].words) for hypotheses in found]
        pairs = getattr(setup.words, split)
        quality = summary_figures if setup.words.summarises else translation_figures
        metrics[split] = perplexity_figures(setup, model, split) | quality(best[split], pairs)
        write_translations(setup, split, best[split])
    write_json(setup.folder / "metrics.json", metrics)
    show_results(metrics, setup.settings.unk, setup.log)
    show_translations(best["test"], setup.words.test, setup.log)
    kind = "oracle_piece_perplexity" if setup.settings.subwords else "oracle_perplexity"  # as the epochs' are
    learning_curve(training.history, setup.folder / "learning_curve.png", metrics["dev"].get(kind))
    setup.log(f"the best model is of epoch {training.best['epoch']}; everything is in {setup.folder}")
    setup.log(f"next: python chapters/{setup.chapter}/translate.py --run {setup.folder}")
    return metrics


def joined(setup: PairSetup, found: Sentence) -> Sentence:
    """What a model found, in words."""
    return join(found) if setup.settings.subwords else found


def perplexity_figures(setup: PairSetup, model: TranslationModel, split: str) -> dict:
    """The perplexity of a split for metrics.json: of words always, and with --subwords of pieces too.

    The oracle spends on all pieces of a sentence what it spends on its words: its perplexity by pieces is the same
    total, divided by more predictions.
    """
    pairs, oracle, unk = getattr(setup.corpus, split), setup.words.oracle(split), setup.settings.unk
    if not setup.settings.subwords:
        return figures(evaluate_pairs(model, pairs, unk), oracle)
    targets = [pair.target for pair in pairs]
    found = target_log_probs(model, pairs, unk)
    by_pieces = summarise(model.vocab, targets, found, unk)
    entry = figures(by_words(by_pieces, model.vocab, targets, found), oracle)
    entry |= {"piece_perplexity": by_pieces.perplexity, "piece_predictions": by_pieces.predictions}
    if oracle is not None:
        entry["oracle_piece_perplexity"] = oracle["perplexity"] ** (entry["predictions"] / by_pieces.predictions)
    return entry


def translation_figures(hypotheses: Sequence[Sentence], pairs: Sequence[Pair]) -> dict:
    """BLEU and chrF for metrics.json, each with the signature that says how it was computed."""
    references = [pair.target for pair in pairs]
    found = {"bleu": bleu(hypotheses, references), "chrf": chrf(hypotheses, references)}
    return {
        "bleu": found["bleu"].value,
        "signature": found["bleu"].signature,
        "chrf": found["chrf"].value,
        "chrf_signature": found["chrf"].signature,
    }


def summary_figures(hypotheses: Sequence[Sentence], pairs: Sequence[Pair]) -> dict:
    """ROUGE and BLEU for metrics.json, each with its signature: what summaries are judged by."""
    references = [pair.target for pair in pairs]
    by_bleu, by_rouge = bleu(hypotheses, references), rouge(hypotheses, references)
    return {kind: score.value for kind, score in by_rouge.items()} | {
        "rouge_signature": by_rouge["rougeL"].signature,
        "bleu": by_bleu.value,
        "signature": by_bleu.signature,
    }


def write_translations(setup: PairSetup, split: str, hypotheses: Sequence[Sentence]) -> None:
    """Keep the translations of a split in the run folder, for `python -m tools.compare`."""
    with atomic_write(setup.folder / f"{split}.hypotheses.txt") as file:
        file.writelines(" ".join(words) + "\n" for words in hypotheses)


def show_translations(hypotheses: Sequence[Sentence], pairs: Sequence[Pair], log: Log) -> None:
    """The first three translations of a split beside their references."""
    for hypothesis, pair in list(zip(hypotheses, pairs, strict=True))[:3]:
        log("  source     " + " ".join(pair.source))
        log("  reference  " + " ".join(pair.target))
        log("  found      " + " ".join(hypothesis))
    log()
