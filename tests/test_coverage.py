"""The page of what the sources contain: nothing is left out, every place exists, and what is not here is explained."""

from __future__ import annotations

import re
from itertools import chain

import pytest

from book.lessons import anchors
from book.site import coverage
from common import ROOT

SOURCES = coverage.read_coverage()
GROUPS = {
    f"{source}.{name}": group["rows"]
    for source, content in SOURCES.items()
    for name, group in content.items()
    if name != "title"
}
ROWS = [pytest.param(row, id=f"{group}-{row['name']}") for group, rows in GROUPS.items() for row in rows]
PLACES = sorted({place for rows in GROUPS.values() for row in rows for place in row.get("where", [])})


def numbers(group: str, pattern: str) -> list[int]:
    """The numbers in the names of a group's rows, in their order."""
    return [int(number) for row in GROUPS[group] for number in re.findall(pattern, row["name"])]


def test_every_figure_algorithm_and_exercise_is_listed() -> None:
    assert numbers("neubig2017.figures", r"^Figure (\d+)") == [*range(1, 29)]
    assert numbers("neubig2017.figures", r"^Algorithms? (\d)(?: and)?") == [1, 3]
    assert numbers("salton2017.figures", r"^Figure (\d)") == [1, 2, 3]
    assert [row["name"] for row in GROUPS["neubig2017.exercises"]][:6] == ["3.6", "4.6", "5.7", "6.7", "7.5", "8.8"]
    sections = {row["name"][0] for row in GROUPS["neubig2017.systems"]}
    assert sections == {*"3456789"}


@pytest.mark.parametrize(
    ("group", "rows", "values"),
    [
        ("salton2017.table1", 13, "82.7 78.4 73.2 72.1 70.9 70.7 70.1 77.0 73.3 72.0 73.6 69.5 68.7"),
        ("salton2017.table2", 8, "100.9 99.3 96.3 81.6 80.8 70.8 69.7 68.9"),
        ("wu2018.table1", 10, "26.42 26.96 31.15 30.64 30.71 30.56 33.44 31.67 33.03 33.41"),
        ("wu2018.table3", 4, "29.16 31.03 31.71 31.90"),
        ("wu2018.table4", 7, "35.10 35.90 37.70 39.20 38.95 38.50 39.10"),
    ],
)
def test_tables_are_whole(group: str, rows: int, values: str) -> None:
    """The last value of every row as the source prints it, in the order of the print."""
    assert len(GROUPS[group]) == rows
    assert [re.findall(r"[\d.]+", row["what"])[-1] for row in GROUPS[group]] == values.split()


@pytest.mark.parametrize("table", [group for group in GROUPS if ".table" in group])
def test_the_tables_are_in_the_results(table: str) -> None:
    chapter = {"salton2017": "06_attentive_lm", "wu2018": "09_word_attention"}[table.partition(".")[0]]
    lines = (ROOT / f"chapters/{chapter}/RESULTS.md").read_text("utf-8").splitlines()
    for row in GROUPS[table]:
        printed = re.findall(r"\d+\.\d+(?!M)", row["what"])
        assert any(set(printed) <= set(re.findall(r"\d+\.\d+", line)) for line in lines), row["name"]


@pytest.mark.parametrize("row", ROWS)
def test_a_row_has_a_place_or_a_reason(row: dict) -> None:
    assert row.keys() <= {"name", "what", "where", "note"} and row["what"]
    if "where" in row:
        assert row["where"]
    else:
        assert row["note"].startswith(("Not ", "As above"))
    assert row.get("note", ".").endswith(".")


@pytest.mark.parametrize("place", PLACES)
def test_every_place_exists(place: str) -> None:
    path, _, heading = place.partition("#")
    assert (ROOT / path).exists()
    assert not heading or heading in anchors((ROOT / path).read_text("utf-8"))


def test_presets_and_flags_of_the_notes_exist() -> None:
    """`--preset NAME` is one of a chapter's, and `--flag` one of a chapter's settings or programs."""
    notes = " ".join(row.get("note", "") for row in chain(*GROUPS.values()))
    programs = "".join(path.read_text("utf-8") for path in sorted(ROOT.glob("c*/**/*.py")))
    for preset in re.findall(r"--preset ([\w-]+)", notes):
        assert f'"{preset}": ' in programs, preset
    for flag in set(re.findall(r"--([a-z][\w-]+)", notes)) - {"preset"}:
        assert re.search(rf'"--{flag}"|^    {flag.replace("-", "_")}_?: ', programs, re.MULTILINE), flag
