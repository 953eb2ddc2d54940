"""Feedback for a student, to be sent: by exercise the points and the message, as a text and as a page of HTML.

The page needs nothing but itself: no script, no other file, and no network.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html import escape
from pathlib import Path

from common.files import write_lines
from common.text.vocab import counted
from solutions.grading.execution import PASSED
from solutions.grading.reading import show_path
from solutions.grading.rows import Report
from solutions.grading.running import TaskResult
from solutions.roster import Mark
from solutions.sets import sets_with

STYLE = """
:root { color-scheme: light dark; --line: #8886; --good: #1a7f37; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --good: #57c474; --bad: #ff8a80; } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; } h3 { font-size: 1rem; margin: 0; }
section { border-left: .25rem solid var(--line); padding: 0 0 0 .75rem; margin: 1rem 0; }
section.passed { border-color: var(--good); } section.failed { border-color: var(--bad); }
p { margin: .25rem 0; } pre { overflow-x: auto; border: 1px solid var(--line); padding: .5rem; font-size: .85rem; }
"""


def write_feedback(path: Path, report: Report, name: str, mark: Mark | None) -> None:
    """Write PATH.txt and PATH.html. name: of the student."""
    for kind, lines in FORMS.items():
        write_lines(path.with_name(f"{path.name}.{kind}"), lines(report, name, mark))


def without_place(report: Report, submission: Path | None) -> Report:
    """The report with paths that begin inside of the submission, as the student has them."""
    if submission is None:
        return report
    place = f"{show_path(submission)}/"
    results = [replace(result, message=result.message.replace(place, "")) for result in report.results]
    return replace(report, results=results)


def totals(report: Report, mark: Mark | None) -> list[str]:
    """The points, and what is left of them after late days."""
    points = sum(result.points for result in report.results)
    lines = [f"{report.score:g} of {points:g} points"]
    if mark and mark.days:
        charged = f"{mark.charged} of them with a penalty" if mark.charged else "none of them with a penalty"
        lines.append(f"{counted(mark.days, 'day')} late, {charged}: {mark.points:g} of {points:g} points")
    return lines


def notes(report: Report) -> list[str]:
    """What is to be said of the submission as a whole."""
    return [report.error] if report.error else report.remarks


def heading(result: TaskResult) -> str:
    return f"{result.task.number} {result.task.title}"


def verdict(result: TaskResult) -> str:
    return f"{result.status}, {result.score:g} of {result.points:g} points"


def by_chapter(report: Report) -> Iterator[tuple[str, list[TaskResult]]]:
    """The title of each chapter with its results; nothing where the submission could not be graded."""
    for exercises in sets_with(result.task for result in report.results) if not report.error else ():
        results = [result for result in report.results if result.task.exercises == exercises]
        yield f"Chapter {exercises.chapter}: {exercises.title}", results


def details(result: TaskResult) -> list[str]:
    """What is wrong, and how to see the checks."""
    command = "" if result.status == PASSED else f"check it: python -m exercises check {result.task.number}"
    return [line for line in (result.message, command) if line]


def as_text(report: Report, name: str, mark: Mark | None) -> Iterator[str]:
    """The lines of the text."""
    yield f"Feedback for {name}"
    yield from [*totals(report, mark), *notes(report)]
    for title, results in by_chapter(report):
        yield from ("", title)
        for result in results:
            yield from ("", heading(result), f"    {verdict(result)}")
            yield from (f"    {line}" for line in details(result))
            if result.output:
                yield from ("    it printed:", *(f"    | {line}" for line in result.output.splitlines()))


def as_page(report: Report, name: str, mark: Mark | None) -> Iterator[str]:
    """The lines of the page."""
    title = escape(f"Feedback for {name}")
    yield '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>"
    yield from (f"<p><strong>{escape(line)}</strong></p>" for line in totals(report, mark))
    yield from (f"<p>{escape(line)}</p>" for line in notes(report))
    for title, results in by_chapter(report):
        yield f"<h2>{escape(title)}</h2>"
        for result in results:
            yield f'<section class="{result.status.replace(" ", "-")}">\n<h3>{escape(heading(result))}</h3>'
            yield from (f"<p>{escape(line)}</p>" for line in (verdict(result), *details(result)))
            if result.output:
                yield "<p>it printed:</p>\n<pre>" + escape("\n".join(result.output.splitlines())) + "</pre>"
            yield "</section>"
    yield "</html>"


FORMS = {"txt": as_text, "html": as_page}
"""How feedback is written, by the ending of the file."""
