"""What the figures of chapter 11's second part show: `python -m book.figures.ch11_part2_record RUNS`.

Two runs of the translator (minutes each), measured on village_pairs, and what one more word costs as a text grows, in
seconds of the processor. It prints the tables of RESULTS.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from book.figures.ch11_record import next_word, timed_models
from book.figures.recording import Recording, linked_pair
from common.programs.chapters import load_run
from common.text.alignment import alignment_figures, links_of, true_alignments
from common.text.pairs import Pair, load_pairs, make_pair_batches
from tools.metrics import read_metrics
from tools.tables import header, row_of

CHAPTER, PROGRAM, CORPUS = "11_transformer", "11_transformer_pairs", "village_pairs"
RECORD = "figures/recorded_pairs.json"
SEEDS = (1, 2)
SOURCE = "mirena greets galin and gives him her pretty castle ."
"""The source of the test pair that is shown."""
LENGTHS, ROUNDS = (10, 20, 40, 80, 160, 320, 640), 7
"""Of what is timed: words before the one that is predicted, and how often each model does that, in turn."""


def entry(folder: Path) -> dict:
    """What the table says of one run."""
    metrics = read_metrics(folder)
    names = ("perplexity", "bleu", "chrf")
    figures = {split: {name: metrics[split][name] for name in names} for split in ("dev", "test")}
    error = metrics["test"]["alignment"]["error_rate_of_aligned_words"]
    settings = {name: metrics[name] for name in ("seed", "parameters")}
    return {**settings, **figures, "alignment error": error, "signature": metrics["test"]["signature"]}


def heads_of(model: Any, pairs: list[Pair]) -> list[np.ndarray]:
    """What each head attends to in each pair: (heads of all blocks, target words + 1, source words)."""
    sources = [model.source_vocab.encode(pair.source) for pair in pairs]
    targets = [model.vocab.encode(pair.target) for pair in pairs]
    maps: list[Any] = [None] * len(pairs)
    for batch in make_pair_batches(sources, targets, 32):
        weights = model.attention(batch)
        for column, index in enumerate(batch.target.indices):
            maps[index] = weights[:, : len(targets[index]) + 1, : len(sources[index]), column]
    return maps


def measure(runs: Path) -> tuple[dict, dict]:
    """Settings and numbers of the runs."""
    folders, corpus = [runs / f"translator-{seed}" for seed in SEEDS], load_pairs(CORPUS)
    model, settings = load_run(folders[0])
    true = true_alignments(corpus, "test") or []
    maps = heads_of(model, corpus.test)
    each = [[links_of(of_pair[head]) for of_pair in maps] for head in range(len(maps[0]))]
    number = next(number for number, pair in enumerate(corpus.test) if " ".join(pair.source) == SOURCE)
    numbers = {
        "runs": [entry(folder) for folder in folders],
        "oracle": read_metrics(folders[0])["test"]["oracle_perplexity"],
        "heads": [alignment_figures(links, true)["error_rate_of_aligned_words"] for links in each],
        "sentence": {**linked_pair(corpus, "test", number), "attention": maps[number].tolist()},
        "generation": generation(),
    }
    return {"layers": settings.layers, "heads": settings.heads, "epochs": settings.epochs}, numbers


def generation() -> dict[str, Any]:
    """Milliseconds of the processor for one more word after so many: medians, all models in turn in each round."""
    models = timed_models()
    taken: dict[str, list[list[float]]] = {name: [] for name in models}
    for _ in range(ROUNDS + 1):
        for name, model in models.items():
            taken[name].append([1000 * next_word(model, length) for length in LENGTHS])
    medians = {name: np.median(rounds[1:], axis=0).tolist() for name, rounds in taken.items()}
    return {"lengths": LENGTHS, "milliseconds": medians}


def tables(numbers: Mapping) -> Iterator[str]:
    """The tables of RESULTS.md."""
    yield from header(["seed", "perplexity, dev", "test", "BLEU, dev", "test", "chrF, test", "alignment error"])
    for run in numbers["runs"]:
        figures = [run[split][name] for name in ("perplexity", "bleu") for split in ("dev", "test")]
        cells = [*(f"{value:.2f}" for value in figures), f"{run['test']['chrf']:.1f}", f"{run['alignment error']:.1%}"]
        yield row_of([str(run["seed"]), *cells])
    yield numbers["runs"][0]["signature"]
    yield "heads: " + ", ".join(f"{error:.0%}" for error in numbers["heads"])
    for name, milliseconds in numbers["generation"]["milliseconds"].items():
        yield row_of([name, *(f"{value:.2f}" for value in milliseconds)])


RECORDING = Recording(
    CHAPTER,
    "python chapters/11_transformer/train_pairs.py --seed SEED",
    measure,
    {f"translator-{seed}": (PROGRAM, f"--seed {seed}") for seed in SEEDS},
    name=RECORD,
    tables=tables,
)

if __name__ == "__main__":
    RECORDING.main(__doc__)
