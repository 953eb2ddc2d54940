"""What word attention and its gates are worth: `python -m tools.variants --corpus NAME --preset NAME`.

Trains the eight systems of chapter 9 with several seeds each, two runs at a time, or goes on where it was stopped. A
finished run is never trained again; `make ladder` uses the same run folders. Writes the numbers to
chapters/09_word_attention/variants.json, and those of all corpora as tables to VARIANTS.md in the same folder.

A system is called VARIANT-QUERY or gates-QUERY-CONTEXTS, after the flags --variant, --query and --output-contexts of
train.py: word-state, gates-state-plain. Its runs are in runs/ladder/CORPUS-09_word_attention-SYSTEM-seedN; with a
preset other than quick, the preset comes before the system. --list prints what trains the runs that are missing.
"""

from __future__ import annotations

import argparse
import importlib
import shlex
from collections.abc import Collection, Mapping, Sequence
from itertools import product
from pathlib import Path

from common.errors import UserError, did_you_mean, exits_cleanly
from common.executor import scheduler_argument
from common.files import read_object, write_json
from common.programs.arguments import check_most
from common.programs.chapters import CHAPTERS
from common.text.corpus import ROOT
from common.text.pairs import ParallelCorpus, load_pairs
from common.training import cli
from common.training.cli import as_flag
from common.training.past_runs import read_config
from tools.compare import Run, differences, load_run, make_metrics, score_systems, signatures
from tools.ladder import Rung, train_rungs
from tools.metrics import read_metrics
from tools.variants_report import write_report

CHAPTER = "09_word_attention"
SYSTEMS = (
    *(f"{variant}-{query}" for variant in ("rnnsearch", "word") for query in ("word", "state")),
    *(f"gates-{query}-{contexts}" for query in ("word", "state") for contexts in ("gated", "plain")),
)
FLAGS = ("--variant", "--query", "--output-contexts")
QUESTIONS = {
    "Word attention": (("rnnsearch-word", "word-word"), ("rnnsearch-state", "word-state")),
    "Gates": tuple(
        (f"word-{query}", f"gates-{query}-{contexts}") for query in ("word", "state") for contexts in ("gated", "plain")
    ),
    "The last word in the query": (
        ("rnnsearch-state", "rnnsearch-word"),
        ("word-state", "word-word"),
        ("gates-state-gated", "gates-word-gated"),
        ("gates-state-plain", "gates-word-plain"),
    ),
    "Contexts of the output layer": tuple(
        (f"gates-{query}-gated", f"gates-{query}-plain") for query in ("word", "state")
    ),
}
"""Which systems are compared, by what the comparison is about."""


def rung_of(system: str, preset: str) -> Rung:
    """A system as something that `tools.ladder` can train."""
    flags = [part for pair in flags_of(system).items() for part in pair]
    if preset == "quick":
        return Rung(CHAPTER, system, flags=tuple(flags), system=system)
    return Rung(CHAPTER, system, flags=(*flags, "--preset", preset), system=f"{preset}-{system}")


def flags_of(system: str) -> dict[str, str]:
    """The flags that a system is called after. Only gates have all three."""
    return dict(zip(FLAGS, system.split("-"), strict=False))


def check_runs(rungs: Sequence[Rung], corpus: str, seeds: Sequence[int], preset: str) -> None:
    """Raises `UserError` where a folder holds a run with another seed or other settings than its name says.

    A setting that the version of the code which made the run did not have is as it was then, and passes.
    """
    presets = importlib.import_module(f"chapters.{CHAPTER}.settings").PRESETS
    if preset not in presets:
        raise UserError(
            f"--preset: no preset {preset!r}; there are {', '.join(presets)}{did_you_mean(preset, presets)}"
        )
    for rung, seed in product(rungs, seeds):
        folder = rung.folder(corpus, seed)
        if not (folder / "config.json").exists():
            continue
        found = read_config(folder, CHAPTER)["settings"]
        given = {flag[2:].replace("-", "_"): value for flag, value in flags_of(rung.name).items()}
        for name, value in {**presets[preset], "corpus": None, "seed": seed, **given}.items():
            if value is not None and found.get(name, value) != value:
                raise UserError(f"{folder}: holds a run with {as_flag(name, found[name])}; move it away")


def measure(runs: Mapping[str, Sequence[Path]], corpus: ParallelCorpus, preset: str, resamples: int) -> dict:
    """Everything that the report shows of one corpus. runs: by system, those that are finished, one or more."""
    metrics, references = make_metrics(corpus.summarises), [pair.target for pair in corpus.test]
    systems = {name: [load_run(folder, corpus, "test") for folder in folders] for name, folders in runs.items()}
    tables = score_systems(systems, references, metrics, resamples, seed=1)
    pairs = [pair for pairs in QUESTIONS.values() for pair in pairs if runs.keys() >= set(pair)]
    return {
        "preset": preset,
        "metrics": signatures(metrics),
        "runs": {
            name: [
                entry(run) | {metric: tables[name][metric][number, 0] for metric in metrics}
                for number, run in enumerate(found)
            ]
            for name, found in systems.items()
        },
        "resamples": resamples,
        "differences": differences(systems, tables, pairs, resamples, seed=1),
    }


