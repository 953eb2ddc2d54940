"""The results of a run: what metrics.json holds of an evaluation, and the table at the end of a run."""

from __future__ import annotations

from common.evaluation.perplexity import Evaluation
from common.training.runs import Log


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
