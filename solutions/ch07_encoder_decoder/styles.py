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


@style("7.5")
def greedy(model, number, max_words):
    limits = [max_words] * number if np.ndim(max_words) == 0 else list(max_words)
    sentences, totals, finished = [[] for _ in limits], np.zeros(number), [False] * number
    state, words = model.start(number), [0] * number
    live, step = set(range(number)), 0
    while live:
        state, log_probs = model.advance(state, words)
        words = [int(np.argmax(row)) for row in log_probs]
        step += 1
        for row in list(live):
            totals[row] += log_probs[row][words[row]]
            if words[row] == 0:
                finished[row] = True
            else:
                sentences[row].append(words[row])
            if finished[row] or step == limits[row]:
                live.remove(row)
    return [Hypothesis(model.vocab.decode(ids), totals[row], finished[row]) for row, ids in enumerate(sentences)]


@style("7.6")
def beam_search(model, size, max_words):
    beam, done = [(0.0, [])], []
    state, words = model.start(1), [0]
    for step in range(max_words):
        state, log_probs = model.advance(state, words)
        candidates = []
        for row, (total, ids) in enumerate(beam):
            for word, log_prob in enumerate(log_probs[row]):
                if log_prob > -np.inf:
                    candidates.append((total + log_prob, row, word))
        candidates.sort(reverse=True, key=lambda pair: pair[0])
        survivors = candidates[: size - len(done)]
        done += [(total, beam[row][1]) for total, row, word in survivors if word == 0]
        rows = [row for _, row, word in survivors if word != 0]
        beam = [(total, beam[row][1] + [word]) for total, row, word in survivors if word != 0]
        if not beam:
            break
        if step + 1 < max_words:
            state, words = model.select(state, rows), [ids[-1] for _, ids in beam]
    best = sorted(done if done else beam, reverse=True, key=lambda pair: pair[0])
    return [Hypothesis(model.vocab.decode(ids), total, len(done) > 0) for total, ids in best]


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


@style("7.7")
def best_first(hypotheses, score):
    scored = [(not h.finished, -score(h), -h.log_prob, place) for place, h in enumerate(hypotheses)]
    return [hypotheses[place] for *_, place in sorted(scored)]


@style("7.7")
def best_first(hypotheses, score):
    ranked = list(hypotheses)
    ranked.sort(key=lambda h: h.log_prob, reverse=True)
    ranked.sort(key=score, reverse=True)
    return [h for h in ranked if h.finished] + [h for h in ranked if not h.finished]
