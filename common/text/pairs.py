"""Pairs of sentences: read from files of sources and targets, line by line a pair; and in minibatches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from common.errors import UserError
from common.text.batching import Batch, make_batch, pad
from common.text.corpus import SPLITS, Corpus, Sentence, find_corpus, read_all_facts, read_sentences

if TYPE_CHECKING:
    from common.text.trees import Tree

SIDES = ("source", "target")


class Pair(NamedTuple):
    """A sentence and its translation, or its headline."""

    source: Sentence
    target: Sentence


class ParallelCorpus(Corpus[Pair]):
    """Pairs in three splits."""

    @property
    def summarises(self) -> bool:
        """Whether the targets are summaries of the sources: "task": "summarisation" in corpus.json. Else they
        translate."""
        return self.facts.get("corpus", {}).get("task") == "summarisation"

    @property
    def aligned(self) -> bool:
        """Whether there are true alignments for a split, SPLIT.align (`alignment`)."""
        return any((self.folder / f"{split}.align").is_file() for split in SPLITS)


def load_pairs(name: str) -> ParallelCorpus:
    """Read a corpus of pairs given by name or folder. Raises `UserError` where a file is missing or bad."""
    folder = find_corpus(name, "train.source")
    splits = {split: read_pairs(folder, split) for split in SPLITS}
    return ParallelCorpus(folder.name, folder, **splits, facts=read_all_facts(folder))


def read_pairs(folder: Path, split: str) -> list[Pair]:
    """The pairs of one split; the sources have their trees where there is a SPLIT.trees.

    Raises `UserError` where the two files have not the same number of lines.
    """
    paths = [folder / f"{split}.{side}" for side in SIDES]
    sources, targets = (read_sentences(path) for path in paths)
    if len(sources) != len(targets):
        names = f"{paths[0]} and {paths[1].name}"
        raise UserError(f"{names} must have one line for each pair, not {len(sources)} and {len(targets)}")
    path = folder / f"{split}.trees"
    if path.is_file():
        trees = cache(partial(trees_of, path, sources))
        sources = [TreeLine(sentence, trees, place) for place, sentence in enumerate(sources)]
    return [Pair(source, target) for source, target in zip(sources, targets, strict=True)]


class TreeLine(list):
    """A sentence that has a tree, in the same line of a file that is read when the first tree is asked for."""

    def __init__(self, words: Sentence, trees: Callable[[], list[Tree | None]], place: int):
        super().__init__(words)
        self.trees, self.place = trees, place

    @property
    def tree(self) -> Tree | None:
        """Raises `UserError` where the file is bad."""
        return self.trees()[self.place]


def trees_of(path: Path, sentences: Sequence[Sentence]) -> list[Tree | None]:
    """The trees in a file, line by line. Raises `UserError` as `trees.with_trees` does."""
    from common.text.trees import with_trees

    return trees_with(with_trees(sentences, path))


def trees_with(sentences: Iterable[Sequence]) -> list[Tree | None]:
    """The tree that each sentence comes with, if it does."""
    return [getattr(sentence, "tree", None) for sentence in sentences]


class PairBatch(NamedTuple):
    """Pairs side by side: source word ids (source time, batch) padded behind, their mask, the targets' batch, and trees
    over the sources, for a model that follows them."""

    source: np.ndarray
    source_mask: np.ndarray
    target: Batch
    trees: Sequence[Tree | None] = ()


def make_pair_batch(sources: Sequence[Sequence[int]], target: Batch) -> PairBatch:
    """The batch of these sources, with the trees that they come with, and of their targets."""
    return PairBatch(*pad(sources), target, trees_with(sources))


def make_pair_batches(
    sources: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
    batch_size: int,
    rng: np.random.Generator | None = None,
) -> list[PairBatch]:
    """All pairs in batches, sorted by the length of the target, then of the source; otherwise like `make_batches`."""
    order = np.arange(len(targets)) if rng is None else rng.permutation(len(targets))
    source_lengths, target_lengths = (np.array([len(side[index]) for index in order]) for side in (sources, targets))
    order = order[np.lexsort((source_lengths, target_lengths))]
    parts = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    batches = [make_pair_batch([sources[index] for index in part], make_batch(targets, part)) for part in parts]
    if rng is not None:
        rng.shuffle(batches)
    return batches
