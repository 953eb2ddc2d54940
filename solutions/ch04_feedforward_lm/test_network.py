"""Graders of network.py."""

import dynet as dy
import numpy as np

from common.text.batching import make_batch
from common.text.vocab import Vocabulary
from solutions.checks import check, close, distribution, finite_difference, task, train_until

MUTANTS = [
    ("4.3", "for row in words])", "for row in words[::-1]])"),
    ("4.3", "h = dy.tanh(", "h = dy.rectify("),
    ("4.3", "[weights.b_h, weights.W_mh, m]", "[weights.b_h.expr(), weights.W_mh.expr(), m]"),
    ("4.3", "dy.affine_transform([weights.b_h, weights.W_mh, m])", "weights.W_mh * m"),
    ("4.3", "return dy.affine_transform([weights.b_s, weights.W_hs, h])", "return weights.W_hs * h"),
    (
        "4.3",
        "return dy.affine_transform([weights.b_s, weights.W_hs, h])",
        "return dy.softmax(dy.affine_transform([weights.b_s, weights.W_hs, h]))",
    ),
    ("4.3", "        m = dy.dropout(m, dropout)", "        pass"),
    ("4.3", "return dy.dropout(h, dropout) if dropout > 0 else h", "return h"),
    ("4.3", "    if dropout > 0:\n        m = dy.dropout(m, dropout)", "    m = dy.dropout(m, 0.5)"),
    (
        "4.4",
        "dy.sum_batches(dy.pickneglogsoftmax_batch(scores(weights, h)",
        "dy.mean_batches(dy.pickneglogsoftmax_batch(scores(weights, h)",
    ),
    (
        "4.4",
        "dy.sum_batches(dy.pickneglogsoftmax_batch(scores(weights, h)",
        "dy.sum_batches(dy.pickneglogsoftmax_batch(dy.softmax(scores(weights, h))",
    ),
    (
        "4.4",
        "    real = mask > 0\n    h = hidden(weights, contexts(inputs, weights.order)[:, real], dropout)",
        "    real = mask >= 0\n    h = hidden(weights, contexts(inputs, weights.order)[:, real], dropout)",
    ),
    (
        "4.4",
        "    real = mask > 0\n    h = hidden(weights, contexts(inputs, weights.order)[:, real], dropout)",
        "    real = targets > 0\n    h = hidden(weights, contexts(inputs, weights.order)[:, real], dropout)",
    ),
    ("4.4", "[:, real], 0.0)", "[:, real], 0.3)"),
    ("4.4", "[:, real], dropout)", "[:, real], 0.0)"),
    ("4.4", "result[real] = -dy", "result[real] = dy"),
    (
        "4.4",
        "    real = mask > 0\n    h = hidden(weights, contexts(inputs, weights.order)[:, real], 0.0)",
        "    real = mask >= 0\n    h = hidden(weights, contexts(inputs, weights.order)[:, real], 0.0)",
    ),
]

V, L, H = 6, 2, 3
NAMES = ("M", "W_mh", "b_h", "W_hs", "b_s")
SENTENCES = [[2, 5, 3], [4], [], [3, 3, 2]]


def arrays(order=3, embedding=L, hidden=H):
    """Random parameters, in the order of `Weights`."""
    rng = np.random.default_rng(3)
    shapes = [(V, embedding), (hidden, (order - 1) * embedding), (hidden,), (V, hidden), (V,)]
    return [rng.normal(0, 0.8, shape) for shape in shapes]


def make_weights(work, values, order=3):
    """The same as a `Weights` of the file; the collection must be kept."""
    collection = dy.ParameterCollection()
    M = collection.add_lookup_parameters(values[0].shape)
    M.init_from_array(values[0])
    others = [collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in values[1:]]
    return collection, work.Weights(M, *others, order)


def batch_of(sentences):
    """inputs, targets and mask, (T, B); the padding is no boundary, so that reading it shows."""
    time = max(len(sentence) for sentence in sentences) + 1
    inputs, targets = np.full((time, len(sentences)), 1), np.full((time, len(sentences)), 4)
    mask = np.zeros((time, len(sentences)), dtype=np.float32)
    for column, sentence in enumerate(sentences):
        length = len(sentence) + 1
        inputs[:length, column], targets[:length, column] = [0, *sentence], [*sentence, 0]
        mask[:length, column] = 1
    return inputs, targets, mask


def hidden_of(values, context):
    M, W_mh, b_h = values[:3]
    return np.tanh(W_mh @ np.concatenate([M[word] for word in context]) + b_h)


def distribution_of(values, context):
    exps = np.exp(values[3] @ hidden_of(values, context) + values[4])
    return exps / exps.sum()


def sentence_log_probs(values, sentence, order=3):
    padded = [0] * (order - 1) + list(sentence)
    pairs = enumerate([*sentence, 0])
    return [np.log(distribution_of(values, padded[t : t + order - 1])[target]) for t, target in pairs]


