"""Graders of whole_step.py."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from common.nn.dropout import NO_DROPOUT
from common.nn.recurrent import HiddenState
from common.nn.source_attention import padding_scores
from common.text.batching import make_batch, pad
from common.text.pair_batching import PairBatch
from common.text.vocab import Vocabulary
from solutions.checks import check, close, task

MUTANTS = [
    (
        "9.6",
        "zip(weights.scores, (source.annotations, source.words), strict=True)",
        "zip(weights.scores, (source.annotations, source.annotations), strict=True)",
    ),
    (
        "9.6",
        "zip(weights.scores, (source.annotations, source.words), strict=True)",
        "zip(weights.scores, (source.words, source.annotations), strict=True)",
    ),
    (
        "9.6",
        "zip(weights.scores, (source.annotations, source.words), strict=True)",
        "zip([weights.scores[0]] * 2, (source.annotations, source.words), strict=True)",
    ),
    ("9.6", "before, looked_at, source.padding)", "before, looked_at)"),
    ("9.6", "[context for _, context in looks]", "[dy.nobackprop(context) for _, context in looks]"),
    ("9.6", "before, looked_at, source.padding)", "word, looked_at, source.padding)"),
    ("9.6", "o = gate(weights, Word(word), before, contexts)", "o = gate(weights, Word(before), word, contexts)"),
    ("9.6", "o = gate(weights, Word(word), before, contexts)", "o = gate(weights, Word(word), before, contexts[::-1])"),
    ("9.6", "word, after[-1].hidden, gated_contexts(o, contexts))", "word, before, gated_contexts(o, contexts))"),
    ("9.6", "word, after[-1].hidden, gated_contexts(o, contexts))", "word, after[-1].hidden, contexts)"),
    (
        "9.6",
        "gated_state(weights.decoder, projected, layers, o, contexts)",
        "gated_state(weights.decoder, projected, layers, o, gated_contexts(o, contexts))",
    ),
    ("9.6", "looks[0][0], looks[1][0], o)", "looks[1][0], looks[0][0], o)"),
    ("9.6", "looks[0][0], looks[1][0], o)", "looks[0][0], looks[1][0], -o + 1)"),
    ("9.6", "        layers = found.layers\n", ""),
    ("9.6", "inputs.tolist())", "targets.tolist())"),
    (
        "9.6",
        "losses.append(-dy.cmult(chosen, dy.reshape(dy.inputTensor(mask), (1,), len(mask))))",
        "losses.append(-chosen)",
    ),
    ("9.6", "losses.append(-dy", "losses.append(dy"),
    ("9.6", "dy.sum_batches(dy.esum(losses))", "dy.sum_batches(dy.esum(losses)) * (1 / float(target.mask.sum()))"),
]

H, V = 2, 4
SIZES = {
    "embedding": (V, H),
    **{f"{name}{number}": (H, H) for number in (0, 1) for name in ("W_query", "W_source", "C_o")},
    "w0": (1, H),
    "w1": (1, H),
    "W_o": (H, H),
    "U_o": (H, H),
    "decoder": (H, 3 * H),
    "W_g": (H, 4 * H),
    "b_g": (H,),
    "b_s": (V,),
}


class Decoder:
    """s_i = tanh(y_{i-1} + U [s_{i-1}; a; b]): plain enough to be written out in NumPy."""

    def __init__(self, U):
        self.U = U

    def project(self, words):
        return words

    def step(self, projected, contexts, layers):
        return [HiddenState(dy.tanh(projected + self.U * dy.concatenate([layers[-1].hidden, *contexts])))]


class Model:
    """All numbers once as NumPy arrays and once as parameters."""

    def __init__(self, work, scale=0.9, seed=2):
        rng = np.random.default_rng(seed)
        self.arrays = {name: scale * rng.normal(size=size) for name, size in SIZES.items()}
        self.collection = dy.ParameterCollection()
        self.learnt = {
            name: self.collection.add_parameters(one.shape, init=dy.NumpyInitializer(one))
            for name, one in self.arrays.items()
        }
        own = SimpleNamespace(**self.learnt)
        scores = [
            SimpleNamespace(**{name: self.learnt[f"{name}{number}"] for name in ("W_query", "W_source", "w")})
            for number in (0, 1)
        ]
        C_o, decoder = [own.C_o0, own.C_o1], Decoder(own.decoder)
        self.weights = work.Weights(own.embedding, scores, own.W_o, own.U_o, C_o, decoder, own.W_g, own.b_g, own.b_s)

    def look(self, number, asking, seen):
        """Eq. 1 and 2 with one of the scores: seen (H, S)."""
        W, U, v = (self.arrays[f"{name}{number}"] for name in ("W_query", "W_source", "w"))
        shares = np.exp([v[0] @ np.tanh(W @ asking + U @ one) for one in seen.T])
        return shares / shares.sum(), seen @ shares / shares.sum()

    def step(self, annotations, words, before, word):
        """Eq. 1 to 6 for one sentence: the new state, log P, alpha, beta and the gate."""
        one = SimpleNamespace(**self.arrays)
        y = one.embedding[word]
        (alpha, c_alpha), (beta, c_beta) = self.look(0, before, annotations), self.look(1, before, words)
        o = 1 / (1 + np.exp(-(one.W_o @ y + one.U_o @ before + one.C_o0 @ c_alpha + one.C_o1 @ c_beta)))
        gated = [o * c_alpha, (1 - o) * c_beta]
        state = np.tanh(y + one.decoder @ np.concatenate([before, *gated]))
        logits = one.embedding @ (one.W_g @ np.concatenate([y, state, *gated]) + one.b_g) + one.b_s
        return state, logits - np.log(np.exp(logits).sum()), alpha, beta, o


def read_source(work, lengths, seed=3):
    """Annotations and words (H, S, B), in which padding has numbers too, first states (H, B), the student's Source."""
    rng = np.random.default_rng(seed)
    annotations, words = rng.normal(size=(2, H, max(lengths), len(lengths)))
    first = rng.normal(size=(H, len(lengths)))
    padding = padding_scores(np.array(lengths), max(lengths))
    return annotations, words, first, work.Source(input_batch(annotations), input_batch(words), padding)


