"""The page of all numbered equations: in LaTeX, with code and tests, and how the code departs from the print."""

from __future__ import annotations

import re
from pathlib import Path

from book.site.edition import Edition
from book.site.pages import code_link, place
from book.site.sources import escaped
from solutions.sets import tomllib
from tools.equations import TABLE, Equation, Key, find_tests, read_table

PAGE = "equations"
FORMULAS = Path(__file__).with_name("formulas.toml")
TITLES = {
    "neubig2017": "Neubig 2017",
    "salton2017": "Salton et al. 2017",
    "wu2018": "Wu et al. 2018",
    "vaswani2017": "Vaswani et al. 2017",
}
NAMED = re.compile(r"\b(Neubig|Salton et al\.|Wu et al\.|Vaswani et al\.),? (201[78]),\s+Eq\. (\d+)")


def read_formulas() -> dict[Key, str]:
    """The LaTeX of every equation."""
    table = tomllib.loads(FORMULAS.read_text(encoding="utf-8"))
    return {(source, int(number)): latex for source, rows in table.items() for number, latex in rows.items()}


def anchor(source: str, number: int) -> str:
    return f"{source}-eq-{number}"


def equations_page(edition: Edition) -> str:
    """The Markdown of the page."""
    equations = read_table(edition.root / TABLE.relative_to(TABLE.parents[1]))
    formulas, tests = read_formulas(), find_tests(edition.root)
    departing = sum(equation.departs is not None for equation in equations)
    lines = [
        "---\ntocdepth: 2\n---\n# The equations",
        f"The {len(equations)} numbered equations of the four sources, with the letters of the print. Code of the "
        "course computes each, and a test compares that code with an independent computation. In "
        f"{departing} places the code departs from the print, and the page says how. `python -m tools.equations` "
        "prints the same index and says what is missing.",
    ]
    for source, title in TITLES.items():
        lines.append(f"## {title}")
        for equation in equations:
            if equation.source == source:
                lines.append(describe(edition, equation, formulas[equation.key], tests.get(equation.key, [])))
    return "\n\n".join(lines) + "\n"


def describe(edition: Edition, equation: Equation, latex: str, tests: list[str]) -> str:
    """One equation: the formula, how the code departs from it, and links to code and tests."""
    heading = f"({anchor(*equation.key)})=\n### {equation.number}. {escaped(equation.what)}"
    blocks = [heading, f"```{{math}}\n{latex}\n```"]
    if equation.departs:
        blocks.append(f"**Departs from the print.** {escaped(equation.departs)}")
    links = [f"- Code: {link(edition, path.partition(':')[0], path.partition(':')[2])}" for path in equation.code]
    links += [f"- Test: {link(edition, test.partition('::')[0], test.partition('::')[2])}" for test in tests]
    return "\n\n".join([*blocks, "\n".join(links)])


def link(edition: Edition, file: str, name: str) -> str:
    """A link to a function's lines, called as the function is and its file; without a link where it is not shown."""
    text = f"`{name}` in `{file}`"
    return code_link(edition, PAGE, text, file, *place(edition, file, name)) if edition.page_of(file) else text


def with_links(text: str) -> str:
    """The Markdown of a docstring with its equations linked to the page."""
    sources = {title.rpartition(" ")[0]: source for source, title in TITLES.items()}

    def linked(match: re.Match) -> str:
        return f"[{' '.join(match[0].split())}](#{anchor(sources[match[1]], int(match[3]))})"

    return NAMED.sub(linked, text)
