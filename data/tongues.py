"""`village_tongues`: pairs of three languages, English, Veldran and Bremish, for one model of several directions.

A sentence is drawn once and said in all three languages, each choice (a synonym, an order, ...) made anew. Every two
languages have training sentences of their own, said both ways, so that no sentence is there in three languages; those
of dev and test are said in every direction. English is the middle: the corpus as committed trains English with
either of the others, and `zero.*` holds the sentences of test in the two directions that training lacks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, permutations
from pathlib import Path
from random import Random

from common.endings import did_you_mean
from common.errors import UserError
from common.files import write_json, write_lines
from common.text.languages import tag
from data.bremish import Bremish, in_bremish
from data.grammar import Word
from data.oracle import known_words, write_truth
from data.pair_truth import PairTruth
from data.pairs import Lines, split_truth
from data.pairs_grammar import START
from data.pairs_phrases import pairs

NAME = "village_tongues"
LANGUAGES = ("english", "veldran", "bremish")
TRUTHS = {"veldran": PairTruth(pairs, START), "bremish": PairTruth(Bremish(pairs), START)}
"""By the target language: what is known about translations from English."""
DIRECTIONS = ("english-veldran", "veldran-english", "english-bremish", "bremish-english")
"""Those that the committed corpus trains."""
ALL = tuple("-".join(two) for two in permutations(LANGUAGES, 2))
SEED = 1887
SIZES = {"train": 4_000, "dev": 250, "test": 250}
"""Sentences: of train for every two languages, of dev and test for all."""

Said = dict[str, list[Word]]
"""One sentence by language. A word knows the places of the English words that it renders."""


@cache
def sentences() -> dict[str, list[Said]]:
    """All that is drawn, the same in each call: a split, or for train its two languages -> sentences."""
    random = Random(SEED).random

    def say() -> Said:
        derivation = pairs.draw(START, random)
        return {
            "english": [Word(text, origin=(place,)) for place, text in enumerate(derivation.source())],
            "veldran": pairs.draw_target(derivation, random),
            "bremish": pairs.draw_target(in_bremish(derivation), random),
        }

    parts = {"dev": SIZES["dev"], "test": SIZES["test"]}
    parts |= {"-".join(two): SIZES["train"] for two in combinations(LANGUAGES, 2)}
    return {part: [say() for _ in range(size)] for part, size in parts.items()}


def pair_lines(sentence: Said, direction: str) -> Lines:
    """A sentence as a pair of one direction. Words are aligned that render the same English word; the tag is word 0."""
    source, target = (sentence[language] for language in direction.split("-"))
    links = (
        f"{i}-{j}"
        for j, word in enumerate(target)
        for i, other in enumerate(source, start=1)
        if set(word.origin) & set(other.origin)
    )
    return {
        "source": " ".join([tag(direction.split("-")[1]), *(word.text for word in source)]),
        "target": " ".join(word.text for word in target),
        "align": " ".join(links),
        "directions": direction,
    }


def zero_shot(directions: Sequence[str]) -> list[str]:
    """The directions that training lacks, though it has their source language read and their target written."""
    read, written = (set(side) for side in zip(*(direction.split("-") for direction in directions), strict=True))
    possible = [f"{source}-{target}" for source, target in permutations(LANGUAGES, 2) if source in read]
    return [name for name in possible if name not in directions and name.split("-")[1] in written]


def two_languages(direction: str) -> str:
    """The part of `sentences` that a direction is trained on; the way back has the same."""
    return "-".join(sorted(direction.split("-"), key=LANGUAGES.index))


def splits(directions: Sequence[str] = DIRECTIONS) -> dict[str, list[Lines]]:
    """The pairs of train, dev and test, and as "zero" those of test in the directions that are not trained."""
    by_part, zero = sentences(), zero_shot(directions)
    parts = {"train": [(two_languages(direction), direction) for direction in directions]}
    for split, part, spoken in (("dev", "dev", directions), ("test", "test", directions), ("zero", "test", zero)):
        parts[split] = [(part, direction) for direction in spoken]
    return {
        split: [pair_lines(sentence, direction) for part, direction in some for sentence in by_part[part]]
        for split, some in parts.items()
        if some
    }


def check_directions(directions: Sequence[str]) -> None:
    """Raises `UserError` for a direction that is none of these languages, or is there twice."""
    for direction in directions:
        if direction not in ALL:
            raise UserError(f"--directions {direction}: choose from {', '.join(ALL)}{did_you_mean(direction, ALL)}")
    if len(set(directions)) < len(directions):
        raise UserError(f"--directions {' '.join(directions)}: name each direction once")


def write_tongues(folder: Path, directions: Sequence[str] = DIRECTIONS, with_truth: bool = True) -> None:
    """Write `train.source`, `.target`, `.align` and `.directions` and so on, `corpus.json` and `oracle.json`."""
    check_directions(directions)
    lines_by_split = splits(directions)
    write_json(folder / "corpus.json", {"task": "translation", "directions": list(directions), "seed": SEED})
    for split, lines in lines_by_split.items():
        for kind in lines[0]:
            write_lines(folder / f"{split}.{kind}", (line[kind] for line in lines))
    write_truth(folder, {"directions": tongues_truth(lines_by_split)} if with_truth else None)
    for path in folder.glob("zero.*") if "zero" not in lines_by_split else ():
        path.unlink()  # of the directions that were there before


def tongues_truth(lines_by_split: dict[str, list[Lines]]) -> dict:
    """The true P(target | source) on dev and test, for each direction from English: direction -> split -> results."""
    vocabulary = known_words([line["target"].split() for line in lines_by_split["train"]])
    truth: dict = {}
    for split in ("dev", "test"):
        for language in TRUTHS:
            lines = [line for line in lines_by_split[split] if line["directions"] == f"english-{language}"]
            if lines:
                texts = [line["source"].split()[1:] for line in lines], [line["target"].split() for line in lines]
                truth.setdefault(f"english-{language}", {})[split] = split_truth(TRUTHS[language], texts, vocabulary)
    return truth
