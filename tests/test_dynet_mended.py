"""What a build of our own (tools/dynet) mends in DyNet 2.1.2, beyond what tools/check_dynet.py looks for."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from importlib import metadata

import dynet as dy
import numpy as np
import pytest

from common import gpu, launch

INSTALLED = metadata.version("dynet38")
pytestmark = pytest.mark.skipif(
    "+" not in INSTALLED, reason=f"dynet38 {INSTALLED} is the default wheel, with DyNet's faults: make dynet-mkl mends"
)
needs_gpu = pytest.mark.skipif(
    "+cuda" not in INSTALLED or gpu.count_gpus() == 0, reason="needs a GPU and a DyNet built for it (make dynet-gpu)"
)


def run_dynet(code: str, *flags: str) -> str:
    """Run Python code in a process that DyNet's faults may end, with DyNet's own flags; what it prints."""
    prelude = "import dynet as dy, numpy as np\n"
    command = [sys.executable, "-c", prelude + code, "--dynet-mem", "128", "--dynet-seed", "1", *flags]
    result = subprocess.run(command, cwd=launch.ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-2000:] or f"the process ended with status {result.returncode}"
    return result.stdout


# --- products


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_bad_number_does_not_outlive_its_graph(bad: float) -> None:
    shape = (40, 30)
    spoilt = dy.inputTensor(np.full((*shape, 20), bad), batched=True)
    (spoilt * 2.0).npvalue()
    dy.renew_cg()
    W, x = dy.inputTensor(np.ones(shape)), dy.inputTensor(np.ones((30, 20)), batched=True)
    assert np.all((W * x).npvalue() == 30)
    batched = dy.inputTensor(np.ones((*shape, 20)), batched=True)
    assert np.all((batched * x).npvalue() == 30)


SHAPES = [(2, 3, 1, 4), (3, 2, 2, 4), (5, 5, 1, 3), (4, 3, 5, 1), (1, 3, 1, 2)]  # rows, inner, columns, batch
BATCHES = ["both", "left", "right"]


def product_and_gradients(shape: tuple[int, int, int, int], which: str, affine: bool) -> list[np.ndarray]:
    """A product of two operands, of which `which` have a batch, and the gradients of a weighted sum of it.

    The arrays have the batch last; the gradient of an operand without a batch has none.
    """
    rows, inner, columns, batch = shape
    rng = np.random.default_rng(7)
    model = dy.ParameterCollection()
    sizes = {"left": (rows, inner), "right": (inner, columns)}
    weights = rng.normal(size=(rows, columns, batch))
    leaves, operands = {}, {}
    for side, size in sizes.items():
        count = batch if which in ("both", side) else 1
        leaves[side] = [model.parameters_from_numpy(rng.normal(size=size)) for _ in range(count)]
        operands[side] = dy.concatenate_to_batch(leaves[side]) if count > 1 else leaves[side][0]
    if affine:
        product = dy.affine_transform([dy.zeros((rows, columns)), operands["left"], operands["right"]])
    else:
        product = operands["left"] * operands["right"]
    loss = dy.sum_batches(dy.sum_elems(dy.cmult(product, dy.inputTensor(weights, batched=True))))
    loss.backward()
    arrays = [
        np.stack([getattr(p, method)().reshape(size) for p in leaves[side]], axis=-1)
        for method in ("grad_as_array", "as_array")
        for side, size in sizes.items()
    ]
    return [product.npvalue().reshape(rows, columns, -1), *arrays, weights]


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("which", BATCHES)
@pytest.mark.parametrize("shape", SHAPES)
def test_products_of_batches_have_the_right_gradients(shape, which: str, affine: bool) -> None:
    """With MKL, the gradient of the right operand was wrong for a batched left one."""
    value, left_gradient, right_gradient, left, right, weights = product_and_gradients(shape, which, affine)
    left_all, right_all = (np.broadcast_to(array, (*array.shape[:2], shape[3])) for array in (left, right))
    np.testing.assert_allclose(value, np.einsum("rib,icb->rcb", left_all, right_all), rtol=1e-4, atol=1e-5)
    expected_left = np.einsum("rcb,icb->rib", weights, right_all)
    expected_right = np.einsum("rib,rcb->icb", left_all, weights)
    for actual, expected, operand in ((left_gradient, expected_left, left), (right_gradient, expected_right, right)):
        if operand.shape[2] == 1:
            expected = expected.sum(axis=2, keepdims=True)
        np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)


# --- what ended the process


@pytest.mark.parametrize(
    "builder", ["SimpleRNNBuilder", "VanillaLSTMBuilder", "CompactVanillaLSTMBuilder", "SparseLSTMBuilder"]
)
def test_dropout_masks_too_early_are_an_error_that_can_be_caught(builder: str) -> None:
    code = f"""
