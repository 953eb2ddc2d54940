"""What word attention and its gates are worth: `python -m tools.variants --corpus NAME`.

Trains the three variants of chapter 9 with several seeds each, two trainings at a time, or goes on where it was
stopped. What is trained already is not trained again; `make ladder` uses the same run folders. Writes the figures to
chapters/09_word_attention/variants.json, and all that are there as tables to VARIANTS.md beside it.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from sacrebleu.metrics.base import Metric

from common import cli, runtime
from common.batching import make_pair_batches
from common.chapters import CHAPTERS, load_trained
from common.corpus import Sentence, find_corpus
from common.errors import UserError, exits_cleanly
from common.files import write_json
from common.pairs import Pair, ParallelCorpus, load_pairs
from common.subwords import PairSplitter
from tools.compare import make_metrics, read_run
from tools.ladder import Rung, read_metrics, train_all
from tools.significance import paired_bootstrap, score, statistics_of
from tools.variants_report import write_report

CHAPTER = "09_word_attention"
PAIRS = (("rnnsearch", "word"), ("word", "gates"), ("rnnsearch", "gates"))
BATCHES, ROUNDS = 20, 3


@dataclass(frozen=True)
class Variant(Rung):
    """A rung whose corpus may be a folder."""

    def folder(self, corpus: str, seed: int) -> Path:
        return super().folder(Path(corpus).name, seed)


def variants_of(preset: str) -> list[Variant]:
    """The three variants of chapter 9, trained with a preset."""
    more = () if preset == "quick" else ("--preset", preset)
    return [Variant(CHAPTER, name, flags=("--variant", name, *more)) for name in ("rnnsearch", "word", "gates")]


def measure(runs: Mapping[Rung, Sequence[Path]], corpus: ParallelCorpus, resamples: int, seed: int) -> dict:
    """Everything that the report shows: figures of each run, speed, significance."""
    metrics = make_metrics(corpus.summarises)
    references = [pair.target for pair in corpus.test]
    figures, statistics = {}, {}
    for rung, folders in runs.items():
        found = [outputs(folder, corpus) for folder in folders]
        statistics[rung.name] = {
            name: [statistics_of(metric, hypotheses, references) for hypotheses in found]
            for name, metric in metrics.items()
        }
        figures[rung.name] = [entry(folder) for folder in folders]
        for name, metric in metrics.items():
            for rows, run in zip(statistics[rung.name][name], figures[rung.name], strict=True):
                run[name] = score(metric, rows.sum(axis=0))
    return {
        "preset": read_metrics(next(iter(runs.values()))[0])["preset"],
        "metrics": list(metrics),
        "runs": figures,
        "words_per_cpu_second": words_per_cpu_second({rung.name: runs[rung][0] for rung in runs}, corpus.train),
        "resamples": resamples,
        "differences": differences(statistics, metrics, resamples, seed),
    }


def outputs(folder: Path, corpus: ParallelCorpus) -> list[Sentence]:
    """What a run made of the test split. Raises `UserError` for a run on another corpus."""
    name, lines = read_run(folder, "test")
    if find_corpus(name, "train.source").resolve() != corpus.folder.resolve() or len(lines) != len(corpus.test):
        raise UserError(f"{folder}: trained on another corpus of this name, {name}; move that run away")
    return [line.split() for line in lines]


def entry(folder: Path) -> dict:
    """What the report says of one run, beside the metrics of its outputs."""
    metrics = read_metrics(folder)
    perplexities = {split: metrics[split]["perplexity"] for split in ("dev", "test")}
    kept = {name: metrics[name] for name in ("seed", "parameters", "seconds")}
    return kept | {"epochs": len(metrics["epochs"]), "perplexity": perplexities}


def differences(
    statistics: Mapping[str, Mapping[str, list]], metrics: Mapping[str, Metric], resamples: int, seed: int
) -> list[dict]:
    """Each pair of variants by each metric: seed against seed, and the means of all seeds (`tools.significance`)."""
    found = []
    for first, second in PAIRS:
        for name, metric in metrics.items():
            one, other = statistics[first][name], statistics[second][name]
            kinds = [([a], [b]) for a, b in zip(one, other, strict=True)] + [(one, other)]
            *seeds, means = (paired_bootstrap(metric, *kind, resamples, seed)._asdict() for kind in kinds)
            found.append({"first": first, "second": second, "metric": name, "seeds": seeds, "means": means})
    return found


def words_per_cpu_second(folders: Mapping[str, Path], pairs: Sequence[Pair]) -> dict[str, float]:
    """Target predictions that are trained on in a second of one core, by variant, on the same batches in turn.

    The models that are trained for it are thrown away.
    """
    import dynet as dy

    from common.nn.optimiser import make_optimiser

    trained = {name: load_trained(folder) for name, folder in folders.items()}
    model, settings = next(iter(trained.values()))
    if settings.subwords:
        pairs = PairSplitter.load(next(iter(folders.values())), model.source_vocab, model.vocab).pairs(pairs)
    encoded = [
        [vocab.encode(getattr(pair, side)) for pair in pairs]
        for side, vocab in (("source", model.source_vocab), ("target", model.vocab))
    ]
    batches = make_pair_batches(*encoded, settings.batch_size)
    batches = batches[:: max(len(batches) // BATCHES, 1)]
    predictions, seconds = sum(batch.target.predictions for batch in batches), {name: [] for name in trained}
    for _ in range(ROUNDS):
        for name, (model, settings) in trained.items():
            optimiser = make_optimiser(settings.optimiser, model.collection, settings.clip, settings.epsilon)
            optimiser.learning_rate = settings.learning_rate / 10
            start = time.process_time()
            for batch in batches:
                dy.renew_cg()
                loss = model.loss(batch) * (1 / len(batch.target.indices))
                loss.backward()
                optimiser.update()
            seconds[name].append(time.process_time() - start)
    return {name: predictions / median(found) for name, found in seconds.items()}


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(
        prog="python -m tools.variants", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="village_pairs", metavar="NAME", help="what to train on")
    parser.add_argument("--preset", default="quick", metavar="NAME", help="how, as of train.py (default: quick)")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="trainings a variant (default: 3)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="trainings at a time (default: 2)")
    parser.add_argument("--resamples", type=int, default=1000, metavar="N", help="bootstrap samples (default: 1000)")
    parser.add_argument(
        "--out",
        type=Path,
        default=CHAPTERS / CHAPTER,
        metavar="DIR",
        help="where the figures go (default: the chapter)",
    )
    arguments = parser.parse_args()
    if min(arguments.seeds, arguments.jobs, arguments.resamples) < 1:
        raise UserError("--seeds, --jobs and --resamples must be at least 1")
    corpus = load_pairs(arguments.corpus)
    seeds = range(1, arguments.seeds + 1)
    runs = train_all([(variants_of(arguments.preset), arguments.corpus)], seeds, arguments.jobs)[arguments.corpus]
    runtime.configure()
    table = arguments.out / "variants.json"
    measured = json.loads(table.read_text(encoding="utf-8")) if table.exists() else {}
    measured[corpus.name] = measure(runs, corpus, arguments.resamples, seed=1)
    write_json(table, measured)
    print(write_report(measured, arguments.out).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
