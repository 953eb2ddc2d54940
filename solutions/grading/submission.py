"""Which file of a submission is the answer to which exercise, and what a person should know about the choice.

Usually a file lies in a folder with the name of its set, under its own name. Where there are several such files, or
others that might be meant (another letter case, a copy "by_hand (1).py", a notebook, a file that defines the
functions), the one that differs from the blank is marked. What had to be chosen is a remark.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from solutions.grading.execution import Source
from solutions.grading.members import Member, Reader
from solutions.grading.reading import parse, printable, show_path
from solutions.sets import ExerciseSet
from solutions.stubs import Function, functions, is_bare, lines_of_names, read_tree, statements

COPY = re.compile(r"[ _-]*(\(\d+\)|[ _-]copy( ?\(?\d+\)?)?)$")
"""What a system adds to the name of a second copy: "by_hand (1)", "by_hand copy 2", "by_hand - Copy"."""
AMBIGUOUS = "ambiguous: "
"""Begins a remark about a choice that a person must check."""
NOT_MARKED = "differs from the blank too and was NOT marked"
COURSE = {"chapters", "common", "data", "tests", "tools", "book"}
"""Folders of the course itself: what lies in them is nobody's answer."""


@dataclass(frozen=True)
class SubmittedFiles:
    """What is marked: for each set the files by module name. remarks: what was ambiguous, or could not be read.

    recognised: whether there is a file of any set, readable or not.
    """

    files: dict[str, dict[str, Source]]
    remarks: list[str]
    recognised: bool


@dataclass(frozen=True)
class Work:
    """A file with the names that it defines. folder: the name of the folder that it lies in.

    source: None where the file cannot be read."""

    member: Member
    folder: str
    source: Source | None
    defined: frozenset[str]

    def lies_in(self, exercises: ExerciseSet) -> bool:
        """Whether its folder is called like a set, but for letter case and the ending of a copy."""
        return plain(self.folder) == exercises.name

    def defines(self, exercises: ExerciseSet, name: str) -> frozenset[str]:
        """The functions of those exercises of a set's file that it defines completely."""
        own = [task.functions for task in exercises.tasks.values() if task.file == name]
        return frozenset().union(*(names for names in own if self.defined.issuperset(names)))


@dataclass(frozen=True)
class Candidate:
    """A file that may be the answer in one of a set's files. rank: the usual place first.

    exact: whether it lies where it belongs, under the name that it should have.
    """

    work: Work
    rank: tuple
    exact: bool
    attempted: bool

    @property
    def source(self) -> Source | None:
        return self.work.source


def read_submission(path: Path, sets: Sequence[ExerciseSet]) -> SubmittedFiles:
    """Read a submission: a folder, a zip file, or a single file. Raises `CannotRead` where it is none of these."""
    reader = Reader(path)
    works = [work_of(path, member) for member in reader.read()]
    remarks = [printable(line) for line in reader.remarks]
    loose = [work for work in works if not COURSE & {*work.member.parts}]
    if any(work.lies_in(exercises) for work in works for exercises in sets):
        loose = []
    answered = {work: files_answered(work, sets) for work in loose}
    remarks += [line for work in loose for line in shared_functions(work, answered[work])]
    files: dict[str, dict[str, Source]] = {}
    recognised = False
    for exercises in sets:
        choices = {}
        for name in exercises.answers:
            options = [*candidates(works, exercises, name), *loosely(answered, exercises, name)]
            if options:
                choices[name] = choose(sorted(options, key=lambda candidate: candidate.rank))
        files[exercises.name] = {name: best.source for name, (best, _) in choices.items() if best.source}
        remarks += describe(exercises, choices)
        recognised |= bool(choices)
    if not recognised:
        remarks += [why_unusable(work) for work in works[:20]]
    return SubmittedFiles(files, remarks, recognised)


def work_of(path: Path, member: Member) -> Work:
    """A file of a submission."""
    folder = member.parts[-2] if member.parts[1:] else path.name if path.is_dir() else path.stem
    inside = path.name if member.path == path.name else f"{path.name}/{member.path}"  # of an archive, or a single file
    label = show_path(path.joinpath(*member.parts)) if path.is_dir() else printable(inside)
    source = Source(label, member.text) if member.text is not None else None
    return Work(member, folder, source, defined_by(source) if source else frozenset())


def defined_by(source: Source) -> frozenset[str]:
    """The names that a file defines, without those that it imports, from another answer perhaps. Its tree is not kept,
    since it may be nobody's answer."""
    try:
        tree = read_tree.__wrapped__(source.text)
        imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        imported = {alias.asname or alias.name for node in imports for alias in node.names}
        return frozenset(lines_of_names(tree).keys() - imported)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()


def plain(name: str) -> str:
    """A name in small letters, without what marks it as a copy."""
    return COPY.sub("", name.strip().lower()).strip()


def candidates(works: Sequence[Work], exercises: ExerciseSet, name: str) -> Iterator[Candidate]:
    """The files in folders of a set that may be the answer in its file `name`: by their names, or by what they define
    where they have no name of the set's."""
    for work in works:
        if not work.lies_in(exercises):
            continue
        stem, defines = plain(work.member.stem), bool(work.defines(exercises, name))
        if stem == name or (defines and (work.member.is_notebook or stem not in exercises.answers)):
            exact = work.folder == exercises.name and work.member.parts[-1] == f"{name}.py"
            yield candidate(work, exercises, name, exact)


