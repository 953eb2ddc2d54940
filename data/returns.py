"""Names that come back in a later sentence of their paragraph: where they stand, and what they cost, by distance."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from data.paragraphs import Sentence, retelling, with_befores
from data.phenomena import LogProbs, perplexity, perplexity_table

FROM = (1, 11, 21, 31)
"""The least distance of each group."""


def distances(lines: Iterable[Sentence]) -> list[list[int]]:
    """For each line, one number for each word and `</s>`: how many predictions ago the name stood last.

    0 for what is no return: a return is the first mention, in its sentence, of somebody whom an earlier sentence of the
    paragraph mentioned. The `</s>` of each sentence between counts as one.
    """
    rows, position, last = [], 0, {}
    for line, before in with_befores(lines):
        if not before:
            last = {}
        ago, here = [], {}
        for word in line:
            ago.append(position - last[word] if word in last and word not in here else 0)
            if word in retelling.kind_of:
                here[word] = position
            position += 1
        last |= here
        position += 1
        rows.append([*ago, 0])
    return rows


def by_distance(ago: Sequence[Sequence[int]], log_probs: LogProbs) -> dict[str, tuple[int, float]]:
    """How many returns each group has, and the perplexity on them; "all" are all of them."""
    groups: defaultdict[str, list[float]] = defaultdict(list)
    for line_ago, line_log_probs in zip(ago, log_probs, strict=True):
        for distance, log_prob in zip(line_ago, line_log_probs, strict=True):
            if distance:
                groups["all"].append(float(log_prob))
                groups[group_of(distance)].append(float(log_prob))
    filled = {name: groups[name] for name in ("all", *map(group_of, FROM)) if groups[name]}
    return {name: (len(costs), perplexity(costs)) for name, costs in filled.items()}


def group_of(number: int, least: Sequence[int] = FROM, after: str = "") -> str:
    """The group that a number belongs to: "11 to 20"; after: what such numbers count. least: of each group."""
    place = bisect_right(least, number)
    first = f"{least[place - 1]:,}"
    return (f"{first} to {least[place] - 1:,}" if place < len(least) else f"{first} or more") + f" {after}".rstrip()


def returns_table(lines: Sequence[Sentence], columns: Mapping[str, LogProbs]) -> str:
    """Each column's perplexity on the returns, by distance, as a table for people."""
    ago = distances(lines)
    groups = {name: by_distance(ago, log_probs) for name, log_probs in columns.items()}
    return perplexity_table(f"{'words ago':14}{'returns':>8}", groups, next(iter(groups.values())), narrowest=10)
