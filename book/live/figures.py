"""The live figures: for each its scripts in `static/`, the chapters that it is made for, and its data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from book.live import lesson_data
from book.live.scripts import MODELS, script
from book.live.village import grammar_data
from common.errors import UserError
from data.village_grammar import START
from data.village_phrases import village

STATIC = Path(__file__).with_name("static")
STYLE = "live.css"
Scripts = dict[str, Callable[[], str]]
"""Files of data by their names, and what writes each."""


class Figure(NamedTuple):
    """scripts: files of `static/` in the order of loading, after live.js. data: what a chapter's figure draws."""

    scripts: tuple[str, ...]
    chapters: tuple[str, ...]
    data: Callable[[str], Scripts]


def next_words(chapter: str) -> Scripts:
    """The village grammar, and the model of the chapter."""
    return {"village.js": lambda: script("village", grammar_data(village, START)), **model_alone(chapter)}


def alignment(chapter: str) -> Scripts:
    """What three models attend to on the same pair."""
    kinds = ("dot", "mlp", "local")
    return {f"model-{chapter}-{kind}.js": partial(read, MODELS / f"{chapter}-{kind}.js") for kind in kinds}


def model_alone(chapter: str) -> Scripts:
    """The model of the chapter."""
    return {f"model-{chapter}.js": partial(read, MODELS / f"{chapter}.js")}


def gradient_distance(chapter: str) -> Scripts:
    """The norms that were recorded for lesson 5, and for chapter 6 those of an attentive model."""
    scripts = of_lesson("gradient-distance")(chapter)
    if chapter == "06":
        scripts["gradients-06.js"] = partial(read, MODELS / "gradients-06.js")
    return scripts


def of_lesson(name: str) -> Callable[[str], Scripts]:
    """The data of a figure that `lesson_data` has by its name."""

    def scripts(chapter: str) -> Scripts:
        return {f"data-{name}.js": lambda: script(name, getattr(lesson_data, name.replace("-", "_"))())}

    return scripts


FIGURES = {
    "next-words": Figure(
        ("numbers.js", "words.js", "ngram.js", "recurrent.js", "transformer.js", "grammar.js", "next_words.js"),
        ("01", "05", "06", "11"),
        next_words,
    ),
    "mixture": Figure(("numbers.js", "mixture.js"), ("01",), of_lesson("mixture")),
    "softmax": Figure(("numbers.js", "softmax.js"), ("02",), of_lesson("softmax")),
    "graph": Figure(("numbers.js", "graph.js"), ("03",), of_lesson("graph")),
    "gradient-distance": Figure(("gradient_distance.js",), ("05", "06"), gradient_distance),
    "query": Figure(("numbers.js", "query.js"), ("06",), of_lesson("query")),
    "beam": Figure(("beam.js",), ("07",), of_lesson("beam")),
    "alignment": Figure(("alignment.js",), ("08",), alignment),
    "positions": Figure(("numbers.js", "words.js", "transformer.js", "positions.js"), ("11",), model_alone),
    "gate": Figure(("numbers.js", "gate.js"), ("09",), of_lesson("gate")),
}
"""By the name in a page's comment `<!-- live: NAME CHAPTER -->`."""


def find(name: str, chapter: str) -> Figure:
    """Raises `UserError` where there is no such figure, or none for this chapter."""
    figure = FIGURES.get(name)
    if figure is None:
        raise UserError(f"no live figure {name!r}; choose from {', '.join(FIGURES)}")
    if chapter not in figure.chapters:
        raise UserError(f"the live figure {name} is for chapters {', '.join(figure.chapters)}, not for {chapter!r}")
    return figure


def script_names(name: str, chapter: str) -> list[str]:
    """The scripts that a page with this figure loads, in their order."""
    figure = find(name, chapter)
    return ["live.js", *figure.scripts, *figure.data(chapter)]


def write_scripts(figures: set[tuple[str, str]], folder: Path) -> None:
    """Write into a folder what pages with these figures, (name, chapter), load; nothing where there are none."""
    texts: Scripts = {}
    for name, chapter in sorted(figures):
        files = ("live.js", *find(name, chapter).scripts, STYLE)
        texts |= {file: partial(read, STATIC / file) for file in files} | find(name, chapter).data(chapter)
    for file, text in texts.items():
        folder.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text(), encoding="utf-8", newline="\n")


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
