"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("10.1")
def risk_of_three():
    from fractions import Fraction

    return Fraction(1, 2) * Fraction(2, 10) + Fraction(1, 3) * Fraction(6, 10) + Fraction(1, 6) * Fraction(9, 10)


@style("10.1")
def risk_of_three():
    import numpy as np

    Q = np.sqrt(np.array([0.09, 0.04, 0.01]))
    return (Q / Q.sum()) @ np.array([0.2, 0.6, 0.9])


@style("10.2")
def sentence_bleu(hypothesis, reference):
    import numpy as np

    matches = [(Counter(ngrams(hypothesis, n)) & Counter(ngrams(reference, n))).total() for n in range(1, 5)]
    totals = [max(len(hypothesis) - n + 1, 0) for n in range(1, 5)]
    if not matches[0]:
        return 0.0
    p = (np.array(matches) + [0, 1, 1, 1]) / (np.array(totals) + [0, 1, 1, 1])
    return np.exp(np.minimum(0, 1 - len(reference) / len(hypothesis)) + np.log(p).mean())


@style("10.3")
def gumbel_noise(uniform):
    return np.negative(np.log(np.log(1 / uniform)))


@style("10.3")
def draw_words(log_probs, noise):
    V, R = log_probs.shape
    return np.array([max(range(V), key=lambda v: log_probs[v, r] + noise[v, r]) for r in range(R)])


@style("10.3")
def draw_sentence(next_words, noise):
    words = []
    while len(words) < len(noise):
        (word,) = draw_words(next_words(words)[:, None], noise[len(words)][:, None])
        words = words + [word]
        if word == 0:
            return words
    return words


@style("10.4")
def firsts(sentences, skip):
    seen, flags = set(), []
    for place, sentence in enumerate(sentences):
        if place < skip or tuple(sentence) in seen:
            flags.append(False)
        else:
            seen.add(tuple(sentence))
            flags.append(True)
    return tuple(flags)


@style("10.4")
def expected_cost(log_probs, costs, counted, alpha):
    B, n = costs.shape
    total = []
    for b in range(B):
        mine = dy.pick_batch_elem(log_probs, b)
        places = [c for c in range(n) if counted[b, c]]
        scores = dy.concatenate([dy.pick(mine, c) for c in places]) * alpha
        total.append(dy.dot_product(dy.softmax(scores), dy.inputVector(costs[b, places])))
    return dy.concatenate_to_batch(total)


@style("10.4")
def expected_cost(log_probs, costs, counted, alpha):
    scores = log_probs * alpha - input_batch((1e9 * (1 - counted.astype(float))).T)
    return dy.sum_dim(dy.cmult(dy.exp(dy.log_softmax(scores)), input_batch(costs.T)), [0])


@style("10.5")
def policy_loss(log_probs, advantages):
    return dy.mean_elems(dy.cmult(log_probs, input_batch(advantages.T)))


@style("10.6")
def exponential(share, progress):
    return np.exp(progress * np.log(1 - share))


@style("10.6")
def mixed_inputs(inputs, own, draw):
    rows = [list(inputs[0])]
    for t in range(1, len(inputs)):
        row = list(inputs[t])
        if any(own[t]):
            samples = draw(np.array(rows))
            for b in range(len(row)):
                if own[t, b] and samples[b]:
                    row[b] = samples[b]
        rows.append(row)
    return np.array(rows)


@style("10.1")
def all_right(error, n):
    return (1 - error) * all_right(error, n - 1) if n else 1


@style("10.1")
def expected_errors(error, lost, n):
    """A Markov chain of two states: all right so far, and lost."""
    import numpy as np

    move = np.array([[1 - error, error], [0, 1]])
    return sum((np.linalg.matrix_power(move, t) @ [error, lost])[0] for t in range(n))


@style("10.1")
def expected_errors(error, lost, n, right=1.0):
    if n == 0:
        return 0
    now = right * error + (1 - right) * lost
    return now + expected_errors(error, lost, n - 1, right * (1 - error))


@style("10.1")
def risk_of_three():
    from decimal import Decimal

    table = {"0.09": "0.2", "0.04": "0.6", "0.01": "0.9"}
    Q = {p: Decimal(p).sqrt() for p in table}
    return sum(Q[p] * Decimal(cost) for p, cost in table.items()) / sum(Q.values())


@style("10.2")
def ngrams(tokens, n):
    from collections import deque

    window, counts = deque(maxlen=n), {}
    for token in tokens:
        window.append(token)
        if len(window) == n:
            counts[tuple(window)] = 1 + counts.get(tuple(window), 0)
    return counts


