"""A trained model read from its file: whole, or mapped where it is larger than fits."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from common.errors import UserError
from common.evaluation.perplexity import LanguageModel
from common.files import reading
from common.memory import fits
from common.saved_arrays import read_arrays, read_facts
from common.text.vocab import Vocabulary

from .characters import SpellingVocabulary
from .longer import Cache, Mixture, SkipGram
from .mapped import map_arrays
from .model import NgramLM
from .settings import Settings
from .storage import TABLES

ROUNDING = 1e-6
"""How far above 0 rounding may have lifted a log-probability."""
MOST = 50.0
"""The largest logarithm of a factor: the unseen words' share that it divides by, a difference from 1, has 16 digits."""


def load_model(path: str | Path, words: list[str], mapped: bool = False) -> tuple[LanguageModel, str]:
    """What `storage.save_model` wrote: the model, and the name of its smoothing.

    words: the vocabulary, in order of the ids. mapped: whether its tables stay in the file and are read where something
    is looked up; damage is then found in their sizes only. Raises `UserError` where the file is missing, cut short or
    another's.
    """
    missing = "no such file; give the folder of a run that has finished"
    with reading(path, missing, "cut short or not a saved model; train again or take another copy"):
        arrays = map_arrays(path) if mapped else read_arrays(path)
        about = read_facts(arrays)
        if about.get("ended"):
            checked = {name: array[:-1] for name, array in arrays.items()}
        else:  # of an earlier version of the course
            checked, mapped = arrays, False
        if about["model"] != NgramLM.name or len(checked["words.keys.1"]) != len(words):
            raise UserError(f"{path}: not an n-gram model of the words in vocab.txt; wrong run?")
        return assemble(about, checked, words, arrays if mapped else None), str(about["smoothing"])


def of_run(folder: Path, settings: Settings) -> tuple[LanguageModel, None]:
    """The model of the run in `folder`: mapped where it would not fit into the memory, which holds it twice."""
    path = folder / "model.npz"
    mapped = path.is_file() and not fits(2 * os.path.getsize(path))
    return load_model(path, Vocabulary.load(folder / "vocab.txt").words, mapped)[0], None


Arrays = dict[str, np.ndarray]


def assemble(about: dict, arrays: Arrays, words: list[str], mapped: Arrays | None = None) -> LanguageModel:
    """The model that facts and arrays describe. mapped: the arrays with their ends, to be used as they are."""
    vocab = Vocabulary(words[2:])
    if about["letters"] is not None:
        vocab = SpellingVocabulary(words[2:], table(arrays, "letters", Vocabulary(about["letters"]), mapped))
    model: LanguageModel = table(arrays, "words", vocab, mapped)
    for number, (distance, weight) in enumerate(about["extras"]):
        if not (isinstance(distance, int) and distance >= 0 and 0 <= weight <= 1):
            raise ValueError("a distance or weight that is not one")
        skips = f"extra{number}.keys.1" in arrays
        extra = SkipGram(table(arrays, f"extra{number}", vocab, mapped), distance) if skips else Cache(len(vocab))
        model = Mixture(model, extra, weight)
    return model


def table(arrays: Arrays, name: str, vocab: Vocabulary, mapped: Arrays | None) -> NgramLM:
    """The table of n-grams that was saved under a name."""
    order = sum(key.startswith(f"{name}.keys.") for key in arrays)
    lengths = {"keys": order, "log_probs": order, "log_factors": order - 1}
    if sum(key.startswith(f"{name}.") for key in arrays) != sum(lengths.values()):
        raise ValueError("arrays of orders that the model does not have")
    names = [[f"{name}.{kind}.{n}" for n in range(1, lengths[kind] + 1)] for kind in TABLES]
    parts = [[arrays[array_name] for array_name in part] for part in names]
    keys, log_probs, factors = parts
    check_sizes(keys, log_probs, factors, len(vocab))
    if mapped is not None:
        keys, log_probs, factors = ([mapped[array_name] for array_name in part] for part in names)
        return NgramLM(vocab, keys, log_probs, factors, ended=True)
    check_numbers(keys, log_probs, factors, len(vocab))
    return NgramLM(vocab, keys, log_probs, factors)


def check_sizes(keys: list[np.ndarray], log_probs: list[np.ndarray], factors: list[np.ndarray], words: int) -> None:
    """Raises ValueError for arrays that are no n-grams of so many words by their sizes and kinds of numbers."""
    sizes = [len(level) for level in keys]
    if sizes[0] != words or [array.shape for array in log_probs] != [(size,) for size in sizes]:
        raise ValueError("the numbers of n-grams and of probabilities differ")
    if [array.shape for array in factors] != [(size,) for size in sizes[:-1]]:
        raise ValueError("the numbers of contexts and of factors differ")
    kinds = {array.dtype.kind for array in keys}, {array.dtype.kind for array in (*log_probs, *factors)}
    if kinds != ({"i"}, {"f"}):
        raise ValueError("keys or probabilities that are not numbers")


def check_numbers(keys: list[np.ndarray], log_probs: list[np.ndarray], factors: list[np.ndarray], words: int) -> None:
    """Raises ValueError for keys that do not ascend or are of no context, and for probabilities that are none."""
    for level, contexts in zip(keys, [1, *(len(level) for level in keys)], strict=False):
        if (np.diff(level) <= 0).any() or not in_range(level, contexts * words):
            raise ValueError("keys that do not ascend, or have no context")
    for levels, most in ((log_probs, ROUNDING), (factors, MOST)):
        if not all((level <= most).all() for level in levels):
            raise ValueError("probabilities above 1, or not numbers")


def in_range(numbers: np.ndarray, end: int) -> bool:
    """Whether whole numbers in ascending order are all at least 0 and below `end`."""
    return not len(numbers) or (numbers[0] >= 0 and numbers[-1] < end)
