"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("10.2")
def sentence_bleu(hypothesis, reference):
    import numpy as np

    matches = [(Counter(ngrams(hypothesis, n)) & Counter(ngrams(reference, n))).total() for n in range(1, 5)]
    totals = [max(len(hypothesis) - n + 1, 0) for n in range(1, 5)]
    if not matches[0]:
        return 0.0
    p = (np.array(matches) + [0, 1, 1, 1]) / (np.array(totals) + [0, 1, 1, 1])
    return np.exp(np.minimum(0, 1 - len(reference) / len(hypothesis)) + np.log(p).mean())


@style("10.2")
def ngrams(tokens, n):
    from collections import deque

    window, counts = deque(maxlen=n), {}
    for token in tokens:
        window.append(token)
        if len(window) == n:
            counts[tuple(window)] = 1 + counts.get(tuple(window), 0)
    return counts


@style("10.3")
def gumbel_noise(uniform):
    return np.negative(np.log(np.log(1 / uniform)))


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
def expected_cost(log_probs, costs, counted, alpha):
    scores = log_probs * alpha - input_batch((1e9 * (1 - counted.astype(float))).T)
    return dy.sum_dim(dy.cmult(dy.exp(dy.log_softmax(scores)), input_batch(costs.T)), [0])


@style("10.4")
def firsts(sentences, skip):
    place_of = {}
    for place, sentence in reversed(list(enumerate(sentences))[skip:]):
        place_of[tuple(sentence)] = place
    return np.isin(np.arange(len(sentences)), list(place_of.values()))


@style("10.4")
def risk_gradient(log_probs, costs, counted, alpha):
    import math

    top = max(p for p, c in zip(log_probs, counted) if c)
    P = [math.exp(alpha * (p - top)) if c else 0.0 for p, c in zip(log_probs, counted)]
    risk = sum(p * cost for p, cost in zip(P, costs)) / sum(P)
    return [alpha * p / sum(P) * (cost - risk) for p, cost in zip(P, costs)]


@style("10.5")
def policy_loss(log_probs, advantages):
    return dy.mean_elems(dy.cmult(log_probs, input_batch(advantages.T)))


@style("10.5")
def against_others(costs):
    from statistics import fmean

    return [
        [cost - fmean([*row[:i], *row[i + 1 :]]) if len(row) > 1 else 0 for i, cost in enumerate(row)]
        for row in costs.tolist()
    ]


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
