"""A plugin of pytest, for `python -m tools.shake`: another start for every training, another order of the tests.

`pytest -p tests.shaking --shake 3` is round 3. When a training begins, every number of its model is multiplied by
1 + 1e-6 r, r from a standard normal distribution; DyNet's seeds are others; files come in a random order, and so do the
tests of a file. The noise depends on the round and on the numbers alone: two trainings with one start keep one start.
"""

from __future__ import annotations

import functools
import random
import sys
import zlib

import numpy as np
import pytest

NOISE = 1e-6
TRAINERS = "SimpleSGDTrainer", "MomentumSGDTrainer", "AdagradTrainer", "AdamTrainer"
LATER = "common.nn.optimiser", "common.training.gradients"
"""Modules that also make trainers in the middle of a training."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shake", type=int, metavar="ROUND", help="other starting weights, seeds and order of tests")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Every process of pytest-xdist comes to the same order."""
    number = config.getoption("--shake")
    if number is not None:
        order = random.Random(number)
        files = sorted({item.path for item in items})
        order.shuffle(files)
        order.shuffle(items)
        items.sort(key=lambda item: files.index(item.path))


def pytest_collection_finish(session: pytest.Session) -> None:
    """By now DyNet has been set up."""
    number = session.config.getoption("--shake")
    if number is not None:
        shake_seeds(number)
        shake_trainers(number)


def shake_seeds(number: int) -> None:
    """Let a seed stand for another one. 0 stays: it is a random seed."""
    import dynet as dy

    reset = dy.reset_random_seed
    dy.reset_random_seed = lambda seed: reset(seed and (seed + 7919 * number) % 2**31)


def shake_trainers(number: int) -> None:
    """Let every training begin with other weights."""
    import dynet as dy

    from common.nn import optimiser

    for name in TRAINERS:
        setattr(dy, name, shaken_trainer(getattr(dy, name), number))
    for kind in (optimiser.SGD, optimiser.Adam):
        kind.__init__ = shaken_start(kind.__init__, number)


def shaken_trainer(kind: type, number: int) -> type:
    """A kind of trainer that moves the weights when it is made, unless a training is under way."""

    class Shaken(kind):
        def __init__(self, collection, *arguments, **options):
            if sys._getframe(1).f_globals["__name__"] not in LATER:
                shake(collection, number)

    Shaken.__name__ = kind.__name__
    return Shaken


def shaken_start(start, number: int):
    """The same of one of the course's optimisers, by its `__init__`."""

    @functools.wraps(start)
    def begin(self, collection, *arguments, **options):
        shake(collection, number)
        start(self, collection, *arguments, **options)

    return begin


def shake(collection, number: int) -> None:
    """Move all weights of a collection by about one part in a million."""
    for parameter in collection.parameters_list():
        parameter.set_value(shaken(parameter.as_array(), number))
    for table in collection.lookup_parameters_list():
        table.init_from_array(shaken(table.as_array(), number))


def shaken(array: np.ndarray, number: int) -> np.ndarray:
    """The numbers times 1 + 1e-6 r."""
    rng = np.random.default_rng([number, zlib.crc32(np.ascontiguousarray(array).tobytes())])
    return array * (1 + NOISE * rng.normal(size=array.shape))
