"""More mutants of chapter 6: wrong answers by kind of mistake, (task, right, wrong) each."""

MUTANTS = [
    # changes what it was given, or leaves what it should change
    (
        "6.6",
        "return State(lstm, [*state.memory, lstm.hidden])",
        "state.memory.append(lstm.hidden)\n    return State(lstm, state.memory)",
    ),
    (
        "6.6",
        "embed(weights.embedding, list(words)), state.lstm)",
        "embed(weights.embedding, [words.pop(0)] + words), state.lstm)\n    words = [0] * lstm.hidden.dim()[1]",
    ),
    # reads or computes what it should not
    (
        "6.3",
        "    return dy.reshape(scores, (time, asking), batch)",
        "    import numpy as np\n\n    late = dy.inputTensor(np.tril(np.ones((time, asking))) * -1e9)\n"
        "    return dy.reshape(scores, (time, asking), batch) + late",
    ),
    # another graph
    ("6.6", "    time = len(inputs)\n", "    dy.renew_cg()\n    time = len(inputs)\n"),
    ("6.6", "    lstm = weights.lstm.step(", "    dy.renew_cg()\n    lstm = weights.lstm.step("),
    # a gradient cut off
    ("6.2", "v * dy.tanh(W * past)", "v * dy.tanh(W * dy.nobackprop(past))"),
    ("6.2", "v * dy.tanh(W * past)", "v * dy.nobackprop(dy.tanh(W * past))"),
    ("6.3", "W_q * queries", "W_q * dy.nobackprop(queries)"),
    ("6.3", "W * past, (size", "W * dy.nobackprop(past), (size"),
    ("6.3", "scores = v * dy", "scores = dy.nobackprop(v) * dy"),
    ("6.4", "dy.softmax(scores +", "dy.softmax(dy.nobackprop(scores) +"),
    ("6.4", "past * weights", "dy.nobackprop(past) * weights"),
    ("6.4", "past * weights", "past * dy.nobackprop(weights)"),
    ("6.5", "[states, contexts])", "[states, dy.nobackprop(contexts)])"),
    ("6.5", "[states, contexts])", "[dy.nobackprop(states), contexts])"),
    (
        "6.5",
        "dy.affine_transform([bias, embedding, states])",
        "dy.affine_transform([bias, dy.nobackprop(embedding), states])",
    ),
    (
        "6.5",
        "dy.affine_transform([bias, embedding, states])",
        "dy.affine_transform([bias, embedding, dy.nobackprop(states)])",
    ),
    ("6.5", "([bias, embedding", "([dy.nobackprop(bias), embedding"),
    ("6.6", "causal_weights(scores, time)", "dy.nobackprop(causal_weights(scores, time))"),
    ("6.6", "contexts(states, causal", "contexts(dy.nobackprop(states), causal"),
    (
        "6.6",
        "past = dy.concatenate_cols(state.memory)",
        "past = dy.nobackprop(dy.concatenate_cols(state.memory))\n        past = past * 1.5",
    ),
    # the state of another call or step
    (
        "6.6",
        "    lstm = weights.lstm.step(embed(weights.embedding, list(words)), state.lstm)",
        "    lstm = weights.lstm.step(embed(weights.embedding, list(words)), state.lstm if state.memory[1:] else None)",
    ),
    # a batch of one, length 1, what is empty, what comes twice
    ("6.2", "(time, 1), batch)", "(time,), batch) if time > 1 else dy.zeros((1, 1), batch_size=batch)"),
    ("6.2", "(time, 1), batch)", "(time * batch, 1))"),
    (
        "6.3",
        "dy.reshape(scores, (time, asking), batch)",
        "dy.reshape(scores, (time, asking), batch) if asking > 1 else dy.reshape(scores, (1, time), batch)",
    ),
    ("6.4", "has_past[:, 0] = 0", "has_past[:, 0] = time > 1"),
    (
        "6.4",
        "has_past[:, 0] = 0",
        "has_past[:, 0] = 0\n    if scores.dim()[0][-1] != time:\n"
        "        scores = dy.transpose(dy.concatenate_cols([scores] * time))",
    ),
    ("6.4", "past * weights", "past * weights if past.dim()[0][-1] > 1 else past"),
    ("6.6", 'np.reshape(log_probs, (-1, len(words)), order="F").T', "log_probs.T"),
    ("6.6", 'np.reshape(log_probs, (-1, len(words)), order="F").T', "np.reshape(log_probs, (len(words), -1))"),
    ("6.6", "dy.zeros(query.dim()[0], batch_size=len(words))", "query"),
    # numbers too large, too small, or not exact enough
    (
        "6.2",
        "    return dy.reshape(v * dy.tanh(W * past), (time, 1), batch)",
        "    return dy.softmax(dy.reshape(v * dy.tanh(W * past), (time, 1), batch))",
    ),
    ("6.4", "(1 - allowed) * -1e9", "(1 - allowed) * -100"),
    ("6.4", "(1 - allowed) * -1e9", "np.where(allowed > 0, 0.0, -np.inf)"),
    (
        "6.4",
        "    weights = dy.softmax(scores + dy.inputTensor((1 - allowed) * -1e9))",
        "    masked = dy.exp(scores + dy.inputTensor((1 - allowed) * -1e9))\n"
        "    weights = dy.cdiv(masked, dy.inputTensor(np.ones((time, time))) * masked + 1e-20)",
    ),
    (
        "6.4",
        "dy.softmax(scores + dy.inputTensor((1 - allowed) * -1e9))",
        "dy.cmult(dy.softmax(scores + dy.inputTensor(np.zeros((time, time)))), dy.inputTensor(allowed))",
    ),
    (
        "6.4",
        "scores + dy.inputTensor((1 - allowed) * -1e9)",
        "scores + dy.inputTensor((1 - allowed) * -20)",
    ),
    (
        "6.6",
        "dy.log_softmax(tied_logits(weights.embedding, weights.b, merged)).npvalue()",
        "np.log(dy.softmax(tied_logits(weights.embedding, weights.b, merged)).npvalue())",
    ),
    # right for the example only
    ("6.1", "words * (words + 1) // 2", "3"),
    ("6.1", "return of_scores + hidden_size**2", "return 3 * hidden_size**2"),
    # right only where two sizes are equal, or one is small
    ("6.1", "of_scores + hidden_size**2", "of_scores + hidden_size"),
    ("6.6", "dy.concatenate_cols(state.memory)", "dy.concatenate_cols(state.memory[-2:])"),
    # the wrong axis
    ("6.2", "v * dy.tanh(W * past)", "v * dy.tanh(dy.transpose(W) * past)"),
    ("6.3", "dy.reshape(scores, (time, asking), batch)", "dy.transpose(dy.reshape(scores, (asking, time), batch))"),
    ("6.3", "dy.reshape(scores, (time, asking), batch)", "dy.reshape(scores, (asking, time), batch)"),
    ("6.4", "past * weights", "past * dy.transpose(weights)"),
    ("6.5", "embedding, states])", "dy.transpose(embedding), states])"),
    (
        "6.5",
        "dy.concatenate([states, contexts])",
        "dy.reshape(dy.concatenate_cols([states, contexts]), (2 * states.dim()[0][0], contexts.dim()[0][-1]), "
        "states.dim()[1])",
    ),
    ("6.6", "len(inputs)", "inputs.shape[1]"),
    # one too many, or too few
    ("6.1", "words * (words + 1) // 2", "words * (words - 1) // 2 + 2"),
    ("6.4", "k=1)", "k=0)"),
    ("6.6", "dy.concatenate_cols(state.memory)", "dy.concatenate_cols([*state.memory, lstm.hidden])"),
    # another order
    ("6.6", "inputs.T.ravel().tolist()), time)", "inputs.ravel().tolist()), time)"),
    (
        "6.6",
        "dy.concatenate_cols(state.memory)",
        "dy.concatenate_cols(state.memory[:1] + state.memory[2:] + state.memory[1:2]) * 1.0\n"
        "        past = dy.cmult(past, past)",
    ),
    # numbers of a wrong type, or no numbers
    ("6.6", "merged)).npvalue()", "merged)).npvalue().astype(np.float16)"),
    # another formula
    ("6.1", "words * (words + 1) // 2", "words**2 - words + 1"),
    ("6.1", "of_scores + hidden_size**2", "of_scores + 2 * hidden_size**2"),
    ("6.1", '(2 if score == "combined" else 1)', "1"),
    ("6.2", "v * dy.tanh(W * past)", "v * dy.tanh(W * past) / float(W.dim()[0][0] ** 0.5)"),
    ("6.3", "W_q * queries", "W * queries"),
    ("6.3", "batch) + dy.reshape(W_q", "batch) - dy.reshape(W_q"),
    ("6.3", "dy.tanh(pairs)", "dy.logistic(pairs)"),
    ("6.4", "past * weights", "past * weights / float(past.dim()[0][-1])"),
    ("6.5", "dy.tanh(dy.colwise_add", "dy.rectify(dy.colwise_add"),
    (
        "6.5",
        "    return dy.affine_transform([bias, embedding, states])",
        "    return dy.log_softmax(dy.affine_transform([bias, embedding, states]))",
    ),
    ("6.6", "if weights.W_q is None:", "if weights.W_q is None or True:"),
    (
        "6.6",
        "batch.targets), batch.mask)",
        "batch.targets), batch.mask) / float(batch.mask.sum())",
    ),
]
