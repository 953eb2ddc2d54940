"""A corpus of a few invented pairs, for running the translation chapters' programs."""

from __future__ import annotations

import random
from pathlib import Path

from tests.programs import write_lines

NOUNS = {"hen": "zul", "goat": "mik", "farmer": "tarem", "duck": "vok"}
VERBS = {"sees": "lira", "feeds": "posa", "follows": "dena"}
ADJECTIVES = {"": "", "old ": "gre ", "grey ": "bru "}


def write_pairs(folder: Path, seed: int = 1, train: int = 80, others: int = 15, trees: bool = False) -> Path:
    """Invented pairs in three splits; the verb is last in the target. The last pair of test has an unknown word."""
    rng = random.Random(seed)
    folder.mkdir(parents=True)
    for split, number in (("train", train), ("dev", others), ("test", others)):
        drawn = [draw_pair(rng) for _ in range(number)]
        if split == "test":
            drawn.append(("((the hen) (feeds (a wombat)))", "la zul ne wombat posa"))
        sources = [tree.replace("(", "").replace(")", "") for tree, _ in drawn]
        write_lines(folder / f"{split}.source", sources)
        write_lines(folder / f"{split}.target", [target for _, target in drawn])
        if trees:
            write_lines(folder / f"{split}.trees", [tree for tree, _ in drawn])
    return folder


def draw_pair(rng: random.Random) -> tuple[str, str]:
    """A source sentence in the brackets of its tree, and its translation."""
    (subject, subject_target), (thing, thing_target) = draw_phrase(rng, "the", "la"), draw_phrase(rng, "a", "ne")
    verb = rng.choice(list(VERBS))
    return f"({subject} ({verb} {thing}))", f"{subject_target} {thing_target} {VERBS[verb]}"


def draw_phrase(rng: random.Random, article: str, article_target: str) -> tuple[str, str]:
    noun, adjective = rng.choice(list(NOUNS)), rng.choice(list(ADJECTIVES))
    inner = f"({adjective}{noun})" if adjective else noun
    return f"({article} {inner})", f"{article_target} {ADJECTIVES[adjective]}{NOUNS[noun]}"
