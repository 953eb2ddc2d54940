"""How fast the page answers: what `python -m book.explorer --time` prints."""

from __future__ import annotations

import statistics
import time

from common.errors import UserError
from common.training.runs import runs_root

from .language_answers import next_word, true_next
from .shelf import LANGUAGE, Shelf

CORPUS = "village"
MODELS = 6
REPEATS = 5
PREFIXES = (
    "",
    "the hen of mira",
    "in the evening , the miller who waits for peta tells",
    "the geese behind the barn are",
)


def report() -> str:
    """For each prefix the median time of an answer once models and grammar are loaded: by the clock, and of the
    processor alone, which is what remains of it where nothing else runs."""
    shelf = Shelf(runs_root())
    runs = [run for run in shelf.runs() if run.kind == LANGUAGE and run.trained and run.corpus == CORPUS]
    first = {run.chapter: run.name for run in reversed(runs)}
    names = list(dict.fromkeys([*sorted(first.values()), *(run.name for run in reversed(runs))]))[:MODELS]
    if not names:
        raise UserError(f"{shelf.root}: no language model of the village; train one: make demo")
    clock, processor = seconds(shelf, "", names)
    lines = [
        f"{len(names)} models: {', '.join(names)}",
        f"first answer, with loading: {clock:.2f} s, processor {processor:.2f} s",
    ]
    for prefix in PREFIXES:
        times = zip(*[seconds(shelf, prefix, names) for _ in range(REPEATS)], strict=True)
        clock, processor = (statistics.median(seconds) * 1000 for seconds in times)
        lines.append(f"{clock:6.0f} ms, processor {processor:4.0f} ms  after {prefix or '<s>'!r}")
    return "\n".join(lines)


def seconds(shelf: Shelf, prefix: str, names: list[str]) -> tuple[float, float]:
    """How long one answer takes, nothing remembered of the truth: by the clock and of the processor, in seconds."""
    true_next.cache_clear()
    clock, processor = time.perf_counter(), time.process_time()
    next_word(shelf, {"text": prefix, "runs": names})
    return time.perf_counter() - clock, time.process_time() - processor
