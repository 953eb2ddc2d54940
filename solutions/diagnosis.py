"""Which known mistake explains a wrong answer: the student's values are compared with those of each known wrong answer.

`misconceptions.json` of a set has, for each wrong answer with a sentence in `mutants.toml`, the questions of the public
exam on which it is wrong, and a fingerprint of each wrong value. `python -m solutions sync` writes it. It has no code,
so an edition for students has it too.
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from common.files import reading
from solutions.grading.compare import UNREADABLE, difference, nested, shape
from solutions.grading.exam import ASKED, Draw, Pairs, plain

MISCONCEPTIONS = "misconceptions.json"
DIAGNOSIS = "diagnosis of "
"""So begins the name of the function of a grader's module that diagnoses a task."""
INPUT = "; the input is "
"""So begins the end of a line that tells the call."""
TOLERANCE = 1e-5
"""How much two fingerprints of the same value may differ, relative to the size of the value."""
MOST = 0.75
"""Which share of a student's wrong values a mistake must explain that has others as well."""
CHANGED = "What a function is given belongs to its caller, who may still need it: it must stay as it was."
STALE = "The graph belongs to the caller: a new one makes all expressions of the old one useless."
NUMBER = "A number has forgotten how it was computed, so no gradient flows through it: the result is an expression."
HABITS = CHANGED, STALE, NUMBER
"""Mistakes that are alike in all exercises, and are known without a record (`habit_of`)."""


class Fingerprint(NamedTuple):
    """A value as two numbers: a weighted sum of all its parts, and the sum of their sizes."""

    total: float
    size: float

    def agrees(self, other: Fingerprint) -> bool:
        return abs(self.total - other.total) <= TOLERANCE * max(self.size, other.size)


@dataclass(frozen=True)
class Mistake:
    """A known wrong answer. function: in which it is. wrong: its wrong values by the places of their questions."""

    sentence: str
    function: str
    wrong: Mapping[int, Fingerprint]


@dataclass(frozen=True)
class Reply:
    """A student's wrong answer to a question of the public exam, or one of which nobody has recorded what is right.

    functions: those that the exam called. is_error: whether they raised one. line: question, value and input, to show.
    habit: the mistake that its kind shows in any exercise (`habit_of`), or "".
    """

    functions: tuple[str, ...]
    fingerprint: Fingerprint
    is_error: bool
    is_wrong: bool
    line: str
    habit: str = ""


def fingerprint(value: object) -> Fingerprint:
    """Two values that an exam would take for the same have the same fingerprint, but for rounding, or for chance."""
    if isinstance(value, dict) and value.get("kind") == "near":
        return Fingerprint(value["value"], value["tolerance"] / TOLERANCE)
    total = size = 0.0
    for place, number in enumerate(parts_of(value), start=1):
        total += math.cos(place) * number
        size += abs(number)
    return Fingerprint(total, size)


def parts_of(value: object) -> Iterator[float]:
    """All numbers of a plain value; texts and lengths as numbers."""
    match value:
        case bool() | int() | float():
            yield as_number(value)
        case {"kind": "array"}:
            yield from parts_of(nested(value) if value["shape"] else value["values"])
        case {"kind": "expression"}:
            yield from parts_of([*map(str, shape(value)), *value["values"]])
        case {"kind": "dictionary"}:
            pairs = sorted((repr(key), element) for key, element in value["pairs"])
            yield from parts_of([part for pair in pairs for part in pair])
        case {"kind": kind}:
            yield from parts_of([kind, value.get("told", "")])
        case list():
            yield float(len(value))
            for element in value:
                yield from parts_of(element)
        case _:
            yield zlib.crc32(str(value).encode()) / 2**32


def as_number(value: float) -> float:
    try:
        if math.isfinite(value):
            return float(value)
    except OverflowError:  # a whole number that is too large for a float
        pass
    return zlib.crc32(str(value).encode()) / 2**32


def is_error(value: object) -> bool:
    return isinstance(value, dict) and value.get("kind") == "error"


def habit_of(value: object, right: object) -> str:
    """The mistake that the kind of a wrong value shows, whatever the exercise, or ""."""
    kinds = [part.get("kind") if isinstance(part, dict) else type(part).__name__ for part in (value, right)]
    if kinds == ["list", "list"]:
        return next(filter(None, map(habit_of, value, right)), "")
    if kinds[0] == "change":
        return CHANGED
    if kinds[0] == "error":
        return STALE if "stale expression" in value["told"].lower() else ""
    return NUMBER if kinds[1] == "expression" and kinds[0] in ("array", "float", "list") else ""


def differs(value: object, right: object, tolerance: float) -> bool:
    try:
        return bool(difference(value, right, tolerance))
    except UNREADABLE:
        return True


@cache
def read_mistakes(folder: Path) -> dict[str, list[Mistake]]:
    """The known mistakes of each task of a set; none where there is no file."""
    path, damaged = folder / MISCONCEPTIONS, "not readable; python -m solutions sync writes it again"
    with reading(path, damaged, damaged):
        tasks = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return {number: [as_mistake(**entry) for entry in entries] for number, entries in tasks.items()}


