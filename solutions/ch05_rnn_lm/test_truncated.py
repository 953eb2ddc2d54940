"""Graders of truncated.py."""

import dynet as dy
import numpy as np

from common.chapters import chapter_module
from common.text.batching import Batch
from common.text.vocab import Vocabulary
from solutions.checks import check, close, plain, task

MUTANTS = [
    ("5.6", "for word in [*sentence, 0]]", "for word in sentence]"),
    ("5.6", "math.ceil(len(text) / streams)", "len(text) // streams + 1"),
    ("5.6", "array.reshape(streams, length).T", "array.reshape(length, streams)"),
    ("5.6", "np.concatenate([[0], targets[:-1]])", "np.concatenate([targets[1:], [0]])"),
    (
        "5.6",
        "np.concatenate([[0], targets[:-1]])",
        "np.where(np.arange(len(targets)) % length, np.roll(targets, 1), 0)",
    ),
    ("5.6", "[1.0] * len(text) + [0.0] * len(padding)", "[1.0] * len(targets)"),
    ("5.6", "range(0, length, steps)", "range(0, length - steps + 1, steps)"),
    ("5.6", "        carried = [np.reshape(", "        carried = None if carried else [np.reshape("),
    ("5.6", "states = loss(batch, carried)", "states = loss(batch, None)"),
    ("5.6", '(state.dim()[0][0], -1), order="F")', "(state.dim()[0][0], -1))[:, ::-1]"),
    ("5.6", '[np.reshape(state.npvalue(), (state.dim()[0][0], -1), order="F") for', "[state.npvalue() for"),
    ("5.6", "        batch_loss.backward()\n", ""),
    ("5.6", "        update()\n        predictions", "        predictions"),
    ("5.6", "int(batch.mask.sum())", "batch.mask.size"),
    ("5.6", "return total / predictions", "return total / len(batches)"),
    ("5.6", "        dy.renew_cg()\n", ""),
]

SENTENCES = [[5, 6], [7], [3, 4, 2]]  # the text 5 6 0 7 0 3 4 2 0


def padded(batches, name):
    """One array of all batches, (T, B), with 0 where there is padding."""
    parts = [np.asarray(plain(getattr(batch, name), name)) * np.asarray(plain(batch.mask, "mask")) for batch in batches]
    return np.concatenate(parts)


@task("5.6")
def test_streams_by_hand(work):
    batches = work.make_streams(SENTENCES, 2, 3)
    check(isinstance(batches, list) and all(isinstance(one, Batch) for one in batches), "the result is a list of Batch")
    shapes = [np.shape(batch.targets) for batch in batches]
    check(shapes == [(3, 2), (2, 2)], f"9 words in 2 streams, 3 steps per batch: (3, 2) and (2, 2), yours are {shapes}")
    expected = np.array([[5, 3], [6, 4], [0, 2], [7, 0], [0, 0]])
    close(padded(batches, "targets"), expected, "the targets of 5 6 </s> 7 </s> 3 4 2 </s>, in two pieces")
    close(batches[1].targets[1, 1], 0, "the target of the only position that is padded: the boundary, 0")
    expected = np.array([[1, 1], [1, 1], [1, 1], [1, 1], [1, 0]])
    close(
        np.concatenate([batch.mask for batch in batches]),
        expected,
        "the mask: padding stands only at the end of the text",
    )
    expected = np.array([[0, 0], [5, 3], [6, 4], [0, 2], [7, 0]])
    close(padded(batches, "inputs"), expected, "the inputs: the word before in the text, 0 before the very first")


