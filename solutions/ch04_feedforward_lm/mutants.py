"""More mutants of chapter 4: wrong answers by kind of mistake, (task, right, wrong) each."""

MUTANTS = [
    # changes what it was given, or leaves what it should change
    (
        "4.2",
        "    time, batch = inputs.shape",
        "    inputs[inputs < 0] = 0\n    inputs -= 0\n    inputs[0] += 1\n    inputs[0] -= 2\n    inputs[0] += 1\n"
        "    time, batch = inputs.shape\n    inputs[-1:] = inputs[-1:, ::-1]",
    ),
    ("4.4", "result = np.zeros(targets.shape)", "result = mask"),
    ("4.4", "    result[real] = ", "    targets[~real] = -1\n    result[real] = "),
    ("4.5", "    return places\n", "    class_of -= class_of.min() - 1\n    return places\n"),
    # reads or computes what it should not
    (
        "4.4",
        "    h = hidden(weights, contexts(inputs, weights.order)[:, real], dropout)\n"
        "    return dy.sum_batches(dy.pickneglogsoftmax_batch(scores(weights, h), targets[real].tolist()))",
        "    words = contexts(inputs, weights.order).reshape(weights.order - 1, -1)\n"
        "    h = hidden(weights, words, dropout)\n"
        "    losses = dy.pickneglogsoftmax_batch(scores(weights, h), targets.ravel().tolist())\n"
        "    return dy.sum_batches(dy.cmult(losses, dy.reshape(dy.inputTensor(real.ravel() * 1.0), (1,), mask.size)))",
    ),
    (
        "4.4",
        "    h = hidden(weights, contexts(inputs, weights.order)[:, real], 0.0)\n"
        "    result = np.zeros(targets.shape)\n"
        "    result[real] = -dy.pickneglogsoftmax_batch(scores(weights, h), targets[real].tolist()).npvalue().ravel()",
        "    h = hidden(weights, contexts(inputs, weights.order).reshape(weights.order - 1, -1), 0.0)\n"
        "    found = dy.pickneglogsoftmax_batch(scores(weights, h), targets.ravel().tolist()).npvalue()\n"
        "    result = -found.reshape(targets.shape) * real",
    ),
    (
        "4.5",
        "    return dy.pickneglogsoftmax_batch(class_scores, classes.tolist()) + within",
        "    unused = dy.esum([dy.sum_elems(W) for W in weights.W_words]) * 0\n"
        "    return dy.pickneglogsoftmax_batch(class_scores, classes.tolist()) + within + unused",
    ),
    # computes the same again and again
    (
        "4.5",
        "    for number in np.unique(classes):\n        group = np.flatnonzero(classes == number)",
        "    for group in np.arange(len(classes))[:, None]:\n        number = classes[group[0]]",
    ),
    # another graph
    ("4.3", "m = dy.concatenate(", "dy.renew_cg()\n    m = dy.concatenate("),
    ("4.4", "    dy.renew_cg()\n", ""),
    (
        "4.4",
        "    h = hidden(weights, contexts(inputs, weights.order)[:, real], dropout)",
        "    dy.renew_cg()\n    h = hidden(weights, contexts(inputs, weights.order)[:, real], dropout)",
    ),
    ("4.5", "    classes, places = weights", "    dy.renew_cg()\n    classes, places = weights"),
    # dropout in another place, at another rate, without its scale, or with masks that are not fresh
    ("4.3", "m = dy.dropout(m, dropout)", "m = m"),
    ("4.3", "m = dy.dropout(m, dropout)", "m = dy.dropout(m, 1 - dropout)"),
    ("4.3", "return dy.dropout(h, dropout)", "return dy.dropout(h, 1 - dropout)"),
    (
        "4.3",
        "m = dy.dropout(m, dropout)",
        "m = dy.cmult(m, dy.random_bernoulli(m.dim()[0], 1 - dropout, 1.0, m.dim()[1]))",
    ),
    (
        "4.3",
        "return dy.dropout(h, dropout)",
        "return dy.cmult(h, dy.random_bernoulli(h.dim()[0], 1 - dropout, 1.0, h.dim()[1]))",
    ),
    (
        "4.3",
        "m = dy.dropout(m, dropout)",
        "m = dy.cmult(m, dy.random_bernoulli(m.dim()[0], 1 - dropout, 1 / (1 - dropout)))",
    ),
    (
        "4.3",
        "return dy.dropout(h, dropout)",
        "return dy.cmult(h, dy.random_bernoulli(h.dim()[0], 1 - dropout, 1 / (1 - dropout)))",
    ),
    ("4.3", "m = dy.dropout(m, dropout)", "m = dy.block_dropout(m, dropout)"),
    ("4.3", "m = dy.dropout(m, dropout)", "m = dy.dropout(m, 0.5)"),
    ("4.3", "if dropout > 0 else h", "if dropout > 0.4 else h"),
    (
        "4.3",
        "    h = dy.tanh(dy.affine_transform([weights.b_h, weights.W_mh, m]))\n"
        "    return dy.dropout(h, dropout) if dropout > 0 else h",
        "    z = dy.affine_transform([weights.b_h, weights.W_mh, m])\n"
        "    return dy.tanh(dy.dropout(z, dropout) if dropout > 0 else z)",
    ),
    ("4.3", "m = dy.dropout(m, dropout)", "m = dy.dropout(dy.dropout(m, dropout), dropout)"),
    ("4.4", "[:, real], 0.0)", "[:, real], 0.5)"),
    # a gradient cut off
    ("4.3", "dy.lookup_batch(weights.M, row.tolist())", "dy.lookup_batch(weights.M, row.tolist(), update=False)"),
    ("4.3", "weights.W_mh, m]", "weights.W_mh.expr(False), m]"),
    ("4.3", "weights.W_hs, h]", "weights.W_hs, dy.nobackprop(h)]"),
    ("4.3", "[weights.b_s, weights", "[weights.b_s.expr(False), weights"),
    (
        "4.4",
        "scores(weights, h), targets[real].tolist()))\n",
        "dy.nobackprop(scores(weights, h)), targets[real].tolist()))\n",
    ),
    (
        "4.5",
        "h = dy.pick_batch_elems(hidden, group.tolist())",
        "h = dy.nobackprop(dy.pick_batch_elems(hidden, group.tolist()))",
    ),
    ("4.5", "weights.W_words[number], h]", "weights.W_words[number].expr(False), h]"),
    (
        "4.5",
        "weights.W_classes, hidden])\n    return dy.pick",
        "weights.W_classes, dy.nobackprop(hidden)])\n    return dy.pick",
    ),
    # the state of another call or step
    (
        "4.4",
        "    result = np.zeros(targets.shape)",
        "    result = vars(log_probs).setdefault(targets.shape, np.zeros(targets.shape))",
    ),
    # a batch of one, length 1, what is empty, what comes twice
    (
        "4.2",
        "    padded = np.concatenate([np.zeros((order - 2, batch), dtype=inputs.dtype), inputs])\n"
        "    return np.stack([padded[start : start + time] for start in range(order - 1)])",
        "    return np.stack([np.roll(inputs, back, axis=0) for back in reversed(range(order - 1))])",
    ),
    (
        "4.2",
        "    padded = np.concatenate([np.zeros((order - 2, batch), dtype=inputs.dtype), inputs])\n"
        "    return np.stack([padded[start : start + time] for start in range(order - 1)])",
        "    result = np.zeros((order - 1, time, batch), dtype=inputs.dtype)\n"
        "    for place, back in enumerate(reversed(range(order - 1))):\n"
        "        result[place, back:] = inputs[: time - back]\n    return result",
    ),
    (
        "4.2",
        "np.zeros((order - 2, batch), dtype=inputs.dtype)",
        "inputs[:1].repeat(order - 2, axis=0) if time > 1 else inputs[:0]",
    ),
    ("4.4", "result = np.zeros(targets.shape)", "result = np.full(targets.shape, -np.inf)"),
    ("4.5", "group = np.flatnonzero(classes == number)", "group = np.flatnonzero(classes == number)[: 3]"),
    # numbers too large, too small, or not exact enough
    ("4.5", "dy.log_softmax(scores).npvalue().ravel()", "np.log(dy.softmax(scores).npvalue().ravel())"),
    ("4.5", "dy.log_softmax(class_scores).npvalue().ravel()", "np.log(dy.softmax(class_scores).npvalue().ravel())"),
    # right for the example only
    ("4.1", "classes + vocabulary_size / classes", "7.0"),
    # right only where two sizes are equal, or one is small
    ("4.1", "((order - 1) * embedding_size + 1) * hidden_size", "(embedding_size + 1) * hidden_size"),
    ("4.1", "math.isqrt(vocabulary_size)", "int(math.log2(vocabulary_size))"),
    ("4.2", "range(order - 1)", "range(2)"),
    ("4.3", "for row in words]", "for row in [words[0], *words[2:], *words[1:2]]]"),
    # the wrong axis
    ("4.2", "time, batch = inputs.shape", "batch, time = inputs.shape"),
    ("4.2", "for start in range(order - 1)])", "for start in range(order - 1)], axis=-1)"),
    # one too many, or too few
    ("4.1", "((order - 1) * embedding_size + 1) * hidden_size", "(order * embedding_size + 1) * hidden_size"),
    ("4.2", "range(order - 1)", "range(order)"),
    ("4.5", "np.arange((class_of == number).sum())", "np.arange((class_of == number).sum()) + 1"),
    # another order
    ("4.2", "for start in range(order - 1)", "for start in reversed(range(order - 1))"),
    ("4.3", "for row in words]", "for row in words[::-1]]"),
    ("4.4", "result[real] = ", "result.T[real.T] = "),
    (
        "4.5",
        "    places = np.zeros_like(class_of)\n    for number in np.unique(class_of):\n"
        "        places[class_of == number] = np.arange((class_of == number).sum())\n    return places",
        "    return np.arange(len(class_of)) - np.searchsorted(class_of, class_of)",
    ),
    ("4.5", "back = np.argsort(order).tolist()", "back = list(range(len(order)))"),
    ("4.5", "back = np.argsort(order).tolist()", "back = order"),
    (
        "4.5",
        "    result = np.zeros(len(weights.class_of))\n    for number, log_class in enumerate(log_classes):\n"
        "        scores = dy.affine_transform([weights.b_words[number], weights.W_words[number], hidden])\n"
        "        result[weights.class_of == number] = log_class + dy.log_softmax(scores).npvalue().ravel()\n"
        "    return result",
        "    parts = []\n    for number, log_class in enumerate(log_classes):\n"
        "        scores = dy.affine_transform([weights.b_words[number], weights.W_words[number], hidden])\n"
        "        parts.append(log_class + dy.log_softmax(scores).npvalue().ravel())\n"
        "    return np.concatenate(parts)",
    ),
    # numbers of a wrong type, or no numbers
    ("4.2", ", dtype=inputs.dtype", ""),
    ("4.2", "dtype=inputs.dtype), inputs])", "dtype=inputs.dtype), inputs]).astype(np.int8)"),
    ("4.4", "result = np.zeros(targets.shape)", "result = np.zeros_like(targets)"),
    ("4.5", "result = np.zeros(len(weights.class_of))", "result = np.zeros_like(weights.class_of)"),
    # another formula
    ("4.1", "(hidden_size + 1) * vocabulary_size", "(embedding_size + 1) * vocabulary_size"),
    (
        "4.1",
        "embeddings = vocabulary_size * embedding_size",
        "embeddings = (order - 1) * vocabulary_size * embedding_size",
    ),
    ("4.1", "classes + vocabulary_size / classes", "classes * vocabulary_size / classes"),
    ("4.3", "h = dy.tanh(", "h = dy.logistic("),
    (
        "4.3",
        "    return dy.affine_transform([weights.b_s, weights.W_hs, h])",
        "    return dy.log_softmax(dy.affine_transform([weights.b_s, weights.W_hs, h]))",
    ),
    (
        "4.4",
        "    real = mask > 0\n    h = hidden(weights, contexts(inputs, weights.order)[:, real], dropout)",
        "    real = (mask > 0) & (targets > 0)\n"
        "    h = hidden(weights, contexts(inputs, weights.order)[:, real], dropout)",
    ),
    ("4.4", "return dy.sum_batches(", "return dy.mean_batches("),
    ("4.5", "dy.pickneglogsoftmax_batch(class_scores, classes.tolist()) + within", "within"),
    ("4.5", "log_class + dy.log_softmax(scores)", "dy.log_softmax(scores)"),
]
