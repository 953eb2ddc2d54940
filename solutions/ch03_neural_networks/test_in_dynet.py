"""Graders of in_dynet.py."""

import dynet as dy
import numpy as np

from solutions.checks import check, close, task, train_until

MUTANTS = [
    ("3.5", "h = dy.tanh(", "h = dy.rectify("),
    ("3.5", "batched=True) + b_h)", "batched=True))"),
    ("3.5", "return w_hy * h + b_y", "return dy.tanh(w_hy * h + b_y)"),
    ("3.5", "return w_hy * h + b_y", "return w_hy.expr() * h + b_y"),
    ("3.5", "dy.sum_batches(", "dy.mean_batches("),
    ("3.5", "dy.squared_distance(", "dy.l1_distance("),
    ("3.5", "    trainer.update()\n", ""),
    ("3.5", "    return before", "    return batch_loss.value(recalculate=True)"),
]

NAMES = ("W_xh", "b_h", "w_hy", "b_y")
SHAPES = [(3, 2), (3, 1), (1, 3), (1, 1)]


def example(batch):
    """Parameters with 3 units and 2 inputs as NumPy arrays, x and targets."""
    rng = np.random.default_rng(5)
    return [rng.normal(0, 0.8, shape) for shape in [*SHAPES, (2, batch), (1, batch)]]


def in_dynet(arrays):
    """The same as parameters of DyNet; the collection must be kept."""
    collection = dy.ParameterCollection()
    parameters = []
    for one, shape in zip(arrays, [(3, 2), (3,), (1, 3), (1,)], strict=False):
        parameters.append(collection.add_parameters(shape, init=dy.NumpyInitializer(one.reshape(shape))))
    return collection, parameters


def gradients_of(arrays):
    """Loss and derivatives from chapter 3's network in NumPy."""
    from chapters.neural_networks.model import MLP

    return MLP(arrays[:4], "tanh").gradients(*arrays[4:])


@task("3.5")
def test_the_output(work):
    for batch in (1, 4):
        dy.renew_cg()
        arrays = example(batch)
        collection, parameters = in_dynet(arrays)
        W_xh, b_h, w_hy, b_y, x, _ = arrays
        y = work.output(*parameters, x)
        check(isinstance(y, dy.Expression), "the output is an expression, not its value")
        check(y.dim()[1] == batch and y.npvalue().size == batch, f"y must be (1, 1) x {batch}, yours is {y.dim()}")
        found = np.reshape(y.npvalue(), (1, batch))
        close(found, w_hy @ np.tanh(W_xh @ x + b_h) + b_y, f"y of a batch of {batch}", tolerance=1e-5)


@task("3.5")
def test_the_loss(work):
    y = dy.inputTensor(np.array([[[0.5, 2.0, 1.0]]]), batched=True)
    found = work.loss(y, np.array([[1.0, -1.0, 1.0]]))
    check(isinstance(found, dy.Expression), "the loss is an expression, not its value")
    check(found.dim()[1] == 1, "the loss is one number for the whole batch")
    close(found.value(), 9.25, "the sum of the squared differences of (1, -1, 1) and (0.5, 2, 1)", tolerance=1e-5)


@task("3.5")
def test_every_parameter_gets_its_gradient(work):
    arrays = example(4)
    collection, parameters = in_dynet(arrays)
    batch_loss = work.loss(work.output(*parameters, arrays[4]), arrays[5])
    batch_loss.value()
    batch_loss.backward()
    for name, parameter, expected in zip(NAMES, parameters, gradients_of(arrays)[1], strict=True):
        found = parameter.grad_as_array().reshape(expected.shape)
        close(found, expected, f"d loss / d {name}: use the parameter itself in the formula", tolerance=1e-4)


@task("3.5")
def test_a_step(work):
    arrays = example(4)
    collection, parameters = in_dynet(arrays)
    trainer = dy.SimpleSGDTrainer(collection, learning_rate=0.01)
    trainer.set_clip_threshold(0)
    expected_loss, expected = gradients_of(arrays)
    batch_loss = work.loss(work.output(*parameters, arrays[4]), arrays[5])
    close(work.train_step(trainer, batch_loss), expected_loss, "the loss before the step", tolerance=1e-4)
    for name, parameter, before, gradient in zip(NAMES, parameters, arrays, expected, strict=False):
        message = f"{name} after one step with a learning rate of 0.01"
        close(parameter.as_array().reshape(before.shape), before - 0.01 * gradient, message, tolerance=1e-5)


@task("3.5")
def test_it_learns_equality(work):
    x = np.array([[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]])
    targets = x[:1] * x[1:]
    collection = dy.ParameterCollection()
    uniform = dy.UniformInitializer(0.7)
    parameters = [collection.add_parameters(shape, init=uniform) for shape in ((8, 2), 8, (1, 8), 1)]
    trainer = dy.SimpleSGDTrainer(collection, learning_rate=0.05)

    def step():
        dy.renew_cg()
        return work.train_step(trainer, work.loss(work.output(*parameters, x), targets))

    train_until(lambda loss: loss < 0.05, step, collection, 200, "equality")
