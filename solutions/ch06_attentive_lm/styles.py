"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("6.1")
def context_at_step_three():
    from fractions import Fraction

    return Fraction(1, 4) * 2 - Fraction(3, 4)


@style("6.1")
def scores_of_a_sentence(words, score):
    return {"single": words, "combined": words * (words + 1) / 2}[score]


@style("6.1")
def scores_of_a_sentence(words, score):
    import numpy as np

    return np.arange(words + 1).sum() if score == "combined" else np.int32(words)


@style("6.1")
def more_parameters(hidden_size, score):
    import numpy as np

    matrix = np.float64(hidden_size) ** 2
    return hidden_size + (3 if score == "combined" else 2) * matrix


@style("6.2")
def single_scores(v, W, past):
    return dy.transpose(v * dy.tanh(W * past))


@style("6.2")
def single_scores(v, W, past):
    (_, time), _ = past.dim()
    return dy.concatenate([v * dy.tanh(W * dy.pick(past, t, dim=1)) for t in range(time)])


@style("6.3")
def combined_scores(v, W, W_q, past, queries):
    (_, T), _ = past.dim()
    (_, Q), _ = queries.dim()
    columns = []
    for t in range(Q):
        query = W_q * dy.pick(queries, t, dim=1)
        columns.append(dy.concatenate([v * dy.tanh(W * dy.pick(past, i, dim=1) + query) for i in range(T)]))
    return dy.concatenate_cols(columns)


@style("6.3")
def combined_scores(v, W, W_q, past, queries):
    (_, Q), _ = queries.dim()
    keys, projected = W * past, W_q * queries
    rows = [v * dy.tanh(dy.colwise_add(keys, dy.pick(projected, t, dim=1))) for t in range(Q)]
    return dy.transpose(dy.concatenate(rows))


@style("6.4")
def causal_weights(scores, time):
    (_, columns), batch = scores.dim()
    weights = [dy.zeros((time,), batch_size=batch)]
    for t in range(1, time):
        column = dy.pick(scores, t if columns > 1 else 0, dim=1)
        past = dy.softmax(dy.pick_range(column, 0, t))
        weights.append(dy.concatenate([past, dy.zeros((time - t,), batch_size=batch)]))
    return dy.concatenate_cols(weights)


@style("6.4")
def causal_weights(scores, time):
    future = np.array([[0.0 if i < t else -1e9 for t in range(time)] for i in range(time)])
    past = np.array([[1.0 if i < t else 0.0 for t in range(time)] for i in range(time)])
    return dy.cmult(dy.softmax(scores + dy.inputTensor(future)), dy.inputTensor(past))


@style("6.4")
def contexts(past, weights):
    (_, Q), batch = weights.dim() if len(weights.dim()[0]) > 1 else ((None, 1), weights.dim()[1])
    if Q == 1:
        return past * weights
    return dy.concatenate_cols([past * dy.pick(weights, t, dim=1) for t in range(Q)])


@style("6.5")
def merge(W_c, b_c, states, contexts):
    return dy.tanh(W_c * dy.concatenate([states, contexts]) + b_c)


@style("6.5")
def merge(W_c, b_c, states, contexts):
    (_, T), _ = states.dim()
    columns = []
    for t in range(T):
        both = dy.concatenate([dy.pick(states, t, dim=1), dy.pick(contexts, t, dim=1)])
        columns.append(dy.tanh(dy.affine_transform([b_c, W_c, both])))
    return dy.concatenate_cols(columns)


@style("6.5")
def tied_logits(embedding, bias, states):
    return bias + embedding * states


@style("6.6")
def loss(weights, batch):
    time, B = batch.targets.shape
    log_p = dy.log_softmax(logits(weights, batch.inputs))
    picked = dy.pick_batch(log_p, batch.targets.T.ravel().tolist())
    real = np.flatnonzero(batch.mask.T.ravel()).tolist()
    return -dy.sum_batches(dy.pick_batch_elems(picked, real))


@style("6.6")
def advance(weights, state, words):
    lstm = weights.lstm.step(embed(weights.embedding, words), state.lstm)
    h, B = lstm.hidden, len(words)
    seen = dy.zeros(h.dim()[0], batch_size=B)
    if len(state.memory) > 0:
        scores = []
        for past in state.memory:
            inside = weights.W_s * past
            if weights.W_q is not None:
                inside = inside + weights.W_q * h
            scores.append(weights.v_s * dy.tanh(inside))
        shares = dy.softmax(dy.concatenate(scores))
        parts = [past * dy.pick(shares, i) for i, past in enumerate(state.memory)]
        seen = dy.esum(parts)
    merged = dy.tanh(weights.W_c * dy.concatenate([h, seen]) + weights.b_c)
    log_probs = dy.log_softmax(weights.embedding * merged + weights.b)
    rows = [dy.pick_batch_elem(log_probs, b).npvalue() for b in range(B)]
    return State(lstm, state.memory + [h]), np.array(rows)
