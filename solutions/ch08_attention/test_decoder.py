"""Graders of decoder.py."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from common.nn.context_decoder import ContextDecoder
from common.nn.dropout import NO_DROPOUT
from common.nn.recurrent import HiddenState
from common.nn.source_attention import BilinearScore
from common.text.batching import Batch, make_batch, pad
from common.text.pair_batching import PairBatch
from common.text.vocab import Vocabulary
from solutions.checks import check, close, equal, task, train_until

MUTANTS = [
    (
        "8.7",
        "step(dy.pick(projected, t, dim=1), [seen], layers)",
        "step(dy.pick(projected, t, dim=1), [nothing_seen(source)], layers)",
    ),
    (
        "8.7",
        "step(dy.pick(projected, t, dim=1), [seen], layers)",
        "step(dy.pick(projected, t, dim=1), [seen], source.layers)",
    ),
    ("8.7", "step(dy.pick(projected, t, dim=1), [seen], layers)", "step(dy.pick(projected, 0, dim=1), [seen], layers)"),
    (
        "8.7",
        "        seen = context(memory, alpha)\n        states.append",
        "        seen = nothing_seen(source)\n        states.append",
    ),
    (
        "8.7",
        "        seen = context(memory, alpha)\n        states.append",
        "        seen = context(memory, alpha) if t == 0 else seen\n        states.append",
    ),
    (
        "8.7",
        " layers[-1].hidden)\n        seen = context(memory, alpha)\n        states",
        " layers[0].hidden)\n        seen = context(memory, alpha)\n        states",
    ),
    (
        "8.7",
        " layers[-1].hidden)\n        seen = context(memory, alpha)\n        states",
        " source.layers[-1].hidden)\n        seen = context(memory, alpha)\n        states",
    ),
    ("8.7", "padding_scores(source.lengths, time))", "None)"),
    ("8.7", "weights.score.keys(source.annotations)", "dy.nobackprop(weights.score.keys(source.annotations))"),
    (
        "8.7",
        "dy.concatenate([dy.concatenate_cols(states), dy.concatenate_cols(contexts)])",
        "dy.concatenate([dy.concatenate_cols(contexts), dy.concatenate_cols(states)])",
    ),
    (
        "8.7",
        "dy.concatenate([dy.concatenate_cols(states), dy.concatenate_cols(contexts)])",
        "dy.concatenate([dy.concatenate_cols(states), dy.concatenate_cols([nothing_seen(source), *contexts[:-1]])])",
    ),
    ("8.7", "dy.affine_transform([weights.b_s, weights.W_hs, fold_time(both)])", "weights.W_hs * fold_time(both)"),
    ("8.7", "embed(weights.embedding, inputs.T.ravel()", "embed(weights.embedding, inputs.ravel()"),
    ("8.7", "decode(weights, source, target.inputs)", "decode(weights, source, target.targets)"),
    (
        "8.7",
        "return masked_sum(negative_log_probs(logits, target.targets), target.mask)",
        "return masked_sum(negative_log_probs(logits, target.targets), np.ones_like(target.mask))",
    ),
    (
        "8.7",
        "return masked_sum(negative_log_probs(logits, target.targets), target.mask)",
        "return masked_sum(negative_log_probs(logits, target.targets), target.mask) * (1 / float(target.mask.sum()))",
    ),
    ("8.7", "[ids[-1] if ids else 0]", "[0]"),
    ("8.7", ".npvalue().argmax())", ".npvalue().argmin())"),
    ("8.7", "if best == 0:", "if best < 0:"),
    ("8.7", "while len(ids) < most:", "while len(ids) <= most:"),
    ("8.7", "        rows.append(alpha.npvalue().ravel())\n", ""),
    ("8.7", "dy.concatenate([layers[-1].hidden, seen]) + weights.b_s", "dy.concatenate([layers[-1].hidden, seen])"),
]

H, V = 2, 4
SHAPES = [(3, H), (H, H), (V, H), (V, 2 * H), (V,)]


class Decoder:
    """Two layers, plain enough to be written out in NumPy: below, tanh(m_t + U [itself before; c_{t-1}]); above, h_t,
    the same with its sign turned round."""

    def __init__(self, U):
        self.U = U

    def project(self, words):
        return words

    def step(self, projected, contexts, layers):
        (seen,), (state, _) = contexts, layers
        below = dy.tanh(projected + self.U * dy.concatenate([state.hidden, seen]))
        return [HiddenState(below), HiddenState(-below)]


class Model:
    """All numbers once as NumPy arrays and once as parameters."""

    def __init__(self, work, scale=1.0, seed=2):
        rng = np.random.default_rng(seed)
        self.W_a, self.U, self.E, self.W, self.b = self.arrays = [
            scale * rng.normal(size=size) for size in ((H, H), (H, 2 * H), (V, H), (V, 2 * H), (V,))
        ]
        self.collection = dy.ParameterCollection()
        self.score = BilinearScore(self.collection, H, H, 0.1)
        self.score.W_a.set_value(self.W_a)
        U, E, W, b = (
            self.collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in self.arrays[1:]
        )
        self.learnt = {"W_a": self.score.W_a, "the decoder": U, "the embedding": E, "W_hs": W, "b_s": b}
        self.weights = work.Weights(self.score, Decoder(U), E, W, b)

    def steps(self, annotations, first, inputs):
        """Of one sentence, annotations (H, S): the arguments of the softmax (T, V) and the weights (T, S)."""
        below, c, logits, alphas = first, np.zeros(H), [], []
        for word in inputs:
            below = np.tanh(self.E[word] + self.U @ np.concatenate([below, c]))
            h = -below
            shares = np.exp(annotations.T @ self.W_a @ h)
            alphas.append(shares / shares.sum())
            c = annotations @ alphas[-1]
            logits.append(self.W @ np.concatenate([h, c]) + self.b)
        return np.array(logits), np.array(alphas)


def read_source(work, lengths, seed=3):
    """A source whose padding holds numbers too, as arrays and as the student's Source."""
    rng = np.random.default_rng(seed)
    annotations, first = rng.normal(size=(H, max(lengths), len(lengths))), rng.normal(size=(H, len(lengths)))
    layers = [HiddenState(input_batch(first)), HiddenState(input_batch(-first))]
    given = work.Source(input_batch(annotations), np.array(lengths), layers)
    return annotations, first, given


