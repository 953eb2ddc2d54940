"""Graders of looking.py."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn import source_attention
from common.nn.arrays import input_batch
from common.nn.source_attention import Memory
from solutions.checks import check, close, finite_difference, task

MUTANTS = [
    ("8.4", "return dy.softmax(scores)", "return scores"),
    ("8.4", "return dy.softmax(scores)", "return dy.exp(scores)"),
    ("8.4", "return dy.softmax(scores)", "return dy.logistic(scores)"),
    ("8.4", "return dy.softmax(scores)", "return dy.softmax(scores, d=1)"),
    ("8.4", "return dy.softmax(scores)", "return dy.cdiv(dy.exp(scores), dy.sum_dim(dy.exp(scores), [0]))"),
    ("8.4", "if memory.padding is not None:", "if False:"),
    ("8.4", "scores = scores + memory.padding", "scores = scores - memory.padding"),
    ("8.4", "scores = scores + memory.padding", "return dy.cmult(dy.softmax(scores), dy.exp(memory.padding))"),
    ("8.4", "for bias in biases:", "for bias in biases[:1]:"),
    ("8.4", "scores = scores + bias", "pass"),
    ("8.4", "scores = score.scores(memory.keys, query)", "scores = score.scores(memory.annotations, query)"),
    ("8.4", "scores = score.scores(memory.keys, query)", "scores = score.scores(memory.keys * 0.0, query)"),
    ("8.4", "np.arange(time)[:, None] >= lengths", "np.arange(time)[:, None] > lengths"),
    ("8.4", "np.arange(time)[:, None] >= lengths", "np.arange(time)[:, None] + 1 >= lengths"),
    ("8.4", "np.arange(time)[:, None] >= lengths", "np.arange(time)[:, None] < lengths"),
    ("8.4", "(behind * -1e9)", "(behind * -50.0)"),
    ("8.4", '(behind * -1e9).ravel(order="F")', "(behind * -1e9).ravel()"),
    (
        "8.4",
        "product = memory.annotations * weights",
        "product = memory.annotations * (weights * 0.0 + 1 / weights.dim()[0][0])",
    ),
    (
        "8.4",
        "product = memory.annotations * weights",
        "product = memory.annotations * (weights * (1 / weights.dim()[0][0]))",
    ),
    ("8.4", "product = memory.annotations * weights", "product = dy.pick_range(memory.annotations, 0, 1, 1)"),
    ("8.4", "product = memory.annotations * weights", "product = memory.annotations * 0.0 * weights"),
    ("8.4", "product = memory.annotations * weights", "product = memory.annotations * dy.nobackprop(weights)"),
    ("8.4", "return dy.reshape(product, (size,), batch)", "return product"),
]

H = 3


class Column:
    """A score whose keys are the scores themselves, (S, 1) x B: whatever asks, it answers the same."""

    def keys(self, annotations):
        return annotations

    def scores(self, keys, query):
        return keys


def memory(work, scores, lengths, annotations=None):
    """A memory with given scores (S, 1, B) and padding behind the lengths."""
    words, _, batch = scores.shape
    annotations = np.zeros((H, words, batch)) if annotations is None else annotations
    return Memory(input_batch(annotations), input_batch(scores), work.padding_scores(np.array(lengths), words))


def numbers(found, dimensions, batch, what):
    """The numbers of an expression as an array (*dimensions, B)."""
    check(isinstance(found, dy.Expression), f"{what}: the result is an expression, not its value")
    own, own_batch = found.dim()
    right = own == dimensions and own_batch == batch
    check(right, f"{what}: the result must be {dimensions} x {batch}, yours is {own} x {own_batch}")
    return np.reshape(found.npvalue(), (*dimensions, batch), order="F")


def weights(work, scores, lengths, what, *biases):
    """The weights of scores (S, 1, B) as an array (S, B), of which every column must be a distribution over words."""
    words, _, batch = scores.shape
    query = input_batch(np.zeros((2, batch)))
    found = work.attention_weights(Column(), memory(work, scores, lengths), query, *biases)
    found = numbers(found, (words, 1), batch, what)[:, 0]
    check(np.isfinite(found).all(), f"{what}: every weight must be a finite number")
    check((found >= 0).all(), f"{what}: no weight may be negative; was the softmax forgotten?")
    for b, length in enumerate(lengths):
        behind, total = found[length:, b].sum(), found[:length, b].sum()
        check(
            behind < 1e-6,
            f"{what}: padding gets {behind:.4g} of the attention of sentence {b + 1}, and may get nothing",
        )
        why = "was the softmax forgotten, or taken over something else than the words?"
        if 0 <= total < 1 and length < words:
            why = "is padding taken out before the softmax, or only after it?"
        check(abs(total - 1) < 1e-4, f"{what}: alpha of sentence {b + 1} sums to {total:.4g} over its words: {why}")
    return found


def softmax_of(scores, lengths):
    found = np.zeros(scores.shape)
    for b, length in enumerate(lengths):
        shares = np.exp(scores[:length, b] - scores[:length, b].max())
        found[:length, b] = shares / shares.sum()
    return found


@task("8.4")
def test_padding_by_hand(work):
    what = "what is added for sources of 3, 1 and 2 words, S = 3"
    found = work.padding_scores(np.array([3, 1, 2]), 3)
    check(found is not None, f"{what}: two of the sentences are padded, so it may not be None")
    found = numbers(found, (3, 1), 3, what)[:, 0]
    words = np.array([[1, 1, 1], [1, 0, 1], [1, 0, 0]], dtype=bool)
    check((found[words] == 0).all(), f"{what}: nothing is added to words, the last one of a sentence among them")
    check(
        (found[~words] <= -1e8).all(),
        f"{what}: on padding, from its first place on, it is -1e9: no score outweighs that",
    )
    check(np.isfinite(found).all(), f"{what}: every number must be finite; DyNet's products may make NaN of -inf")
    found = work.padding_scores(np.array([2, 2]), 2)
    found = np.zeros(1) if found is None else numbers(found, (2, 1), 2, "two sources of 2 words, S = 2")
    check((found == 0).all(), "where nothing is padded, nothing but zeros may be added")


@task("8.4")
def test_weights_by_hand(work):
    scores = np.log(np.array([[[1.0, 2.0]], [[3.0, 6.0]], [[4.0, 9.0]]]))
    found = weights(work, scores, [3, 2], "scores log 1, log 3, log 4 and log 2, log 6, padding")
    expected = np.array([[1 / 8, 2 / 8], [3 / 8, 6 / 8], [4 / 8, 0]])
    close(found, expected, "exp(score) over the sum of those of the sentence's own words", tolerance=1e-5)


@task("8.4")
def test_weights_of_batches(work):
    for lengths in ([1], [1, 1, 1], [4], [2, 5, 1], [3, 3]):
        dy.renew_cg()
        words = max(lengths)
        scores = 2 * np.random.default_rng(words).normal(size=(words, 1, len(lengths)))
        what = f"sources of {lengths} words"
        found = weights(work, scores, lengths, what)
        close(found, softmax_of(scores[:, 0], lengths), f"{what}: a softmax over each sentence's words", tolerance=1e-5)
        for b, length in enumerate(lengths):
            alone = weights(work, scores[:length, :, b : b + 1], [length], "one sentence alone")[:, 0]
            close(found[:length, b], alone, f"{what}: sentence {b + 1} must get what it gets alone", tolerance=1e-5)


@task("8.4")
def test_large_scores(work):
    scores = np.array([[[200.0, -300.0]], [[199.0, -301.0]], [[-200.0, 400.0]], [[0.0, 200.0]]])
    found = weights(work, scores, [4, 2], "scores of 200 and -300, and padding with 400")
    expected = np.array([[0.7310586, 0.7310586], [0.2689414, 0.2689414], [0, 0], [0, 0]])
    close(found, expected, "large scores: only their differences count, and padding counts nothing", tolerance=1e-5)


@task("8.4")
def test_biases(work):
    scores = np.log(np.array([[[1.0, 2.0]], [[3.0, 6.0]], [[4.0, 9.0]]]))
    own = input_batch(np.log(np.array([[[3.0, 1.0]], [[1.0, 2.0]], [[1.0, 5.0]]])))
    same = dy.inputTensor(np.log(np.array([[2.0], [1.0], [1.5]])))
    what = "two biases, one a sentence's own and one of all sentences"
    found = weights(work, scores, [3, 2], what, own, same)
    expected = np.array([[6 / 15, 4 / 16], [3 / 15, 12 / 16], [6 / 15, 0]])
    close(found, expected, f"{what}: all of them are added to the scores before the softmax", tolerance=1e-5)


@task("8.4")
def test_the_keys_are_asked(work):
    told = []
    score = SimpleNamespace(scores=lambda keys, query: told.append((keys, query)) or keys)
    keys, query = dy.inputTensor(np.ones((2, 1))), dy.inputVector([1.0])
    work.attention_weights(score, Memory(dy.inputTensor(np.zeros((2, 1))), keys, None), query)
    check(len(told) == 1, "one call of score.scores(...) gives the scores of all source words")
    check(told[0] == (keys, query), "score.scores is called with memory.keys and the query, in this order")


@task("8.4")
def test_a_context_by_hand(work):
    annotations = np.array([[[2.0], [-1.0]], [[0.0], [4.0]], [[1.0], [0.5]]])
    given = Memory(input_batch(annotations), None, None)
    found = numbers(work.context(given, input_batch(np.array([[[0.2]], [[0.8]]]))), (H,), 1, "the context")
    expected = np.array([0.4 - 0.8, 3.2, 0.2 + 0.4])
    close(found[:, 0], expected, "0.2 h_1 + 0.8 h_2 for h_1 = (2, 0, 1) and h_2 = (-1, 4, 0.5)", tolerance=1e-5)


@task("8.4")
def test_contexts_of_batches(work):
    for lengths in ([1], [1, 1], [3], [2, 4, 1]):
        dy.renew_cg()
        words, rng = max(lengths), np.random.default_rng(6)
        annotations = rng.normal(size=(H, words, len(lengths)))
        alpha = softmax_of(rng.normal(size=(words, len(lengths))), lengths)
        given, what = Memory(input_batch(annotations), None, None), f"sources of {lengths} words"
        found = numbers(work.context(given, input_batch(alpha[:, None])), (H,), len(lengths), what)
        for b, length in enumerate(lengths):
            expected = annotations[:, :length, b] @ alpha[:length, b]
            close(found[:, b], expected, f"{what}: sentence {b + 1} has the mean of its own words", tolerance=1e-5)


@task("8.4")
def test_annotations_and_scores_get_gradients(work):
    rng = np.random.default_rng(9)
    values = [rng.normal(size=(H, 3)), rng.normal(size=(3, 1))]
    collection = dy.ParameterCollection()
    annotations, scores = (collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in values)
    given = Memory(
        dy.reshape(annotations, (H, 3), 1), dy.reshape(scores, (3, 1), 1), work.padding_scores(np.array([2]), 3)
    )
    seen = work.context(given, work.attention_weights(Column(), given, dy.inputVector([0.0])))
    loss = dy.sum_elems(dy.square(seen))
    loss.value()
    loss.backward()

    def loss_of():
        return float(((values[0] @ softmax_of(values[1], [2])) ** 2).sum())

    for name, weight, array in (("annotations", annotations, values[0]), ("scores", scores, values[1])):
        message = f"the gradient that the {name} get through the context: numbers that are copied out learn nothing"
        close(weight.grad_as_array(), finite_difference(loss_of, array), message, tolerance=2e-3)


@task("8.4")
def test_the_course_agrees(work):
    collection, lengths = dy.ParameterCollection(), np.array([2, 5, 1])
    score = source_attention.MLPScore(collection, H, 2, 4, 0.9)
    rng = np.random.default_rng(8)
    annotations, query = (input_batch(rng.normal(size=size)) for size in ((H, 5, 3), (2, 3)))
    theirs = Memory.of(score, annotations, lengths)
    expected = source_attention.attention_weights(score, theirs, query)
    own = Memory(annotations, score.keys(annotations), work.padding_scores(lengths, 5))
    found = work.attention_weights(score, own, query)
    close(found, expected.npvalue(), "the course's attention over three sources", tolerance=1e-5)
    expected = source_attention.context(theirs, expected).npvalue()
    close(work.context(own, found), expected, "the course's contexts of three sources", tolerance=1e-5)