def numbers(found, dimensions, batch, what):
    check(isinstance(found, dy.Expression), f"{what} is an expression, not its value")
    own, own_batch = found.dim()
    check(
        own == dimensions and own_batch == batch, f"{what} must be {dimensions} x {batch}, yours is {own} x {own_batch}"
    )
    return np.reshape(found.npvalue(), (dimensions[0], batch), order="F")


@task("9.6")
def test_a_step_by_its_equations(work):
    for lengths in ([1], [3], [2, 4, 1]):
        dy.renew_cg()
        model, (annotations, words, first, source) = Model(work), read_source(work, lengths)
        S, B = max(lengths), len(lengths)
        read = [1 + b % (V - 1) for b in range(B)]
        found = work.step(model.weights, source, [HiddenState(input_batch(first))], read)
        check(isinstance(found, work.Step), "a step gives a Step(layers, log_probs, alpha, beta, gate)")
        alpha, beta = numbers(found.alpha, (S, 1), B, "alpha"), numbers(found.beta, (S, 1), B, "beta")
        gate, state = numbers(found.gate, (H,), B, "the gate"), numbers(found.layers[-1].hidden, (H,), B, "s_i")
        predicted = numbers(found.log_probs, (V,), B, "log_probs")
        for b, length in enumerate(lengths):
            expected = model.step(annotations[:, :length, b], words[:, :length, b], first[:, b], read[b])
            what = f"sources of {lengths} words, sentence {b + 1}"
            check(
                np.abs(alpha[length:, b]).sum() < 1e-6, f"{what}: padding may not be attended to, in either attention"
            )
            check(np.abs(beta[length:, b]).sum() < 1e-6, f"{what}: padding may not be attended to, in either attention")
            close(
                alpha[:length, b], expected[2], f"{what}: alpha, s_{{i-1}} asks, with scores[0], the annotations", 1e-4
            )
            close(beta[:length, b], expected[3], f"{what}: beta, s_{{i-1}} asks, with scores[1], the embeddings", 1e-4)
            close(gate[:, b], expected[4], f"{what}: the gate, of y_{{i-1}}, s_{{i-1}} and the contexts as found", 1e-4)
            close(state[:, b], expected[0], f"{what}: s_i, which reads the contexts as gated, once", 1e-4)
            message = f"{what}: log P from y_{{i-1}}, the new state s_i, and the contexts as gated"
            close(predicted[:, b], expected[1], message, 1e-4)


