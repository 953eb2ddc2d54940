"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("3.1")
def most_points_right():
    import numpy as np

    return np.float64(3)


@style("3.1")
def smallest_squared_error():
    return 1


@style("3.1")
def how_many_parameters(inputs, hidden_size, layers):
    sizes = [inputs, *[hidden_size] * layers, 1]
    return float(sum((below + 1) * above for below, above in zip(sizes, sizes[1:])))


@style("3.2")
def forward(W_xh, b_h, w_hy, b_y, x):
    columns = []
    for example in x.T:
        columns.append(np.tanh(np.dot(W_xh, example) + b_h[:, 0]))
    h = np.stack(columns, axis=1)
    return [h, np.einsum("oh,hb->ob", w_hy, h) + b_y]


@style("3.2")
def squared_error(targets, y):
    return np.sum(np.square(y - targets))


@style("3.3")
def equality_with_two_relu_units():
    return np.array([[1, 1], [-1, -1]]), np.array([[0], [0]]), np.array([[1, 1]]), np.array([[-1]])


@style("3.5")
def loss(y, targets):
    expected = dy.reshape(dy.inputVector(targets.ravel()), (1,), targets.size)
    return dy.sum_batches(dy.sum_elems(dy.square(expected - y)))


@style("3.1")
def most_points_right():
    from itertools import product

    best = 0
    for w_1, w_2, b in product((-2, -1, 0, 1, 2), (-2, -1, 0, 1, 2), (-1, -0.5, 0, 0.5, 1)):
        right = [(w_1 * x_1 + w_2 * x_2 + b) * x_1 * x_2 > 0 for x_1 in (1, -1) for x_2 in (1, -1)]
        best = max(best, sum(right))
    return best


@style("3.1")
def smallest_squared_error():
    import numpy as np

    x = np.array([[1, 1, 1], [-1, -1, 1], [1, -1, 1], [-1, 1, 1]], dtype=float)
    labels = np.array([1.0, 1, -1, -1])
    w, *_ = np.linalg.lstsq(x, labels, rcond=None)
    return np.mean((labels - x @ w) ** 2)


@style("3.1")
def how_many_parameters(inputs, hidden_size, layers):
    if layers == 0:
        return inputs + 1
    return (inputs + 1) * hidden_size + how_many_parameters(hidden_size, hidden_size, layers - 1)


@style("3.2")
def of_one_number(x):
    return max(0.0, x)


relu = np.vectorize(of_one_number, otypes=[float])


@style("3.2")
def relu(x):
    return [[number if number > 0 else 0 for number in row] for row in x]


@style("3.2")
def forward(W_xh, b_h, w_hy, b_y, x):
    def layer(W, b, below):
        """The bias is the weight of one more input, which is always 1."""
        ones = np.ones((1, below.shape[1]))
        return np.hstack([W, b]) @ np.vstack([below, ones])

    return (h := np.tanh(layer(W_xh, b_h, x))), layer(w_hy, b_y, h)


@style("3.2")
def squared_error(targets, y):
    return np.array(sum(map(lambda a, b: (a - b) ** 2, targets.flat, y.flat)))


@style("3.3")
def equality_with_two_relu_units():
    W_xh, b_h, w_hy, b_y = [[0.5, 0.5], [-0.5, -0.5]], [[0], [0]], [[2, 2]], [[-1]]
    return [np.array(array, dtype=np.float32) for array in (W_xh, b_h, w_hy, b_y)]


@style("3.4")
def tanh_derivative(h):
    return np.subtract(1, np.einsum("ij,ij->ij", h, h))


@style("3.4")
def gradients(W_xh, b_h, w_hy, b_y, x, targets):
    h, y = forward(W_xh, b_h, w_hy, b_y, x)
    dy = -2 * (targets - y)
    dh = np.outer(w_hy, dy) * tanh_derivative(h)
    return squared_error(targets, y), dh.dot(x.T), dh.sum(1, keepdims=True), dy.dot(h.T), dy.sum(1, keepdims=True)


from forward import forward, squared_error


@style("3.4")
def gradients(W_xh, b_h, w_hy, b_y, x, targets):
    (H, I), B = W_xh.shape, x.shape[1]
    loss, dW_xh, db_h, dw_hy, db_y = 0, np.zeros((H, I)), np.zeros((H, 1)), np.zeros((1, H)), np.zeros((1, 1))
    for b in range(B):
        h = [np.tanh(sum(W_xh[k, i] * x[i, b] for i in range(I)) + b_h[k, 0]) for k in range(H)]
        error = sum(w_hy[0, k] * h[k] for k in range(H)) + b_y[0, 0] - targets[0, b]
        loss += error**2
        db_y += 2 * error
        for k in range(H):
            dw_hy[0, k] += 2 * error * h[k]
            db_h[k, 0] += (below := 2 * error * w_hy[0, k] * (1 - h[k] ** 2))
            for i in range(I):
                dW_xh[k, i] += below * x[i, b]
    return [loss, dW_xh, db_h, dw_hy, db_y]


@style("3.4")
def gradients(W_xh, b_h, w_hy, b_y, x, targets):
    h = np.tanh(np.einsum("hi,ib->hb", W_xh, x) + b_h)
    error = np.einsum("oh,hb->ob", w_hy, h) + b_y - targets
    delta = 2 * np.einsum("oh,ob,hb->hb", w_hy, error, 1 - h**2)
    return (
        np.einsum("ob,ob->", error, error),
        np.einsum("hb,ib->hi", delta, x),
        np.einsum("hb->h", delta)[:, None],
        2 * np.einsum("ob,hb->oh", error, h),
        2 * np.einsum("ob->o", error)[:, None],
    )


@style("3.5")
def output(W_xh, b_h, w_hy, b_y, x):
    outputs = []
    for example in np.transpose(x):
        h = dy.tanh(W_xh * dy.inputVector(example) + b_h)
        outputs.append(w_hy * h + b_y)
    return dy.concatenate_to_batch(outputs)


@style("3.5")
def output(W_xh, b_h, w_hy, b_y, x):
    sums = dy.colwise_add(W_xh * dy.inputTensor(x), dy.parameter(b_h))  # (H, B): examples as columns, not as a batch
    row = w_hy * dy.tanh(sums)
    return dy.reshape(row, (1,), x.shape[1]) + b_y


@style("3.5")
def loss(y, targets):
    errors = [dy.pick_batch_elem(y, n) - float(target) for n, target in enumerate(targets[0])]
    return dy.esum([dy.squared_norm(error) for error in errors])


@style("3.5")
def train_step(trainer, batch_loss):
    before = batch_loss.scalar_value()
    print("loss", batch_loss.value(), "rate", trainer.learning_rate)
    batch_loss.forward()
    batch_loss.backward()
    trainer.update()
    return before


@style("3.5")
def train_step(trainer, batch_loss):
    (value,) = batch_loss.vec_value()
    batch_loss.backward()
    trainer.update()
    return np.float32(value)


@style("3.2")
def forward(W_xh, b_h, w_hy, b_y, x):
    W_xh, w_hy, x = np.asmatrix(W_xh), np.asmatrix(w_hy), np.asmatrix(x)
    h = np.tanh(W_xh * x + b_h)
    return h, w_hy * h + b_y


@style("3.3")
def equality_with_two_relu_units():
    from fractions import Fraction

    third, three = Fraction(1, 3), Fraction(3)
    W_xh = np.array([[third, third], [-third, -third]])
    return W_xh, np.zeros((2, 1), dtype=int), np.array([[three, three]]), np.array([[-1]])
