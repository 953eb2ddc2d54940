"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("8.1")
def context_by_hand():
    import numpy as np

    weights = np.exp(np.array([2 * np.log(2) + 5, 5]))
    return np.array([[2, 0], [1, 1]]) @ (weights / weights.sum())


@style("8.1")
def context_by_hand():
    from fractions import Fraction

    return (Fraction(8, 5), 1)


@style("8.1")
def how_many_parameters(score, H, Q, A):
    if score == "dot":
        return 0.0
    return float(H * Q) if score == "bilinear" else A * (H + Q + 1.0)


@style("8.1")
def largest_hidden_layer(H, Q):
    import math

    return math.ceil(H * Q / (H + Q + 1)) - 1


@style("8.2")
def mlp():
    return "tanh(H.T @ W_f.T + h.T @ W_e.T) @ w"


@style("8.3")
def dot_scores(annotations, query):
    (_, S), B = annotations.dim()
    scores = [dy.dot_product(dy.pick(annotations, j, dim=1), query) for j in range(S)]
    return dy.reshape(dy.concatenate(scores), (S, 1), B)


@style("8.3")
def bilinear_scores(W_a, annotations, query):
    return dy.transpose(dy.transpose(W_a * as_column(query)) * annotations)


@style("8.3")
def mlp_keys(score, annotations):
    (_, S), _ = annotations.dim()
    return dy.concatenate_cols([score.W_source * dy.pick(annotations, j, dim=1) for j in range(S)])


@style("8.3")
def mlp_scores(score, keys, query):
    (A, S), B = keys.dim()
    both = dy.colwise_add(keys, score.W_query * query)
    return dy.reshape(score.w * dy.tanh(both), (S, 1), B)


@style("8.4")
def padding_scores(lengths, time):
    columns = []
    for length in lengths:
        columns.append(dy.inputTensor(np.array([[0.0]] * int(length) + [[-1e9]] * int(time - length))))
    return dy.concatenate_to_batch(columns)


@style("8.4")
def attention_weights(score, memory, query, *biases):
    added = [*biases, memory.padding] if memory.padding is not None else list(biases)
    total = score.scores(memory.keys, query)
    for term in added:
        total = total + term
    return dy.exp(dy.log_softmax(total))


@style("8.4")
def context(memory, weights):
    (H, S), _ = memory.annotations.dim()
    return dy.esum([dy.pick(memory.annotations, j, dim=1) * dy.pick(weights, j) for j in range(S)])


@style("8.5")
def replace_unknown(hypothesis, source, lexicon=None):
    if hypothesis.attention is None:
        raise UserError("this translation came without attention: translate with a model that attends")

    def replaced(word, weights):
        if word != UNKNOWN:
            return word
        best = max(range(len(source)), key=lambda j: weights[j])
        translation = None if lexicon is None else lexicon.translate(source[best])
        return source[best] if translation is None else translation

    return [replaced(word, weights) for word, weights in zip(hypothesis.words, hypothesis.attention)]


@style("8.5")
def replace_unknown(hypothesis, source, lexicon=None):
    if hypothesis.attention is None:
        raise UserError("attention is needed; choose a model that has it")
    words = ()
    for place in range(len(hypothesis.words)):
        word = hypothesis.words[place]
        if word == UNKNOWN:
            word = source[list(hypothesis.attention[place]).index(max(hypothesis.attention[place]))]
            if lexicon is not None and lexicon.translate(word) is not None:
                word = lexicon.translate(word)
        words += (word,)
    return words


@style("8.6")
def position_scores(bias, words, step):
    rho = float(bias.pace.as_array().item())
    far = np.abs(np.arange(words) - rho * step)
    return dy.inputTensor(-far[:, None]) * bias.strength


@style("8.6")
def markov_matrix(bias, words):
    columns = []
    for i in range(words):
        cells = []
        for j in range(words):
            inside = abs(j - i) <= bias.window
            cells.append(dy.pick(bias.jumps, j - i + bias.window, dim=1) if inside else dy.zeros((1,)))
        columns.append(dy.concatenate(cells))
    return dy.concatenate_cols(columns)


