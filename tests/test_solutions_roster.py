"""Whose a submission is, and what a late day costs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from common.errors import UserError
from solutions.roster import Mark, Roster, plan, read_roster

NAMES = "id,name,group\nada,Ada Lovelace,\n2,Alan T,one\nbob,Bob,one\nrob,Bob,"


def roster_of(folder: Path, text: str, *late: object) -> Roster:
    (folder / "roster.csv").write_text(text, encoding="utf-8")
    return read_roster(folder / "roster.csv", *late)


@pytest.mark.parametrize(
    ("name", "owners"),
    [
        ("ada", [("ada",)]),
        ("ADA", [("ada",)]),
        ("ada (1)", [("ada",)]),
        ("Ada  Lovelace", [("ada",)]),
        ("Ada Lovelace_4711_assignsubmission_file_", [("ada",)]),
        ("lovelaceada_LATE_2_99_work", [("2",)]),
        ("one", [("2", "bob")]),
        ("One_77_assignsubmission_file_", [("2", "bob")]),
        ("ada_2", [("ada",), ("2",)]),
        ("Bob", [("bob",)]),
        ("adamant", []),
        ("hand_in", []),
    ],
)
def test_the_owners_of_a_submission(tmp_path: Path, name: str, owners: list) -> None:
    assert roster_of(tmp_path, NAMES).owners(name) == owners


def test_two_students_of_one_name(tmp_path: Path) -> None:
    roster = roster_of(tmp_path, "id,name\n1,Bob\n3,Bob")
    planned = plan([("Bob", Path("class/Bob.zip"))], roster)
    assert planned.doubts == ["Bob: may belong to 1 or 3; rename it"] and planned.missing == ["1", "3"]
    assert planned.submissions == [("Bob", Path("class/Bob.zip"))] and planned.order == ["1", "3", "Bob"]


def test_a_member_hands_in_beside_the_group(tmp_path: Path) -> None:
    """Of the member there are two submissions, and neither is chosen."""
    paths = [Path("class/one.zip"), Path("class/bob.zip")]
    planned = plan([(path.stem, path) for path in paths], roster_of(tmp_path, NAMES))
    assert planned.submissions == [("2", paths[0])] and [*planned.several] == ["bob"]
    assert planned.doubts == [f"bob: {planned.several['bob']}"] and planned.missing == ["ada", "rob"]


def test_without_a_roster_two_of_one_name_are_told() -> None:
    paths = [Path("a/ada.zip"), Path("b/Ada (1)"), Path("a/eve")]
    planned = plan([(path.as_posix(), path) for path in paths], None)
    assert [path for _, path in planned.submissions] == paths
    assert planned.doubts == ["2 submissions of one name, each with a row: a/ada.zip and b/Ada (1)"]


@pytest.mark.parametrize(
    ("submitted", "own", "mark"),
    [
        ("2026-10-12T21:00Z", "", Mark(0, 0, 10)),
        ("2026-10-12T23:00:01+02:00", "", Mark(1, 0, 10)),
        ("2026-10-13T21:00:01Z", "", Mark(2, 1, 9)),
        ("2026-10-13T21:00:01Z", "0", Mark(2, 2, 8)),
        ("2026-10-13T21:00:01Z", "5", Mark(2, 0, 10)),
        ("2026-12-31T00:00Z", "", Mark(80, 79, 0)),
        ("", "", Mark(0, 0, 10)),
    ],
)
def test_late_days(tmp_path: Path, submitted: str, own: str, mark: Mark) -> None:
    text = f"id,submitted,free\nada,{submitted},{own}\n"
    roster = roster_of(tmp_path, text, "2026-10-12T23:00+02:00", 10, 1)
    assert roster.mark("ada", 10) == mark and roster.mark("nobody", 10) is None
    told = plan([("ada", Path("ada"))], roster).doubts
    assert told == ([] if submitted else ["ada: no time of submission in the roster; counted as in time"])


@pytest.mark.parametrize(
    ("text", "late", "message"),
    [
        ("name\nAda", (), "line 1: there is no column id"),
        ("", (), "line 1: there is no column id"),
        ("id\n", (), "no students are listed"),
        ("id,name\nada,A\n,B\n", (), "line 3: the id is missing"),
        ("id,name\nada,A\n\nADA,B\n", (), "line 4: ADA is listed twice"),
        ("id,submitted\nada,monday\n", (), "line 2: 'monday' is not a time; write it as 2026-10-12T23:59"),
        ("id,free\nada,-1\n", (), "line 2: free '-1' is not a number of days"),
        ("id\nada\n", ("2026-10-12",), "--deadline needs a column `submitted`"),
        ("id,submitted\nada,\n", ("soon",), "--deadline: 'soon' is not a time"),
        ("id,submitted\nada,2026-10-12T10:00Z\n", ("2026-10-12",), "line 2: of `submitted` and --deadline, one has"),
        ("id\nada\n", ("", 101), "--penalty 101: must be from 0 to 100"),
        ("id\nada\n", ("", float("nan")), "--penalty nan: must be from 0 to 100"),
        ("id\nada\n", ("", 0, -1), "--free -1: must not be negative"),
    ],
)
def test_what_is_wrong_with_a_roster_is_one_line(tmp_path: Path, text: str, late: tuple, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        roster_of(tmp_path, text, *late)


def test_a_roster_that_is_no_text(tmp_path: Path) -> None:
    for data in ("id\nJos\u00e9".encode("latin-1"), b"id\n" + b"x" * 200_000):
        (tmp_path / "roster.csv").write_bytes(data)
        with pytest.raises(UserError, match="save it as CSV UTF-8"):
            read_roster(tmp_path / "roster.csv")
    with pytest.raises(UserError, match="none.csv: no such file"):
        read_roster(tmp_path / "none.csv")
