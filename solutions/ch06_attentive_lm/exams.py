"""Exams of chapter 6."""

import dynet as dy
import numpy as np

from common.nn.recurrent import LSTM
from common.text.batching import make_batch
from solutions.grading.exam import ask, call, exam, fresh, graph, plain, trained

SIZES = ((3, 2, 1, 4), (2, 4, 3, 3), (4, 3, 2, 6), (1, 1, 1, 1))
"""Hidden size, attention size, sentences in the batch, steps."""


@exam("6.1", 1e-6)
def warm_up(work, draw):
    yield "the context", call(work.context_at_step_three)
    for score in ("single", "combined"):
        for words in (draw.integer(2, 40), 1, 0):
            yield f"{score} scores of {words} words", call(work.scores_of_a_sentence, words, score)
            yield f"more parameters, {score}", call(work.more_parameters, draw.integer(1, 500), score)


@exam("6.2", 1e-3)
def single(work, draw):
    for H, A, batch, time in SIZES:
        arrays = [draw.array(*shape) for shape in ((1, A), (A, H), (H, time, batch))]
        yield f"H = {H}, A = {A}, B = {batch}, T = {time}", ask(work.single_scores, draw, arrays, 2)


@exam("6.3", 1e-3)
def combined(work, draw):
    for H, A, batch, time in SIZES:
        for asking in (1, time, 5):
            arrays = [draw.array(*shape) for shape in ((1, A), (A, H), (A, H), (H, time, batch), (H, asking, batch))]
            case = f"H = {H}, A = {A}, B = {batch}, T = {time}, Q = {asking}"
            yield case, ask(work.combined_scores, draw, arrays, 3)


@exam("6.4", 1e-3)
def looking_back(work, draw):
    for H, _, batch, time in SIZES:
        for asking in (1, time):
            for scale in (1, 300):
                arrays = [draw.array(time, asking, batch, scale=scale)]
                case = f"weights of scores ({time}, {asking}) x {batch}, of the size {scale}"
                yield case, ask(lambda scores: work.causal_weights(scores, time), draw, arrays)
        for asking in (1, 4):
            arrays = [draw.array(H, time, batch), draw.array(time, asking, batch)]
            yield f"contexts, H = {H}, T = {time}, Q = {asking}, B = {batch}", ask(work.contexts, draw, arrays)


@exam("6.5", 1e-3)
def merging(work, draw):
    for H, M, batch, time in SIZES:
        arrays = [draw.array(*shape) for shape in ((M, 2 * H), (M,), (H, time, batch), (H, time, batch))]
        yield f"merged, H = {H}, M = {M}, B = {batch}, T = {time}", ask(work.merge, draw, arrays, 2)
        arrays = [draw.array(*shape) for shape in ((time + 1, M), (time + 1,), (M, batch))]
        yield f"logits, V = {time + 1}, M = {M}, N = {batch}", ask(work.tied_logits, draw, arrays, 2)


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
    for V, H in ((5, 3), (7, 2), (2, 1)):
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
        records.append([plain(new.lstm.hidden), bool(np.allclose(np.exp(log_probs).sum(axis=-1), 1, atol=1e-4))])
        state = new
    return records
