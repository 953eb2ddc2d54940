"""Exams of chapter 8."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from chapters.attention import attention_priors as attention_priors_module
from common.nn.recurrent import HiddenState
from common.nn.source_attention import Memory
from common.nn.source_scores import BilinearScore
from common.search.decoding import Hypothesis
from common.text.batching import make_batch
from solutions.grading.exam import call, exam, fresh, graph, leaf, padding, parameters, step, trained

MarkovBias = attention_priors_module.MarkovBias
PositionBias = attention_priors_module.PositionBias

SIZES = ((3, 2, 4, 1, 5), (3, 3, 2, 3, 6), (2, 4, 3, 4, 1), (1, 1, 1, 1, 1))
"""Annotation H, query Q, hidden layer A, sentences B, source words S."""


@exam("8.1", 1e-6)
def warm_up(work, draw):
    yield "the context", call(work.context_by_hand)
    for _ in range(4):
        H, Q, A = (draw.integer(1, 300) for _ in range(3))
        for score in ("dot", "bilinear", "mlp"):
            yield f"parameters of {score}", call(work.how_many_parameters, score, H, Q, A)
        yield f"the largest hidden layer, H = {H}, Q = {Q}", call(work.largest_hidden_layer, H, Q)
    for H, Q in [(1, 1), (2, 3), (3, 8), *((draw.integer(1, 12), draw.integer(1, 12)) for _ in range(20))]:
        yield f"the largest hidden layer, H = {H}, Q = {Q}", call(work.largest_hidden_layer, H, Q)


@exam("8.2", 1e-7)
def combined(work, draw):
    for H, Q, A, _, S in SIZES:
        names = {
            "H": draw.array(H, S), "h": draw.array(Q, 1), "W_a": draw.array(H, Q), "W_e": draw.array(A, Q),
            "W_f": draw.array(A, H), "w": draw.array(A, 1), "tanh": np.tanh, "__builtins__": {},
        }  # fmt: skip
        for name in ("bilinear", "mlp"):
            text = call(getattr(work, name))
            result = call(lambda: eval(" ".join(text.split()), dict(names))) if isinstance(text, str) else text
            yield f"{name}, H = {H}, Q = {Q}, A = {A}, S = {S}", result


@exam("8.3", 1e-3)
def scores(work, draw):
    for H, Q, A, B, S in SIZES:
        shapes = ((H, S, B), (H, B), (Q, B), (H, Q), (A, Q), (A, H), (1, A), (A, S, B))
        collection, params = parameters(*(draw.array(*shape) for shape in shapes))
        annotations, alike, query, W_a, W_e, W_f, w, keys = params
        score, case = SimpleNamespace(W_query=W_e, W_source=W_f, w=w), f"H = {H}, Q = {Q}, A = {A}, B = {B}, S = {S}"
        for name, ask, by in (
            ("dot", lambda: work.dot_scores(leaf(annotations), leaf(alike)), (annotations, alike)),
            ("bilinear", lambda: work.bilinear_scores(W_a, leaf(annotations), leaf(query)), params[:4]),
            ("keys", lambda: work.mlp_keys(score, leaf(annotations)), (annotations, W_f)),
            ("mlp", lambda: work.mlp_scores(score, leaf(keys), leaf(query)), (query, W_e, w, keys)),
        ):
            fresh(draw)
            yield f"{name}, {case}", call(lambda: step(ask(), *by))


class Given:
    """A score that is the keys themselves and half the sum of the query."""

    def keys(self, annotations):
        return annotations

    def scores(self, keys, query):
        return keys + dy.sum_elems(query) * 0.5


@exam("8.4", 1e-3)
def looking(work, draw):
    for H, Q, _, B, S in SIZES:
        for lengths in (np.append([S][: B - 1], draw.integers(1, max(S - 1, 1), max(B - 1, 1))), np.full(B, S)):
            case = f"lengths {lengths.tolist()} of {S}"
            fresh(draw)
            given_lengths = lengths.copy()
            yield f"padding, {case}", call(lambda: as_padding(work.padding_scores(given_lengths, S), S, B))
            yield "the lengths stay", bool((given_lengths == lengths).all())
            shapes = ((S, 1, B), (Q, B), (S, 1), (S, 1, B), (H, S, B))
            collection, params = parameters(*(draw.array(*shape, scale=3) for shape in shapes))
            behind = np.arange(S)[:, None, None] >= lengths
            params[0].set_value(params[0].as_array() + 200 + 200 * behind)  # exp(200) is no float32
            numbers, query, bias, biases, annotations = params
            for name, more in (("", 0), (", with a bias", 1), (", with two", 2)):
                fresh(draw)
                result = call(lambda: step(weights(work, params, lengths, more), numbers, *params[2 : 2 + more]))
                yield f"weights, {case}{name}", result
            fresh(draw)
            memory = Memory(leaf(annotations), leaf(numbers), None)
            yield f"the context, {case}", call(lambda: step(work.context(memory, leaf(numbers)), annotations, numbers))
            yield f"dimensions of the context, {case}", call(lambda: len(work.context(memory, leaf(numbers)).dim()[0]))


def as_padding(scores, S, B):
    """Where nothing is padded None is right, and so are zeros."""
    if scores is None or not scores.npvalue().any():
        return np.zeros((S, 1))
    return np.minimum(np.reshape(scores.npvalue(), (S, B), order="F"), 0) * 1e-9


def weights(work, params, lengths, more):
    numbers, query, bias, biases, annotations = params
    (S, _, _) = numbers.shape()
    memory = Memory(leaf(annotations), leaf(numbers), padding(lengths, S) if (lengths < S).any() else None)
    return work.attention_weights(Given(), memory, leaf(query), *[bias.expr(True), leaf(biases)][:more])


class Known:
    """A lexicon of one letter's words."""

    def translate(self, word):
        return word.upper() if word < "c" else None


