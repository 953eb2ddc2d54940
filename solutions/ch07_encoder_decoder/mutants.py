"""More mutants of chapter 7: wrong answers by kind of mistake, (task, right, wrong) each."""

MUTANTS = [
    # changes what it was given, or leaves what it should change
    (
        "7.2",
        "    return dy.pick_batch(states, [int(length) - 1 for length in lengths], dim=1)",
        "    lengths -= 1\n    return dy.pick_batch(states, lengths.tolist(), dim=1)",
    ),
    ("7.3", "    lengths = mask.sum(", "    source[mask == 0] = 0\n    lengths = mask.sum("),
    (
        "7.5",
        "        words = log_probs.argmax",
        "        log_probs[:, 0] -= step == 0\n        words = log_probs.argmax",
    ),
    (
        "7.7",
        "return sorted(hypotheses, key=lambda one: (one.finished, score(one), one.log_prob), reverse=True)",
        "hypotheses.sort(key=lambda one: (one.finished, score(one), one.log_prob), reverse=True)\n"
        "    return hypotheses",
    ),
    # reads or computes what it should not
    ("7.5", "            break\n    parts", "            pass\n    parts"),
    # another graph
    ("7.3", "    lengths = mask.sum", "    dy.renew_cg()\n    lengths = mask.sum"),
    (
        "7.4",
        "    h, states = encoded, []\n",
        "    values = dy.inputTensor(encoded.npvalue(), batched=encoded.dim()[1] > 1)\n    dy.renew_cg()\n"
        "    h, states = values * 1.0 if values else encoded, []\n",
    ),
    (
        "7.4",
        "    h = rnn(weights.W_e, weights.U_e, weights.b_e, embed(weights.M_e, words), h)\n    log_probs",
        "    dy.renew_cg()\n    h = rnn(weights.W_e, weights.U_e, weights.b_e, embed(weights.M_e, words), h)\n"
        "    log_probs",
    ),
    # no error, or another one
    ("7.7", "if target in followed else -math.inf", "if followed else -math.inf"),
    # a gradient cut off
    ("7.2", "dy.pick_batch_elems(folded, columns)", "dy.nobackprop(dy.pick_batch_elems(folded, columns))"),
    ("7.2", "dy.pick_batch(states,", "dy.pick_batch(dy.nobackprop(states),"),
    ("7.3", "dy.pick(words, t, dim=1), h)", "dy.pick(words, t, dim=1), h and dy.nobackprop(h))"),
    ("7.3", "        words = reverse(words, lengths)", "        words = dy.nobackprop(reverse(words, lengths))"),
    (
        "7.3",
        "    return last_states(dy.concatenate_cols(states), lengths)",
        "    return dy.nobackprop(last_states(dy.concatenate_cols(states), lengths))",
    ),
    ("7.4", "h, states = encoded, []", "h, states = dy.nobackprop(encoded), []"),
    (
        "7.4",
        "        states.append(h)\n    scores",
        "        states.append(h)\n        h = dy.nobackprop(h)\n    scores",
    ),
    ("7.4", "weights.W_hs, fold_time(", "weights.W_hs.expr(False), fold_time("),
    # the state of another call or step
    (
        "7.3",
        "        states.append(h)\n    return last_states(dy.concatenate_cols(states), lengths)",
        '        vars(encode).setdefault("states", []).append(h)\n    states = vars(encode)["states"]\n'
        "    return last_states(dy.concatenate_cols(states), lengths)",
    ),
    (
        "7.4",
        "    h = rnn(weights.W_e, weights.U_e, weights.b_e, embed(weights.M_e, words), h)\n"
        "    log_probs = dy.log_softmax(dy.affine_transform([weights.b_s, weights.W_hs, h])).npvalue()\n"
        "    return h,",
        "    after = rnn(weights.W_e, weights.U_e, weights.b_e, embed(weights.M_e, words), h)\n"
        "    log_probs = dy.log_softmax(dy.affine_transform([weights.b_s, weights.W_hs, after])).npvalue()\n"
        "    return h,",
    ),
    ("7.5", "[[] for _ in range(number)]", "[[]] * number"),
    ("7.6", "np.array([[total] for _, total in live]) + log_probs", "log_probs"),
    ("7.6", "state, words = model.select(state, rows)", "state, words = state"),
    # a batch of one, length 1, what is empty, what comes twice
    ("7.1", "sum(words**length for length in range(longest + 1))", "(words ** (longest + 1) - 1) // (words - 1)"),
    ("7.1", "(1 + size * (steps - 1))", "(1 + size * max(steps - 1, 1))"),
    ("7.2", "*range(length, time)]", "*[length - 1] * (time - length)]"),
    ("7.2", "*range(length, time)]", "*[0] * (time - length)]"),
    ("7.2", "[int(length) - 1 for length in lengths]", "[max(int(length) - 1, 1) for length in lengths]"),
    ("7.3", "mask.sum(axis=0).astype(int)", "(source > 0).sum(axis=0)"),
    ("7.3", "h, states = None, []", "h, states = dy.zeros((weights.b_f.shape()[0],), batch_size=1) + 0.1, []"),
    ("7.4", 'np.reshape(log_probs, (-1, len(words)), order="F").T', "log_probs.T"),
    ("7.4", 'np.reshape(log_probs, (-1, len(words)), order="F").T', "np.reshape(log_probs, (len(words), -1))"),
    (
        "7.5",
        "state, words = model.start(number), [0] * number",
        "if number == 0:\n        raise ValueError\n    state, words = model.start(number), [1] * number",
    ),
    ("7.5", "state, words = model.start(number)", "state, words = model.start(1)"),
    ("7.6", "bool(ended))", "True)"),
    (
        "7.6",
        'best = np.argsort(-totals, axis=None, kind="stable")[: size - len(ended)]',
        "best = sorted(range(totals.size), key=lambda at: -totals.flat[at])[: size - len(ended)]\n"
        "        best = list({at // totals.shape[1]: at for at in reversed(best)}.values())[::-1]",
    ),
    (
        "7.6",
        "state, words = model.select(state, rows)",
        "state, words = model.select(state, list(dict.fromkeys(rows)))",
    ),
    ("7.7", "for length, other in lengths if", "for length, other in set(lengths) if"),
    (
        "7.7",
        "sorted(hypotheses, key",
        "sorted(set(hypotheses) if 0 else {id(one): one for one in hypotheses if one.words}.values(), key",
    ),
    # numbers too large, too small, or not exact enough
    (
        "7.4",
        "dy.log_softmax(dy.affine_transform([weights.b_s, weights.W_hs, h])).npvalue()",
        "np.log(dy.softmax(dy.affine_transform([weights.b_s, weights.W_hs, h])).npvalue())",
    ),
    ("7.6", "if np.isfinite(totals[row, word]):", "if True:"),
    ("7.6", "if np.isfinite(totals[row, word]):", "if totals[row, word] > -50:"),
    ("7.7", "else -math.inf", "else -1e9"),
    # right for the example only
    ("7.1", "sum(words**length for length in range(longest + 1))", "7"),
    # right only where two sizes are equal, or one is small
    ("7.1", "sum(words**length for length in range(longest + 1))", "1 + words * (longest + 1)"),
    ("7.1", "(1 + size * (steps - 1))", "(1 + size)"),
    (
        "7.2",
        "[*reversed(range(length)), *range(length, time)]",
        "[*reversed(range(lengths[0])), *range(lengths[0], time)]",
    ),
    ("7.5", "range(limits.max())", "range(limits[0])"),
    ("7.5", "range(limits.max())", "range(limits.min())"),
    # the wrong axis
    ("7.3", "mask.sum(axis=0)", "mask.sum(axis=1)"),
    ("7.3", "for t in range(len(source)):", "for t in range(source.shape[1]):"),
    ("7.5", "log_probs.argmax(axis=1)", "log_probs.argmax(axis=0)"),
    # one too many, or too few
    ("7.1", "range(longest + 1)", "range(longest)"),
    ("7.1", "(1 + size * (steps - 1))", "size * steps"),
    (
        "7.2",
        "[int(length) - 1 for length in lengths]",
        "[min(int(length), states.dim()[0][1] - 1) for length in lengths]",
    ),
    (
        "7.4",
        "        h = rnn(weights.W_e, weights.U_e, weights.b_e, embed(weights.M_e, words), h)\n"
        "        states.append(h)",
        "        states.append(h)\n"
        "        h = rnn(weights.W_e, weights.U_e, weights.b_e, embed(weights.M_e, words), h)",
    ),
    ("7.5", "step + 1 >= limits[row]", "step >= limits[row]"),
    ("7.5", "range(limits.max())", "range(limits.max() - 1)"),
    ("7.6", "range(max_words)", "range(max_words + 1)"),
    ("7.7", "(len(hypothesis.words) + 1)", "(len(hypothesis.words) or 1)"),
    (
        "7.7",
        "length_log_prob(lengths, source, len(hypothesis.words))",
        "length_log_prob(lengths, source, len(hypothesis.words) + 1)",
    ),
    # another order
    ("7.2", "[int(length) - 1 for length in lengths]", "[int(length) - 1 for length in sorted(lengths, reverse=True)]"),
    ("7.3", "source.T.ravel()), len(source))\n", "source.ravel()), len(source))\n"),
    ("7.6", "key=lambda hypothesis: -hypothesis[1])", "key=lambda hypothesis: -hypothesis[1] / len(hypothesis[0]))"),
    ("7.6", "sorted(ended or live, key=lambda hypothesis: -hypothesis[1])", "(ended or live)"),
    ("7.6", "state, words = model.select(state, rows)", "state, words = model.select(state, sorted(rows))"),
    ("7.7", "if length == source]", "if other == source]"),
    ("7.7", "(one.finished, score(one), one.log_prob)", "(score(one), one.finished, one.log_prob)"),
    ("7.7", ", reverse=True)", ")"),
    # rounded
    (
        "7.7",
        "math.log(followed.count(target) / len(followed))",
        "round(math.log(followed.count(target) / len(followed)), 3)",
    ),
    # numbers of a wrong type, or no numbers
    ("7.5", "Hypothesis(model.vocab.decode(ids), total, done)", "Hypothesis(ids, total, done)"),
    ("7.6", "float(totals[row, word]))", "int(totals[row, word]))"),
    # another formula
    ("7.1", "(words + 1) * (1 + size * (steps - 1))", "words + 1 + words * size * (steps - 1) + size"),
    ("7.2", "[int(length) - 1 for length in lengths]", "[states.dim()[0][1] - 1 for _ in lengths]"),
    ("7.3", "last_states(dy.concatenate_cols(states), lengths)", "h"),
    ("7.3", "reverse(words, lengths)", "reverse(words, np.full(len(lengths), len(source)))"),
    ("7.3", "if backward:", "if not backward:"),
    (
        "7.4",
        "return masked_sum(negative_log_probs(scores, target.targets), target.mask)",
        "return masked_sum(negative_log_probs(scores, target.targets), target.mask) / float(target.mask.sum())",
    ),
    ("7.4", "weights.W_hs, h])).npvalue()", "weights.W_hs, dy.tanh(h)])).npvalue()"),
    ("7.5", "not ended[row] and step < limits[row]", "not ended[row]"),
    ("7.5", "not ended[row] and step < limits[row]", "step < limits[row]"),
    (
        "7.5",
        "totals[row] += float(log_probs[row, words[row]])",
        "totals[row] += float(log_probs[row, words[row]]) * (words[row] != 0)",
    ),
    ("7.5", "ended[row] = words[row] == 0", "ended[row] = True"),
    ("7.6", "        if not live:", "        if not live or ended:"),
    (
        "7.6",
        "if word == 0:\n                    ended",
        "if word == 0 or len(hypothesis[0]) == max_words:\n                    ended",
    ),
    ("7.7", "len(hypothesis.words) + 1", 'len(" ".join(hypothesis.words)) + 1'),
    ("7.7", "followed.count(target) / len(followed)", "followed.count(target) / len(lengths)"),
    ("7.7", "hypothesis.log_prob + length", "-hypothesis.log_prob * length"),
]
