"""What students hand in: two copies, copies that a system has renamed, notebooks, zip files, single files."""

from __future__ import annotations

import os
import re
import stat
import struct
import sys
import zipfile
from pathlib import Path

import pytest

from solutions.grading import members
from solutions.grading.course import Course
from solutions.grading.execution import Source
from solutions.grading.members import CannotRead
from solutions.grading.submission import AMBIGUOUS, SubmittedFiles, is_attempted, read_submission
from solutions.sets import EXERCISES, find_sets
from tests.submissions import ANSWERS as RIGHT, chapter_one, notebook, without_marks, write_submission, zip_of

ONE = chapter_one()
BLANK = ONE.stubs
ONE_FILE = {"by_hand": RIGHT["by_hand"]}


def read(path: Path) -> SubmittedFiles:
    return read_submission(path, [ONE])


def texts(submitted: SubmittedFiles) -> dict[str, str]:
    return {name: source.text for name, source in submitted.files[ONE.name].items()}


def write_set(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        write_submission(folder, text, name)
    return folder


def ambiguous(submitted: SubmittedFiles) -> list[str]:
    return [line for line in submitted.remarks if line.startswith(AMBIGUOUS)]


class TestTwoPlaces:
    @pytest.mark.parametrize(
        ("places", "marked", "remark"),
        [
            ({"v1/exercises": BLANK, "v2": RIGHT}, RIGHT, "all files: v2/SET was marked; v1/exercises/SET is blank"),
            ({"v1": RIGHT, "v2/exercises": BLANK}, RIGHT, "all files: v1/SET was marked; v2/exercises/SET is blank"),
            (
                {"exercises": BLANK, "my work": ONE_FILE},
                BLANK | ONE_FILE,
                "by_hand.py: my work/SET was marked; exercises/SET is blank",
            ),
            (
                {"exercises": RIGHT, "backup": {"by_hand": RIGHT["by_hand"].replace("2 / 3", "1 / 3")}},
                RIGHT,
                "by_hand.py: exercises/SET was marked; backup/SET differs from the blank too and was NOT marked",
            ),
            (
                {"exercises": RIGHT, "backup": RIGHT},
                RIGHT,
                "all files: exercises/SET was marked; backup/SET is the same",
            ),
        ],
        ids=["blank first", "blank second", "blank at the usual place", "two attempts", "the same"],
    )
    def test_which_is_marked(self, tmp_path: Path, places: dict, marked: dict, remark: str) -> None:
        """What differs from the blank; of two attempts that at the usual place, and the row says so loudly."""
        for place, files in places.items():
            write_set(tmp_path / place, files)
        submitted = read(tmp_path)
        assert texts(submitted) == marked
        kind = AMBIGUOUS if "NOT" in remark else ""
        assert submitted.remarks == [f"{kind}{ONE.name}, {remark}".replace("SET", ONE.name)]

    def test_one_place_is_nothing_to_tell(self, tmp_path: Path) -> None:
        for place in ("a", "b/course-main/exercises", "c/exercises"):
            write_set(tmp_path / place, RIGHT)
            write_set(tmp_path / place.partition("/")[0] / "solutions", BLANK)
            submitted = read(tmp_path / place.partition("/")[0])
            assert submitted.remarks == [] and texts(submitted) == RIGHT

    @pytest.mark.slow
    def test_the_courses_own_exercises_are_unambiguous(self) -> None:
        assert read_submission(EXERCISES.parent, find_sets()).remarks == []


class TestNames:
    @pytest.mark.parametrize(
        "place",
        [
            f"{ONE.name}/by_hand (1).py",
            f"{ONE.name}/by_hand(2).py",
            f"{ONE.name}/By_Hand.py",
            f"{ONE.name}/by_hand.PY",
            f"{ONE.name}/by_hand copy.py",
            f"{ONE.name}/by_hand - Copy.py",
            f"{ONE.name}/my_final_version.py",
            f"{ONE.name.upper()}/by_hand.py",
            f"{ONE.name} (1)/by_hand.py",
            f"{ONE.name} copy 2/by_hand.py",
            f"exercises (1)/{ONE.name} (1)/BY_HAND (3).py",
        ],
    )
    @pytest.mark.parametrize("blank", [True, False])
    def test_a_name_that_is_a_little_different(self, tmp_path: Path, place: str, blank: bool) -> None:
        if blank:
            write_set(tmp_path, {"by_hand": BLANK["by_hand"]})
        path = tmp_path / place
        if path.exists():
            pytest.skip("this system does not tell the two names apart")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(RIGHT["by_hand"], encoding="utf-8")
        submitted = read(tmp_path)
        assert texts(submitted) == ONE_FILE
        (line,) = submitted.remarks
        assert f"{place} was marked" in line
        assert line.endswith(f"; {ONE.name}/by_hand.py is blank" if blank else "was marked")

    def test_a_notebook_beside_a_blank(self, tmp_path: Path) -> None:
        write_set(tmp_path, BLANK)
        for name in ("by_hand", "all my answers"):
            place = tmp_path / ONE.name / f"{name}.ipynb"
            place.write_text(notebook(RIGHT["by_hand"]), encoding="utf-8")
            submitted = read(tmp_path)
            text = submitted.files[ONE.name]["by_hand"].text
            assert RIGHT["by_hand"] in text and text.startswith("# %time 1\n# !ls\n")
            assert texts(submitted) == BLANK | {"by_hand": text}
            assert submitted.remarks == [
                f"{ONE.name}, by_hand.py: {ONE.name}/{name}.ipynb was marked; {ONE.name}/by_hand.py is blank"
            ]
            place.unlink()

    def test_files_of_other_names_that_define_nothing(self, tmp_path: Path) -> None:
        write_set(tmp_path, RIGHT)
        (tmp_path / ONE.name / "helpers.py").write_text("def helper(): pass\n", encoding="utf-8")
        (tmp_path / ONE.name / "broken.ipynb").write_text("{", encoding="utf-8")
        assert read(tmp_path).remarks == []

    def test_loose_files(self, tmp_path: Path) -> None:
        """Without a folder of a set, by what they define; but never the course's own code."""
        for name in ("by_hand", "counting"):
            (tmp_path / f"{name}.py").write_text(RIGHT[name], encoding="utf-8")
        assert texts(read(tmp_path)) == {name: RIGHT[name] for name in ("by_hand", "counting")}
        course = tmp_path / "chapters"
        course.mkdir()
        os.rename(tmp_path / "counting.py", course / "counting.py")
        assert [*texts(read(tmp_path))] == ["by_hand"]

    def test_a_single_file_with_all_exercises_of_a_chapter(self, tmp_path: Path) -> None:
        """It counts for each of them, and nothing is ambiguous."""
        path = tmp_path / "alice.py"
        path.write_text("\n".join(RIGHT.values()), encoding="utf-8")
        submitted = read(path)
        assert {*texts(submitted)} == {*RIGHT} and not ambiguous(submitted)

    @pytest.mark.parametrize("kind", ["py", "ipynb"])
    def test_a_file_that_could_be_two_exercises(self, tmp_path: Path, kind: str) -> None:
        """Both chapters ask for a function of the same name, of which a file has but one."""
        sets, path = find_sets()[:2], tmp_path / f"alice.{kind}"
        text = "\n".join(
            without_marks(sets[number].answers[name]) for number, name in ((0, "by_hand"), (1, "questions"))
        )
        path.write_text(text if kind == "py" else notebook(text), encoding="utf-8")
        submitted = read_submission(path, sets)
        assert all(len(files) == 1 for files in submitted.files.values())
        (line,) = ambiguous(submitted)
        places = f"{ONE.name}/by_hand.py and {sets[1].name}/questions.py (how_many_parameters)"
        assert line == f"{AMBIGUOUS}alice.{kind} may answer {places}, and was marked as both"

    @pytest.mark.slow
    def test_a_module_answers_one_file_of_the_course(self, tmp_path: Path) -> None:
        for exercises in find_sets():
            for name, text in exercises.answers.items():
                path = tmp_path / f"{exercises.name}-{name}.py"
                path.write_text(without_marks(text), encoding="utf-8")
                submitted = read_submission(path, find_sets())
                places = [(of, *own) for of, own in submitted.files.items() if own]
                assert places == [(exercises.name, name)] and not ambiguous(submitted)


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_an_attempt(name: str) -> None:
    """Not a blank, in whatever edition; nor an empty file."""
    blank = BLANK[name]
    older = re.sub(r'^( +""")(?=\w)', r"\1In an older edition: ", blank, flags=re.MULTILINE)
    assert older != blank
    for text in (blank, older, f"# mine\n\n{blank}", "", "import math\n"):
        assert not is_attempted(Source("x.py", text), ONE, name)
    begun_text = blank.replace("    raise NotImplementedError", "    x = 1\n    raise NotImplementedError", 1)
    for text in (RIGHT[name], "def (:", begun_text):
        assert is_attempted(Source("x.py", text), ONE, name)


OUTSIDE = ("../", "a/../../", "/", "C:/", "..\\")


class TestZip:
    @pytest.mark.parametrize("above", ["", "course-main/exercises/", "./", "a\\b\\"])
    def test_as_archivers_make_them(self, tmp_path: Path, above: str) -> None:
        path = zip_of(tmp_path / "dave.zip", {f"{above}{ONE.name}/{name}.py": text for name, text in RIGHT.items()})
        submitted = read(path)
        assert texts(submitted) == RIGHT and submitted.remarks == []
        assert submitted.files[ONE.name]["by_hand"].path.startswith("dave.zip/")
        assert [*tmp_path.iterdir()] == [path], "nothing is unpacked"

    @pytest.mark.parametrize("above", ["課題表".encode("cp932"), "作业".encode("gbk"), "Übung".encode(), b"\xff\xfe"])
    @pytest.mark.parametrize("between", [b"/", b"\\"])
    def test_names_in_other_encodings(self, tmp_path: Path, above: bytes, between: bytes) -> None:
        """Windows writes names in its own encoding, macOS in UTF-8, and neither says so."""
        name = between.join([above, ONE.name.encode(), b"by_hand.py"])
        path = zip_of(tmp_path / "x.zip", {"N" * len(name): RIGHT["by_hand"]})
        path.write_bytes(path.read_bytes().replace(b"N" * len(name), name))
        submitted = read(path)
        assert texts(submitted) == ONE_FILE and submitted.remarks == []

    @pytest.mark.parametrize(
        ("name", "mode", "remark"),
        [
            *((f"{above}{ONE.name}/by_hand.py", 0, "leads out of the archive") for above in OUTSIDE),
            (f"{ONE.name}/by_hand.py", stat.S_IFLNK | 0o777, "not an ordinary file"),
            ("inner.zip", 0, "inner.zip: an archive in an archive is not opened"),
        ],
    )
    def test_what_is_not_read(self, tmp_path: Path, name: str, mode: int, remark: str) -> None:
        submitted = read(zip_of(tmp_path / "x.zip", {name: str(ONE.path_of("by_hand"))}, mode << 16))
        assert not submitted.recognised and any(remark in line for line in submitted.remarks)

    def test_bombs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A file that is too large, one that says that it is small, too many files, too many bytes in all."""
        large = "#" * 5_000_000
        files = {f"{ONE.name}/by_hand.py": large, f"{ONE.name}/counting.py": RIGHT["counting"]}
        path = zip_of(tmp_path / "x.zip", files)
        assert path.stat().st_size < 20_000
        assert [*texts(read(path))] == ["counting"]
        data = path.read_bytes().replace(struct.pack("<L", len(large)), struct.pack("<L", 1000))
        path.write_bytes(data)
        submitted = read(path)
        assert [*texts(submitted)] == ["counting"] and "by_hand.py: cannot be read (Bad CRC-32" in submitted.remarks[0]
        monkeypatch.setattr(members, "MOST_BYTES", 10_000)
        many = zip_of(tmp_path / "many.zip", {f"{ONE.name}/{name}.py": text for name, text in RIGHT.items()})
        submitted = read(many)
        assert 0 < len(texts(submitted)) < len(RIGHT) and any(
            line.startswith("too many files") for line in submitted.remarks
        )
        monkeypatch.setattr(members, "LARGEST_DIRECTORY", 100)
        with pytest.raises(CannotRead, match="too many files"):
            read(many)

    def test_an_archive_of_64_bits(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """As it is made of more than 65,535 files: its list of files would be of any size."""
        path = tmp_path / "x.zip"
        monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
        zip_of(path, {"a.py": "", "b.py": "", "c.py": ""})
        with pytest.raises(CannotRead, match="too many files"):
            read(path)

    def test_encrypted(self, tmp_path: Path) -> None:
        path = zip_of(tmp_path / "x.zip", {f"{ONE.name}/by_hand.py": RIGHT["by_hand"]})
        data = bytearray(path.read_bytes())
        data[6] |= 1
        data[data.index(b"PK\1\2") + 8] |= 1
        path.write_bytes(data)
        with pytest.raises(CannotRead, match="without a password"):
            read(path)

    def test_damage_is_one_line(self, tmp_path: Path) -> None:
        whole = zip_of(tmp_path / "x.zip", {f"{ONE.name}/{name}.py": text for name, text in RIGHT.items()}).read_bytes()
        path = tmp_path / "y.zip"
        for place in range(0, len(whole), 211):
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
            try:
                read(path)
            except CannotRead as error:
                assert "\n" not in str(error)
        for data in (b"", whole[:-30], whole[:100], b"PK\5\6" + bytes(18)):
            path.write_bytes(data)
            try:
                assert not read(path).recognised
            except CannotRead as error:
                assert "\n" not in str(error)


def test_a_single_file_with_nothing_in_it(tmp_path: Path) -> None:
    cases = (("a.py", "x = 1", "defines no function"), ("b.py", "\xff", "no UTF-8"), ("c.ipynb", "[]", "no UTF-8"))
    for name, text, remark in cases:
        (tmp_path / name).write_bytes(text.encode("latin-1"))
        submitted = read(tmp_path / name)
        assert not submitted.recognised and f"{name}: {remark}" in submitted.remarks[0]


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_links_that_lead_out_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "work" / ONE.name).mkdir(parents=True)
    (tmp_path / "work" / ONE.name / "by_hand.py").symlink_to(ONE.path_of("by_hand"))
    (tmp_path / "work" / "exercises").symlink_to(ONE.folder.parent)
    submitted = read(tmp_path / "work")
    assert texts(submitted) == {} and submitted.recognised


def test_pytest_shows_what_is_marked(tmp_path: Path) -> None:
    write_set(tmp_path / "v1", {"by_hand": BLANK["by_hand"]})
    write_set(tmp_path / "v2", ONE_FILE)
    course = Course(tmp_path)
    exercises = course.sets[ONE.folder]
    assert course.outcome(exercises, exercises.graders[0]).status == "passed" and "v1" in course.summary()[0]
    nothing = Course(tmp_path / "none")
    assert nothing.outcome(exercises, exercises.graders[0]).status == "failed"
    assert "no such file" in nothing.summary()[0]
