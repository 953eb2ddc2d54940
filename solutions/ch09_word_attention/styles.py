"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("9.1")
def what_the_decoder_reads():
    import numpy as np

    o = 1 / (1 + np.exp(-np.array([-np.log(3), 0])))
    return np.concatenate([o * [4, 2], (1 - o) * [8, 6]])


@style("9.2")
def word_attention(W_b, U_b, v_b, state, words, padding=None):
    (H, S), B = words.dim()
    hidden = dy.tanh(dy.colwise_add(U_b * words, W_b * state))
    e = dy.reshape(v_b * hidden, (S, 1), B)
    beta = dy.softmax(e + padding) if padding is not None else dy.softmax(e)
    return [beta, dy.reshape(words * beta, (H,), B)]


@style("9.2")
def word_attention(W_b, U_b, v_b, state, words, padding=None):
    """Words of all sentences side by side, as a batch of S * B vectors."""
    (H, S), B = words.dim()
    query = dy.concatenate_cols([W_b * state] * S)
    hidden = dy.tanh(query + U_b * words)
    A = hidden.dim()[0][0]
    e = dy.reshape(v_b * dy.reshape(hidden, (A,), S * B), (S,), B)
    if padding is not None:
        e = e + dy.reshape(padding, (S,), B)
    beta = dy.exp(dy.log_softmax(e))
    context = dy.sum_dim(dy.cmult(words, dy.reshape(beta, (1, S), B)), [1])
    return dy.reshape(beta, (S, 1), B), context


@style("9.3")
def gate(model, word, before, contexts):
    W = dy.concatenate_cols([model.W_o, model.U_o, *model.C_o])
    return dy.logistic(W * dy.concatenate([word.embedded, before, *contexts]))


@style("9.4")
def gated_contexts(gate, contexts):
    return (dy.cmult(contexts[0], gate), contexts[1] - dy.cmult(contexts[1], gate))


@style("9.4")
def gated_state(decoder, projected, layers, gate, contexts):
    a, b = contexts
    ungated = decoder.step(projected, [a, b], layers)
    print("without the gate:", ungated[-1].hidden.dim())
    return decoder.step(projected, gated_contexts(contexts=(a, b), gate=gate), layers)


@style("9.5")
def log_probs(W_g, b_g, embedding, b_s, word, state, contexts):
    H = b_g.shape()[0]
    parts = [word, state, *contexts]
    g = b_g
    for k, part in enumerate(parts):
        g = dy.select_cols(W_g, range(k * H, (k + 1) * H)) * part + g
    s = dy.affine_transform([b_s, embedding, g])
    return s - dy.logsumexp([dy.pick_range(s, k, k + 1) for k in range(s.dim()[0][0])])


@style("9.6")
def loss(weights, source, layers, target):
    """All predictions in one batch at the end."""
    predictions = []
    for words in target.inputs:
        layers, log_p, *_ = step(weights, source, layers, list(map(int, words)))
        predictions.append(log_p)
    together = dy.concatenate_to_batch(predictions)
    real = [n for n, m in enumerate(target.mask.flatten()) if m]
    chosen = dy.pick_batch(dy.pick_batch_elems(together, real), target.targets.flatten()[real].tolist())
    return -dy.sum_batches(chosen)


@style("9.6")
def step(weights, source, layers, words):
    """The scores themselves know how to score."""
    query = layers[-1].hidden
    _, B = query.dim()

    def attend(score, read):
        scores = score.scores(score.keys(read), query)
        shares = dy.softmax(scores if source.padding is None else scores + source.padding)
        return shares, dy.reshape(read * shares, read.dim()[0][:1], B)

    (alpha, c_alpha), (beta, c_beta) = map(attend, weights.scores, (source.annotations, source.words))
    y = embed(weights.embedding, words)
    o = gate(weights, Word(y), query, [c_alpha, c_beta])
    projected = dy.pick(weights.decoder.project(unfold_time(y, 1)), 0, dim=1)
    after = gated_state(weights.decoder, projected, layers, o, [c_alpha, c_beta])
    contexts = gated_contexts(o, [c_alpha, c_beta])
    log_p = log_probs(weights.W_g, weights.b_g, weights.embedding, weights.b_s, y, after[-1].hidden, contexts)
    return Step(after, log_p, alpha, beta, o)
