"""More mutants of chapter 3: wrong answers by kind of mistake, (task, right, wrong) each."""

MUTANTS = [
    # changes what it was given, or leaves what it should change
    ("3.2", "np.maximum(x, 0.0)", "np.maximum(x, 0.0, out=x)"),
    ("3.2", "h = np.tanh(W_xh @ x + b_h)", "x -= x.mean(axis=1, keepdims=True)\n    h = np.tanh(W_xh @ x + b_h)"),
    (
        "3.2",
        "h = np.tanh(W_xh @ x + b_h)",
        "W_xh += 0 * W_xh\n    b_h += x.mean() * 0 + 1e-3\n    h = np.tanh(W_xh @ x + b_h)",
    ),
    ("3.2", "return float(((targets - y) ** 2).sum())", "targets -= y\n    return float((targets**2).sum())"),
    ("3.4", "    return 1 - h**2", "    h **= 2\n    return 1 - h"),
    ("3.4", "dy = 2 * (y - targets)", "targets -= y\n    dy, targets = -2 * targets, targets + y"),
    # another graph
    ("3.5", "h = dy.tanh(", "dy.renew_cg()\n    h = dy.tanh("),
    # a gradient cut off
    ("3.4", " * tanh_derivative(h)", ""),
    ("3.4", "dy @ h.T, dy.sum(axis=1, keepdims=True)", "dy @ h.T, 0 * b_y"),
    ("3.4", "dh @ x.T, dh.sum(axis=1, keepdims=True)", "dh @ x.T, (w_hy.T @ dy).sum(axis=1, keepdims=True)"),
    ("3.5", "dy.tanh(W_xh *", "dy.tanh(W_xh.expr(False) *"),
    ("3.5", "w_hy * h", "w_hy * dy.nobackprop(h)"),
    ("3.5", "w_hy * h", "w_hy.expr(False) * h"),
    ("3.5", "* h + b_y", "* h + b_y.expr(False)"),
    ("3.5", "batched=True) + b_h)", "batched=True) + dy.inputTensor(b_h.as_array()))"),
    ("3.5", "dy.squared_distance(y,", "dy.squared_distance(dy.nobackprop(y),"),
    # the state of another call or step
    ("3.5", "return before", "return batch_loss.value(recalculate=True)"),
    ("3.5", "    batch_loss.backward()\n", "    batch_loss.backward()\n    batch_loss.backward()\n"),
    ("3.5", "    trainer.update()\n", "    trainer.learning_rate /= 2\n    trainer.update()\n"),
    # a batch of one, length 1, what is empty, what comes twice
    ("3.1", "(layers - 1) * (hidden_size + 1) * hidden_size", "0"),
    ("3.2", "((targets - y) ** 2).sum()", "(targets - y).sum() ** 2"),
    ("3.3", "[[1.0, -1.0], [-1.0, 1.0]]", "[[1.0, -1.0], [0.0, 0.0]]"),
    ("3.4", "dh @ x.T, dh.sum(axis=1, keepdims=True)", "dh @ x.T, dh[:, :1]"),
    ("3.5", "dy.inputTensor(x[:, None, :], batched=True) + b_h", "dy.inputTensor(x[:, :1]) + b_h"),
    ("3.5", "dy.inputTensor(targets[:, None, :], batched=True)))", "dy.inputTensor(targets[:, :1])))"),
    # numbers too large, too small, or not exact enough
    ("3.2", "np.maximum(x, 0.0)", "np.clip(x, 0.0, 6.0)"),
    ("3.2", "    h = np.tanh(W_xh @ x + b_h)", "    z = np.exp(2 * (W_xh @ x + b_h))\n    h = (z - 1) / (z + 1)"),
    ("3.3", "b_y = np.array([[1.0]])", "b_y = np.array([[0.5]])"),
    ("3.3", "w_hy = np.array([[-1.0, -1.0]])", "w_hy = np.array([[-2.0, -2.0]])"),
    ("3.3", "b_y = np.array([[1.0]])", "b_y = np.array([[1.001]])"),
    # right for the example only
    ("3.1", "return 3\n", "return 2\n"),
    ("3.1", "return 1.0", "return 0.75"),
    ("3.1", "return first + others + hidden_size + 1", "return first + others + 4"),
    # right only where two sizes are equal, or one is small
    ("3.1", "(layers - 1) * (hidden_size + 1) * hidden_size", "(layers - 1) * (inputs + 1) * hidden_size"),
    # the wrong axis
    ("3.2", "np.tanh(W_xh @ x + b_h)", "np.tanh(W_xh.T @ x + b_h)"),
    ("3.2", "np.tanh(W_xh @ x + b_h)", "np.tanh(W_xh @ x + b_h.T)"),
    ("3.3", "b_h = np.zeros((2, 1))", "b_h = np.zeros(2)"),
    ("3.3", "return W_xh, b_h, w_hy, b_y", "return W_xh, b_h, w_hy.T, b_y"),
    ("3.4", "dh @ x.T, dh.sum(axis=1, keepdims=True)", "dh @ x.T, dh.sum(axis=1)"),
    ("3.4", "dy @ h.T, dy.sum(axis=1, keepdims=True)", "dy @ h.T, dy.sum()"),
    ("3.4", "(w_hy.T @ dy)", "(w_hy @ dy)"),
    # one too many, or too few
    ("3.1", "(layers - 1) * (hidden_size + 1) * hidden_size", "((hidden_size + 1) * hidden_size) ** (layers - 1) - 1"),
    # another order
    ("3.3", "return W_xh, b_h, w_hy, b_y", "return W_xh, b_h, b_y, w_hy"),
    # rounded
    ("3.2", "np.maximum(x, 0.0)", "np.maximum(x, 0.0).astype(int)"),
    ("3.2", "float(((targets", "int(((targets"),
    ("3.4", "loss = float(", "loss = int("),
    ("3.5", "return before", "return round(before, 2)"),
    # numbers of a wrong type, or no numbers
    ("3.2", "h = np.tanh(W_xh @ x + b_h)", "h = np.tanh(W_xh @ x + b_h).astype(np.float16)"),
    ("3.3", "b_y = np.array([[1.0]])", "b_y = np.array([[np.nan]])"),
    ("3.5", "targets[:, None, :], batched=True)))", "targets[:, None, :], batched=True))).value()"),
    ("3.5", "return before", "return batch_loss"),
    # another formula
    ("3.1", "(layers - 1) * (hidden_size + 1) * hidden_size", "(layers - 1) * hidden_size * hidden_size"),
    ("3.4", "* tanh_derivative(h)", "* tanh_derivative(W_xh @ x + b_h)"),
    ("3.4", "dh @ x.T, dh.sum(axis=1, keepdims=True)", "dh @ x.T / x.shape[1], dh.sum(axis=1, keepdims=True)"),
    ("3.4", "((targets - y) ** 2).sum()", "((targets - y) ** 2).mean()"),
    ("3.5", "dy.sum_batches(dy.sq", "dy.mean_batches(dy.sq"),
    ("3.5", "dy.squared_distance(y,", "dy.l1_distance(y,"),
]
