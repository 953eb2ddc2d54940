"""More mutants of chapter 2: wrong answers by kind of mistake, (task, right, wrong) each."""

MUTANTS = [
    # changes what it was given, or leaves what it should change
    (
        "2.2",
        "padded = [0] * distances + list(before)\n    return padded[: -distances - 1 : -1]",
        "before.reverse()\n    return (before + [0] * distances)[:distances]",
    ),
    ("2.3", "s = b.copy()", "s = b"),
    ("2.3", "s += W[feature] * value", "W[feature] *= value\n        s += W[feature]"),
    (
        "2.3",
        "shifted = scores - scores.max(axis=1, keepdims=True)",
        "scores -= scores.max(axis=1, keepdims=True)\n    shifted = scores",
    ),
    ("2.4", "p.copy()", "p"),
    ("2.5", "parameter -= rate * gradient", "gradient *= rate\n        parameter -= gradient"),
    (
        "2.6",
        "    square[rows] = beta2 * square[rows] + (1 - beta2) * gradient**2",
        "    gradient *= gradient\n    square[rows] = beta2 * square[rows] + (1 - beta2) * gradient",
    ),
    ("2.6", "W[rows] -= rate", "W = W.copy()\n    W[rows] -= rate"),
    ("2.6", "steps[rows] += 1", "rows.sort()\n    steps[rows] += 1"),
    # reads or computes what it should not
    (
        "2.3",
        "s = b.copy()\n    for feature, value in active.items():\n        s += W[feature] * value\n    return s",
        "x = np.zeros(len(W))\n    for feature, value in active.items():\n        x[feature] = value\n"
        "    return b + x @ W",
    ),
    ("2.6", "steps[rows] += 1", "steps += 1"),
    (
        "2.6",
        "mean[rows] = beta1 * mean[rows] + (1 - beta1) * gradient",
        "mean *= beta1\n    mean[rows] += (1 - beta1) * gradient",
    ),
    (
        "2.6",
        "square[rows] = beta2 * square[rows] + (1 - beta2) * gradient**2",
        "square *= beta2\n    square[rows] += (1 - beta2) * gradient**2",
    ),
    (
        "2.6",
        "W[rows] -= rate * corrected_mean / (np.sqrt(corrected_square) + epsilon)",
        "t = np.maximum(steps, 1)[:, None]\n"
        "    W -= rate * (mean / (1 - beta1**t)) / (np.sqrt(square / (1 - beta2**t)) + epsilon)",
    ),
    # the state of another call or step
    (
        "2.2",
        "    for word in before:",
        '    features = vars(active_features).setdefault("kept", {}) | features\n'
        '    vars(active_features)["kept"] = features\n    for word in before:',
    ),
    (
        "2.4",
        "dW = np.zeros((number_of_features, p.shape[1]))",
        "kept = vars(gradients)\n"
        "    dW = kept.setdefault((number_of_features, p.shape), np.zeros((number_of_features, p.shape[1])))",
    ),
    ("2.5", "parameter.copy() for", "parameter for"),
    (
        "2.5",
        "for batch in batches:\n            sgd_step(parameters, gradients_of(batch), rate)",
        "for gradients in [gradients_of(batch) for batch in batches]:\n"
        "            sgd_step(parameters, gradients, rate)",
    ),
    ("2.5", "        losses.append(found)", "        losses.append(found)\n        rate /= 2"),
    ("2.6", "t = steps[rows][:, None]", 'vars(adam_step)["t"] = t = vars(adam_step).get("t", 0) + 1'),
    # a batch of one, length 1, what is empty, what comes twice
    ("2.2", "[0] * distances + list(before)", "[0] + list(before)"),
    ("2.2", "for word in before:", "for word in set(before):"),
    (
        "2.3",
        "s = b.copy()\n    for feature, value in active.items():\n        s += W[feature] * value\n    return s",
        "return b + np.stack([W[feature] * value for feature, value in active.items()]).sum(axis=0)",
    ),
    ("2.3", "np.exp(shifted).sum(axis=1, keepdims=True)", "np.exp(shifted).sum()"),
    ("2.3", "log_p[np.arange(len(targets)), targets]", "log_p[:, targets]"),
    (
        "2.3",
        "log_p[np.arange(len(targets)), targets]",
        "log_p[np.arange(len(set(targets.tolist()))), np.unique(targets)]",
    ),
    ("2.4", "dW[feature] += value", "dW[feature] = value"),
    ("2.4", "dl_ds[position]", "dl_ds[0]"),
    ("2.4", "number_of_features, p", "max(max(features) for features in active) + 1, p"),
    (
        "2.5",
        "for parameter, gradient in zip(parameters, gradients, strict=True):",
        "for parameter, gradient in zip(parameters[:1], gradients[:1], strict=True):",
    ),
    ("2.5", "found < min(losses)", "found < 0.99 * min(losses)"),
    # numbers too large, too small, or not exact enough
    ("2.3", "scores - scores.max(axis=1, keepdims=True)", "scores"),
    ("2.3", "scores - scores.max(axis=1, keepdims=True)", "scores - scores.max()"),
    (
        "2.3",
        "shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))",
        "np.log(np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True))",
    ),
    ("2.3", "scores - scores.max(axis=1, keepdims=True)", "np.clip(scores, -700, 700)"),
    (
        "2.3",
        "np.log(np.exp(shifted).sum(axis=1, keepdims=True))",
        "np.log(1e-5 + np.exp(shifted).sum(axis=1, keepdims=True))",
    ),
    ("2.6", "/ (np.sqrt(corrected_square) + epsilon)", "/ np.sqrt(corrected_square)"),
    # right for the example only
    ("2.1", "(distances + 1) * vocabulary_size", "2 * vocabulary_size"),
    ("2.1", "math.log(vocabulary_size)", "0.0"),
    ("2.6", "1 - beta1**t", "1 - 0.9**t"),
    ("2.6", "1 - beta2**t", "1 - 0.999**t"),
    ("2.6", "corrected_square) + epsilon)", "corrected_square) + 1e-8)"),
    # right only where two sizes are equal, or one is small
    (
        "2.1",
        "distances * vocabulary_size * vocabulary_size + vocabulary_size",
        "vocabulary_size ** (distances + 1) + vocabulary_size",
    ),
    ("2.2", "[0] * distances", "[0, 0]"),
    ("2.2", "distances * vocabulary_size + word", "2 * vocabulary_size + word"),
    ("2.6", "t = steps[rows][:, None]", "t = steps.max()"),
    # the wrong axis
    ("2.3", "W[feature] * value", "W[:, feature] * value"),
    ("2.3", "np.exp(shifted).sum(axis=1, keepdims=True)", "np.exp(shifted).sum(axis=0, keepdims=True)"),
    ("2.3", "np.exp(shifted).sum(axis=1, keepdims=True)", "np.exp(shifted).sum(axis=1)"),
    ("2.4", "p.shape[1]", "p.shape[0]"),
    ("2.6", "t = steps[rows][:, None]", "t = steps[rows]"),
    # one too many, or too few
    ("2.2", "for word in before:", "for word in before[:-1]:"),
    # another order
    ("2.2", "padded[: -distances - 1 : -1]", "padded[-distances:]"),
    ("2.2", "place * vocabulary_size + word", "place + distances * word"),
    ("2.4", "dl_ds[np.arange(len(targets)), targets] -= 1", "dl_ds[np.arange(len(targets)), np.sort(targets)] -= 1"),
    ("2.5", "for batch in batches:", "for batch in reversed(batches):"),
    ("2.5", "for batch in batches:", "for batch in sorted(batches):"),
    ("2.5", "return losses", "return sorted(losses)"),
    ("2.6", "t = steps[rows][:, None]", "t = steps[np.sort(rows)][:, None]"),
    # rounded
    ("2.1", "math.log(vocabulary_size)", "round(math.log(vocabulary_size), 2)"),
    ("2.3", "W[feature] * value", "W[feature] * int(value)"),
    ("2.3", "-float(", "-int("),
    ("2.4", "value * dl_ds", "int(value) * dl_ds"),
    ("2.5", "losses.append(found)", "losses.append(round(found, 2))"),
    # numbers of a wrong type, or no numbers
    (
        "2.3",
        "shifted = scores - scores.max(axis=1, keepdims=True)",
        "shifted = (scores - scores.max(axis=1, keepdims=True)).astype(np.float16)",
    ),
    # another formula
    (
        "2.1",
        "distances * vocabulary_size * vocabulary_size + vocabulary_size",
        "distances * vocabulary_size * vocabulary_size",
    ),
    ("2.1", 'return "b"', 'return "d"'),
    ("2.2", "for word in before:", "for word in previous_words(before, distances):"),
    ("2.2", "enumerate(previous_words(before, distances))}", "enumerate(previous_words(before, distances)) if word}"),
    ("2.3", "W[feature] * value", "W[feature]"),
    ("2.3", "targets].sum()", "targets].mean()"),
    ("2.4", "dW[feature] += value *", "dW[feature] +="),
    ("2.4", "return dW, dl_ds.sum(axis=0)", "return dW / len(targets), dl_ds.sum(axis=0)"),
    ("2.5", "parameter -= rate * gradient", "parameter -= rate * np.clip(gradient, -5, 5)"),
    ("2.5", "parameter -= rate * gradient", "parameter -= rate * gradient / len(parameters)"),
    (
        "2.5",
        "        losses.append(found)",
        "        losses.append(found)\n        if found > min(losses):\n            break",
    ),
    ("2.5", "return losses", "return losses[: losses.index(min(losses)) + 1]"),
    ("2.6", "(1 - beta2) * gradient**2", "(1 - beta2) * (gradient**2).mean(axis=1, keepdims=True)"),
]
