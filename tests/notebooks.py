"""A notebook that was run, for tests of the site."""

from __future__ import annotations

import json
from pathlib import Path

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def labs(folder: Path) -> Path:
    """A folder with a notebook that was run, as `python -m book.labs` leaves one."""
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": PIXEL, "text/plain": "a picture"}}
    text = {"output_type": "stream", "name": "stdout", "text": ["perplexity 7.65\n"]}
    link = "# Lab 1\n\nThe [lesson](../../chapters/01_ngram_lm/README.md) and $x^2$.\n"
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": [link]},
        {
            "cell_type": "code",
            "id": "b",
            "metadata": {},
            "execution_count": 1,
            "source": "1",
            "outputs": [text, picture],
        },
    ]
    folder.mkdir(parents=True)
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    (folder / "ch01_lab.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    return folder
