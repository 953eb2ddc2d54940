"""Saving and loading models and interrupted trainings, without pickle, whole or not at all."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import dynet as dy
import numpy as np

from common.errors import UserError
from common.files import atomic_write


def save_parameters(path: str | Path, collection: dy.ParameterCollection, about: dict) -> None:
    """Write every parameter of `collection` and the JSON-able facts `about` them to one .npz file."""
    arrays = {f"parameter{number:03}": array for number, array in enumerate(parameter_arrays(collection))}
    with atomic_write(path, "wb") as file:
        np.savez(file, about=np.array(json.dumps(about)), **arrays)


def load_parameters(path: str | Path, collection: dy.ParameterCollection, model: str) -> dict:
    """Set the parameters of `collection` to what `save_parameters` wrote, and return its facts.

    model: what the facts must say under "model". Raises `UserError` where the file is missing, cut
    short, of another model or of other sizes; the collection is then unchanged.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            about = json.loads(str(archive["about"]))
            arrays = [archive[name] for name in sorted(archive.files) if name != "about"]
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; give the folder of a run that has finished an epoch") from None
    except (OSError, ValueError, KeyError, EOFError, RuntimeError, TypeError, AttributeError, zipfile.BadZipFile):
        raise UserError(f"{path}: cut short or not a saved model; train again or take another copy") from None
    targets = [*collection.parameters_list(), *collection.lookup_parameters_list()]
    shapes = [array.shape for array in parameter_arrays(collection)]
    if about.get("model") != model or shapes != [array.shape for array in arrays]:
        raise UserError(f"{path}: holds {about.get('model')!r}, not {model!r} with the sizes asked for; wrong run?")
    for target, array in zip(targets, arrays, strict=True):
        (target.set_value if isinstance(target, dy.Parameters) else target.init_from_array)(array)
    return about


def parameter_arrays(collection: dy.ParameterCollection) -> list[np.ndarray]:
    """Every parameter as float32 (DyNet's own precision): the plain ones, then the lookup tables."""
    parameters = [*collection.parameters_list(), *collection.lookup_parameters_list()]
    return [parameter.as_array().astype(np.float32) for parameter in parameters]


def count_parameters(collection: dy.ParameterCollection) -> int:
    """How many numbers the model learns."""
    return sum(array.size for array in parameter_arrays(collection))
