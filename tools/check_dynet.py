"""Is the installed DyNet right? `python -m tools.check_dynet`

Computes every operation that the course uses, alone and on a batch, and compares values with NumPy in float64 and
gradients with finite differences of that. Reports what is installed, how many threads it uses, and which of the known
faults of DyNet it has; the course avoids them all. Ends with status 1 if an operation is wrong.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from common import runtime
from common.errors import UserError, exits_cleanly
from common.training import cli

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from tools.dynet_operations import Operation

TOLERANCE = 2e-4
"""The largest difference that float32 explains, of numbers of about one."""


class Verdict(NamedTuple):
    """The largest difference of values and of gradients, of one operation on one size of batch."""

    name: str
    batch: int
    value: float
    gradient: float

    @property
    def right(self) -> bool:
        return self.value < TOLERANCE and self.gradient < TOLERANCE  # not a number is not less


class Fault(NamedTuple):
    """A fault known of DyNet 2.1.2, of dynet_faults.toml."""

    name: str
    instead: str
    program: str
    gpu: bool = False


FAULTS = [
    Fault(**fault) for fault in tomllib.loads(Path(__file__).with_name("dynet_faults.toml").read_text("utf-8"))["fault"]
]


def check(operation: Operation, batch: int, rng: np.random.Generator) -> Verdict:
    """Compute one operation and its gradients, and compare both with the reference."""
    import dynet as dy

    sizes = [(*shape, 1 if number in operation.shared else batch) for number, shape in enumerate(operation.shapes)]
    arrays = [rng.uniform(0.3, 1.7, size) if operation.positive else rng.normal(0, 1, size) for size in sizes]
    collection = dy.ParameterCollection()
    dy.renew_cg()
    parameters, arguments = [], []
    for array in arrays:  # a batch that has gradients is a long parameter, cut in pieces
        parameters.append(collection.add_parameters(array.size, init=dy.NumpyInitializer(array.ravel(order="F"))))
        arguments.append(dy.reshape(parameters[-1], array.shape[:-1], array.shape[-1]))
    result = operation.compute(*arguments)
    expected = operation.reference(*arrays)
    shape, elements = result.dim()
    if (*shape, elements) != expected.shape:
        return Verdict(operation.name, batch, np.inf, np.inf)
    weights = rng.normal(0, 1, expected.shape)
    weighted = dy.cmult(result, dy.reshape(dy.inputTensor(weights.ravel(order="F")), shape, elements))
    value = result.npvalue().reshape(expected.shape, order="F")
    loss = dy.sum_batches(dy.sum_elems(weighted))
    loss.forward()
    loss.backward()
    slope, off = operation.slope or operation.reference, [0.0]
    for number, (parameter, array) in enumerate(zip(parameters, arrays, strict=True)):
        numeric = np.zeros_like(array)
        if number not in operation.constant:
            numeric = differences(lambda: (slope(*arrays) * weights).sum(), array)
        off.append(np.abs(parameter.grad_as_array().reshape(array.shape, order="F") - numeric).max())
    return Verdict(operation.name, batch, float(np.abs(value - expected).max()), float(np.max(off)))


def differences(function: Callable[[], float], array: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """The gradient of a function of an array, which is changed in place and put back, by central differences."""
    gradient = np.empty_like(array)
    for place in np.ndindex(array.shape):
        original = array[place]
        array[place] = original + step
        above = function()
        array[place] = original - step
        gradient[place] = (above - function()) / (2 * step)
        array[place] = original
    return gradient


def check_lookup(rng: np.random.Generator) -> Verdict:
    """Rows of a lookup table, one of them twice: their values, and the steps that their gradients make."""
    import dynet as dy

    table, rows, weights = rng.normal(0, 1, (5, 3)), [2, 0, 2], rng.normal(0, 1, (3, 3))
    collection = dy.ParameterCollection()
    lookup = collection.lookup_parameters_from_numpy(table)
    trainer = dy.SimpleSGDTrainer(collection, learning_rate=1.0)
    trainer.set_clip_threshold(0)
    dy.renew_cg()
    selected = dy.lookup_batch(lookup, rows)
    value = np.abs(selected.npvalue() - table[rows].T).max() + np.abs(dy.lookup(lookup, 4).npvalue() - table[4]).max()
    loss = dy.sum_batches(dy.dot_product(selected, dy.inputTensor(weights, batched=True)))
    loss.forward()
    loss.backward()
    trainer.update()
    expected = table.copy()
    np.subtract.at(expected, rows, weights.T)
    return Verdict("lookup, lookup_batch", 3, float(value), float(np.abs(lookup.as_array() - expected).max()))


def check_steps(rng: np.random.Generator) -> Verdict:
    """A recurrent network of three steps, a sequence of two columns, a batch of two: matrices that are used often."""
    import dynet as dy

    arrays = [rng.normal(0, 1, shape) for shape in ((3, 3), (3,), (2, 3))]
    start, sequence, weights = rng.normal(0, 1, (3, 2)), rng.normal(0, 1, (3, 2)), rng.normal(0, 1, (2, 1))
    collection = dy.ParameterCollection()
    W, b, U = (collection.parameters_from_numpy(array) for array in arrays)

    def reference() -> float:
        (W, b, U), hidden, total = arrays, start, (weights * (arrays[2] @ sequence)).sum()
        for _ in range(3):
            hidden = np.tanh(W @ hidden + b[:, None])
            total += (weights * (U @ hidden)).sum()
        return total

    dy.renew_cg()
    row = dy.inputTensor(weights.T)
    hidden, parts = dy.inputTensor(start, batched=True), [dy.sum_elems(row * (U * dy.inputTensor(sequence)))]
    for _ in range(3):
        hidden = dy.tanh(dy.affine_transform([b, W, hidden]))
        parts.append(dy.sum_batches(row * (U * hidden)))
    loss = dy.esum(parts)
    value = abs(loss.scalar_value() - reference())
    loss.backward()
    off = [
        np.abs(parameter.grad_as_array() - differences(reference, array)).max()
        for parameter, array in zip((W, b, U), arrays, strict=True)
    ]
    return Verdict("a matrix at every step", 2, float(value), float(max(off)))


def check_dropout(rng: np.random.Generator) -> Verdict:
    """Dropout keeps about the right share, scales it up, and lets gradients through where it does."""
    import dynet as dy

    rate, numbers = 0.4, rng.uniform(1, 2, 4000)
    parameter = dy.ParameterCollection().add_parameters(4000, init=dy.NumpyInitializer(numbers))
    dy.renew_cg()
    dropped = dy.dropout(parameter, rate)
    survivors = dropped.npvalue() != 0
    mask = dy.random_bernoulli((4000,), 1 - rate, scale=1 / (1 - rate)).npvalue()
    value = np.abs(dropped.npvalue() - survivors * numbers / (1 - rate)).max()
    value += np.abs(mask - (mask != 0) / (1 - rate)).max()
    if max(abs(survivors.mean() - 0.6), abs((mask != 0).mean() - 0.6)) > 0.05:  # more than six standard deviations
        value = np.inf
    loss = dy.sum_elems(dropped)
    loss.forward()
    loss.backward()
    gradient = np.abs(parameter.grad_as_array() - survivors / (1 - rate)).max()
    return Verdict("dropout, random_bernoulli", 1, float(value), float(gradient))


def check_gumbel() -> Verdict:
    """Gumbel noise is below x with probability exp(-exp(-x))."""
    import dynet as dy

    dy.renew_cg()
    noise = dy.random_gumbel((100, 50), batch_size=2).npvalue()
    far = max(abs((noise < x).mean() - np.exp(-np.exp(-x))) for x in (-1.0, 0.0, 1.0, 3.0))
    return Verdict("random_gumbel", 2, 0.0 if far < 0.03 else np.inf, 0.0)  # six standard deviations


def check_all(seed: int) -> list[Verdict]:
    """Every operation, alone and on a batch of three."""
    from tools.dynet_operations import operations

    rng = np.random.default_rng(seed)
    verdicts = [check(operation, batch, rng) for batch in (1, 3) for operation in operations(batch)]
    return [*verdicts, check_lookup(rng), check_steps(rng), check_dropout(rng), check_gumbel()]


def has_fault(fault: Fault, device: str = "cpu") -> bool:
    """Run the fault's program in a process of its own, which may die of it.

    Raises `RuntimeError` where it uses something that this DyNet does not have: that says nothing of the fault.
    """
    program = f"from common import runtime\nruntime.configure({device!r})\nimport dynet as dy, numpy as np\n"
    program += "dy.renew_cg()\n" + fault.program
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    if any(error in result.stderr for error in ("AttributeError", "NameError", "ImportError", "SyntaxError")):
        raise RuntimeError(f"the program that looks for a fault ({fault.name}) is wrong itself: {result.stderr}")
    return result.returncode != 0


def threads_at_work() -> float:
    """Processor seconds in a second of a large product."""
    import dynet as dy

    dy.renew_cg()
    matrix = dy.inputTensor(np.ones((1500, 1500), np.float32))
    matrix.forward()
    clock, processor = time.perf_counter(), time.process_time()
    for _ in range(4):
        (matrix * matrix).forward()
    return (time.process_time() - processor) / (time.perf_counter() - clock)


def report(verdicts: Sequence[Verdict], faults: Sequence[tuple[Fault, bool]]) -> str:
    """What was found, for people."""
    wrong = [verdict for verdict in verdicts if not verdict.right]
    lines = [f"{len(verdicts)} checks of operations, {len(wrong)} wrong"]
    lines += [
        f"  WRONG  {verdict.name}, batch {verdict.batch}: values off by {verdict.value:.1g}, "
        f"gradients by {verdict.gradient:.1g}"
        for verdict in wrong
    ]
    lines.append("known faults of DyNet:")
    for fault, there in faults:
        lines.append(
            f"  {'present' if there else 'fixed  '}  {fault.name}" + (f"; the course: {fault.instead}" * there)
        )
    return "\n".join(lines)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(
        prog="python -m tools.check_dynet", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu", help="where to compute (default: cpu)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random numbers (default: 1)")
    arguments = parser.parse_args()
    if arguments.seed < 0:
        raise UserError("--seed must be at least 0")
    runtime.configure(arguments.device)
    import dynet as dy

    print("; ".join(f"{name} {version}" for name, version in runtime.versions().items()))
    print(f"built {'with' if dy.HAVE_CUDA else 'without'} CUDA; computing on the {arguments.device.upper()}; "
          f"{threads_at_work():.1f} threads at work in a large product")  # fmt: skip
    verdicts = check_all(arguments.seed)
    faults = [fault for fault in FAULTS if not fault.gpu or arguments.device == "gpu"]
    print(report(verdicts, [(fault, has_fault(fault, arguments.device)) for fault in faults]))
    sys.exit(not all(verdict.right for verdict in verdicts))


if __name__ == "__main__":
    main()
