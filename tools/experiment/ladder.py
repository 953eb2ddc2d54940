"""Every chapter's quick model on the embedded corpora, and what each rung adds: RESULTS.md and its two pictures.

Language models are trained on the village, translation models on its pairs, of chapter 10 the presets `copying` and
`pieces`. Runs are in runs/ladder. `--ptb` trains the language models' presets for the Penn Treebank instead, for hours,
and keeps their results in tools/ladder_ptb.json, where the tables find them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from common.errors import UserError
from common.files import write_json
from common.text.corpus import ROOT, find_corpus, load_corpus
from common.text.pairs import load_pairs
from data.pairs import TRUTHS
from data.phenomena import by_label, labels_of, oracle_log_probs
from tools.analyse import phenomena
from tools.metrics import read_metrics

from .ladder_report import write_report
from .runs import System, add_run_arguments, finished_runs, ladder_folder, make_trainings, train_missing
from .systems import LANGUAGE_MODELS, TRANSLATION_MODELS

NEEDED = (
    *("versions", "parameters", "seconds", "tokens_per_second"),
    *("test.perplexity", "test.oracle_perplexity", "test.unknown"),
)
"""What the report shows of every run."""
WITHOUT_UNKNOWN = ("test.known_perplexity", "test.oracle_known_perplexity")
"""What it also shows of a run with unknown words, as all models of words have."""
PTB_TABLE = ROOT / "tools" / "ladder_ptb.json"
RUNGS = {"village": LANGUAGE_MODELS, "village_pairs": TRANSLATION_MODELS}

Runs = Mapping[System, Sequence[Path]]


def measure(runs: Runs) -> dict:
    """The language models' part of the report: results of each run, also by phenomenon, and the oracle's."""
    sentences = load_corpus("village").test
    labels = labels_of(sentences)
    rungs = [
        rung_entry(
            system, folders, [by_label(labels, phenomena.model_log_probs(folder, sentences)) for folder in folders]
        )
        for system, folders in runs.items()
    ]
    return {"rungs": rungs, "oracle": by_label(labels, oracle_log_probs(sentences))}


def measure_pairs(runs: Runs, corpus: str = "village_pairs") -> dict:
    """The translation models' part. Words that models of words do not know have a row of their own."""
    truth, pairs, rungs, labels = TRUTHS[corpus], load_pairs(corpus).test, [], None
    for system, folders in runs.items():
        by_run = []
        for folder in folders:
            model, splitter = phenomena.model_and_splitter(folder, corpus)
            # The vocabulary of the first rung: all models of words have the same.
            labels = labels or phenomena.labels_of_pairs(truth, pairs, model.vocab)
            by_run.append(by_label(labels, phenomena.pair_log_probs(model, splitter, pairs)))
        rungs.append(rung_entry(system, folders, by_run))
    return {"rungs": rungs, "oracle": by_label(labels, [truth.token_log_probs(*pair) for pair in pairs])}


def rung_entry(system: System, folders: Sequence[Path], by_phenomenon: Sequence[dict]) -> dict:
    """A rung of the report. Raises `UserError` for a run that lacks some of its results."""
    metrics = []
    for folder in folders:
        results = read_metrics(folder, *NEEDED)
        metrics.append(read_metrics(folder, *WITHOUT_UNKNOWN) if results["test"]["unknown"] else results)
    return {"chapter": system.chapter, "name": system.name, "metrics": metrics, "phenomena": by_phenomenon}


def write_ptb(systems: Sequence[System], seed: int) -> None:
    """Write down the results on the Penn Treebank."""
    table = {}
    for system in systems:
        metrics = read_metrics(system.folder("ptb", seed))
        row = {name: metrics[name] for name in ("preset", "seed", "parameters", "tokens_per_second", "seconds")}
        row |= {"epochs": len(metrics["epochs"]), **{name: metrics[name]["perplexity"] for name in ("dev", "test")}}
        table[system.chapter] = row
    write_json(PTB_TABLE, table)


def read_table(path: Path) -> dict:
    """What was written down before, nothing at first."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser, seeds=5)
    parser.add_argument("--out", type=Path, default=ROOT, metavar="DIR", help="folder for RESULTS.md (default: here)")
    parser.add_argument("--ptb", action="store_true", help="train on the Penn Treebank instead, seed 1; takes hours")


def run(arguments: argparse.Namespace) -> None:
    if arguments.out.exists() and not arguments.out.is_dir():
        raise UserError(f"--out {arguments.out}: is a file; name a folder")
    if arguments.ptb:
        find_corpus("ptb")
        if train_missing(make_trainings(LANGUAGE_MODELS, "ptb", [1]), arguments, ladder_folder()):
            write_ptb(LANGUAGE_MODELS, 1)
        return
    seeds = range(1, arguments.seeds + 1)
    trainings = [training for corpus, rungs in RUNGS.items() for training in make_trainings(rungs, corpus, seeds)]
    if train_missing(trainings, arguments, ladder_folder()):
        models, translation = (
            {rung: finished_runs([rung], corpus, seeds)[rung.name] for rung in rungs} for corpus, rungs in RUNGS.items()
        )
        for path in write_report(measure(models), measure_pairs(translation), read_table(PTB_TABLE), arguments.out):
            print(path)
