"""More mutants of chapter 8: wrong answers by kind of mistake, (task, right, wrong) each."""

MUTANTS = [
    # changes what it was given, or leaves what it should change
    (
        "8.4",
        "    behind = np.arange(time)[:, None] >= lengths",
        "    lengths -= 0\n    lengths[...] = np.minimum(lengths, time)\n    lengths.sort()\n"
        "    behind = np.arange(time)[:, None] >= lengths",
    ),
    (
        "8.5",
        "hypothesis.attention[place].argmax())]",
        "hypothesis.attention[place].argmax())]\n"
        "            hypothesis.attention[:, int(hypothesis.attention[place].argmax())] = 0",
    ),
    # computes the same again and again
    (
        "8.7",
        "        alpha = attention_weights(weights.score, memory, layers[-1].hidden)\n"
        "        seen = context(memory, alpha)\n        states",
        "        alpha = attention_weights(weights.score, memory_of(weights, source), layers[-1].hidden)\n"
        "        seen = context(memory, alpha)\n        states",
    ),
    # another graph
    (
        "8.7",
        "    projected = weights.decoder.project(words)",
        "    dy.renew_cg()\n    projected = weights.decoder.project(words)",
    ),
    ("8.7", "    memory, layers, seen = memory_of", "    dy.renew_cg()\n    memory, layers, seen = memory_of"),
    # no error, or another one
    ("8.5", "raise UserError(", "raise ValueError("),
    ("8.5", "if hypothesis.attention is None:", "if hypothesis.attention is None and UNKNOWN in hypothesis.words:"),
    (
        "8.5",
        '        raise UserError("no attention tells what an <unk> stands for; translate with a model that has some")',
        "        return list(hypothesis.words)",
    ),
    ("8.5", "lexicon.translate(attended) if lexicon is not None else None", "lexicon.translate(attended)"),
    # a gradient cut off
    (
        "8.3",
        "dy.transpose(annotations) * as_column(query)",
        "dy.transpose(annotations) * dy.nobackprop(as_column(query))",
    ),
    (
        "8.3",
        "dy.transpose(annotations) * as_column(query)",
        "dy.transpose(dy.nobackprop(annotations)) * as_column(query)",
    ),
    ("8.3", "(W_a * as_column(query))", "dy.nobackprop(W_a * as_column(query))"),
    ("8.3", "(W_a * as_column(query))", "(W_a.expr(False) * as_column(query))"),
    ("8.3", "score.W_source * annotations", "score.W_source * dy.nobackprop(annotations)"),
    ("8.3", "dy.tanh(keys +", "dy.tanh(dy.nobackprop(keys) +"),
    ("8.3", "score.W_query * query", "score.W_query * dy.nobackprop(query)"),
    ("8.3", "dy.transpose(score.w *", "dy.transpose(score.w.expr(False) *"),
    ("8.4", "scores = score.scores(memory.keys, query)", "scores = dy.nobackprop(score.scores(memory.keys, query))"),
    ("8.4", "scores = scores + bias", "scores = scores + dy.nobackprop(bias)"),
    ("8.4", "memory.annotations * weights", "memory.annotations * dy.nobackprop(weights)"),
    ("8.4", "memory.annotations * weights", "dy.nobackprop(memory.annotations) * weights"),
    ("8.6", "* -bias.strength", "* -bias.strength.expr(False)"),
    ("8.6", "diagonal = bias.pace.expr(False)", "diagonal = bias.pace.expr(True)"),
    ("8.6", "bias.jumps * dy", "bias.jumps.expr(False) * dy"),
    ("8.7", "        contexts.append(seen)\n", "        contexts.append(seen)\n        seen = dy.nobackprop(seen)\n"),
    (
        "8.7",
        "        seen = context(memory, alpha)\n        states",
        "        seen = context(memory, dy.nobackprop(alpha))\n        states",
    ),
    (
        "8.7",
        "layers, seen = source.layers, nothing_seen(source)\n    states",
        "layers, seen = source.layers, nothing_seen(source)\n"
        "    layers = [type(one)(*(dy.nobackprop(part) for part in one)) for one in layers]\n    states",
    ),
    # the state of another call or step
    (
        "8.7",
        "        seen = context(memory, alpha)\n        states.append(layers[-1].hidden)\n"
        "        contexts.append(seen)",
        "        states.append(layers[-1].hidden)\n        contexts.append(context(memory, alpha))",
    ),
    ("8.7", "[ids[-1] if ids else 0]", "[ids[0] if ids else 0]"),
    ("8.7", "project(read), 0, dim=1), [seen], layers)", "project(read), 0, dim=1), [nothing_seen(source)], layers)"),
    ("8.7", "project(read), 0, dim=1), [seen], layers)", "project(read), 0, dim=1), [seen], source.layers)"),
    # a batch of one, length 1, what is empty, what comes twice
    ("8.4", "(lengths == time).all()", "(lengths == time).any()"),
    ("8.4", "(lengths == time).all()", "len(lengths) == 1 or (lengths == time).all()"),
    (
        "8.5",
        "            words[place] = attended if translated is None else translated",
        "            words[place] = attended if translated is None else translated\n            break",
    ),
    ("8.5", "hypothesis.attention[place]", "hypothesis.attention[hypothesis.words.index(UNKNOWN)]"),
    (
        "8.6",
        "jumps = np.arange(words)[:, None] - np.arange(words)",
        "jumps = np.arange(words)[:, None] - np.arange(words)\n"
        "    jumps = (jumps + bias.window) % max(words, 2 * bias.window + 1) - bias.window",
    ),
    (
        "8.6",
        "places = np.arange(-bias.window, bias.window + 1)[:, None]",
        "assert words > bias.window\n    places = np.arange(-bias.window, bias.window + 1)[:, None]",
    ),
    ("8.7", "target.targets), target.mask)", "target.targets), np.ones_like(target.mask))"),
    (
        "8.7",
        "best = int(logits.npvalue().argmax())",
        "best = int(logits.npvalue()[0 if ids else 1 :].argmax()) + (0 if ids else 1)",
    ),
    # numbers too large, too small, or not exact enough
    ("8.4", "-1e9).ravel", "-1e2).ravel"),
    ("8.4", "-1e9).ravel", "-20).ravel"),
    ("8.4", "return dy.softmax(scores)", "return dy.cdiv(dy.exp(scores), dy.sum_elems(dy.exp(scores)))"),
    (
        "8.4",
        "    if memory.padding is not None:\n        scores = scores + memory.padding\n    return dy.softmax(scores)",
        "    weights = dy.softmax(scores)\n    if memory.padding is None:\n        return weights\n"
        "    kept = dy.cmult(weights, dy.exp(memory.padding))\n    return dy.cdiv(kept, dy.sum_elems(kept))",
    ),
    (
        "8.6",
        "jumps = np.arange(words)[:, None] - np.arange(words)",
        "jumps = np.clip(np.arange(words)[:, None] - np.arange(words), -bias.window, bias.window)",
    ),
    # right for the example only
    ("8.1", '"mlp": A * (H + Q) + A', '"mlp": 6'),
    ("8.6", "* -bias.strength", "* -2.0"),
    # right only where two sizes are equal, or one is small
    ("8.1", "(H * Q - 1) // (H + Q + 1)", "(H * H - 1) // (2 * H + 1)"),
    ("8.5", "hypothesis.attention[place]", "hypothesis.attention[hypothesis.words[:place].count(UNKNOWN)]"),
    (
        "8.6",
        "jumps = np.arange(words)[:, None] - np.arange(words)",
        "jumps = np.abs(np.arange(words)[:, None] - np.arange(words))",
    ),
    # the wrong axis
    ("8.2", "H.T @ W_a @ h", "H.T @ W_a.T @ h"),
    ("8.2", "H.T @ W_a @ h", "h.T @ W_a.T @ H"),
    ("8.2", "tanh(W_e @ h + W_f @ H).T @ w", "w.T @ tanh(W_e @ h + W_f @ H)"),
    ("8.3", "dy.transpose(annotations) * as_column(query)", "dy.transpose(as_column(query)) * annotations"),
    ("8.3", "(W_a * as_column(query))", "(dy.transpose(W_a.expr()) * as_column(query))"),
    ("8.3", "score.W_source * annotations", "score.W_query * annotations"),
    (
        "8.3",
        "dy.transpose(score.w * dy.tanh(keys + as_column(score.W_query * query)))",
        "score.w * dy.tanh(keys + as_column(score.W_query * query))",
    ),
    (
        "8.5",
        "hypothesis.attention[place].argmax()",
        "hypothesis.attention[:, min(place, len(source) - 1)].argmax() % len(source)",
    ),
    ("8.6", "np.arange(words, dtype=float)[:, None]", "np.arange(words, dtype=float)[None, :]"),
    ("8.6", 'jumps.ravel(order="F")', "jumps.ravel()"),
    # one too many, or too few
    ("8.4", "[:, None] >= lengths", "[:, None] > lengths"),
    (
        "8.5",
        "hypothesis.attention[place].argmax()",
        "hypothesis.attention[min(place + 1, len(hypothesis.attention) - 1)].argmax()",
    ),
    ("8.6", "float(step)", "float(step + 1)"),
    (
        "8.7",
        "        rows.append(alpha.npvalue().ravel())\n"
        "        logits = weights.W_hs * dy.concatenate([layers[-1].hidden, seen]) + weights.b_s\n"
        "        best = int(logits.npvalue().argmax())\n        if best == 0:\n            break\n",
        "        logits = weights.W_hs * dy.concatenate([layers[-1].hidden, seen]) + weights.b_s\n"
        "        best = int(logits.npvalue().argmax())\n        if best == 0:\n            break\n"
        "        rows.append(alpha.npvalue().ravel())\n",
    ),
    (
        "8.7",
        "        if best == 0:\n            break\n        ids.append(best)",
        "        ids.append(best)\n        if best == 0:\n            break",
    ),
    ("8.7", "len(ids) < most", "len(ids) <= most"),
    # another order
    ("8.1", "alpha = [4 / 5, 1 / 5]", "alpha = [1 / 5, 4 / 5]"),
    ("8.2", "tanh(W_e @ h + W_f @ H).T @ w", "tanh(W_f @ h + W_e @ H).T @ w"),
    ("8.6", "np.arange(words)[:, None] - np.arange(words)", "np.arange(words) - np.arange(words)[:, None]"),
    ("8.7", "inputs.T.ravel().tolist()), len(inputs))\n", "inputs.ravel().tolist()), len(inputs))\n"),
    ("8.7", "return ids, np.array(rows)", "return ids, np.array(rows)[::-1]"),
    # rounded
    ("8.1", "(H * Q - 1) // (H + Q + 1)", "round((H * Q - 1) / (H + Q + 1))"),
    (
        "8.6",
        "diagonal = bias.pace.expr(False) * float(step)",
        "diagonal = dy.inputTensor(np.round(bias.pace.as_array() * step))",
    ),
    # numbers of a wrong type, or no numbers
    ("8.5", "    return words\n", '    return " ".join(words)\n'),
    # another formula
    ("8.1", "alpha = [4 / 5, 1 / 5]", "alpha = [5 / 6, 1 / 6]"),
    (
        "8.1",
        "[alpha[0] * 2 + alpha[1] * 0, alpha[0] * 1 + alpha[1] * 1]",
        "[alpha[0] * 2 + alpha[1] * 1, alpha[0] * 0 + alpha[1] * 1]",
    ),
    ("8.1", "A * (H + Q) + A}", "A * (H + Q)}"),
    ("8.2", "H.T @ W_a @ h", "H.T @ (W_a + h)"),
    ("8.2", "tanh(W_e @ h + W_f @ H).T @ w", "(tanh(W_e @ h) + tanh(W_f @ H)).T @ w"),
    ("8.2", "tanh(W_e @ h + W_f @ H).T @ w", "(W_e @ h + W_f @ H).T @ w"),
    (
        "8.3",
        "dy.transpose(annotations) * as_column(query)",
        "dy.transpose(annotations) * as_column(query) / float(query.dim()[0][0] ** 0.5)",
    ),
    ("8.3", "score.W_source * annotations", "dy.tanh(score.W_source * annotations)"),
    ("8.3", "dy.tanh(keys + as_column(", "dy.tanh(keys - as_column("),
    ("8.3", "dy.transpose(score.w * dy.tanh(keys", "dy.transpose(score.w * dy.rectify(keys"),
    (
        "8.4",
        "    for bias in biases:\n        scores = scores + bias\n    if memory.padding is not None:\n"
        "        scores = scores + memory.padding\n    return dy.softmax(scores)",
        "    if memory.padding is not None:\n        scores = scores + memory.padding\n"
        "    weights = dy.softmax(scores)\n    for bias in biases:\n        weights = weights + bias\n"
        "    return weights",
    ),
    ("8.4", "if memory.padding is not None:", "if memory.padding is not None and not biases:"),
    ("8.4", "memory.annotations * weights", "memory.annotations * weights / float(weights.dim()[0][0])"),
    ("8.4", "memory.annotations * weights", "memory.keys * weights"),
    (
        "8.5",
        "attended if translated is None else translated",
        "UNKNOWN if lexicon is not None and translated is None else translated or attended",
    ),
    ("8.5", "if word == UNKNOWN:", "if word == UNKNOWN or lexicon is not None:"),
    ("8.6", "dy.abs(places - diagonal)", "dy.abs(places * bias.pace.expr(False) - float(step))"),
    (
        "8.7",
        "        alpha = attention_weights(weights.score, memory, layers[-1].hidden)\n"
        "        seen = context(memory, alpha)\n        states",
        "        alpha = attention_weights(weights.score, memory, layers[0].hidden)\n"
        "        seen = context(memory, alpha)\n        states",
    ),
    ("8.7", "target.targets), target.mask)", "target.targets), target.mask * (target.targets > 0))"),
]
