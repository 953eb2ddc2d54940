"""How fast the page answers: what `python -m book.explorer --time` prints."""

from __future__ import annotations

import statistics
import time

from common.errors import UserError
from common.training.runs import runs_root

from .language_answers import next_word
from .shelf import LANGUAGE, Shelf

MODELS = 6
REPEATS = 5
PREFIXES = (
    "",
    "the hen of mira",
    "in the evening , the miller who waits for peta tells",
    "the geese behind the barn are",
)


def report() -> str:
    """For each prefix the median time of an answer, once models and grammar are loaded, and the first answer's."""
    shelf = Shelf(runs_root())
    runs = [run for run in shelf.runs() if run.kind == LANGUAGE and run.trained and run.corpus == "village"]
    newest = {run.chapter: run.name for run in runs}
    names = list(dict.fromkeys([*newest.values(), *(run.name for run in reversed(runs))]))[:MODELS]
    if not names:
        raise UserError(f"{shelf.root}: no language model of the village; train one: make demo")
    first = seconds(shelf, "", names)
    lines = [f"{len(names)} models: {', '.join(names)}", f"first answer, with loading: {first:.2f} s"]
    for prefix in PREFIXES:
        times = [seconds(shelf, prefix, names) for _ in range(REPEATS)]
        lines.append(f"{statistics.median(times) * 1000:6.0f} ms  after {prefix or '<s>'!r}")
    return "\n".join(lines)


def seconds(shelf: Shelf, prefix: str, names: list[str]) -> float:
    start = time.perf_counter()
    next_word(shelf, {"text": prefix, "runs": names})
    return time.perf_counter() - start