@style("8.7")
def decode(weights, source, inputs):
    time, B = inputs.shape
    (H, S), _ = source.annotations.dim()
    keys, padding = weights.score.keys(source.annotations), padding_scores(source.lengths, S)
    memory, layers, c = Memory(source.annotations, keys, padding), source.layers, dy.zeros((H,), batch_size=B)
    logits, alphas = [], []
    for t in range(time):
        word = unfold_time(embed(weights.embedding, inputs[t].tolist()), 1)
        layers = weights.decoder.step(dy.pick(weights.decoder.project(word), 0, dim=1), [c], layers)
        h = layers[-1].hidden
        alphas.append(attention_weights(weights.score, memory, h))
        c = context(memory, alphas[-1])
        logits.append(weights.W_hs * dy.concatenate([h, c]) + weights.b_s)
    return fold_time(dy.concatenate_cols(logits)), dy.concatenate_cols(alphas)


@style("8.7")
def loss(weights, source, target):
    logits, _ = decode(weights, source, target.inputs)
    real = [n for n, real_word in enumerate(target.mask.T.ravel()) if real_word]
    words = target.targets.T.ravel()[real]
    return dy.sum_batches(dy.pickneglogsoftmax_batch(dy.pick_batch_elems(logits, real), words.tolist()))


@style("8.1")
def context_by_hand():
    import math
    from collections import namedtuple

    Context = namedtuple("Context", "first second")
    scores = [2 * math.log(2) + 5, 0 * math.log(2) + 1 * 5]
    weights = [math.exp(s) / sum(map(math.exp, scores)) for s in scores]
    return Context(first=2 * weights[0], second=1 * weights[0] + 1 * weights[1])


@style("8.1")
def how_many_parameters(score, H, Q, A):
    match score:
        case "dot":
            return 0
        case "bilinear":
            return H * Q
        case "mlp":
            return sum(1 for _ in range(A) for _ in range(H + Q + 1))


@style("8.1")
def largest_hidden_layer(H, Q):
    from itertools import count, takewhile

    fewer = takewhile(
        lambda A: how_many_parameters("mlp", H, Q, A) < how_many_parameters("bilinear", H, Q, A), count(1)
    )
    return len(list(fewer))


@style("8.2")
def bilinear():
    return BILINEAR


BILINEAR = """
    ( H.T
      @ W_a ) @ h
"""


@style("8.3")
def dot_scores(annotations, query):
    (H, S), B = annotations.dim()
    products = dy.cmult(annotations, dy.reshape(query, (H, 1), B))
    return dy.reshape(dy.sum_dim(products, [0]), (S, 1), B)


@style("8.3")
def bilinear_scores(W_a, annotations, query):
    return dot_scores(annotations, W_a * query)


@style("8.3")
def mlp_keys(score, annotations):
    (H, S), B = annotations.dim()
    keys = score.W_source * dy.reshape(annotations, (H,), S * B)
    return dy.reshape(keys, (keys.dim()[0][0], S), B)


@style("8.3")
def mlp_scores(score, keys, query):
    (_, S), B = keys.dim()
    of_query = score.W_query * query
    each = [score.w * dy.tanh(of_query + dy.pick(keys, j, dim=1)) for j in range(S)]
    return dy.concatenate(each)


@style("8.4")
def padding_scores(lengths, time):
    if min(lengths) == time:
        return None
    behind = np.greater_equal.outer(np.arange(time), lengths)
    return dy.reshape(dy.inputVector(np.where(behind, -1e9, 0).T.ravel()), (time, 1), len(lengths))


@style("8.4")
def attention_weights(score, memory, query, *biases):
    """Twice the same scores: for the numerator and for the denominator."""
    extra = list(biases)
    if memory.padding is not None:
        extra.append(memory.padding)

    def summed():
        return dy.esum([score.scores(memory.keys, query), *extra]) if extra else score.scores(memory.keys, query)

    return dy.exp(summed() - dy.logsumexp_dim(summed(), 0))


@style("8.4")
def context(memory, weights):
    (H, S), B = memory.annotations.dim()
    weighted = dy.cmult(memory.annotations, dy.reshape(weights, (1, S), B))
    return dy.sum_dim(weighted, [1])


@style("8.5")
def replace_unknown(hypothesis, source, lexicon=None):
    import numpy as np

    if (attention := hypothesis.attention) is None:
        raise UserError(f"{UNKNOWN} cannot be replaced without attention; use a model with attention")
    source = np.array(source, dtype=object)
    aligned = source[np.argmax(attention, axis=1)]
    known = {word: lexicon.translate(word) for word in source} if lexicon else {}
    words = list(hypothesis.words)
    for place, word in enumerate(words):
        if word == UNKNOWN:
            words[place] = known.get(aligned[place]) or aligned[place]
    return words


