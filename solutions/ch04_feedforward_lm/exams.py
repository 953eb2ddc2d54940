"""Exams of chapter 4."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from common.text.batching import make_batch
from solutions.grading.exam import call, exam, fresh, graph, leaf, near, nodes, parameters, step, trained

SIZES = ((7, 2, 3, 3), (6, 4, 2, 4), (5, 3, 4, 2), (2, 1, 1, 2))
"""Vocabulary, embedding size, hidden size, order."""


@exam("4.1", 1e-6)
def warm_up(work, draw):
    for _ in range(5):
        sizes = draw.integer(2, 9000), draw.integer(1, 300), draw.integer(1, 300), draw.integer(2, 6)
        yield f"parameters, (V, L, H, n) = {sizes}", call(work.how_many_parameters, *sizes)
        root = draw.integer(2, 300)
        classes, of_each = draw.integer(1, 300), draw.integer(1, 300)
        result = call(work.scores_a_word, classes * of_each, classes)
        yield f"scores, V = {classes * of_each}, {classes} classes", result
        yield f"classes, V = {root**2}", call(work.best_number_of_classes, root**2)


@exam("4.2", 1e-9)
def windows(work, draw):
    for time, batch in ((5, 1), (4, 3), (9, 2), (1, 3), (1, 1)):
        inputs = draw.integers(0, 90000, (time, batch))
        inputs[0] = 0
        for order in (2, 3, 5, 12):
            yield f"order {order}, T = {time}, B = {batch}", call(work.contexts, inputs, order)
    yield "ids are whole numbers", call(lambda: np.asarray(work.contexts(inputs, 3)).dtype.kind in "iu")


def model(work, draw, words, embedding, hidden, order, scale=0.7):
    """Weights, what must be kept, and all parameters. M has one word more than there are, which nobody may look up."""
    arrays = [draw.array(hidden, (order - 1) * embedding, scale=scale), draw.array(hidden, scale=scale)]
    arrays += [draw.array(words, hidden, scale=scale), draw.array(words, scale=scale)]
    collection, params = parameters(*arrays)
    nobody = np.full((1, embedding), np.nan)
    M = collection.lookup_parameters_from_numpy(np.vstack([draw.array(words, embedding, scale=scale), nobody]))
    return work.Weights(M, *params, order), collection, [M, *params]


@exam("4.3", 1e-3)
def layers(work, draw):
    for sizes in SIZES:
        weights, collection, params = model(work, draw, *sizes)
        for number in (1, 4):
            fresh(draw)
            words = draw.integers(0, sizes[0] - 1, (sizes[3] - 1, number))
            before, case = graph(), f"(V, L, H, n) = {sizes}, {number} contexts"
            yield f"h, {case}", call(lambda: step(work.hidden(weights, words, 0.0), *params[:3]))
            yield "h in the graph at hand", graph() == before
            fresh(draw)
            _, (h,) = inputs = parameters(draw.array(sizes[2], number))
            yield f"scores, {case}", call(lambda: step(work.scores(weights, leaf(h)), *params[3:], *inputs[1]))
    for dropout in (0.2, 0.6):
        yield from masks(work, draw, dropout)


def masks(work, draw, dropout):
    """Where dropout falls: on h, from which a share is zero and the rest grows, and on m, also fresh each time."""
    weights, collection, params = model(work, draw, 3, 40, 60, 2)
    params[1].set_value(np.zeros((60, 40)))
    params[2].set_value(np.full(60, 0.5))
    fresh(draw)
    h = call(lambda: work.hidden(weights, np.zeros((1, 100), dtype=int), dropout))
    values = drawn(h)
    yield f"dropout {dropout}: the share of h that is zero", near(np.mean(values == 0), 0.05)
    yield f"dropout {dropout}: the size of what is left", near(np.abs(values).max(), 1e-3)
    yield f"dropout {dropout}: each h has a mask of its own", bool((values != values[:, :1]).any())
    params[1].set_value(np.eye(60, 40) * 0.01)
    params[2].set_value(np.zeros(60))
    params[0].init_from_array(np.ones((4, 40)))
    fresh(draw)
    h = call(lambda: work.hidden(weights, np.zeros((1, 100), dtype=int), dropout))
    values = drawn(h)
    values = values[:40]
    yield f"dropout {dropout}: the share that m and h leave", near(np.mean(values == 0), 0.05)
    yield f"dropout {dropout}: the size of what both leave", near(np.abs(values).max(), 1e-3)
    yield f"dropout {dropout}: each context has masks of its own", bool((values != values[:, :1]).any())


def drawn(h):
    """An exam's report of h, (60,) x 100, as an array; zeros where it is none."""
    values = np.array(h.get("values", []) if isinstance(h, dict) else [])
    return values.reshape((60, 100), order="F") if values.size == 6000 else np.zeros((60, 100))


