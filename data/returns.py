"""Names that come back in a later sentence of their paragraph: where they stand, and what they cost, by distance."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from data.paragraphs import Sentence, retelling, with_befores
from data.phenomena import LogProbs, perplexity

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


def group_of(distance: int) -> str:
    """The group that a distance belongs to: "11 to 20"."""
    place = bisect_right(FROM, distance)
    return f"{FROM[place - 1]} to {FROM[place] - 1}" if place < len(FROM) else f"{FROM[-1]} or more"


def returns_table(lines: Sequence[Sentence], columns: Mapping[str, LogProbs]) -> str:
    """Each column's perplexity on the returns, by distance, as a table for people."""
    ago = distances(lines)
    groups = {name: by_distance(ago, log_probs) for name, log_probs in columns.items()}
    width = max(10, *(len(name) + 2 for name in groups))
    rows = [f"{'words ago':14}{'returns':>8}" + "".join(f"{name:>{width}}" for name in groups)]
    for group, (number, _) in next(iter(groups.values())).items():
        rows.append(f"{group:14}{number:8,}" + "".join(f"{column[group][1]:{width}.2f}" for column in groups.values()))
    return "\n".join(rows)
