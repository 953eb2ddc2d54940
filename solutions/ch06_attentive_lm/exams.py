"""Exams of chapter 6."""

import dynet as dy
import numpy as np

from common.nn.recurrent import LSTM
from common.text.batching import make_batch
from solutions.grading.exam import call, exam, fresh, graph, leaf, parameters, plain, step, trained

SIZES = ((1, 1, 1, 1), (3, 2, 1, 4), (2, 4, 3, 3), (4, 3, 2, 6))
"""Hidden size, attention size, sentences in the batch, steps."""


@exam("6.1", 1e-6)
def warm_up(work, draw):
    yield "the context", call(work.context_at_step_three)
    for score in ("single", "combined"):
        for words in (0, 1, draw.integer(2, 40)):
            yield f"{score} scores of {words} words", call(work.scores_of_a_sentence, words, score)
            yield f"more parameters, {score}", call(work.more_parameters, draw.integer(1, 500), score)


@exam("6.2", 1e-3)
def single(work, draw):
    for H, A, batch, time in SIZES:
        collection, (v, W, past) = parameters(draw.array(1, A), draw.array(A, H), draw.array(H, time, batch))
        fresh(draw)
        result = call(lambda: step(work.single_scores(v.expr(True), W.expr(True), leaf(past)), v, W, past))
        yield f"H = {H}, A = {A}, B = {batch}, T = {time}", result


@exam("6.3", 1e-3)
def combined(work, draw):
    for H, A, batch, time in SIZES:
        for asking in (1, time, 5):
            arrays = [draw.array(*shape) for shape in ((1, A), (A, H), (A, H), (H, time, batch), (H, asking, batch))]
            collection, (v, W, W_q, past, queries) = params = parameters(*arrays)
            fresh(draw)
            result = call(
                lambda: step(
                    work.combined_scores(*(param.expr(True) for param in (v, W, W_q)), leaf(past), leaf(queries)),
                    *params[1],
                )
            )
            yield f"H = {H}, A = {A}, B = {batch}, T = {time}, Q = {asking}", result


@exam("6.4", 1e-3)
def looking_back(work, draw):
    for H, _, batch, time in SIZES:
        for asking in (1, time):
            for scale in (1, 300):
                collection, (scores,) = parameters(draw.array(time, asking, batch, scale=scale))
                fresh(draw)
                result = call(lambda: step(work.causal_weights(leaf(scores), time), scores))
                yield f"weights of scores ({time}, {asking}) x {batch}, of the size {scale}", result
        for asking in (1, 4):
            collection, (past, weights) = params = parameters(
                draw.array(H, time, batch), draw.array(time, asking, batch)
            )
            fresh(draw)
            result = call(lambda: step(work.contexts(leaf(past), leaf(weights)), *params[1]))
            yield f"contexts, H = {H}, T = {time}, Q = {asking}, B = {batch}", result


@exam("6.5", 1e-3)
def merging(work, draw):
    for H, M, batch, time in SIZES:
        shapes = ((M, 2 * H), (M,), (H, time, batch), (H, time, batch))
        collection, (W_c, b_c, states, contexts) = params = parameters(*(draw.array(*shape) for shape in shapes))
        fresh(draw)
        result = call(
            lambda: step(work.merge(W_c.expr(True), b_c.expr(True), leaf(states), leaf(contexts)), *params[1])
        )
        yield f"merged, H = {H}, M = {M}, B = {batch}, T = {time}", result
        shapes = ((time + 1, M), (time + 1,), (M, batch))
        collection, (embedding, bias, states) = params = parameters(*(draw.array(*shape) for shape in shapes))
        fresh(draw)
        result = call(lambda: step(work.tied_logits(embedding.expr(True), bias.expr(True), leaf(states)), *params[1]))
        yield f"logits, V = {time + 1}, M = {M}, N = {batch}", result


def model(work, draw, V, H, single):
    """Weights, the collection, which must be kept, and all parameters that learn."""
    collection = dy.ParameterCollection()
    lstm = LSTM(collection, H, H, 0.1)
    for param in (lstm.W_x, lstm.W_h, lstm.b):
        param.set_value(draw.array(*param.shape()))
    shapes = ((V, H), (1, H), (H, H), (H, H), (H, 2 * H), (H,), (V,))
    params = [collection.add_parameters(shape, init=dy.NumpyInitializer(draw.array(*shape))) for shape in shapes]
    weights = work.Weights(lstm, *params)
    if single:
        del params[3]
        weights = weights._replace(W_q=None)
    return weights, collection, [lstm.W_x, lstm.W_h, lstm.b, *params]


@exam("6.6", 2e-3)
def attentive(work, draw):
    for V, H in ((2, 1), (5, 3), (7, 2)):
        for single in (True, False):
            weights, collection, params = model(work, draw, V, H, single)
            for lengths in draw.lengths(0, 4):
                sentences = draw.ids(lengths, V)
                batch = make_batch(sentences, range(len(sentences)))
                case = f"V = {V}, H = {H}, {'single' if single else 'combined'}, lengths {lengths}"
                fresh(draw)
                before = graph()
                yield f"logits, {case}", call(work.logits, weights, batch.inputs)
                fresh(draw)
                yield f"the loss and its gradients, {case}", trained(lambda: work.loss(weights, batch), *params)
                fresh(draw)
                yield f"step by step, {case}", call(lambda: steps(work, weights, batch.inputs))
                yield "all in the graph at hand", graph() - before
            params[-1].set_value(draw.array(V, scale=400))
            fresh(draw)
            yield "words of hardly any probability", call(lambda: steps(work, weights, batch.inputs[:2]))


def steps(work, weights, inputs):
    """What each step gives, and whether the state before stays."""
    state, records = work.State(None, []), []
    for words in inputs:
        before, read = len(state.memory), words.tolist()
        new, log_probs = work.advance(weights, state, read)
        sizes = len(state.memory) - before, len(read), len(new.memory)
        records.append([plain(log_probs), *sizes, *(plain(state) for state in new.memory)])
        records.append([plain(new.lstm.hidden), plain(np.exp(log_probs).sum(axis=-1))])
        state = new
    return records
