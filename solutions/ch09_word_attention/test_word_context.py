"""Graders of word_context.py."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from common.nn.source_attention import Memory, MLPScore, attention_weights, context, padding_scores
from solutions.checks import check, close, finite_difference, task

MUTANTS = [
    ("9.2", "beta = dy.softmax(scores)", "beta = scores"),
    ("9.2", "beta = dy.softmax(scores)", "beta = dy.softmax(scores, d=1)"),
    ("9.2", "beta = dy.softmax(scores)", "beta = dy.exp(scores)"),
    ("9.2", "v_b * dy.tanh(", "v_b * dy.rectify("),
    ("9.2", "v_b * dy.tanh(", "v_b * ("),
    ("9.2", "dy.tanh(U_b * words + dy.reshape(W_b * state, (A, 1), B))", "dy.tanh(U_b * words)"),
    ("9.2", "dy.tanh(U_b * words + dy.reshape", "dy.tanh(U_b * words * 0.0 + dy.reshape"),
    (
        "9.2",
        "dy.tanh(U_b * words + dy.reshape(W_b * state, (A, 1), B))",
        "(dy.tanh(U_b * words) + dy.tanh(dy.reshape(W_b * state, (A, 1), B)))",
    ),
    ("9.2", "dy.tanh(U_b * words + dy.reshape", "dy.tanh(U_b.expr() * words + dy.reshape"),
    ("9.2", "dy.reshape(W_b * state,", "dy.reshape(W_b.expr() * state,"),
    ("9.2", "dy.transpose(v_b * dy", "dy.transpose(v_b.expr() * dy"),
    ("9.2", "if padding is not None:", "if False:"),
    ("9.2", "scores = scores + padding", "scores = scores - padding"),
    ("9.2", "scores = scores + padding", "pass"),
    ("9.2", "words * beta, (H,)", "U_b * words * beta, (A,)"),
    ("9.2", "words * beta, (H,)", "words * (beta * 0.0 + 1 / words.dim()[0][1]), (H,)"),
    ("9.2", "words * beta, (H,)", "words * dy.nobackprop(beta), (H,)"),
]

H, Q, A = 3, 2, 4
W_B = np.array([[0.5, -1.0], [1.5, 0.25], [-0.75, 2.0], [0.3, 0.6]])
U_B = np.array([[1.0, 0.5, -0.25], [-0.5, 2.0, 0.1], [0.2, -1.0, 1.5], [0.8, 0.4, -0.6]])
V_B = np.array([[0.5, -2.0, 1.25, 0.75]])


def parameters():
    """W_b, U_b, v_b; the collection must be kept."""
    collection = dy.ParameterCollection()
    return collection, [collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in (W_B, U_B, V_B)]


def attention_of(state, words, W_b=W_B, U_b=U_B, v_b=V_B):
    """Eq. 1 and 2 of one sentence: state (Q,), words (H, S) -> (S,) and (H,)."""
    scores = np.array([float(v_b[0] @ np.tanh(W_b @ state + U_b @ x)) for x in words.T])
    beta = np.exp(scores - scores.max())
    beta /= beta.sum()
    return beta, words @ beta


def drawn(lengths, seed=2):
    """States (Q, B), words (H, S, B) in which padding has numbers too, and the padding."""
    rng = np.random.default_rng(seed)
    size = max(lengths)
    words = rng.normal(size=(H, size, len(lengths)))
    for b, length in enumerate(lengths):
        words[:, length:, b] *= 20
    return rng.normal(size=(Q, len(lengths))), words, padding_scores(np.array(lengths), size)


def look(work, weights, state, words, padding, lengths, what):
    """beta (S, B) and c_beta (H, B), after checks of their shapes and sums."""
    _, size, batch = words.shape
    found = work.word_attention(*weights, input_batch(state), input_batch(words), padding)
    check(isinstance(found, (list, tuple)) and len(found) == 2, f"{what}: two things are asked for, beta and c^beta")
    for name, one, shape in (("beta", found[0], (size, 1)), ("c^beta", found[1], (H,))):
        check(isinstance(one, dy.Expression), f"{what}: {name} is an expression, not its value")
        dimensions, own = one.dim()
        check(
            dimensions == shape and own == batch,
            f"{what}: {name} must be {shape} x {batch}, yours is {dimensions} x {own}",
        )
    beta, seen = np.reshape(found[0].npvalue(), (size, batch), order="F"), found[1].npvalue()
    check(np.isfinite(beta).all(), f"{what}: every weight must be a finite number")
    for b, length in enumerate(lengths):
        behind, total = beta[length:, b].sum(), beta[:length, b].sum()
        check(
            abs(behind) < 1e-6,
            f"{what}: padding gets {behind:.4g} of the attention of sentence {b + 1}, and may get nothing",
        )
        message = (
            f"beta of sentence {b + 1} sums to {total:.4g} over its words: is there a softmax, and over the words?"
        )
        check(abs(total - 1) < 1e-4, f"{what}: {message}")
    return beta, np.reshape(seen, (H, batch), order="F")


@task("9.2")
def test_by_hand(work):
    collection, weights = parameters()
    state, words = np.array([[2.0], [-1.0]]), np.array([[[1.0], [-0.5]], [[2.0], [0.25]], [[0.0], [-1.0]]])
    what = "s = (2, -1), x_1 = (1, 2, 0), x_2 = (-0.5, 0.25, -1)"
    asked = np.array([1.0 + 1.0, 3.0 - 0.25, -1.5 - 2.0, 0.6 - 0.6])  # W_b s
    read = np.array([[2.0, 3.5, -1.8, 1.6], [-0.125, 0.65, -1.85, 0.3]])  # U_b x_j, a row a word
    first, second = (np.exp(float(sum(V_B[0] * np.tanh(asked + one)))) for one in read)
    share = first / (first + second)
    beta, seen = look(work, weights, state, words, None, [2], what)
    message = f"{what}: beta, with tanh of the sum W_b s + U_b x_j, its product with v_b, and a softmax over both words"
    close(beta[:, 0], np.array([share, 1 - share]), message, tolerance=1e-5)
    expected = share * words[:, 0, 0] + (1 - share) * words[:, 1, 0]
    close(
        seen[:, 0], expected, f"{what}: c^beta is the sum of beta_j x_j, of the embeddings themselves", tolerance=1e-5
    )


@task("9.2")
def test_batches_of_unequal_sentences(work):
    for lengths in ([1], [1, 1, 1], [4], [2, 5, 1]):
        dy.renew_cg()
        collection, weights = parameters()
        state, words, padding = drawn(lengths)
        what = f"sources of {lengths} words"
        beta, seen = look(work, weights, state, words, padding, lengths, what)
        for b, length in enumerate(lengths):
            own_beta, own_seen = attention_of(state[:, b], words[:, :length, b])
            message = f"{what}: sentence {b + 1} must have what it has alone"
            close(beta[:length, b], own_beta, f"{message}, beta", tolerance=1e-5)
            close(seen[:, b], own_seen, f"{message}, c^beta", tolerance=1e-5)


@task("9.2")
def test_large_scores(work):
    collection, weights = parameters()
    weights[2].set_value(200 * V_B)
    beta, _ = look(work, weights, *drawn([4, 2]), [4, 2], "scores of some hundreds")
    check((beta.max(axis=0) > 0.9).all(), "scores of some hundreds: the best word must get nearly all the attention")


@task("9.2")
def test_both_sides_are_read(work):
    collection, weights = parameters()
    state, words, _ = drawn([4])
    before, _ = look(work, weights, state, words, None, [4], "four words")
    other, _ = look(work, weights, state + 0.5, words, None, [4], "four words, another state")
    check(np.abs(other - before).max() > 1e-4, "another state of the decoder must give other weights; is s_{i-1} read?")
    words[:, 1] += 1
    other, _ = look(work, weights, state, words, None, [4], "four words, of which another one is the second")
    check(np.abs(other - before).max() > 1e-4, "another word must give other weights; are the embeddings read?")


@task("9.2")
def test_every_parameter_learns(work):
    collection, weights = parameters()
    state, words, padding = drawn([3, 2])
    _, seen = work.word_attention(*weights, input_batch(state), input_batch(words), padding)
    loss = dy.sum_batches(dy.sum_elems(dy.square(seen)))
    loss.value()
    loss.backward()
    values = [W_B.copy(), U_B.copy(), V_B.copy()]

    def loss_of():
        return sum(
            float((attention_of(state[:, b], words[:, :n, b], *values)[1] ** 2).sum()) for b, n in enumerate([3, 2])
        )

    for name, weight, array in zip(("W_b", "U_b", "v_b"), weights, values, strict=True):
        message = f"the gradient that {name} gets through c^beta: use it as it was given, not a copy of its numbers"
        close(weight.grad_as_array(), finite_difference(loss_of, array), message, tolerance=3e-3)


@task("9.2")
def test_the_course_agrees(work):
    collection, lengths = dy.ParameterCollection(), [2, 5, 1]
    score = MLPScore(collection, H, Q, A, 0.9)
    state, words, padding = drawn(lengths)
    memory = Memory.of(score, input_batch(words), np.array(lengths))
    expected = attention_weights(score, memory, input_batch(state))
    own = score.W_query, score.W_source, score.w
    beta, seen = work.word_attention(*own, input_batch(state), input_batch(words), padding)
    close(beta, expected.npvalue(), "the course's attention to the words of three sources", tolerance=1e-5)
    close(seen, context(memory, expected).npvalue(), "the course's word contexts", tolerance=1e-4)