@exam("4.4", 1e-3)
def loss(work, draw):
    for sizes in SIZES:
        weights, collection, params = model(work, draw, *sizes)
        for lengths in draw.lengths(0, 5):
            sentences = draw.ids(lengths, sizes[0])
            inputs, targets, mask = make_batch(sentences, range(len(sentences)))[:3]
            targets = np.where(mask > 0, targets, draw.integer(0, sizes[0] - 1))
            inputs = np.where(mask > 0, inputs, sizes[0])  # not a number, if it is computed
            fresh(draw)
            before, case = graph(), f"(V, L, H, n) = {sizes}, lengths {lengths}"
            result = trained(lambda: work.loss(weights, inputs, targets, mask, 0.0), *params)
            yield f"the loss and its gradients, {case}", result
            yield "loss goes on in the same graph", graph() == before
            inputs = np.where(mask > 0, inputs, targets)  # log P of padding may be computed
            yield f"log P, {case}", call(work.log_probs, weights, inputs, targets, mask)
            yield "log P in a graph of its own", graph() == before
    yield from dropout(work, draw)


def dropout(work, draw):
    """The mean loss with dropout is another than without, and never the same twice."""
    weights, collection, params = model(work, draw, 6, 8, 12, 3)
    batch = make_batch(draw.ids([4] * 30, 6), range(30))[:3]
    losses = []
    for rate in (0.5, 0.5, 0.0, 0.0):
        fresh(draw)
        losses.append(call(lambda: work.loss(weights, *batch, rate).value()))
    error = next((value for value in losses if not isinstance(value, float)), None)
    changes = [losses[0] != losses[1], losses[2] == losses[3]]
    yield "dropout 0.5 changes the loss from time to time; 0 does not", changes if error is None else error
    first, second = (call(work.log_probs, weights, *batch) for _ in range(2))
    yield "log P is always the same", first == second


@exam("4.5", 1e-3)
def classes(work, draw):
    for words, number, hidden, predictions in ((9, 3, 4, 1), (12, 4, 3, 7), (3, 3, 2, 4), (2, 1, 1, 1)):
        class_of = np.concatenate([np.arange(number), draw.integers(0, number - 1, words - number)])
        draw.numpy.shuffle(class_of)
        yield f"places, V = {words}, {number} classes", call(work.places_in_classes, class_of)
        sizes = np.bincount(class_of)
        arrays = [draw.array(number, hidden), draw.array(number), *(draw.array(size, hidden) for size in sizes)]
        collection, params = parameters(*arrays, *(draw.array(size) for size in sizes))
        weights = work.ClassWeights(class_of, params[0], params[1], params[2 : 2 + number], params[2 + number :])
        for targets in (draw.integers(0, words - 1, predictions), np.full(predictions, draw.integer(0, words - 1))):
            _, (h,) = inputs = parameters(draw.array(hidden, predictions))
            others = [
                param
                for c in set(range(number)) - set(class_of[targets])
                for param in (params[2 + c], params[c - number])
            ]
            values = [param.as_array() for param in others]
            for param in others:  # not a number, if it is computed
                param.set_value(np.full(param.shape(), np.nan))
            fresh(draw)
            before, case = graph(), f"V = {words}, {number} classes, N = {predictions}"
            result = call(lambda: step(work.losses(weights, leaf(h), targets), *params, *inputs[1]))
            yield f"losses and gradients, {case}", result
            yield "in the graph at hand", graph() == before
            for param, value in zip(others, values, strict=True):
                param.set_value(value)
        params[1].set_value(params[1].as_array() * 300)
        for bias, size in zip(params[2 + number :], sizes, strict=True):  # exp(-200) is zero in single precision
            bias.set_value(200.0 * np.arange(size))
        fresh(draw)
        read = draw.array(hidden)
        yield f"log P of all words, {case}", call(lambda: work.distribution(weights, dy.inputVector(read)))
        result = call(lambda: shares(work, draw, weights, hidden, targets))
        yield "whether predictions of one class share a product", result


def shares(work, draw, weights, hidden, targets):
    """Whether the graph stays small where there are more predictions of the same classes."""
    sizes = []
    for times in (1, 9):
        fresh(draw)
        h, before = input_batch(draw.array(hidden, times * len(targets))), nodes()
        work.losses(weights, h, np.tile(targets, times))
        sizes.append(nodes() - before)
    return sizes[1] - sizes[0] <= 2 * 8 * len(targets)  # two nodes each, to put them in order
