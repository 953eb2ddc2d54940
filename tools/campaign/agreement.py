"""Do two programs say the same of a text? Otherwise a figure is wrong, and no error shows it."""

from __future__ import annotations

import codecs
import contextlib
import io
import math
import re
import sys
from pathlib import Path

from common.chapters import chapter_module
from common.endings import one_line
from common.errors import UserError
from common.files import read_json

from .cases import Fault

TEXT = Path("texts/test.txt")
RUN = Path("new")


def agree(chapter: str) -> None:
    """Score the test split of the corpus with the run that was just trained on it.

    Raises `Fault` where metrics.json has another log-likelihood, or another number of predictions than the text.
    """
    figures = read_json(RUN / "metrics.json")["test"]
    predictions = count_predictions(TEXT.read_bytes())
    if figures["predictions"] != predictions:
        raise Fault(f"silent: the text has {predictions} predictions, metrics.json {figures['predictions']}")
    sys.argv = ["generate", "--run", str(RUN), "--score", str(TEXT)]
    written = io.StringIO()
    try:
        with contextlib.redirect_stdout(written):
            chapter_module(chapter, "generate").main.__wrapped__()
    except UserError as error:
        raise Fault(f"silent: what was evaluated in training is refused: {one_line(str(error))}") from None
    scores = sum(float(line) for line in written.getvalue().split("\n")[:-1])
    if not math.isclose(scores, figures["log_prob"], rel_tol=1e-5, abs_tol=1e-3):
        raise Fault(f"silent: --score finds {scores}, metrics.json has {figures['log_prob']}")


def count_predictions(text: bytes) -> int:
    """Words, as KenLM separates them, and `</s>` of every line."""
    *lines, rest = text.removeprefix(codecs.BOM_UTF8).split(b"\n")
    words = [len(re.findall(rb"[^ \t\r]+", line)) for line in (*lines, rest)]
    return sum(words) + len(lines) + (words[-1] > 0)
