"""What the chapter's models differ in: the choices of --variant, --query, --output-contexts and --mean-of."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import dynet as dy


class Variant(NamedTuple):
    """What a step attends to: annotations alone (1 source), or embeddings too (2); whether a gate weighs the two."""

    sources: int
    gated: bool


VARIANTS = {"rnnsearch": Variant(1, False), "word": Variant(2, False), "gates": Variant(2, True)}
"""The choices of --variant."""


class Query(NamedTuple):
    """How the query is made of s_{i-1} and y_{i-1}, each (H,) x B: (vectors*H,) x B."""

    vectors: int
    make: Callable[[dy.Expression, dy.Expression], dy.Expression]


QUERIES = {
    "word": Query(2, lambda state, word: dy.concatenate([state, word])),
    "state": Query(1, lambda state, word: state),
}
"""The choices of --query."""

OUTPUT_CONTEXTS: dict[str, Callable[[list[dy.Expression], list[dy.Expression]], list[dy.Expression]]] = {
    "gated": lambda plain, gated: gated,
    "plain": lambda plain, gated: plain,
}
"""The choices of --output-contexts: what the output layer reads, of the plain contexts and those behind the gate."""

MEANS: dict[str, Callable[[dy.Expression, dy.Expression], dy.Expression]] = {
    "places": lambda words, placed: placed,
    "words": lambda words, placed: words,
}
"""The choices of --mean-of: what RAS takes the mean of, x_j + l_j or x_j, each (H, S) x B."""
