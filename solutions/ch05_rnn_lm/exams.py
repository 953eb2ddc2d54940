"""Exams of chapter 5."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn.recurrent import HiddenState, LSTMState
from common.text.batching import Batch
from solutions.grading.exam import call, exam, fresh, gradients, graph, leaf, parameters, plain, step, weighted

SIZES = ((2, 3, 1), (3, 2, 4), (4, 5, 2), (1, 1, 1))
"""Inputs, hidden size, sentences in the batch."""


@exam("5.1", 1e-6)
def warm_up(work, draw):
    for cell in ("rnn", "lstm-no-forget", "lstm", "gru"):
        sizes = draw.integer(1, 300), draw.integer(1, 300)
        yield f"parameters of {cell}, (I, H) = {sizes}", call(work.how_many_parameters, cell, *sizes)
    for steps in (2, draw.integer(3, 40), 1, 0):
        yield f"the gradient after {steps} steps", call(work.gradient_after, draw.number(-1.2, 1.2), steps)
    yield "a gradient that grows, and turns round", call(work.gradient_after, -draw.number(1.5, 2), 21)
    for lengths in [*draw.lengths(), [4, 4, 4]]:
        yield f"padding of sentences of the lengths {lengths}", call(work.share_of_padding, lengths)


@exam("5.2", 1e-3)
def elman(work, draw):
    for inputs, hidden, batch in SIZES:
        shapes = ((hidden, inputs), (hidden, hidden), (hidden,), (hidden, batch))
        collection, (W_xh, W_hh, b_h, h, *xs) = parameters(
            *(draw.array(*shape) for shape in shapes), *(draw.array(inputs, batch) for _ in range(7))
        )
        weights, case = (W_xh, W_hh, b_h), f"I = {inputs}, H = {hidden}, B = {batch}"
        fresh(draw)
        yield f"a step, {case}", call(lambda: step(work.rnn_step(*weights, leaf(xs[0]), leaf(h)), *weights, xs[0], h))
        fresh(draw)
        result = call(lambda: step(work.rnn_step(*weights, leaf(xs[0]), None), W_xh, b_h, xs[0]))
        yield f"the first step, {case}", result
        for time in (1, 2, 7):
            fresh(draw)
            before, sequence = graph(), [leaf(x) for x in xs[:time]]
            states = call(lambda: with_gradients(work.run(*weights, sequence), [*weights, *xs[:time]]))
            yield f"{time} states and the gradients of the last, {case}", states
            yield f"the graph and the list of inputs stay, {case}", [graph() == before, len(sequence)]
    yield "no inputs, no states", call(lambda: work.run(*weights, []))


def with_gradients(states, by):
    """All states, and the gradients of the last."""
    return [*(plain(state) for state in states), gradients(weighted(states[-1]), *by[: 2 + (len(states) > 1)], *by[3:])]


def cells(work, draw, function, blocks, gates, parts):
    """A step of a cell with and without a state and a mask: all numbers, and all gradients.

    parts: what a state holds. gates: how many blocks have their recurrent weights in W_hg; the rest have W_hh, or all
    have W_h where gates is 0.
    """
    kind = {1: HiddenState, 2: LSTMState}[parts]
    for _, H, batch in SIZES:
        shapes = [(gates * H, H), ((blocks - gates) * H, H)] if gates else [(blocks * H, H)]
        mask = draw.integers(0, 1, (H, batch)) * 2.0
        arrays = [draw.array(*shape) for shape in shapes], draw.array(blocks * H, batch, scale=2), draw.array(H, batch)
        collection, params = parameters(*arrays[0], arrays[1], arrays[2], draw.array(H, batch, scale=2), mask)
        matrices, (projected, *states, masked) = params[: len(shapes)], params[len(shapes) :]
        layer = SimpleNamespace(
            hidden_size=H, **dict(zip(("W_hg", "W_hh") if gates else ("W_h",), matrices, strict=True))
        )
        kinds_of_step = {"first": (0, 0), "next": (1, 0), "next, masked": (1, 1), "first, masked": (0, 1)}
        for name, (has_state, has_mask) in kinds_of_step.items():
            fresh(draw)

            def ask():
                state = kind(*(leaf(part) for part in states[:parts])) if has_state else None
                mask = leaf(masked) if has_mask else None
                result = list(getattr(work, function)(layer, leaf(projected), state, mask))
                total = weighted(dy.concatenate(result))
                by = [projected, *(matrices if has_state else []), *(states[:parts] if has_state else [])]
                return [*(plain(part) for part in result), gradients(total, *by)]

            yield f"the {name} step, H = {H}, B = {batch}", call(ask)


@exam("5.3", 1e-3)
def lstm(work, draw):
    yield from cells(work, draw, "lstm_cell", 4, 0, 2)


@exam("5.4", 1e-3)
def gru(work, draw):
    yield from cells(work, draw, "gru_cell", 3, 2, 1)


@exam("5.5", 1e-4)
def minibatch(work, draw):
    for lengths in draw.lengths():
        sentences = [[draw.integer(0, 9) * 1000 for _ in range(length)] for length in lengths]
        if max(lengths):
            yield f"padding, lengths {lengths}", call(work.pad, sentences)
            yield "whole numbers, and a mask of np.float32", call(lambda: kinds(work.pad(sentences)))
        yield f"a minibatch, lengths {lengths}", call(work.make_minibatch, sentences)
        yield f"a minibatch of tuples, lengths {lengths}", call(work.make_minibatch, tuple(map(tuple, sentences)))
        mask = np.array(
            [[place < length + 1 for length in lengths] for place in range(max(lengths) + 1)], dtype=np.float32
        )
        collection, (losses,) = parameters(draw.array(1, mask.size))
        fresh(draw)
        yield f"the sum, lengths {lengths}", call(lambda: step(work.masked_sum(leaf(losses), mask), losses))
        masks = [mask, mask[:1], np.ones((1, 1), dtype=np.float32), np.ones((20, 20), dtype=np.float32)]
        totals = [draw.number(1, 90) for _ in masks]
        yield f"a mean over minibatches, lengths {lengths}", call(work.loss_per_prediction, totals, masks)


def kinds(arrays):
    """Of arrays of ids whether they are whole numbers, and of a mask, the last, its type."""
    *ids, mask = map(np.asarray, arrays)
    return [*(array.dtype.kind in "iu" for array in ids), str(mask.dtype)]


@exam("5.6", 1e-3)
def truncated(work, draw):
    for lengths in (*draw.lengths(1, 6), [0, 3, 0, 2], [5] * 4):
        sentences = draw.ids(lengths, 9)
        words = sum(lengths)
        for streams, steps in ((1, 1), (1, 3), (2, 2), (3, 4), (2, 50)):
            if words >= streams:
                case = f"sentences of the lengths {lengths}, {streams} streams, {steps} steps"
                yield case, call(work.make_streams, sentences, streams, steps)
    result = call(
        lambda: [kinds([batch.inputs, batch.targets, batch.mask]) for batch in work.make_streams(sentences, 3, 2)]
    )
    yield "whole numbers, and masks of np.float32", result
    for batch in (1, 3):
        yield from through(work, draw, batch)


def through(work, draw, streams):
    """Training through a text, with a state of two numbers, by hand: what each loss was given, and what was updated."""
    collection, (W, U) = parameters(draw.array(2, 1), draw.array(2, 2))
    seen, graphs, (learnt, recurrent) = {}, [graph()], (W, U)
    batches = []
    for time in (3, 1, 2, 1):
        words, mask = draw.array(time, streams), draw.integers(0, 1, (time, streams))
        batches.append(Batch(words, words, mask, np.arange(streams)))
    batches[0].mask[:] = 1

    def loss(batch, carried):
        """It may be called again in the same graph."""
        states = None if carried is None else [np.asarray(array) for array in carried]
        seen.setdefault((id(batch), graph()), [states, graph() not in graphs])
        graphs.append(graph())
        x = dy.reshape(dy.inputVector(batch.inputs[0]), (1,), streams)
        state = W * x
        if carried is not None:
            state = state + U * dy.reshape(dy.inputVector(np.ravel(carried[0], order="F")), (2,), streams)
        state = dy.tanh(state)
        return dy.sum_batches(dy.squared_norm(state)), [state, state * 2.0]

    def update():
        seen[len(seen)] = [np.asarray(param.grad_as_array()) for param in (learnt, recurrent)]
        for param in (learnt, recurrent):
            param.set_value(param.as_array() - 0.1 * param.grad_as_array())
            param.scale_gradient(0)

    yield f"the mean loss, {streams} streams", call(lambda: work.train_through(batches, loss, update))
    yield f"the mean loss of another pass, {streams} streams", call(lambda: work.train_through(batches, loss, update))
    yield f"what was carried on, in a new graph or not, which gradients, {streams} streams", list(seen.values())
