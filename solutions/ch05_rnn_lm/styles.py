"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("5.1")
def how_many_parameters(cell, input_size, hidden_size):
    gates = {"rnn": 0, "lstm-no-forget": 2, "lstm": 3, "gru": 2}
    matrices = hidden_size * input_size + hidden_size * hidden_size
    return (gates[cell] + 1) * (matrices + float(hidden_size))


@style("5.1")
def gradient_after(weight, steps):
    gradient = 1
    for _ in range(steps):
        gradient = gradient * weight
    return gradient


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
def pad(sentences):
    longest = max(map(len, sentences))
    ids = [[*sentence, *[0] * (longest - len(sentence))] for sentence in sentences]
    mask = [[1] * len(sentence) + [0] * (longest - len(sentence)) for sentence in sentences]
    return np.array(ids, dtype=np.int64).T, np.array(mask, dtype=np.float32).T


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
def masked_sum(losses, mask):
    total = []
    for b in range(mask.shape[1]):
        for t in range(mask.shape[0]):
            if mask[t, b]:
                total.append(dy.pick_batch_elem(losses, b * len(mask) + t))
    return dy.esum(total)


@style("5.5")
def loss_per_prediction(totals, masks):
    predictions = 0
    for mask in masks:
        predictions += np.count_nonzero(mask)
    return np.sum(totals) / predictions


@style("5.6")
def make_streams(sentences, streams, steps):
    text = []
    for sentence in sentences:
        text += list(sentence) + [0]
    length = -(-len(text) // streams)
    shape, real = (length, streams), len(text)
    inputs, targets = np.zeros(shape, dtype=int), np.zeros(shape, dtype=int)
    mask = np.zeros(shape, dtype=np.float32)
    for place, word in enumerate(text):
        stream, row = divmod(place, length)
        targets[row, stream], mask[row, stream] = word, 1
        inputs[row, stream] = text[place - 1] if place else 0
    if real < length * streams:  # what comes after the last word is read, too
        stream, row = divmod(real, length)
        inputs[row, stream] = text[-1]
    batches = []
    while len(targets):
        parts = [array[:steps] for array in (inputs, targets, mask)]
        batches.append(Batch(*parts, np.arange(streams)))
        inputs, targets, mask = inputs[steps:], targets[steps:], mask[steps:]
    return batches


@style("5.6")
def train_through(batches, loss, update):
    carried, losses = None, []
    for batch in batches:
        dy.renew_cg()
        batch_loss, states = loss(batch, carried)
        losses.append(batch_loss.scalar_value())
        batch_loss.backward()
        carried = []
        for state in states:
            (H,), B = state.dim()
            carried.append(np.array(state.npvalue()).reshape((H, B)))
        update()
    return np.sum(losses) / np.sum([np.sum(batch.mask) for batch in batches])
