"""What part 3 of chapter 10 shows of trained models: `python -m book.figures.ch10_units_record RUNS`.

It prints the tables of chapters/10_beyond/RESULTS.md, which says how the corpora RUNS/corpora/DIRECTION are made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

from book.figures.recorded import recorded
from book.figures.recording import Recording
from common.evaluation.metrics import bleu
from common.text.corpus import Sentence
from common.text.pairs import Pair, load_pairs, read_pairs
from common.text.subwords import CHARACTERS, PairSplitter
from common.text.vocab import Vocabulary
from tools.metrics import read_metrics
from tools.tables import header, row_of

CHAPTER = "10_beyond"
RECORD = "figures/units.json"
SEEDS = ("1", "2", "3")
MIN_COUNT = 2
UNITS = ("characters", "sub500", "sub1000", "sub2000", "sub8000")
"""Runs of chapter 8 with these units, in the order of their length; `UNIT-SEED` in RUNS."""
STEPS = ("veldran-english", "english-bremish")
"""Directions that have a model of their own, `DIRECTION-SEED`; `all-SEED` are the models of all directions."""
FIGURES = ("bleu", "chrf", "perplexity", "piece_perplexity", "predictions", "piece_predictions")
BY_DIRECTION = ("bleu", "perplexity", "asked")
ALL = "--corpus village_tongues --hidden-size 64 --batch-size 32 --epochs 5 --likelihood-epochs 5 --seed "
SINGLE = "--corpus RUNS/corpora/DIRECTION --hidden-size 64 --batch-size 8 --epochs 5 --likelihood-epochs 5 --seed "
COMMANDS = {
    "units": "python chapters/08_attention/train.py --subwords N --seed SEED --run-dir RUNS/subN-SEED",
    "all": f"python chapters/10_beyond/train.py {ALL}SEED --run-dir RUNS/all-SEED",
    "single": f"python chapters/10_beyond/train.py {SINGLE}SEED --run-dir RUNS/DIRECTION-SEED",
}
CUTS = {"characters": CHARACTERS, "500": 500, "1,000": 1000, "2,000": 2000, "4,000": 4000, "8,000": 8000}
"""Numbers of pieces that are compared without any training."""
EXAMPLE = 6
"""The pair of test whose cuts are shown."""


def cuts() -> dict[str, dict[str, Any]]:
    """By unit: vocabularies, predictions and words of the test targets, unknown words among them, and an example."""
    corpus = load_pairs("village_pairs")
    sides = [Vocabulary.from_sentences(side, MIN_COUNT) for side in zip(*corpus.train, strict=True)]
    splitters = {name: PairSplitter.learn(corpus.train, number, MIN_COUNT) for name, number in CUTS.items()}
    targets = [pair.target for pair in corpus.test]
    words = sum(len(target) + 1 for target in targets)

    def of(vocabularies: Sequence[Vocabulary], cut: Callable[[Sentence], Sentence]) -> dict[str, Any]:
        words_cut = [cut([word]) for target in targets for word in target]
        unknown = sum(any(piece not in vocabularies[1] for piece in pieces) for pieces in words_cut)
        predictions = sum(len(cut(target)) + 1 for target in targets)
        example = cut(targets[EXAMPLE])
        sizes = [len(vocabulary) for vocabulary in vocabularies]
        counts = {"predictions": predictions, "words": words, "unknown": unknown}
        return {"vocabularies": sizes, **counts, "example": example}

    table = {name: of((splitter.source_vocab, splitter.vocab), splitter.target) for name, splitter in splitters.items()}
    return table | {"words": of(sides, list)}


def units(runs: Path, names: Sequence[str] = UNITS, seeds: Sequence[str] = SEEDS) -> dict[str, dict[str, dict]]:
    """Results on test by unit and seed."""

    def results(run: Path) -> dict[str, Any]:
        metrics = read_metrics(run)
        return {name: metrics["test"][name] for name in FIGURES} | {"seconds": metrics["seconds"]}

    return {unit: {seed: results(runs / f"{unit}-{seed}") for seed in seeds} for unit in names}


def directions(runs: Path, seeds: Sequence[str] = SEEDS) -> dict[str, dict]:
    """Results on test by direction and seed: of one model for all, and of models of their own."""

    def results(run: Path) -> dict[str, dict]:
        metrics = read_metrics(run)
        entries = metrics["test"]["directions"] | metrics.get("zero", {"directions": {}})["directions"]
        return {direction: {name: entry[name] for name in BY_DIRECTION} for direction, entry in entries.items()}

    return {
        "all": {seed: results(runs / f"all-{seed}") for seed in seeds},
        "single": {seed: {step: results(runs / f"{step}-{seed}")[step] for step in STEPS} for seed in seeds},
    }


def pivots(runs: Path, name: str = "village_tongues", seeds: Sequence[str] = SEEDS) -> dict[str, dict[str, dict]]:
    """BLEU and the share in the right language of translations through English, by system, seed and direction."""
    from chapters.beyond import pivot

    corpus = load_pairs(name)
    own = pivot.words_of_languages(corpus)
    pairs = read_pairs(corpus.folder, pivot.ZERO)
    numbers = pivot.by_direction(pivot.read_directions(corpus.folder, pivot.ZERO, len(pairs)))
    results: dict[str, dict[str, dict]] = {"one model": {}, "two models": {}}

    def judge(first: Any, second: Any, direction: str) -> dict[str, dict[str, float]]:
        some: list[Pair] = [pairs[number] for number in numbers[direction]]
        last = direction.split("-")[1]
        ways = pivot.both_ways(first, second, some, "english", last)
        references = [pair.target for pair in some]
        return {
            way: {"bleu": bleu(written, references).value, "asked": pivot.share_asked(written, last, own)}
            for way, written in ways.items()
        }

    for seed in seeds:
        model, first, second = (pivot.load_translator(runs / f"{name}-{seed}") for name in ("all", *STEPS))
        results["one model"][seed] = {direction: judge(model, None, direction) for direction in numbers}
        results["two models"][seed] = {"veldran-bremish": judge(first, second, "veldran-bremish")}
    return results


def measure(runs: Path) -> tuple[dict, dict]:
    """No settings, and all that is recorded."""
    results = {"units": units(runs), "directions": directions(runs), "pivots": pivots(runs)}
    return {}, {"commands": COMMANDS, "cuts": cuts(), **results}


def recorded_units() -> dict[str, Any]:
    """What was recorded."""
    return recorded(CHAPTER, RECORD)


def tables(record: Mapping[str, Any]) -> list[str]:
    """The tables of RESULTS.md as lines: every run, then the means."""
    lines = header("units,seed,predictions per word,BLEU,chrF,perplexity per word,per piece".split(","))
    for unit, runs in record["units"].items():
        for seed, scores in runs.items():
            share = scores["piece_predictions"] / scores["predictions"]
            found = [f"{scores[name]:.2f}" for name in ("bleu", "chrf")]
            found += [f"{scores[name]:.3f}" for name in ("perplexity", "piece_perplexity")]
            lines.append(row_of([unit, seed, f"{share:.2f}", *found]))
    lines += ["", *header(["direction", "model", "seeds", "BLEU", "mean", "perplexity, mean"])]
    for kind, runs in record["directions"].items():
        for direction in dict.fromkeys(name for run in runs.values() for name in run):
            some = [run[direction] for run in runs.values() if direction in run]
            written = ", ".join(f"{row['bleu']:.2f}" for row in some)
            means = [mean(row[name] for row in some) for name in ("bleu", "perplexity")]
            lines.append(f"| {direction} | {kind} | {len(some)} | {written} | {means[0]:.2f} | {means[1]:.2f} |")
    lines += ["", *header(["direction", "system", "way", "BLEU", "in the language"])]
    for system, runs in record["pivots"].items():
        ways = dict.fromkeys((name, way) for run in runs.values() for name, both in run.items() for way in both)
        for direction, way in ways:
            some = [run[direction][way] for run in runs.values() if direction in run]
            written = ", ".join(f"{row['bleu']:.2f}" for row in some)
            lines.append(f"| {direction} | {system} | {way} | {written} | {mean(row['asked'] for row in some):.1%} |")
    return lines


RECORDING = Recording(
    CHAPTER,
    "python -m book.figures.ch10_units_record RUNS",
    measure,
    {
        **{f"{unit}-{seed}": ("08_attention", f"--subwords {unit.removeprefix('sub')} --seed {seed}")
           for unit in UNITS for seed in SEEDS},
        **{f"all-{seed}": (CHAPTER, f"{ALL}{seed}") for seed in SEEDS},
        **{f"{step}-{seed}": (CHAPTER, SINGLE.replace("DIRECTION", step) + seed)
           for step in STEPS for seed in SEEDS},
    },
    name=RECORD,
    tables=tables,
)  # fmt: skip

if __name__ == "__main__":
    RECORDING.main(__doc__)
