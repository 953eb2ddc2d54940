"""The book as a site: what is made for it of lessons, code and tables. The built pages: test_site_built.py."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from book import packages
from book.lessons import LESSONS, ROOT, read
from book.site.__main__ import build
from book.site.api import api_pages
from book.site.bibliography import bibliography, mentions
from book.site.concepts import NEEDS, concept_map
from book.site.door import edit_link, with_notebook, write_notebooks
from book.site.edition import Edition, document
from book.site.equations import equations_page, read_formulas
from book.site.exercises import exercise_pages
from book.site.pages import adapted
from book.site.sources import escaped
from book.site.staging import navigation, stage
from book.terms import glossary
from common.errors import UserError
from solutions.sets import find_sets
from tests.live_site import needs_book
from tests.notebooks import labs
from tools.equations import read_table

LESSON = "chapters/06_attentive_lm/README.md"
STUDENTS = Edition()


# --- what pages are made of


def test_links_of_a_page_lead_to_pages_of_the_site() -> None:
    text = (
        "[one](../05_rnn_lm/README.md#run-it) [two](model.py) [three](model.py#L3-L7) [four](https://example.org/) "
        "![five](figures/causal_mask.svg) [six](../../solutions/README.md) [seven](#here) [eight](../../common/nn) "
        "`[nine](model.py)`\n\n```\n[ten](model.py)\n```\n"
    )
    code = '<a class="reference internal" href="../../code/chapters/06_attentive_lm/model.py.html'
    assert adapted(STUDENTS, LESSON, text) == (
        f'[one](../05_rnn_lm/index.md#run-it) {code}">two</a> {code}?to=7#L-3">three</a> [four](https://example.org/) '
        "![five](figures/causal_mask.svg) six [seven](#here) [eight](../../code/index.md) "
        "`[nine](model.py)`\n\n```\n[ten](model.py)\n```\n"
    ).replace("[eight](../../code/index.md)", '<a class="reference internal" href="../../code/index.html">eight</a>')


def test_an_excerpt_names_its_lines() -> None:
    text = adapted(STUDENTS, LESSON, read(LESSON))
    lines = (ROOT / "common/nn/attention.py").read_text("utf-8").splitlines()
    first, last = re.search(
        r'common/nn/attention\.py\.html\?to=(\d+)#L-\d+">common/nn/attention\.py, line (\d+)<', text
    ).groups()[::-1]
    assert lines[int(first) - 1].startswith("def causal_weights(") and lines[int(last) - 1].startswith("    return ")


def test_what_only_runs_is_not_on_the_page() -> None:
    text = adapted(STUDENTS, LESSON, read(LESSON))
    assert "<!-- =" in read(LESSON) and "<!-- run" in read(LESSON)
    assert "<!-- =" not in text and "<!-- run" not in text
    assert "weights = softmax(scores)\n" in text and "The exponentials sum to 3.702, and" in text


def test_a_link_whose_text_is_code_leads_to_the_site() -> None:
    text = adapted(STUDENTS, LESSON, "[`a|b`](../../common/nn/attention.py), ``[`c`](d.py)``")
    assert re.fullmatch(r'<a [^>]*nn/attention\.py\.html">`a\|b`</a>, ``\[`c`\]\(d\.py\)``', text)


def test_what_students_do_not_get() -> None:
    if not list(ROOT.glob("solutions/*/answers.md")):
        pytest.skip("the students' edition has no answers")
    whole = Edition(instructor=True)
    answers = {f"solutions/{exercise_set.name}/answers.md" for exercise_set in find_sets()}
    assert answers <= set(whole.pages) and "solutions/README.md" in whole.pages
    assert any(path.startswith("solutions/ch01") for path in whole.code)
    public = STUDENTS.pages + STUDENTS.code
    assert not [
        path for path in public if path.startswith("solutions/") or "instructor" in path or "answers.md" in path
    ]
    assert "tests/test_solutions_grade.py" not in public and "tests/test_attention.py" in public
    assert {*LESSONS, "RESULTS.md", "SPEED.md", "exercises/README.md", "data/README.md"} <= set(STUDENTS.pages)


def test_without_answers_there_is_no_instructors_edition(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="leave --instructor out"):
        Edition(instructor=True, root=tmp_path)


def test_missing_packages_are_named_with_what_installs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    packages.check_packages("slides", ["json", "re"])
    monkeypatch.setattr(packages, "OLDEST_PYTHON", (3, 1))
    with pytest.raises(
        UserError, match=r"no-such, nor-this: not installed; make slides, or pip install -e '\.\[book\]'"
    ):
        packages.check_packages("slides", ["no-such", "re", "nor-this"])
    monkeypatch.setattr(packages, "OLDEST_PYTHON", (4, 1))  # older ones do not get the packages
    packages.check_packages("book", ["json"])
    with pytest.raises(UserError, match=r"make book needs Python 4\.1 or newer, and this is 3\.\d+; make clean, then"):
        packages.check_packages("book", ["no-such"])


NO_PLACES = {
    "notes.txt": "is a file; name a folder",
    "notes.txt/book": ".+; name another",
    300 * "x": ".+; name another",
}


@needs_book
@pytest.mark.parametrize("out", NO_PLACES)
def test_a_file_is_no_place_for_the_book(out: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    with pytest.raises(UserError, match=f"{out}: {NO_PLACES[out]}"):
        build(STUDENTS, tmp_path / out)
    assert (tmp_path / "notes.txt").read_text("utf-8") == "mine" and len(list(tmp_path.iterdir())) == 1


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder that Sphinx would read, and the names of its documents. The notebook lies beside it."""
    folder = tmp_path_factory.mktemp("site")
    return folder / "pages", stage(STUDENTS, folder / "pages", labs(folder / "labs"))


