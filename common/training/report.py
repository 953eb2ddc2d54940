"""What a finished run reports: its results, for people and for programs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from common import program_of
from common.files import as_json, write_json
from common.runtime import versions
from common.training.runs import ABOUT_THE_RUN, Log
from common.training.setup import Setup

TABLE = (
    ("sentences", "sentences", "10,"),
    ("predictions (words and </s>)", "predictions", "10,"),
    ("unknown words (--unk {unk})", "unknown", "10,"),
    ("perplexity", "perplexity", "10.2f"),
    ("  oracle: the best on average over texts", "oracle_perplexity", "10.2f"),
    ("log-likelihood of the model, in nats", "model_log_prob", "10,.0f"),
    ("  and of spelling unknown words", "unknown_log_prob", "10,.0f"),
    ("perplexity without unknown words", "known_perplexity", "10.2f"),
    ("  oracle", "oracle_known_perplexity", "10.2f"),
    ("published accounting (Salton et al. 2017)", "salton2017_perplexity", "10.2f"),
)
"""The rows at the end of a run: label, name in metrics.json, format. Shown where both splits have the number."""
GAPS = {"oracle_perplexity": "perplexity", "oracle_known_perplexity": "known_perplexity"}
"""Below which rows the table says how much larger another number is."""


def finish_training(setup: Setup, model: Any, training: Any, *additions: Callable, parameters: int = 0) -> None:
    """Return to the best epoch's model, report on it, draw the learning curve, and write metrics.json last.

    training: a `loop.Training`. additions: each gets setup, model and the content of metrics.json, and adds to it
    what only some models have. parameters: that the model learns, where its checkpoints contain others too.
    """
    from common.training.checkpoint import count_parameters

    if setup.processes:
        setup.processes.finish()
    if not training.is_at_best:
        training.roll_back()
    parameters = parameters or count_parameters(training.parameters)
    metrics = report_run(setup, model, parameters, training.history, additions)
    oracle = "oracle_piece_perplexity" if "piece_perplexity" in metrics["dev"] else "oracle_perplexity"
    draw_history(training.history, setup.folder / "learning_curve.png", metrics["dev"].get(oracle))
    setup.log(f"the best model is of epoch {training.best['epoch']}; everything is in {setup.folder}")
    write_json(setup.folder / "metrics.json", metrics)  # whoever finds it takes the run for finished
    setup.log(f"next: python {program_of(setup.chapter, setup.data.next_program)} --run {setup.folder}")


def draw_history(history: Sequence[dict], path: Path, oracle: float | None) -> None:
    """The learning curve of a finished run. matplotlib, slow to load, is loaded only now."""
    from common.plots.plotting import learning_curve

    learning_curve(history, path, oracle)


def report_run(setup: Setup, model: Any, parameters: int, history: Sequence[dict], additions: Sequence = ()) -> dict:
    """Evaluate the model on dev and test, print the table, and return what metrics.json is to hold. history: a record
    per epoch, with the `seconds` it took and the `predictions` it trained on. additions: see there."""
    figures, examples = setup.data.report(model, setup.settings, setup.folder)
    settings = dataclasses.asdict(setup.settings)
    seconds = sum(record["seconds"] for record in history)
    metrics = {
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
        **figures,
    }
    show_results(metrics, settings["unk"], setup.log)
    for line in [*examples, ""] if examples else ():
        setup.log(line)
    for add in additions:
        add(setup, model, metrics)
    as_json(metrics, setup.folder / "metrics.json")  # raises an error where a number is not finite: nothing is drawn
    return metrics


def show_results(metrics: dict, unk: str, log: Log) -> None:
    """The table at the end of a run, a column for dev and one for test."""
    splits = metrics["dev"], metrics["test"]
    names = splits[0].keys() & splits[1].keys()
    if not metrics["test"]["unknown"]:
        names -= {"known_perplexity", "oracle_known_perplexity"}
    table: Any = TABLE
    if "bleu" in names:
        from common.evaluation.metrics import with_translations

        table = with_translations(TABLE)
    log()
    log(f"{'':44}{'dev':>10}{'test':>10}")
    for label, name, form, *signature in (row for row in table if row[1] in names):
        log(f"{label.format(unk=unk):44}" + "".join(format(split[name], form) for split in splits))
        if name in GAPS:
            log(f"{'  gap':44}" + "".join(f"{split[GAPS[name]] / split[name] - 1:+10.1%}" for split in splits))
        for computed in signature:
            log(f"  {metrics['test'][computed]}")
    log()