@task("5.6")
def test_nothing_is_lost(work):
    text = [word for sentence in SENTENCES for word in [*sentence, 0]]
    for streams, steps in [(1, 4), (1, 100), (3, 2), (4, 1), (9, 5)]:
        batches = work.make_streams(SENTENCES, streams, steps)
        rows = sum(len(batch.mask) for batch in batches)
        check(
            rows == -(-len(text) // streams), f"9 words in {streams} stream(s): pieces as short as can be, not {rows}"
        )
        columns = np.concatenate([batch.targets for batch in batches]).T.ravel()[: len(text)]
        message = f"{streams} stream(s), {steps} step(s) a batch: the columns one after the other are the text"
        close(columns, np.array(text), message)
        found = np.concatenate([batch.inputs for batch in batches]).T.ravel()[: len(text)]
        message = f"{streams} stream(s): every input is the word before its target in the text, across pieces too"
        close(found, np.array([0, *text[:-1]]), message)
        same = {len(batch.mask) for batch in batches[:-1]} <= {steps}
        check(same, f"{streams} stream(s): all batches but the last have {steps} steps")
        real = sum(np.asarray(plain(batch.mask, "mask")).sum() for batch in batches)
        check(real == len(text), f"{streams} stream(s): the mask must be 1 on the {len(text)} words of the text")
        check(all(batch.mask.dtype == np.float32 for batch in batches), "the mask is of np.float32")
        close(batches[0].indices, np.arange(streams), "the indices number the streams")


@task("5.6")
def test_the_chapter_agrees(work):
    from chapters.rnn_lm.streams import make_streams

    text = [list(np.random.default_rng(length).integers(1, 9, length)) for length in (4, 0, 7, 2, 5)]
    for streams, steps in [(2, 4), (5, 3)]:
        found, expected = work.make_streams(text, streams, steps), make_streams(text, streams, steps)
        for name in ("inputs", "targets"):
            message = f"the {name} of {streams} streams, {steps} steps per batch, as chapter 5 has them"
            close(padded(found, name), padded(expected, name), message)


def language_model():
    from chapters.rnn_lm.model import RecurrentLM

    return RecurrentLM(Vocabulary(f"w{number}" for number in range(2, 8)), hidden_size=3, dropout=0.0, init_scale=0.8)


def loss_with(model, seen):
    """The loss function of the exercise for chapter 5's model; notes what was carried in `seen`."""

    def loss(batch, carried):
        seen.append(carried)
        batch_loss, states = model.loss(batch, None if carried is None else [carried])
        return batch_loss, list(states[0])

    return loss


def streams_of(streams, steps):
    return chapter_module("05_rnn_lm", "streams").make_streams(SENTENCES, streams, steps)


@task("5.6")
def test_the_state_is_kept(work):
    """Without updates, the loss of a text in short batches is that of the same streams in a single one."""
    for streams in (1, 2):
        model, seen = language_model(), []
        found = work.train_through(streams_of(streams, 2), loss_with(model, seen), lambda: None)
        (whole,) = streams_of(streams, 100)
        dy.renew_cg()
        expected = model.loss(whole)[0].value() / 9
        message = f"{streams} stream(s) in batches of 2 steps, nothing updated: the mean loss of one long batch"
        close(found, expected, message, tolerance=1e-4)
        check(seen[0] is None, "carried is None for the first batch")
        numbers = all(isinstance(part, np.ndarray) and part.shape == (3, streams) for one in seen[1:] for part in one)
        check(numbers, f"what is carried is a list of arrays (H, B), here (3, {streams}), not of expressions")


@task("5.6")
def test_the_carried_numbers(work):
    """States that count: h is (step, 10 * step) in stream 0 and 100 more in stream 1."""
    seen = []

    def loss(batch, carried):
        before = np.zeros((2, 2)) if carried is None else np.asarray(carried[0])
        seen.append(before)
        weight = collection.add_parameters(1, init=dy.ConstInitializer(1.0))
        state = before + np.array([[1.0, 100.0], [10.0, 1000.0]])
        return dy.sum_elems(weight), [dy.reshape(dy.inputTensor(state.ravel(order="F")), (2,), 2)]

    collection = dy.ParameterCollection()
    work.train_through(streams_of(2, 2), loss, lambda: None)
    step = np.array([[1.0, 100.0], [10.0, 1000.0]])
    close(seen, [0 * step, step, 2 * step], "the states go on from batch to batch, a column for each stream")


@task("5.6")
def test_every_batch_has_its_gradients_and_its_update(work):
    collection = dy.ParameterCollection()
    weight = collection.add_parameters(1, init=dy.ConstInitializer(2.0))
    trainer, seen, batches = dy.SimpleSGDTrainer(collection, learning_rate=0.5), [], streams_of(2, 2)

    def loss(batch, carried):
        seen.append(float(weight.as_array()[0]))
        return dy.sum_elems(weight) * float(batch.mask.sum()), [dy.inputVector([1.0, 2.0])]

    trainer.set_clip_threshold(0)
    found = work.train_through(batches, loss, trainer.update)
    real = [4.0, 4.0, 1.0]
    weights = [2.0, 2.0 - 0.5 * real[0], 2.0 - 0.5 * (real[0] + real[1])]
    close(seen, weights, "the weight before each of three batches: an update after each, with that batch's gradient")
    close(float(weight.as_array()[0]), weights[2] - 0.5 * real[2], "the weight at the end", tolerance=1e-5)
    expected = sum(one * other for one, other in zip(weights, real, strict=True)) / sum(real)
    close(
        found, expected, "the mean loss: the losses before each update, divided by the real predictions", tolerance=1e-5
    )


@task("5.6")
def test_no_gradient_into_an_earlier_batch(work):
    """Each batch's gradients are those of that batch alone, its first state given as numbers."""
    model, seen, found = language_model(), [], []
    batches = streams_of(1, 3)

    def update():
        found.append(np.concatenate([one.grad_as_array().ravel() for one in model.collection.parameters_list()]))
        for one in model.collection.parameters_list():
            one.scale_gradient(0)

    graphs = []

    def loss(batch, carried):
        graphs.append(dy.cg_version())
        return loss_with(model, seen)(batch, carried)

    work.train_through(batches, loss, update)
    check(len(set(graphs)) == len(batches), "every batch has a graph of its own: dy.renew_cg() before its loss")
    for number, (batch, carried) in enumerate(zip(batches, seen, strict=True)):
        dy.renew_cg()
        alone, _ = model.loss(batch, None if carried is None else [carried])
        alone.value()
        alone.backward()
        expected = np.concatenate([one.grad_as_array().ravel() for one in model.collection.parameters_list()])
        for one in model.collection.parameters_list():
            one.scale_gradient(0)
        close(found[number], expected, f"the gradients of batch {number + 1} when update is called", tolerance=1e-4)
