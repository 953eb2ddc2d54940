"""Which words do translations get right, common ones or rare ones? `python -m tools.by_frequency RUN [RUN ...]`.

Reads the translations of a split that each run has in its folder. For words that training has so often in its targets:
how many the references have, and for each system the share of these that its translations have, too (`found`), how many
such words it has written, and the share of these that the references have (`right`). A word counts in its own sentence,
as often as both have it there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from common.errors import exits_cleanly
from common.text.corpus import Sentence
from common.text.pairs import load_pairs
from common.text.words import split_words
from tools.by_length import make_parser, read_translations

LEAST = (0, 1, 2, 10, 100, 1_000)
GROUPS = ("never", "once", "2 to 9 times", "10 to 99 times", "100 to 999 times", "1,000 times or more")
"""The groups of words by how often training has them, and the least number of each."""


def group_of(word: str, counts: Mapping[str, int]) -> str:
    return GROUPS[bisect_right(LEAST, counts[word]) - 1]


class Matches(NamedTuple):
    """Words of a group: how many the references have, how many a system wrote, and how many are in both."""

    wanted: int
    written: int
    both: int


def matches(references: Sequence[Sentence], found: Sequence[Sentence], counts: Mapping[str, int]) -> dict[str, Matches]:
    """By the group of a word. counts: how often training has it."""
    wanted, written, both = Counter(), Counter(), Counter()
    for reference, translation in zip(references, found, strict=True):
        ours, theirs = Counter(translation), Counter(reference)
        for total, words in ((wanted, theirs), (written, ours), (both, ours & theirs)):
            for word, number in words.items():
                total[group_of(word, counts)] += number
    return {group: Matches(wanted[group], written[group], both[group]) for group in GROUPS}


def share(part: int, whole: int) -> str:
    """In percent; empty where there is nothing to be a share of."""
    return f"{part / whole:.1%}" if whole else ""


def table(references: Sequence[Sentence], systems: Sequence[list[Sentence]], counts: Mapping[str, int]) -> str:
    """A line a group of words, three columns a system. systems: the translations of each."""
    found = [matches(references, translations, counts) for translations in systems]
    heads = "".join(f"{f'[{n}] found':>12}{'written':>9}{'right':>8}" for n in range(1, len(systems) + 1))
    rows = [f"{'words that training has':24}{'references':>11}{heads}"]
    for group in GROUPS:
        cells = (one[group] for one in found)
        shown = "".join(f"{share(m.both, m.wanted):>12}{m.written:9,}{share(m.both, m.written):>8}" for m in cells)
        rows.append(f"{group:24}{found[0][group].wanted:11,}{shown}")
    return "\n".join(rows)


@exits_cleanly
def main() -> None:
    arguments = make_parser("by_frequency", __doc__).parse_args()
    corpus, pairs, lines = read_translations(arguments.runs, arguments.split)
    counts = Counter(word for pair in load_pairs(corpus).train for word in pair.target)
    systems = [[split_words(line) for line in translations] for translations in lines]
    print(table([pair.target for pair in pairs], systems, counts))
    print(*(f"[{number}] {run}" for number, run in enumerate(arguments.runs, start=1)), sep="\n")


if __name__ == "__main__":
    main()
