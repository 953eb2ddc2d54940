"""Lessons: their numbers are computed, their code is the course's, their terms are defined, and they have one form.

Each check is also run on spoilt copies, so that it is known to fail.
"""

from __future__ import annotations

import re
import subprocess

import pytest

from book.blocks import agrees, numbers, source, with_excerpts
from book.form import dead_links, problems
from book.lessons import LESSONS, PAGES, PARTS, ROOT, anchors, figures, read, sections
from book.lessons.renewing import renew
from book.terms import glossary, too_early
from common.errors import UserError

FIRST = LESSONS[0]


def spoil(text: str, right: str, wrong: str) -> str:
    assert right in text, right
    return text.replace(right, wrong, 1)


@pytest.mark.slow
@pytest.mark.parametrize("lesson", PAGES)
def test_numbers_and_outputs_are_computed(lesson: str) -> None:
    assert renew(lesson, read(lesson)).differences == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("| 0.2792 | 1.276 |", "| 0.2792 | 1.275 |"),
        ("| `</s>` | . |", "| </s> | . |"),
        ("1.066, 1.538, 2.905\n", ""),
        ("0.8 * bigram + 0.2 * unigram\n", "0.9 * bigram + 0.1 * unigram\n"),
        ("The perplexity falls from 3.366 to 2.90<", "The perplexity falls from 3.366 to 2.91<"),
    ],
)
def test_a_wrong_number_or_output_is_found_and_renewed(right: str, wrong: str) -> None:
    spoilt = spoil(read(FIRST), right, wrong)
    result = renew(FIRST, spoilt)
    assert result.differences and all(re.match(rf"{FIRST}:\d+: ", line) for line in result.differences)
    assert renew(FIRST, result.text).differences == []
    if "bigram" not in right:
        assert len(result.differences) == 1 and result.text == read(FIRST)


def test_numbers_are_read_without_indices() -> None:
    assert numbers("| −0.5 | $x_2 = 1{,}$ and $10^{-6}$, 1,234 / 16 = 3.50 (n-1)") == [
        "−0.5", *("1", "10", "1,234", "16", "3.50", "1")]  # fmt: skip
    assert agrees("−0.5", -0.46) and agrees("1,234", 1234) and agrees("0.67", 2 / 3)
    assert agrees("0.0", -1e-9) and agrees("0.0", 1e-9) and not agrees("0.0", -0.06)
    assert not agrees("1", 0.6) and not agrees("0.66", 2 / 3) and not agrees("0.5", -0.5)


@pytest.mark.parametrize("lesson", PAGES)
def test_excerpts_are_the_code(lesson: str) -> None:
    assert with_excerpts(read(lesson)) == read(lesson), "run: python -m book.excerpts"


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (("no_such",), "no no_such here"),
        (("source.code",), "no source.code"),
        (("source", "90", "99"), "no lines 90 to 99"),
        (("source", "1", "99"), "no lines 1 to 99"),
    ],
)
def test_an_excerpt_of_nothing_is_told(place: tuple[str, ...], told: str) -> None:
    with pytest.raises(UserError, match=told):
        source("book/blocks.py", *place)


def test_an_excerpt_that_drifts_is_found() -> None:
    text = spoil(read(FIRST), "lower[level.suffixes]", "lower[level.prefixes]")
    assert with_excerpts(text) == read(FIRST) != text


@pytest.mark.slow
def test_terms_are_defined_before_they_are_used() -> None:
    assert list(too_early({lesson: read(lesson) for lesson in PAGES}, glossary())) == []


@pytest.mark.parametrize(
    ("right", "wrong", "term"),
    [
        ("This is the model's **perplexity**.", "This is the model's perplexity.", "perplexity"),
        ("The corpus comes in three parts with three jobs.", "It is split against overfitting.", "overfitting"),
        ("the **nat**", "the nit", "nat"),
        ("called a **bigram**", "seen in many bigrams, called a **bigram**", "bigram"),
    ],
)
def test_a_term_before_its_definition_is_found(right: str, wrong: str, term: str) -> None:
    terms = [one for one in glossary() if one.lesson == FIRST]
    found = list(too_early({FIRST: spoil(read(FIRST), right, wrong)}, terms))
    assert len(found) == 1 and repr(term) in found[0]


def test_a_term_within_a_longer_one_is_no_use_of_it() -> None:
    row = "| {} | | something | [2](../chapters/02_loglinear_lm/README.md#results) |\n"
    rows = row.format("hen") + row.format("red hen")
    text = "A **red hen** is no mere {}.\nA **hen** is.\n"
    for word, complaints in (("red hen", 0), ("hen", 1)):
        texts = {"chapters/02_loglinear_lm/README.md": text.format(word)}
        assert len(list(too_early(texts, glossary(rows)))) == complaints


def test_a_term_of_a_later_lesson_is_found() -> None:
    terms = glossary("| hen | hens | a bird | [2](../chapters/02_loglinear_lm/README.md#results) |\n")
    assert ["'hen' is used before" in line for line in too_early({FIRST: read(FIRST)}, terms)] == [True]
    assert len(list(too_early({FIRST: "No bird.\n"}, terms))) == 1


