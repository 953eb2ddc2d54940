"""Exams of chapter 2."""

import numpy as np

from solutions.grading.exam import call, exam


@exam("2.1", 1e-6)
def questions(work, draw):
    for _ in range(4):
        size, distances = draw.integer(1, 5000), draw.integer(1, 5)
        yield f"parameters, V = {size}, {distances} distances", call(work.how_many_parameters, size, distances)
        yield f"those that move, V = {size}, {distances} distances", call(work.how_many_move, size, distances)
        yield f"the loss of a beginner, V = {size}", call(work.loss_of_a_beginner, size)
    yield "five more", str(call(work.five_more)).strip().lower()


@exam("2.2", 1e-6)
def features(work, draw):
    for length in (3, 2, 7, 20, 1, 0):
        for distances in (1, 2, 4):
            size = draw.integer(3, 9)
            before = [draw.integer(1, size - 1) for _ in range(length)]
            case = f"{length} words, {distances} distances"
            yield case, call(work.previous_words, before, distances)
            yield f"features of {case}", call(work.active_features, before, distances, size)
            yield f"features of {case}, as a tuple", call(work.active_features, tuple(before), distances, size)


@exam("2.3", 1e-6)
def softmax(work, draw):
    for words in (3, 7, 1):
        W, b = draw.array(9, words), draw.array(words)
        for number in (2, 0, 4):
            active = {j: draw.number() for j in draw.distinct(0, 8, number)}
            yield f"{number} active features, V = {words}", call(work.scores, W, b, active)
        W[[j for j in range(9) if j not in active]] = np.nan
        yield "scores, where rows of W that are not active may not be read", call(work.scores, W, b, active)
        for positions in (3, 6, 1):
            scores = draw.array(positions, words, scale=3)
            yield f"log p, N = {positions}, V = {words}", call(work.log_softmax, scores)
            for far in (1e3, -1e3, 1e6):
                spread = scores + far * draw.integers(0, 1, (positions, words))
                yield f"log p of scores about {far:g} apart", call(work.log_softmax, spread)
            targets = draw.integers(0, words - 1, positions)
            yield f"the loss of {positions} positions", call(work.loss, -np.abs(scores), targets)


@exam("2.4", 1e-6)
def gradient(work, draw):
    for positions, words, number in ((4, 3, 6), (6, 7, 5), (1, 5, 8), (1, 2, 3)):
        active = [
            {j: draw.number() for j in draw.distinct(0, number - 1, draw.integer(0, 3))} for _ in range(positions)
        ]
        p, targets = draw.distribution(positions, words), draw.integers(0, words - 1, positions)
        yield f"N = {positions}, V = {words}, F = {number}", call(work.gradients, active, p, targets, number)
        same = np.full(positions, targets[0])
        yield "the same target everywhere", call(work.gradients, active, p, same, number)


def slopes(values, batch):
    return [np.sin(values[0]) + batch, values[1] + batch[0]]


@exam("2.5", 1e-6)
def descent(work, draw):
    for shapes in ([(2,)], [(1, 3), (3,)], [(2, 3), (3,), (1, 1)]):
        parameters, gradients = ([draw.array(*shape, scale=scale) for shape in shapes] for scale in (1, 9))
        arrays, rate = list(parameters), draw.number(0.01, 1)
        yield "a step", call(lambda: [work.sgd_step(parameters, gradients, rate), True][1])
        yield "the arrays after a step, and the gradients", [*arrays, *gradients]
    for epochs, better in ((1, [3]), (4, [3, 1, 2, 1]), (5, [5, 4, 3, 2, 1]), (3, [1, 2, 3])):
        parameters, seen = [draw.array(2, 3), draw.array(3)], {}
        arrays, batches = list(parameters), [draw.array(2, 3) for _ in range(3)]
        losses, after, values = [1 + loss / 999 for loss in better], [], parameters
        for _ in range(epochs):
            for batch in batches:
                values = [value - 0.3 * slope for value, slope in zip(values, slopes(values, batch), strict=True)]
            after.append(values)

        def gradients_of(batch):
            """It may be asked again with the same parameters."""
            seen[(float(batch[0, 0]), *(float(array.sum()) for array in arrays))] = True
            return slopes(arrays, batch)

        def dev_loss():
            """With parameters that none of the epochs ends with, it is lower than all others."""
            near = [loss for loss, values in zip(losses, after, strict=True) if all(map(np.allclose, arrays, values))]
            return near[0] if near else 0.5

        result = call(lambda: work.train(parameters, batches, gradients_of, dev_loss, 0.3, epochs))
        yield f"the parameters that are kept of dev losses {better}", arrays
        yield "what was visited", list(seen)
        yield f"dev losses {better}", result


@exam("2.6", 1e-6)
def adam(work, draw):
    for number, words in ((1, 2), (5, 3), (7, 1)):
        W, mean, square = draw.array(number, words), np.zeros((number, words)), np.zeros((number, words))
        steps, arrays = np.zeros(number, dtype=int), (W, mean, square)
        for some in (1, number, min(3, number), 1):
            rows = np.array(draw.distinct(0, number - 1, some))
            gradient = draw.array(some, words, scale=2)
            before = (rows.copy(), gradient.copy())
            options = {} if some == 1 else {"beta1": draw.number(0.1, 0.95), "beta2": draw.number(0.9, 0.99)}
            rate = draw.number(0.01, 0.5)
            call(lambda: work.adam_step(W, mean, square, steps, rows, gradient, rate, **options))
            case = f"rows that move: {some} of {number}"
            yield case, [*arrays, steps]
            result = [bool((rows == before[0]).all()), bool((gradient == before[1]).all())]
            yield f"{case}, and the rows and gradients stay", result
    W = np.ones((1, 2))
    state = [np.zeros((1, 2)), np.zeros((1, 2)), np.zeros(1, dtype=int)]
    call(lambda: work.adam_step(W, *state, np.array([0]), np.full((1, 2), 1e-6), 0.1, epsilon=1e-3))
    yield "a large epsilon", W
