"""A trained model as one .npz file of plain arrays; loading.py reads it again.

An array lies in the file as it lies in memory, at a multiple of its numbers' size, so that it can be mapped.
"""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from common.evaluation.perplexity import LanguageModel
from common.files import atomic_write

from .model import NgramLM

TABLES = ("keys", "log_probs", "log_factors")
ALIGNED = 64
"""Bytes of which the place of every array in a file is a multiple."""
LOCAL_HEADER, ZIP64 = 30, 20
"""Bytes before the name of a member, and of what zipfile writes behind it for files of any size."""
FILLER = 0xD935
"""Says in an archive that a field only fills a gap."""
AT_ONCE = 2**20
"""Numbers that are copied at a time."""


def parts(model: Any) -> tuple[NgramLM, list[Any]]:
    """The n-gram model at the bottom, and the mixtures over it (`longer.Mixture`), the last one last."""
    mixtures = []
    while not isinstance(model, NgramLM):
        mixtures.insert(0, model)
        model = model.base
    return model, mixtures


def all_tables(model: LanguageModel) -> dict[str, NgramLM]:
    """Every table of n-grams that a model consists of, by name."""
    base, mixtures = parts(model)
    tables = {"words": base}
    for number, mixture in enumerate(mixtures):
        if hasattr(mixture.extra, "table"):  # skip-grams; a cache has no numbers
            tables[f"extra{number}"] = mixture.extra.table
    if hasattr(base.vocab, "letters"):
        tables["letters"] = base.vocab.letters
    return tables


def count_numbers(model: LanguageModel) -> int:
    """How many probabilities and factors the model consists of, and weights of mixtures."""
    tables = all_tables(model).values()
    return len(parts(model)[1]) + sum(array.size for table in tables for part in table.tables()[1:] for array in part)


def save_model(path: str | Path, model: LanguageModel, smoothing: str) -> None:
    """Write a model of this chapter, whole or not at all."""
    base, mixtures = parts(model)
    about = {
        "model": NgramLM.name,
        "smoothing": smoothing,
        "extras": [[getattr(mixture.extra, "distance", 0), mixture.weight] for mixture in mixtures],
        "letters": base.vocab.letters.vocab.words[2:] if hasattr(base.vocab, "letters") else None,
        "ended": True,
    }
    arrays = {"about": np.array(json.dumps(about))}
    for name, table in all_tables(model).items():
        for kind, part in zip(TABLES, (table.keys, table.log_probabilities, table.log_factors), strict=True):
            arrays |= {f"{name}.{kind}.{number}": array for number, array in enumerate(part, start=1)}
    with atomic_write(path, "wb") as file:
        write_arrays(file, arrays)


def write_arrays(file: IO[bytes], arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays as an .npz file, a part at a time; those that are mapped from another file are not read whole."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")
            gap = -(file.tell() + LOCAL_HEADER + len(member.filename) + ZIP64 + 4) % ALIGNED
            member.extra = struct.pack("<HH", FILLER, gap) + bytes(gap)
            with archive.open(member, "w", force_zip64=True) as out:
                np.lib.format.write_array_header_1_0(out, np.lib.format.header_data_from_array_1_0(array))
                for part in some_at_a_time(array):
                    out.write(part.tobytes())


def some_at_a_time(array: np.ndarray) -> Iterator[np.ndarray]:
    """The numbers of an array in their order, some at a time."""
    for start in range(0, array.size, AT_ONCE):
        if isinstance(array, np.memmap):  # read, not mapped: what was mapped stays in memory as long as the array
            place = array.offset + start * array.itemsize
            yield np.fromfile(array.filename or "", array.dtype, min(AT_ONCE, array.size - start), offset=place)
        else:
            yield array.reshape(-1)[start : start + AT_ONCE]
