"""Larger villages from the same grammar: more sentences to train on, or more names, all equally likely.

With 2,000 equally likely names, each one is rare in training, so a model that repeats a name has to remember which of
2,000 it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice, product
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.files import write_json, write_lines
from data import village_lexicon as lexicon
from data.grammar import Grammar
from data.oracle import SEED, known_words, split_truth, write_truth
from data.pairs import SIZES
from data.village_grammar import START
from data.village_phrases import GENDERS, village

MOST_SENTENCES = 1_000_000
"""Of --train: all are in memory before they are written."""
NAMES_SEED = 1869
"""Of dev and test with other names."""


def long_names(kind: str, number: int) -> list[str]:
    """The first names of two stems and an ending of the kind, such as mirtava."""
    stems, endings = lexicon.STEMS.split(), lexicon.NAME_ENDINGS[kind].split()
    return ["".join(parts) for parts in islice(product(stems, stems, endings), number)]


def most_names() -> int:
    """How many names `many_names` can make."""
    return sum(len(lexicon.STEMS.split()) ** 2 * len(lexicon.NAME_ENDINGS[kind].split()) for kind in GENDERS)


def many_names(number: int) -> Grammar:
    """The grammar of the village with so many names, half of women and half of men, all equally likely."""
    return village.with_names({kind: dict.fromkeys(long_names(kind, number // 2), 1.0) for kind in GENDERS})


def grammar_of(facts: Mapping[str, Any]) -> Grammar:
    """The grammar that wrote a village. facts: what its corpus.json says (`Corpus.facts`)."""
    names = facts.get("corpus", {}).get("names")
    return many_names(names) if names else village


def write_larger_village(folder: Path, sentences: int | None, names: int | None, seed: int, with_truth: bool) -> None:
    """Write a village with so many training sentences (10,000 unless given) and names (those of the village unless
    given). With the village's names, dev and test are the committed ones.

    Raises `UserError` for numbers out of range, and for a seed with which train would repeat dev and test.
    """
    sentences = SIZES["train"] if sentences is None else sentences
    if not 1 <= sentences <= MOST_SENTENCES:
        raise UserError(f"--train {sentences}: must be from 1 to {MOST_SENTENCES}")
    if names is not None and (names % 2 or not 4 <= names <= most_names()):
        raise UserError(f"--names {names}: must be an even number from 4 to {most_names()}")
    grammar = village if names is None else many_names(names)
    own_seed = SEED if names is None else NAMES_SEED
    if seed < 0 or seed == own_seed:
        raise UserError(f"--seed {seed}: must be 0 or more, and not {own_seed}, which gives dev and test, too")
    heldout = islice(iter(grammar.sampler(START, own_seed), None), SIZES["train"], None)
    splits = {"train": list(islice(iter(grammar.sampler(START, seed), None), sentences))}
    splits |= {split: list(islice(heldout, SIZES[split])) for split in ("dev", "test")}
    for split, texts in splits.items():
        write_lines(folder / f"{split}.txt", map(" ".join, texts))
    write_json(folder / "corpus.json", {"grammar": "village", "seed": seed, **({"names": names} if names else {})})
    vocabulary = known_words(splits["train"])
    truth = (
        {split: split_truth(splits[split], vocabulary, grammar) for split in ("dev", "test")} if with_truth else None
    )
    write_truth(folder, truth)
