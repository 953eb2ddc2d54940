"""The worked examples of chapter 5: networks of one unit, run forward and back by the course's own cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import dynet as dy
import numpy as np

from book.figures.recorded import recorded
from common.nn.cells import RNN
from common.nn.recurrent import LSTM
from common.nn.softmax import masked_sum, tied_logits
from common.nn.stacking import Stack
from common.text.batching import Batch, make_batch

READ = {"ponies": 1.0, "usually": 0.2}
"""The words of the example, each with its embedding of one number."""
W_XH, W_HH = 1.0, 0.8
W_HS = {"usually": 0.5, "wait": 1.0, "waits": -1.0}
TARGETS = ("usually", "wait")

LSTM_WEIGHTS = {"i": (1.0, 0.5, 0.0), "f": (-1.0, 0.5, 1.0), "o": (0.5, 1.0, 0.0), "u": (2.0, -0.5, 0.0)}
"""For each block of the LSTM W_x, W_h and b, in the order of its parameters."""
LSTM_BEFORE = (0.6, 0.9)
"""h and c before the step."""
LSTM_READS = 0.2

LAYERS, OF_ONE_LAYER = 3, 0.2
"""Of a stack: its layers, and the derivative of the state of one with respect to what it reads."""

LOSSES = [[2.0, 1.0, 3.0, 0.5, 1.5], [4.0, 0.9]]
"""Nats for the predictions of two sentences, of four words and of one."""


class Pass(NamedTuple):
    """One pass forward and back: a number a step, or a row a step."""

    h: list[float]
    scores: np.ndarray
    probs: np.ndarray
    losses: list[float]
    reached: list[float]
    """dL/dh_t, all ways together."""
    gradients: dict[str, float]


def set_values(layer, **values: Sequence) -> None:
    """Give the parameters of a layer these numbers."""
    for name, value in values.items():
        getattr(layer, name).set_value(np.array(value, dtype=float))


def one_unit(weight: float = W_HH) -> tuple[dy.ParameterCollection, RNN]:
    """The chapter's plain cell with one unit; the collection must be kept as long as the cell is used."""
    collection = dy.ParameterCollection()
    layer = RNN(collection, 1, 1, 0.1)
    set_values(layer, W_x=[[W_XH]], W_h=[[weight]], b=[0])
    return collection, layer


def two_steps() -> Pass:
    """The network of the example, forward and back, as DyNet computes it."""
    collection, layer = one_unit()
    W_hs, b_s = collection.add_parameters((len(W_HS), 1)), collection.add_parameters(len(W_HS), init=0)
    W_hs.set_value(np.array(list(W_HS.values()))[:, None])
    dy.renew_cg()
    states = [state.hidden for state in layer.unroll(dy.inputTensor([list(READ.values())]))]
    scores = [tied_logits(W_hs, b_s, state) for state in states]
    places = [list(W_HS).index(word) for word in TARGETS]
    losses = [dy.pickneglogsoftmax(one, place) for one, place in zip(scores, places, strict=True)]
    probs = [dy.softmax(one).npvalue() for one in scores]
    total = dy.esum(losses)
    total.forward()
    total.backward(full=True)
    parameters = {"W_xh": layer.W_x, "W_hh": layer.W_h, "b_h": layer.b}
    return Pass(
        [state.scalar_value() for state in states],
        np.array([one.npvalue() for one in scores]),
        np.array(probs),
        [loss.scalar_value() for loss in losses],
        [float(np.ravel(state.gradient())[0]) for state in states],
        {name: float(np.ravel(parameter.grad_as_array())[0]) for name, parameter in parameters.items()},
    )


def forward() -> Iterator[float]:
    """Two steps of the plain network."""
    found = two_steps()
    yield from (W_XH, W_HH, 0)
    before = 0.0
    for step, (x, h) in enumerate(zip(READ.values(), found.h, strict=True), start=1):
        yield from (step, x, W_XH, x, W_HH, before, W_XH * x + W_HH * before, h)
        before = h
    yield from W_HS.values()
    for step, (scores, probs, loss) in enumerate(zip(found.scores, found.probs, found.losses, strict=True), start=1):
        yield from (step, *scores, *probs, loss)
    yield from (*found.losses, sum(found.losses))


def own_losses(found: Pass) -> list[float]:
    """dL_t/dh_t: what the loss of each step alone asks of the state of that step."""
    rows = np.array(list(W_HS.values()))
    wanted = np.array([[float(word == target) for word in W_HS] for target in TARGETS])
    return list(((found.probs - wanted) * rows).sum(axis=1))


def backward() -> Iterator[float]:
    """The gradients of the same two steps."""
    found = two_steps()
    (h1, h2), (p1, p2) = found.h, found.probs
    (own1, own2), (at1, at2) = own_losses(found), found.reached
    delta1, delta2 = (1 - h1**2) * at1, (1 - h2**2) * at2
    usually, wait, waits = W_HS.values()
    yield from (2, p2[0], usually, p2[1], 1, wait, p2[2], waits, own2)
    yield from (1, h2, at2, 1 - h2**2, at2, delta2)
    yield from (1, p1[0], 1, usually, p1[1], wait, p1[2], waits, own1)
    yield from (W_HH, delta2, W_HH * delta2, own1, W_HH * delta2, at1)
    yield from (1, h1, at1, 1 - h1**2, at1, delta1)
    x1, x2 = READ.values()
    yield from (delta1, 0, delta2, h1, found.gradients["W_hh"])
    yield from (delta1, x1, delta2, x2, found.gradients["W_xh"])
    yield from (delta1, delta2, found.gradients["b_h"])


