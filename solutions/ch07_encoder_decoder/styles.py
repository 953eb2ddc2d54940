"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("7.1")
def normalised_score():
    import numpy as np

    return np.log([0.5, 0.5, 1.0]).mean()


@style("7.1")
def sentences_to_compare(words, longest):
    return longest + 1 if words == 1 else (words ** (longest + 1) - 1) / (words - 1)


@style("7.1")
def probabilities_in_a_beam(words, steps, size):
    total = 0.0
    for step in range(steps):
        total += (words + 1) * (size if step > 0 else 1)
    return total


@style("7.2")
def reverse(sequences, lengths):
    (rows, time), batch = sequences.dim()
    sentences = []
    for b in range(batch):
        sequence, n = dy.pick_batch_elem(sequences, b), int(lengths[b])
        columns = [dy.pick(sequence, n - 1 - t if t < n else t, dim=1) for t in range(time)]
        sentences.append(dy.concatenate_cols(columns))
    return dy.concatenate_to_batch(sentences)


@style("7.2")
def last_states(states, lengths):
    (rows, time), batch = states.dim()
    last = np.zeros((time, batch))
    last[lengths - 1, np.arange(batch)] = 1
    return states * dy.reshape(dy.inputVector(last.ravel(order="F")), (time,), batch)


@style("7.3")
def encode(weights, source, mask, backward):
    S, B = source.shape
    ids, h = source.copy(), None
    lengths = [int(n) for n in mask.sum(0)]
    if backward:
        for b, n in enumerate(lengths):
            ids[:n, b] = source[:n, b][::-1]
    for t in range(S):
        new = rnn(weights.W_f, weights.U_f, weights.b_f, embed(weights.M_f, ids[t].tolist()), h)
        if h is not None:  # a sentence that has ended keeps its state
            here = dy.inputVector(np.repeat(mask[t], new.dim()[0][0]))
            here = dy.reshape(here, new.dim()[0], B)
            new = dy.cmult(new, here) + dy.cmult(h, -here + 1)
        h = new
    return h


@style("7.4")
def loss(weights, encoded, target):
    h, total = encoded, []
    for inputs, targets, mask in zip(target.inputs, target.targets, target.mask):
        h = rnn(weights.W_e, weights.U_e, weights.b_e, embed(weights.M_e, inputs), h)
        costs = dy.pickneglogsoftmax_batch(weights.W_hs * h + weights.b_s, targets.tolist())
        total.append(dy.cmult(costs, dy.reshape(dy.inputVector(mask), (1,), len(mask))))
    return dy.sum_batches(dy.esum(total))


@style("7.4")
def advance(weights, h, words):
    h = rnn(weights.W_e, weights.U_e, weights.b_e, embed(weights.M_e, words), h)
    scores = dy.affine_transform([weights.b_s, weights.W_hs, h]).npvalue().astype(float)
    scores = scores[:, None] if scores.ndim == 1 else scores
    scores = scores - scores.max(axis=0)
    return h, (scores - np.log(np.exp(scores).sum(axis=0))).T


@style("7.7")
def normalised(hypothesis):
    import numpy as np

    return np.float64(hypothesis.log_prob) / np.float64(1 + len(hypothesis.words))


@style("7.7")
def length_log_prob(lengths, source, target):
    from collections import Counter

    both, of_source = Counter(lengths), Counter(length for length, _ in lengths)
    if both[source, target] == 0:
        return float("-inf")
    return math.log(both[source, target]) - math.log(of_source[source])


@style("7.1")
def next_of(words):
    return {"": 1.0} if len(words) == 2 else NEXT["".join(words)]


def probability(sentence):
    words = sentence.split()
    return math.prod(next_of(words[:place])[word] for place, word in enumerate([*words, ""]))


def found_by_greedy_search():
    words = []
    while word := max(next_of(words), key=next_of(words).get):
        words.append(word)
    return " ".join(words)


def most_probable():
    return max(["", "a", "b", "a a", "a b", "b a", "b b"], key=probability)


def normalised_score():
    return math.log(probability("a b")) / 3


