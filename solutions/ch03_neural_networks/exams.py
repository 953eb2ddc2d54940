"""Exams of chapter 3."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from solutions.grading.exam import call, exam, failed, fresh, graph, parameters, plain

SIZES = ((2, 3, 4), (3, 2, 1), (2, 2, 2), (5, 4, 7), (1, 1, 1))
"""Inputs, hidden size, examples."""


@exam("3.1", 1e-6)
def questions(work, draw):
    yield "most points right", call(work.most_points_right)
    yield "the smallest squared error", call(work.smallest_squared_error)
    yield "why not all", str(call(work.why_not_all)).strip().lower()
    for _ in range(5):
        sizes = draw.integer(1, 20), draw.integer(1, 20), draw.integer(1, 5)
        yield f"parameters, (inputs, hidden size, layers) = {sizes}", call(work.how_many_parameters, *sizes)


def network(draw, inputs, hidden):
    return draw.array(hidden, inputs), draw.array(hidden, 1), draw.array(1, hidden), draw.array(1, 1)


@exam("3.2", 1e-6)
def forward(work, draw):
    for inputs, hidden, batch in SIZES:
        x = draw.array(inputs, batch)
        yield f"relu ({inputs}, {batch})", call(work.relu, x)
        yield "relu of zero, and of large numbers", call(work.relu, np.array([[0.0, -0.0, 1e300, -1e300]]))
        yield f"h and y, I = {inputs}, H = {hidden}, B = {batch}", call(work.forward, *network(draw, inputs, hidden), x)
        result = call(work.forward, *network(draw, inputs, hidden), x * 1e4)
        yield f"h and y of large inputs, I = {inputs}, H = {hidden}, B = {batch}", result
        y, targets = draw.array(1, batch), draw.array(1, batch)
        yield f"the loss of {batch} examples", call(work.squared_error, targets, y)


@exam("3.3", 1e-6)
def by_hand(work, draw):
    points = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, -1.0, -1.0, 1.0]])

    def outputs():
        W_xh, b_h, w_hy, b_y = (np.asarray(array, dtype=float) for array in work.equality_with_two_relu_units())
        return w_hy @ np.maximum(W_xh @ points + b_h, 0) + b_y

    yield "the shapes", call(lambda: [list(np.shape(array)) for array in work.equality_with_two_relu_units()])
    yield "what the network says for the four points", call(outputs)


@exam("3.4", 1e-6)
def backward(work, draw):
    for inputs, hidden, batch in SIZES:
        result = call(work.tanh_derivative, np.tanh(draw.array(hidden, batch)))
        yield f"the derivative of tanh ({hidden}, {batch})", result
        x, targets = draw.array(inputs, batch), draw.array(1, batch, scale=3)
        result = call(work.gradients, *network(draw, inputs, hidden), x, targets)
        yield f"loss and derivatives, I = {inputs}, H = {hidden}, B = {batch}", result


@exam("3.5", 1e-3)
def in_dynet(work, draw):
    for inputs, hidden, batch in SIZES:
        case = f"I = {inputs}, H = {hidden}, B = {batch}"
        W_xh, b_h, w_hy, b_y = network(draw, inputs, hidden)
        collection, params = parameters(W_xh, b_h[:, 0], w_hy, b_y[:, 0])
        trainer = dy.SimpleSGDTrainer(collection, 0.05)
        x, targets = draw.array(inputs, batch), draw.array(1, batch)
        for number in range(3):
            fresh(draw)
            before, copies = graph(), (x.copy(), targets.copy())
            try:
                y = work.output(*params, x)
                loss = work.loss(y, targets)
                yield f"y and the loss, {case}", [plain(y), plain(loss)]
                yield f"the graph goes on, and inputs stay, {case}", [graph() == before, same(copies, (x, targets))]
                yield f"the loss before step {number + 1}, {case}", plain(work.train_step(trainer, loss))
            except Exception as error:
                yield case, failed(error)
            yield f"the parameters after step {number + 1}, {case}", [plain(param.as_array()) for param in params]
    fresh(draw)
    numbers = draw.array(1, 1, 3)
    yield "the loss of other outputs", call(lambda: work.loss(input_batch(numbers), draw.array(1, 3)))


def same(ones, others):
    return all(np.array_equal(array, copy) for array, copy in zip(ones, others, strict=True))
