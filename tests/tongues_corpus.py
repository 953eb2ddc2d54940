"""A corpus of three invented languages of a dozen words each, which a tiny model can learn."""

from __future__ import annotations

import random
from pathlib import Path

from tests.pairs import ADJECTIVES, NOUNS, VERBS
from tests.programs import write_lines

DIRECTIONS = ("english-veldran", "veldran-english", "english-bremish", "bremish-english")
ZERO = ("veldran-bremish", "bremish-veldran")


def say(rng: random.Random) -> dict[str, str]:
    """A sentence in each language: subject, verb, object; the verb last; the verb first, and all words backwards."""
    verb, words = rng.choice(list(VERBS)), [(rng.choice(list(ADJECTIVES)), rng.choice(list(NOUNS))) for _ in range(2)]
    first, second = (f"{adjective}{noun}" for adjective, noun in words)
    subject, object_ = (f"{ADJECTIVES[adjective]}{NOUNS[noun]}" for adjective, noun in words)
    veldran = f"{subject} {object_} {VERBS[verb]} ."
    bremish = " ".join(word[::-1] for word in reversed(veldran.split()[:-1])) + " ."
    return {"english": f"the {first} {verb} the {second} .", "veldran": veldran, "bremish": bremish}


def write_tongues(folder: Path, train: int = 100, others: int = 8) -> Path:
    """Train, dev and test with `DIRECTIONS`, and zero with `ZERO`."""
    rng = random.Random(3)
    folder.mkdir(parents=True)
    parts = {split: [say(rng) for _ in range(others)] for split in ("dev", "test")}
    splits: dict[str, list[tuple[dict[str, str], str]]] = {"train": []}
    for half in (DIRECTIONS[:2], DIRECTIONS[2:]):
        sentences = [say(rng) for _ in range(train)]
        splits["train"] += [(sentence, direction) for direction in half for sentence in sentences]
    for split, part, directions in (("dev", "dev", DIRECTIONS), ("test", "test", DIRECTIONS), ("zero", "test", ZERO)):
        splits[split] = [(sentence, direction) for direction in directions for sentence in parts[part]]
    for split, pairs in splits.items():
        sides = [(sentence, *direction.split("-")) for sentence, direction in pairs]
        write_lines(folder / f"{split}.source", [f"<2{last}> {sentence[first]}" for sentence, first, last in sides])
        write_lines(folder / f"{split}.target", [sentence[last] for sentence, _, last in sides])
        write_lines(folder / f"{split}.directions", [direction for _, direction in pairs])
    return folder
