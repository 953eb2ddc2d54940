"""A page that shows attention over many sentences: one HTML file, which needs nothing else and no network."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from common.files import atomic_write
from common.plots.heatmaps import predictions
from common.search.attending import Shown

TEMPLATE = Path(__file__).with_suffix(".html")


def write_page(path: str | Path, sentences: Sequence[Shown], title: str) -> None:
    """Write the page: pointing at a word of a sentence shades the words of the other sentence by their weights. There
    must be a sentence. Raises `UserError` where the file cannot be written."""
    values = {
        "title": html.escape(title),
        "sentences": embeddable_json([page_entry(sentence) for sentence in sentences]),
    }
    page = re.sub(r"\{\{(\w+)\}\}", lambda field: values[field[1]], TEMPLATE.read_text(encoding="utf-8"))
    with atomic_write(path) as file:
        file.write(page)


def page_entry(sentence: Shown) -> dict:
    """The data of one sentence for the page. Numbers have three decimals."""
    entry = {
        "source": list(sentence.source),
        "target": predictions(sentence.target, sentence.attention),
        "attention": rounded(sentence.attention),
    }
    if sentence.word_attention is not None:
        entry["word_attention"] = rounded(sentence.word_attention)
    if sentence.gates is not None:
        entry["gates"] = rounded(sentence.gates)
    return entry


def rounded(numbers: np.ndarray) -> list:
    return np.round(np.asarray(numbers, dtype=np.float64), 3).tolist()


def embeddable_json(value: object) -> str:
    """JSON that is safe inside a <script> element: no word in it can end the element or begin another."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