model = dy.ParameterCollection()
lstm = dy.{builder}(1, 3, 2, model)
lstm.set_dropouts(0.5, 0.5)
for graph in range(2):
    dy.renew_cg()
    try: lstm.set_dropout_masks(2)
    except ValueError as error: print(error)
    state = lstm.initial_state()
    lstm.set_dropout_masks(2)
    print(state.add_input(dy.zeros((3,), batch_size=2)).output().dim())
"""
    complaint = "set_dropout_masks: call initial_state first, in every new graph"
    assert run_dynet(code).splitlines() == [complaint, "((2,), 2)"] * 2


# --- dropout and noise


def test_dropping_everything_leaves_zeros() -> None:
    x = dy.inputTensor(np.full((4, 3, 2), 5.0), batched=True)
    for dropped in (dy.dropout(x, 1.0), dy.dropout_dim(x, 0, 1.0), dy.dropout_batch(x, 1.0)):
        assert np.all(dropped.npvalue() == 0)


def test_dropout_still_keeps_the_mean() -> None:
    values = dy.dropout(dy.inputTensor(np.ones(20_000)), 0.75).npvalue()
    assert set(np.unique(values)) == {0.0, 4.0}
    assert abs(values.mean() - 1) < 0.1


def lstm_loss(lstm, x, std: float, seed: int = 1):
    """The sum of what an LSTM gives after two inputs, with weight noise from this seed."""
    dy.renew_cg()
    dy.reset_random_seed(seed)
    lstm.set_weightnoise(std)
    outputs = lstm.initial_state().transduce([x * 1.0, x * 0.5])
    return dy.sum_batches(dy.sum_elems(outputs[-1]))


@pytest.fixture
def noisy_lstm():
    model = dy.ParameterCollection()
    yield dy.CompactVanillaLSTMBuilder(2, 3, 4, model), model.parameters_from_numpy(np.array([0.3, -0.8, 0.5]))


def test_weight_noise_disturbs_and_does_not_silence(noisy_lstm) -> None:
    lstm, x = noisy_lstm
    clean = lstm_loss(lstm, x, 0).value()
    assert abs(clean) > 1e-2
    little = [lstm_loss(lstm, x, 1e-4, seed).value() for seed in range(1, 6)]
    assert np.allclose(little, clean, atol=1e-2) and len(set(little)) == 5
    much = [lstm_loss(lstm, x, 0.3, seed).value() for seed in range(1, 6)]
    assert np.std(much) > 10 * np.std(little)


def test_weight_noise_has_the_gradient_of_the_noisy_weights(noisy_lstm) -> None:
    """The same seed gives the same noise, so that finite differences see the function that was differentiated."""
    lstm, x = noisy_lstm
    parameters = [x, *(parameter for layer in lstm.get_parameters() for parameter in layer)]
    lstm_loss(lstm, x, 0.5).backward()
    gradients = [parameter.grad_as_array().copy() for parameter in parameters]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        values = parameter.as_array().copy()
        place = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
        losses = []
        for step in (0.01, -0.01):
            moved = values.copy()
            moved[place] += step
            parameter.set_value(moved)
            losses.append(lstm_loss(lstm, x, 0.5).value())
        parameter.set_value(values)
        assert (losses[0] - losses[1]) / 0.02 == pytest.approx(gradient[place], rel=0.02, abs=1e-3)


# --- smaller things


@pytest.mark.parametrize("length", [1, 4, 8, 41])
def test_log_sigmoid_is_the_same_for_many_numbers(length: int) -> None:
    """Right in the default wheel: its old Eigen takes numbers one by one."""
    x = np.linspace(-20, 20, length)
    model = dy.ParameterCollection()
    p = model.parameters_from_numpy(x)
    result = dy.log_sigmoid(p)
    np.testing.assert_allclose(result.npvalue().ravel(), -np.logaddexp(0, -x), rtol=1e-5, atol=1e-6)
    dy.sum_elems(result).backward()
    np.testing.assert_allclose(p.grad_as_array().ravel(), 1 / (1 + np.exp(x)), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("mode", ["zero_gradient", "straight_through_gradient"])
@pytest.mark.parametrize("rounding", ["round", "ceil", "floor"])
def test_rounding_passes_gradients_as_it_was_told(rounding: str, mode: str) -> None:
    for _ in range(9):  # unmended, memory decides
        dy.renew_cg()
        model = dy.ParameterCollection()
        p = model.parameters_from_numpy(np.array([0.2, 1.7, -0.4]))
        dy.sum_elems(getattr(dy, rounding)(p, mode)).backward()
        assert np.all(p.grad_as_array() == (mode == "straight_through_gradient"))


@pytest.mark.parametrize(
    ("numbers", "k", "expected"),
    [([1, 1, 3], 2, [1, 3]), ([3, 1, 1], 2, [3, 1]), ([2, 2, 2], 2, [2, 2]), ([1, 5, 2, 4], 3, [5, 2, 4])],
)
def test_the_k_largest_include_the_largest(numbers: list[float], k: int, expected: list[float]) -> None:
    model = dy.ParameterCollection()
    p = model.parameters_from_numpy(np.array([numbers], float))
    largest = dy.kmax_pooling(p, k, 1)
    assert largest.npvalue().ravel().tolist() == expected
    dy.sum_elems(largest).backward()
    assert p.grad_as_array().sum() == k and np.all(p.grad_as_array() <= 1)


@pytest.mark.parametrize("shape", [(1,), (7,), (3, 4), (2, 3, 5)])
def test_numpy_copies_numbers(shape: tuple[int, ...]) -> None:
    """What NumPy gets are the numbers in their places, and its own."""
    numbers = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    expression = dy.inputTensor(numbers)
    copy = expression.npvalue()
    assert copy.dtype == np.float64 and copy.flags.writeable
    np.testing.assert_array_equal(copy, numbers)
    copy[:] = 0
    np.testing.assert_array_equal(expression.npvalue(), numbers)


def test_numbers_are_not_copied_one_by_one() -> None:
    """By the memory that it takes: a Python number of each would need 24 bytes, and a list of them 8."""
    size = 100_000
    dy.renew_cg()
    expression = dy.inputTensor(np.ones(size))
    expression.forward()
    tracemalloc.start()
    try:
        expression.npvalue()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 24 * size


# --- gradients as they lie in memory


def test_gradients_can_be_changed_where_they_lie() -> None:
    collection = dy.ParameterCollection()
    W, E = collection.add_parameters((2, 3), init=0.0), collection.add_lookup_parameters((6, 4), init=0.0)
    weights = np.arange(6.0).reshape(2, 3)
    dy.renew_cg()
    (dy.sum_elems(dy.cmult(W, dy.inputTensor(weights))) + dy.sum_elems(dy.lookup(E, 4) + dy.lookup(E, 1))).backward()
    np.testing.assert_array_equal(W.gradient_memory(), weights.ravel(order="F"))  # column after column
    W.gradient_memory()[:] *= 2
    np.testing.assert_array_equal(W.grad_as_array(), 2 * weights)
    assert E.gradient_rows().tolist() == [1, 4]
    E.gradient_memory()[2] = 3.0
    E.set_gradient_rows([1, 2])
    trainer = dy.SimpleSGDTrainer(collection, 1.0)
    trainer.set_clip_threshold(0)
    trainer.update()
    np.testing.assert_array_equal(W.as_array(), -2 * weights)
    np.testing.assert_array_equal(E.as_array()[:, 0], [0, -1, -3, 0, 0, 0])
    dy.renew_cg()
    dy.sum_elems(E.expr()).backward()
    assert E.gradient_rows() is None, "the whole table was used"


def test_importing_it_leaves_small_numbers_alone() -> None:
    """The default wheel is linked so that the whole process takes numbers below 1e-38 for zero."""
    assert run_dynet("print(np.float32(1e-45) + np.float32(0) > 0)").split() == ["True"]


# --- on a GPU


@needs_gpu
@pytest.mark.parametrize("which", BATCHES)
def test_gpu_products_of_batches_have_the_gradients_of_the_cpu(which: str) -> None:
    code = f"""
from tests.test_dynet_mended import product_and_gradients, SHAPES
for shape in SHAPES:
    for affine in (False, True):
        dy.renew_cg()
        print(*[x for array in product_and_gradients(shape, {which!r}, affine)[:3] for x in array.ravel()])
"""
    cpu, gpu = (np.array(run_dynet(code, *flags).split(), float) for flags in ((), ("--dynet-gpu",)))
    np.testing.assert_allclose(gpu, cpu, rtol=1e-3, atol=1e-4)


@needs_gpu
def test_gpu_gradient_stays_inside_its_memory() -> None:
    """The parameters made after an operand lie behind it in memory, and so do their gradients."""
    code = """
model = dy.ParameterCollection()
right, behind = model.add_parameters((64, 1)), model.add_parameters((64, 64))
left = dy.inputTensor(np.ones((64, 64, 8)), batched=True)
loss = dy.sum_batches(dy.sum_elems(left * right)) + dy.sum_elems(behind) * 0.0
loss.backward()
print(abs(behind.grad_as_array()).max(), abs(right.grad_as_array() - 64 * 8).max())
"""
    assert [float(x) for x in run_dynet(code, "--dynet-gpu").split()] == [0, 0]