@style("8.5")
def replace_unknown(hypothesis, source, lexicon=None):
    words, attention = hypothesis.words, hypothesis.attention
    if attention is None:
        raise UserError("no attention: translate with a model that attends")
    if UNKNOWN not in words:
        return list(words)
    first = words.index(UNKNOWN)
    weights = list(attention[first])
    best = source[weights.index(max(weights))]
    new = lexicon.translate(best) if lexicon is not None else None
    rest = hypothesis._replace(words=words[first + 1 :], attention=attention[first + 1 :])
    return [*words[:first], new if new is not None else best, *replace_unknown(rest, source, lexicon)]


@style("8.6")
def position_scores(bias, words, step):
    diagonal = dy.nobackprop(bias.pace.expr()) * step
    parts = [dy.abs(dy.scalarInput(j) - diagonal) for j in range(words)]
    return -dy.concatenate(parts) * bias.strength


@style("8.6")
def markov_matrix(bias, words):
    """A diagonal for each jump."""
    D, S = bias.window, words
    total = dy.zeros((S, S))
    for jump in range(-D, D + 1):
        diagonal = dy.inputTensor(np.eye(S, k=-jump))
        total = total + dy.cmult(diagonal, dy.pick_range(bias.jumps, jump + D, jump + D + 1, 1))
    return total


@style("8.7")
def decode(weights, source, inputs):
    (H, S), B = source.annotations.dim()
    memory = Memory(
        annotations=source.annotations,
        keys=weights.score.keys(source.annotations),
        padding=padding_scores(source.lengths, S),
    )
    x = weights.decoder.project(unfold_time(embed(weights.embedding, inputs.T.ravel().tolist()), len(inputs)))
    layers, c, steps = list(source.layers), dy.inputVector(np.zeros(H)), []
    if B > 1:
        c = dy.concatenate_to_batch([c] * B)
    for t in range(inputs.shape[0]):
        layers = weights.decoder.step(dy.pick(x, t, 1), (c,), layers)
        alpha = attention_weights(weights.score, memory, layers[-1].hidden)
        c = context(memory, alpha)
        steps.append((layers[-1].hidden, c, alpha))
    states, contexts, alphas = (dy.concatenate_cols(list(columns)) for columns in zip(*steps))
    W_h = dy.select_cols(weights.W_hs, range(H))
    W_c = dy.select_cols(weights.W_hs, range(H, 2 * H))
    return W_h * fold_time(states) + W_c * fold_time(contexts) + weights.b_s, alphas


@style("8.7")
def translate(weights, source, most):
    """All words so far are read again at every step."""
    read, S = [0], source.annotations.dim()[0][1]
    attention = np.zeros((0, S))
    while len(read) <= most:
        logits, alphas = decode(weights, source, np.array(read).reshape(-1, 1))
        attention = np.reshape(alphas.npvalue(), (S, -1), order="F").T
        read.append(int(np.argmax(dy.pick_batch_elem(logits, len(read) - 1).npvalue())))
        if read[-1] == 0:
            return read[1:-1], attention
    return read[1:], attention


@style("8.7")
def translate(weights, source, most):
    (H, S), _ = source.annotations.dim()
    keys = weights.score.keys(source.annotations)
    memory = Memory(source.annotations, keys, padding_scores(source.lengths, S))

    def steps(word, layers, c):
        while True:
            x = weights.decoder.project(unfold_time(embed(weights.embedding, [word]), 1))
            layers = weights.decoder.step(dy.pick(x, 0, dim=1), [c], layers)
            alpha = attention_weights(weights.score, memory, layers[-1].hidden)
            c = context(memory, alpha)
            p = dy.softmax(weights.W_hs * dy.concatenate([layers[-1].hidden, c]) + weights.b_s)
            word = np.argmax(p.npvalue())
            yield word, alpha.vec_value()
            if word == 0:
                return

    ids, rows = [], []
    for _, (word, row) in zip(range(most), steps(0, source.layers, dy.zeros((H,)))):
        rows.append(row)
        if word:
            ids.append(word)
    return ids, np.array(rows)
