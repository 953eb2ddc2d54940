"""Reading pairs of sentences: source and target files with one tokenised sentence per line, line by line a pair."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from common.errors import UserError
from common.text.corpus import SPLITS, Sentence, find_corpus, oracle_figures, read_all_facts, read_sentences
from common.text.trees import beside_trees

SIDES = ("source", "target")


class Pair(NamedTuple):
    """A sentence and its translation, or its headline."""

    source: Sentence
    target: Sentence


@dataclass(frozen=True)
class ParallelCorpus:
    """Pairs in three splits.

    `facts`: what its folder says of it, the oracle's results, the kind of `<unk>`, the task.
    """

    name: str
    folder: Path
    train: list[Pair]
    dev: list[Pair]
    test: list[Pair]
    facts: dict

    @property
    def summarises(self) -> bool:
        """Whether the targets are summaries of the sources: "task": "summarisation" in corpus.json. Else they
        translate."""
        return self.facts.get("corpus", {}).get("task") == "summarisation"

    def oracle(self, split: str, direction: str = "") -> dict | None:
        """The exact results of the true P(target | source) on a split, or on its pairs of one direction, where the
        corpus has them."""
        return oracle_figures(self.facts, split, direction)


def load_pairs(name: str) -> ParallelCorpus:
    """Read a corpus of pairs given by name or folder. Raises `UserError` where a file is missing or bad."""
    folder = find_corpus(name, "train.source")
    return ParallelCorpus(folder.name, folder, *(read_pairs(folder, split) for split in SPLITS), read_all_facts(folder))


def read_pairs(folder: Path, split: str) -> list[Pair]:
    """The pairs of one split; the sources have their trees where there is a SPLIT.trees.

    Raises `UserError` where the two files have not the same number of lines.
    """
    paths = [folder / f"{split}.{side}" for side in SIDES]
    sources, targets = (read_sentences(path) for path in paths)
    if len(sources) != len(targets):
        raise UserError(
            f"{paths[0]} has {len(sources)} lines and {paths[1].name} {len(targets)}; line by line they must be pairs"
        )
    sources = beside_trees(sources, folder / f"{split}.trees")
    return [Pair(source, target) for source, target in zip(sources, targets, strict=True)]
