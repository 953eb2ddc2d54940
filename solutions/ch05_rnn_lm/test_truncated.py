"""Graders of truncated.py."""

import dynet as dy
import numpy as np

from common.text.batching import Batch
from solutions.checks import check, close, task

IDS, STREAMS = np.zeros((2, 2), dtype=int), np.arange(2)
BATCHES = [Batch(IDS, IDS, IDS + 1, STREAMS), Batch(IDS, IDS, IDS + 1, STREAMS)]
BATCHES.append(Batch(IDS[:1], IDS[:1], np.array([[1, 0]]), STREAMS))
"""Of 4, 4 and 1 predictions, in two streams."""


@task("5.6")
def test_streams_by_hand(work):
    batches = work.make_streams([[5, 6], [7], [3, 4, 2]], 2, 3)  # the text 5 6 0 7 0 3 4 2 0
    right = isinstance(batches, (list, tuple)) and all(isinstance(batch, Batch) for batch in batches)
    check(right, "the result is a list of Batch")
    shapes = [np.shape(batch.targets) for batch in batches]
    check(shapes == [(3, 2), (2, 2)], f"9 words in 2 streams, 3 steps per batch: (3, 2) and (2, 2), yours are {shapes}")
    inputs, targets, mask = (np.concatenate([batch[place] for batch in batches]) for place in range(3))
    expected = np.array([[5, 3], [6, 4], [0, 2], [7, 0], [0, 0]])
    close(targets, expected, "the targets of 5 6 </s> 7 </s> 3 4 2 </s>, in two pieces, 0 where there is padding")
    expected = np.array([[1, 1], [1, 1], [1, 1], [1, 1], [1, 0]])
    close(mask, expected, "the mask: padding stands only at the end of the text")
    expected = np.array([[0, 0], [5, 3], [6, 4], [0, 2], [7, 0]])
    close(inputs * mask, expected, "the inputs: the word before in the text, 0 before the very first")


@task("5.6")
def test_the_carried_numbers(work):
    """States that count: h is (step, 10 * step) in stream 0 and 100 times as much in stream 1."""
    seen, step, collection = {}, np.array([[1.0, 100.0], [10.0, 1000.0]]), dy.ParameterCollection()

    def loss(batch, carried):
        seen[id(batch)] = np.zeros((2, 2)) if carried is None else np.asarray(carried[0])
        state = (seen[id(batch)] + step).ravel(order="F")
        weight = collection.add_parameters(1, init=dy.ConstInitializer(1.0))
        return dy.sum_elems(weight), [dy.reshape(dy.inputTensor(state), (2,), 2)]

    work.train_through(BATCHES, loss, lambda: None)
    close(
        list(seen.values()),
        [0 * step, step, 2 * step],
        "the states go on from batch to batch, a column for each stream",
    )


@task("5.6")
def test_every_batch_has_its_gradients_and_its_update(work):
    collection = dy.ParameterCollection()
    weight = collection.add_parameters(1, init=dy.ConstInitializer(2.0))
    trainer, seen = dy.SimpleSGDTrainer(collection, learning_rate=0.5), {}
    trainer.set_clip_threshold(0)

    def loss(batch, carried):
        seen[id(batch)] = float(weight.as_array()[0])
        return dy.sum_elems(weight) * float(batch.mask.sum()), [dy.reshape(dy.inputVector([1.0, 2.0]), (1,), 2)]

    mean_loss = work.train_through(BATCHES, loss, trainer.update)
    message = "the weight before each of three batches: an update after each, with that batch's gradient"
    close(list(seen.values()), [2.0, 0.0, -2.0], message)
    close(float(weight.as_array()[0]), -2.5, "the weight at the end", tolerance=1e-5)
    message = "the mean loss: the losses before each update, divided by the real predictions"
    close(mean_loss, (4 * 2.0 + 4 * 0.0 - 1 * 2.0) / 9, message, tolerance=1e-5)
