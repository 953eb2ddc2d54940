"""More mutants of chapter 9: wrong answers by kind of mistake, (task, right, wrong) each."""

MUTANTS = [
    # changes what it was given, or leaves what it should change
    (
        "9.4",
        "    return [dy.cmult(gate, alpha), dy.cmult(-gate + 1, beta)]",
        "    contexts[0], contexts[1] = dy.cmult(gate, alpha), dy.cmult(-gate + 1, beta)\n    return contexts",
    ),
    (
        "9.5",
        "    seen = dy.concatenate([word, state, *contexts])",
        "    contexts[:] = [word, state, *contexts]\n    seen = dy.concatenate(contexts)",
    ),
    # another graph
    ("9.2", "    (H, _), B = words.dim()", "    dy.renew_cg()\n    (H, _), B = words.dim()"),
    ("9.6", "    looks = [", "    dy.renew_cg()\n    looks = ["),
    # dropout in another place, at another rate, without its scale, or with masks that are not fresh
    ("9.4", "dy.cmult(gate, alpha), dy", "dy.dropout(dy.cmult(gate, alpha), 0.1), dy"),
    ("9.5", "    wanted = dy", "    seen = dy.dropout(seen, 0.2)\n    wanted = dy"),
    # a gradient cut off
    ("9.2", "dy.reshape(W_b * state, (A, 1), B)", "dy.reshape(W_b * dy.nobackprop(state), (A, 1), B)"),
    ("9.2", "dy.reshape(words * beta, (H,), B)", "dy.reshape(dy.nobackprop(words) * beta, (H,), B)"),
    ("9.2", "dy.reshape(words * beta, (H,), B)", "dy.reshape(words * dy.nobackprop(beta), (H,), B)"),
    ("9.2", "dy.tanh(U_b * words +", "dy.tanh(U_b * dy.nobackprop(words) +"),
    ("9.3", "model.U_o * before", "model.U_o * dy.nobackprop(before)"),
    ("9.3", "model.W_o * word.embedded", "model.W_o * dy.nobackprop(word.embedded)"),
    ("9.3", "C_beta * beta)", "C_beta * dy.nobackprop(beta))"),
    ("9.3", "C_alpha * alpha +", "dy.nobackprop(C_alpha * alpha) +"),
    ("9.4", "dy.cmult(-gate + 1, beta)]", "dy.cmult(dy.nobackprop(-gate + 1), beta)]"),
    ("9.4", "[dy.cmult(gate, alpha)", "[dy.cmult(gate, dy.nobackprop(alpha))"),
    ("9.4", "[dy.cmult(gate, alpha)", "[dy.cmult(dy.nobackprop(gate), alpha)"),
    ("9.4", "return decoder.step(projected,", "return decoder.step(dy.nobackprop(projected),"),
    (
        "9.4",
        "gated_contexts(gate, contexts), layers)",
        "[dy.nobackprop(one) for one in gated_contexts(gate, contexts)], layers)",
    ),
    ("9.5", "[word, state, *contexts]", "[dy.nobackprop(word), state, *contexts]"),
    ("9.5", "[word, state, *contexts]", "[word, state, *(dy.nobackprop(one) for one in contexts)]"),
    ("9.5", "embedding, wanted]", "embedding.expr(False), wanted]"),
    ("9.5", "[b_g, W_g", "[b_g.expr(False), W_g"),
    (
        "9.6",
        "        layers = found.layers\n",
        "        layers = [type(one)(*(dy.nobackprop(part) for part in one)) for one in found.layers]\n",
    ),
    (
        "9.6",
        "o = gate(weights, Word(word), before, contexts)",
        "o = dy.nobackprop(gate(weights, Word(word), before, contexts))",
    ),
    (
        "9.6",
        "contexts = [context for _, context in looks]",
        "contexts = [dy.nobackprop(context) for _, context in looks]",
    ),
    (
        "9.6",
        "before, word = layers[-1].hidden, embed(weights.embedding, words)",
        "before, word = layers[-1].hidden, dy.nobackprop(embed(weights.embedding, words))",
    ),
    # the state of another call or step
    (
        "9.2",
        "    beta = dy.softmax(scores)",
        '    beta = vars(word_attention)["beta"] = vars(word_attention).get("beta") or dy.softmax(scores)',
    ),
    ("9.6", "predicted = log_probs(*output, word, after[-1].hidden,", "predicted = log_probs(*output, word, before,"),
    (
        "9.6",
        "        found = step(weights, source, layers, inputs.tolist())",
        "        read = found.log_probs.npvalue().reshape(-1, len(mask)).argmax(axis=0) if losses else inputs\n"
        "        found = step(weights, source, layers, read.tolist())",
    ),
    # a batch of one, length 1, what is empty, what comes twice
    ("9.2", "dy.reshape(words * beta, (H,), B)", "words * beta"),
    ("9.2", "if padding is not None:", "if padding is not None and B == 1:"),
    (
        "9.4",
        "return decoder.step(projected, gated_contexts(gate, contexts), layers)",
        "return decoder.step(projected, gated_contexts(gate, contexts), layers)[-1:]",
    ),
    (
        "9.6",
        "before, looked_at, source.padding)",
        "before, looked_at, source.padding if looked_at is source.words else None)",
    ),
    ("9.6", "(1,), len(mask))", "(len(mask),))"),
    # numbers too large, too small, or not exact enough
    (
        "9.2",
        "        scores = scores + padding\n    beta = dy.softmax(scores)",
        "        beta = dy.cmult(dy.softmax(scores), dy.exp(padding))\n    else:\n        beta = dy.softmax(scores)",
    ),
    ("9.2", "beta = dy.softmax(scores)", "beta = dy.cdiv(dy.exp(scores), dy.sum_elems(dy.exp(scores)))"),
    ("9.3", "dy.logistic(model", "dy.rectify(model"),
    ("9.4", "dy.cmult(gate, alpha), dy", "dy.cmult(dy.cmult(gate, gate), alpha), dy"),
    (
        "9.5",
        "dy.log_softmax(dy.affine_transform([b_s, embedding, wanted]))",
        "dy.log(dy.softmax(dy.affine_transform([b_s, embedding, wanted])))",
    ),
    # right for the example only
    ("9.1", "H + 2 * H**2 + 3 * H**2 + H**2", "7 * H"),
    # right only where two sizes are equal, or one is small
    ("9.1", "H + 2 * H**2 + 3 * H**2 + H**2", "1 + 2 * H**2 + 3 * H**2 + H**2"),
    ("9.6", "before, word = layers[-1].hidden,", "before, word = layers[0].hidden,"),
    ("9.6", "log_probs(*output, word, after[-1].hidden,", "log_probs(*output, word, after[0].hidden,"),
    # the wrong axis
    ("9.2", "U_b * words + dy.reshape(W_b * state", "W_b * words + dy.reshape(U_b * state"),
    ("9.3", "model.U_o * before", "dy.transpose(model.U_o.expr()) * before"),
    ("9.5", "embedding, wanted]", "dy.transpose(embedding.expr()), wanted]"),
    # another order
    (
        "9.1",
        "[o[0] * 4, o[1] * 2, (1 - o[0]) * 8, (1 - o[1]) * 6]",
        "[o[0] * 4, (1 - o[0]) * 8, o[1] * 2, (1 - o[1]) * 6]",
    ),
    ("9.2", "return beta, dy.reshape(words * beta, (H,), B)", "return dy.reshape(words * beta, (H,), B), beta"),
    ("9.5", "[word, state, *contexts]", "[word, state, *reversed(contexts)]"),
    ("9.6", "(source.annotations, source.words), strict", "(source.words, source.annotations), strict"),
    # another formula
    ("9.1", "(1 - o[0]) * 8, (1 - o[1]) * 6", "o[0] * 8, o[1] * 6"),
    ("9.1", "H + 2 * H**2 + 3 * H**2 + H**2", "H + 6 * H**2 + H"),
    ("9.1", "word + 4 * H**2", "word + 3 * H**2"),
    ("9.2", "words * beta, (H,)", "words * beta * float(words.dim()[0][1]), (H,)"),
    ("9.3", "+ C_beta * beta)", ")"),
    ("9.3", "dy.logistic(model", "dy.tanh(model"),
    ("9.3", "model.U_o * before", "model.U_o * word.embedded"),
    ("9.4", "dy.cmult(-gate + 1, beta)]", "dy.cmult(gate, beta)]"),
    (
        "9.4",
        "decoder.step(projected, gated_contexts(gate, contexts), layers)",
        "decoder.step(projected, contexts, layers)",
    ),
    (
        "9.5",
        "wanted = dy.affine_transform([b_g, W_g, seen])",
        "wanted = dy.tanh(dy.affine_transform([b_g, W_g, seen]))",
    ),
    ("9.5", "return dy.log_softmax(dy", "return dy.softmax(dy"),
    ("9.6", "for score, looked_at in zip(weights.scores,", "for score, looked_at in zip([weights.scores[0]] * 2,"),
    ("9.6", "after[-1].hidden, gated_contexts(o, contexts))", "after[-1].hidden, contexts)"),
    ("9.6", "dy.cmult(chosen, dy.reshape(dy.inputTensor(mask), (1,), len(mask)))", "chosen"),
    ("9.6", "dy.inputTensor(mask)", "dy.inputTensor(mask * (targets > 0))"),
    ("9.6", "dy.sum_batches(dy.esum(losses))", "dy.mean_batches(dy.esum(losses))"),
    ("9.6", "dy.pick_batch(found.log_probs, targets.tolist())", "dy.pick_batch(found.log_probs, inputs.tolist())"),
]
