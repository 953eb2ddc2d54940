"""Exams of chapter 9."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.nn.recurrent import HiddenState
from common.nn.source_attention import MLPScore
from common.text.batching import make_batch
from solutions.grading.exam import (
    call,
    exam,
    fresh,
    gradients,
    graph,
    leaf,
    padding,
    parameters,
    plain,
    step,
    trained,
    weighted,
)

SIZES = ((2, 1), (3, 4), (1, 1))
"""Size of all vectors, sentences in the batch."""


@exam("9.1", 1e-6)
def warm_up(work, draw):
    yield "what the decoder reads", call(work.what_the_decoder_reads)
    for H in (draw.integer(2, 9), draw.integer(10, 900), 1):
        for variant in ("word", "gates"):
            yield f"more parameters of {variant}, H = {H}", call(work.more_parameters, variant, H)


@exam("9.2", 1e-3)
def word_context(work, draw):
    sizes = ((3, 2, 4, 1, 5, 1), (3, 3, 2, 3, 6, 2), (2, 2, 3, 2, 4, 90), (2, 4, 3, 4, 1, 2), (1, 1, 1, 1, 1, 1))
    for H, Q, A, B, S, scale in sizes:
        collection, params = parameters(
            draw.array(A, Q), draw.array(A, H), draw.array(1, A, scale=scale), draw.array(Q, B), draw.array(H, S, B)
        )
        learnt = params if scale < 90 else ()  # of scores that large, a gradient is rounding
        lengths = np.append([S][: B - 1], draw.integers(1, max(S - 1, 1), max(B - 1, 1)))
        for padded in (False, True):
            fresh(draw)

            def ask():
                *weights, state, words = params
                scores = padding(lengths, S) if padded else None
                beta, context = work.word_attention(*weights, leaf(state), leaf(words), scores)
                total = dy.esum([weighted(beta), weighted(context)])
                return [plain(beta), plain(context), gradients(total, *learnt), len(context.dim()[0])]

            case = f"H = {H}, Q = {Q}, A = {A}, lengths {lengths.tolist()} of {S}, padding given: {padded}"
            yield case, call(ask)


@exam("9.3", 1e-3)
def gate(work, draw):
    for H, B in SIZES:
        collection, params = parameters(*(draw.array(H, H) for _ in range(4)), *(draw.array(H, B) for _ in range(4)))
        W_o, U_o, C_alpha, C_beta, *vectors = params
        model = SimpleNamespace(W_o=W_o, U_o=U_o, C_o=[C_alpha, C_beta])
        fresh(draw)

        def ask():
            word, before, *contexts = map(leaf, vectors)
            return step(work.gate(model, work.Word(word), before, contexts), *params)

        yield f"H = {H}, B = {B}", call(ask)


class Recorded:
    """A decoder of one layer, or of two; it is no sum, so that places may not be exchanged."""

    def __init__(self, W):
        self.W = W

    def project(self, words):
        return words * 2.0

    def step(self, projected, contexts, layers):
        a, b = contexts
        first = dy.tanh(projected + self.W * a + dy.square(b) + layers[0].hidden)
        return [HiddenState(first), *(HiddenState(dy.cmult(layer.hidden, first)) for layer in layers[1:])]


@exam("9.4", 1e-3)
def gated(work, draw):
    for H, B in SIZES:
        for number in (1, 2):
            collection, params = parameters(draw.array(H, H), *(draw.array(H, B) for _ in range(6)))
            W, *vectors = params

            def ask(function):
                gate, alpha, beta, projected, *layers = map(leaf, vectors)
                contexts, last = [alpha, beta], 4 if function == "contexts" else 5 + number
                if function == "contexts":
                    result = list(work.gated_contexts(gate, contexts))
                else:
                    states = [HiddenState(state) for state in layers[:number]]
                    after = work.gated_state(Recorded(W), projected, states, gate, contexts)
                    result = [layer.hidden for layer in after]
                return [
                    contexts[0] is alpha,
                    contexts[1] is beta,
                    *(plain(state) for state in result),
                    gradients(weighted(dy.concatenate(list(result))), *params[1:last]),
                ]

            for function in ("contexts", "state"):
                fresh(draw)
                yield f"gated {function}, H = {H}, B = {B}, {number} layers", call(ask, function)


@exam("9.5", 1e-3)
def output(work, draw):
    for H, B, V in ((2, 1, 5), (3, 4, 4), (2, 3, 9), (1, 1, 2)):
        shapes = ((H, 4 * H), (H,), (V, H), (V,), *(((H, B),) * 4))
        collection, params = parameters(*(draw.array(*shape) for shape in shapes))
        for scale in (1, 40):
            params[3].set_value(draw.array(V, scale=scale))
            fresh(draw)

            def ask():
                word, state, *contexts = map(leaf, params[4:])
                return [*step(work.log_probs(*params[:4], word, state, contexts), *params), len(contexts)]

            yield f"log P, H = {H}, B = {B}, V = {V}, biases of the size {scale}", call(ask)


def model(work, draw, H, V):
    """Weights, the collection, which must be kept, and all parameters."""
    shapes = [(V, H), *[(H, H), (H, H), (1, H)] * 2, *[(H, H)] * 5, (H, 4 * H), (H,), (V,)]
    collection, params = parameters(*(draw.array(*shape) for shape in shapes))
    scores = [MLPScore(dy.ParameterCollection(), H, H, H, 0.1) for _ in range(2)]
    for score, start in zip(scores, (1, 4), strict=True):
        score.W_query, score.W_source, score.w = params[start : start + 3]
    W_o, U_o, C_alpha, C_beta, W, W_g, b_g, b_s = params[7:]
    weights = work.Weights(params[0], scores, W_o, U_o, [C_alpha, C_beta], Recorded(W), W_g, b_g, b_s)
    return weights, collection, params


@exam("9.6", 2e-3)
def whole_step(work, draw):
    for H, V in ((3, 5), (2, 7), (1, 2)):
        weights, collection, params = model(work, draw, H, V)
        for lengths in draw.lengths(0, 4):
            target = make_batch(draw.ids(lengths, V), range(len(lengths)))
            sources = [draw.integer(1, 5) for _ in lengths]
            B, S = len(lengths), max(sources)
            _, memory_params = more = parameters(
                draw.array(H, S, B), draw.array(H, S, B), draw.array(H, B), draw.array(H, B)
            )
            case = f"H = {H}, V = {V}, targets {lengths}, sources {sources}"

            def source():
                annotations, words, *layers = map(leaf, memory_params)
                scores = padding(np.array(sources), S) if min(sources) < S else None
                return work.Source(annotations, words, scores), [HiddenState(layer) for layer in layers]

            def ask():
                result = work.step(weights, *source(), target.inputs[-1].tolist())
                return [*(plain(part.hidden) for part in result.layers), *(plain(part) for part in result[1:])]

            fresh(draw)
            before = graph()
            yield f"a step, {case}", call(ask)
            fresh(draw)
            result = trained(lambda: work.loss(weights, *source(), target), *params, *more[1])
            yield f"the loss and its gradients, {case}", result
            yield "in the graph at hand", graph() - before