def shaped(found, dimensions, batch, what):
    check(isinstance(found, dy.Expression), f"{what} must be an expression, not its value")
    own, own_batch = found.dim()
    right = own + (1,) * (len(dimensions) - len(own)) == dimensions and own_batch == batch
    check(right, f"{what} must be {dimensions} x {batch}, yours is {own} x {own_batch}")
    return np.reshape(found.npvalue(), (*dimensions, batch), order="F")


@task("8.7")
def test_every_step_by_its_equations(work):
    for lengths, time in (([1], 1), ([3], 4), ([1, 1], 2), ([2, 4, 1], 3)):
        dy.renew_cg()
        model, (annotations, first, source) = Model(work), read_source(work, lengths)
        inputs = np.random.default_rng(5).integers(V, size=(time, len(lengths)))
        what = f"sources of {lengths} words, {time} steps"
        found = work.decode(model.weights, source, inputs)
        check(
            isinstance(found, (list, tuple)) and len(found) == 2,
            "decode gives two things: the logits and the attention",
        )
        logits = shaped(found[0], (V,), time * len(lengths), f"{what}: the arguments of the softmax")
        attention = shaped(found[1], (max(lengths), time), len(lengths), f"{what}: the attention")
        for b, length in enumerate(lengths):
            check(np.abs(attention[length:, :, b]).sum() < 1e-6, f"{what}: padding may not be attended to")
            own_logits, alphas = model.steps(annotations[:, :length, b], first[:, b], inputs[:, b])
            for t in range(time):
                message = f"{what}: sentence {b + 1}, step {t + 1}, its weights: h_t, made with c_{{t-1}}, asks"
                close(attention[:length, t, b], alphas[t], message, tolerance=1e-4)
                message = (
                    f"{what}: step {t + 1} of sentence {b + 1}: the decoder reads c_{{t-1}}, and the softmax has "
                    "h_t above c_t, and the bias"
                )
                close(logits[:, b * time + t], own_logits[t], message, tolerance=1e-4)


@task("8.7")
def test_the_source_is_read(work):
    model, (annotations, _, source) = Model(work), read_source(work, [3])
    inputs = np.array([[0], [2]])
    before = work.decode(model.weights, source, inputs)[0].npvalue()
    other = source._replace(annotations=input_batch(annotations + 0.5))
    change = np.abs(work.decode(model.weights, other, inputs)[0].npvalue() - before).max(axis=0)
    message = "another source with the same first state must change the prediction of every step; is the context used?"
    check((change > 1e-4).all(), message)


@task("8.7")
def test_loss_of_a_batch_is_that_of_its_pairs(work):
    lengths, targets = [2, 4, 1], [[2, 3, 1], [], [3]]
    model, (annotations, first, source) = Model(work), read_source(work, lengths)
    found = work.loss(model.weights, source, make_batch(targets, [0, 1, 2])).npvalue()
    expected = 0.0
    for b, (length, target) in enumerate(zip(lengths, targets, strict=True)):
        logits, _ = model.steps(annotations[:, :length, b], first[:, b], [0, *target])
        log_probs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        expected -= sum(log_probs[t, word] for t, word in enumerate([*target, 0]))
    message = "pairs of unequal lengths: the sum of -log P of each word and each </s>, nothing of padding, and no mean"
    close(np.ravel(found), np.array([expected]), message, tolerance=1e-4)


@task("8.7")
def test_nothing_learnt_is_uniform(work):
    model, (_, _, source) = Model(work, scale=0.0), read_source(work, [2, 4])
    target = make_batch([[2, 3], [1]], [0, 1])
    message = "with all weights zero, each of the 5 real predictions costs log V"
    close(
        np.ravel(work.loss(model.weights, source, target).npvalue()), np.array([5 * np.log(V)]), message, tolerance=1e-4
    )


