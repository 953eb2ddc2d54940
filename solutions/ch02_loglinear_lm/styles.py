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


@style("2.1")
def how_many_move(vocabulary_size, distances):
    columns_of_W = [distances for word in range(vocabulary_size)]  # a row for each distance is active
    return sum(columns_of_W, start=vocabulary_size)


@style("2.1")
def loss_of_a_beginner(vocabulary_size):
    from decimal import Decimal

    return Decimal(vocabulary_size).ln()


@style("2.2")
def previous_words(before, distances):
    from itertools import chain, islice, repeat

    return list(islice(chain(reversed(before), repeat(0)), distances))


@style("2.2")
def previous_words(before, distances):
    if distances == 0:
        return []
    last = before[-1] if len(before) else 0
    return [last] + previous_words(before[:-1], distances - 1)


@style("2.2")
def previous_words(before, distances):
    from collections import deque

    window = deque([0] * distances, maxlen=distances)
    for word in before:
        window.appendleft(word)
    return tuple(window)


@style("2.2")
def active_features(before, distances, vocabulary_size):
    import numpy as np

    x = np.zeros((distances + 1, vocabulary_size))
    for place, word in enumerate(previous_words(before, distances)):
        x[place, word] = 1
    for word in before:
        x[-1, word] += 1
    return {j: x.flat[j] for j in np.flatnonzero(x)}


@style("2.2")
def active_features(before, distances, vocabulary_size):
    from collections import defaultdict

    features = defaultdict(float)
    features.update({d * vocabulary_size + w: 1.0 for d, w in enumerate(previous_words(before, distances))})
    for word in before:
        features[distances * vocabulary_size + word] += 1.0
    return features


@style("2.3")
def log_softmax(scores):
    from functools import reduce

    return scores - reduce(np.logaddexp, scores.T)[:, np.newaxis]


@style("2.3")
def log_softmax(scores):
    result = np.array(scores, dtype=np.longdouble)
    for row in result:
        row -= row.max()
        row -= np.log(np.exp(row).sum())
    return result


@style("2.3")
def log_softmax(scores):
    def of_row(s):
        (N, V), top = (1, len(s)), np.max(s)
        return [float(x - top - np.log(sum(np.exp(y - top) for y in s))) for x in s]

    return [*map(of_row, scores)]


@style("2.4")
def gradients(active, p, targets, number_of_features):
    from functools import reduce

    def of_one(features, row, target):
        dW, db = np.zeros((number_of_features, len(row))), np.array(row)
        db[target] -= 1
        for j, x in features.items():
            dW[j] = x * db
        return dW, db

    each = map(of_one, active, p, targets)
    return reduce(lambda one, other: (one[0] + other[0], one[1] + other[1]), each)


@style("2.5")
def sgd_step(parameters, gradients, rate):
    [parameter.__isub__(np.multiply(rate, gradient)) for parameter, gradient in zip(parameters, gradients)]


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
class Snapshot:
    def __init__(self, parameters):
        self.bytes = [(parameter.tobytes(), parameter.dtype, parameter.shape) for parameter in parameters]

    def restore(self, parameters):
        for parameter, (data, kind, shape) in zip(parameters, self.bytes):
            np.copyto(parameter, np.frombuffer(data, dtype=kind).reshape(shape))


def train(parameters, batches, gradients_of, dev_loss, rate, epochs):
    history = []
    for _ in range(epochs):
        for batch in batches:
            gradient = gradients_of(batch)
            for place, parameter in enumerate(parameters):
                parameter -= rate * gradient[place]
        history.append((dev_loss(), len(history), Snapshot(parameters)))
    if history:
        min(history, key=lambda entry: entry[:2])[2].restore(parameters)
    return [value for value, *_ in history]


@style("2.5")
def train(parameters, batches, gradients_of, dev_loss, rate, epochs):
    """By recursion: the best of this epoch and of all that follow."""
    if epochs == 0:
        return []
    for batch in batches:
        sgd_step(parameters, [rate * gradient for gradient in gradients_of(batch)], rate=1.0)
    loss, here = dev_loss(), [np.array(parameter) for parameter in parameters]
    later = train(parameters, batches, gradients_of, dev_loss, rate, epochs - 1)
    if not later or loss <= min(later):
        for parameter, value in zip(parameters, here):
            parameter[...] = value
    return [loss] + later


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


@style("2.6")
def adam_step(W, mean, square, steps, rows, gradient, rate, beta1=0.9, beta2=0.999, epsilon=1e-8):
    if len(rows) > 1:
        half = len(rows) // 2
        for part in (slice(None, half), slice(half, None)):
            adam_step(W, mean, square, steps, rows[part], gradient[part], rate, beta1, beta2, epsilon)
        return
    for row in rows:
        steps[row] += 1
        for column in range(W.shape[1]):
            g, t = float(gradient[0][column]), int(steps[row])
            mean[row, column] = m = beta1 * mean[row, column] + (1 - beta1) * g
            square[row, column] = v = beta2 * square[row, column] + (1 - beta2) * g**2
            W[row, column] -= rate * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)) ** 0.5 + epsilon)


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
    from decimal import Decimal

    rows = []
    for row in scores.tolist():
        s = [Decimal(number) - Decimal(max(row)) for number in row]
        log_Z = sum(number.exp() for number in s).ln()
        rows.append([number - log_Z for number in s])
    return np.array(rows)


@style("2.5")
def sgd_step(parameters, gradients, rate):
    for number, gradient in enumerate(gradients):
        parameters[number][...] -= rate * gradient
    return parameters
