"""A model, or all of an interrupted run, from the file that `checkpoint.save_parameters` wrote; and what is damaged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from common.errors import UserError
from common.files import reading
from common.saved_arrays import CUT_SHORT, NO_FILE, read_arrays, read_facts
from common.training.checkpoint import PREFIX, Parameters, names_of, shapes_of


def load_parameters(path: str | Path, parameters: Parameters, model: str) -> dict:
    """Set `parameters` to what `save_parameters` wrote, and return its facts.

    model: what the facts must say under "model". Raises `UserError` where the file is missing, cut
    short, of another model or of other sizes; the parameters are then unchanged.
    """
    with reading(path, NO_FILE, CUT_SHORT):
        arrays = read_arrays(path)
        about = read_facts(arrays)
        saved = {name.removeprefix(PREFIX): array for name, array in arrays.items()}
        check_numbers(saved.values())
        check_history(about.get("history", []))
    shapes = dict(zip(names_of(parameters), shapes_of(parameters), strict=True))
    if about.get("model") != model or shapes != {name: array.shape for name, array in saved.items()}:
        raise UserError(f"{path}: contains {about.get('model')!r}, not {model!r} with the requested sizes; wrong run?")
    with reading(path, NO_FILE, CUT_SHORT):
        parameters.set_arrays([saved[name] for name in shapes])
    return about


def load_training(training: Any) -> None:
    """Let an interrupted training go on from its checkpoint. Raises `UserError` where that is damaged."""
    path = training.folder / "checkpoint.npz"
    facts = load_parameters(path, training.all_parameters, training.model)
    with reading(path, "no such file", "its epochs are damaged; take another copy"):
        training.history = [asdict(training.record(**record)) for record in facts["history"]]


def check_numbers(arrays: Iterable[np.ndarray]) -> None:
    """Raises ValueError for an array with a number that is not finite."""
    if not all(array.dtype.kind in "iuf" and np.isfinite(array).all() for array in arrays):
        raise ValueError("not finite numbers")


def check_history(history: list[dict]) -> None:
    """Raises ValueError unless the records are of epochs 1, 2, 3, ... and contain numbers."""
    for number, record in enumerate(history, start=1):
        numbers = [value for value in record.values() if type(value) in (int, float)]
        if record["epoch"] != number or len(numbers) < len(record):
            raise ValueError(f"record {number} is not of epoch {number}")
