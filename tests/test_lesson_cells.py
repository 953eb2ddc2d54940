"""The cells of lessons: run in order, what they compute written into the page, and each error in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from book.lessons import PAGES, __main__ as program, read
from book.lessons.cells import namespace, pieces, with_lesson
from book.lessons.notebooks import as_notebook, name_of
from book.lessons.renewing import renew
from book.tables import table
from common.errors import UserError

PAGE = """# A page

```python
weights = [0.25, 0.5]
sum(weights)
```

The first is 0.1<!-- = weights[0] -->, both are 7, 9,999 and −3.00<!-- = 7, 1234, -2 -->.

<!-- run
weights.append(2)
-->

<!-- excerpt: file.py name -->
```python
never.run()
```
<!-- end excerpt -->

```
neither().
```

```python
print(len(weights))
```
"""
RENEWED = PAGE.replace("0.1<", "0.2<").replace("9,999 and −3.00", "1,234 and −2.00")


def test_outputs_and_numbers_are_written_once() -> None:
    result = renew("page.md", PAGE)
    assert (result.cells, result.numbers) == (3, 4)
    assert (
        "sum(weights)\n```\n\n<!-- output -->\n```text\n0.75\n```\n<!-- end output -->\n\nThe first is" in result.text
    )
    assert result.text.endswith("<!-- output -->\n```text\n3\n```\n<!-- end output -->\n")
    assert result.differences == [
        "page.md:4: the output has 'no line' on the page, '```text' computed",
        "page.md:8: 0.1 on the page, 0.25 computed",
        "page.md:8: 9,999 on the page, 1234 computed",
        "page.md:8: −3.00 on the page, -2 computed",
        "page.md:25: the output has 'no line' on the page, '```text' computed",
    ]
    again = renew("page.md", result.text)
    assert again.differences == [] and again.text == result.text
    gone = renew("page.md", result.text.replace("print(len(weights))", "len(weights) ; x = 1"))
    assert len(gone.differences) == 1 and not gone.text.endswith("<!-- end output -->\n")


def test_the_pieces_are_the_page() -> None:
    for page in PAGES:
        assert "".join(piece.text for piece in pieces(read(page))) == read(page)


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("sum(weights)", "total(weights)", "page.md:5: NameError: name 'total' is not defined"),
        ("sum(weights)", "sum(weights", "page.md:5: SyntaxError: "),
        ("weights[0]", "weights[9]", "page.md:8: IndexError: "),
        ("= 7, 1234, -2", "= range(9)", "page.md:8: the mark computes 9 numbers, but the page has 3 before it"),
        ("```python\nweights", "<!-- output -->\n<!-- end output -->\n\n```python\nweights", "no cell before it"),
    ],
)
def test_a_cell_that_fails_is_one_line(right: str, wrong: str, message: str) -> None:
    with pytest.raises(UserError) as failure:
        renew("page.md", PAGE.replace(right, wrong, 1))
    assert message in str(failure.value) and "\n" not in str(failure.value)


def test_a_table_has_no_more_digits_than_it_needs() -> None:
    made = table("word | | | n", ["hen", "<s>"], np.array([[0.5, 1 / 3], [-1.0, 2e-9]]), [1234, -5], digits=4)
    assert made.splitlines() == [
        "| word | | | n |",
        "|---|---|---|---|",
        "| hen | 0.5 | 0.3333 | 1,234 |",
        "| `<s>` | −1.0 | 0.0000 | −5 |",
    ]
    with pytest.raises(ValueError, match="2 names"):
        table("a | b", [1, 2], [1])


def test_the_program_says_what_differs_and_renews(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    page = tmp_path / "page.md"
    page.write_text(RENEWED, "utf-8")
    monkeypatch.setattr(program, "PAGES", ["page.md"])
    monkeypatch.setattr(program, "ROOT", tmp_path)
    monkeypatch.setattr(program, "read", lambda name: (tmp_path / name).read_text("utf-8"))

    def call(*flags: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["lessons", *flags])
        try:
            program.main()
        except SystemExit as end:
            return int(end.code or 0), "".join(capsys.readouterr())
        return 0, "".join(capsys.readouterr())

    status, text = call("page.md")
    assert status == 1 and text.endswith("1 page: 2 outputs and numbers differ, 0 with a cell that fails\n")
    assert call("page.md", "--write")[0] == 0 and call("page.md")[0] == 0
    page.write_text(PAGE.replace("sum", "total"), "utf-8")
    status, text = call("page.md", "--write")
    assert status == 2 and "error: page.md:5: NameError" in text and page.read_text("utf-8").count("total") == 1
    status, text = call("chapters/none.md")
    assert status == 2 and text == "error: chapters/none.md: not a lesson; name a chapter (06) or a page (page.md)\n"


def test_the_names_of_a_lesson_are_those_at_its_end() -> None:
    assert namespace("06") is namespace("06") and namespace("06", 2) is not namespace("06")
    with pytest.raises(UserError, match="chapter 06 has no PART7.md"):
        namespace("06", 7)


def test_a_lesson_is_a_notebook(tmp_path: Path) -> None:
    page = "chapters/06_attentive_lm/README.md"
    assert name_of(page) == "lesson_06.ipynb" and name_of(page.replace("README", "PART2")) == "lesson_06_part2.ipynb"
    cells = json.loads(as_notebook(page, tmp_path))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    ours = [piece for piece in pieces(read(page)) if piece.kind in ("cell", "hidden")]
    assert [cell["source"] for cell in code[1:]] == [piece.code.strip() for piece in ours]
    assert sum(bool(cell["outputs"]) for cell in code) == read(page).count("<!-- output -->")
    names: dict = {}
    with np.printoptions():  # the first cell changes them
        for cell in code:
            exec(cell["source"], names)
    np.testing.assert_allclose(names["weights"], namespace("06")["weights"])
    text = "".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    assert "<!-- =" not in text and "```math" not in text and "$$\nh_t" in text
    for address in ("figures/weights_by_hand.svg", "RESULTS.md"):
        assert f"chapters/06_attentive_lm/{address})" in text or f"chapters/06_attentive_lm/{address}#" in text


def test_slides_have_the_names_of_all_parts() -> None:
    """Those of the lesson where both have one."""
    names, lesson, part = with_lesson("09"), namespace("09"), namespace("09", 3)
    assert names["interval"] is part["interval"] and "interval" not in lesson
    assert names["head"] == lesson["head"] != part["head"]