def as_mistake(sentence: str, function: str, wrong: Sequence[tuple[int, float, float]]) -> Mistake:
    return Mistake(sentence, function, {place: Fingerprint(total, size) for place, total, size in wrong})


def explain(
    replies: Mapping[int, Reply], mistakes: Sequence[Mistake], asked: float = math.inf
) -> tuple[Mistake, list[Reply]] | None:
    """The one mistake that explains a student's replies, and the replies that it explains; None where none does.

    It explains the first wrong value. Where the student gives all of its values, these must be at least half of the
    student's wrong ones in the same functions. Where not, it may be the same idea written in another way, or with a
    second mistake in corner cases: then it must explain most of both. An error contradicts nothing, as a correct
    formula may fail in a corner case, and it hides no wrong value. asked: how many questions the exam came to.
    """
    wrong = [place for place, reply in replies.items() if reply.is_wrong]
    first = next((place for place in wrong if not replies[place].is_error), wrong[0] if wrong else math.inf)
    ranked: list[tuple[tuple[int, ...], Mistake, list[Reply]]] = []
    for mistake in mistakes:
        places, missed = agreements(replies, mistake, asked)
        if not places or places[0] > first or errors_only(places, replies) and not errors_only(wrong, replies):
            continue
        same = [place for place in wrong if replies[place].functions == replies[places[0]].functions]
        values, explained = len([place for place in same if not replies[place].is_error]), len({*same} & {*places})
        enough = explained > max(1, missed) and values * MOST <= explained if missed else values <= explained * 2
        if enough:
            rank = (bool(missed), places[0], -len(places), len(mistake.wrong))
            ranked.append((rank, mistake, [replies[place] for place in places]))
    best = min((rank for rank, _, _ in ranked), default=None)
    finalists = [(mistake, explained) for rank, mistake, explained in ranked if rank == best]
    return finalists[0] if len({mistake.sentence for mistake, _ in finalists}) == 1 else None


def errors_only(places: Sequence[int], replies: Mapping[int, Reply]) -> bool:
    return all(replies[place].is_error for place in places)


def explain_habit(replies: Mapping[int, Reply], work: object) -> tuple[Mistake, list[Reply]] | None:
    """The habit that the first wrong reply shows, and the replies that show it; None where it shows none.

    work: the student's module. Other functions that were called are the exam's own.
    """
    first = next((reply for reply in replies.values() if reply.is_wrong), None)
    if not first or not first.habit:
        return None
    shown = [reply for reply in replies.values() if reply.habit == first.habit]
    names = [name for name in dict.fromkeys(first.functions) if hasattr(work, name)]
    return Mistake(first.habit, " or ".join(names) or "your answer", {}), shown


def agreements(replies: Mapping[int, Reply], mistake: Mistake, asked: float) -> tuple[list[int], int]:
    """The questions on which the student gives the mistake's values, and on how many another one, right or wrong."""
    places, missed = [], 0
    for place, value in sorted(mistake.wrong.items()):
        if place >= asked:
            break
        if place in replies and replies[place].fingerprint.agrees(value):
            places.append(place)
        elif place not in replies or not replies[place].is_error:
            missed += 1
    return places, missed


def diagnosis(
    ask: Callable[[object, Draw], Pairs],
    expected: Sequence[tuple[str, object]],
    mistakes: Sequence[Mistake],
    line_of: Callable[[str, object, object], str],
) -> Callable[[object, Draw], Pairs]:
    """An exam with at most one pair: the misconception behind the student's answers, and the simplest line to show.

    ask: the exam of the task. expected: its questions, and what is right. line_of: question, the student's value and
    the right one as a line to show, while the exam waits.
    """

    def diagnose(work: object, draw: Draw) -> Pairs:
        ASKED.clear()
        replies: dict[int, Reply] = {}
        asked = 0
        try:
            for place, ((label, value), (_, right)) in enumerate(zip(ask(work, draw), expected, strict=False)):
                value, functions = plain(value), tuple(name_of(function) for function, _ in ASKED)
                if differs(value, right, ask.tolerance):
                    told = is_error(value), right is not None, line_of(label, value, right), habit_of(value, right)
                    replies[place] = Reply(functions, fingerprint(value), *told)
                ASKED.clear()
                asked = place + 1
        except Exception:  # of the student's, outside of a question: the exam ends there
            pass
        explanation = explain(replies, mistakes, asked) or explain_habit(replies, work)
        if explanation:
            mistake, explained = explanation
            simplest = min(explained, key=lambda reply: (INPUT not in reply.line, len(reply.line)))
            yield f"in {mistake.function}: {mistake.sentence}", simplest.line

    return diagnose


def name_of(function: object) -> str:
    return str(getattr(function, "__name__", type(function).__name__))
