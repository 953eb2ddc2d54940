"""The worked examples of part 3 of chapter 10: joining characters by hand, units of text, many languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import mean
from typing import NamedTuple

from book.figures.ch10_units_record import MIN_COUNT, STEPS, recorded_units
from book.figures.recorded import recorded
from common.text.pairs import load_pairs
from common.text.subwords import MARK

TEXT = {"nuta": 4, "nuten": 2, "sata": 3, "na": 2}
"""A text of eleven words: how often it has each."""
JOINED = 4
SHOWN = "1,000"
"""The number of pieces whose results are computed anew."""
RUN = ("sub1000", "1")
RIGHT = 0.9
"""How often a translation keeps the meaning, in the example of two steps."""
LANGUAGES = (3, 10, 100)
DIRECTIONS = ("english-veldran", "veldran-english", "english-bremish", "bremish-english", "veldran-bremish",
              "bremish-veldran")  # fmt: skip

Pieces = tuple[str, ...]
Joined = tuple[str, str]


class Step(NamedTuple):
    """One step of byte-pair encoding: the pair that was joined, how often it occurs, and the next best pair's count."""

    pair: Joined
    count: int
    next_best: int


def pairs_of(words: dict[Pieces, int]) -> Counter[Joined]:
    """How often two pieces stand side by side within words."""
    found: Counter[Joined] = Counter()
    for pieces, count in words.items():
        for pair in zip(pieces, pieces[1:], strict=False):
            found[pair] += count
    return found


def join_pair(pieces: Pieces, pair: Joined) -> Pieces:
    """The pieces of a word after this pair of neighbours has become one piece."""
    found: list[str] = []
    for piece in pieces:
        if found and (found[-1], piece) == pair:
            found[-1] += piece
        else:
            found.append(piece)
    return tuple(found)


def steps(number: int = JOINED) -> tuple[list[Step], dict[str, Pieces]]:
    """The first so many steps on `TEXT`, and what each word then is."""
    words: dict[Pieces, int] = {(MARK, *word): count for word, count in TEXT.items()}
    taken = []
    for _ in range(number):
        (best, count), (_, other) = pairs_of(words).most_common(2)
        taken.append(Step(best, count, other))
        words = {join_pair(pieces, best): n for pieces, n in words.items()}
    return taken, {"".join(pieces)[1:]: pieces for pieces in words}


def joining() -> Iterator[float]:
    """The counts of the words; for each step its number, the count of the pair, and that of the next best."""
    yield from TEXT.values()
    for number, step in enumerate(steps()[0], start=1):
        yield from (number, step.count, step.next_best)


def unknown() -> Iterator[float]:
    """The target words of test, those that a model of words does not know, and how often training holds the others."""
    words = sum(len(pair.target) for pair in load_pairs("village_pairs").test)
    yield from (words, recorded_units()["cuts"]["words"]["unknown"], MIN_COUNT)


def cuts() -> Iterator[float]:
    """For characters, each number of pieces, and words: both vocabularies, predictions per word, unknown words."""
    for name, one in recorded_units()["cuts"].items():
        if name not in ("characters", "words"):
            yield int(name.replace(",", ""))
        yield from (*one["vocabularies"], one["predictions"] / one["words"], one["unknown"])


def perplexities() -> Iterator[float]:
    """The pieces, predictions of pieces and of words, perplexity by pieces, their quotient; the power that it is."""
    unit, seed = RUN
    one = recorded_units()["units"][unit][seed]
    share = one["piece_predictions"] / one["predictions"]
    yield int(SHOWN.replace(",", ""))
    yield from (one["piece_predictions"], one["predictions"], one["piece_perplexity"], share)
    yield from (one["piece_perplexity"], one["piece_perplexity"] ** share)


def words_bleu(kind: str) -> list[float]:
    """BLEU on test of chapter 8's default by seed: "none" with `<unk>`, "copy" with source words in its place."""
    return recorded("08_attention")["unknown"][kind]


def units_bleu(unit: str) -> list[float]:
    """BLEU on test by seed."""
    return [one["bleu"] for one in recorded_units()["units"][unit].values()]


def numbers_of_directions() -> Iterator[float]:
    """For each number of languages: it, the directions between them, and those with the middle language alone."""
    for number in LANGUAGES:
        yield from (number, number * (number - 1), 2 * (number - 1))


def two_steps() -> Iterator[float]:
    """How often a step is right, and two."""
    yield from (RIGHT, RIGHT, RIGHT, RIGHT**2)


def directions_of(kind: str, direction: str, figure: str = "bleu") -> list[float]:
    """A result on test by seed. kind: "all" for one model of all directions, "single" for a model of its own."""
    return [one[direction][figure] for one in recorded_units()["directions"][kind].values() if direction in one]


def pivots_of(system: str, direction: str, way: str, figure: str = "bleu") -> list[float]:
    """A result on the zero-shot pairs by seed. system: "one model" or "two models"; way: as `pivot.py` names it."""
    return [one[direction][way][figure] for one in recorded_units()["pivots"][system].values()]


def measured_units() -> Iterator[float]:
    """Runs and mean BLEU of words, and of words with copying; for each number of pieces it, runs and mean BLEU."""
    for kind in ("none", "copy"):
        yield from (len(words_bleu(kind)), mean(words_bleu(kind)))
    for unit in recorded_units()["units"]:
        if unit.startswith("sub"):
            yield int(unit.removeprefix("sub"))
        yield from (len(units_bleu(unit)), mean(units_bleu(unit)))


def measured_directions() -> Iterator[float]:
    """For each direction the model of all: mean BLEU, and of the words told apart the percentage in its language."""
    for direction in DIRECTIONS:
        yield mean(directions_of("all", direction))
        yield 100 * mean(directions_of("all", direction, "asked"))


def measured_ways() -> Iterator[float]:
    """Mean BLEU of one model from Veldran to Bremish: at once, and through English."""
    for way in ("at once", "through english"):
        yield mean(pivots_of("one model", "veldran-bremish", way))


def measured_alone() -> Iterator[float]:
    """Mean BLEU of a model of its own and of that of all directions, in either step; then of the two steps by two."""
    for direction in STEPS:
        yield from (mean(directions_of(kind, direction)) for kind in ("single", "all"))
    yield mean(pivots_of("two models", "veldran-bremish", "through english"))