def loss_of(values, sentences=SENTENCES):
    return -sum(sum(sentence_log_probs(values, sentence)) for sentence in sentences)


def columns(expression, rows):
    """The numbers of (rows,) x N as an array (rows, N)."""
    return np.reshape(expression.npvalue(), (rows, -1), order="F")


@task("4.3")
def test_one_context_by_hand(work):
    M = np.array([[0.0, 0.0], [1.0, -1.0], [0.5, 2.0]])
    W_mh = np.array([[1.0, 0.5, -1.0, 0.25], [0.0, -0.5, 2.0, 1.0], [0.75, 0.0, 0.0, -1.5]])
    b_h = np.array([0.1, -0.2, 0.3])
    W_hs = np.array([[1.0, -1.0, 0.5], [0.0, 2.0, 0.25], [-0.5, 0.5, 1.5]])
    b_s = np.array([0.2, 0.4, -0.6])
    collection, weights = make_weights(work, [M, W_mh, b_h, W_hs, b_s])
    h = work.hidden(weights, np.array([[1], [2]]), 0.0)
    expected = np.tanh([1.0 - 0.5 - 0.5 + 0.5 + 0.1, 0.5 + 1.0 + 2.0 - 0.2, 0.75 - 3.0 + 0.3])
    check(isinstance(h, dy.Expression), "h is an expression, not its value")
    message = "h after the words 1, 2 with embeddings (1, -1), (0.5, 2): the older word's embedding is on top"
    close(columns(h, 3)[:, 0], expected, message, tolerance=1e-5)
    s = work.scores(weights, dy.inputVector([1.0, 2.0, -1.0]))
    close(columns(s, 3)[:, 0], np.array([-1.3, 4.15, -1.6]), "the scores of 3 words where h = 1, 2, -1", tolerance=1e-5)


@task("4.3")
def test_shapes(work):
    for order, number in [(2, 1), (3, 4), (5, 2)]:
        dy.renew_cg()
        values = arrays(order)
        collection, weights = make_weights(work, values, order)
        words = np.random.default_rng(1).integers(0, V, (order - 1, number))
        h = work.hidden(weights, words, 0.0)
        check(
            h.dim() == ((H,), number), f"order {order}, N = {number}: h must be ({H},) x {number}, yours is {h.dim()}"
        )
        s = work.scores(weights, h)
        check(
            s.dim() == ((V,), number), f"order {order}, N = {number}: s must be ({V},) x {number}, yours is {s.dim()}"
        )
        expected = np.stack([hidden_of(values, context) for context in words.T], axis=1)
        close(columns(h, H), expected, f"h of {number} contexts of order {order}, each its own column", tolerance=1e-5)


@task("4.3")
def test_dropout_is_random_only_where_asked_for(work):
    values = arrays()
    values[1], values[2] = np.zeros_like(values[1]), np.full(H, 0.5)
    collection, weights = make_weights(work, values)
    words = np.ones((2, 200), dtype=int)
    off = columns(work.hidden(weights, words, 0.0), H)
    check(np.ptp(off, axis=1).max() == 0, "with dropout 0, the same context must always have the same h")
    dropped = (columns(work.hidden(weights, words, 0.5), H) == 0).mean()
    check(0.35 < dropped < 0.65, f"with dropout 0.5, about half of h must be zero; of yours {dropped:.0%} is")
    values = arrays()
    collection, weights = make_weights(work, values)
    h = columns(work.hidden(weights, words, 0.5), H)
    kept = np.unique(np.round(h[h != 0], 4))
    check(len(kept) > H, "with dropout, what the hidden layer reads must be random too, not only h itself")


@task("4.3")
def test_every_parameter_gets_a_gradient(work):
    values = arrays()
    collection, weights = make_weights(work, values)
    words = np.array([[1, 3], [2, 1]])
    total = dy.sum_batches(dy.sum_elems(dy.square(work.scores(weights, work.hidden(weights, words, 0.0)))))
    total.value()
    total.backward()
    for name in NAMES:
        found = np.abs(getattr(weights, name).grad_as_array()).max()
        check(
            found > 1e-6, f"{name} gets no gradient: use the parameter itself in the formula, not a copy of its numbers"
        )


@task("4.4")
def test_the_loss_by_hand(work):
    values = arrays()
    collection, weights = make_weights(work, values)
    found = work.loss(weights, *batch_of([[2, 5]]), 0.0)
    check(isinstance(found, dy.Expression), "the loss is an expression, not its value")
    check(found.dim()[1] == 1, "the loss is one number for the whole batch")
    expected = -np.log(distribution_of(values, [0, 0])[2] * distribution_of(values, [0, 2])[5])
    expected -= np.log(distribution_of(values, [2, 5])[0])
    message = "the loss of `2 5`: -log P of 2 after 0 0, of 5 after 0 2, and of </s>, which is 0, after 2 5"
    close(found.value(), expected, message, tolerance=1e-4)


