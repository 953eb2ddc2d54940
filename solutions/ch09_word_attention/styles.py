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


@style("9.1")
def what_the_decoder_reads():
    from fractions import Fraction

    odds = (Fraction(1, 3), Fraction(1))  # exp(-log 3) and exp(0)
    o = [odd / (1 + odd) for odd in odds]
    return [o_k * a for o_k, a in zip(o, (4, 2))] + [(1 - o_k) * b for o_k, b in zip(o, (8, 6))]


@style("9.1")
def more_parameters(variant, H):
    match variant:
        case "gates":
            gate = {"W_o": H * H, "U_o": H * H, "C_o": 2 * H * H}
            return more_parameters("word", H) + sum(gate.values())
        case _:
            score, decoder, output = H + 2 * H**2, 3 * H**2, 4 * H**2 - 3 * H**2
            return score + decoder + output


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


@style("9.2")
def word_attention(W_b, U_b, v_b, state, words, padding=None):
    """One sentence after the other."""
    betas, contexts = [], []
    (_, S), B = words.dim()
    for b in range(B):
        x, s = dy.pick_batch_elem(words, b), dy.pick_batch_elem(state, b)
        e = dy.transpose(v_b * dy.tanh(dy.colwise_add(U_b * x, W_b * s)))
        if padding is not None:
            e += dy.pick_batch_elem(padding, b) if padding.dim()[1] > 1 else padding
        betas.append(dy.softmax(e))
        contexts.append(dy.pick(x * betas[-1], 0, dim=1))
    return dy.concatenate_to_batch(betas), dy.concatenate_to_batch(contexts)


@style("9.3")
def gate(model, word, before, contexts):
    W = dy.concatenate_cols([model.W_o, model.U_o, *model.C_o])
    return dy.logistic(W * dy.concatenate([word.embedded, before, *contexts]))


@style("9.3")
def gate(model, word, before, contexts):
    from functools import reduce
    from operator import add

    matrices = [model.W_o, model.U_o] + list(model.C_o)
    vectors = [word.embedded, before] + list(contexts)
    z = reduce(add, (W * x for W, x in zip(matrices, vectors)))
    return dy.cdiv(dy.exp(z), dy.exp(z) + 1)


@style("9.4")
def gated_contexts(gate, contexts):
    gates = {0: gate, 1: dy.ones(gate.dim()[0]) - gate}
    return [dy.cmult(context, gates[place]) for place, context in enumerate(contexts)]


@style("9.4")
def gated_state(decoder, projected, layers, gate, contexts):
    kept = [dy.cmult(gate, contexts[0]), dy.cmult(-gate + 1, contexts[1])]
    return decoder.step(projected=projected, contexts=kept, layers=list(layers))


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


@style("9.5")
def log_probs(W_g, b_g, embedding, b_s, word, state, contexts):
    both = dy.concatenate([word, state, contexts[0], contexts[1]])
    large = embedding * W_g  # E (W_g x + b_g) = (E W_g) x + E b_g
    return dy.log_softmax(large * both + embedding * b_g + b_s)


@style("9.6")
def step(weights, source, layers, words):
    (H, S), B = source.annotations.dim()
    s_before = layers[-1].hidden
    y = dy.concatenate_to_batch([dy.pick(weights.embedding, int(word)) for word in words])
    attended = [
        word_attention(score.W_query, score.W_source, score.w, s_before, read, padding=source.padding)
        for score, read in zip(weights.scores, (source.annotations, source.words))
    ]
    (alpha, beta), contexts = zip(*attended)
    o = gate(model=weights, word=Word(embedded=y), before=s_before, contexts=contexts)
    projected = dy.reshape(
        weights.decoder.project(dy.reshape(y, (H, 1), B)), (weights.decoder.project(unfold_time(y, 1)).dim()[0][0],), B
    )
    after = gated_state(weights.decoder, projected, layers, o, contexts)
    prediction = log_probs(
        weights.W_g, weights.b_g, weights.embedding, weights.b_s, y, after[-1].hidden, gated_contexts(o, contexts)
    )
    return Step(after, prediction, alpha, beta, o)


@style("9.6")
def loss(weights, source, layers, target):
    """By recursion; a step that no sentence has is not computed."""

    def from_step(t, layers):
        if t == len(target.mask) or not target.mask[t].any():
            return dy.zeros((1,))
        now = step(weights, source, layers, target.inputs[t].tolist())
        picked = dy.pick_batch(now.log_probs, target.targets[t].tolist())
        here = dy.sum_batches(dy.cmult(picked, dy.reshape(dy.inputVector(target.mask[t]), (1,), len(target.mask[t]))))
        return from_step(t + 1, now.layers) - here

    return from_step(0, layers)


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


@style("9.3")
def gate(model, word, before, contexts):
    (y,), (C_alpha, C_beta), (c_alpha, c_beta) = word, model.C_o, contexts
    return dy.logistic(model.W_o * y + model.U_o * before + C_alpha * c_alpha + C_beta * c_beta)


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