NEXT = {"": {"a": 0.5, "b": 0.4, "": 0.1}, "a": {"a": 0.2, "b": 0.5, "": 0.3}, "b": {"a": 0.1, "b": 0.1, "": 0.8}}


@style("7.1")
def sentences_to_compare(words, longest):
    return 1 if longest == 0 else 1 + words * sentences_to_compare(words, longest - 1)


@style("7.1")
def probabilities_in_a_beam(words, steps, size):
    from itertools import accumulate, chain, repeat

    live = chain([1], repeat(size, steps - 1))
    return [0, *accumulate(beginnings * (words + 1) for beginnings in live)][-1]


@style("7.2")
def reverse(sequences, lengths):
    """The product with a permutation of the columns."""
    (_, T), B = sequences.dim()
    P = np.zeros((T, T, B))
    for b, n in enumerate(lengths):
        for t in range(T):
            P[n - 1 - t if t < n else t, t, b] = 1
    return sequences * dy.reshape(dy.inputVector(P.ravel(order="F")), (T, T), B)


@style("7.2")
def last_states(states, lengths):
    return dy.pick(reverse(states, lengths), 0, dim=1)


@style("7.3")
def encode(weights, source, mask, backward):
    from functools import reduce

    S, B = source.shape
    lengths = mask.sum(axis=0).astype(int)
    x = unfold_time(embed(weights.M_f, source.T.ravel()), S)
    if backward:
        x = reverse(x, lengths)
    states = []

    def step(h, t):
        states.append(rnn(weights.W_f, weights.U_f, weights.b_f, dy.pick(x, t, dim=1), h))
        return states[-1]

    reduce(step, range(S), None)
    picked = [dy.pick_batch_elem(states[n - 1], b) for b, n in enumerate(lengths)]
    return dy.concatenate_to_batch(picked)


@style("7.4")
def loss(weights, encoded, target):
    """Each pair by itself."""
    costs = []
    for b in range(target.mask.shape[1]):
        h = dy.pick_batch_elem(encoded, b)
        for read, wanted in list(zip(target.inputs[:, b], target.targets[:, b]))[: int(target.mask[:, b].sum())]:
            h = rnn(weights.W_e, weights.U_e, weights.b_e, embed(weights.M_e, [read]), h)
            log_p = dy.log_softmax(dy.affine_transform([weights.b_s, weights.W_hs, h]))
            costs.append(-dy.pick(log_p, int(wanted)))
    return dy.esum(costs)


@style("7.4")
def advance(weights, h, words):
    new = rnn(weights.W_e, weights.U_e, weights.b_e, embed(weights.M_e, words), h)
    s = weights.W_hs * new + weights.b_s
    log_p = s - dy.logsumexp_dim(s, 0)
    return [new, np.array([dy.pick_batch_elem(log_p, b).vec_value() for b in range(len(words))])]


@style("7.5")
def greedy(model, number, max_words):
    """By recursion; each row's own text is a tuple of words, log-probability and whether it goes on."""
    limits = [max_words] * number if np.ndim(max_words) == 0 else max_words

    def go_on(state, read, texts):
        if not any(open_ for *_, open_ in texts):
            return texts
        state, log_probs = model.advance(state, read)
        chosen = np.argmax(log_probs, axis=-1)
        longer = []
        for (ids, total, left, open_), word, row in zip(texts, chosen, log_probs):
            if open_:
                ids, total, left = ids + (word,), total + row[word], left - 1
                open_ = word != 0 and left > 0
            longer.append((ids, total, left, open_))
        return go_on(state, chosen, longer)

    texts = go_on(model.start(number), [0] * number, [((), 0.0, limit, limit > 0) for limit in limits])
    return [Hypothesis(model.vocab.decode(ids), total, ids[-1:] == (0,)) for ids, total, *_ in texts]


