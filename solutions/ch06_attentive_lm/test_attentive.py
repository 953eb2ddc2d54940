"""Graders of attentive.py."""

import numpy as np

from common.nn.recurrent import LSTM
from common.text.batching import make_batch
from solutions.checks import check, close, distribution, numbers, plain, task
from solutions.grading.exam import parameters

V, H = 6, 3
SHAPES = ((V, H), (1, H), (H, H), (H, H), (H, 2 * H), (H,), (V,))
INPUTS = np.array([[0, 2, 5, 3, 4], [0, 4, 2, 2, 3]]).T


def make_weights(work, score):
    """Random `Weights`; the collection must be kept."""
    rng = np.random.default_rng(3)
    collection, others = parameters(*(rng.normal(size=shape) for shape in SHAPES))
    lstm = LSTM(collection, H, H, 0.1)
    for parameter in (lstm.W_x, lstm.W_h, lstm.b):
        parameter.set_value(rng.normal(size=parameter.shape()))
    weights = work.Weights(lstm, *others)
    return collection, weights if score == "combined" else weights._replace(W_q=None)


def log_probs(work, weights, inputs):
    """log P(next word) of a batch as an array (V, T, B), from the student's logits."""
    time, batch = inputs.shape
    logits = numbers(work.logits(weights, inputs), (V, time * batch), f"the logits of {time} steps, {batch} sentences")
    check(np.isfinite(logits).all(), "every logit must be a finite number, at the first step too")
    return np.reshape(logits - np.log(np.exp(logits).sum(axis=0)), (V, time, batch), order="F")


@task("6.6")
def test_the_future_cannot_change_the_past(work):
    for score in ("single", "combined"):
        collection, weights = make_weights(work, score)
        other = INPUTS.copy()
        other[3] = [5, 1]
        change = np.abs(log_probs(work, weights, other) - log_probs(work, weights, INPUTS)).max(axis=(0, 2)) > 1e-6
        early = f"{score}: where the fourth input changes, steps 1 to 3 must stay as they are; does one attend ahead?"
        check(not change[:3].any(), early)
        check(change[3:].all(), f"{score}: where the fourth input changes, steps 4 and 5 must change")


@task("6.6")
def test_the_loss_by_hand(work):
    for score in ("single", "combined"):
        collection, weights = make_weights(work, score)
        log_p = log_probs(work, weights, np.array([[0, 2, 5, 3]]).T)[:, :, 0]
        expected = -(log_p[2, 0] + log_p[5, 1] + log_p[3, 2] + log_p[0, 3])
        loss = numbers(work.loss(weights, make_batch([[2, 5, 3]], [0])), (1, 1), "the loss of a batch")
        message = f"{score}, the loss of `2 5 3`: -log P of its three words and of </s>, in nats, added up"
        close(loss.item(), expected, message, tolerance=1e-4)


@task("6.6")
def test_one_step_at_a_time(work):
    for score in ("single", "combined"):
        collection, weights = make_weights(work, score)
        expected, state = log_probs(work, weights, INPUTS), work.State(None, [])
        for step, words in enumerate(INPUTS):
            state, log_p = work.advance(weights, state, words.tolist())
            log_p = np.asarray(plain(log_p, "log P(next word) is an array of numbers"))
            label = f"{score}, step {step + 1}"
            check(log_p.shape == (2, V), f"{label}: log P of 2 sentences must be (2, {V}), yours is {log_p.shape}")
            distribution(np.exp(log_p.T), f"{label}: exp(log P) of the next word", V)
            message = f"{label} of two sentences: log P(next word), as your logits have it"
            close(log_p.T, expected[:, step], message, tolerance=1e-4)
            message = f"{label}: afterwards the memory must hold {step + 1} state(s), yours holds {len(state.memory)}"
            check(len(state.memory) == step + 1, message)
