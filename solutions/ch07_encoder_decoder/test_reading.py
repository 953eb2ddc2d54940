"""Graders of reading.py."""

import dynet as dy
import numpy as np

from common.nn import encoders
from common.nn.arrays import input_batch
from solutions.checks import check, close, task

MUTANTS = [
    ("7.2", "[*reversed(range(length)), *range(length, time)]", "[*reversed(range(time))]"),
    ("7.2", "[*reversed(range(length)), *range(length, time)]", "[*range(length, time), *reversed(range(length))]"),
    ("7.2", "[*reversed(range(length)), *range(length, time)]", "[*range(time)]"),
    ("7.2", "[*reversed(range(length)), *range(length, time)]", "[*reversed(range(length)), *[0] * (time - length)]"),
    (
        "7.2",
        "[*reversed(range(length)), *range(length, time)]",
        "[*range(1, length), *range(min(length, 1)), *range(length, time)]",
    ),
    ("7.2", "for sentence, length in enumerate(lengths):", "for sentence, length in enumerate(lengths[::-1]):"),
    ("7.2", "int(t + time * sentence)", "int(t * batch + sentence)"),
    ("7.2", "int(t + time * sentence)", "int(t)"),
    ("7.2", "[int(length) - 1 for length in lengths]", "[states.dim()[0][1] - 1] * len(lengths)"),
    ("7.2", "[int(length) - 1 for length in lengths]", "[0] * len(lengths)"),
    ("7.2", "[int(length) - 1 for length in lengths]", "[max(int(length) - 2, 0) for length in lengths]"),
    ("7.2", "[int(length) - 1 for length in lengths]", "[int(min(lengths)) - 1] * len(lengths)"),
    ("7.2", "[int(length) - 1 for length in lengths]", "[int(length) % states.dim()[0][1] for length in lengths]"),
]

H = 2
CASES = [[1], [3], [4, 1, 2], [1, 1], [2, 5, 3, 1], [2, 2]]


def sequences(lengths, longer=0):
    """Random columns (H, T, B), of padding too."""
    return np.random.default_rng(len(lengths)).normal(size=(H, max(lengths) + longer, len(lengths)))


def numbers(found, dimensions, batch, what):
    """The numbers of an expression as an array (*dimensions, B)."""
    check(isinstance(found, dy.Expression), f"{what}: the result is an expression, not its value")
    own, own_batch = found.dim()
    right = own + (1,) * (len(dimensions) - len(own)) == dimensions and own_batch == batch
    check(right, f"{what}: the result must be {dimensions} x {batch}, yours is {own} x {own_batch}")
    return np.reshape(found.npvalue(), (*dimensions, batch), order="F")


def reversed_of(columns, lengths):
    found = columns.copy()
    for b, length in enumerate(lengths):
        for t in range(length):
            found[:, t, b] = columns[:, length - 1 - t, b]
    return found


def reverse(work, columns, lengths):
    what = f"sentences of {lengths} words in {columns.shape[1]} columns"
    return numbers(work.reverse(input_batch(columns), np.array(lengths)), columns.shape[:2], len(lengths), what)


@task("7.2")
def test_reverse_by_hand(work):
    columns = np.array([[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]], [[-1.0, 0.1], [-2.0, 0.2], [-3.0, 0.3]]])
    found = reverse(work, columns, [3, 2])
    expected = np.array([[[3.0, 20.0], [2.0, 10.0], [1.0, 30.0]], [[-3.0, 0.2], [-2.0, 0.1], [-1.0, 0.3]]])
    close(found[:, :, 0], expected[:, :, 0], "a sentence of 3 words in 3 columns, its last word first", tolerance=1e-5)
    message = "a sentence of 2 words in 3 columns: its second word, its first word, and then the padding, which stays"
    close(found[:, :, 1], expected[:, :, 1], message, tolerance=1e-5)


@task("7.2")
def test_reverse_of_batches(work):
    for lengths in CASES:
        for longer in (0, 2):
            dy.renew_cg()
            columns = sequences(lengths, longer)
            message = f"sentences of {lengths} words in {columns.shape[1]} columns, each within its own length"
            close(reverse(work, columns, lengths), reversed_of(columns, lengths), message, tolerance=1e-5)


@task("7.2")
def test_reversed_twice(work):
    columns, lengths = sequences([3, 1, 5]), [3, 1, 5]
    once = work.reverse(input_batch(columns), np.array(lengths))
    twice = numbers(work.reverse(once, np.array(lengths)), columns.shape[:2], 3, "reversed twice")
    close(twice, columns, "whoever reverses twice must have what there was, padding included", tolerance=1e-5)


@task("7.2")
def test_last_states(work):
    for lengths in CASES:
        for longer in (0, 2):
            dy.renew_cg()
            columns = sequences(lengths, longer)
            what = f"sentences of {lengths} words in {columns.shape[1]} columns"
            found = work.last_states(input_batch(columns), np.array(lengths))
            expected = np.stack([columns[:, length - 1, b] for b, length in enumerate(lengths)], axis=1)
            message = f"{what}: the state after each one's own last word, not after the padding"
            close(numbers(found, (H,), len(lengths), what), expected, message, tolerance=1e-5)


@task("7.2")
def test_the_course_agrees(work):
    lengths = np.array([4, 2, 1, 4])
    columns = input_batch(sequences(lengths.tolist()))
    expected = encoders.reverse(columns, lengths).npvalue()
    close(work.reverse(columns, lengths), expected, "four sentences back to front, as the course has them", 1e-5)
