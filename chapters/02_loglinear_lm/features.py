"""Feature functions: properties of the context that help to predict (Neubig 2017, sections 4.1 and 4.4).

A feature function reads the context before each position of a batch and returns which of its features are active:
integer ids, and -1 where it has nothing to say. `FeatureSet` gives every function its own range of ids.

Letters in the shapes: T time steps, B sentences in the batch, K features of a position, V vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from common.errors import UserError
from common.files import atomic_write
from common.text.batching import make_batches
from common.text.histories import previous
from common.text.vocab import Vocabulary

from .clusters import brown_clusters

NONE = -1
KNOWN_NAMES = re.compile(r"bag|(word|class|suffix)[1-9]|(pair|classpair)([1-9])(?!\3)[1-9]")
SUFFIX_LENGTHS = (1, 2, 3)
SUFFIX_WORDS = 5
"""A suffix is a feature when at least so many words of the vocabulary end with it."""


class Active(NamedTuple):
    """The features of positions: x in the equations, without its zeros. Both arrays are (..., K).

    ids: which features; values: their x_j. A value of 0 is padding: that feature is not active.
    """

    ids: np.ndarray
    values: np.ndarray


class FeatureFunction(Protocol):
    """One kind of features: `size` of them."""

    @property
    def size(self) -> int: ...

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        """The ids (T, B, K) of the features active after reading `inputs` (T, B), `<s>` first; NONE for padding."""
        ...


@dataclass(frozen=True)
class Lookup:
    """Something about one word of the context: table (V, K) holds the feature ids of every word."""

    distance: int
    table: np.ndarray
    size: int

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        return self.table[previous(inputs, self.distance)]


@dataclass(frozen=True)
class Pair:
    """Two words (or their classes) together: table (V,) numbers the words, `known` holds the pairs that have a feature.

    The pair (i, j) has the code i * (table's size) + j; known codes are sorted, and their place is the id.
    """

    distances: tuple[int, int]
    table: np.ndarray
    known: np.ndarray

    @property
    def size(self) -> int:
        return len(self.known)

    def codes(self, inputs: np.ndarray) -> np.ndarray:
        """The code of the pair at every position, (T, B)."""
        first, second = (self.table[previous(inputs, distance)].astype(np.int64) for distance in self.distances)
        return first * (int(self.table.max()) + 1) + second

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        codes = self.codes(inputs)
        places = np.minimum(np.searchsorted(self.known, codes), max(self.size - 1, 0))
        present = self.known[places] == codes if self.size else np.zeros(codes.shape, dtype=bool)
        return np.where(present, places, NONE)[..., None]


@dataclass(frozen=True)
class Bag:
    """All words of the sentence so far, in whatever position; a word that came twice counts twice."""

    size: int

    def __call__(self, inputs: np.ndarray) -> np.ndarray:
        time = len(inputs)
        read = np.tril(np.ones((time, time), dtype=bool))  # after step t, the inputs 0 ... t have been read
        read[:, 0] = False  # <s> is no word
        return np.where(read[:, None, :], inputs.T[None], NONE)


def suffix_table(vocab: Vocabulary) -> tuple[np.ndarray, int]:
    """Every word's suffixes of one to three letters, where at least five words share them: (V, 3), and how many."""
    endings = [[word[-n:] if len(word) > n else "" for n in SUFFIX_LENGTHS] for word in vocab.words]
    endings[Vocabulary.boundary] = endings[Vocabulary.unknown] = [""] * len(SUFFIX_LENGTHS)
    suffixes, counts = np.unique(np.array(endings), return_counts=True)
    frequent = [str(s) for s, count in zip(suffixes, counts, strict=True) if s and count >= SUFFIX_WORDS]
    ids = {suffix: number for number, suffix in enumerate(frequent)}
    return np.array([[ids.get(suffix, NONE) for suffix in row] for row in endings]), len(frequent)


def parse_names(spec: str) -> list[str]:
    """The names in "word1,word2,pair12". Raises `UserError` for one that is no feature function, or is there twice."""
    names = [name.strip() for name in spec.split(",")]
    for name in names:
        if not KNOWN_NAMES.fullmatch(name):
            raise UserError(
                f"--features {spec}: there are no features {name!r}; choose from wordN, classN, suffixN (N: how many "
                "words back, 1 to 9), pairMN, classpairMN, bag, separated by commas"
            )
        if names.count(name) > 1:
            raise UserError(f"--features {spec}: {name} is named twice")
    return names


def needs_classes(spec: str) -> bool:
    """Whether any of the features reads classes of words."""
    return "class" in spec


class FeatureSet:
    """The feature functions of a model, each with its own range of feature ids.

    spec: their names, as in "word1,word2,class1"; classes: of the words, (V,); known: for every pair function
    the codes that have a feature (see `known_pairs`).
    """

    def __init__(self, spec: str, vocab: Vocabulary, classes: np.ndarray, known: Mapping[str, np.ndarray]):
        self.spec, self.vocab, self.classes, self.known = spec, vocab, classes, dict(known)
        self.names = parse_names(spec)
        self.functions = [self.make(name) for name in self.names]
        self.offsets = np.cumsum([0, *(function.size for function in self.functions)])

    @property
    def size(self) -> int:
        """How many features there are: N in the equations."""
        return int(self.offsets[-1])

    def make(self, name: str) -> FeatureFunction:
        """The feature function of this name."""
        words = np.arange(len(self.vocab))
        kind, distances = name.rstrip("123456789"), tuple(int(digit) for digit in name if digit.isdigit())
        if kind == "bag":
            return Bag(len(self.vocab))
        if kind in ("pair", "classpair"):
            table = words if kind == "pair" else self.classes
            return Pair((distances[0], distances[1]), table, self.known.get(name, np.zeros(0, dtype=np.int64)))
        if kind == "suffix":
            return Lookup(distances[0], *suffix_table(self.vocab))
        table = words if kind == "word" else self.classes
        return Lookup(distances[0], table[:, None], int(table.max()) + 1)

    def active(self, inputs: np.ndarray) -> Active:
        """phi of every context (Neubig 2017, Eq. 25): word ids (T, B), `<s>` first -> arrays (T, B, K).

        What position t gets depends on inputs[: t + 1] alone.
        """
        parts = [function(inputs) for function in self.functions]
        values = np.concatenate([part != NONE for part in parts], axis=-1).astype(np.float32)
        shifted = [part + offset for part, offset in zip(parts, self.offsets[:-1], strict=True)]
        return Active(np.where(values > 0, np.concatenate(shifted, axis=-1), 0), values)

    def save(self, path: str | Path) -> None:
        """Write what does not follow from the names and the vocabulary."""
        with atomic_write(path, "wb") as file:
            known: dict[str, Any] = self.known
            np.savez(file, spec=np.array(self.spec), classes=self.classes, **known)


def known_pairs(
    spec: str, vocab: Vocabulary, classes: np.ndarray, sentences: Sequence[Sequence[int]], pair_count: int
) -> dict[str, np.ndarray]:
    """The codes of the pairs that occur at least `pair_count` times in the sentences (of word ids), sorted."""
    known, batches = {}, make_batches(sentences, 256)
    empty = FeatureSet(spec, vocab, classes, {})
    for name, function in zip(empty.names, empty.functions, strict=True):
        if isinstance(function, Pair):
            seen = [function.codes(batch.inputs)[batch.mask > 0] for batch in batches]
            codes, counts = np.unique(np.concatenate(seen), return_counts=True)
            known[name] = codes[counts >= pair_count]
    return known


def make_features(settings: Any, vocab: Vocabulary, train_ids: Sequence[Sequence[int]]) -> FeatureSet:
    """The features that the settings name, with classes and pairs from the training text (word ids)."""
    classes = np.zeros(len(vocab), dtype=np.int64)
    if needs_classes(settings.features):
        classes = brown_clusters(train_ids, len(vocab), settings.classes)
    pairs = known_pairs(settings.features, vocab, classes, train_ids, settings.pair_count)
    return FeatureSet(settings.features, vocab, classes, pairs)
