"""What the folder of a corpus says of it: the oracle's results (oracle.json) and the kind of `<unk>` (corpus.json)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

from common.errors import UserError
from common.reading import read_object

BROKEN = "not a JSON object; fix or remove the file"


def read_facts(folder: Path, splits: Sequence[str], figures: Mapping[str, float]) -> dict:
    """The facts in both files, by the file's name without .json, where they are there. figures: names of the oracle's
    numbers, with the least value of each. Raises `UserError` for facts that cannot be."""
    facts = {}
    for part in ("oracle", "corpus"):
        path = folder / f"{part}.json"
        if path.is_file():
            facts[part] = read_object(path, BROKEN, BROKEN)
            check_oracle(path, facts[part], splits, figures) if part == "oracle" else check_corpus(path, facts[part])
    return facts


def check_oracle(path: Path, facts: dict, splits: Sequence[str], figures: Mapping[str, float]) -> None:
    """Raises `UserError` for an impossible number of the oracle, in all or in one direction."""
    directions = facts.get("directions", {})
    if not isinstance(directions, dict) or not all(isinstance(facts, dict) for facts in directions.values()):
        raise UserError(f"{path}: directions is {directions!r:.40}, not an object with one for each direction; fix it")
    for part, split, (name, least) in product((facts, *directions.values()), splits, figures.items()):
        results = part.get(split)
        value = results.get(name, least) if isinstance(results, dict) else least
        if type(value) not in (int, float) or not least <= value <= 1e18:  # more could not be drawn
            raise UserError(f"{path}: the {name} of {split} is {value!r:.40}, not from {least} to 1e18; fix it")


def check_corpus(path: Path, facts: dict) -> None:
    """Raises `UserError` where the kind of `<unk>` or the task is not written as a word."""
    for name in ("unk", "task"):
        if not isinstance(facts.get(name, ""), str):
            raise UserError(f"{path}: {name} is {facts[name]!r:.40}, not a word in quotes; fix it")