@exam("8.5", 1e-9)
def unknown(work, draw):
    for number, words in ((4, 3), (3, 6), (6, 2), (1, 1), (0, 3)):
        for extra in (0, 1):
            source = draw.words(words)
            target = [draw.random.choice(["<unk>", "x", "<unk>", "y"]) for _ in range(number)]
            attention = draw.distribution(number + extra, words) if number + extra else np.zeros((0, words))
            hypothesis = Hypothesis(target, draw.number(), bool(extra), attention)
            for lexicon in (None, Known()):
                result = call(work.replace_unknown, hypothesis, source, lexicon)
                yield f"{number} words, {words} of the source, a lexicon: {lexicon is not None}", result
    for target in (["<unk>"], ["x"], []):
        yield "without attention", call(work.replace_unknown, Hypothesis(target, -1.0, True), ["a"])
    yield "a source as a tuple", call(work.replace_unknown, Hypothesis(["<unk>"], -1.0, True, np.ones((1, 1))), ("d",))


@exam("8.6", 1e-3)
def priors(work, draw):
    for words in (5, 8, 2, 1):
        for t in (1, 4, 0):
            collection = dy.ParameterCollection()
            bias = PositionBias(collection, draw.number(0.3, 2))
            bias.strength.set_value(draw.array(1, 1))
            fresh(draw)
            result = call(lambda: step(work.position_scores(bias, words, t), bias.strength, bias.pace))
            yield f"position, {words} words, step {t}", result
        for window in (1, 3, 0):
            collection = dy.ParameterCollection()
            bias = MarkovBias(collection, window)
            bias.jumps.set_value(draw.array(1, 2 * window + 1))
            fresh(draw)
            yield f"jumps, {words} words, D = {window}", call(lambda: step(work.markov_matrix(bias, words), bias.jumps))


class Decoder:
    """Two layers, the upper one with another sign."""

    def __init__(self, U):
        self.U = U

    def project(self, words):
        return words * 2.0

    def step(self, projected, contexts, layers):
        (seen,), (state, _) = contexts, layers
        below = dy.tanh(projected + self.U * dy.concatenate([state.hidden, seen]))
        return [HiddenState(below), HiddenState(below * -1.5)]


class Counted(BilinearScore):
    """It knows how often it made keys."""

    times = 0

    def keys(self, annotations):
        self.times += 1
        return super().keys(annotations)


def model(work, draw, H, V):
    """Weights, the collection, which must be kept, and all parameters but for that of the score."""
    shapes = ((H, 2 * H), (V, H), (V, 2 * H), (V,))
    collection, (U, E, W, b) = parameters(*(draw.array(*shape, scale=2) for shape in shapes))
    score = Counted(collection, H, H, 0.1)
    score.W_a.set_value(draw.array(H, H))
    return work.Weights(score, Decoder(U), E, W, b), collection, [U, E, W, b]


@exam("8.7", 2e-3)
def decoder(work, draw):
    for H, V in ((3, 5), (2, 7), (1, 2)):
        weights, collection, params = model(work, draw, H, V)
        score, b = weights.score, weights.b_s
        for lengths in draw.lengths(0, 4):
            target = make_batch(draw.ids(lengths, V), range(len(lengths)))
            sources = [draw.integer(1, 5) for _ in lengths]
            numbers = draw.array(H, max(sources), len(lengths)), draw.array(H, len(lengths))
            _, memory_params = more = parameters(*numbers)
            case = f"H = {H}, V = {V}, targets {lengths}, sources {sources}"

            def source():
                annotations, first = map(leaf, memory_params)
                return work.Source(annotations, np.array(sources), [HiddenState(first), HiddenState(first * 0.5)])

            fresh(draw)
            before = graph()
            score.times = 0
            yield f"read, {case}", call(lambda: work.decode(weights, source(), target.inputs))
            yield "how often the keys were made", score.times
            fresh(draw)
            result = trained(lambda: work.loss(weights, source(), target), *params, score.W_a, *more[1])
            yield f"the loss and its gradients, {case}", result
            yield "in the graph at hand", graph() - before
            if len(lengths) == 1:
                for most, end in ((6, 0.0), (1, 0.0), (6, -90.0)):
                    b.set_value(b.as_array() + end * (np.arange(V) == 0))
                    fresh(draw)
                    yield f"translated, at most {most}, {case}", call(lambda: work.translate(weights, source(), most))
                b.set_value(b.as_array() - end * (np.arange(V) == 0))