@task("4.4")
def test_a_batch_is_the_sum_of_its_sentences(work):
    values = arrays()
    collection, weights = make_weights(work, values)
    parts = 0.0
    for sentence in SENTENCES:
        dy.renew_cg()
        parts += work.loss(weights, *batch_of([sentence]), 0.0).value()
    dy.renew_cg()
    found = work.loss(weights, *batch_of(SENTENCES), 0.0).value()
    message = "the loss of a batch of sentences of 3, 1, 0 and 3 words must be the sum of their losses"
    close(found, parts, f"{message}, whatever the padding holds", tolerance=1e-4)
    close(found, loss_of(values), message, tolerance=1e-4)


@task("4.4")
def test_gradients_against_finite_differences(work):
    values = arrays()
    collection, weights = make_weights(work, values)
    batch_loss = work.loss(weights, *batch_of(SENTENCES), 0.0)
    batch_loss.value()
    batch_loss.backward()
    for name, array in zip(NAMES, values, strict=True):
        found = getattr(weights, name).grad_as_array()
        message = f"dl/d{name} must be what the loss does when {name} is moved a little"
        close(found, finite_difference(lambda: loss_of(values), array), message, tolerance=2e-3)


@task("4.4")
def test_log_probs(work):
    values = arrays()
    collection, weights = make_weights(work, values)
    expected = np.zeros((4, len(SENTENCES)))
    for column, sentence in enumerate(SENTENCES):
        expected[: len(sentence) + 1, column] = sentence_log_probs(values, sentence)
    found = work.log_probs(weights, *batch_of(SENTENCES))
    close(found, expected, "log P of each target, and 0 on padding", tolerance=1e-4)
    message = "log_probs must give the same numbers each time: no dropout where a model is evaluated"
    close(work.log_probs(weights, *batch_of(SENTENCES)), found, message)
    rows = [work.log_probs(weights, np.array([[0]]), np.array([[word]]), np.ones((1, 1))) for word in range(V)]
    distribution(np.exp(np.ravel(rows)), "P of every word at the beginning of a sentence", V)


@task("4.4")
def test_a_uniform_model(work):
    collection, weights = make_weights(work, [np.zeros_like(one) for one in arrays()])
    inputs, targets, mask = batch_of(SENTENCES)
    found = np.exp(-np.sum(work.log_probs(weights, inputs, targets, mask)) / mask.sum())
    close(found, float(V), f"the perplexity of a model that knows nothing, with {V} words", tolerance=1e-5)


@task("4.4")
def test_dropout_in_training(work):
    collection, weights = make_weights(work, arrays())
    found = set()
    for _ in range(4):
        dy.renew_cg()
        found.add(round(work.loss(weights, *batch_of(SENTENCES), 0.5).value(), 4))
    check(len(found) > 1, "with dropout 0.5 the training loss must differ from time to time; yours is always the same")


@task("4.4")
def test_two_sentences_are_learnt_by_heart(work):
    collection, weights = make_weights(work, arrays(embedding=4, hidden=8))
    trainer, batch = dy.AdamTrainer(collection, alpha=0.05), batch_of([[2, 5, 3, 4], [4, 3]])

    def step():
        dy.renew_cg()
        batch_loss = work.loss(weights, *batch, 0.0)
        batch_loss.backward()
        trainer.update()
        return batch_loss.value()

    train_until(lambda loss: loss < 2.0, step, collection, 150, "two sentences by heart")


@task("4.4")
def test_the_chapter_agrees(work):
    from chapters.feedforward_lm.model import FeedForwardLM
    from chapters.feedforward_lm.settings import Settings

    settings = Settings(embedding_size=L, hidden_size=H, order=3, dropout=0.0)
    model = FeedForwardLM.from_settings(settings, Vocabulary(f"w{number}" for number in range(2, V)))
    values = arrays()
    model.embedding.init_from_array(values[0])
    ((W_mh, b_h),) = model.layers
    for parameter, value in zip((W_mh, b_h, model.softmax.W, model.softmax.b), values[1:], strict=True):
        parameter.set_value(value)
    batch = make_batch(SENTENCES, range(len(SENTENCES)))
    collection, weights = make_weights(work, values)
    expected = model.log_probs(batch)
    close(work.log_probs(weights, *batch[:3]), expected, "log P of a batch, as chapter 4 has it", tolerance=1e-4)
    dy.renew_cg()
    message = "the loss of a batch, as chapter 4 has it"
    close(work.loss(weights, *batch[:3], 0.0).value(), -float(expected.sum()), message, tolerance=1e-4)
