"""What a run of a translation model tells: perplexity, BLEU or ROUGE, and its translations."""

from __future__ import annotations

from collections.abc import Sequence

from common.evaluation.metrics import bleu, chrf, rouge
from common.evaluation.perplexity import summarise
from common.evaluation.pieces import by_words
from common.files import atomic_write
from common.search.translation import Decoding, TranslationModel, evaluate_pairs, target_log_probs, translate
from common.text.corpus import SPLITS, Sentence
from common.text.pairs import Pair
from common.text.subwords import join
from common.training.results import figures
from common.training.runs import Log
from common.training.setup import Setup


def report_translations(setup: Setup, model: TranslationModel) -> dict:
    """The figures of dev and test for metrics.json, by greedy search. Writes all translations and shows three."""
    metrics, best = {}, {}
    for split in SPLITS[1:]:
        found = translate(model, [pair.source for pair in getattr(setup.corpus, split)], Decoding())
        best[split] = [words_of(setup, hypotheses[0].words) for hypotheses in found]
        pairs = getattr(setup.data.words, split)
        quality = summary_figures if setup.data.words.summarises else translation_figures
        metrics[split] = perplexity_figures(setup, model, split) | quality(best[split], pairs)
        write_translations(setup, split, best[split])
    show_translations(best["test"], setup.data.words.test, setup.log)
    return metrics


def words_of(setup: Setup, found: Sentence) -> Sentence:
    """What a model found, in words."""
    return join(found) if setup.settings.subwords else found


def perplexity_figures(setup: Setup, model: TranslationModel, split: str) -> dict:
    """The perplexity of a split for metrics.json: of words always, and with --subwords of pieces too.

    The oracle spends on all pieces of a sentence what it spends on its words: its perplexity by pieces is the same
    total, divided by more predictions.
    """
    pairs, oracle, unk = getattr(setup.corpus, split), setup.data.words.oracle(split), setup.settings.unk
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


def write_translations(setup: Setup, split: str, hypotheses: Sequence[Sentence]) -> None:
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
