"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("2.1")
def five_more():
    return "B"


@style("2.2")
def previous_words(before, distances):
    import numpy as np

    padded = np.concatenate([np.zeros(distances, dtype=int), np.array(before, dtype=int)])
    return padded[::-1][:distances]


@style("2.2")
def active_features(before, distances, vocabulary_size):
    V, features = vocabulary_size, {}
    for d in range(1, distances + 1):
        for word in range(V):
            came = (before[-d] if d <= len(before) else 0) == word
            if came:
                features[(d - 1) * V + word] = came
    for word in set(before):
        features[distances * V + word] = list(before).count(word)
    return features


@style("2.3")
def log_softmax(scores):
    from functools import reduce

    return scores - reduce(np.logaddexp, scores.T)[:, np.newaxis]


@style("2.3")
def log_softmax(scores):
    from decimal import Decimal

    rows = []
    for row in scores.tolist():
        s = [Decimal(number) - Decimal(max(row)) for number in row]
        log_Z = sum(number.exp() for number in s).ln()
        rows.append([number - log_Z for number in s])
    return np.array(rows)


@style("2.4")
def gradients(active, p, targets, number_of_features):
    dW, db = np.zeros((number_of_features, p.shape[1])), np.zeros(p.shape[1])
    for features, row, target in zip(active, p, targets):
        for k in range(len(row)):
            error = row[k] - (1 if k == target else 0)
            db[k] += error
            for j in features:
                dW[j, k] += features[j] * error
    return [dW, db]


@style("2.5")
def train(parameters, batches, gradients_of, dev_loss, rate, epochs):
    print("before training:", dev_loss())
    losses, best = [], None
    for epoch in range(epochs):
        for batch in batches:
            sgd_step(parameters, gradients_of(batch), rate)
        if best is None or dev_loss() < best[0]:
            best = dev_loss(), [np.array(parameter) for parameter in parameters]
        losses.append(dev_loss())
    for parameter, value in zip(parameters, best[1] if best else []):
        parameter[:] = value
    return losses


@style("2.5")
def train(parameters, batches, gradients_of, dev_loss, rate, epochs):
    """Finds the best epoch first, and then trains again as far as that."""
    start = [parameter.copy() for parameter in parameters]

    def epoch():
        for gradients in map(gradients_of, batches):
            sgd_step(parameters, gradients, rate)

    losses = []
    while len(losses) < epochs:
        epoch()
        losses.append(dev_loss())
    if losses:
        for parameter, value in zip(parameters, start):
            parameter[...] = value
        for _ in range(losses.index(min(losses)) + 1):
            epoch()
    return losses


@style("2.5")
def sgd_step(parameters, gradients, rate):
    for number, gradient in enumerate(gradients):
        parameters[number][...] -= rate * gradient
    return parameters


@style("2.6")
def adam_step(W, mean, square, steps, rows, gradient, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    steps[rows] = steps[rows] + 1
    t = steps[rows].reshape(-1, 1)
    mean[rows], square[rows] = (
        beta1 * mean[rows] + (1 - beta1) * gradient,
        beta2 * square[rows] + (1 - beta2) * np.square(gradient),
    )
    correction = np.sqrt(1 - beta2**t) / (1 - beta1**t)  # the form of the end of section 2 of the paper
    W[rows] = W[rows] - rate * correction * mean[rows] / (np.sqrt(square[rows]) + epsilon * np.sqrt(1 - beta2**t))
