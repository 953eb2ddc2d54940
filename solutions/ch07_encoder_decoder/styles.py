"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


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


@style("7.7")
def length_log_prob(lengths, source, target):
    of_source = [e for f, e in lengths if f == source]
    try:
        return math.log(of_source.count(target) / len(of_source))
    except (ValueError, ZeroDivisionError):
        return -math.inf


@style("7.7")
def best_first(hypotheses, score):
    from functools import cmp_to_key

    def compare(one, other):
        for key in (lambda h: int(h.finished), score, lambda h: h.log_prob):
            if key(one) != key(other):
                return 1 if key(one) < key(other) else -1
        return 0

    return sorted(hypotheses, key=cmp_to_key(compare))
