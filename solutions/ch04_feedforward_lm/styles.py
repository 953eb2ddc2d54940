"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("4.1")
def scores_a_word(vocabulary_size, classes):
    return classes + vocabulary_size // classes


@style("4.1")
def best_number_of_classes(vocabulary_size):
    return float(vocabulary_size**0.5)


@style("4.1")
def best_number_of_classes(vocabulary_size):
    import numpy as np

    classes = np.arange(1, vocabulary_size + 1)
    return classes[np.argmin(classes + vocabulary_size / classes)]


@style("4.2")
def contexts(inputs, order):
    time, batch = inputs.shape
    word = lambda t, b: int(inputs[t, b]) if t >= 0 else 0
    steps = range(-order + 2, 1)
    return [[[word(t + step, b) for b in range(batch)] for t in range(time)] for step in steps]


@style("4.3")
def hidden(weights, words, dropout):
    columns = [dy.concatenate([dy.lookup(weights.M, int(word)) for word in context]) for context in words.T]
    m = dy.concatenate_to_batch(columns)
    drop = (lambda x: dy.dropout(x, dropout)) if dropout > 0 else (lambda x: x)
    return drop(dy.tanh(dy.affine_transform([weights.b_h, weights.W_mh, drop(m)])))


@style("4.3")
def scores(weights, h):
    return weights.W_hs * h + weights.b_s


@style("4.4")
def loss(weights, inputs, targets, mask, dropout):
    before, losses = contexts(inputs, weights.order), []
    for t, b in zip(*np.nonzero(mask)):
        s = scores(weights, hidden(weights, before[:, t, [b]], dropout))
        losses.append(dy.pickneglogsoftmax(s, int(targets[t, b])))
    return dy.esum(losses)


@style("4.4")
def log_probs(weights, inputs, targets, mask):
    dy.renew_cg()
    rows = []
    for t in range(len(targets)):
        row = []
        for b in range(len(targets[t])):
            if mask[t, b]:
                context = contexts(inputs, weights.order)[:, t, [b]]
                row.append(dy.log_softmax(scores(weights, hidden(weights, context, 0))).npvalue()[targets[t, b]])
            else:
                row.append(0)
        rows.append(row)
    return np.array(rows)


@style("4.5")
def losses(weights, hidden, targets):
    places, loss_by_place = places_in_classes(weights.class_of), {}
    for number in sorted(set(int(weights.class_of[target]) for target in targets)):
        group = [n for n, target in enumerate(targets) if weights.class_of[target] == number]
        scores = weights.W_words[number] * dy.pick_batch_elems(hidden, group) + weights.b_words[number]
        of_group = dy.pickneglogsoftmax_batch(scores, [int(places[targets[n]]) for n in group])
        for place, n in enumerate(group):
            loss_by_place[n] = dy.pick_batch_elem(of_group, place)
    within = dy.concatenate_to_batch([loss_by_place[n] for n in range(len(targets))])
    log_p = dy.log_softmax(weights.W_classes * hidden + weights.b_classes)
    return within - dy.pick_batch(log_p, [int(weights.class_of[target]) for target in targets])


@style("4.5")
def distribution(weights, hidden):
    log_classes = dy.log_softmax(weights.W_classes * hidden + weights.b_classes).npvalue()
    words = [dy.log_softmax(W * hidden + b).npvalue().reshape(-1) for W, b in zip(weights.W_words, weights.b_words)]
    places = places_in_classes(weights.class_of)
    return np.array([log_classes[c] + words[c][place] for c, place in zip(weights.class_of, places)])


@style("4.1")
def how_many_parameters(vocabulary_size, embedding_size, hidden_size, order):
    V, L, H = vocabulary_size, embedding_size, hidden_size
    shapes = {"M": (V, L), "W_mh": (H, L * (order - 1)), "b_h": (H,), "W_hs": (V, H), "b_s": (V,)}
    return sum(math.prod(shape) for shape in shapes.values())


@style("4.1")
def scores_a_word(vocabulary_size, classes):
    from fractions import Fraction

    return classes + Fraction(vocabulary_size, classes)


@style("4.1")
def best_number_of_classes(vocabulary_size):
    return min(range(1, vocabulary_size + 1), key=lambda classes: scores_a_word(vocabulary_size, classes))


