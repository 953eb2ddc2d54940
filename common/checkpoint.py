"""Saving and loading models and interrupted trainings, without pickle, whole or not at all."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from common.errors import UserError
from common.files import atomic_write


class Parameters(Protocol):
    """All the numbers that a model learns, in a fixed order: of a NumPy model itself, or of `nn.parameters`."""

    def arrays(self) -> list[np.ndarray]: ...

    def set_arrays(self, arrays: list[np.ndarray]) -> None: ...


class Together:
    """Several sets of parameters as one, for models that are trained beside each other."""

    def __init__(self, parts: Sequence[Parameters]):
        self.parts = parts

    def arrays(self) -> list[np.ndarray]:
        return [array for part in self.parts for array in part.arrays()]

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None:
        rest = list(arrays)
        for part in self.parts:
            number = len(part.arrays())
            part.set_arrays(rest[:number])
            rest = rest[number:]


def save_parameters(path: str | Path, parameters: Parameters, about: dict) -> None:
    """Write every array of `parameters` and the JSON-able facts `about` them to one .npz file."""
    arrays = {f"parameter{number:06}": array for number, array in enumerate(parameters.arrays())}
    with atomic_write(path, "wb") as file:
        np.savez(file, about=np.array(json.dumps(about)), **arrays)


def load_parameters(path: str | Path, parameters: Parameters, model: str) -> dict:
    """Set `parameters` to what `save_parameters` wrote, and return its facts.

    model: what the facts must say under "model". Raises `UserError` where the file is missing, cut
    short, of another model or of other sizes; the parameters are then unchanged.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            about = json.loads(str(archive["about"]))
            arrays = [archive[name] for name in sorted(archive.files) if name != "about"]
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; give the folder of a run that has finished an epoch") from None
    except (OSError, ValueError, KeyError, EOFError, RuntimeError, TypeError, AttributeError, zipfile.BadZipFile):
        raise UserError(f"{path}: cut short or not a saved model; train again or take another copy") from None
    shapes = [array.shape for array in parameters.arrays()]
    if about.get("model") != model or shapes != [array.shape for array in arrays]:
        raise UserError(f"{path}: holds {about.get('model')!r}, not {model!r} with the sizes asked for; wrong run?")
    parameters.set_arrays(arrays)
    return about


def count_parameters(parameters: Parameters) -> int:
    """How many numbers the model learns."""
    return sum(array.size for array in parameters.arrays())
