"""Translations of a split, as the runs have them in their folders: by the length of the source, and by frequency.

length: BLEU of the translations of sentences of similar length.

frequency: for words that training has so often in its targets, how many the references have, and for each run the share
of these that its translations have, too (`recall`), how many such words it has written, and the share of these that the
references have (`precision`). A word counts in its own sentence, as often as both have it there.
"""

from __future__ import annotations

import argparse
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from common.evaluation.metrics import bleu
from common.text.corpus import Sentence
from common.text.pairs import Pair, ParallelCorpus, load_pairs
from tools.compare import read_outputs, read_run
from tools.tables import aligned

from .systems import legend

BOUNDS = (7, 10, 13, 16)
"""The most source words of each group of lengths but the last."""
FREQUENCIES = {
    "never": 0,
    "once": 1,
    "2 to 9 times": 2,
    "10 to 99 times": 10,
    "100 to 999 times": 100,
    "1,000 times or more": 1_000,
}
"""The groups of words by how often training has them, and the least number of each."""


def read_translations(arguments: argparse.Namespace) -> tuple[ParallelCorpus, list[Pair], list[list[Sentence]]]:
    """The corpus of runs, the pairs of the split, and the translations of each run.

    Raises `UserError` where a run has none, they are of different corpora, or the corpus has changed since.
    """
    split = arguments.split
    corpus = load_pairs(read_run(arguments.runs[0], split)[0])
    return corpus, getattr(corpus, split), [read_outputs(run, corpus, split) for run in arguments.runs]


def length_groups(pairs: Sequence[Pair]) -> dict[str, list[int]]:
    """The numbers of the pairs by the number of their source's words, each group up to one of the bounds."""
    edges = [0, *BOUNDS, max(len(pair.source) for pair in pairs)]
    groups = {
        f"{low + 1} to {high}": [number for number, pair in enumerate(pairs) if low < len(pair.source) <= high]
        for low, high in pairwise(edges)
    }
    return {name: numbers for name, numbers in groups.items() if numbers}


def bleu_by_length(pairs: Sequence[Pair], outputs: Sequence[Sentence]) -> dict[str, list[float]]:
    """By the group of lengths: how many pairs, and the BLEU of their translations."""
    return {
        name: [len(numbers), bleu([outputs[i] for i in numbers], [pairs[i].target for i in numbers]).value]
        for name, numbers in length_groups(pairs).items()
    }


def length_table(pairs: Sequence[Pair], systems: Mapping[str, Sequence[Sentence]]) -> str:
    """A line a group of lengths, a column a system. systems: name -> translations."""
    columns = [bleu_by_length(pairs, outputs) for outputs in systems.values()]
    references = [pair.target for pair in pairs]
    overall = [bleu(outputs, references) for outputs in systems.values()]
    rows = [["source words", "sentences", *(f"[{number}]" for number in range(1, len(columns) + 1))]]
    for name, (number, _) in columns[0].items():
        rows.append([name, f"{number:,}", *(f"{column[name][1]:.2f}" for column in columns)])
    rows.append(["all", f"{len(pairs):,}", *(f"{score.value:.2f}" for score in overall)])
    return "\n".join([aligned(rows), *legend(systems), f"BLEU {overall[0].signature}"])


def by_length(arguments: argparse.Namespace) -> str:
    _, pairs, outputs = read_translations(arguments)
    return length_table(pairs, dict(zip(map(str, arguments.runs), outputs, strict=True)))


class Matches(NamedTuple):
    """Words of a group: how many the references have, how many a system wrote, and how many are in both."""

    reference: int
    written: int
    both: int


def matches(
    references: Sequence[Sentence], outputs: Sequence[Sentence], counts: Mapping[str, int]
) -> dict[str, Matches]:
    """By the group of a word. counts: how often training has it."""
    least, totals = list(FREQUENCIES.values()), [Counter(), Counter(), Counter()]
    for reference, output in zip(references, outputs, strict=True):
        right, written = Counter(reference), Counter(output)
        for total, words in zip(totals, (right, written, written & right), strict=True):
            for word, number in words.items():
                total[bisect_right(least, counts[word]) - 1] += number
    return {group: Matches(*(total[place] for total in totals)) for place, group in enumerate(FREQUENCIES)}


def share(part: int, whole: int) -> str:
    """In percent; empty where there is nothing to be a share of."""
    return f"{part / whole:.1%}" if whole else ""


def frequency_table(
    references: Sequence[Sentence], systems: Sequence[Sequence[Sentence]], counts: Mapping[str, int]
) -> str:
    """A line a group of words, three columns a system. systems: the translations of each."""
    columns = [matches(references, outputs, counts) for outputs in systems]
    heads = [head for n in range(1, len(systems) + 1) for head in (f"[{n}] recall", "written", "precision")]
    rows = [["words that training has", "references", *heads]]
    for group in FREQUENCIES:
        cells = [f"{columns[0][group].reference:,}"]
        for of_group in (column[group] for column in columns):
            cells += [share(of_group.both, of_group.reference), f"{of_group.written:,}"]
            cells += [share(of_group.both, of_group.written)]
        rows.append([group, *cells])
    return aligned(rows)


def by_frequency(arguments: argparse.Namespace) -> str:
    corpus, pairs, outputs = read_translations(arguments)
    counts = Counter(word for pair in corpus.train for word in pair.target)
    return "\n".join([frequency_table([pair.target for pair in pairs], outputs, counts), *legend(arguments.runs)])