@style("10.2")
def sentence_bleu(hypothesis, reference):
    from fractions import Fraction
    from statistics import geometric_mean

    def precision(n, extra):
        ours, theirs = ngrams(hypothesis, n), ngrams(reference, n)
        matches = sum(min(count, theirs.get(ngram, 0)) for ngram, count in ours.items())
        return Fraction(matches + extra, sum(ours.values()) + extra)

    if not set(hypothesis) & set(reference):
        return 0
    brevity = min(1, math.exp(1 - Fraction(len(reference), len(hypothesis))))
    return brevity * geometric_mean(precision(n, n > 1) for n in range(1, 5))


@style("10.3")
def gumbel_noise(uniform):
    import math

    noise = np.zeros(uniform.shape)
    with np.nditer([uniform, noise], op_flags=[["readonly"], ["readwrite"]]) as pairs:
        for u, g in pairs:
            g[...] = -math.log(-math.log(u))
    return noise


@style("10.3")
def minus_log(x):
    return -np.log(x)


gumbel_noise = lambda uniform: minus_log(minus_log(uniform))


@style("10.3")
def draw_words(log_probs, noise):
    return np.argsort(log_probs + noise, axis=0)[-1].tolist()


@style("10.3")
def draw_sentence(next_words, noise):
    if len(noise) == 0:
        return []
    word = np.argmax(next_words([]) + noise[0])
    if word == 0:
        return [0]
    return [word] + draw_sentence(lambda words: next_words([word, *words]), noise[1:])


@style("10.4")
def firsts(sentences, skip):
    place_of = {}
    for place, sentence in reversed(list(enumerate(sentences))[skip:]):
        place_of[tuple(sentence)] = place
    return np.isin(np.arange(len(sentences)), list(place_of.values()))


@style("10.4")
def risk_gradient(log_probs, costs, counted, alpha):
    """With the Jacobian of the softmax, Q_c (1[c = c'] - Q_c')."""
    scores = np.where(counted, alpha * log_probs, -np.inf)
    Q = np.exp(scores - np.logaddexp.reduce(scores))
    return alpha * (np.diag(Q) - np.outer(Q, Q)) @ costs


@style("10.4")
def risk_gradient(log_probs, costs, counted, alpha):
    import math

    top = max(p for p, c in zip(log_probs, counted) if c)
    P = [math.exp(alpha * (p - top)) if c else 0.0 for p, c in zip(log_probs, counted)]
    risk = sum(p * cost for p, cost in zip(P, costs)) / sum(P)
    return [alpha * p / sum(P) * (cost - risk) for p, cost in zip(P, costs)]


@style("10.5")
def against_others(costs):
    B, k = costs.shape
    if k == 1:
        return np.zeros((B, 1))
    others = (1 - np.eye(k)) / (k - 1)
    return costs - np.einsum("bi,ij->bj", costs, others)


@style("10.5")
def against_others(costs):
    from statistics import fmean

    return [
        [cost - fmean([*row[:i], *row[i + 1 :]]) if len(row) > 1 else 0 for i, cost in enumerate(row)]
        for row in costs.tolist()
    ]


@style("10.5")
def policy_loss(log_probs, advantages):
    B, k = advantages.shape
    losses = []
    for b, row in enumerate(advantages):
        own = dy.pick_batch_elem(log_probs, b)
        losses.append(dy.esum([dy.pick(own, c) * float(row[c]) for c in range(k)]) * (1 / k))
    return dy.concatenate_to_batch(losses)


@style("10.6")
def linear(share, progress):
    return np.interp(progress, [0, 1], [1, 1 - share])


@style("10.6")
def exponential(share, progress):
    return np.power(1.0 - share, progress)


def linear(share, progress):
    from fractions import Fraction

    return 1 - Fraction(share) * Fraction(progress)


@style("10.6")
def mixed_inputs(inputs, own, draw):
    """By recursion: the rows before, and then one more."""
    if len(inputs) == 1:
        return inputs.copy()
    read = mixed_inputs(inputs[:-1], own[:-1], draw)
    drawn = np.asarray(draw(read))
    row = np.where(own[-1] & (drawn > 0), drawn, inputs[-1])
    return np.vstack([read, row])


@style("10.4")
def firsts(sentences, skip):
    seen = []
    return [0] * min(skip, len(sentences)) + [
        int(not (list(s) in seen or seen.append(list(s)))) for s in sentences[skip:]
    ]
