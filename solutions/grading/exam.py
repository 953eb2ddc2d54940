"""What exams are written with. An exam decides, where a grader advises: it calls a student's functions and reports what
they gave, and it knows nothing of what is right.

    @exam("1.2")
    def counting(work, draw):
        for sentences in draw.texts():
            yield "a text", call(work.count_ngrams, sentences, draw.integer(1, 4))

An exam is a generator of pairs: a question, in words that a student may read, and the answer. It runs on the
answer in one process and on a student's work in another, with the same secret seed; elsewhere the two are compared
(compare.py). So it may only draw from `draw`, and draw the same whatever the student's functions do.
"""

from __future__ import annotations

import copy
import functools
import random
import re
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

Pairs = Iterator[tuple[str, object]]
LONGEST = 200
ASKED: deque[tuple[Callable, tuple]] = deque(maxlen=2)
"""The functions that `call` called last, with their arguments: a message shows them."""
CLEANED = 200_000
"""Numbers in DyNet's memory that a new graph finds clean: several times what the largest graph of an exam has."""


def exam(number: str, tolerance: float = 1e-4) -> Callable[[Callable], Callable]:
    """Say which task an exam belongs to, and how much two right answers may differ relatively."""

    def mark(function: Callable[[Any, Draw], Pairs]) -> Callable:
        @functools.wraps(function)
        def ask(work: Any, draw: Draw) -> Pairs:
            return ((in_the_singular(question), answer) for question, answer in function(work, draw))

        ask.task, ask.tolerance = number, tolerance
        return ask

    return mark


def in_the_singular(question: str) -> str:
    """The question with "1 word" for "1 words", since questions are written for any number of things."""
    singular = {"classes": "class", "hypotheses": "hypothesis"}
    return re.sub(
        r"(?<![\d.,])1 (\w{3,}s)\b(?<!ss)", lambda found: f"1 {singular.get(found[1], found[1][:-1])}", question
    )


