"""Exams of chapter 4."""

import dynet as dy
import numpy as np

from common.text.batching import make_batch
from solutions.grading.exam import (
    call,
    exam,
    expression,
    failed,
    fresh,
    gradients,
    graph,
    near,
    parameters,
    plain,
    step,
    weighted,
)

SIZES = ((2, 1, 1, 2), (5, 3, 4, 2), (7, 2, 3, 3), (6, 4, 2, 4))
"""Vocabulary, embedding size, hidden size, order."""


@exam("4.1", 1e-9)
def warm_up(work, draw):
    for _ in range(5):
        sizes = draw.integer(2, 9000), draw.integer(1, 300), draw.integer(1, 300), draw.integer(2, 6)
        yield f"parameters, (V, L, H, n) = {sizes}", call(work.how_many_parameters, *sizes)
        root = draw.integer(2, 300)
        yield f"scores, V = {root**2}, {root} classes", call(work.scores_a_word, root**2, draw.integer(1, root))
        yield f"classes, V = {root**2}", call(work.best_number_of_classes, root**2)


@exam("4.2", 1e-9)
def windows(work, draw):
    for time, batch in ((1, 1), (1, 3), (5, 1), (4, 3), (9, 2)):
        inputs = draw.integers(0, 30, (time, batch))
        inputs[0] = 0
        for order in (2, 3, 5, 12):
            yield f"order {order}, T = {time}, B = {batch}", call(work.contexts, inputs, order)


def model(work, draw, words, embedding, hidden, order, scale=0.7):
    """Weights, what must be kept, and all parameters."""
    arrays = [draw.array(hidden, (order - 1) * embedding, scale=scale), draw.array(hidden, scale=scale)]
    arrays += [draw.array(words, hidden, scale=scale), draw.array(words, scale=scale)]
    collection, held = parameters(*arrays)
    M = collection.lookup_parameters_from_numpy(draw.array(words, embedding, scale=scale))
    return work.Weights(M, *held, order), collection, [M, *held]


@exam("4.3", 1e-3)
def layers(work, draw):
    for sizes in SIZES:
        weights, collection, held = model(work, draw, *sizes)
        for number in (1, 4):
            fresh(draw)
            words = draw.integers(0, sizes[0] - 1, (sizes[3] - 1, number))
            asked = f"(V, L, H, n) = {sizes}, {number} contexts"
            yield f"h, {asked}", call(lambda: step(work.hidden(weights, words, 0.0), *held[:3]))
            fresh(draw)
            h = expression(draw.array(sizes[2], number))
            yield f"scores, {asked}", call(lambda: step(work.scores(weights, h), *held[3:]))
    for dropout in (0.2, 0.6):
        yield from masks(work, draw, dropout)


def masks(work, draw, dropout):
    """Where dropout falls: on h, from which a share is zero and the rest grows, and on m, also fresh each time."""
    weights, collection, held = model(work, draw, 3, 40, 60, 2)
    held[1].set_value(np.zeros((60, 40)))
    held[2].set_value(np.full(60, 0.5))
    fresh(draw)
    h = call(lambda: work.hidden(weights, np.zeros((1, 100), dtype=int), dropout))
    values = np.array(h.get("values", [0.0]) if isinstance(h, dict) else [0.0])
    yield f"dropout {dropout}: the share of h that is zero", near(np.mean(values == 0), 0.05)
    yield f"dropout {dropout}: the size of what is left", near(np.abs(values).max(), 1e-3)
    held[1].set_value(np.eye(60, 40) * 0.01)
    held[2].set_value(np.zeros(60))
    held[0].init_from_array(np.ones((3, 40)))
    fresh(draw)
    h = call(lambda: work.hidden(weights, np.zeros((1, 100), dtype=int), dropout))
    values = np.array(h.get("values", [0.0]) if isinstance(h, dict) else [0.0])
    values = values.reshape((60, -1), order="F")[:40]
    yield f"dropout {dropout}: the share that m and h leave", near(np.mean(values == 0), 0.05)
    yield f"dropout {dropout}: the size of what both leave", near(np.abs(values).max(), 1e-3)
    yield f"dropout {dropout}: each context has masks of its own", bool((values != values[:, :1]).any())


@exam("4.4", 1e-3)
def loss(work, draw):
    for sizes in SIZES:
        weights, collection, held = model(work, draw, *sizes)
        for lengths in draw.lengths(0, 5):
            sentences = draw.ids(lengths, sizes[0])
            inputs, targets, mask = make_batch(sentences, range(len(sentences)))[:3]
            targets = np.where(mask > 0, targets, draw.integer(0, sizes[0] - 1))
            fresh(draw)
            before, asked = graph(), f"(V, L, H, n) = {sizes}, lengths {lengths}"
            try:
                found = work.loss(weights, inputs, targets, mask, 0.0)
                yield f"the loss and its gradients, {asked}", [plain(found), gradients(found, *held)]
                yield "loss goes on in the same graph", graph() == before
            except Exception as error:
                yield f"the loss, {asked}", failed(error)
            yield f"log P, {asked}", call(work.log_probs, weights, inputs, targets, mask)
            yield "log P in a graph of its own", graph() == before
    yield from dropout(work, draw)


def dropout(work, draw):
    """The mean loss with dropout is another than without, and never the same twice."""
    weights, collection, held = model(work, draw, 6, 8, 12, 3)
    batch = make_batch(draw.ids([4] * 30, 6), range(30))[:3]
    found = []
    for rate in (0.5, 0.5, 0.0, 0.0):
        fresh(draw)
        value = call(lambda: work.loss(weights, *batch, rate).value())
        found.append(value if isinstance(value, float) else 0.0)
    yield "dropout 0.5 changes the loss from time to time; 0 does not", [found[0] != found[1], found[2] == found[3]]
    first, second = (call(work.log_probs, weights, *batch) for _ in range(2))
    yield "log P is always the same", first == second


@exam("4.5", 1e-3)
def classes(work, draw):
    for words, number, hidden, predictions in ((2, 1, 1, 1), (3, 3, 2, 4), (9, 3, 4, 1), (12, 4, 3, 7)):
        class_of = np.concatenate([np.arange(number), draw.integers(0, number - 1, words - number)])
        draw.numpy.shuffle(class_of)
        yield f"places, V = {words}, {number} classes", call(work.places_in_classes, class_of)
        sizes = np.bincount(class_of)
        arrays = [draw.array(number, hidden), draw.array(number), *(draw.array(size, hidden) for size in sizes)]
        collection, held = parameters(*arrays, *(draw.array(size) for size in sizes))
        weights = work.ClassWeights(class_of, held[0], held[1], held[2 : 2 + number], held[2 + number :])
        for targets in (draw.integers(0, words - 1, predictions), np.full(predictions, draw.integer(0, words - 1))):
            fresh(draw)
            h = draw.array(hidden, predictions)
            asked = f"V = {words}, {number} classes, N = {predictions}"
            yield (
                f"losses and gradients, {asked}",
                call(lambda: step(work.losses(weights, expression(h), targets), *held)),
            )
        fresh(draw)
        yield f"log P of all words, {asked}", call(lambda: work.distribution(weights, dy.inputVector(h[:, 0])))
    yield "the loss of a new batch", call(lambda: weighted(expression(h)).value())
