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
def sinusoids(size, first, time):
    result = np.zeros((size, time))
    t = np.arange(time) + first
    speeds = np.exp(-np.log(10000.0) * np.arange(0, size, 2) / size)
    result[0::2] = np.sin(speeds[:, None] * t)
    result[1::2] = np.cos(speeds[: size // 2, None] * t)
    return result


@style("11.2")
def move(encoding, distance):
    pairs = (encoding[1::2] + 1j * encoding[0::2]) * np.exp(
        1j * distance / 10000 ** (2 * np.arange(len(encoding) // 2) / len(encoding))
    )
    return np.stack([pairs.imag, pairs.real], axis=1).reshape(-1)


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
    mask = np.zeros((time, time))
    for attended in range(time):
        for attending in range(time):
            if attended > attending:
                mask[attended, attending] = -1e9
    return dy.inputTensor(mask)


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


@style("11.3")
def attend(queries, keys, values, mask):
    weights = dy.transpose(dy.softmax(scaled_scores(queries, keys) + (0 if mask is None else mask)))
    return dy.transpose(weights * dy.transpose(values))


@style("11.4")
def project(attention, x):
    return [W * x for W in (attention.W_q, attention.W_k, attention.W_v)]


@style("11.4")
def rows(attention, x, head):
    D = x.dim()[0][0] // attention.heads
    return dy.select_rows(x, range(head * D, head * D + D))


@style("11.4")
def rows(attention, x, head):
    size = attention.W_q.shape()[0] // attention.heads
    return x[head * size : (head + 1) * size]


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
    return block.W_2 * dy.rectify(block.W_1 * x + block.b_1) + block.b_2


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
def logits(weights, inputs):
    T, B = inputs.shape
    H = weights.embedding.shape()[1]
    columns = []
    for t in range(T):
        here = embed(weights.embedding, [int(word) for word in inputs[t]]) * float(np.sqrt(H))
        columns.append(here + dy.inputTensor(sinusoids(H, t, 1)[:, 0]))
    x = fold_time(dy.concatenate_cols(columns))
    mask = causal_mask(T)
    for block in weights.blocks:
        x = transform(block, x, T, mask)
    return weights.embedding * layer_norm(x) + weights.b


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
