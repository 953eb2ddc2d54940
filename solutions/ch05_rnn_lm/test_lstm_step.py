"""Graders of lstm_step.py."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn.recurrent import LSTM, LSTMState
from common.text.batching import make_batch
from common.text.vocab import Vocabulary
from solutions.checks import check, close, finite_difference, task, train_until

MUTANTS = [
    ("5.3", "LSTMState(dy.cmult(o, dy.tanh(c)), c)", "LSTMState(dy.cmult(o, c), c)"),
    ("5.3", "LSTMState(dy.cmult(o, dy.tanh(c)), c)", "LSTMState(dy.cmult(o, dy.tanh(c)), dy.tanh(c))"),
    ("5.3", "LSTMState(dy.cmult(o, dy.tanh(c)), c)", "LSTMState(c, dy.cmult(o, dy.tanh(c)))"),
    ("5.3", "c = c + dy.cmult(f, state.cell)", "c = c + state.cell"),
    ("5.3", "c = c + dy.cmult(f, state.cell)", "c = c + dy.cmult(f, state.hidden)"),
    ("5.3", "c = c + dy.cmult(f, state.cell)", "c = dy.cmult(-f + 1, c) + dy.cmult(f, state.cell)"),
    ("5.3", "u = dy.tanh(", "u = dy.logistic("),
    ("5.3", "i = dy.logistic(dy.pick_range(z, 0, H))", "i = dy.logistic(dy.pick_range(z, H, 2 * H))"),
    ("5.3", "o = dy.logistic(dy.pick_range(z, 2 * H, 3 * H))", "o = dy.logistic(dy.pick_range(z, 3 * H, 4 * H))"),
    ("5.3", "z = z + layer.W_h * h", "z = z + layer.W_h.expr() * h"),
    ("5.3", "        z = z + layer.W_h * h\n", ""),
    ("5.3", "h = state.hidden if mask is None else dy.cmult(state.hidden, mask)", "h = state.hidden"),
    ("5.3", "dy.cmult(f, state.cell)", "dy.cmult(f, state.cell if mask is None else dy.cmult(state.cell, mask))"),
]

H = 2
W_H = np.array([[0.5, -1.0], [0.2, 0.3], [-0.4, 0.8], [1.0, 0.6], [0.7, -0.2], [-0.9, 0.1], [0.35, 1.2], [-0.6, 0.45]])
Z = np.array([0.4, -0.3, 1.1, 0.2, -0.7, 0.9, 0.6, -1.3])
STATE_H, STATE_C = np.array([0.5, -0.25]), np.array([1.5, -0.75])


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def cell_of(projected, h, c, W_h=W_H, mask=1.0):
    """The equations with plain NumPy, for columns: projected (4H, B), h and c (H, B)."""
    i, f, o, u = np.split(projected + W_h @ (mask * h), 4)
    c = sigmoid(i) * np.tanh(u) + sigmoid(f) * c
    return sigmoid(o) * np.tanh(c), c


def make_layer():
    """What the exercise may use of a layer; the collection must be kept."""
    collection = dy.ParameterCollection()
    W_h = collection.add_parameters(W_H.shape, init=dy.NumpyInitializer(W_H))
    return collection, SimpleNamespace(hidden_size=H, W_h=W_h)


def batch_of(array):
    """An array (R, B) as an expression (R,) x B."""
    return dy.reshape(dy.inputTensor(array.ravel(order="F")), (len(array),), array.shape[1])


def columns(expression):
    """The numbers of (R,) x B as an array (R, B)."""
    (rows,), batch = expression.dim()
    return np.reshape(expression.npvalue(), (rows, batch), order="F")


def agrees(found, expected, what):
    """Compare a state with arrays (H, B)."""
    check(isinstance(found, LSTMState), "the result is an LSTMState(hidden, cell)")
    for name, part, one in zip(("h_t", "c_t"), (found.hidden, found.cell), expected, strict=True):
        check(isinstance(part, dy.Expression), f"{name} is an expression, not its value")
        check(part.dim() == ((H,), one.shape[1]), f"{name} must be ({H},) x {one.shape[1]}, yours is {part.dim()}")
        close(columns(part), one, f"{name} {what}", tolerance=1e-5)


@task("5.3")
def test_the_first_step(work):
    collection, layer = make_layer()
    found = work.lstm_cell(layer, dy.inputVector(Z), None)
    c = np.array([[sigmoid(0.4) * np.tanh(0.6)], [sigmoid(-0.3) * np.tanh(-1.3)]])
    h = np.array([[sigmoid(-0.7)], [sigmoid(0.9)]]) * np.tanh(c)
    agrees(found, (h, c), "without a state before it: c_t = i * u, h_t = o * tanh(c_t)")


@task("5.3")
def test_a_step_by_hand(work):
    collection, layer = make_layer()
    state = LSTMState(dy.inputVector(STATE_H), dy.inputVector(STATE_C))
    found = work.lstm_cell(layer, dy.inputVector(Z), state)
    i, f, o, u = (0.9, -0.275), (0.7, 0.55), (-0.3, 0.425), (0.475, -1.7125)  # projected + W_h h
    c = [[sigmoid(i[n]) * np.tanh(u[n]) + sigmoid(f[n]) * (1.5, -0.75)[n]] for n in range(H)]
    h = [[sigmoid(o[n]) * np.tanh(c[n][0])] for n in range(H)]
    agrees(found, (np.array(h), np.array(c)), "after h = 0.5, -0.25 and c = 1.5, -0.75; which block is which gate?")


@task("5.3")
def test_a_batch_is_its_columns(work):
    collection, layer = make_layer()
    rng = np.random.default_rng(2)
    projected, h, c = rng.normal(size=(4 * H, 3)), rng.normal(size=(H, 3)), rng.normal(size=(H, 3))
    found = work.lstm_cell(layer, batch_of(projected), LSTMState(batch_of(h), batch_of(c)))
    agrees(found, cell_of(projected, h, c), "of three sentences side by side, each its own column")


@task("5.3")
def test_gates_at_their_extremes(work):
    collection, layer = make_layer()
    layer.W_h.set_value(np.zeros_like(W_H))
    zero, c = np.zeros((H, 1)), STATE_C[:, None]
    state = LSTMState(dy.inputVector(STATE_H), dy.inputVector(STATE_C))
    big = np.array([50.0, 50.0])

    def after(i, f, o):
        return work.lstm_cell(layer, dy.inputVector(np.concatenate([i * big, f * big, o * big, [0.3, -2.0]])), state)

    new = np.tanh([[0.3], [-2.0]])
    agrees(after(-1, 1, -1), (zero, c), "with the input gate shut, the forget gate open, the output gate shut")
    agrees(after(-1, -1, 1), (zero, zero), "with input and forget gate shut: nothing enters, nothing stays")
    agrees(after(1, -1, 1), (np.tanh(new), new), "with input and output gate open, the forget gate shut")
    agrees(
        after(1, 1, 1), (np.tanh(new + c), new + c), "with all gates open: what is new comes on top of what was there"
    )


@task("5.3")
def test_the_mask(work):
    collection, layer = make_layer()
    state = LSTMState(dy.inputVector(STATE_H), dy.inputVector(STATE_C))
    mask = np.array([2.0, 0.0])
    found = work.lstm_cell(layer, dy.inputVector(Z), state, dy.inputVector(mask))
    expected = cell_of(Z[:, None], STATE_H[:, None], STATE_C[:, None], mask=mask[:, None])
    agrees(found, expected, "with the mask 2, 0: only what is multiplied with W_h is masked")
    work.lstm_cell(layer, dy.inputVector(Z), None, dy.inputVector(mask))


@task("5.3")
def test_gradients_against_finite_differences(work):
    collection, layer = make_layer()
    inputs, W_h = np.random.default_rng(5).normal(size=(3, 4 * H, 2)), W_H.copy()

    def loss_of():
        h, c = np.zeros((H, 2)), np.zeros((H, 2))
        for projected in inputs:
            h, c = cell_of(projected, h, c, W_h)
        return float((h**2).sum())

    state = None
    for projected in inputs:
        state = work.lstm_cell(layer, batch_of(projected), state)
    loss = dy.sum_batches(dy.sum_elems(dy.square(state.hidden)))
    loss.value()
    loss.backward()
    message = "the gradient of W_h through three steps: use the parameter itself"
    close(layer.W_h.grad_as_array(), finite_difference(loss_of, W_h), message, tolerance=1e-3)


SENTENCES = [[2, 5, 3, 4, 3], [4, 3]]


def language_model(work, hidden_size):
    """Chapter 5's model, with the exercise's cell in its layer."""
    from chapters.rnn_lm.model import RecurrentLM

    model = RecurrentLM(Vocabulary(f"w{number}" for number in range(2, 6)), hidden_size=hidden_size, init_scale=0.5)
    (layer,) = model.stack.layers
    layer.cell = lambda projected, state, mask=None: work.lstm_cell(layer, projected, state, mask)
    return model, layer


@task("5.3")
def test_the_chapter_agrees(work):
    model, layer = language_model(work, 3)
    batch = make_batch(SENTENCES, range(2))
    found = model.log_probs(batch)
    layer.cell = LSTM.cell.__get__(layer)
    close(found, model.log_probs(batch), "log P of two sentences with your cell in chapter 5's model", tolerance=1e-5)


@task("5.3")
def test_two_sentences_are_learnt_by_heart(work):
    model, layer = language_model(work, 8)
    trainer, batch = dy.AdamTrainer(model.collection, alpha=0.05), make_batch(SENTENCES, range(2))

    def step():
        dy.renew_cg()
        loss, _ = model.loss(batch)
        loss.backward()
        trainer.update()
        return loss.value()

    train_until(lambda loss: loss < 2.0, step, model.collection, 300, "two sentences by heart")
