"""Graders of attentive.py."""

import numpy as np

from common.text.batching import make_batch
from solutions.ch06_attentive_lm.exams import model
from solutions.checks import check, close, distribution, numbers, plain, task
from solutions.grading.exam import Draw

V, H = 6, 3
INPUTS = np.array([[0, 2, 5, 3, 4], [0, 4, 2, 2, 3]]).T


def log_probs(work, weights, inputs):
    """log P(next word) of a batch as an array (V, T, B), from the student's logits."""
    time, batch = inputs.shape
    logits = numbers(work.logits(weights, inputs), (V, time * batch), f"the logits of {time} steps, {batch} sentences")
    check(np.isfinite(logits).all(), "every logit must be a finite number, at the first step too")
    return np.reshape(logits - np.log(np.exp(logits).sum(axis=0)), (V, time, batch), order="F")


@task("6.6")
def test_the_future_cannot_change_the_past(work):
    for score in ("single", "combined"):
        weights, collection, _ = model(work, Draw("by hand"), V, H, score == "single")
        other = INPUTS.copy()
        other[3] = [5, 1]
        change = np.abs(log_probs(work, weights, other) - log_probs(work, weights, INPUTS)).max(axis=(0, 2)) > 1e-6
        early = f"{score}: where the fourth input changes, steps 1 to 3 must stay as they are; does one attend ahead?"
        check(not change[:3].any(), early)
        check(change[3:].all(), f"{score}: where the fourth input changes, steps 4 and 5 must change")


@task("6.6")
def test_the_loss_by_hand(work):
    for score in ("single", "combined"):
        weights, collection, _ = model(work, Draw("by hand"), V, H, score == "single")
        log_p = log_probs(work, weights, np.array([[0, 2, 5, 3]]).T)[:, :, 0]
        expected = -(log_p[2, 0] + log_p[5, 1] + log_p[3, 2] + log_p[0, 3])
        loss = numbers(work.loss(weights, make_batch([[2, 5, 3]], [0])), (1, 1), "the loss of a batch")
        message = f"{score}, the loss of `2 5 3`: -log P of its three words and of </s>, in nats, added up"
        close(loss.item(), expected, message, tolerance=1e-4)


@task("6.6")
def test_one_step_at_a_time(work):
    for score in ("single", "combined"):
        weights, collection, _ = model(work, Draw("by hand"), V, H, score == "single")
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
