"""Parameters have names, so that a checkpoint is read by name and exchanged matrices are noticed."""

from __future__ import annotations

from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from common.errors import UserError
from common.nn.parameters import DynetParameters
from common.training.checkpoint import save_parameters
from common.training.loading import load_parameters


class Model:
    """Two matrices of one shape."""

    name = "toy"

    def __init__(self, first: str, second: str):
        self.collection = dy.ParameterCollection()
        for name in (first, second):
            setattr(self, name, self.collection.add_parameters((2, 2)))


def test_matrices_of_one_shape_are_told_apart(tmp_path: Path) -> None:
    saved = Model("W", "U")
    save_parameters(tmp_path / "model.npz", DynetParameters(saved), {"model": "toy"})
    other = Model("U", "W")  # made in another order
    load_parameters(tmp_path / "model.npz", DynetParameters(other), "toy")
    np.testing.assert_array_equal(other.W.as_array(), saved.W.as_array())
    np.testing.assert_array_equal(other.U.as_array(), saved.U.as_array())
    with pytest.raises(UserError, match="wrong run"):
        load_parameters(tmp_path / "model.npz", DynetParameters(Model("W", "V")), "toy")