@pytest.mark.parametrize("page", ["glossary", "notation"])
def test_definitions_are_linked(page: str) -> None:
    """Every row has a link to a heading of a lesson in the new form."""
    rows = [row for row in read(f"book/{page}.md").splitlines() if row.startswith("| ")][1:]
    for row in rows:
        lesson, anchor = re.search(r"\]\(\.\./([^)#]+)#([^)]+)\) \|$", row).groups()
        assert lesson in PAGES and anchor in anchors(read(lesson)), row
    assert len(rows) >= 10
    if page == "glossary":
        assert len(glossary()) == len(rows)


@pytest.mark.parametrize("lesson", PAGES)
def test_the_form_of_a_lesson(lesson: str) -> None:
    assert list(problems(lesson, read(lesson))) == []


@pytest.mark.parametrize(
    ("right", "wrong", "complaint"),
    [
        ("## Run it", "## Running", "sections"),
        ("## Summary\n", "## Sum\n", "sections"),
        ("**You need**", "Needed", "head"),
        ("](figures/continuations.svg)", "](figures/continuation.svg)", "leads nowhere"),
        ("*Every word of the village.", "Every word of the village.", "caption"),
        (
            "![Lines of perplexity by order for six smoothing methods, and far below them the oracle.]",
            "![Lines.]",
            "caption",
        ),
        ("<details>", "<span>", "folded answers"),
        ("RESULTS.md#sources", "RESULTS.md#papers", "no such heading"),
        ("`--unk closed`", "`--unknown closed`", "--unknown"),
        ("generate.py --orders ", "generate.py --order-by ", "--order-by"),
        ("## How surprised is a model?", "## How surprised is a model?\n\n```math\nx\n```\n", "before the first"),
        ("> **Algorithm 1", "> **Recipe 1", "algorithms"),
        ("## Check yourself", "This took 3 CPU seconds.\n\n## Check yourself", "measurement"),
        ("1. **Without smoothing", "| a table |\n" * 150 + "\n1. **Without smoothing", "report results"),
        ("## Run it", "word " * 1500 + "\n\n## Run it", "words, "),
        ("**Time**: reading ", "**Time**: reading for ", "does not say"),
        ("ch01_lab.py", "ch02_lab.py", "no link to the lab"),
        ("book/explorer/README.md", "book/labs/README.md", "no link to the explorer"),
        ("> **Predict, then run.**", "> **Predict.**", "boxes"),
    ],
)
def test_a_lesson_out_of_form_is_found(right: str, wrong: str, complaint: str) -> None:
    assert right in read(FIRST)
    found = list(problems(FIRST, read(FIRST).replace(right, wrong)))
    assert any(complaint in one for one in found), found


def test_a_lesson_with_too_little_is_found() -> None:
    text = re.sub(r"^!\[.*$", "", read(FIRST), count=3, flags=re.MULTILINE)
    found = list(problems(FIRST, re.sub(r"<!-- excerpt: |```python", "```text", text)))
    for complaint in (f"{len(figures(read(FIRST))) - 3} figures, 8", "0 cells, 2", "0 excerpts", "is not shown"):
        assert any(complaint in one for one in found), (complaint, found)


def test_a_further_part_with_too_little_is_found() -> None:
    part = PARTS[0]
    text = re.sub(r"^!\[.*$", "", read(part), count=len(figures(read(part))) - 3, flags=re.MULTILINE)
    found = list(problems(part, re.sub(r"<!-- excerpt: |```python", "", text).replace("<details>", "<span>")))
    for complaint in ("3 figures, 4", "0 cells, 1", "0 excerpts, 1", "0 questions with folded answers, 3"):
        assert complaint in " ".join(found), (complaint, found)
    assert ["sections" in one for one in problems(part, read(part).replace("## Run it", "## Run"))] == [True]


def test_a_further_part_without_a_link_is_found() -> None:
    lesson = PARTS[0].rpartition("/")[0] + "/README.md"
    assert list(problems(lesson, read(lesson).replace("](PART2.md)", "](RESULTS.md)"))) == ["PART2.md is not linked"]


def test_questions_to_explore_have_model_answers() -> None:
    """An answer for each question, and none in the students' edition: sets of solutions are made anew there."""
    for lesson in LESSONS:
        folder = "ch" + lesson.split("/")[1]
        answers = ROOT / "solutions" / folder / "answers.md"
        modules = [path for path in answers.parent.glob("*.py") if not path.name.startswith("test_")]
        if any("raise NotImplementedError" in path.read_text("utf-8") for path in modules):
            pytest.skip("the students' edition has no answers")
        asked = re.findall(r"^(\d+)\. ", sections(read(lesson))["Questions to explore"], re.MULTILINE)
        answered = re.findall(r"^## (\d+)\. ", answers.read_text("utf-8"), re.MULTILINE)
        assert answered == asked


def pages() -> list[str]:
    """Every page of the course, lessons and others."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True).stdout.split()
    found = listed or [path.relative_to(ROOT).as_posix() for path in ROOT.glob("**/*.md") if ".venv" not in path.parts]
    return [page for page in found if (ROOT / page).exists()]


@pytest.mark.parametrize("page", pages())
def test_links_of_all_pages_lead_somewhere(page: str) -> None:
    assert list(dead_links(page, read(page))) == []


def test_a_dead_link_is_found() -> None:
    page = "chapters/09_word_attention/RESULTS.md"
    assert list(dead_links(page, read(page) + "\n[gone](README.md#no-such-heading) [gone](no_such_file.md)\n"))
