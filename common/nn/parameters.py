"""The parameters of a DyNet model as NumPy arrays, for saving, loading and counting."""

from __future__ import annotations

from collections.abc import Sequence

import dynet as dy
import numpy as np


class DynetParameters:
    """Every parameter of a collection as float32, DyNet's own precision: the plain ones, then the lookup tables."""

    def __init__(self, collection: dy.ParameterCollection):
        self.collection = collection

    def _all(self) -> list[dy.Parameters | dy.LookupParameters]:
        return [*self.collection.parameters_list(), *self.collection.lookup_parameters_list()]

    def arrays(self) -> list[np.ndarray]:
        return [parameter.as_array().astype(np.float32) for parameter in self._all()]

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None:
        for target, array in zip(self._all(), arrays, strict=True):
            (target.set_value if isinstance(target, dy.Parameters) else target.init_from_array)(array)