@style("4.2")
def contexts(inputs, order):
    if order == 2:
        return inputs[np.newaxis]
    newer = contexts(inputs, order - 1)
    oldest = np.vstack([np.zeros((1, inputs.shape[1]), dtype=inputs.dtype), newer[0, :-1]])
    return np.concatenate([oldest[None], newer])


@style("4.2")
def contexts(inputs, order):
    time, batch = inputs.shape
    rows = np.arange(time)[None, :] - np.arange(order - 1)[::-1, None]
    return np.where((rows >= 0)[:, :, None], inputs[rows.clip(0)], 0).astype(np.int32)


@style("4.3")
def hidden(weights, words, dropout):
    n_1, N = words.shape
    side_by_side = dy.lookup_batch(weights.M, words.T.ravel().tolist())
    (L,), _ = side_by_side.dim()
    m = dy.reshape(side_by_side, (n_1 * L,), N)
    if dropout > 0:
        m = dy.dropout(m, dropout)
    h = dy.tanh(dy.affine_transform([weights.b_h, weights.W_mh, m]))
    return dy.dropout(h, dropout) if dropout > 0 else h


@style("4.3")
def scores(weights, h):
    (H,), N = h.dim()
    (V,) = weights.b_s.shape()
    side_by_side = dy.reshape(h, (H, N), 1)  # a matrix, not a batch
    return dy.reshape(dy.colwise_add(weights.W_hs * side_by_side, weights.b_s), (V,), N)


@style("4.4")
def loss(weights, inputs, targets, mask, dropout):
    where = np.argwhere(mask.T)
    before = np.stack([contexts(inputs, weights.order)[:, t, b] for b, t in where], axis=1)
    words = [targets[t, b] for b, t in where]
    s = scores(weights, hidden(weights, before, dropout))
    (V,), N = s.dim()
    onehot = dy.reshape(dy.inputVector(np.eye(V)[words].ravel()), (V,), N)
    return dy.sum_batches(dy.logsumexp_dim(s, 0) - dy.dot_product(s, onehot))


@style("4.4")
def log_probs(weights, inputs, targets, mask):
    result = np.zeros(mask.shape)
    for t, b in np.ndindex(*mask.shape):
        if mask[t, b]:
            dy.renew_cg()
            cost = loss(weights, inputs[: t + 1, [b]], targets[: t + 1, [b]], at_step(mask[: t + 1, [b]]), 0)
            result[t, b] = -cost.value()
    return result


def at_step(mask):
    """Only the last one."""
    one = np.zeros_like(mask)
    one[-1] = 1
    return one


@style("4.5")
def places_in_classes(class_of):
    return np.array([np.count_nonzero(class_of[:word] == own) for word, own in enumerate(class_of)])


@style("4.5")
def losses(weights, hidden, targets):
    from collections import defaultdict

    groups = defaultdict(list)
    for n, target in enumerate(targets):
        groups[int(weights.class_of[target])].append(n)
    places, order, parts = places_in_classes(weights.class_of), [], []
    for number, group in groups.items():
        h = dy.pick_batch_elems(hidden, group)
        of_class = dy.affine_transform([weights.b_classes, weights.W_classes, h])
        of_word = dy.affine_transform([weights.b_words[number], weights.W_words[number], h])
        ids = [int(places[targets[n]]) for n in group]
        parts.append(
            dy.pickneglogsoftmax_batch(of_class, [number] * len(group)) + dy.pickneglogsoftmax_batch(of_word, ids)
        )
        order += group
    return dy.pick_batch_elems(dy.concatenate_to_batch(parts), [order.index(n) for n in range(len(order))])


@style("4.5")
def distribution(weights, hidden):
    log_p = [0.0] * len(weights.class_of)
    of_classes = dy.log_softmax(weights.W_classes * hidden + weights.b_classes).vec_value()
    for number, (W, b) in enumerate(zip(weights.W_words, weights.b_words)):
        inside = iter(dy.log_softmax(W * hidden + b).vec_value())
        for word, own in enumerate(weights.class_of):
            if own == number:
                log_p[word] = of_classes[number] + next(inside)
    return log_p


@style("4.5")
def distribution(weights, hidden):
    V = len(weights.class_of)
    return np.array([-losses(weights, hidden, np.array([word])).value() for word in range(V)])