def entry(run: Run) -> dict:
    """What the report says of one run, with the scores of its outputs."""
    metrics = read_metrics(run.folder, "seed", "parameters", "seconds", "epochs", "dev.perplexity", "test.perplexity")
    perplexities = {split: metrics[split]["perplexity"] for split in ("dev", "test")}
    kept = {name: metrics[name] for name in ("seed", "parameters", "seconds")}
    return kept | {"epochs": len(metrics["epochs"]), "perplexity": perplexities}


def finished_runs(rungs: Sequence[Rung], corpus: str, seeds: Sequence[int]) -> dict[str, list[Path]]:
    """By system, its finished runs in the order of the seeds. Raises `UserError` where there are none at all."""
    found: dict[str, list[Path]] = {}
    for rung, seed in product(rungs, seeds):
        if rung.training(corpus, seed).is_finished():
            found.setdefault(rung.name, []).append(rung.folder(corpus, seed))
    if not found:
        raise UserError(f"no finished run on {corpus}; the first would be in {rungs[0].folder(corpus, seeds[0])}")
    return found


def chosen(names: str, systems: Collection[str]) -> list[str]:
    """The systems that --systems names, in the order of the report. Raises `UserError` for an unknown one."""
    wanted = names.split(",") if names else list(systems)
    unknown = [name for name in wanted if name not in systems]
    if unknown:
        suggestion = did_you_mean(unknown[0], systems)
        raise UserError(f"--systems: no system {unknown[0]!r:.40}; there are {', '.join(systems)}{suggestion}")
    return [name for name in systems if name in wanted]


def read_table(path: Path) -> dict:
    """What was measured before, nothing at first. Raises `UserError` where the file is damaged."""
    if not path.exists():
        return {}
    damaged = "no readable table; remove it, and --finished makes it again from the runs"
    return read_object(path, damaged, damaged)


def check_kept(measured: dict | None, rungs: Sequence[Rung], arguments: argparse.Namespace) -> None:
    """Raises `UserError` where the new measurement of a corpus would leave out what the old one has."""
    if measured is None:
        return
    lost = sorted(measured["runs"].keys() - {rung.name for rung in rungs})
    lost = [f"--preset {measured['preset']}"] if measured["preset"] != arguments.preset else lost
    if lost:
        path = arguments.out / "variants.json"
        raise UserError(f"{path} has {', '.join(lost)}, which would be lost; give another folder with --out")


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(
        prog="python -m tools.variants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="village_pairs", metavar="NAME", help="what to train on")
    parser.add_argument("--preset", default="quick", metavar="NAME", help="how, as of train.py (default: quick)")
    parser.add_argument("--systems", default="", metavar="NAME,NAME", help="only these (default: all eight)")
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="runs of each system (default: 5)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at a time (default: 2)")
    scheduler_argument(parser)
    parser.add_argument("--resamples", type=int, default=1000, metavar="N", help="bootstrap samples (default: 1000)")
    parser.add_argument("--finished", action="store_true", help="train nothing, report on the runs that are finished")
    parser.add_argument("--list", action="store_true", help="print the commands that train what is missing, and stop")
    parser.add_argument(
        "--out",
        type=Path,
        default=CHAPTERS / CHAPTER,
        metavar="DIR",
        help="where the numbers go (default: the chapter)",
    )
    arguments = parser.parse_args()
    check_most(arguments)
    if min(arguments.seeds, arguments.jobs) < 1 or arguments.resamples < 2:
        raise UserError("--seeds and --jobs must be at least 1, --resamples at least 2")
    rungs = [rung_of(name, arguments.preset) for name in chosen(arguments.systems, SYSTEMS)]
    seeds = range(1, arguments.seeds + 1)
    corpus = load_pairs(arguments.corpus)
    check_runs(rungs, arguments.corpus, seeds, arguments.preset)
    measured = read_table(arguments.out / "variants.json")
    if not arguments.list:
        check_kept(measured.get(corpus.name), rungs, arguments)
    if arguments.list:
        for rung, seed in product(rungs, seeds):
            training = rung.training(arguments.corpus, seed)
            if not training.is_finished():
                print(as_line(training.command()))
        return
    if not arguments.finished:
        train_rungs([(rungs, arguments.corpus)], seeds, arguments.jobs, arguments.scheduler)
    runs = finished_runs(rungs, arguments.corpus, seeds)
    measured[corpus.name] = measure(runs, corpus, arguments.preset, arguments.resamples)
    write_json(arguments.out / "variants.json", measured)
    print(write_report(measured, QUESTIONS, arguments.out).read_text(encoding="utf-8"))


def as_line(words: Sequence[str]) -> str:
    """A command as one types it in the folder of the course."""
    return shlex.join(["python", *(word.removeprefix(f"{ROOT}/") for word in words)])


if __name__ == "__main__":
    main()
