"""Graders of minibatch.py."""

import dynet as dy
import numpy as np

from common.chapters import chapter_module
from common.nn import softmax
from common.nn.dropout import NO_DROPOUT
from common.text.batching import Batch, make_batch
from common.text.vocab import Vocabulary
from solutions.checks import check, close, plain, task

MUTANTS = [
    ("5.5", "mask[: len(sentence), column] = 1", "mask[: len(sentence) - 1, column] = 1"),
    ("5.5", "mask[: len(sentence), column] = 1", "mask[: len(sentence) + 1, column] = 1"),
    ("5.5", "    return ids, mask", "    return ids, (ids > 0).astype(np.float32)"),
    ("5.5", "    return ids, mask", "    return ids, np.ones_like(mask)"),
    ("5.5", "    return ids, mask", "    return ids.T, mask.T"),
    ("5.5", "ids[: len(sentence), column] = sentence", "ids[time - len(sentence) :, column] = sentence"),
    ("5.5", "time = max(", "time = min("),
    ("5.5", "pad([[0, *sentence] for sentence in sentences])", "pad([[*sentence, 0] for sentence in sentences])"),
    (
        "5.5",
        "pad([[*sentence, 0] for sentence in sentences])",
        "pad([[*sentence[1:], 0, 0] for sentence in sentences])",
    ),
    ("5.5", "mask.T.ravel()", "mask.ravel()"),
    ("5.5", "return dy.sum_batches(dy.cmult(losses, weights))", "return dy.sum_batches(losses)"),
    ("5.5", "return dy.sum_batches(dy.cmult(losses, weights))", "return dy.mean_batches(dy.cmult(losses, weights))"),
    (
        "5.5",
        "return dy.sum_batches(dy.cmult(losses, weights))",
        "return dy.scalarInput(dy.sum_batches(dy.cmult(losses, weights)).value())",
    ),
    ("5.5", "mask.sum() for mask in masks", "mask.size for mask in masks"),
    ("5.5", "mask.sum() for mask in masks", "(mask.sum(axis=0) - 1).sum() for mask in masks"),
    (
        "5.5",
        "sum(totals) / float(sum(mask.sum() for mask in masks))",
        "float(np.mean([total / mask.sum() for total, mask in zip(totals, masks)]))",
    ),
]

SENTENCES = [[5, 2, 4], [3], [], [2, 2]]


@task("5.5")
def test_padding_by_hand(work):
    ids, mask = work.pad([[5, 0, 7], [6], [4, 0]])
    close(ids, np.array([[5, 6, 4], [0, 0, 0], [7, 0, 0]]), "the ids of 5 0 7, of 6 and of 4 0: a column each, T = 3")
    expected = np.array([[1, 1, 1], [1, 0, 1], [1, 0, 0]])
    close(mask, expected, "the mask of 5 0 7, of 6 and of 4 0: the 0 of a sequence is no padding")
    kinds = np.asarray(plain(ids, "ids")).dtype.kind, getattr(mask, "dtype", None)
    check(kinds[0] in "iu" and kinds[1] == np.float32, "ids are whole numbers, the mask is of np.float32")
    ids, mask = work.pad([[9]])
    close(ids, np.array([[9]]), "the ids of a single sequence of one id: (1, 1)")
    close(mask, np.array([[1]]), "the mask of a single sequence of one id: (1, 1)")


@task("5.5")
def test_a_minibatch_by_hand(work):
    inputs, targets, mask = work.make_minibatch(SENTENCES)
    expected = np.array([[0, 0, 0, 0], [5, 3, 0, 2], [2, 0, 0, 2], [4, 0, 0, 0]])
    close(inputs, expected, "the inputs of 5 2 4, of 3, of an empty sentence and of 2 2: <s>, then the words")
    expected = np.array([[5, 3, 0, 2], [2, 0, 0, 2], [4, 0, 0, 0], [0, 0, 0, 0]])
    close(targets, expected, "the targets of 5 2 4, of 3, of an empty sentence and of 2 2: the words, then </s>")
    expected = np.array([[1, 1, 1, 1], [1, 1, 0, 1], [1, 0, 0, 1], [1, 0, 0, 0]])
    close(mask, expected, "the mask: a sentence of n words has n + 1 predictions, since </s> is predicted too")


