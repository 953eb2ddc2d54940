"""Graders of whole_step.py."""

import numpy as np

from common.nn.arrays import input_batch
from common.nn.recurrent import HiddenState
from common.nn.source_attention import padding_scores
from common.text.batching import make_batch
from solutions.ch09_word_attention.exams import model
from solutions.checks import check, close, distribution, numbers, task
from solutions.grading.exam import Draw

H, V = 2, 4
LENGTHS = [2, 4, 1]
READ = dict(zip(("annotations", "words"), np.random.default_rng(3).normal(size=(2, H, 4, 3)), strict=True))
FIRST = np.random.default_rng(4).normal(size=(H, 3))


def source_of(work, *columns, **more):
    """Some of three sources, of 2, 4 and 1 words, whose padding has numbers too, and the first states."""
    lengths, columns = np.array([LENGTHS[column] for column in columns]), list(columns)
    read = [input_batch(array[:, : max(lengths), columns] + more.get(name, 0.0)) for name, array in READ.items()]
    source = work.Source(*read, padding_scores(lengths, max(lengths)))
    return source, [HiddenState(input_batch(FIRST[:, columns]))]


def log_probs(work, weights, **more):
    """log P of one source's first prediction, after word 2."""
    return numbers(work.step(weights, *source_of(work, 1, **more), [2]).log_probs, (V, 1), "log_probs")


@task("9.6")
def test_a_step(work):
    weights, collection, _ = model(work, Draw("by hand"), H, V)
    after = work.step(weights, *source_of(work, 0, 1, 2), [1, 2, 3])
    check(isinstance(after, work.Step), "a step gives a Step(layers, log_probs, alpha, beta, gate)")
    numbers(after.layers[-1].hidden, (H, 3), "s_i")
    distribution(np.exp(numbers(after.log_probs, (V, 3), "log_probs")), "exp(log P) of the next word")
    for name in ("alpha", "beta"):
        weight = numbers(getattr(after, name), (4, 1, 3), name)[:, 0]
        distribution(weight, f"{name} of sources of {LENGTHS} words")
        behind = [np.abs(weight[length:, b]).sum() for b, length in enumerate(LENGTHS)]
        check(max(behind) < 1e-6, f"{name} of sources of {LENGTHS} words: padding may not be attended to")


@task("9.6")
def test_both_sides_of_the_source_are_read(work):
    weights, collection, _ = model(work, Draw("by hand"), H, V)
    for name in READ:
        change = np.abs(log_probs(work, weights, **{name: 0.5}) - log_probs(work, weights)).max()
        check(change > 1e-4, f"other {name} must give another prediction; are they attended to?")


@task("9.6")
def test_loss_of_a_batch_is_that_of_its_pairs(work):
    weights, collection, _ = model(work, Draw("by hand"), H, V)
    targets, expected = [[2, 3, 1], [], [3]], 0.0
    for b, target in enumerate(targets):
        source, layers = source_of(work, b)
        for read, word in zip([0, *target], [*target, 0], strict=True):
            layers, predicted, *_ = work.step(weights, source, layers, [read])
            expected -= numbers(predicted, (V, 1), "log_probs")[word, 0]
    loss = work.loss(weights, *source_of(work, 0, 1, 2), make_batch(targets, [0, 1, 2]))
    message = "pairs of unequal lengths: the sum of -log P of each word and each </s>, nothing of padding, and no mean"
    close(numbers(loss, (1, 1), "the loss of a batch").item(), expected, message, tolerance=1e-4)