@pytest.mark.slow
def test_every_document_has_one_place(staged: tuple[Path, list[str]]) -> None:
    folder, documents = staged
    trees = {
        name: (folder / f"{name}.md").read_text("utf-8") for name in ("index", "api/index", *map(document, LESSONS))
    }
    places = [document for text in trees.values() for tree in re.findall(r"```{toctree}\n(.*?)```", text, re.DOTALL)
              for document in re.findall(r"^/(.+)$", tree, re.MULTILINE)]  # fmt: skip
    assert sorted([*places, "index"]) == sorted(documents)
    assert ":caption: More" not in trees["index"]
    assert (
        "book/labs/ch01_lab\n/exercises/ch01_ngram_lm\n/chapters/01_ngram_lm/RESULTS\n" in trees[document(LESSONS[0])]
    )
    assert "](../../chapters/01_ngram_lm/index.md)" in (folder / "book/labs/ch01_lab.ipynb").read_text("utf-8")


def test_a_page_that_nobody_placed_is_shown_all_the_same() -> None:
    assert ":caption: More\n/data/other\n" in navigation(["index", "data/index", "data/other"])["index"]


@pytest.mark.slow
def test_staging_again_writes_only_what_changed(staged: tuple[Path, list[str]]) -> None:
    folder, documents = staged
    (folder / "old.md").write_text("# Old\n")
    (folder / "SPEED.md").write_text("spoilt")
    before = {path: path.stat().st_mtime_ns for path in folder.glob("**/*.md")}
    assert stage(STUDENTS, folder, folder.with_name("labs")) == documents
    after = {path: path.stat().st_mtime_ns for path in folder.glob("**/*.md")}
    assert {path.name for path in before if before[path] != after.get(path)} == {"old.md", "SPEED.md"}


# --- pages made of code and tables


@pytest.mark.slow
def test_every_equation_has_its_formula() -> None:
    table, formulas = read_table(), read_formulas()
    assert list(formulas) == [equation.key for equation in table] and len(formulas) == 99
    page = equations_page(STUDENTS)
    assert page.count("```{math}") == 99 and page.count("**Departs") == sum(
        bool(equation.departs) for equation in table
    )
    for latex in formulas.values():
        assert latex.count("{") == latex.count("}") and latex.count(r"\begin") == latex.count(r"\end") and latex in page


@pytest.mark.slow
def test_the_reference_has_every_public_function() -> None:
    pages = api_pages(STUDENTS)
    attention = pages["api/common/nn"]
    assert "### causal\\_weights\n\n```python\ndef causal_weights(scores: dy.Expression, time: int)" in attention
    assert "[Salton et al. 2017, Eq. 4](#salton2017-eq-4)" in attention and "#### DotScore.keys" not in attention
    assert (
        "- `hidden_size` (`int`): size of embeddings and states (default: `128`)"
        in pages["api/chapters/06_attentive_lm"]
    )
    functions = re.findall(r"^def ([a-z]\w*)\(", (ROOT / "common/search/decoding.py").read_text("utf-8"), re.MULTILINE)
    assert len(functions) > 2 and all(f"### {escaped(name)}\n" in pages["api/common/search"] for name in functions)


