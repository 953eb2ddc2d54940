"""The corpora of pairs of this project: what is known about them, and how they are written.

`TRUTHS["village_pairs"]` and `TRUTHS["village_headlines"]` answer what a target costs, what decides each of its words,
which source words it renders (see `data.pair_truth.PairTruth`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.files import write_json, write_lines
from common.text.pairs import read_pairs
from data import headlines_grammar, pairs_grammar
from data.grammar import Word
from data.headlines_phrases import headlines
from data.oracle import known_words, print_figures, summarise, write_truth
from data.pair_truth import PairTruth, bracketed, label_table
from data.pairs_phrases import pairs
from data.synchronous import Derivation

TRUTHS = {
    "village_pairs": PairTruth(pairs, pairs_grammar.START),
    "village_headlines": PairTruth(headlines, headlines_grammar.START, skip="selection"),
}
TASKS = {"village_pairs": "translation", "village_headlines": "summarisation"}
"""What the pairs are for: it decides by what outputs are judged."""
SEEDS = {"village_pairs": 1881, "village_headlines": 1894}
SIZES = {"train": 10_000, "dev": 1_000, "test": 1_000}
MOST_PAIRS = 1_000_000
"""Of --pairs: all are in memory before they are written, 2 kB each."""
FOLDER = Path(__file__).parent

Drawn = tuple[Derivation, list[Word]]
Lines = dict[str, str]
"""A pair as the line that each file of its split holds: kind of file -> line."""
Texts = tuple[list[list[str]], list[list[str]]]


def _alignment(pair: Drawn) -> str:
    return " ".join(f"{i}-{j}" for j, word in enumerate(pair[1]) for i in word.origin)


# What the line of a pair holds in each file of a split.
LINES: Mapping[str, Callable[[Drawn], str]] = {
    "source": lambda pair: " ".join(pair[0].source()),
    "target": lambda pair: " ".join(word.text for word in pair[1]),
    "align": _alignment,
    "trees": lambda pair: bracketed(pair[0]),
}


def draw(name: str, seed: int) -> Iterator[Lines]:
    """Independent pairs of a corpus, without end."""
    truth = TRUTHS[name]
    for pair in iter(truth.grammar.sampler(truth.start, seed), None):
        yield {kind: line(pair) for kind, line in LINES.items()}


def draw_splits(name: str) -> dict[str, list[Lines]]:
    """The three splits as committed: independent samples, nothing removed, so that the truth about them is exact."""
    pairs = draw(name, SEEDS[name])
    return {split: list(islice(pairs, size)) for split, size in SIZES.items()}


def draw_more(name: str, number: int, seed: int) -> dict[str, list[Lines]]:
    """`number` other pairs to train on, drawn independently, and the dev and test splits as committed.

    Raises `UserError` for the seed of the committed splits, with which train would hold dev and test.
    """
    if not 1 <= number <= MOST_PAIRS:
        raise UserError(f"--pairs {number}: must be from 1 to {MOST_PAIRS}")
    if seed < 0 or seed == SEEDS[name]:
        raise UserError(f"--seed {seed}: must be 0 or more, and not {SEEDS[name]}, which gives dev and test, too")
    return draw_splits(name) | {"train": list(islice(draw(name, seed), number))}


def write_pairs(folder: Path, name: str, with_truth: bool) -> None:
    """Write the corpus as committed: `train.source`, `train.target`, `train.align`, `train.trees` and so on, and
    `corpus.json`, which says what the pairs are for; with the truth, `oracle.json`."""
    write_splits(folder, name, draw_splits(name), {}, with_truth)


def write_more_pairs(folder: Path, name: str, number: int, seed: int, with_truth: bool) -> None:
    """Write a corpus as `draw_more` draws it; its `corpus.json` also says which grammar and seed wrote it."""
    write_splits(folder, name, draw_more(name, number, seed), {"grammar": name, "seed": seed}, with_truth)


def write_splits(
    folder: Path, name: str, splits: Mapping[str, Sequence[Lines]], facts: Mapping[str, str | int], with_truth: bool
) -> None:
    """Write the files of all splits, `corpus.json` with these facts and the task, and `oracle.json`."""
    write_json(folder / "corpus.json", {"task": TASKS[name], **facts})
    for split, lines in splits.items():
        for kind in LINES:
            write_lines(folder / f"{split}.{kind}", (line[kind] for line in lines))
    texts = {split: _texts(lines) for split, lines in splits.items()} if with_truth else {}
    write_truth(folder, pairs_truth(TRUTHS[name], texts) if texts else None)


def _texts(lines: Sequence[Lines]) -> Texts:
    return [line["source"].split() for line in lines], [line["target"].split() for line in lines]


def truth_of(name: str, facts: Mapping[str, Any]) -> PairTruth:
    """The truth about a corpus that `python -m data generate` wrote. Raises `UserError` for another corpus.

    facts: what its corpus.json and oracle.json say (`ParallelCorpus.facts`).
    """
    grammar = facts.get("corpus", {}).get("grammar", name)
    if grammar not in TRUTHS:
        raise UserError(f"{name}: not drawn from a grammar of the course; choose {' or '.join(TRUTHS)}")
    return TRUTHS[grammar]


def pairs_truth(truth: PairTruth, splits: Mapping[str, Texts]) -> dict:
    """The contents of `oracle.json`: the results on each split, and on dev those of each phenomenon."""
    vocabulary = known_words(splits["train"][1])
    figures: dict = {split: split_truth(truth, texts, vocabulary) for split, texts in splits.items()}
    return figures | {"phenomena": label_table(truth, list(zip(*splits["dev"], strict=True)))}


def split_truth(truth: PairTruth, texts: Texts, vocabulary: set[str]) -> dict[str, float | int]:
    """Log P(target | source) of a split (nats), predictions (target words and `</s>`) and perplexity: of all, and of
    the known target words alone; see `data.oracle.split_truth`."""
    return summarise(texts[1], map(truth.token_log_probs, *texts), vocabulary)


def print_pair_oracle(name: str, splits: Sequence[str]) -> None:
    """Compute the truth about each split anew, and print it; then what each phenomenon costs in the last of them."""
    texts = {split: _read(name, split) for split in dict.fromkeys(["train", *splits])}
    vocabulary = known_words(texts["train"][1])
    figures = {split: split_truth(TRUTHS[name], texts[split], vocabulary) for split in splits}
    print_figures({split: (len(texts[split][0]), truth) for split, truth in figures.items()})
    print(f"what decides the words of {splits[-1]}")
    print(f"{'decided by':<14}{'share':>8}{'nats each':>11}")
    for label, row in label_table(TRUTHS[name], list(zip(*texts[splits[-1]], strict=True))).items():
        print(f"{label:<14}{row['share']:>8.2%}{row['nats']:>11.3f}")


def _read(name: str, split: str) -> Texts:
    source, target = zip(*read_pairs(FOLDER / name, split), strict=True)
    return list(source), list(target)