def factors(weight: float, first: float, steps: int) -> np.ndarray:
    """dh_t / dh_{t-1} of one unit for t = 2 ... steps + 1, when it reads `first`, and then zeros."""
    _collection, layer = one_unit(weight)
    dy.renew_cg()
    states = layer.unroll(dy.inputTensor([[first] + [0.0] * steps]))
    h = np.array([state.hidden.scalar_value() for state in states[1:]])
    return weight * (1 - h**2)


def products() -> Iterator[float]:
    """What is left of a gradient after one, five and ten steps."""
    yield from (1, 5, 10)
    for weight, first in ((0.8, 1.0), (1.5, 1.0), (1.5, 0.001)):
        each = factors(weight, first, 10)
        yield from (weight, first, each[0] / weight, each[0], each[:5].prod(), each.prod())


def sigma(x: float) -> float:
    """Neubig 2017, Eq. 52."""
    return 1 / (1 + math.exp(-x))


def gates(x: float, h: float) -> dict[str, float]:
    """What the gates and the update of the example are, by name."""
    found = {}
    for name, (W_x, W_h, b) in LSTM_WEIGHTS.items():
        found[name] = (math.tanh if name == "u" else sigma)(W_x * x + W_h * h + b)
    return found


def after_one_step() -> tuple[float, float]:
    """h and c after the step, by the chapter's LSTM."""
    collection = dy.ParameterCollection()
    layer = LSTM(collection, 1, 1, 0.1)
    W_x, W_h, b = zip(*LSTM_WEIGHTS.values(), strict=True)
    set_values(layer, W_x=np.array(W_x)[:, None], W_h=np.array(W_h)[:, None], b=b)
    dy.renew_cg()
    before = layer.state_type(*(dy.inputTensor([value]) for value in LSTM_BEFORE))
    state = layer.step(dy.inputTensor([LSTM_READS]), before)
    return state.hidden.scalar_value(), state.cell.scalar_value()


def lstm_step() -> Iterator[float]:
    """One step of an LSTM of one unit."""
    h, c = LSTM_BEFORE
    found = gates(LSTM_READS, h)
    yield from (h, c, LSTM_READS)
    for name in "ifou":
        W_x, W_h, b = LSTM_WEIGHTS[name]
        yield from (W_x, LSTM_READS, W_h, h, b, W_x * LSTM_READS + W_h * h + b, found[name])
    new_h, new_c = after_one_step()
    yield from (found["i"], found["u"], found["f"], c)
    yield from (found["i"] * found["u"], found["f"] * c, new_c)
    yield from (found["o"], new_c, found["o"], math.tanh(new_c), new_h)


def kept() -> Iterator[float]:
    """What ten steps leave of the gradient of a cell with one forget gate: along the cell, and by all ways as
    recorded; then the latter of the plain network."""
    steps, found = 10, recorded("05_rnn_lm")
    yield steps
    for bias, powers in found["forget bias"].items():
        forget = sigma(int(bias))
        yield from (int(bias), forget, forget**steps, 10 ** (powers[steps] - powers[0]))
    powers = found["gradients"]["rnn"]["before"]
    yield 10 ** (powers[steps] - powers[0])


def down_a_stack(residual: bool) -> float:
    """The derivative of what a stack of one unit in each layer passes on, with respect to what it reads, at 0."""
    collection = dy.ParameterCollection()
    stack = Stack(collection, "rnn", 1, LAYERS, 0.1, residual)
    for layer in stack.layers:
        set_values(layer, W_x=[[OF_ONE_LAYER]], W_h=[[0]], b=[0])
    dy.renew_cg()
    x = dy.inputTensor([0.0])
    top, _ = stack.step(x, stack.zero)
    top.forward()
    top.backward(full=True)
    return float(x.gradient()[0])


def residual() -> Iterator[float]:
    """What a gradient is multiplied by on its way down a stack, without residual connections and with them."""
    yield from (LAYERS, OF_ONE_LAYER)
    for own, with_sum in ((OF_ONE_LAYER, False), (1 + OF_ONE_LAYER, True)):
        yield from (*[own] * LAYERS, down_a_stack(with_sum))


def padded() -> tuple[Batch, np.ndarray]:
    """The batch of two sentences of the example, and the losses of all its places, (T, B); 7 nats on padding."""
    sentences = [[2] * (len(losses) - 1) for losses in LOSSES]
    batch = make_batch(sentences, range(len(sentences)))
    losses = np.full(batch.mask.shape, 7.0)
    for column, values in enumerate(LOSSES):
        losses[: len(values), column] = values
    return batch, losses


def masked() -> Iterator[float]:
    """The mean loss of a batch, right, and wrong in two ways."""
    batch, losses = padded()
    dy.renew_cg()
    flat = dy.inputTensor(losses.T.reshape(1, -1), batched=True)
    total, predictions = masked_sum(flat, batch.mask).scalar_value(), batch.predictions
    sums = [sum(values) for values in LOSSES]
    for values in LOSSES:
        yield from (*values, sum(values), len(values))
    yield from (*sums, predictions, total / predictions, math.exp(total / predictions))
    yield from (*sums, batch.mask.size, total / batch.mask.size, math.exp(total / batch.mask.size))
    means = [sum(values) / len(values) for values in LOSSES]
    yield from (*means, 2, sum(means) / 2, math.exp(sum(means) / 2))


def misled() -> Iterator[float]:
    """Distances from subject to verb, and for each the percentage of verbs whose last noun is of the other number."""
    found = recorded("05_rnn_lm")["agreement"]
    yield from found["distance"]
    yield from (round(100 * share) for share in found["misled"])
