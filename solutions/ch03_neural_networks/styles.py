"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("3.2")
def relu(x):
    return [[number if number > 0 else 0 for number in row] for row in x]


@style("3.2")
def forward(W_xh, b_h, w_hy, b_y, x):
    W_xh, w_hy, x = np.asmatrix(W_xh), np.asmatrix(w_hy), np.asmatrix(x)
    h = np.tanh(W_xh * x + b_h)
    return h, w_hy * h + b_y


@style("3.3")
def equality_with_two_relu_units():
    W_xh, b_h, w_hy, b_y = [[0.5, 0.5], [-0.5, -0.5]], [[0], [0]], [[2, 2]], [[-1]]
    return [np.array(array, dtype=np.float32) for array in (W_xh, b_h, w_hy, b_y)]


@style("3.3")
def equality_with_two_relu_units():
    from fractions import Fraction

    third, three = Fraction(1, 3), Fraction(3)
    W_xh = np.array([[third, third], [-third, -third]])
    return W_xh, np.zeros((2, 1), dtype=int), np.array([[three, three]]), np.array([[-1]])


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
