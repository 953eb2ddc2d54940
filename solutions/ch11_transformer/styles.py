"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("11.1")
def scaled_score():
    from fractions import Fraction

    return Fraction(6 + 4 - 2, 2)


@style("11.1")
def second_context():
    import math

    weights = [math.exp(score) for score in (0, math.log(3))]
    return sum(weight * value for weight, value in zip(weights, (2, -1))) / sum(weights)


@style("11.1")
def block_parameters(hidden_size, heads, inner):
    import numpy as np

    of_head = 3 * (hidden_size // heads) * hidden_size
    attention = heads * of_head + np.int64(hidden_size) ** 2
    return attention + inner * (hidden_size + 1) + hidden_size * (inner + 1)


@style("11.1")
def cache_size(blocks, hidden_size, words):
    return float(sum(hidden_size + hidden_size for _ in range(blocks * words)))


@style("11.2")
def sinusoids(size, first, time):
    import math

    columns = []
    for t in range(first, first + time):
        column = []
        for row in range(size):
            angle = t / 10000 ** (2 * (row // 2) / size)
            column.append(math.cos(angle) if row % 2 else math.sin(angle))
        columns.append(column)
    return np.array(columns).T


@style("11.2")
def move(encoding, distance):
    size, moved = len(encoding), []
    for i in range(size // 2):
        angle = distance / 10000 ** (2 * i / size)
        turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        moved += (turn @ encoding[2 * i : 2 * i + 2]).tolist()
    return moved


@style("11.3")
def scaled_scores(queries, keys):
    D = keys.dim()[0][0]
    return dy.cdiv(dy.transpose(keys) * queries, dy.scalarInput(D**0.5))


@style("11.3")
def scaled_scores(queries, keys):
    import math

    return dy.transpose(keys) * (queries / math.sqrt(keys.dim()[0][0]))


@style("11.3")
def causal_mask(time):
    return dy.inputTensor((1 - np.triu(np.ones((time, time)))) * -1e9)


@style("11.3")
def attend(queries, keys, values, mask):
    scores = scaled_scores(queries, keys)
    if mask is not None:
        scores = scores + mask
    (_, T), _ = scores.dim()
    return dy.concatenate_cols([values * dy.softmax(dy.pick(scores, t, dim=1)) for t in range(T)])


@style("11.4")
def project(attention, x):
    return [W * x for W in (attention.W_q, attention.W_k, attention.W_v)]


@style("11.4")
def rows(attention, x, head):
    D = x.dim()[0][0] // attention.heads
    return dy.select_rows(x, range(head * D, head * D + D))


@style("11.4")
def attend_with_heads(attention, queries, keys, values, mask):
    size = queries.dim()[0][0] // attention.heads
    joined = None
    for head in range(attention.heads):
        own = [dy.pick_range(m, head * size, head * size + size) for m in (queries, keys, values)]
        part = dy.select_cols(attention.W_o.expr(True), list(range(head * size, head * size + size)))
        brought = part * attend(*own, mask)
        joined = brought if joined is None else joined + brought
    return joined


@style("11.5")
def layer_norm(x):
    mean = dy.mean_elems(x)
    variance = dy.mean_elems(dy.square(x - mean))
    return dy.cdiv(x - mean, dy.sqrt(variance + 1e-5))


@style("11.5")
def layer_norm(x):
    (H,), _ = x.dim()
    row = dy.ones((1, H)) * (1 / H)
    centred = x - dy.ones((H, 1)) * (row * x)
    spread = dy.ones((H, 1)) * dy.pow(row * dy.square(centred) + 1e-5, dy.scalarInput(-0.5))
    return dy.cmult(centred, spread)


@style("11.5")
def network(block, x):
    hidden = block.W_1 * x + block.b_1
    return block.b_2 + block.W_2 * ((hidden + dy.abs(hidden)) * 0.5)


@style("11.5")
def transform(block, x, time, mask):
    attended = attend_with_heads(block.attention, *project(block.attention, unfold_time(layer_norm(x), time)), mask)
    after = unfold_time(x, time) + attended
    return fold_time(after) + network(block, layer_norm(fold_time(after)))


@style("11.6")
def next_position(block, x, past):
    q, k, v = project(block.attention, unfold_time(layer_norm(x), 1))
    before = [] if past is None else [past]
    now = Past(
        dy.concatenate_cols([*(p.keys for p in before), k]), dy.concatenate_cols([*(p.values for p in before), v])
    )
    mask = dy.inputTensor(np.zeros((now.keys.dim()[0][1], 1)))
    after = x + fold_time(attend_with_heads(block.attention, q, now.keys, now.values, mask))
    return after + network(block, layer_norm(after)), now


@style("11.6")
def advance(weights, cache, words):
    H = weights.embedding.shape()[1]
    t = 0 if cache[0] is None else cache[0].values.dim()[0][1]
    x = embed(weights.embedding, words) * H**0.5 + dy.inputTensor(sinusoids(H, 0, t + 1)[:, t])
    updated = list(cache)
    for number, block in enumerate(weights.blocks):
        x, updated[number] = next_position(block, x, cache[number])
    log_probs = dy.log_softmax(weights.embedding * layer_norm(x) + weights.b)
    rows = [dy.pick_batch_elem(log_probs, sentence).npvalue() for sentence in range(len(words))]
    return updated, np.array(rows)


@style("11.1")
def scaled_score():
    import numpy as np

    return np.array([3, 1, -2, 0]) @ np.array([2, 4, 1, 5]) / np.sqrt(4)


@style("11.1")
def second_context():
    from decimal import Decimal

    weights = [Decimal(0).exp(), Decimal(3).ln().exp()]
    return (weights[0] * 2 - weights[1] * 1) / sum(weights)


@style("11.1")
def block_parameters(hidden_size, heads, inner):
    import math

    H, D = hidden_size, hidden_size // heads
    shapes = [(D, H) for _ in range(heads) for _ in "qkv"] + [(H, H), (inner, H), (inner,), (H, inner), (H,)]
    return sum(map(math.prod, shapes))


@style("11.1")
def cache_size(blocks, hidden_size, words):
    return 0 if words == 0 else 2 * blocks * hidden_size + cache_size(blocks, hidden_size, words - 1)


@style("11.2")
def sinusoids(size, first, time):
    def number(row, place):
        angle = (place + first) / np.power(10000.0, 2 * (row // 2) / size)
        return np.where(row % 2 == 0, np.sin(angle), np.sin(angle + np.pi / 2))

    return np.fromfunction(number, (size, time))


@style("11.2")
def move(encoding, distance):
    """The encoding of the distance has the sines and cosines that are needed."""
    turn = sinusoids(len(encoding), distance, 1)[:, 0]
    sine, cosine = encoding[::2], encoding[1::2]
    moved = np.empty(len(encoding))
    moved[::2] = sine * turn[1::2] + cosine * turn[::2]
    moved[1::2] = cosine * turn[1::2] - sine * turn[::2]
    return moved


@style("11.3")
def causal_mask(time):
    return dy.concatenate_cols([dy.inputVector([0.0] * (t + 1) + [-1e9] * (time - t - 1)) for t in range(time)])


@style("11.3")
def attend(queries, keys, values, mask):
    """exp(score) over its sum, the largest score taken away first; and the mean as a sum over positions."""
    scores = scaled_scores(queries, keys)
    if mask is not None:
        scores = mask + scores
    (S, T), B = scores.dim()
    weights = dy.exp(scores - dy.reshape(dy.logsumexp_dim(scores, 0), (1, T), B))
    parts = [dy.pick_range(values, i, i + 1, 1) * dy.pick_range(weights, i, i + 1, 0) for i in range(S)]
    return dy.esum(parts)


@style("11.4")
def rows(attention, x, head):
    (H, T), B = x.dim()
    D = H // attention.heads
    return dy.reshape(dy.pick(dy.reshape(x, (D, attention.heads, T), B), head, dim=1), (D, T), B)


@style("11.4")
def attend_with_heads(attention, queries, keys, values, mask):
    from functools import partial

    of_head = partial(rows, attention)

    def contexts(head):
        if head == attention.heads:
            return []
        return [attend(of_head(queries, head), of_head(keys, head), of_head(values, head), mask), *contexts(head + 1)]

    return attention.W_o * dy.concatenate(contexts(0))


@style("11.5")
def network(block, x):
    inside = dy.affine_transform([block.b_1, block.W_1, x])
    zeros = dy.zeros(inside.dim()[0], batch_size=inside.dim()[1])
    return dy.affine_transform([block.b_2, block.W_2, dy.bmax(inside, zeros)])


@style("11.5")
def transform(block, x, time, mask):
    q, k, v = project(block.attention, unfold_time(layer_norm(x), time))
    for sublayer in (
        lambda _: fold_time(attend_with_heads(block.attention, q, k, v, mask)),
        lambda x: network(block, layer_norm(x)),
    ):
        x = x + sublayer(x)
    return x


@style("11.6")
def logits(weights, inputs):
    """One position after the other, with the cache."""
    T, B = inputs.shape
    H = weights.embedding.shape()[1]
    pasts, columns = [None] * len(weights.blocks), []
    for t, words in enumerate(inputs):
        x = embed(weights.embedding, words.tolist()) * np.sqrt(H) + dy.inputVector(sinusoids(H, t, 1).ravel())
        for number, block in enumerate(weights.blocks):
            x, pasts[number] = next_position(block, x, pasts[number])
        columns.append(layer_norm(x))
    return tied_logits(weights.embedding, weights.b, fold_time(dy.concatenate_cols(columns)))


@style("11.6")
def logits(weights, inputs):
    from functools import reduce

    (T, B), (_, H) = inputs.shape, weights.embedding.shape()
    x = dy.reshape(embed(weights.embedding, inputs.flatten(order="F").tolist()), (H, T), B)
    x = fold_time(x * H**0.5 + dy.inputTensor(sinusoids(H, 0, T)))
    mask = causal_mask(time=T)
    top = reduce(lambda below, block: transform(block, below, time=T, mask=mask), weights.blocks, x)
    return dy.affine_transform([weights.b, weights.embedding, layer_norm(top)])


@style("11.6")
def next_position(block, x, past):
    (H,), B = x.dim()
    q, k, v = project(block.attention, dy.reshape(layer_norm(x), (H, 1), B))
    keys, values = (k, v) if past is None else (dy.concatenate_cols([old, new]) for old, new in zip(past, (k, v)))
    x += dy.reshape(attend_with_heads(block.attention, q, keys, values, None), (H,), B)
    x += network(block, layer_norm(x))
    return x, Past(keys, values)


@style("11.6")
def advance(weights, cache, words):
    H, B = weights.embedding.shape()[1], len(words)
    t = cache[0].keys.dim()[0][1] if cache[0] else 0
    x = embed(weights.embedding, list(words)) * H**0.5
    x = x + dy.inputVector(sinusoids(H, 0, t + 1)[:, -1])
    pasts = ()
    for block, past in zip(weights.blocks, cache):
        x, new = next_position(block, x, past)
        pasts += (new,)
    s = np.reshape(tied_logits(weights.embedding, weights.b, layer_norm(x)).npvalue(), (-1, B), order="F").T
    return list(pasts), s - np.logaddexp.reduce(s.astype(float), axis=1)[:, None]


@style("11.4")
def project(attention, x):
    _, *matrices, _ = attention
    return [W * x for W in matrices]
