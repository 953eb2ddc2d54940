"""Graders of decoder.py."""

import numpy as np

from common.nn.arrays import input_batch
from common.nn.recurrent import HiddenState
from common.text.batching import make_batch
from solutions.ch08_attention.exams import model
from solutions.checks import check, close, equal, numbers, task
from solutions.grading.exam import Draw

H, V = 2, 4
LENGTHS = [2, 4, 1]
ANNOTATIONS, FIRST = np.random.default_rng(3).normal(size=(H, 4, 3)), np.random.default_rng(4).normal(size=(H, 3))


def source_of(work, *columns, more=0.0):
    """Some of three sources, of 2, 4 and 1 words; their padding holds numbers, too."""
    lengths, columns = np.array([LENGTHS[column] for column in columns]), list(columns)
    layers = [HiddenState(input_batch(sign * FIRST[:, columns])) for sign in (1, -1)]
    return work.Source(input_batch(ANNOTATIONS[:, : lengths.max(), columns] + more), lengths, layers)


def decode(work, weights, source, inputs, label):
    """The logits (V, T, B) and the attention (S, T, B)."""
    (time, batch), (_, words) = inputs.shape, source.annotations.dim()[0]
    log_p = work.decode(weights, source, inputs)
    check(isinstance(log_p, (list, tuple)) and len(log_p) == 2, "decode gives two things: the logits and the attention")
    logits = numbers(log_p[0], (V, time * batch), f"{label}: the arguments of the softmax")
    attention = numbers(log_p[1], (words, time, batch), f"{label}: the attention")
    return np.reshape(logits, (V, time, batch), order="F"), attention


@task("8.7")
def test_a_batch_is_its_sentences(work):
    weights, collection, _ = model(work, Draw("by hand"), H, V)
    inputs = np.array([[0, 0, 0], [2, 3, 1], [1, 2, 2]])
    logits, attention = decode(work, weights, source_of(work, 0, 1, 2), inputs, "three sources")
    for b, length in enumerate(LENGTHS):
        label = f"sources of {LENGTHS} words, sentence {b + 1}"
        check(np.abs(attention[length:, :, b]).sum() < 1e-6, f"{label}: padding may not be attended to")
        alone = decode(work, weights, source_of(work, b), inputs[:, b : b + 1], "one source")
        close(
            attention[:length, :, b], alone[1][:, :, 0], f"{label}: its weights must be those that it has alone", 1e-4
        )
        close(logits[:, :, b], alone[0][:, :, 0], f"{label}: its logits must be those that it has alone", 1e-4)


@task("8.7")
def test_the_source_is_read(work):
    weights, collection, _ = model(work, Draw("by hand"), H, V)
    sources, inputs = [source_of(work, 1, more=more) for more in (0.0, 0.5)], np.array([[0], [2]])
    before, after = (decode(work, weights, source, inputs, "one source")[0] for source in sources)
    message = "another source with the same first state must change the prediction of every step; is the context used?"
    check((np.abs(after - before).max(axis=(0, 2)) > 1e-4).all(), message)


@task("8.7")
def test_loss_of_a_batch_is_that_of_its_pairs(work):
    weights, collection, _ = model(work, Draw("by hand"), H, V)
    targets, expected = [[2, 3, 1], [], [3]], 0.0
    for b, target in enumerate(targets):
        logits, _ = decode(work, weights, source_of(work, b), np.array([[0, *target]]).T, "one source")
        log_probs = logits[:, :, 0] - np.log(np.exp(logits[:, :, 0]).sum(axis=0))
        expected -= sum(log_probs[word, t] for t, word in enumerate([*target, 0]))
    loss = work.loss(weights, source_of(work, 0, 1, 2), make_batch(targets, [0, 1, 2]))
    message = "pairs of unequal lengths: the sum of -log P of each word and each </s>, nothing of padding, and no mean"
    close(numbers(loss, (1, 1), "the loss of a batch").item(), expected, message, tolerance=1e-4)


@task("8.7")
def test_the_end_of_greedy_search(work):
    for best, expected, steps, label in (
        (0, [], 1, "</s> is the best word at once: it ends the translation, and is none of its words"),
        (3, [3, 3, 3], 3, "</s> never is the best word: it ends after `most` = 3 words"),
    ):
        weights, collection, _ = model(work, Draw("by hand"), H, V)
        weights.b_s.set_value(50.0 * (np.arange(V) == best))
        ids, attention = work.translate(weights, source_of(work, 0), 3)
        equal(ids, expected, label)
        equal(np.shape(attention), (steps, 2), f"{label}; the attention has a row for each step that was made")
