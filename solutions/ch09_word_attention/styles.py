"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("9.1")
def what_the_decoder_reads():
    import numpy as np

    o = 1 / (1 + np.exp(-np.array([-np.log(3), 0])))
    return np.concatenate([o * [4, 2], (1 - o) * [8, 6]])


@style("9.1")
def what_the_decoder_reads():
    return (1, 1, 6, 3)


@style("9.1")
def more_parameters(variant, H):
    return H + (10.0 if variant == "gates" else 6.0) * H * H


@style("9.2")
def word_attention(W_b, U_b, v_b, state, words, padding=None):
    (H, S), B = words.dim()
    query = W_b * state
    columns = [dy.pick(words, j, dim=1) for j in range(S)]
    e = dy.reshape(dy.concatenate([v_b * dy.tanh(query + U_b * x) for x in columns]), (S, 1), B)
    beta = dy.softmax(e if padding is None else e + padding)
    return beta, dy.esum([x * dy.pick(beta, j) for j, x in enumerate(columns)])


@style("9.2")
def word_attention(W_b, U_b, v_b, state, words, padding=None):
    (H, S), B = words.dim()
    hidden = dy.tanh(dy.colwise_add(U_b * words, W_b * state))
    e = dy.reshape(v_b * hidden, (S, 1), B)
    beta = dy.softmax(e + padding) if padding is not None else dy.softmax(e)
    return [beta, dy.reshape(words * beta, (H,), B)]


@style("9.3")
def gate(model, word, before, contexts):
    sums = [model.W_o * word.embedded, model.U_o * before]
    for C, context in zip(model.C_o, contexts):
        sums.append(C * context)
    return dy.logistic(dy.esum(sums))


@style("9.3")
def gate(model, word, before, contexts):
    first, second = contexts
    sums = dy.affine_transform(
        [model.U_o * before, model.W_o, word.embedded, model.C_o[0], first, model.C_o[1], second]
    )
    return dy.cdiv(dy.tanh(sums * 0.5) + 1, dy.ones(sums.dim()[0], batch_size=sums.dim()[1]) * 2)


@style("9.4")
def gated_contexts(gate, contexts):
    return (dy.cmult(contexts[0], gate), contexts[1] - dy.cmult(contexts[1], gate))


@style("9.4")
def gated_state(decoder, projected, layers, gate, contexts):
    alpha, beta = gated_contexts(gate, contexts)
    return decoder.step(projected, (alpha, beta), layers)


@style("9.5")
def log_probs(W_g, b_g, embedding, b_s, word, state, contexts):
    alpha, beta = contexts
    output = W_g * dy.concatenate([word, state, alpha, beta]) + b_g
    return dy.log_softmax(embedding * output + b_s)


@style("9.5")
def log_probs(W_g, b_g, embedding, b_s, word, state, contexts):
    scores = embedding * (W_g * dy.concatenate([word, state] + list(contexts)) + b_g) + b_s
    return scores - dy.logsumexp_dim(scores, 0)


@style("9.6")
def step(weights, source, layers, words):
    s, y = layers[-1].hidden, embed(weights.embedding, words)
    first, second = weights.scores
    alpha, c_alpha = word_attention(first.W_query, first.W_source, first.w, s, source.annotations, source.padding)
    beta, c_beta = word_attention(second.W_query, second.W_source, second.w, s, source.words, source.padding)
    o = gate(weights, Word(y), s, (c_alpha, c_beta))
    gated = gated_contexts(o, [c_alpha, c_beta])
    column = dy.pick(weights.decoder.project(unfold_time(y, 1)), 0, dim=1)
    new = weights.decoder.step(column, gated, layers)
    log_p = log_probs(weights.W_g, weights.b_g, weights.embedding, weights.b_s, y, new[-1].hidden, gated)
    return Step(gate=o, layers=new, alpha=alpha, beta=beta, log_probs=log_p)


@style("9.6")
def loss(weights, source, layers, target):
    total = []
    for t in range(len(target.inputs)):
        prediction = step(weights, source, layers, [int(word) for word in target.inputs[t]])
        layers = prediction.layers
        for b in (place for place, real in enumerate(target.mask[t]) if real):
            total.append(dy.pick(dy.pick_batch_elem(prediction.log_probs, int(b)), int(target.targets[t, b])))
    return -dy.esum(total)