@task("8.7")
def test_everything_learns(work):
    model, (_, _, source) = Model(work), read_source(work, [2, 4, 3])
    loss = work.loss(model.weights, source, make_batch([[2, 3, 1], [3, 3], [1]], [0, 1, 2]))
    loss.value()
    loss.backward()
    for name, parameter in model.learnt.items():
        message = f"{name} gets no gradient: does the loss go through attention and decoder, in expressions only?"
        check(np.abs(parameter.grad_as_array()).max() > 1e-6, message)


def biased(model, best):
    """b_s such that one word is the most probable one whatever happens."""
    model.b = np.where(np.arange(V) == best, 50.0, 0.0)
    model.learnt["b_s"].set_value(model.b)


@task("8.7")
def test_greedy_search(work):
    for seed in range(12):
        dy.renew_cg()
        model, (annotations, first, source) = Model(work, seed=seed), read_source(work, [3], seed)
        expected: list[int] = []
        while len(expected) < 6:
            logits, alphas = model.steps(annotations[:, :, 0], first[:, 0], [0, *expected])
            best = int(logits[-1].argmax())
            if best == 0:
                break
            expected.append(best)
        ids, attention = work.translate(model.weights, source, 6)
        message = "greedy search: the most probable word of each step is read by the next one, until </s> or 6 words"
        equal(ids, expected, message)
        close(
            attention, alphas[: len(expected) + (best == 0)], "what each step attended to, a row each", tolerance=1e-4
        )


@task("8.7")
def test_the_end_of_greedy_search(work):
    model, (_, _, source) = Model(work), read_source(work, [2])
    biased(model, 0)
    ids, attention = work.translate(model.weights, source, 5)
    equal(ids, [], "</s> is the best word at once: it ends the translation, and is not one of its words")
    equal(np.shape(attention), (1, 2), "</s> at once: one step was made, which attended to two words")
    dy.renew_cg()
    model, (_, _, source) = Model(work), read_source(work, [2])
    biased(model, 3)
    ids, attention = work.translate(model.weights, source, 3)
    equal(ids, [3, 3, 3], "</s> never is the best word: it ends after `most` = 3 words")
    equal(np.shape(attention), (3, 2), "three words: three steps were made")


@task("8.7")
def test_two_sentences_can_be_learnt_by_heart(work):
    """One matrix a source, and the same first state: only attention can tell the sources apart."""
    collection = dy.ParameterCollection()
    size, sources, targets = 8, np.random.default_rng(1).normal(size=(8, 3, 2)), [[2, 3], [3, 1, 2]]
    score = BilinearScore(collection, size, size, 0.5)
    E, W = (collection.add_parameters(shape, init=0.5) for shape in ((V, size), (V, 2 * size)))
    for parameter in (E, W):
        parameter.set_value(np.random.default_rng(2).normal(size=parameter.shape()) * 0.4)
    weights = work.Weights(
        score, ContextDecoder(collection, "gru", size, 1, 0.5, [size]), E, W, collection.add_parameters(V, init=0)
    )
    trainer = dy.AdamTrainer(collection, 0.03)

    def read(columns):
        count = sources[:, :, columns].shape[2]
        layers = [HiddenState(dy.zeros((size,), batch_size=count))]
        return work.Source(input_batch(sources[:, :, columns]), np.full(count, 3), layers)

    def step():
        dy.renew_cg()
        loss = work.loss(weights, read([0, 1]), make_batch(targets, [0, 1]))
        loss.backward()
        trainer.update()
        return loss.value()

    train_until(
        lambda loss: loss < 1.0, step, collection, 150, "two pairs by heart; is the source read through the context?"
    )
    for number, target in enumerate(targets):
        dy.renew_cg()
        message = "two pairs that are known by heart must be translated as they were read"
        equal(work.translate(weights, read([number]), 5)[0], target, message)


@task("8.7")
def test_the_chapter_agrees(work):
    from chapters.attention.model import AttentionalModel
    from chapters.attention.settings import Settings

    settings = Settings(hidden_size=4, layers=2, dropout=0.0, init_scale=0.9)
    model = AttentionalModel.from_settings(settings, Vocabulary(["hen", "ox"]), Vocabulary(["ba", "do"]))
    target: Batch = make_batch([[2, 3, 1], [3], []], [0, 1, 2])
    batch = PairBatch(*pad([[2, 3], [3, 2, 1, 2], [1]]), target)
    expected = model.loss(batch).npvalue()
    from chapters.attention.model import Source as encoder

    state = model.start(encoder.padded(model.source_embedding, batch.source, batch.source_mask), NO_DROPOUT)
    weights = work.Weights(model.score, model.decoder, model.embedding, model.embedding * model.W_o, model.b_s)
    source = work.Source(state.source.memory.annotations, np.array([2, 4, 1]), state.layers)
    close(
        np.ravel(work.loss(weights, source, target).npvalue()),
        np.ravel(expected),
        "the chapter's loss of three pairs",
        tolerance=1e-4,
    )
