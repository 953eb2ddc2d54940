"""A trained model as one .npz file of plain arrays, and back."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np

from common.errors import UserError
from common.evaluation.perplexity import LanguageModel
from common.files import atomic_write
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
    try:
        with np.load(path, allow_pickle=False) as archive:
            about = json.loads(str(archive["about"]))
            arrays = {name: archive[name] for name in archive.files if name != "about"}
        if about["model"] != NgramLM.name or len(arrays["words.keys.1"]) != len(words):
            raise UserError(f"{path}: not an n-gram model of the words in vocab.txt; wrong run?")
        return assemble(about, arrays, words), about["smoothing"]
    except FileNotFoundError:
        raise UserError(f"{path}: no such file; give the folder of a run that has finished") from None
    except (OSError, ValueError, KeyError, EOFError, RuntimeError, TypeError, AttributeError, zipfile.BadZipFile):
        raise UserError(f"{path}: cut short or not a saved model; train again or take another copy") from None


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
        skips = f"extra{number}.keys.1" in arrays
        extra = SkipGram(table(arrays, f"extra{number}", vocab), distance) if skips else Cache(len(vocab))
        model = Mixture(model, extra, weight)
    return model


def table(arrays: dict[str, np.ndarray], name: str, vocab: Vocabulary) -> NgramLM:
    """The table of n-grams that was saved under a name."""
    order = sum(key.startswith(f"{name}.keys.") for key in arrays)
    lengths = {"keys": order, "log_probs": order, "log_factors": order - 1}
    return NgramLM(vocab, *([arrays[f"{name}.{kind}.{n}"] for n in range(1, lengths[kind] + 1)] for kind in TABLES))
