"""More mutants of chapter 5: wrong answers by kind of mistake, (task, right, wrong) each."""

MUTANTS = [
    # changes what it was given, or leaves what it should change
    ("5.2", "    for x in inputs:", "    while inputs:\n        x = inputs.pop(0)"),
    (
        "5.5",
        "for column, sentence in enumerate(sentences):",
        "for column, sentence in enumerate(sentences):\n        sentence += [0] * (time - len(sentence))",
    ),
    (
        "5.5",
        "    targets, _ = pad([[*sentence, 0] for sentence in sentences])",
        "    for sentence in sentences:\n        sentence.append(0)\n    targets, _ = pad(sentences)",
    ),
    (
        "5.5",
        "    return sum(totals) / float(sum(mask.sum() for mask in masks))",
        "    for mask in masks[1:]:\n        mask[...] = mask > 1\n"
        "    return sum(totals) / float(sum(mask.sum() for mask in masks))",
    ),
    (
        "5.6",
        "text = [word for sentence in sentences for word in [*sentence, 0]]",
        "text = []\n    for sentence in sentences:\n        sentence.append(0)\n        text += sentence",
    ),
    # another graph
    ("5.2", "    for x in inputs:", "    dy.renew_cg()\n    for x in inputs:"),
    ("5.3", "    i = dy.logistic(", "    dy.cg_version()\n    i = dy.tanh("),
    # dropout in another place, at another rate, without its scale, or with masks that are not fresh
    ("5.3", "state.hidden if mask is None else dy.cmult(state.hidden, mask)", "state.hidden"),
    (
        "5.3",
        "    return LSTMState(dy.cmult(o, dy.tanh(c)), c)",
        "    h = dy.cmult(o, dy.tanh(c))\n    return LSTMState(h if mask is None else dy.cmult(h, mask), c)",
    ),
    (
        "5.3",
        "    if state is not None:\n        h = ",
        "    if mask is not None and state is not None:\n        z = dy.cmult(z, dy.concatenate([mask] * 4))\n"
        "    if state is not None:\n        h = ",
    ),
    ("5.3", "dy.cmult(state.hidden, mask)", "dy.dropout(state.hidden, 0.5)"),
    ("5.4", "dy.cmult(r, h)", "dy.cmult(r, state.hidden)"),
    ("5.4", "layer.W_hg * h", "layer.W_hg * state.hidden"),
    (
        "5.4",
        "    return HiddenState(dy.cmult(-z + 1, state.hidden) + dy.cmult(z, candidate))",
        "    new = dy.cmult(-z + 1, state.hidden) + dy.cmult(z, candidate)\n"
        "    return HiddenState(new if mask is None else dy.cmult(new, mask))",
    ),
    # a gradient cut off
    ("5.2", "z + W_hh * h)", "z + W_hh * dy.nobackprop(h))"),
    ("5.2", "z = W_xh * x", "z = W_xh * dy.nobackprop(x)"),
    ("5.2", "states[-1] if states else None", "dy.nobackprop(states[-1]) if states else None"),
    ("5.3", "dy.cmult(f, state.cell)", "dy.cmult(f, dy.nobackprop(state.cell))"),
    ("5.3", "layer.W_h * h", "layer.W_h * dy.nobackprop(h)"),
    ("5.3", "z = layer.hidden_size, projected", "z = layer.hidden_size, dy.nobackprop(projected)"),
    ("5.4", "dy.cmult(-z + 1, state.hidden)", "dy.cmult(-z + 1, dy.nobackprop(state.hidden))"),
    ("5.4", "dy.cmult(r, h)", "dy.cmult(dy.nobackprop(r), h)"),
    ("5.4", "layer.W_hg * h", "layer.W_hg * dy.nobackprop(h)"),
    ("5.4", "dy.cmult(z, candidate))", "dy.cmult(dy.nobackprop(z), candidate))"),
    ("5.5", "dy.cmult(losses, weights)", "dy.cmult(dy.nobackprop(losses), weights)"),
    (
        "5.6",
        'carried = [np.reshape(state.npvalue(), (state.dim()[0][0], -1), order="F") for state in states]',
        "carried = list(states)",
    ),
    # the state of another call or step
    ("5.2", "states: list[dy.Expression] = []", 'states = vars(run).setdefault("states", [])'),
    (
        "5.3",
        "    return LSTMState(dy.cmult(o, dy.tanh(c)), c)",
        "    return LSTMState(dy.cmult(o, dy.tanh(c)), c if state is None else state.cell)",
    ),
    (
        "5.6",
        "total += batch_loss.value()\n        batch_loss.backward()",
        "batch_loss.backward()\n        update()\n        total += batch_loss.value(recalculate=True)",
    ),
    (
        "5.6",
        "        update()\n        predictions",
        "        if carried:\n            predictions += 0\n        predictions",
    ),
    ("5.6", "batch_loss, states = loss(batch, carried)", "batch_loss, states = loss(batch, None)"),
    (
        "5.6",
        "carried, total, predictions = None, 0.0, 0\n    for batch in batches:\n        dy.renew_cg()",
        'carried, total, predictions = vars(train_through).setdefault("kept", [None])[0], 0.0, 0\n'
        '    for batch in batches:\n        vars(train_through)["kept"] = [carried]\n        dy.renew_cg()',
    ),
    ("5.6", "carried = [np.reshape(", "carried = carried or [np.reshape("),
    # a batch of one, length 1, what is empty, what comes twice
    (
        "5.1",
        "1 - sum(length + 1 for length in lengths) / (longest * len(lengths))",
        "(longest - min(lengths) - 1) / longest / len(lengths)",
    ),
    ("5.2", "    return states", "    return states if len(states) > 1 else states[0]"),
    ("5.3", "    c = dy.cmult(i, u)\n", "    c = dy.cmult(i, u) if state is not None else u\n"),
    (
        "5.4",
        "        return HiddenState(dy.cmult(dy.logistic(dy.pick_range(gates, H, 2 * H)), dy.tanh(candidate)))",
        "        return HiddenState(dy.tanh(candidate))",
    ),
    (
        "5.5",
        "    inputs, mask = pad(",
        "    sentences = [sentence for sentence in sentences if sentence]\n    inputs, mask = pad(",
    ),
    (
        "5.5",
        "sum(totals) / float(sum(mask.sum() for mask in masks))",
        "sum(total / mask.sum() for total, mask in zip(totals, masks)) / len(totals)",
    ),
    (
        "5.6",
        "    padding = [0] * (length * streams - len(text))",
        "    length = len(text) // streams\n    text, padding = text[: length * streams], []",
    ),
    ("5.6", "for sentence in sentences for word", "for sentence in sentences if sentence for word"),
    ("5.6", 'np.reshape(state.npvalue(), (state.dim()[0][0], -1), order="F")', "state.npvalue()"),
    ("5.6", "for state in states]", "for state in states[:1]]"),
    # numbers too large, too small, or not exact enough
    ("5.1", "weight**steps", "max(min(weight**steps, 1.0), -1.0)"),
    # right for the example only
    ("5.1", "blocks * hidden_size * (input_size + hidden_size + 1)", "blocks * 18"),
    ("5.1", "1 - sum(length + 1 for length in lengths) / (longest * len(lengths))", "0.25"),
    # right only where two sizes are equal, or one is small
    ("5.5", "float(sum(mask.sum() for mask in masks))", "float(masks[0].sum() * len(masks))"),
    # the wrong axis
    ("5.2", "W_hh * h)", "dy.transpose(W_hh.expr()) * h)"),
    (
        "5.2",
        "z = W_xh * x + b_h\n    return dy.tanh(z if h is None else z + W_hh * h)",
        "z = W_hh * x + b_h\n    return dy.tanh(z if h is None else z + W_xh * h)",
    ),
    # one too many, or too few
    ("5.1", "weight**steps", "weight ** (steps - 1) * 0.5"),
    (
        "5.2",
        "    return states",
        "    return [states[0], *states[:-1]] if len(states) > 5 else states",
    ),
    ("5.6", "math.ceil(len(text) / streams)", "steps * math.ceil(len(text) / streams / steps)"),
    # another order
    ("5.2", "for x in inputs:", "for x in reversed(inputs):"),
    (
        "5.3",
        "i = dy.logistic(dy.pick_range(z, 0, H))\n    f = dy.logistic(dy.pick_range(z, H, 2 * H))",
        "f = dy.logistic(dy.pick_range(z, 0, H))\n    i = dy.logistic(dy.pick_range(z, H, 2 * H))",
    ),
    (
        "5.3",
        "o = dy.logistic(dy.pick_range(z, 2 * H, 3 * H))\n    u = dy.tanh(dy.pick_range(z, 3 * H, 4 * H))",
        "u = dy.tanh(dy.pick_range(z, 2 * H, 3 * H))\n    o = dy.logistic(dy.pick_range(z, 3 * H, 4 * H))",
    ),
    (
        "5.4",
        "dy.logistic(dy.pick_range(gates, H, 2 * H)), dy.tanh(candidate)",
        "dy.logistic(dy.pick_range(gates, 0, H)), dy.tanh(candidate)",
    ),
    ("5.4", "r, z = dy.pick_range", "z, r = dy.pick_range"),
    (
        "5.5",
        "ids[: len(sentence), column] = sentence\n        mask[: len(sentence), column] = 1",
        "ids[time - len(sentence) :, column] = sentence\n        mask[time - len(sentence) :, column] = 1",
    ),
    (
        "5.5",
        "    return inputs, targets, mask",
        '    order = np.argsort(-mask.sum(axis=0), kind="stable")\n'
        "    return inputs[:, order], targets[:, order], mask[:, order]",
    ),
    (
        "5.6",
        "text = [word for sentence in sentences for",
        "text = [word for sentence in sorted(sentences, key=len) for",
    ),
    ("5.6", "    for batch in batches:", "    for batch in sorted(batches, key=lambda one: len(one.inputs)):"),
    # rounded
    ("5.1", "/ (longest * len(lengths))", "// (longest * len(lengths))"),
    ("5.5", "sum(totals) / float(", "sum(totals) // float("),
    # numbers of a wrong type, or no numbers
    ("5.5", "dtype=np.float32", "dtype=int"),
    ("5.5", "dtype=np.float32", "dtype=bool"),
    ("5.5", "dtype=int)", "dtype=np.int8)"),
    ("5.5", "dtype=int)", "dtype=np.float32)"),
    (
        "5.5",
        "float(sum(mask.sum() for mask in masks))",
        "float(sum(mask.astype(np.int8).sum(dtype=np.int8) for mask in masks))",
    ),
    ("5.6", "[0.0] * len(padding), dtype=np.float32)", "[0.0] * len(padding))"),
    # another formula
    ("5.1", "weight**steps", "abs(weight) ** steps"),
    (
        "5.1",
        "1 - sum(length + 1 for length in lengths) / (longest * len(lengths))",
        "1 - sum(lengths) / (max(lengths) * len(lengths)) if max(lengths) else 0.0",
    ),
    (
        "5.2",
        "return dy.tanh(z if h is None else z + W_hh * h)",
        "return dy.tanh(W_xh * x if h is None else z + W_hh * h)",
    ),
    ("5.2", "return dy.tanh(z", "return dy.rectify(z"),
    ("5.3", "dy.cmult(o, dy.tanh(c))", "dy.cmult(o, c)"),
    ("5.3", "dy.logistic(dy.pick_range(z, H, 2 * H))", "dy.logistic(dy.pick_range(z, H, 2 * H) + 1)"),
    ("5.3", "f = dy.logistic(dy.pick_range(z, H, 2 * H))", "f = -i + 1"),
    ("5.5", "mask[: len(sentence), column] = 1", "mask[: len(sentence), column] = np.array(sentence) != 0"),
    ("5.5", "return inputs, targets, mask", "return inputs, targets, (targets > 0).astype(np.float32)"),
    (
        "5.5",
        "return dy.sum_batches(dy.cmult(losses, weights))",
        "return dy.sum_batches(dy.cmult(losses, weights)) / float(mask.sum())",
    ),
    ("5.5", "dy.sum_batches(dy.cmult(losses, weights))", "dy.mean_batches(dy.cmult(losses, weights))"),
    ("5.5", "sum(mask.sum() for mask in masks)", "sum(mask.size for mask in masks)"),
    ("5.6", "    columns = [array", "    inputs[:: length] = 0\n    columns = [array"),
    ("5.6", "np.array([1.0] * len(text) + [0.0] * len(padding), dtype=np.float32)", "(targets > 0).astype(np.float32)"),
    ("5.6", "columns), np.arange(streams))", "columns), np.arange(len(sentences)))"),
]
