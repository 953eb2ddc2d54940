"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


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
    import math

    return dy.transpose(keys) * (queries / math.sqrt(keys.dim()[0][0]))


@style("11.3")
def causal_mask(time):
    return dy.inputTensor((1 - np.triu(np.ones((time, time)))) * -1e9)


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
def project(attention, x):
    return [W * x for W in (attention.W_q, attention.W_k, attention.W_v)]


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


@style("11.4")
def rows(attention, x, head):
    (H, T), B = x.dim()
    D = H // attention.heads
    return dy.reshape(dy.pick(dy.reshape(x, (D, attention.heads, T), B), head, dim=1), (D, T), B)


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
