"""Is one system better than another? `python -m tools.compare --system NAME RUN ... --system NAME RUN ...`.

A system is a kind of model that was trained with several seeds, five or more. Every system is compared with the first
by perplexity, BLEU and chrF (for a corpus of summaries, BLEU and ROUGE) on a split; the intervals and p-values are from
a bootstrap over seeds and sentences (tools/significance.py). Language models are compared by perplexity alone. `python
-m tools.compare RUN RUN` compares two runs, over resampled sentences only: this allows no conclusion about the systems
to which they belong.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sacrebleu.metrics import CHRF
from sacrebleu.metrics.base import Metric

from common.errors import UserError, exits_cleanly
from common.evaluation.metrics import bleu_metric
from common.evaluation.rouge import ROUGE_KINDS, Rouge
from common.files import read_json, reading
from common.programs.arguments import check_most
from common.text.corpus import Sentence, find_corpus
from common.text.pairs import ParallelCorpus, load_pairs
from common.text.vocab import split_words
from common.training import cli
from common.training.pairs import checksum_of_pairs
from tools.metrics import corpus_checksum, read_metrics, spread
from tools.significance import between_runs, between_systems, draw_test_sets, scores, statistics_of
from tools.tables import digits

SEEDS_OF_A_CLAIM = 5
LOG_PERPLEXITY = "log perplexity"
Table = Mapping[str, np.ndarray]
"""By metric: the scores of a system's runs on the test set and on N resampled ones, (runs, 1 + N). Log perplexity is in
nats per word, and N is 0: a run folder does not have the log-probability of each sentence."""


class Run(NamedTuple):
    """What is compared of a run: its seed, its perplexity on the split, and what it wrote."""

    folder: Path
    seed: int
    perplexity: float
    predictions: tuple[int, int]  # how many there were, and how many of unknown words
    outputs: list[Sentence]


def read_run(folder: Path, split: str) -> tuple[str, list[str]]:
    """The corpus of a run, and its translations of the split. Raises `UserError` where there are none."""
    broken = f"no finished run of a translation model (no {split}.hypotheses.txt)"
    with reading(folder, broken, broken):
        corpus = str(read_json(folder / "config.json")["settings"]["corpus"])
        lines = (folder / f"{split}.hypotheses.txt").read_text(encoding="utf-8").split("\n")[:-1]
    return corpus, lines


def of_a_language_model(folder: Path) -> str:
    """The corpus of a finished run that scores text and writes none; empty for a run of a translation model."""
    if any(folder.glob("*.hypotheses.txt")) or not (folder / "metrics.json").exists():
        return ""
    return str(read_metrics(folder, "corpus")["corpus"])


def load_language_model_run(folder: Path, first: Path, split: str) -> Run:
    """A finished run of a language model on the corpus of the first run. Raises `UserError` for another one."""
    corpus = of_a_language_model(first)
    if of_a_language_model(folder) != corpus:
        raise UserError(f"{folder}: no finished run of a language model on {corpus}")
    if corpus_checksum(folder) != corpus_checksum(first):
        raise UserError(f"{folder}: trained on other texts than {first}; compare runs on one corpus")
    return measured(folder, split, [])


def load_run(folder: Path, corpus: ParallelCorpus, split: str) -> Run:
    """A finished run of a translation model on this corpus. Raises `UserError` for another one."""
    return measured(folder, split, read_outputs(folder, corpus, split))


def read_outputs(folder: Path, corpus: ParallelCorpus, split: str) -> list[Sentence]:
    """What a run on this corpus wrote for the split. Raises `UserError` for another corpus, and where its files have
    changed since."""
    name, lines = read_run(folder, split)
    if find_corpus(name, "train.source").resolve() != corpus.folder.resolve():
        raise UserError(f"{folder}: trained on another corpus, {name}; compare runs on one corpus")
    if corpus_checksum(folder) != checksum_of_pairs(corpus.folder):
        raise UserError(f"{folder}: the files of {name} have changed since the run was trained; train it again")
    expected = len(getattr(corpus, split))
    if len(lines) != expected:
        raise UserError(f"{folder}: {len(lines)} translations of {expected} sentences; the corpus has changed")
    return [split_words(line) for line in lines]


def measured(folder: Path, split: str, outputs: list[Sentence]) -> Run:
    """A run with its perplexity on the split, as its metrics.json has it."""
    needed = (f"{split}.{name}" for name in ("perplexity", "predictions", "unknown"))
    metrics = read_metrics(folder, "seed", *needed)
    scores = metrics[split]
    return Run(folder, metrics["seed"], scores["perplexity"], (scores["predictions"], scores["unknown"]), outputs)


def make_metrics(summaries: bool) -> dict[str, Metric]:
    """What translations or summaries are judged by."""
    if summaries:
        return {"BLEU": bleu_metric()} | {name: Rouge(kind) for kind, name in ROUGE_KINDS.items()}
    return {"BLEU": bleu_metric(), "chrF": CHRF()}


def score_systems(
    systems: Mapping[str, Sequence[Run]],
    references: Sequence[Sentence],
    metrics: Mapping[str, Metric],
    resamples: int,
    seed: int,
) -> dict[str, Table]:
    """The scores of all runs, by system. Every run is scored on the same resampled test sets.

    Perplexities are left out where the runs do not predict the same words, since they cannot be compared then.
    """
    test_sets = draw_test_sets(len(references), resamples, seed) if metrics else None
    comparable = len({run.predictions for runs in systems.values() for run in runs}) == 1
    tables: dict[str, Table] = {}
    for name, runs in systems.items():
        tables[name] = {LOG_PERPLEXITY: np.log([[run.perplexity] for run in runs])} if comparable else {}
        for key, metric in metrics.items():
            statistics = [statistics_of(metric, run.outputs, references) for run in runs]
            tables[name][key] = np.array([scores(metric, rows, test_sets) for rows in statistics])
    return tables


def differences(
    systems: Mapping[str, Sequence[Run]],
    tables: Mapping[str, Table],
    pairs: Sequence[tuple[str, str]],
    resamples: int,
    seed: int,
) -> list[dict]:
    """Each pair of systems by each metric: `Difference`, and in how many of the common seeds it has this sign."""
    rows = []
    for first, second in pairs:
        for metric, table in tables[first].items():
            other = tables[second][metric]
            if len(table) == len(other) == 1:
                difference = between_runs(table[0], other[0])
            else:
                difference = between_systems(table, other, resamples, seed)
            of_first, of_second = (by_seed(systems[name], tables[name][metric]) for name in (first, second))
            seeds = of_first.keys() & of_second.keys()
            alike = [bool((of_second[seed] - of_first[seed]) * difference.found > 0) for seed in seeds]
            row = {"first": first, "second": second, "metric": metric, **difference._asdict()}
            rows.append(row | {"alike": sum(alike), "of": len(alike), "runs": [len(table), len(other)]})
    return rows


def by_seed(runs: Sequence[Run], table: np.ndarray) -> dict[int, float]:
    """The scores of the runs on the test set itself."""
    return dict(zip(seeds_of(runs), table[:, 0].tolist(), strict=True))


def seeds_of(runs: Sequence[Run]) -> list[int]:
    return [run.seed for run in runs]


def show(tables: Mapping[str, Table], rows: Sequence[dict]) -> str:
    """What people read: the scores of the systems, the differences, and what may be said of them."""
    single = all(max(row["runs"]) == 1 for row in rows)
    width = max(map(len, tables)) + 2
    lines = [f"{'':{width}}{'runs':>4}" + "".join(f"{name:>16}" for name in next(iter(tables.values())))]
    for name, table in tables.items():
        cells = "".join(f"{spread(values[:, 0], digits(metric)):>16}" for metric, values in table.items())
        lines.append(f"{name:{width}}{len(next(iter(table.values()))):4}{cells}")
    names = f"{'difference':>12}{'95%':>20}{'p':>9}" + ("" if single else f"{'same sign':>14}")
    lines += ["", f"compared with {rows[0]['first']}:", f"{'':{width}}{'':16}{names}"]
    for row in rows:
        precision = digits(row["metric"])
        interval = "" if row["p"] is None else f"{row['low']:+.{precision}f} to {row['high']:+.{precision}f}"
        p_value = "" if row["p"] is None else f"{row['p']:.4f}"
        seeds = "" if single else f"{row['alike']} of {row['of']}"
        cells = f"{row['found']:+12.{precision}f}{interval:>20}{p_value:>9}{seeds:>14}"
        lines.append(f"{row['second']:{width}}{row['metric']:16}{cells}".rstrip())
    return "\n".join([*lines, "", *caveats(rows)])


def caveats(rows: Sequence[dict]) -> list[str]:
    """What the differences say, and what they do not."""
    if all(max(row["runs"]) == 1 for row in rows):
        lines = ["These are differences between these runs, not between systems: other seeds may turn them around."]
        resampled = any(row["p"] is not None for row in rows)
        return lines + ["Intervals and p are over resampled sentences only."] * resampled
    over_seeds = "of log perplexity (nats per word), over seeds only."
    lines = [f"Intervals and p are over resampled seeds and sentences; {over_seeds}"]
    if all(row["metric"] == LOG_PERPLEXITY for row in rows):
        lines = [f"Intervals and p are {over_seeds}"]
    return lines + few_seeds(rows, "A system")


def few_seeds(rows: Sequence[dict], subject: str) -> list[str]:
    """A sentence where some of the compared systems have too few seeds for a claim."""
    fewest = min((min(row["runs"]) for row in rows), default=SEEDS_OF_A_CLAIM)
    if fewest >= SEEDS_OF_A_CLAIM:
        return []
    return [f"{subject} has only {fewest} of the {SEEDS_OF_A_CLAIM} seeds that a claim takes: none is made."]


def read_systems(arguments: argparse.Namespace) -> dict[str, list[Path]]:
    """The run folders by system. A single run is a system of its own, under the name of its folder."""
    if bool(arguments.runs) == bool(arguments.system):
        raise UserError("give either two runs or more, or systems: --system NAME RUN RUN ... --system NAME RUN RUN ...")
    if arguments.runs:
        systems = [(str(run), [run]) for run in arguments.runs]
    else:
        systems = [(name, [Path(run) for run in runs]) for name, *runs in arguments.system]
    folders = [run.resolve() for _, runs in systems for run in runs]
    if len(systems) < 2 or not all(runs for _, runs in systems):
        raise UserError("two runs or more are needed to compare, or two systems with a run each or more")
    if len(set(folders)) < len(folders) or len(dict(systems)) < len(systems):
        raise UserError("a run or the name of a system is given twice; name each once")
    return dict(systems)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(prog="python -m tools.compare", description=__doc__)
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="run folders; the first is the baseline")
    parser.add_argument(
        "--system", nargs="+", action="append", metavar=("NAME", "RUN"), help="a system and its runs, one per seed"
    )
    parser.add_argument("--split", choices=("dev", "test"), default="test", help="what to compare on (default: test)")
    parser.add_argument("--resamples", type=int, default=1000, metavar="N", help="bootstrap samples (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the bootstrap (default: 1)")
    arguments = parser.parse_args()
    check_most(arguments)
    if arguments.resamples < 2 or arguments.seed < 0:
        raise UserError("--resamples must be at least 2, and --seed at least 0")
    folders, split = read_systems(arguments), arguments.split
    first = next(iter(folders.values()))[0]
    metrics, references = {}, []
    if of_a_language_model(first):
        systems = {name: [load_language_model_run(run, first, split) for run in runs] for name, runs in folders.items()}
    else:
        corpus = load_pairs(read_run(first, split)[0])
        systems = {name: [load_run(run, corpus, split) for run in runs] for name, runs in folders.items()}
        metrics, references = make_metrics(corpus.summarises), [pair.target for pair in getattr(corpus, split)]
    for name, runs in systems.items():
        if len(set(seeds_of(runs))) < len(runs):
            raise UserError(f"{name}: two of its runs have the same seed; they are one piece of evidence, not two")
    if not metrics and len({run.predictions for runs in systems.values() for run in runs}) > 1:
        raise UserError("the runs do not predict the same words, so their perplexities cannot be compared")
    baseline, *others = systems
    tables = score_systems(systems, references, metrics, arguments.resamples, arguments.seed)
    rows = differences(systems, tables, [(baseline, other) for other in others], arguments.resamples, arguments.seed)
    print(show(tables, rows))
    print("\n".join(f"{name}: {signature}" for name, signature in signatures(metrics).items()))


def signatures(metrics: Mapping[str, Metric]) -> dict[str, str]:
    """How each metric was computed. It is known once something was scored."""
    return {name: str(metric.get_signature()) for name, metric in metrics.items()}


if __name__ == "__main__":
    main()
