"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("2.1")
def how_many_parameters(vocabulary_size, distances):
    features = float(distances * vocabulary_size)
    return features * vocabulary_size + vocabulary_size


@style("2.1")
def loss_of_a_beginner(vocabulary_size):
    import numpy as np

    return -np.log(np.full(vocabulary_size, 1 / vocabulary_size))[0]


@style("2.1")
def five_more():
    return "B"


@style("2.2")
def previous_words(before, distances):
    previous = []
    for distance in range(1, distances + 1):
        previous.append(before[-distance] if distance <= len(before) else 0)
    return previous


@style("2.2")
def previous_words(before, distances):
    import numpy as np

    padded = np.concatenate([np.zeros(distances, dtype=int), np.array(before, dtype=int)])
    return padded[::-1][:distances]


@style("2.2")
def active_features(before, distances, vocabulary_size):
    from collections import Counter

    words = [0] * distances + list(before)
    places = {(d - 1) * vocabulary_size + words[-d]: 1 for d in range(1, distances + 1)}
    return places | Counter(distances * vocabulary_size + word for word in before)


@style("2.3")
def scores(W, b, active):
    rows = list(active)
    return b + np.array([active[row] for row in rows]) @ W[rows] if rows else b + 0.0


@style("2.3")
def scores(W, b, active):
    return sum((x * W[j] for j, x in active.items()), start=b.copy())


@style("2.3")
def log_softmax(scores):
    return scores - np.logaddexp.reduce(scores, axis=1)[:, None]


@style("2.3")
def log_softmax(scores):
    import math

    rows = []
    for row in scores:
        largest = max(row)
        total = sum(math.exp(s - largest) for s in row)
        rows.append([s - largest - math.log(total) for s in row])
    return np.array(rows)


@style("2.3")
def loss(log_p, targets):
    return -np.take_along_axis(log_p, targets[:, None], axis=1).sum()


@style("2.3")
def loss(log_p, targets):
    total = 0
    for row, target in zip(log_p, targets):
        total -= row[target]
    return total


@style("2.4")
def gradients(active, p, targets, number_of_features):
    N, V = p.shape
    X = np.zeros((N, number_of_features))
    for n, features in enumerate(active):
        X[n, list(features)] = list(features.values())
    error = p - np.eye(V)[targets]
    return X.T @ error, np.ones(N) @ error


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
def sgd_step(parameters, gradients, rate):
    for place in range(len(parameters)):
        parameters[place][...] = parameters[place] - rate * gradients[place]


@style("2.5")
def sgd_step(parameters, gradients, rate):
    for parameter, gradient in zip(parameters, gradients):
        np.subtract(parameter, rate * gradient, out=parameter)


@style("2.5")
def train(parameters, batches, gradients_of, dev_loss, rate, epochs):
    import copy

    losses, after = [], []
    for _ in range(epochs):
        for batch in batches:
            sgd_step(parameters, gradients_of(batch), rate)
        losses.append(dev_loss())
        after.append(copy.deepcopy(list(parameters)))
    for parameter, best in zip(parameters, after[int(np.argmin(losses))]):
        np.copyto(parameter, best)
    return np.array(losses)


@style("2.6")
def adam_step(W, mean, square, steps, rows, gradient, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    for row, g in zip(rows, gradient):
        steps[row] += 1
        t = steps[row]
        mean[row] += (1 - beta1) * (g - mean[row])
        square[row] += (1 - beta2) * (g * g - square[row])
        W[row] -= rate * (mean[row] / (1 - beta1**t)) / ((square[row] / (1 - beta2**t)) ** 0.5 + epsilon)


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
