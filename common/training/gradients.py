"""The gradients of a DyNet collection as arrays that can be read and changed, between the backward pass and the update.

A DyNet that `make dynet-mkl` has built shows its memory. The default wheel makes a Python number of each number that it
hands over, and takes gradients only from a graph: the same result, after about 0.2 microseconds for each number.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import dynet as dy
import numpy as np

from common.nn.adam_means import propagate, weighted_sum


@dataclass
class Table:
    """The gradient of a lookup table, (rows, size of a row), and the rows that have one; `None`: all of them."""

    numbers: np.ndarray
    rows: Any


@dataclass
class Gradients:
    """Those of all parameters, and of all lookup tables, float32."""

    arrays: list[np.ndarray]
    tables: list[Table]


@contextmanager
def gradients_of(collection: dy.ParameterCollection) -> Iterator[Gradients]:
    """Inside, the gradients can be changed."""
    inside = in_memory if in_place() else as_copies
    with inside(collection.parameters_list(), collection.lookup_parameters_list(), collection) as gradients:
        yield gradients


def in_place() -> bool:
    """Whether this DyNet shows its memory."""
    return hasattr(dy.Parameters, "gradient_memory")


@contextmanager
def in_memory(parameters: list, lookups: list, _: dy.ParameterCollection) -> Iterator[Gradients]:
    """The numbers as they lie in DyNet's memory."""
    tables = [Table(lookup.gradient_memory(), lookup.gradient_rows()) for lookup in lookups]
    yield Gradients([parameter.gradient_memory() for parameter in parameters], tables)
    for lookup, table in zip(lookups, tables, strict=True):
        lookup.set_gradient_rows(table.rows)


@contextmanager
def as_copies(parameters: list, lookups: list, collection: dy.ParameterCollection) -> Iterator[Gradients]:
    """Copies, from which a graph makes the gradients anew. Which rows were read is seen by their not being 0."""
    arrays = [np.ascontiguousarray(parameter.grad_as_array(), np.float32) for parameter in parameters]
    numbers = [lookup.grad_as_array().astype(np.float32) for lookup in lookups]
    tables = [Table(array.reshape(len(array), -1), np.flatnonzero(array.any(axis=1))) for array in numbers]
    yield Gradients(arrays, tables)
    forget(collection)
    dy.renew_cg()
    parts = [weighted_sum(parameter, array) for parameter, array in zip(parameters, arrays, strict=True)]
    for lookup, table in zip(lookups, tables, strict=True):
        if len(table.rows):
            read = dy.inputTensor(table.numbers[table.rows].T, batched=True)
            products = dy.cmult(dy.lookup_batch(lookup, table.rows.tolist()), read)
            parts.append(dy.sum_batches(dy.sum_elems(products)))
    propagate(parts)


def forget(collection: dy.ParameterCollection) -> None:
    """Let all gradients be 0, by a step of the length 0."""
    trainer = dy.SimpleSGDTrainer(collection, 0.0)
    trainer.set_clip_threshold(0)
    trainer.update()
