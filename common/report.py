"""What a training tells: the data before it, the figures after it, for people and for programs."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from common.checkpoint import count_parameters
from common.corpus import SPLITS, Corpus, Sentence
from common.evaluation import Evaluation, LanguageModel, evaluate
from common.files import write_json
from common.plotting import learning_curve
from common.runs import Log
from common.runtime import versions
from common.training import Training
from common.vocab import UNKNOWN, Vocabulary

if TYPE_CHECKING:
    from common.pairs import ParallelCorpus
    from common.program import Setup
    from common.program_pairs import PairSetup

ABOUT_THE_RUN = {"run_dir", "resume"}
"""Settings that say where and how a training ran, not what was trained."""


def unknown_kind(asked: str, corpus: Corpus | ParallelCorpus) -> str:
    """What an unknown word costs: as asked, or for "auto" as the corpus says, or else "uniform"."""
    return asked if asked != "auto" else corpus.facts.get("corpus", {}).get("unk", "uniform")


def show_corpus(corpus: Corpus, vocab: Vocabulary, log: Log) -> None:
    """The data first: sizes, unknown words, three sentences."""
    log(f"corpus {corpus.name}: {len(vocab):,} words in the vocabulary")
    for split in SPLITS:
        sentences = getattr(corpus, split)
        words = sum(len(sentence) for sentence in sentences)
        share = share_unknown(sentences, vocab)
        log(f"  {split:5} {len(sentences):7,} sentences {words:9,} words  {share:6.2%} <unk>")
    for sentence in corpus.train[:3]:
        log("  | " + " ".join(sentence))


def share_unknown(sentences: Sequence[Sentence], vocab: Vocabulary) -> float:
    """The share of words that the model reads as `<unk>`, those written so in the text included."""
    unknown = sum(word not in vocab or word == UNKNOWN for sentence in sentences for word in sentence)
    return unknown / sum(len(sentence) for sentence in sentences)


def finish_training(setup: Setup, model: LanguageModel, training: Training, parameters: int | None = None) -> dict:
    """Return to the best epoch's model, report on it, draw the learning curve; the content of metrics.json.

    parameters: how many numbers the model learns, where its checkpoints hold others beside them.
    """
    training.roll_back()
    parameters = count_parameters(training.parameters) if parameters is None else parameters
    metrics = report_run(setup, model, parameters, training.history)
    learning_curve(training.history, setup.folder / "learning_curve.png", metrics["dev"].get("oracle_perplexity"))
    setup.log(f"the best model is of epoch {training.best['epoch']}; everything is in {setup.folder}")
    setup.log(f"next: python chapters/{setup.chapter}/generate.py --run {setup.folder}")
    return metrics


def report_run(setup: Setup, model: LanguageModel, parameters: int, history: Sequence[dict]) -> dict:
    """Evaluate the model on dev and test, print the table, write metrics.json, and return its content.

    history: a record an epoch, each with the `seconds` it took and the `predictions` it trained on.
    """
    settings, corpus = setup.settings, setup.corpus
    results = {split: evaluate(model, getattr(corpus, split), settings.unk) for split in ("dev", "test")}
    metrics = facts_of_run(setup, parameters, history)
    metrics |= {split: figures(result, corpus.oracle(split)) for split, result in results.items()}
    if settings.accounting == "salton2017":
        for split, result in results.items():
            metrics[split]["salton2017_perplexity"] = result.salton2017_perplexity
    write_json(setup.folder / "metrics.json", metrics)
    show_results(metrics, settings.unk, setup.log)
    return metrics


def facts_of_run(setup: Setup | PairSetup, parameters: int, history: Sequence[dict]) -> dict:
    """What metrics.json holds of a run beside its results."""
    seconds = sum(record["seconds"] for record in history)
    settings = dataclasses.asdict(setup.settings)
    return {
        "chapter": setup.chapter,
        "preset": settings["preset"],
        "corpus": setup.corpus.name,
        "seed": settings["seed"],
        "settings": {name: value for name, value in settings.items() if name not in ABOUT_THE_RUN},
        "versions": versions(),
        "parameters": parameters,
        "tokens_per_second": round(sum(record["predictions"] for record in history) / seconds, 1),
        "seconds": round(seconds, 4),
        "epochs": list(history),
    }


def figures(result: Evaluation, oracle: dict | None) -> dict:
    """An evaluation for metrics.json, with the oracle's figures beside it where the corpus has them."""
    entry = {
        "perplexity": result.perplexity,
        "sentences": result.sentences,
        "predictions": result.predictions,
        "unknown": result.unknown,
        "log_prob": result.log_prob,
        "model_log_prob": result.model_log_prob,
        "unknown_log_prob": result.unknown_log_prob,
        "known_perplexity": result.known_perplexity,
    }
    if oracle is not None:
        entry["oracle_perplexity"] = oracle["perplexity"]
        if oracle["known_predictions"] == result.predictions - result.unknown:  # its known words are this model's
            entry["oracle_known_perplexity"] = oracle["known_perplexity"]
    return entry


def show_results(metrics: dict, unk: str, log: Log) -> None:
    """The table at the end of a training."""

    def row(label: str, name: str, form: str = "10.2f") -> None:
        log(f"{label:44}" + "".join(format(metrics[split][name], form) for split in ("dev", "test")))

    def gap(label: str, model: str, oracle: str) -> None:
        ratios = (metrics[split][model] / metrics[split][oracle] - 1 for split in ("dev", "test"))
        log(f"{label:44}" + "".join(f"{ratio:+10.1%}" for ratio in ratios))

    has_oracle, knows_the_same = (
        all(name in metrics[split] for split in ("dev", "test"))
        for name in ("oracle_perplexity", "oracle_known_perplexity")
    )
    log()
    log(f"{'':44}{'dev':>10}{'test':>10}")
    row("sentences", "sentences", form="10,")
    row("predictions (words and </s>)", "predictions", form="10,")
    row(f"unknown words (--unk {unk})", "unknown", form="10,")
    row("perplexity", "perplexity")
    if has_oracle:
        row("  oracle: the best on average over texts", "oracle_perplexity")
        gap("  gap", "perplexity", "oracle_perplexity")
    if "piece_perplexity" in metrics["test"]:
        row("predictions of pieces (and </s>)", "piece_predictions", form="10,")
        row("perplexity of pieces", "piece_perplexity")
        if has_oracle:
            row("  oracle", "oracle_piece_perplexity")
    row("log-likelihood spent by the model, in nats", "model_log_prob", form="10,.0f")
    row("  and by spelling unknown words", "unknown_log_prob", form="10,.0f")
    if metrics["test"]["unknown"]:
        row("perplexity without unknown words", "known_perplexity")
        if knows_the_same:
            row("  oracle", "oracle_known_perplexity")
            gap("  gap", "known_perplexity", "oracle_known_perplexity")
    if "bleu" in metrics["test"]:
        row("BLEU", "bleu")
        log(f"  {metrics['test']['signature']}")
    if "rouge1" in metrics["test"]:
        for kind in ("rouge1", "rouge2", "rougeL"):
            row(kind.replace("rouge", "ROUGE-"), kind)
        log(f"  {metrics['test']['rouge_signature']}")
    if "chrf" in metrics["test"]:
        row("chrF", "chrf")
    if "salton2017_perplexity" in metrics["test"]:
        row("published accounting (Salton et al. 2017)", "salton2017_perplexity")
    log()
