"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("10.1")
def all_right(error, n):
    probability = 1
    for _ in range(n):
        probability *= 1 - error
    return probability


@style("10.1")
def expected_errors(error, lost, n):
    if not error:
        return 0
    surely = (1 - (1 - error) ** n) / error  # the sum of the probabilities that all words before are right
    return surely * error + (n - surely) * lost


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
def ngrams(tokens, n):
    counts = {}
    for start in range(len(tokens)):
        run = tuple(tokens[start : start + n])
        if len(run) == n:
            counts[run] = counts.get(run, 0) + 1
    return counts


@style("10.2")
def sentence_bleu(hypothesis, reference):
    logs = 0.0
    for n in range(1, 5):
        left = [tuple(reference[i : i + n]) for i in range(len(reference) - n + 1)]
        runs = [tuple(hypothesis[i : i + n]) for i in range(len(hypothesis) - n + 1)]
        matches = 0
        for run in runs:
            if run in left:
                left.remove(run)
                matches += 1
        if n == 1:
            if not matches:
                return 0
            logs += math.log(matches / len(runs))
        else:
            logs += math.log((matches + 1) / (len(runs) + 1))
    c, r = len(hypothesis), len(reference)
    return math.exp(logs / 4 + (1 - r / c if c < r else 0))


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


@style("10.4")
def risk_gradient(log_probs, costs, counted, alpha):
    gradient = np.zeros(len(log_probs))
    places = np.flatnonzero(counted)
    top = max(alpha * log_probs[c] for c in places)
    total = sum(np.exp(alpha * log_probs[c] - top) for c in places)
    Q = {c: np.exp(alpha * log_probs[c] - top) / total for c in places}
    for c in places:
        gradient[c] = alpha * Q[c] * sum(Q[other] * (costs[c] - costs[other]) for other in places)
    return gradient


@style("10.5")
def against_others(costs):
    result = np.zeros_like(costs)
    for b, row in enumerate(costs):
        for i, cost in enumerate(row):
            others = np.delete(row, i)
            result[b, i] = cost - others.mean() if len(others) else 0.0
    return result


@style("10.5")
def against_others(costs):
    k = costs.shape[1]
    return (costs - costs.mean(axis=1, keepdims=True)) * (k / max(k - 1, 1))


@style("10.5")
def policy_loss(log_probs, advantages):
    return dy.mean_elems(dy.cmult(log_probs, input_batch(advantages.T)))


@style("10.6")
def linear(share, progress):
    return (1 - progress) + progress * (1 - share)


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
