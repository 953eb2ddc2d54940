"""Graders of cache.py."""

import numpy as np

from common.nn.arrays import input_batch
from solutions.ch11_transformer.exams import model
from solutions.checks import check, close, distribution, numbers, plain, task
from solutions.grading.exam import Draw

V, H, HEADS, BLOCKS = 6, 4, 2, 2
INPUTS = np.array([[0, 2, 5, 3, 4], [0, 4, 2, 2, 3]]).T


def log_probs(work, weights, inputs):
    """log P(next word) of a batch as an array (V, T, B), from the student's logits."""
    time, batch = inputs.shape
    logits = numbers(work.logits(weights, inputs), (V, time * batch), f"the logits of {time} steps, {batch} sentences")
    check(np.isfinite(logits).all(), "every logit must be a finite number")
    return np.reshape(logits - np.log(np.exp(logits).sum(axis=0)), (V, time, batch), order="F")


@task("11.6")
def test_the_future_cannot_change_the_past(work):
    weights, _, collections = model(work, Draw("by hand"), V, H, HEADS, BLOCKS)
    other = INPUTS.copy()
    other[3] = [5, 1]
    change = np.abs(log_probs(work, weights, other) - log_probs(work, weights, INPUTS)).max(axis=(0, 2)) > 1e-5
    early = "where the fourth input changes, steps 1 to 3 must stay as they are; is the causal mask in every block?"
    check(not change[:3].any(), early)
    check(change[3:].all(), "where the fourth input changes, steps 4 and 5 must change")


@task("11.6")
def test_order_matters(work):
    weights, _, collections = model(work, Draw("by hand"), V, H, HEADS, BLOCKS)
    single = weights._replace(blocks=weights.blocks[:1])  # a second block infers some order from the causal mask
    last = [log_probs(work, single, np.array([sentence]).T)[:, -1] for sentence in ([0, 2, 5, 3], [0, 5, 2, 3])]
    check(
        np.abs(last[0] - last[1]).max() > 1e-4, "`2 5 3` and `5 2 3` must differ: does each position get its encoding?"
    )


@task("11.6")
def test_the_cache_grows_by_one(work):
    weights, _, collections = model(work, Draw("by hand"), V, H, HEADS, BLOCKS)
    x, past = input_batch(np.random.default_rng(8).normal(size=(H, 2))), None
    for step in (1, 2, 3):
        x, new_past = work.next_position(weights.blocks[0], x, past)
        for name in ("keys", "values"):
            label = f"the {name} after {step} position(s) of 2 sentences"
            columns = numbers(getattr(new_past, name), (H, step, 2), label)
            if past is not None:
                before = numbers(getattr(past, name), (H, step - 1, 2), label)
                close(columns[:, :-1], before, f"{label}: those of earlier positions stay in front, as they were")
        past = new_past


@task("11.6")
def test_one_step_at_a_time(work):
    weights, _, collections = model(work, Draw("by hand"), V, H, HEADS, BLOCKS)
    expected, cache = log_probs(work, weights, INPUTS), [None] * BLOCKS
    for step, words in enumerate(INPUTS):
        cache, log_p = work.advance(weights, cache, words.tolist())
        log_p = np.asarray(plain(log_p, "log P(next word) is an array of numbers"))
        label = f"step {step + 1}"
        check(log_p.shape == (2, V), f"{label}: log P of 2 sentences must be (2, {V}), yours is {log_p.shape}")
        distribution(np.exp(log_p.T), f"{label}: exp(log P) of the next word", V)
        message = f"{label} of two sentences: log P(next word), as your logits have it"
        close(log_p.T, expected[:, step], message, tolerance=1e-3)
