"""A trained model as one .npz file of plain arrays, and back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from common.errors import UserError
from common.evaluation.perplexity import LanguageModel
from common.files import atomic_write, read_arrays, read_facts, reading
from common.text.vocab import Vocabulary

from .characters import SpellingVocabulary
from .longer import Cache, Mixture, SkipGram
from .model import NgramLM
from .settings import Settings

TABLES = ("keys", "log_probs", "log_factors")


def parts(model: LanguageModel) -> tuple[NgramLM, list[Mixture]]:
    """The n-gram model at the bottom, and what was mixed in, the last one last."""
    mixtures = []
    while isinstance(model, Mixture):
        mixtures.insert(0, model)
        model = model.base
    return model, mixtures


def all_tables(model: LanguageModel) -> dict[str, NgramLM]:
    """Every table of n-grams that a model consists of, by name."""
    base, mixtures = parts(model)
    tables = {"words": base}
    for number, mixture in enumerate(mixtures):
        if isinstance(mixture.extra, SkipGram):
            tables[f"extra{number}"] = mixture.extra.table
    if isinstance(base.vocab, SpellingVocabulary):
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
        "letters": base.vocab.letters.vocab.words[2:] if isinstance(base.vocab, SpellingVocabulary) else None,
    }
    arrays = {}
    for name, table in all_tables(model).items():
        for kind, part in zip(TABLES, table.tables(), strict=True):
            arrays |= {f"{name}.{kind}.{number}": array for number, array in enumerate(part, start=1)}
    with atomic_write(path, "wb") as file:
        np.savez(file, about=np.array(json.dumps(about)), **arrays)


def load_model(path: str | Path, words: list[str]) -> tuple[LanguageModel, str]:
    """Read what `save_model` wrote: the model, and the name of its smoothing.

    words: the vocabulary, in order of the ids. Raises `UserError` where the file is missing, cut short or another's.
    """
    missing = "no such file; give the folder of a run that has finished"
    with reading(path, missing, "cut short or not a saved model; train again or take another copy"):
        arrays = read_arrays(path)
        about = read_facts(arrays)
        if about["model"] != NgramLM.name or len(arrays["words.keys.1"]) != len(words):
            raise UserError(f"{path}: not an n-gram model of the words in vocab.txt; wrong run?")
        return assemble(about, arrays, words), str(about["smoothing"])


def of_run(folder: Path, settings: Settings) -> tuple[LanguageModel, None]:
    """The model of the run in `folder`, read whole."""
    return load_model(folder / "model.npz", Vocabulary.load(folder / "vocab.txt").words)[0], None


def assemble(about: dict, arrays: dict[str, np.ndarray], words: list[str]) -> LanguageModel:
    """The model that facts and arrays describe."""
    vocab = Vocabulary(words[2:])
    if about["letters"] is not None:
        vocab = SpellingVocabulary(words[2:], table(arrays, "letters", Vocabulary(about["letters"])))
    model = table(arrays, "words", vocab)
    for number, (distance, weight) in enumerate(about["extras"]):
        if not (isinstance(distance, int) and distance >= 0 and 0 <= weight <= 1):
            raise ValueError("no distance, or no weight")
        skips = f"extra{number}.keys.1" in arrays
        extra = SkipGram(table(arrays, f"extra{number}", vocab), distance) if skips else Cache(len(vocab))
        model = Mixture(model, extra, weight)
    return model


def table(arrays: dict[str, np.ndarray], name: str, vocab: Vocabulary) -> NgramLM:
    """The table of n-grams that was saved under a name."""
    order = sum(key.startswith(f"{name}.keys.") for key in arrays)
    lengths = {"keys": order, "log_probs": order, "log_factors": order - 1}
    if sum(key.startswith(f"{name}.") for key in arrays) != sum(lengths.values()):
        raise ValueError("there are arrays of other orders")
    parts = [[arrays[f"{name}.{kind}.{n}"] for n in range(1, lengths[kind] + 1)] for kind in TABLES]
    check_table(*parts, len(vocab))
    return NgramLM(vocab, *parts)


def check_table(keys: list[np.ndarray], log_probs: list[np.ndarray], factors: list[np.ndarray], words: int) -> None:
    """Raises ValueError for arrays that are no n-grams of so many words: keys that ascend, probabilities of each."""
    sizes = [len(level) for level in keys]
    if sizes[0] != words or [one.shape for one in log_probs] != [(size,) for size in sizes]:
        raise ValueError("the numbers of n-grams and of probabilities differ")
    if [one.shape for one in factors] != [(size,) for size in sizes[:-1]]:
        raise ValueError("the numbers of contexts and of factors differ")
    for level, contexts in zip(keys, [1, *sizes], strict=False):
        if level.dtype.kind != "i" or (np.diff(level) <= 0).any() or not in_range(level, contexts * words):
            raise ValueError("keys that are none")
    for numbers in (*log_probs, *factors):
        if numbers.dtype.kind != "f" or np.isnan(numbers).any() or np.isposinf(numbers).any():
            raise ValueError("probabilities that are none")


def in_range(numbers: np.ndarray, end: int) -> bool:
    """Whether whole numbers in ascending order are all at least 0 and below `end`."""
    return not len(numbers) or (numbers[0] >= 0 and numbers[-1] < end)
