"""Graders of network.py."""

import numpy as np

from common.nn.arrays import input_batch
from common.text.batching import make_batch, pad
from solutions.checks import check, close, distribution, numbers, plain, task
from solutions.grading.exam import parameters

L, H, V_F, V = 2, 3, 5, 6
SHAPES = ((V_F, L), (H, L), (H, H), (H,), (V, L), (H, L), (H, H), (H,), (V, H), (V,))
SOURCES = [[2, 4, 3], [4], [3, 2], [2, 2, 4]]
STATES = np.random.default_rng(9).normal(0, 0.7, (H, 2))


def make_weights(work, **others):
    """Random `Weights`, but for those that are given; the collection must be kept."""
    rng = np.random.default_rng(3)
    values = [rng.normal(0, 0.8, shape) for shape in SHAPES]
    values = [others.get(name, value) for name, value in zip(work.Weights._fields, values, strict=True)]
    collection, params = parameters(*values)
    return collection, work.Weights(*params)


def encode(work, weights, sources, backward):
    """The encoded sentences (H, B); what stands in the padding is a word, so that one sees who reads it."""
    ids, mask = pad(sources)
    label = f"sentences of {[len(source) for source in sources]} words"
    return numbers(work.encode(weights, np.where(mask > 0, ids, 1), mask, backward), (H, len(sources)), label)


@task("7.3")
def test_two_words_by_hand(work):
    M = np.random.default_rng(3).normal(0, 0.8, (V_F, L))
    M[2:4] = [1.0, -0.5], [2.0, 0.25]
    collection, weights = make_weights(
        work,
        M_f=M,
        W_f=np.array([[0.5, -1.0], [2.0, 0.25], [0.0, 1.5]]),
        U_f=np.array([[0.1, 0.7, -0.3], [-0.6, 0.2, 0.4], [0.9, -0.8, 0.05]]),
        b_f=np.array([0.1, -0.2, 0.3]),
    )
    a, b, c = first = np.tanh([0.5 + 0.5 + 0.1, 2.0 - 0.125 - 0.2, -0.75 + 0.3])
    x = [1.0 - 0.25 + 0.1, 4.0 + 0.0625 - 0.2, 0.375 + 0.3]
    second = np.tanh(
        [x[0] + 0.1 * a + 0.7 * b - 0.3 * c, x[1] - 0.6 * a + 0.2 * b + 0.4 * c, x[2] + 0.9 * a - 0.8 * b + 0.05 * c]
    )
    label = "the words with embeddings (1, -0.5) and (2, 0.25)"
    close(encode(work, weights, [[2]], False)[:, 0], first, "a sentence of one word", tolerance=1e-5)
    close(encode(work, weights, [[2, 3]], False)[:, 0], second, f"{label}, read in this order", tolerance=1e-5)
    message = f"{label} the other way round, read backward"
    close(encode(work, weights, [[3, 2]], True)[:, 0], second, message, tolerance=1e-5)


@task("7.3")
def test_sentences_of_different_lengths(work):
    collection, weights = make_weights(work)
    for backward, direction in ((False, "from left to right"), (True, "from the last word to the first")):
        encoded = encode(work, weights, SOURCES, backward)
        for column, source in enumerate(SOURCES):
            message = f"sentences of 3, 1, 2 and 3 words {direction}: number {column + 1} must be what it is alone"
            alone = encode(work, weights, [source], backward)[:, 0]
            close(encoded[:, column], alone, f"{message}; padding must change nothing", tolerance=1e-5)


@task("7.4")
def test_one_step_at_a_time(work):
    collection, weights = make_weights(work)
    h = input_batch(STATES)
    for step, words in enumerate([[0, 0], [2, 4], [5, 4]]):
        label = f"step {step + 1} of 2 rows"
        h, log_p = work.advance(weights, h, words)
        log_p = np.asarray(plain(log_p, "log P(next word) is an array of numbers"))
        check(log_p.shape == (2, V), f"{label}: log P(next word) must be (2, {V}), yours is {log_p.shape}")
        distribution(np.exp(log_p.T), f"{label}: exp(log P) of the next word", V)
        numbers(h, (H, 2), f"{label}: h_t, in which the next step begins")


@task("7.4")
def test_the_loss_of_sentences(work):
    """Of the reference's words, not of the model's: where 3 is nearly certain, 2, 5 and 4 are read all the same."""
    for bias, label in ((np.zeros(V), ""), (np.array([0, 0, 0, 9.0, 0, 0]), ", where the model prefers another word")):
        collection, weights = make_weights(work, b_s=bias)
        expected, targets = 0.0, [[2, 5, 4], []]
        for column, target in enumerate(targets):
            h = input_batch(STATES[:, column : column + 1])
            for read, word in zip([0, *target], [*target, 0], strict=True):
                h, log_p = work.advance(weights, h, [read])
                expected -= plain(log_p, "log P")[0, word]
        loss = work.loss(weights, input_batch(STATES), make_batch(targets, [0, 1]))
        message = f"the loss of `2 5 4` and of an empty sentence{label}: -log P of each word and of each </s> by your"
        message += " own advance, which reads the reference's own word before"
        close(numbers(loss, (1, 1), "the loss of a batch").item(), expected, message, tolerance=1e-4)
