"""The list of equations is complete, and it notices what is missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import equations

CODE = """class Model:
    def score(self):
        return 1

def weights():
    return 2
"""
TESTS = """import pytest

@pytest.mark.equation("salton2017", 9)
def test_score():
    assert True

@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.equation("salton2017", 4, 3)
def test_weights(size):
    assert size
"""


REST = {
    "neubig2017": range(1, 81),
    "salton2017": (1, 2, 5, 6, 7, 8, 10),
    "wu2018": range(1, 7),
    "vaswani2017": range(1, 4),
}
TESTS += "".join(f'\n@pytest.mark.equation("{name}", {", ".join(map(str, numbers))})' for name, numbers in REST.items())
TESTS += "\ndef test_rest():\n    assert True\n"


def small_table() -> dict:
    """A table as the real one, for a course of one file."""
    row = {"what": "something", "code": ["common/a.py:weights"]}
    rows = {
        name: [{"equation": number, **row} for number in range(1, last + 1)]
        for name, last in equations.EQUATIONS_OF.items()
    }
    rows["salton2017"][8] |= {"code": ["common/a.py:Model.score"]}
    return rows


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small course in which all is well."""
    for folder in ("common", "tests", "tools"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "common" / "a.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "tests" / "test_a.py").write_text(TESTS, encoding="utf-8")
    write_table(tmp_path, small_table())
    return tmp_path


def write_table(root: Path, table: dict) -> None:
    (root / "tools" / "equations.json").write_text(json.dumps(table), encoding="utf-8")


def faults(root: Path, capsys: pytest.CaptureFixture) -> str:
    """What the program complains about; it must then exit with 1."""
    capsys.readouterr()
    assert equations.main([], root) == 1
    return capsys.readouterr().err


def test_every_equation_of_the_course_has_code_and_test(capsys: pytest.CaptureFixture) -> None:
    assert equations.main([]) == 0
    output = capsys.readouterr().out
    for line in ("salton2017 10  combined score", "neubig2017 15  perplexity", "common/nn/attention.py:contexts"):
        assert line in output
    assert "arrives with" not in output and "\n    departs: " in output


@pytest.mark.parametrize("text", ["", "no capital.", "No stop", "One. Two.", "Two\nlines.", ["A list."], 3])
def test_what_departs_is_one_sentence(text: object, root: Path, capsys: pytest.CaptureFixture) -> None:
    table = small_table()
    table["salton2017"][8]["departs"] = "Eq. 9 has e.g. 2.5 and <s>, and this is one sentence."
    write_table(root, table)
    assert equations.main([], root) == 0
    table["salton2017"][8]["departs"] = text
    write_table(root, table)
    complaint = "error: salton2017 Eq. 9 (something): what departs from the print must be text of one sentence\n"
    assert faults(root, capsys) == complaint


def test_a_complete_course_passes(root: Path, capsys: pytest.CaptureFixture) -> None:
    assert equations.main([], root) == 0
    assert "99 of 99 equations have their code; 0 faults" in capsys.readouterr().out
    assert equations.find_tests(root)["salton2017", 3] == ["tests/test_a.py::test_weights"]


def test_the_table_lists_each_equation_once_with_its_code(root: Path, capsys: pytest.CaptureFixture) -> None:
    table = small_table()
    del table["wu2018"][5]["code"]
    write_table(root, table)
    assert faults(root, capsys) == "error: wu2018 Eq. 6 (something) names no code\n"
    del table["wu2018"][2]
    table["salton2017"].append(table["salton2017"][0])
    write_table(root, table)
    missing = faults(root, capsys)
    assert "must list wu2018 1 to 6" in missing and "must list salton2017 1 to 10" in missing


MARK = '@pytest.mark.equation("salton2017", 9)'
NO_TEST = "error: salton2017 Eq. 9 (something) has no test\n"
NO_FUNCTION = "error: salton2017 Eq. 9 (something): there is no function common/a.py:Model.score\n"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("def test_score", "def check_score", NO_TEST),
        (f"{MARK}\n", "", NO_TEST),
        (MARK, f"@pytest.mark.skip\n{MARK}", NO_TEST),
        (MARK, f"{MARK}\n@pytest.mark.xfail()", NO_TEST),
        ("class Model:", "class Models:", NO_FUNCTION),
        ("    def score(self):", "    def scores(self):", NO_FUNCTION),
        ("    def score(self):\n        return 1\n", "    score = 1\n", NO_FUNCTION),
        ('"salton2017", 9', '"salton2017", 9, 11', "which the table does not list"),
    ],
)
def test_what_is_no_test_or_no_function(old: str, new: str, fault: str, root: Path, capsys) -> None:
    """Tests without a mark, that are skipped or may fail; code that is not there; a mark of an unknown equation."""
    texts = {path: path.read_text(encoding="utf-8") for path in (root / "tests/test_a.py", root / "common/a.py")}
    assert sum(text.count(old) for text in texts.values()) == 1
    for path, text in texts.items():
        path.write_text(text.replace(old, new), encoding="utf-8")
    complaint = faults(root, capsys)
    assert complaint == fault or fault in complaint and "test_score is marked with salton2017 Eq. 11" in complaint


def test_a_lost_file_is_missed(root: Path, capsys: pytest.CaptureFixture) -> None:
    (root / "common" / "a.py").unlink()
    assert faults(root, capsys).count("there is no function") == 99
