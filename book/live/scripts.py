"""Data as JavaScript. A page that is opened as a file may not fetch JSON, but it may load a script."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import numpy as np

MODELS = Path(__file__).with_name("models")
"""Where the trained models are, NN.js for chapter NN."""


def script(name: str, data: object) -> str:
    """A script that stores data in the page as `live.data[name]`."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return f"live.data[{json.dumps(name)}] = {text};\n"


def script_data(text: str) -> dict:
    """The data of a script that `script` wrote."""
    return json.loads(text.partition(" = ")[2].rstrip(";\n"))


def packed(array: np.ndarray, kind: str) -> str:
    """The numbers of an array, row by row, in base64. kind: "<f2" for float16, "<f4", or "<u2" for
    whole numbers below 65,536."""
    return base64.b64encode(np.ascontiguousarray(array, dtype=kind).tobytes()).decode()


def unpacked(text: str, kind: str) -> np.ndarray:
    """The numbers that `packed` wrote, (N,)."""
    return np.frombuffer(base64.b64decode(text), dtype=kind)
