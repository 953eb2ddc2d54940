"""More mutants of chapter 10: wrong answers by kind of mistake, (task, right, wrong) each."""

MUTANTS = [
    # changes what it was given, or leaves what it should change
    ("10.2", "    precisions = []", "    hypothesis[:] = list(hypothesis)[::-1]\n    precisions = []"),
    ("10.3", "    return (log_probs + noise).argmax", "    noise += log_probs\n    return noise.argmax"),
    ("10.3", "    words: list[int] = []", "    noise *= 1.5\n    words: list[int] = []"),
    ("10.4", "    Q = dy.softmax(", "    costs[~counted] = 0.0\n    Q = dy.softmax("),
    ("10.4", "    scores = np.where(counted,", "    log_probs *= 1.0001\n    scores = np.where(counted,"),
    (
        "10.5",
        "    return costs - others",
        "    costs -= others\n    return costs",
    ),
    ("10.6", "    read = inputs.copy()", "    own[0] = ~own[0]\n    read = inputs.copy()"),
    # another graph
    ("10.4", "    left_out = ", "    dy.renew_cg()\n    left_out = "),
    ("10.5", "    k = advantages.shape[1]", "    dy.renew_cg()\n    k = advantages.shape[1]"),
    # a gradient cut off
    ("10.4", "dy.softmax(log_probs * alpha", "dy.softmax(dy.nobackprop(log_probs) * alpha"),
    (
        "10.5",
        "dy.dot_product(log_probs, input_batch",
        "dy.dot_product(dy.inputTensor(log_probs.npvalue()), input_batch",
    ),
    # the state of another call or step
    (
        "10.3",
        "    words: list[int] = []\n    for g",
        "    words = draw_sentence.__dict__.setdefault('w', [])\n    for g",
    ),
    ("10.6", "draw(read[:t].copy())", "draw(read[:1].copy())"),
    # a batch of one, length 1, what is empty, what comes twice
    ("10.2", "            return 0.0\n", "            return 0.0 if hypothesis else 1.0\n"),
    ("10.2", "for n in (1, 2, 3, 4):", "for n in range(1, min(4, len(hypothesis)) + 1):"),
    ("10.3", ".argmax(axis=0)", ".argmax(axis=0).squeeze()"),
    ("10.4", "input_batch(costs.T))", "dy.inputTensor(costs.T, batched=costs.shape[0] > 1))"),
    ("10.5", "    if k == 1:\n        return np.zeros((B, 1))\n", ""),
    ("10.5", "        return np.zeros((B, 1))", "        return np.zeros(B)"),
    ("10.4", "            counted.append(list(sentence))", "            counted = [list(sentence)]"),
    # numbers too large, too small, or not exact enough
    (
        "10.4",
        "    Q = dy.softmax(log_probs * alpha + input_batch(left_out.T))",
        "    powers = dy.cmult(dy.exp(log_probs * alpha), input_batch(counted.T * 1.0))\n"
        "    Q = dy.cdiv(powers, dy.sum_elems(powers))",
    ),
    ("10.3", "-np.log(-np.log(uniform))", "-np.log(-np.log(uniform + 1e-3))"),
    ("10.3", "-np.log(-np.log(uniform))", "-np.log(-np.log(np.clip(uniform, 0.01, 0.99)))"),
    ("10.3", "(log_probs + noise).argmax", "(np.exp(log_probs) * np.exp(np.minimum(noise, 2))).argmax"),
    # right for the example only
    ("10.1", "return (1 - error) ** n", "return error * error"),
    ("10.6", "return (1 - share) ** progress", "return progress"),
    # right only where two sizes are equal, or one is small
    ("10.5", "* (1 / k)", "* (1 / len(advantages))"),
    ("10.5", "- costs) / (k - 1)", "- costs) / 2"),
    ("10.6", "range(1, len(read))", "range(1, min(len(read), 4))"),
    ("10.2", "for n in (1, 2, 3, 4):", "for n in (1, 2):"),
    # the wrong axis
    ("10.4", "input_batch(left_out.T)", "input_batch(left_out)"),
    ("10.4", "Q, input_batch(costs.T)", "Q, input_batch(costs)"),
    ("10.5", "input_batch(advantages.T)", "input_batch(advantages)"),
    ("10.5", "costs.sum(axis=1, keepdims=True)", "costs.sum(axis=0, keepdims=True)"),
    ("10.6", "draw(read[:t].copy())", "draw(read[:, :t].copy())"),
    # one too many, or too few
    ("10.1", "for before in range(n)", "for before in range(1, n)"),
    ("10.1", "for before in range(n)", "for before in range(n + 1)"),
    ("10.2", "for n in (1, 2, 3, 4):", "for n in (1, 2, 3, 4, 5):"),
    ("10.3", "for g in noise:", "for g in noise[:-1]:"),
    # another order
    ("10.2", "tuple(tokens[start : start + n])", "tuple(sorted(tokens[start : start + n]))"),
    ("10.3", "next_words(list(words))", "next_words(words[::-1])"),
    ("10.3", "for g in noise:", "for g in noise[::-1]:"),
    ("10.2", "found, there = ngrams", "there, found = ngrams"),
    # rounded
    ("10.1", "return Q[0] * 0.2 + Q[1] * 0.6 + Q[2] * 0.9", "return round(Q[0] * 0.2 + Q[1] * 0.6 + Q[2] * 0.9, 1)"),
    ("10.2", "math.prod(precisions) ** 0.25", "round(math.prod(precisions) ** 0.25, 2)"),
    # numbers of a wrong type, or no numbers
    ("10.3", "words.append(int((", "words.append(float(("),
    ("10.4", "        found.append(new)", "        found.append(sentence if new else None)"),
    ("10.6", "    return read\n", "    return read.tolist() if len(read) > 1 else None\n"),
    (
        "10.4",
        "    return dy.dot_product(Q, input_batch(costs.T))",
        "    return dy.dot_product(Q, input_batch(costs.T)).npvalue()",
    ),
    # another formula
    ("10.1", "right_so_far = (1 - error) ** before", "right_so_far = 1 - error * before"),
    ("10.1", "right_so_far * error + (1 - right_so_far) * lost", "error + (1 - right_so_far) * lost"),
    ("10.2", "math.prod(precisions) ** 0.25", "4 / sum(1 / max(p, 1e-9) for p in precisions)"),
    ("10.2", "math.exp(brevity) *", "min(1.0, len(hypothesis) / len(reference)) *"),
    ("10.3", "next_words(list(words)) + g", "next_words(list(words))"),
    ("10.4", "Q @ costs)", "costs[counted].mean())"),
    ("10.4", "list(sentence) not in counted", "set(sentence) not in [set(one) for one in counted]"),
    ("10.4", "return alpha * Q * (costs - Q @ costs)", "return Q * (costs - Q @ costs) / alpha"),
    ("10.5", "return costs - others", "return costs - np.minimum(costs.min(axis=1, keepdims=True), others)"),
    ("10.5", "return costs - others", "return costs / others - 1"),
    ("10.6", "own[t] & (drawn != 0)", "own[t] & (drawn != 0) & (drawn != read[t - 1])"),
    ("10.6", "own[t] & (drawn != 0)", "(own[t] & (drawn != 0).all())"),
    ("10.6", "return (1 - share) ** progress", "return np.exp(-share * progress)"),
]
