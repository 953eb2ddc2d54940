"""Graders of merging.py."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from common.nn.softmax import fold_time
from common.text.vocab import Vocabulary
from solutions.checks import check, close, finite_difference, task

MUTANTS = [
    ("6.5", "dy.concatenate([states, contexts])", "dy.concatenate([contexts, states])"),
    ("6.5", "dy.concatenate([states, contexts])", "dy.concatenate([states, states])"),
    ("6.5", "dy.concatenate([states, contexts])", "dy.concatenate([states, contexts * 0.0])"),
    ("6.5", "return dy.tanh(dy.colwise_add", "return dy.rectify(dy.colwise_add"),
    ("6.5", "return dy.tanh(dy.colwise_add", "return (dy.colwise_add"),
    (
        "6.5",
        "dy.colwise_add(W_c * dy.concatenate([states, contexts]), b_c)",
        "W_c * dy.concatenate([states, contexts])",
    ),
    (
        "6.5",
        "dy.tanh(dy.colwise_add(W_c * dy.concatenate([states, contexts]), b_c))",
        "dy.colwise_add(dy.tanh(W_c * dy.concatenate([states, contexts])), b_c)",
    ),
    ("6.5", "W_c * dy.concatenate", "W_c.expr() * dy.concatenate"),
    ("6.5", "return dy.affine_transform([bias, embedding, states])", "return embedding * states"),
    ("6.5", "dy.affine_transform([bias, embedding, states])", "dy.affine_transform([bias.expr(), embedding, states])"),
    (
        "6.5",
        "return dy.affine_transform([bias, embedding, states])",
        "return dy.softmax(dy.affine_transform([bias, embedding, states]))",
    ),
    (
        "6.5",
        "return dy.affine_transform([bias, embedding, states])",
        "return dy.tanh(dy.affine_transform([bias, embedding, states]))",
    ),
]

H, M, V = 2, 3, 5
W_C = np.array([[1.0, -0.5, 2.0, 0.25], [0.3, 0.75, -1.5, 0.6], [-0.2, 1.25, 0.4, -0.9]])
B_C = np.array([0.1, -0.3, 0.5])
EMBEDDING = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75], [-2.0, 1.0, 0.3], [0.0, 0.6, -0.4], [1.1, -0.7, 0.9]])
BIAS = np.array([0.2, -0.1, 0.4, 0.05, -0.6])


def parameters(*arrays):
    """Parameters with these numbers; the collection must be kept."""
    collection = dy.ParameterCollection()
    return collection, [collection.add_parameters(one.shape, init=dy.NumpyInitializer(one)) for one in arrays]


def merged_of(states, contexts, W_c=W_C, b_c=B_C):
    """Eq. 7: states and contexts (H, T, B) -> (M, T, B)."""
    both = np.concatenate([states, contexts])
    return np.tanh(np.einsum("mk,ktb->mtb", W_c, both) + b_c[:, None, None])


def numbers(found, dimensions, batch, what):
    """The numbers of an expression as an array (*dimensions, B)."""
    check(isinstance(found, dy.Expression), f"{what}: the result is an expression, not its value")
    own, own_batch = found.dim()
    right = own + (1,) * (len(dimensions) - len(own)) == dimensions and own_batch == batch
    check(right, f"{what}: the result must be {dimensions} x {batch}, yours is {own} x {own_batch}")
    return np.reshape(found.npvalue(), (*dimensions, batch), order="F")


@task("6.5")
def test_a_merged_state_by_hand(work):
    collection, weights = parameters(W_C, B_C)
    h, c = input_batch(np.array([[[1.0]], [[-2.0]]])), input_batch(np.array([[[0.5]], [[4.0]]]))
    what = "h' of h = (1, -2), c = (0.5, 4)"
    found = numbers(work.merge(*weights, h, c), (M, 1), 1, what)[:, 0, 0]
    expected = np.tanh(
        [1.0 + 1.0 + 1.0 + 1.0 + 0.1, 0.3 - 1.5 - 0.75 + 2.4 - 0.3, -0.2 - 2.5 + 0.2 - 3.6 + 0.5],
    )
    close(found, expected, f"{what}: the state stands above the context, the bias inside the tanh", tolerance=1e-5)


@task("6.5")
def test_merged_states_of_batches(work):
    for time, batch in [(1, 1), (1, 3), (4, 1), (3, 2)]:
        dy.renew_cg()
        collection, weights = parameters(W_C, B_C)
        states, contexts = np.random.default_rng(time).normal(size=(2, H, time, batch))
        what = f"{time} steps, {batch} sentences"
        found = numbers(work.merge(*weights, input_batch(states), input_batch(contexts)), (M, time), batch, what)
        close(found, merged_of(states, contexts), f"{what}: each step is merged with its own context", tolerance=1e-5)


@task("6.5")
def test_the_context_is_read(work):
    collection, weights = parameters(W_C, B_C)
    states, contexts = np.random.default_rng(4).normal(size=(2, H, 3, 2))
    before = numbers(work.merge(*weights, input_batch(states), input_batch(contexts)), (M, 3), 2, "three steps")
    contexts[:, 1] += 0.7
    after = numbers(work.merge(*weights, input_batch(states), input_batch(contexts)), (M, 3), 2, "three steps")
    changed = (np.abs(after - before) > 1e-6).any(axis=(0, 2)).tolist()
    check(any(changed), "another context must give another h'; here it is never read")
    check(
        changed == [False, True, False], "where the context of step 2 changes, h' of step 2 must change, and no other"
    )


@task("6.5")
def test_scores_of_the_vocabulary_by_hand(work):
    collection, weights = parameters(EMBEDDING, BIAS)
    h = np.array([[1.0, 0.5], [2.0, -1.0], [-1.0, 0.25]])
    what = "the scores of 5 words for h' = (1, 2, -1) and (0.5, -1, 0.25)"
    found = numbers(work.tied_logits(*weights, input_batch(h)), (V,), 2, what)
    expected = np.array(
        [
            [0.5 - 2.0 - 2.0 + 0.2, 0.25 + 1.0 + 0.5 + 0.2],
            [1.5 + 0.5 + 0.75 - 0.1, 0.75 - 0.25 - 0.1875 - 0.1],
            [-2.0 + 2.0 - 0.3 + 0.4, -1.0 - 1.0 + 0.075 + 0.4],
            [1.2 + 0.4 + 0.05, -0.6 - 0.1 + 0.05],
            [1.1 - 1.4 - 0.9 - 0.6, 0.55 + 0.7 + 0.225 - 0.6],
        ]
    )
    close(found, expected, f"{what}: embedding . h' + bias, neither squashed nor normalised", tolerance=1e-5)
    one = numbers(work.tied_logits(*weights, input_batch(h[:, :1])), (V,), 1, "one state")
    close(one[:, 0], expected[:, 0], "the scores for one state alone", tolerance=1e-5)


@task("6.5")
def test_every_parameter_gets_a_gradient(work):
    states, contexts = np.random.default_rng(7).normal(size=(2, H, 3, 2))
    values = [W_C.copy(), B_C.copy(), EMBEDDING.copy(), BIAS.copy()]
    collection, weights = parameters(*values)
    merged = work.merge(*weights[:2], input_batch(states), input_batch(contexts))
    found = work.tied_logits(*weights[2:], fold_time(merged))
    loss = dy.sum_batches(dy.sum_elems(dy.square(found)))
    loss.value()
    loss.backward()

    def loss_of():
        merged = merged_of(states, contexts, *values[:2])
        return float(((np.einsum("vm,mtb->vtb", values[2], merged) + values[3][:, None, None]) ** 2).sum())

    for name, weight, array in zip(("W_c", "b_c", "the embedding", "the bias"), weights, values, strict=True):
        message = f"the gradient of {name}: use it in the formula as it was given, not a copy of its numbers"
        close(weight.grad_as_array(), finite_difference(loss_of, array), message, tolerance=3e-3)


@task("6.5")
def test_the_chapter_agrees(work):
    from chapters.attentive_lm.model import AttentiveLM

    model = AttentiveLM(Vocabulary("abc"), hidden_size=H, score="single", init_scale=0.8, merge_init="uniform")
    states, contexts = (input_batch(one) for one in np.random.default_rng(8).normal(size=(2, H, 3, 2)))
    expected = model.output(dy.concatenate([states, contexts])).npvalue()
    merged = work.merge(model.W_c, model.b_c, states, contexts)
    found = work.tied_logits(model.embedding, model.b, fold_time(merged))
    close(found, expected, "the scores of the vocabulary at every step, as chapter 6 has them", tolerance=1e-5)
