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
def relu(x):
    return np.where(x > 0, x, 0)


@style("3.2")
def relu(x):
    return x * (x > 0)


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


@style("3.2")
def squared_error(targets, y):
    return sum((target - output) ** 2 for target, output in zip(targets[0], y[0]))


@style("3.3")
def equality_with_two_relu_units():
    return np.array([[1, 1], [-1, -1]]), np.array([[0], [0]]), np.array([[1, 1]]), np.array([[-1]])


@style("3.4")
def tanh_derivative(h):
    return (1 - h) * (1 + h)


@style("3.4")
def gradients(W_xh, b_h, w_hy, b_y, x, targets):
    totals = [np.zeros_like(array) for array in (W_xh, b_h, w_hy, b_y)]
    loss = 0.0
    for n in range(x.shape[1]):
        column = x[:, [n]]
        h = np.tanh(W_xh @ column + b_h)
        error = w_hy @ h + b_y - targets[:, [n]]
        loss += np.sum(error**2)
        below = 2 * w_hy.T @ error * (1 - h * h)
        for total, more in zip(totals, (below @ column.T, below, 2 * error @ h.T, 2 * error)):
            total += more
    return loss, *totals


@style("3.5")
def output(W_xh, b_h, w_hy, b_y, x):
    columns = dy.reshape(dy.inputVector(x.ravel(order="F")), (x.shape[0],), x.shape[1])
    return dy.affine_transform([b_y, w_hy, dy.tanh(dy.affine_transform([b_h, W_xh, columns]))])


@style("3.5")
def loss(y, targets):
    expected = dy.reshape(dy.inputVector(targets.ravel()), (1,), targets.size)
    return dy.sum_batches(dy.sum_elems(dy.square(expected - y)))


@style("3.5")
def train_step(trainer, batch_loss):
    value = batch_loss.npvalue()
    batch_loss.backward()
    trainer.update()
    return float(np.sum(value))