class Draw:
    """Random inputs: the same for the same seed."""

    def __init__(self, seed: str):
        self.random = random.Random(seed)
        self.numpy = np.random.default_rng(self.random.getrandbits(64))

    def integer(self, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return self.random.randint(low, high)

    def integers(self, low: int, high: int, shape: int | tuple[int, ...]) -> np.ndarray:
        """An array of whole numbers from low to high, both included."""
        return self.numpy.integers(low, high + 1, shape)

    def distinct(self, low: int, high: int, number: int) -> list[int]:
        """So many different whole numbers from low to high, both included."""
        return self.random.sample(range(low, high + 1), number)

    def number(self, low: float = -1.0, high: float = 1.0) -> float:
        return self.random.uniform(low, high)

    def array(self, *shape: int, scale: float = 1.0) -> np.ndarray:
        """Normally distributed numbers."""
        return self.numpy.normal(0.0, scale, shape)

    def distribution(self, *shape: int) -> np.ndarray:
        """Probabilities, positive and one in sum along the last axis."""
        return self.numpy.dirichlet(np.ones(shape[-1]), shape[:-1])

    def words(self, number: int, letters: str = "abcde") -> list[str]:
        return [self.random.choice(letters) for _ in range(number)]

    def text(self, lengths: Sequence[int], letters: str = "abcde") -> list[list[str]]:
        """Sentences of these lengths, as words."""
        return [self.words(length, letters) for length in lengths]

    def ids(self, lengths: Sequence[int], vocabulary: int) -> list[list[int]]:
        """Sentences of these lengths, as ids from 1 to vocabulary - 1."""
        return [[self.integer(1, vocabulary - 1) for _ in range(length)] for length in lengths]

    def lengths(self, low: int = 0, high: int = 6) -> list[list[int]]:
        """Lengths of sentences for several batches: a single one, the shortest alone, and mixed ones."""
        mixed = [[self.integer(low, high) for _ in range(self.integer(2, 5))] for _ in range(2)]
        return [[self.integer(max(low, 2), high)], [low], [low, high, *mixed[0]], mixed[1]]


class Marked(dict):
    """A value that `plain` has made: it is plain already."""


def call(function: Callable, *arguments: object) -> object:
    """What a function gives, as plain numbers and text; which error it raised, whether it changed its arguments."""
    before = [kept(argument) for argument in arguments]
    ASKED.append((function, arguments))
    try:
        result = plain(function(*arguments))
    except Exception as error:
        return failed(error)
    if any(kept(argument) != copied for argument, copied in zip(arguments, before, strict=True)):
        return Marked(kind="change", told="what the function was given must stay as it is")
    return result


def failed(error: BaseException) -> Marked:
    try:
        message = " ".join(f"{type(error).__name__}: {error}".split())[:LONGEST]
    except Exception:
        message = type(error).__name__
    return Marked(kind="error", type=type(error).__name__, told=message)


def kept(value: object) -> object:
    """A copy to compare with later, of what can be compared; expressions and functions cannot."""
    if isinstance(value, np.ndarray):
        return ("array", value.shape, value.tobytes())
    if isinstance(value, (list, tuple, set, frozenset)):
        return (type(value).__name__, len(value), [kept(element) for element in value])
    if isinstance(value, dict):
        return ("dict", [(kept(key), kept(element)) for key, element in value.items()])
    return copy.copy(value) if isinstance(value, (bool, int, float, str)) else None


def plain(value: object) -> object:
    """A value as JSON may hold it: arrays and expressions with their shape, dictionaries as pairs."""
    kind = type(value)
    if value is None or kind in (bool, int, float, str, Marked):
        return value
    if kind in (Fraction, Decimal):
        return float(value)
    if kind.__module__ == "_dynet" and hasattr(value, "npvalue"):
        dimensions, batch = value.dim()
        numbers = np.asarray(value.npvalue()).ravel(order="F").tolist()
        return Marked(kind="expression", shape=list(dimensions), batch=batch, values=numbers)
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.array(value, subok=False)
        if array.dtype.kind == "O":  # of fractions, for one
            return plain(array.tolist())
        if array.dtype.kind == "f":  # a long double is no number of Python's
            array = array.astype(np.float64)
        values = array.ravel().tolist()
        return Marked(kind="array", shape=list(array.shape), values=values) if array.ndim else array.item()
    if isinstance(value, dict):
        return Marked(kind="dictionary", pairs=[[plain(key), plain(element)] for key, element in value.items()])
    if isinstance(value, (list, tuple)):
        return [plain(element) for element in value]
    if isinstance(value, (set, frozenset)):
        return Marked(kind="dictionary", pairs=[[plain(key), True] for key in value])
    if kind.__name__ in RECORDS:
        return [plain(getattr(value, name)) for name in RECORDS[kind.__name__]]
    return Marked(kind="other", told=f"a {kind.__name__}, where numbers, text, lists or arrays are wanted")


RECORDS = {"Batch": ("inputs", "targets", "mask", "indices"), "Hypothesis": ("words", "log_prob", "finished")}
"""Classes of the course whose objects functions give, and what counts of them."""


def near(value: float, tolerance: float) -> Marked:
    """A number that chance decides, for one: it may differ by so much."""
    return Marked(kind="near", value=float(value), tolerance=tolerance)


def padding(lengths: np.ndarray, time: int) -> object:
    """What is added to the scores of sentences of these lengths, (time, 1) x sentences: 0, and -1e9 on padding."""
    from common.nn.arrays import input_batch

    return input_batch(np.where(np.arange(time)[:, None, None] >= lengths, -1e9, 0.0).reshape(time, 1, len(lengths)))


def parameters(*arrays: np.ndarray) -> tuple[object, list]:
    """A collection, which must be kept, and a parameter for each array."""
    import dynet as dy

    collection = dy.ParameterCollection()
    return collection, [collection.add_parameters(array.shape, init=dy.NumpyInitializer(array)) for array in arrays]


def gradients(loss: object, *of: object) -> list[object]:
    """The loss and its gradients by parameters, or what went wrong on the way."""
    for parameter in of:
        forget_gradients(parameter)
    try:
        value = loss.value()
        loss.backward()
        return [value, *(plain(np.asarray(parameter.grad_as_array())) for parameter in of)]
    except Exception as error:
        return [failed(error)]


def trained(loss: Callable, *of: object) -> object:
    """What a function gives as a loss, and the gradients of it; or which error it raised."""

    def numbers() -> list[object]:
        value = loss()
        return [plain(value), gradients(value, *of)]

    return call(numbers)


def weighted(result: object) -> object:
    """The sum of an expression's elements, each with another weight, as an expression: to have gradients of it all."""
    import dynet as dy

    from common.nn.arrays import input_batch

    dimensions, batch = result.dim()
    size = int(np.prod(dimensions))
    weights = np.cos(np.arange(size * batch)).reshape((size, batch), order="F")
    return dy.sum_batches(dy.dot_product(dy.reshape(result, (size,), batch), input_batch(weights)))


def step(result: object, *of: object) -> object:
    """An expression's numbers, and the gradients of a weighted sum of them."""
    if type(result).__module__ != "_dynet":
        return plain(result)
    return [plain(result), gradients(weighted(result), *of)]


def ask(
    function: Callable, draw: Draw, arrays: Sequence[np.ndarray], weights: int = 0, by: Sequence[object] = ()
) -> object:
    """What a function gives of arrays as expressions, in a new graph, and its gradients by `by` and all of them.

    The last axis of an array is its batch, but for that of the first ones, so many `weights`.
    """
    collection, params = parameters(*arrays)
    fresh(draw)

    def result() -> object:
        inputs = [*(param.expr(True) for param in params[:weights]), *map(leaf, params[weights:])]
        return step(function(*inputs), *by, *params)

    result.__name__ = getattr(function, "__name__", "result")
    return call(result)


def fresh(draw: Draw) -> None:
    """A new graph, and DyNet's random numbers from the beginning."""
    new_graph()
    sys.modules["dynet"].reset_random_seed(draw.integer(1, 10**6))


def new_graph() -> None:
    """A new graph in clean memory.

    DyNet adds a product of matrices to zero times what was in its place before, so a NaN of an earlier graph stays.
    """
    dy = sys.modules["dynet"]
    dy.renew_cg()
    dy.zeros((CLEANED,)).forward()
    dy.renew_cg()


def forget_gradients(parameter: object) -> None:
    """Gradients add up until an update, and a NaN among them would stay even if they were scaled by 0."""
    parameter.scale_gradient(0)
    if hasattr(parameter, "set_value"):  # not one of a lookup table
        value = np.array(parameter.as_array())
        parameter.zero()
        parameter.set_value(value)


def nodes() -> int:
    """How many nodes the graph at hand has."""
    import dynet as dy

    return int(str(dy.scalarInput(0)).split()[1].partition("/")[0])


def graph() -> int:
    """The number of the graph at hand: another one after dy.renew_cg()."""
    return sys.modules["dynet"].cg_version()


def leaf(parameter: object) -> object:
    """A parameter as an expression whose batch is its last axis: an input by which there is a gradient, too."""
    import dynet as dy

    *dimensions, batch = parameter.shape()
    return dy.reshape(parameter, tuple(dimensions), batch)
