"""Graders of class_based.py."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import close, numbers, task
from solutions.grading.exam import parameters

H = 2
CLASS_OF = np.array([1, 0, 2, 1, 1, 2, 1])  # classes of 1, 4 and 2 words
SHAPES = [(3, H), (3,), (1, H), (4, H), (2, H), (1,), (4,), (2,)]


def make_weights(work, values):
    """A `ClassWeights` of the file with these numbers; the collection must be kept."""
    collection, params = parameters(*values)
    return collection, work.ClassWeights(CLASS_OF.copy(), *params[:2], params[2:5], params[5:])


@task("4.5")
def test_places_by_hand(work):
    places = work.places_in_classes(np.array([2, 0, 2, 1, 0, 2]))
    close(places, np.array([0, 0, 1, 0, 1, 2]), "the places of 6 words of the classes 2, 0, 2, 1, 0, 2")


@task("4.5")
def test_one_word_by_hand(work):
    values = [np.zeros(shape) for shape in SHAPES]
    values[1] = np.log([0.5, 0.3, 0.2])
    values[3] = np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [0.0, 0.0]])
    values[6] = np.log([1.0, 2.0, 1.0, 4.0])
    collection, weights = make_weights(work, values)
    losses = work.losses(weights, dy.inputVector([np.log(2.0), np.log(3.0)]), np.array([4]))
    message = "the loss of word 4, third of its class; P(class) = 0.3, its class's scores: log 2, log 6, log 4, log 4"
    close(numbers(losses, (1, 1), "the loss")[0], np.array([-np.log(0.3 * 4 / 16)]), message, tolerance=1e-5)


@task("4.5")
def test_losses_in_the_order_of_the_targets(work):
    rng, targets = np.random.default_rng(3), [5, 0, 2, 1, 0, 6, 4, 3]
    collection, weights = make_weights(work, [rng.normal(size=shape) for shape in SHAPES])
    hidden = rng.normal(size=(H, len(targets)))
    losses = numbers(work.losses(weights, input_batch(hidden), np.array(targets)), (1, 8), "the losses of 8 targets")
    for n, word in enumerate(targets):
        alone = work.losses(weights, input_batch(hidden[:, n : n + 1]), np.array([word])).value()
        message = f"-log P of the targets {targets}: number {n + 1} must be that of word {word} alone, with column {n}"
        close(losses[0, n], alone, f"{message} of hidden", tolerance=1e-4)
