"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("5.1")
def how_many_parameters(cell, input_size, hidden_size):
    gates = {"rnn": 0, "lstm-no-forget": 2, "lstm": 3, "gru": 2}
    matrices = hidden_size * input_size + hidden_size * hidden_size
    return (gates[cell] + 1) * (matrices + float(hidden_size))


@style("5.1")
def share_of_padding(lengths):
    import numpy as np

    predictions = np.array(lengths) + 1
    return (predictions.max() - predictions).sum() / (predictions.max() * predictions.size)


@style("5.1")
def share_of_padding(lengths):
    from fractions import Fraction

    rows = [[1] * (length + 1) + [0] * (max(lengths) - length) for length in lengths]
    return Fraction(sum(row.count(0) for row in rows), sum(map(len, rows)))


@style("5.2")
def rnn_step(W_xh, W_hh, b_h, x, h):
    if h is None:
        h = dy.zeros(b_h.shape(), batch_size=x.dim()[1])
    return dy.tanh(dy.affine_transform([b_h, W_xh, x, W_hh, h]))


@style("5.2")
def run(W_xh, W_hh, b_h, inputs):
    h, states = None, ()
    for t in range(len(inputs)):
        h = rnn_step(W_xh, W_hh, b_h, inputs[t], h)
        states += (h,)
    return states


@style("5.3")
def lstm_cell(layer, projected, state, mask=None):
    H = layer.hidden_size
    if state is None:
        zeros = dy.zeros((H,), batch_size=projected.dim()[1])
        state = LSTMState(zeros, zeros)
    before = state.hidden if mask is None else dy.cmult(mask, state.hidden)
    sums = dy.affine_transform([projected, layer.W_h, before])
    gates = dy.logistic(dy.pick_range(sums, 0, 3 * H))
    i, f, o = (dy.pick_range(gates, block * H, (block + 1) * H) for block in range(3))
    cell = dy.cmult(f, state.cell) + dy.cmult(i, dy.tanh(dy.pick_range(sums, 3 * H, 4 * H)))
    return LSTMState(cell=cell, hidden=dy.cmult(dy.tanh(cell), o))


@style("5.4")
def gru_cell(layer, projected, state, mask=None):
    H = layer.hidden_size
    x_r, x_z, x_h = (dy.pick_range(projected, block * H, (block + 1) * H) for block in range(3))
    h = dy.zeros((H,), batch_size=projected.dim()[1]) if state is None else state.hidden
    read = h if mask is None else dy.cmult(h, mask)
    of_gates = layer.W_hg * read
    r = dy.logistic(x_r + dy.pick_range(of_gates, 0, H))
    z = dy.logistic(x_z + dy.pick_range(of_gates, H, 2 * H))
    new = dy.tanh(x_h + layer.W_hh * dy.cmult(read, r))
    return HiddenState(h + dy.cmult(z, new - h))


@style("5.5")
def make_minibatch(sentences):
    targets, mask = pad([list(sentence) + [0] for sentence in sentences])
    inputs = np.vstack([np.zeros_like(targets[:1]), targets[:-1]])
    return inputs, targets, mask


@style("5.5")
def masked_sum(losses, mask):
    real = np.flatnonzero(mask.T.ravel()).tolist()
    return dy.sum_batches(dy.pick_batch_elems(losses, real))


@style("5.5")
def loss_per_prediction(totals, masks):
    predictions = 0
    for mask in masks:
        predictions += np.count_nonzero(mask)
    return np.sum(totals) / predictions


@style("5.1")
def how_many_parameters(cell, input_size, hidden_size):
    match cell:
        case "rnn":
            blocks = 1
        case "gru" | "lstm-no-forget":
            blocks = 3
        case "lstm":
            blocks = 4
    return blocks * sum((hidden_size * input_size, hidden_size**2, hidden_size))


@style("5.1")
def gradient_after(weight, steps):
    return 1 if steps == 0 else weight * gradient_after(weight, steps - 1)


@style("5.1")
def gradient_after(weight, steps):
    import numpy as np

    return np.array(weight, dtype=float) ** np.array([steps])[0]


@style("5.2")
def rnn_step(W_xh, W_hh, b_h, x, h):
    H = b_h.shape()[0]
    W = dy.concatenate_cols([W_xh, W_hh])
    before = dy.inputVector([0.0] * H) if h is None else h
    if h is None and x.dim()[1] > 1:
        before = dy.concatenate_to_batch([before] * x.dim()[1])
    return dy.tanh(W * dy.concatenate([x, before]) + b_h)


@style("5.2")
def run(W_xh, W_hh, b_h, inputs):
    from itertools import accumulate, chain

    def step(h, x):
        return rnn_step(W_xh, W_hh, b_h, x, h)

    return list(accumulate(chain([None], inputs), step))[1:]


@style("5.2")
def run(W_xh, W_hh, b_h, inputs):
    if not inputs:
        return []
    *earlier, last = inputs
    states = run(W_xh, W_hh, b_h, earlier)
    return states + [rnn_step(x=last, h=states[-1] if states else None, W_xh=W_xh, W_hh=W_hh, b_h=b_h)]


@style("5.3")
def lstm_cell(layer, projected, state, mask=None):
    H = layer.hidden_size

    def block(number, squash):
        x = projected[number * H : (number + 1) * H]
        if state is None:
            return squash(x)
        h = state.hidden if mask is None else dy.cmult(mask, state.hidden)
        W = dy.select_rows(layer.W_h, list(range(number * H, (number + 1) * H)))
        return squash(x + W * h)

    sigmoid = lambda z: (dy.tanh(z * 0.5) + 1) * 0.5
    kept = 0 if state is None else dy.cmult(block(1, sigmoid), state.cell)
    cell = dy.cmult(block(0, sigmoid), block(3, dy.tanh)) + kept
    return LSTMState(dy.cmult(block(2, sigmoid), dy.tanh(cell)), cell)


