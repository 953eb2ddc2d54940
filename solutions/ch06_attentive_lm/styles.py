"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("6.2")
def single_scores(v, W, past):
    (_, time), _ = past.dim()
    return dy.concatenate([v * dy.tanh(W * dy.pick(past, t, dim=1)) for t in range(time)])


@style("6.3")
def combined_scores(v, W, W_q, past, queries):
    (_, Q), _ = queries.dim()
    keys, projected = W * past, W_q * queries
    rows = [v * dy.tanh(dy.colwise_add(keys, dy.pick(projected, t, dim=1))) for t in range(Q)]
    return dy.transpose(dy.concatenate(rows))


@style("6.4")
def causal_weights(scores, time):
    no_past, past = np.zeros((time, time)), np.triu(np.ones((time, time)), 1)
    no_past[:, 0] = 1
    masked = scores + dy.inputTensor(np.where(past, 0, -1e9))
    weights = dy.exp(dy.log_softmax(masked))
    return weights - dy.cmult(weights, dy.inputTensor(no_past))


@style("6.4")
def contexts(past, weights):
    (_, T), _ = past.dim()
    terms = [dy.pick_range(past, i, i + 1, 1) * dy.pick_range(weights, i, i + 1, 0) for i in range(T)]
    return dy.esum(terms)


@style("6.5")
def merge(W_c, b_c, states, contexts):
    (H, T), B = states.dim()
    state_half = dy.select_cols(W_c, list(range(H)))
    context_half = dy.select_cols(W_c, list(range(H, 2 * H)))
    z = dy.colwise_add(state_half * states + context_half * contexts, b_c)
    return dy.logistic(z * 2) * 2 - 1


@style("6.5")
def tied_logits(embedding, bias, states):
    (M,), N = states.dim()
    as_matrix = dy.reshape(states, (M, N), 1)
    return dy.reshape(dy.colwise_add(embedding * as_matrix, bias), bias.dim()[0], N)


@style("6.6")
def logits(weights, inputs):
    """Step by step, without anything of the future to mask."""
    T, B = inputs.shape
    state, states, columns = None, [], []
    for t in range(T):
        state = weights.lstm.step(embed(weights.embedding, [int(word) for word in inputs[t]]), state)
        h = state.hidden
        (H,), _ = h.dim()
        seen = dy.zeros((H, 1), batch_size=B)
        if states:
            past, query = dy.concatenate_cols(states), dy.reshape(h, (H, 1), B)
            if weights.W_q is None:
                scores = single_scores(weights.v_s, weights.W_s, past)
            else:
                scores = combined_scores(weights.v_s, weights.W_s, weights.W_q, past, query)
            seen = contexts(past, dy.softmax(scores))
        columns.append(merge(weights.W_c, weights.b_c, dy.reshape(h, (H, 1), B), seen))
        states.append(h)
    return tied_logits(weights.embedding, weights.b, fold_time(dy.concatenate_cols(columns)))


@style("6.6")
def loss(weights, batch):
    T, B = batch.inputs.shape
    s, total = logits(weights, batch.inputs), dy.scalarInput(0)
    for b in range(B):
        for t in range(T):
            if batch.mask[t][b] == 1:
                total += dy.pickneglogsoftmax(dy.pick_batch_elem(s, t + T * b), int(batch.targets[t][b]))
    return total


@style("6.6")
def advance(weights, state, words):
    B = len(words)
    new = weights.lstm.step(embed(weights.embedding, list(words)), state.lstm)
    (H,), _ = new.hidden.dim()
    query = unfold_time(new.hidden, 1)
    context = dy.zeros((H, 1), batch_size=B)
    if state.memory:
        past = dy.concatenate_cols(list(state.memory))
        if weights.W_q:
            scores = combined_scores(weights.v_s, weights.W_s, weights.W_q, past, query)
        else:
            scores = single_scores(weights.v_s, weights.W_s, past)
        context = contexts(past, dy.softmax(scores))
    s = tied_logits(weights.embedding, weights.b, fold_time(merge(weights.W_c, weights.b_c, query, context)))
    numbers = np.reshape(s.npvalue(), (-1, B), order="F").T.astype(float)
    top = numbers.max(axis=1, keepdims=True)
    log_p = numbers - top - np.log(np.exp(numbers - top).sum(axis=1, keepdims=True))
    return State(lstm=new, memory=[*state.memory, new.hidden]), log_p
