"""A trained model as one .npz file of plain arrays; loading.py reads it again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from common.evaluation.perplexity import LanguageModel
from common.files import atomic_write

from .mapped import write_arrays
from .model import NgramLM

TABLES = ("keys", "log_probs", "log_factors")


def parts(model: LanguageModel) -> tuple[NgramLM, list[Any]]:
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
    return len(parts(model)[1]) + sum(array.size for one in tables for part in one.tables()[1:] for array in part)


def save_model(path: str | Path, model: LanguageModel, smoothing: str) -> None:
    """Write a model of this chapter, whole or not at all."""
    base, mixtures = parts(model)
    about = {
        "model": NgramLM.name,
        "smoothing": smoothing,
        "extras": [[getattr(one.extra, "distance", 0), one.weight] for one in mixtures],
        "letters": base.vocab.letters.vocab.words[2:] if hasattr(base.vocab, "letters") else None,
        "ended": True,
    }
    arrays = {"about": np.array(json.dumps(about))}
    for name, table in all_tables(model).items():
        for kind, part in zip(TABLES, (table.keys, table.log_probabilities, table.log_factors), strict=True):
            arrays |= {f"{name}.{kind}.{number}": array for number, array in enumerate(part, start=1)}
    with atomic_write(path, "wb") as file:
        write_arrays(file, arrays)
