"""Which source word does a target word translate? Alignments, and how far predicted ones are from true ones.

An alignment is a set of links (i, j): source word i and target word j, both from 0.

Some target words have no aligned word (in the embedded pairs the particles na and li, and some commas), yet
attention weights always sum to 1, and a link of such a word is wrong. So no attention has an error rate of 0 where such
words occur (on test of `village_pairs` the least possible is 8.0%), while a model with a NULL word may leave them
unaligned. `alignment_figures` therefore also gives the error rate over the target words that have an aligned word. A
source word without an aligned word (an article) costs nothing, unless something is linked to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from common.errors import UserError
from common.text.pairs import Pair, ParallelCorpus
from common.text.vocab import split_lines, split_words

Links = set[tuple[int, int]]

LINK = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


def read_alignments(path: str | Path, pairs: Sequence[Pair] | None = None) -> list[Links]:
    """The links of each line of a file of `i-j i-j ...`; an empty line is a pair without links. pairs: the sentences,
    line by line, that the links must fit. Raises `UserError` that names the file and the line."""
    path = Path(path)
    try:
        lines = split_lines(path.read_bytes().decode("utf-8", "replace"))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; alignments are lines of i-j, word numbers from 0") from None
    if pairs is not None and len(lines) != len(pairs):
        raise UserError(f"{path}: one line per pair is needed, so {len(pairs)} and not {len(lines)}")
    alignments = [parse_links(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1)]
    for number, (links, pair) in enumerate(zip(alignments, pairs or [], strict=False), start=1):
        for i, j in sorted(links):
            if i >= len(pair.source) or j >= len(pair.target):
                raise UserError(
                    f"{path}, line {number}: {i}-{j}, but the words of this pair are 0 to {len(pair.source) - 1} and "
                    f"0 to {len(pair.target) - 1}; fix the line"
                )
    return alignments


def parse_links(line: str, place: str) -> Links:
    """The links of a line; `place` is the name to use in error messages."""
    links = set()
    for part in split_words(line):
        match = LINK.fullmatch(part)
        if not match:
            raise UserError(f"{place}: {part!r} is not a link; write i-j, source and target word, both from 0")
        links.add((int(match[1]), int(match[2])))
    return links


def true_alignments(corpus: ParallelCorpus, split: str) -> list[Links] | None:
    """The alignments in the SPLIT.align of a corpus, or `None` without that file. Raises `UserError` for bad ones."""
    path = corpus.folder / f"{split}.align"
    return read_alignments(path, getattr(corpus, split)) if path.is_file() else None


def links_of(attention: np.ndarray) -> Links:
    """For each target word the source word that it attends to most (the first of equals). attention: (target words + 1,
    source words); the last row is that of `</s>`, which aligns with no word."""
    return {(int(i), j) for j, i in enumerate(attention[:-1].argmax(axis=1))}


def alignment_error_rate(found: Iterable[Links], true: Iterable[Links]) -> float:
    """AER = 1 - (|A & S| + |A & P|) / (|A| + |S|) over all sentences together (Och and Ney 2003).

    Every true link is both sure (S) and possible (P), so this is 1 - 2 |A & S| / (|A| + |S|), one minus the harmonic
    mean of precision and recall. No link found and none to find: 0.
    """
    hits, links, total = totals(found, true)
    return 1 - 2 * hits / (links + total) if links + total else 0.0


def totals(found: Iterable[Links], true: Iterable[Links]) -> tuple[int, int, int]:
    """|A & S|, |A| and |S|, summed over the sentences."""
    rows = [(len(a & s), len(a), len(s)) for a, s in zip(found, true, strict=True)]
    hits, links, total = (sum(column) for column in zip(*rows, strict=True)) if rows else (0, 0, 0)
    return hits, links, total


def of_aligned_words(found: Iterable[Links], true: Iterable[Links]) -> list[Links]:
    """The found links of those target words that have an aligned word in `true`."""
    aligned = [{j for _, j in links} for links in true]
    return [{(i, j) for i, j in links if j in words} for links, words in zip(found, aligned, strict=True)]


def alignment_figures(found: Sequence[Links], true: Sequence[Links]) -> dict[str, float]:
    """The error rate; precision |A & S| / |A|, 1 where no link was found; recall |A & S| / |S|, 1 where there is none
    to find; and the error rate over target words with a true aligned word."""
    hits, links, total = totals(found, true)
    return {
        "error_rate": alignment_error_rate(found, true),
        "precision": hits / links if links else 1.0,
        "recall": hits / total if total else 1.0,
        "error_rate_of_aligned_words": alignment_error_rate(of_aligned_words(found, true), true),
    }