@task("5.5")
def test_the_masked_sum_by_hand(work):
    numbers, mask = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0]), np.array([[1, 1], [1, 0], [0, 0]], dtype=np.float32)
    losses = dy.reshape(dy.inputTensor(numbers), (1,), 6)
    found = work.masked_sum(losses, mask)
    check(isinstance(found, dy.Expression), "the sum is an expression, not its value")
    check(found.dim()[1] == 1, "the sum is one number for the whole batch")
    message = "the sum of the losses 1 2 4 of a sentence of 2 predictions and 8 16 32 of one of a single prediction"
    close(found.value(), 11.0, message, tolerance=1e-5)
    dy.renew_cg()
    found = work.masked_sum(dy.reshape(dy.inputTensor(np.array([3.0])), (1,), 1), np.ones((1, 1), dtype=np.float32))
    close(found.value(), 3.0, "the sum of a single loss, 3", tolerance=1e-5)


@task("5.5")
def test_padding_gets_no_gradient(work):
    collection = dy.ParameterCollection()
    weight = collection.add_parameters((1, 6), init=dy.ConstInitializer(0.5))
    losses = dy.reshape(weight * 2.0, (1,), 6)
    found = work.masked_sum(losses, np.array([[1, 1], [1, 0], [0, 0]], dtype=np.float32))
    found.value()
    found.backward()
    expected = np.array([[2.0, 2.0, 0.0, 2.0, 0.0, 0.0]])
    close(weight.grad_as_array(), expected, "what each of the six losses does to the sum: the padded ones nothing")


@task("5.5")
def test_the_mean(work):
    masks = [np.array([[1, 1], [1, 0], [0, 0]], dtype=np.float32), np.ones((2, 3), dtype=np.float32)]
    message = "the mean of totals 6 and 3 of minibatches with 3 and 6 real predictions: each prediction counts the same"
    close(work.loss_per_prediction([6.0, 3.0], masks), 1.0, message)


@task("5.5")
def test_a_uniform_model(work):
    inputs, targets, mask = work.make_minibatch(SENTENCES)
    scores = dy.reshape(dy.inputTensor(np.zeros(7 * targets.size)), (7,), targets.size)
    losses = dy.pickneglogsoftmax_batch(scores, np.asarray(targets).T.ravel().tolist())
    total = work.masked_sum(losses, mask).value()
    found = np.exp(work.loss_per_prediction([total], [mask]))
    close(found, 7.0, "the perplexity of a model that knows nothing, with 7 words", tolerance=1e-4)


@task("5.5")
def test_a_batch_is_the_sum_of_its_sentences(work):
    model = chapter_module("05_rnn_lm", "model").RecurrentLM(
        Vocabulary(f"w{number}" for number in range(2, 6)), cell="rnn", hidden_size=3, init_scale=0.8
    )

    def loss_of(sentences):
        dy.renew_cg()
        batch = Batch(*work.make_minibatch(sentences), np.arange(len(sentences)))
        hidden, _ = model.states(batch.inputs)
        return work.masked_sum(model.losses(hidden, batch, NO_DROPOUT), batch.mask).value()

    parts = sum(loss_of([sentence]) for sentence in SENTENCES)
    message = "the loss of a minibatch of 3, 1, 0 and 2 words must be the sum of its sentences' losses"
    close(loss_of(SENTENCES), parts, message, tolerance=1e-4)


@task("5.5")
def test_the_course_agrees(work):
    batch = make_batch(SENTENCES, range(len(SENTENCES)))
    names = ("inputs", "targets", "mask")
    for name, found, expected in zip(names, work.make_minibatch(SENTENCES), batch[:3], strict=True):
        close(found, expected, f"the {name} of four sentences, as the course has them")
    losses = dy.reshape(dy.inputTensor(np.random.default_rng(1).random(batch.mask.size)), (1,), batch.mask.size)
    expected = softmax.masked_sum(losses, batch.mask).value()
    close(work.masked_sum(losses, batch.mask).value(), expected, "the masked sum, as the course has it", tolerance=1e-5)