@task("9.6")
def test_both_sides_of_the_source_are_read(work):
    model, (annotations, words, first, source) = Model(work), read_source(work, [3])
    layers = [HiddenState(input_batch(first))]
    before = work.step(model.weights, source, layers, [2]).log_probs.npvalue()
    for name, one in (("annotations", annotations), ("words", words)):
        other = source._replace(**{name: input_batch(one + 0.5)})
        change = np.abs(work.step(model.weights, other, layers, [2]).log_probs.npvalue() - before).max()
        check(change > 1e-4, f"other {name} must give another prediction; are they attended to?")


@task("9.6")
def test_a_closed_gate_forgets_a_context(work):
    for sign, name in ((1.0, "words"), (-1.0, "annotations")):
        dy.renew_cg()
        model = Model(work)
        model.learnt["W_o"].set_value(np.full((H, H), 500.0 * sign))
        model.learnt["embedding"].set_value(np.full((V, H), 1.0))
        annotations, words, first, source = read_source(work, [3])
        layers = [HiddenState(input_batch(first))]
        before = work.step(model.weights, source, layers, [2]).log_probs.npvalue()
        other = source._replace(**{name: input_batch((words if name == "words" else annotations) + 0.5)})
        found = work.step(model.weights, other, layers, [2]).log_probs.npvalue()
        close(
            found, before, f"a gate of {max(sign, 0):.0f} everywhere: other {name} may change nothing", tolerance=1e-5
        )


@task("9.6")
def test_loss_of_a_batch_is_that_of_its_pairs(work):
    lengths, targets = [2, 4, 1], [[2, 3, 1], [], [3]]
    model, (annotations, words, first, source) = Model(work), read_source(work, lengths)
    layers = [HiddenState(input_batch(first))]
    found = work.loss(model.weights, source, layers, make_batch(targets, [0, 1, 2]))
    expected = 0.0
    for b, (length, target) in enumerate(zip(lengths, targets, strict=True)):
        state = first[:, b]
        for read, wanted in zip([0, *target], [*target, 0], strict=True):
            state, predicted, *_ = model.step(annotations[:, :length, b], words[:, :length, b], state, read)
            expected -= predicted[wanted]
    message = "pairs of unequal lengths: the sum of -log P of each word and each </s>, nothing of padding, and no mean"
    close(np.ravel(found.npvalue()), np.array([expected]), message, tolerance=1e-4)


@task("9.6")
def test_everything_learns(work):
    model, (_, _, first, source) = Model(work), read_source(work, [2, 4, 3])
    target = make_batch([[2, 3, 1], [3, 3], [1]], [0, 1, 2])
    loss = work.loss(model.weights, source, [HiddenState(input_batch(first))], target)
    loss.value()
    loss.backward()
    for name, parameter in model.learnt.items():
        message = (
            f"{name} gets no gradient (0 and 1 stand for annotations and words): is it used, and in expressions only?"
        )
        check(np.abs(parameter.grad_as_array()).max() > 1e-6, message)


@task("9.6")
def test_the_chapter_agrees(work):
    from chapters.word_attention import model as module
    from chapters.word_attention.settings import Settings

    settings = Settings(hidden_size=4, layers=2, dropout=0.0, init_scale=0.9, query="state")
    model = module.WordAttentionModel.from_settings(settings, Vocabulary(["hen", "ox"]), Vocabulary(["ba", "do"]))
    batch = PairBatch(*pad([[2, 3], [3, 2, 1, 2], [1]]), make_batch([[2, 3, 1], [3], []], [0, 1, 2]))
    expected = model.loss(batch).npvalue()
    read = module.Source.padded(model.source_embedding, batch.source, batch.source_mask)
    state = model.start(read, NO_DROPOUT)
    source = work.Source(state.memories[0].annotations, read.words, state.memories[0].padding)
    gate = model.W_o, model.U_o, model.C_o
    weights = work.Weights(model.embedding, model.scores, *gate, model.decoder, model.W_g, model.b_g, model.b_s)
    found = work.loss(weights, source, state.layers, batch.target).npvalue()
    close(np.ravel(found), np.ravel(expected), "the chapter's loss of three pairs", tolerance=1e-4)