def test_the_bibliography_names_a_work_once() -> None:
    page = bibliography(STUDENTS)
    (work,) = re.findall(r"\*Neural Machine Translation by Jointly.*?(?=\n\n\*\*)", page, re.DOTALL)
    assert {"Chapter 6 <", "Chapter 8 <", "Chapter 9 <"} <= set(re.findall(r"Chapter \d <", work))
    names = re.findall(r"^\*\*(.+?)\*\*: ", page, re.MULTILINE)
    assert len(names) >= 50 and names.index("D. Bahdanau, K. Cho, Y. Bengio") < names.index("R. Kneser, H. Ney")


def test_an_item_that_names_no_work_is_an_error() -> None:
    with pytest.raises(UserError, match="no 'Authors"):
        list(mentions("page", "## Sources\n\n- something else\n"))


def test_exercises_have_all_their_hints_folded() -> None:
    pages = exercise_pages(STUDENTS)
    for exercise_set in find_sets():
        text = pages[f"exercises/{exercise_set.name}"]
        assert text.count("<details>") == sum(len(task.hints) for task in exercise_set.tasks.values())
        assert all(f"## {task.number} " in text for task in exercise_set.tasks.values())
    first = pages["exercises/ch01_ngram_lm"]
    assert "python -m exercises check 1.2\n" in first
    assert 'href="../code/exercises/ch01_ngram_lm/counting.py.html?to=23#L-14">`count_ngrams`</a>' in first


# --- the door


@pytest.mark.parametrize("repository", ["", "https://example.org/team/course"])
def test_a_page_links_to_its_file_where_the_course_has_an_address(repository: str) -> None:
    context: dict = {}
    add = edit_link(repository)
    add(None, "chapters/06_attentive_lm/index", "page.html", context, None)
    expected = f"{repository}/edit/main/chapters/06_attentive_lm/README.md"
    assert context == ({"theme_source_edit_link": expected} if repository else {})
    add(None, "genindex", "page.html", context := {}, None)
    assert context == {}


def test_a_lesson_has_its_notebook(tmp_path: Path) -> None:
    text = with_notebook(LESSON, "# Title\n\nText\n", "")
    assert text.startswith("# Title\n\n<p") and text.endswith("</p>\n\nText\n")
    (name,) = re.findall(r'href="\.\./\.\./(notebooks/[^"]+)" download', text)
    write_notebooks(tmp_path)
    cells = json.loads((tmp_path / name).read_text("utf-8"))["cells"]
    assert any("../../chapters/05_rnn_lm/README.md" in cell["source"] for cell in cells), "from runs/labs"


@pytest.mark.parametrize(
    ("repository", "addresses"),
    [
        ("", []),
        (
            "https://github.com/team/course",
            [
                "https://colab.research.google.com/github/team/course/blob/notebooks/lesson_06.ipynb",
                "https://mybinder.org/v2/gh/team/course/HEAD?urlpath=lab/tree/build/labs/lesson_06.ipynb",
            ],
        ),
        (
            "https://example.org/team/course",
            [
                "https://mybinder.org/v2/git/https%3A%2F%2Fexample.org%2Fteam%2Fcourse/HEAD"
                "?urlpath=lab/tree/build/labs/lesson_06.ipynb"
            ],
        ),
    ],
)
def test_a_lesson_can_be_run_where_the_course_has_an_address(repository: str, addresses: list[str]) -> None:
    """Without an address there is no button; and services find the notebooks where the course puts them."""
    text = with_notebook(LESSON, "# Title\n\nText\n", repository)
    assert re.findall(r'href="(https://[^"]+)"', text) == addresses
    if (ROOT / ".binder").exists():  # the students' edition has no hidden folders
        assert "--notebooks build/labs" in (ROOT / ".binder/postBuild").read_text("utf-8")
        pages = (ROOT / ".github/workflows/pages.yml").read_text("utf-8")
        assert "cd build/book/notebooks" in pages and "HEAD:notebooks" in pages


def test_the_map_of_concepts_leads_from_left_to_right_to_definitions() -> None:
    """A concept needs only what its own lesson or an earlier one defines, and comes after it in the list."""
    terms, drawn = {term.name: term for term in glossary()}, list(NEEDS)
    for name, needs in NEEDS.items():
        for need in needs:
            assert terms[need].lesson <= terms[name].lesson and drawn.index(need) < drawn.index(name), (name, need)
    text = concept_map()
    links = re.findall(r'<a href="([^"#]+)\.html#([^"]+)"><rect', text)
    assert links == [(document(terms[name].lesson), terms[name].anchor) for name in NEEDS]
    assert {term.lesson.split("/")[1] for term in map(terms.get, NEEDS)} == {path.split("/")[1] for path in LESSONS}