Place = tuple[str, str]
"""A set, and one of its files."""


def files_answered(work: Work, sets: Sequence[ExerciseSet]) -> dict[Place, frozenset[str]]:
    """The files of the course that a file may answer by what it defines, each with the functions of its exercises. One
    is left out whose functions are only a part of another one's.
    """
    defined = {
        (exercises.name, name): functions
        for exercises in sets
        for name in exercises.answers
        if (functions := work.defines(exercises, name))
    }
    return {place: own for place, own in defined.items() if not any(own < other for other in defined.values())}


def shared_functions(work: Work, answered: dict[Place, frozenset[str]]) -> Iterator[str]:
    """A remark for each two files of the course that ask for a function of the same name, which a file defines once."""
    for (one, first), (two, second) in combinations(answered.items(), 2):
        if first & second:
            names = ", ".join(sorted(first & second))
            places = f"{'/'.join(one)}.py and {'/'.join(two)}.py"
            yield f"{AMBIGUOUS}{printable(work.member.path)} may answer {places} ({names}), and was marked as both"


def loosely(
    answered: dict[Work, dict[Place, frozenset[str]]], exercises: ExerciseSet, name: str
) -> Iterator[Candidate]:
    """The files in no folder of a set that answer its file `name` by what they define."""
    for work, places in answered.items():
        if (exercises.name, name) in places:
            yield candidate(work, exercises, name, exact=False)


def candidate(work: Work, exercises: ExerciseSet, name: str, exact: bool) -> Candidate:
    """A candidate with its rank: exercises/SET/ first, then SET/, then the set itself, then what lies deeper."""
    parts = work.member.parts
    above, depth = parts[-3:-2] == ("exercises",), len(parts)
    place = 0 if above and depth == 3 else 1 if depth == 2 else 2 if depth == 1 else 3
    rank = (not exact, work.member.is_notebook, place, not above, depth, work.member.path)
    return Candidate(work, rank, exact, bool(work.source) and is_attempted(work.source, exercises, name))


def is_attempted(source: Source, exercises: ExerciseSet, name: str) -> bool:
    """Whether a file differs from the blank in a function of an exercise, or is no Python but something."""
    tree = parse(source)
    if isinstance(tree, str):
        return bool(source.text.strip())
    written, blanks, lines = functions(tree), functions(read_tree(exercises.stubs[name])), lines_of_names(tree)
    names = [function for task in exercises.tasks.values() if task.file == name for function in task.functions]
    try:
        return any(name not in written or differs(written[name], blanks[name]) for name in names if name in lines)
    except RecursionError:  # an expression so deep is no blank
        return True


def differs(written: Function, blank: Function) -> bool:
    own, given = ([ast.dump(statement) for statement in statements(function)] for function in (written, blank))
    return not is_bare(written) and own != given


Choice = tuple[Candidate, list[Candidate]]
"""The file that is marked, and the others."""


def choose(candidates: Sequence[Candidate]) -> Choice:
    """The first file that differs from the blank; where none does, the first that can be read."""
    best = min(candidates, key=lambda candidate: (not candidate.attempted, candidate.source is None))
    return best, [candidate for candidate in candidates if candidate is not best]


def describe(exercises: ExerciseSet, choices: dict[str, Choice]) -> Iterator[str]:
    """A line for each choice that was ambiguous; one for all files of a set of which the same folders were chosen."""
    lines: dict[tuple[str, str], list[str]] = {}
    for name, (best, others) in choices.items():
        if best.exact and not others:
            continue
        folders = all(choice.exact for choice in (best, *others))
        marked = place(best, folders)
        notes = "; ".join(f"{place(other, folders)} {verdict(other, best)}" for other in others)
        lines.setdefault((marked, notes), []).append(name)
    for (marked, notes), names in lines.items():
        kind = AMBIGUOUS if NOT_MARKED in notes else ""
        files = ", ".join(f"{name}.py" for name in names) if len(names) < len(exercises.answers) else "all files"
        yield f"{kind}{exercises.name}, {files}: {marked} was marked{f'; {notes}' if notes else ''}"


def place(choice: Candidate, folder: bool) -> str:
    """A file's path, or that of its folder."""
    path = printable(choice.work.member.path)
    return (path.rpartition("/")[0] or ".") if folder else path


def verdict(other: Candidate, best: Candidate) -> str:
    """What there is to say of a file that was not marked."""
    if other.source is None:
        return "cannot be read"
    if best.source and other.source.text == best.source.text:
        return "is the same"
    return NOT_MARKED if other.attempted else "is blank"


def why_unusable(work: Work) -> str:
    """Why a file of a submission without any answer is none."""
    if work.source is None:
        return f"{printable(work.member.path)}: no UTF-8 text of less than a megabyte"
    tree = parse(work.source)
    return tree if isinstance(tree, str) else f"{work.source.path}: defines no function of these exercises"
