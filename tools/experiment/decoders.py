"""The decoders of chapter 8: a table in Markdown of the test split, mean and standard deviation over the seeds.

The runs are in runs/ladder/CORPUS-08_attention-SYSTEM-seedN, those of the default where `ladder` has them. A claim
that one system is better takes five seeds (`tools.compare`).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from common.text.corpus import Sentence
from common.text.pairs import ParallelCorpus, load_pairs
from tools.compare import load_run
from tools.metrics import read_metrics, spread
from tools.tables import header, row_of

from .runs import add_run_arguments, finished_runs, ladder_folder, make_trainings, select_systems, train_missing
from .systems import DECODERS

HEAD = ("system", "seeds", "parameters", "perplexity", "BLEU", "AER, %", "with an aligned word", "repeated", "length")


def repeated(outputs: Sequence[Sentence], references: Sequence[Sentence]) -> float:
    """Repetitions in a thousand output words: a second or later occurrence that the reference does not have either."""
    repetitions = 0
    for output, reference in zip(outputs, references, strict=True):
        expected = Counter(reference)
        repetitions += sum(max(0, count - max(1, expected[word])) for word, count in Counter(output).items())
    return 1000 * repetitions / max(1, sum(map(len, outputs)))


def error_rates(tests: Sequence[dict], name: str) -> str:
    """A kind of alignment error rate of all runs, in percent; empty where a run does not have it."""
    rates = [test["alignment"].get(name) if isinstance(test.get("alignment"), dict) else None for test in tests]
    return spread([100 * rate for rate in rates]) if all(isinstance(rate, (int, float)) for rate in rates) else ""


def row(system: str, runs: Sequence[Path], corpus: ParallelCorpus) -> str:
    """The results of a system's runs on test. Length: output words for each word of the references."""
    metrics = [read_metrics(run, "parameters", "test.perplexity", "test.bleu") for run in runs]
    tests = [run["test"] for run in metrics]
    references = [pair.target for pair in corpus.test]
    words = sum(map(len, references))
    outputs = [load_run(run, corpus, "test").outputs for run in runs]
    return row_of(
        [
            f"`{system}`",
            str(len(runs)),
            f"{metrics[0]['parameters']:,}",
            *(spread([test[name] for test in tests]) for name in ("perplexity", "bleu")),
            *(error_rates(tests, name) for name in ("error_rate", "error_rate_of_aligned_words")),
            spread([repeated(sentences, references) for sentences in outputs]),
            spread([sum(map(len, sentences)) / words for sentences in outputs]),
        ]
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--corpus", default="village_pairs", metavar="NAME", help="a corpus of pairs")
    parser.add_argument("--systems", default="", metavar="NAME,NAME", help="only these systems (default: all)")
    add_run_arguments(parser, seeds=3)


def run(arguments: argparse.Namespace) -> None:
    systems, corpus = select_systems(arguments.systems, DECODERS), load_pairs(arguments.corpus)
    seeds = range(1, arguments.seeds + 1)
    if train_missing(make_trainings(systems, arguments.corpus, seeds), arguments, ladder_folder()):
        runs = finished_runs(systems, arguments.corpus, seeds)
        print("\n".join([*header(HEAD), *(row(system, folders, corpus) for system, folders in runs.items())]))