@style("7.6")
def beam_search(model, size, max_words):
    import heapq

    class Beginning:
        def __init__(self, ids, total, row):
            self.ids, self.total, self.row = ids, total, row

        def ended(self):
            return self.ids[-1:] == [0]

        def continuations(self, log_probs):
            yield from (
                Beginning([*self.ids, word], self.total + log_p, self.row)
                for word, log_p in enumerate(log_probs[self.row])
                if np.isfinite(log_p)
            )

        def hypothesis(self):
            return Hypothesis(model.vocab.decode(self.ids), self.total, self.ended())

    live, done, state = [Beginning([], 0.0, 0)], [], model.start(1)
    for _ in range(max_words):
        if not live:
            break
        state = model.select(state, [one.row for one in live])
        state, log_probs = model.advance(state, [(one.ids or [0])[-1] for one in live])
        for row, one in enumerate(live):
            one.row = row
        every = [longer for one in live for longer in one.continuations(log_probs)]
        best = heapq.nlargest(size - len(done), every, key=lambda one: one.total)
        done, live = done + [one for one in best if one.ended()], [one for one in best if not one.ended()]
    return [one.hypothesis() for one in sorted(done or live, key=lambda one: -one.total)]


@style("7.7")
def length_log_prob(lengths, source, target):
    of_source = [e for f, e in lengths if f == source]
    try:
        return math.log(of_source.count(target) / len(of_source))
    except (ValueError, ZeroDivisionError):
        return -math.inf


@style("7.7")
def length_log_prob(lengths, source, target):
    import numpy as np

    size = 1 + np.max([*lengths, (source, target)])
    table = np.zeros((size, size))
    for f, e in lengths:
        table[f, e] += 1
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.log(table[source, target] / table[source].sum()), nan=-np.inf, neginf=-np.inf)


@style("7.7")
def with_prior(hypothesis, lengths, source):
    words, log_prob, *_ = hypothesis
    return sum([length_log_prob(lengths, source, target=len(words)), log_prob])


@style("7.7")
def best_first(hypotheses, score):
    from functools import cmp_to_key

    def compare(one, other):
        for key in (lambda h: int(h.finished), score, lambda h: h.log_prob):
            if key(one) != key(other):
                return 1 if key(one) < key(other) else -1
        return 0

    return sorted(hypotheses, key=cmp_to_key(compare))


@style("7.5")
def greedy(model, number, max_words):
    """Asks the model for the state and for the probabilities one after the other."""
    state, words = model.start(number), np.zeros(number, dtype=int)
    limits, texts = np.broadcast_to(max_words, number), [[] for _ in range(number)]
    log_prob, t = [0.0] * number, 0

    def done(row):
        return texts[row][-1:] == [0] or t >= limits[row]

    while not all(map(done, range(number))):
        log_p = model.advance(state, words)[1]
        state = model.advance(state, words)[0]
        words = np.array([row.argmax() for row in log_p])
        for row in range(number):
            if not done(row):
                texts[row].append(int(words[row]))
                log_prob[row] += log_p[row, words[row]]
        t += 1
    return tuple(Hypothesis(model.vocab.decode(t), p, 0 in t) for t, p in zip(texts, log_prob))


@style("7.6")
def beam_search(model, size, max_words):
    """The same, with `itertools`, and by recursion over the steps."""
    from itertools import product

    def search(state, live, done, left):
        if not left or not live:
            return done if done else live
        words = [text[-1] if text else 0 for _, text in live]
        log_p = model.advance(state, words)[1]
        state = model.advance(state, words)[0]
        pairs = product(range(len(live)), range(log_p.shape[1]))
        every = [(live[row][0] + log_p[row, word], row, word) for row, word in pairs if log_p[row, word] > -np.inf]
        best = sorted(every, key=lambda one: -one[0])[: size - len(done)]
        ended = [(total, live[row][1] + [0]) for total, row, word in best if word == 0]
        on = [(total, row, live[row][1] + [word]) for total, row, word in best if word]
        state = model.select(state, [row for _, row, _ in on])
        return search(state, [(total, text) for total, _, text in on], done + ended, left - 1)

    found = sorted(search(model.start(1), [(0.0, [])], [], max_words), key=lambda pair: pair[0])[::-1]
    return tuple(Hypothesis(model.vocab.decode(ids), total, ids[-1] == 0) for total, ids in found)
