"""Sums of few rows of large matrices: all that a model of sparse features computes besides its softmax."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .features import Active


class Groups(NamedTuple):
    """Weighted rows to be added up, group by group: group g has the members bounds[g] to bounds[g + 1]."""

    members: np.ndarray
    weights: np.ndarray
    bounds: np.ndarray


def by_position(active: Active) -> Groups:
    """For every position its active features, and their values: active (N, K) -> N groups of features."""
    real = active.values != 0
    return Groups(active.ids[real], active.values[real], np.append(0, real.sum(axis=1).cumsum()))


def by_feature(positions: Groups) -> tuple[np.ndarray, Groups]:
    """The same the other way round: the features that are active anywhere, and for each of them its positions."""
    where = np.repeat(np.arange(len(positions.bounds) - 1), np.diff(positions.bounds))
    order = np.argsort(positions.members, kind="stable")
    features, starts = np.unique(positions.members[order], return_index=True)
    return features, Groups(where[order], positions.weights[order], np.append(starts, len(order)))


def sum_rows(matrix: np.ndarray, groups: Groups) -> np.ndarray:
    """The weighted sum of each group's rows: matrix (R, V) -> (groups, V).

    Rows are contiguous in memory, so that each one is fetched in one go. A product with a matrix of zeros and ones
    would give the same and multiply mostly zeros.
    """
    sums = np.empty((len(groups.bounds) - 1, matrix.shape[1]), dtype=matrix.dtype)
    members, weights, bounds = groups.members, groups.weights.astype(matrix.dtype), groups.bounds.tolist()
    for group, (start, end) in enumerate(zip(bounds[:-1], bounds[1:], strict=True)):
        np.dot(weights[start:end], matrix[members[start:end]], out=sums[group])
    return sums
