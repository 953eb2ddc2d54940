"""What word attention and its gates gain: the eight systems of chapter 9, compared in pairs.

Writes the numbers to variants.json in chapters/09_word_attention, and those of all corpora as tables to VARIANTS.md.

A system is called VARIANT-QUERY or gates-QUERY-CONTEXTS, after the flags --variant, --query and --output-contexts of
train.py: word-state, gates-state-plain. Its runs are in runs/ladder/CORPUS-09_word_attention-SYSTEM-seedN; with a
preset other than quick, the preset comes before the system.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

from common.endings import did_you_mean
from common.errors import UserError
from common.files import atomic_write, read_object, write_json
from common.programs.chapters import CHAPTERS
from common.text.pairs import ParallelCorpus, load_pairs
from common.training.cli import as_flag
from common.training.past_runs import read_config
from common.training.presets import presets_of
from tools.compare import (
    LOG_PERPLEXITY,
    Run,
    differences,
    few_seeds,
    load_run,
    make_metrics,
    score_systems,
    signatures,
)
from tools.metrics import read_metrics, spread
from tools.tables import difference_head, difference_row, header, row_of

from .runs import System, add_run_arguments, finished_runs, ladder_folder, make_trainings, select_systems, train_missing
from .systems import QUESTIONS, VARIANT_FLAGS, VARIANTS, variant

CHAPTER = "09_word_attention"
HEADING = Path(__file__).with_name("variants.txt")
"""How VARIANTS.md begins."""


def check_runs(systems: Sequence[System], corpus: str, seeds: Sequence[int], preset: str) -> None:
    """Raises `UserError` where a folder contains a run with another seed or other settings than its name says.

    A setting that the version of the code which made the run did not have is as it was then, and passes.
    """
    presets = presets_of(CHAPTER)
    if preset not in presets:
        raise UserError(
            f"--preset: no preset {preset!r}; there are {', '.join(presets)}{did_you_mean(preset, presets)}"
        )
    for system, seed in product(systems, seeds):
        folder = system.folder(corpus, seed)
        if not (folder / "config.json").exists():
            continue
        actual = read_config(folder, CHAPTER)["settings"]
        names = (flag[2:].replace("-", "_") for flag in VARIANT_FLAGS)
        flags = dict(zip(names, system.name.split("-"), strict=False))
        for name, value in {**presets[preset], "corpus": None, "seed": seed, **flags}.items():
            if value is not None and actual.get(name, value) != value:
                raise UserError(f"{folder}: contains a run with {as_flag(name, actual[name])}; move it away")


def check_kept(measured: dict | None, systems: Sequence[System], arguments: argparse.Namespace) -> None:
    """Raises `UserError` where the new measurement of a corpus would leave out what the old one has."""
    if measured is None:
        return
    lost = sorted(measured["runs"].keys() - {system.name for system in systems})
    lost = [f"--preset {measured['preset']}"] if measured["preset"] != arguments.preset else lost
    if lost:
        path = arguments.out / "variants.json"
        raise UserError(f"{path} has {', '.join(lost)}, which would be lost; give another folder with --out")


def measure(folders: Mapping[str, Sequence[Path]], corpus: ParallelCorpus, preset: str, resamples: int) -> dict:
    """Everything that the report shows of one corpus. folders: of the finished runs, by system."""
    metrics, references = make_metrics(corpus.summarises), [pair.target for pair in corpus.test]
    systems = {name: [load_run(run, corpus, "test") for run in runs] for name, runs in folders.items()}
    tables = score_systems(systems, references, metrics, resamples, seed=1)
    pairs = [pair for pairs in QUESTIONS.values() for pair in pairs if folders.keys() >= set(pair)]
    return {
        "preset": preset,
        "metrics": signatures(metrics),
        "runs": {
            name: [
                run_entry(run) | {metric: tables[name][metric][number, 0] for metric in metrics}
                for number, run in enumerate(runs)
            ]
            for name, runs in systems.items()
        },
        "resamples": resamples,
        "differences": differences(systems, tables, pairs, resamples, seed=1),
    }


def run_entry(run: Run) -> dict:
    """What the report says of one run, without the scores of its outputs."""
    metrics = read_metrics(run.folder, "seed", "parameters", "seconds", "epochs", "dev.perplexity", "test.perplexity")
    perplexities = {split: metrics[split]["perplexity"] for split in ("dev", "test")}
    entry = {name: metrics[name] for name in ("seed", "parameters", "seconds")}
    return entry | {"epochs": len(metrics["epochs"]), "perplexity": perplexities}


def write_report(measured: Mapping[str, dict], folder: Path) -> Path:
    """Write VARIANTS.md into `folder`; its path. measured: corpus -> what `measure` returns."""
    path, lines = folder / "VARIANTS.md", [HEADING.read_text(encoding="utf-8")]
    for corpus, results in measured.items():
        lines += [*score_table(corpus, results), *comparisons(results)]
    with atomic_write(path) as file:
        file.write("\n".join(lines[:-1]) + "\n")
    return path


def score_table(corpus: str, results: dict) -> list[str]:
    """A corpus, and the scores of each system on it."""
    names = ["system", "seeds", "parameters", "perplexity, dev", "test", *results["metrics"]]
    lines = [f"## {corpus}", "", f"Preset `{results['preset']}`.", "", *header(names)]
    for name, runs in results["runs"].items():
        perplexities = (spread([run["perplexity"][split] for run in runs]) for split in ("dev", "test"))
        scores = (spread([run[metric] for run in runs]) for metric in results["metrics"])
        lines.append(row_of([f"`{name}`", str(len(runs)), f"{runs[0]['parameters']:,}", *perplexities, *scores]))
    return [*lines, "", *(f"- {name}: `{signature}`" for name, signature in results["metrics"].items()), ""]


def comparisons(results: dict) -> list[str]:
    """A table for each question: by how much the second system of each pair differs from the first."""
    metrics, lines = [LOG_PERPLEXITY, "BLEU", list(results["metrics"])[-1]], []
    for question, pairs in QUESTIONS.items():
        rows = [row for row in results["differences"] if (row["first"], row["second"]) in pairs]
        if rows:
            lines += [f"### {question}", "", *difference_head()]
            lines += [difference_row(row) for row in rows if row["metric"] in metrics]
            lines += ["", *(line for sentence in few_seeds(rows, "A system here") for line in (sentence, ""))]
    return lines


def add_arguments(parser: argparse.ArgumentParser) -> None:
    out = CHAPTERS / CHAPTER
    parser.add_argument("--corpus", default="village_pairs", metavar="NAME", help="a corpus of pairs")
    parser.add_argument("--preset", default="quick", metavar="NAME", help="preset of train.py (default: quick)")
    parser.add_argument("--systems", default="", metavar="NAME,NAME", help="only these systems (default: all eight)")
    add_run_arguments(parser, seeds=5)
    parser.add_argument("--resamples", type=int, default=1000, metavar="N", help="bootstrap samples (default: 1000)")
    parser.add_argument(
        "--out", type=Path, default=out, metavar="DIR", help="folder for the numbers (default: the chapter's)"
    )


def run(arguments: argparse.Namespace) -> None:
    if arguments.resamples < 2:
        raise UserError("--resamples must be at least 2")
    names = select_systems(arguments.systems, {name: variant(name, arguments.preset) for name in VARIANTS})
    seeds, corpus = range(1, arguments.seeds + 1), load_pairs(arguments.corpus)
    check_runs(names, arguments.corpus, seeds, arguments.preset)
    path = arguments.out / "variants.json"
    damaged = "no readable table; remove it, and --finished makes it again from the runs"
    measured = read_object(path, damaged, damaged) if path.exists() else {}
    if not arguments.list:
        check_kept(measured.get(corpus.name), names, arguments)
    if train_missing(make_trainings(names, arguments.corpus, seeds), arguments, ladder_folder()):
        runs = finished_runs(names, arguments.corpus, seeds)
        measured[corpus.name] = measure(runs, corpus, arguments.preset, arguments.resamples)
        write_json(path, measured)
        print(write_report(measured, arguments.out).read_text(encoding="utf-8"))