@style("5.4")
def gru_cell(layer, projected, state, mask=None):
    """1 - sigmoid(a) = sigmoid(-a)."""
    H, ((_,), B) = layer.hidden_size, projected.dim()
    h = HiddenState(dy.zeros((H,), batch_size=B)).hidden if state is None else state.hidden
    h_read = dy.cmult(mask, h) if mask is not None else h
    x = dy.reshape(projected, (H, 3), B)
    gates = dy.reshape(layer.W_hg * h_read, (H, 2), B)
    a_r, a_z = (dy.pick(x, k, 1) + dy.pick(gates, k, 1) for k in (0, 1))
    candidate = dy.tanh(dy.pick(x, 2, 1) + layer.W_hh * dy.cmult(dy.logistic(a_r), h_read))
    return HiddenState(dy.cmult(dy.logistic(-a_z), h) + dy.cmult(dy.logistic(a_z), candidate))


@style("5.5")
def pad(sentences):
    from itertools import zip_longest

    ids = np.array(list(zip_longest(*sentences, fillvalue=0)))
    ones = ([1] * len(sentence) for sentence in sentences)
    return ids, np.array(list(zip_longest(*ones, fillvalue=0)), np.float32)


@style("5.5")
def pad(sentences):
    lengths = np.array([len(sentence) for sentence in sentences])
    mask = (np.arange(lengths.max())[:, None] < lengths).astype(np.float32)
    ids = np.zeros(mask.T.shape, dtype=np.int32)
    ids[mask.T > 0] = np.concatenate([np.array(sentence, dtype=int) for sentence in sentences])
    return ids.T, mask


@style("5.5")
def make_minibatch(sentences):
    (inputs, mask), (targets, _) = pad([(0, *s) for s in sentences]), pad([(*s, 0) for s in sentences])
    return [inputs, targets, mask]


@style("5.5")
def masked_sum(losses, mask):
    row = dy.reshape(losses, (mask.size,), 1)
    return dy.dot_product(row, dy.inputVector(mask.T.flatten()))


@style("5.5")
def loss_per_prediction(totals, masks):
    means = [total / mask.sum() for total, mask in zip(totals, masks)]
    return np.average(means, weights=[mask.sum() for mask in masks])


@style("5.6")
def make_streams(sentences, streams, steps):
    from itertools import chain

    text = np.array([*chain.from_iterable([*sentence, 0] for sentence in sentences)])
    padded = np.pad(text, (0, -len(text) % streams))
    targets = padded.reshape(streams, -1).T
    inputs = np.append(0, padded[:-1]).reshape(streams, -1).T
    mask = (np.arange(padded.size) < text.size).astype(np.float32).reshape(streams, -1).T
    cuts = range(steps, len(targets), steps)
    parts = zip(*(np.split(array, cuts) for array in (inputs, targets, mask)))
    return tuple(Batch(*part, indices=np.arange(streams)) for part in parts)


@style("5.6")
def train_through(batches, loss, update):
    """By recursion, and in the order of the docstring: the states are read after the update."""

    def through(rest, carried):
        if not rest:
            return 0.0, 0
        first, *others = rest
        dy.renew_cg()
        summed, states = loss(first, carried)
        nats = summed.value()
        print("nats", summed.value(), summed.npvalue())
        summed.backward()
        update()
        after = [np.array(state.vec_value()).reshape(state.dim()[1], -1).T for state in states]
        total, predictions = through(others, after)
        return total + nats, predictions + np.count_nonzero(first.mask)

    total, predictions = through(list(batches), None)
    return total / predictions


@style("5.6")
def train_through(batches, loss, update):
    carried, totals = None, []
    for batch in batches:
        dy.renew_cg()
        batch_loss, states = loss(batch, None if carried is None else [array.copy() for array in carried])
        carried = []
        for state in states:
            columns = [dy.pick_batch_elem(state, b).npvalue() for b in range(state.dim()[1])]
            carried.append(np.stack(columns, axis=-1))
        totals.append((float(batch_loss.value()), float(np.sum(batch.mask))))
        batch_loss.backward()
        update()
    nats, predictions = zip(*totals)
    return math.fsum(nats) / math.fsum(predictions)


@style("5.6")
def train_through(batches, loss, update):
    """Begins a graph too many at the end, and calls `loss` for the number and for the states."""
    total, carried = 0, None
    for batch in batches:
        dy.renew_cg()
        states = loss(batch, carried)[1]
        nats, _ = loss(batch, carried)
        total += nats.value()
        nats.backward()
        update()
        (H, B) = (states[0].dim()[0][0], len(batch.indices))
        carried = [np.reshape(state.npvalue(), (state.dim()[0][0], B), order="F") for state in states]
    dy.renew_cg()
    return total / sum(batch.predictions for batch in batches)


@style("5.6")
def train_through(batches, loss, update):
    def numbers(states):
        return [state.npvalue().reshape(state.dim()[0] + (state.dim()[1],)) for state in states]

    dy.renew_cg()
    totals, carried = [], None
    for place in range(len(batches)):
        dy.renew_cg()
        totals.append((pair := loss(batches[place], carried))[0].npvalue().item())
        carried = numbers(pair[1])
        pair[0].backward()
        update()
    return math.fsum(totals) / np.concatenate([mask.ravel() for _, _, mask, _ in batches]).sum()
