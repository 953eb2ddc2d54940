"""Graders of scheduled.py."""

from types import SimpleNamespace

import dynet as dy
import numpy as np

from common.chapters import chapter_module
from common.nn.arrays import input_batch
from solutions.checks import check, close, equal, task

MUTANTS = [
    ("10.6", "return 1 - share * progress", "return share * progress"),
    ("10.6", "return 1 - share * progress", "return 1 - share"),
    ("10.6", "return 1 - share * progress", "return 1 - progress"),
    ("10.6", "return 1 - share * progress", "return (1 - share) * progress"),
    ("10.6", "return (1 - share) ** progress", "return share**progress"),
    ("10.6", "return (1 - share) ** progress", "return 1 - share**progress"),
    ("10.6", "return (1 - share) ** progress", "return 1 - share * progress**2"),
    ("10.6", "return (1 - share) ** progress", "return progress ** (1 - share)"),
    ("10.6", "    read = inputs.copy()", "    read = inputs"),
    ("10.6", "range(1, len(read))", "range(len(read))"),
    ("10.6", "range(1, len(read))", "range(1, len(read) - 1)"),
    ("10.6", "range(1, len(read))", "range(2, len(read))"),
    ("10.6", "draw(read[:t].copy())", "draw(inputs[:t].copy())"),
    ("10.6", "draw(read[:t].copy())", "draw(read[: t + 1].copy())"),
    ("10.6", "draw(read[:t].copy())", "draw(read[t - 1 : t].copy())"),
    ("10.6", "draw(read[:t].copy())", "draw(read.copy())"),
    ("10.6", "own[t] & (drawn != 0)", "own[t]"),
    ("10.6", "own[t] & (drawn != 0)", "drawn != 0"),
    ("10.6", "own[t] & (drawn != 0)", "~own[t] & (drawn != 0)"),
    ("10.6", "own[t] & (drawn != 0)", "own[t - 1] & (drawn != 0)"),
    ("10.6", "own[t] & (drawn != 0)", "own[t].any() & (drawn != 0)"),
    ("10.6", "np.where(own[t] & (drawn != 0), drawn, read[t])", "np.where(own[t], drawn, read[t])"),
    ("10.6", "drawn, read[t])", "drawn, read[t - 1])"),
]

V = 7


def next_ids(read):
    """A model that chooses by all that it has read, each place with a weight of its own."""
    check(isinstance(read, np.ndarray) and read.ndim == 2, "draw is given an array (t, B)")
    check(len(read) > 0, "draw needs at least one row, that of <s>: the model has not begun before")
    weights = np.arange(len(read), 0, -1)[:, None]
    return (weights * read).sum(axis=0) % V


def by_hand(inputs, own):
    """Sentence by sentence and step by step."""
    found = inputs.copy()
    for b in range(inputs.shape[1]):
        for t in range(1, len(inputs)):
            drawn = int(next_ids(found[:t, b : b + 1])[0])
            if own[t, b] and drawn != 0:
                found[t, b] = drawn
    return found


@task("10.6")
def test_the_schedules(work):
    close(work.linear(0.4, 0.25), 0.9, "linear, share 0.4, a quarter done")
    close(work.exponential(0.36, 0.5), 0.8, "exponential, share 0.36, half done: half of the way, by factors")
    for name, schedule in (("linear", work.linear), ("exponential", work.exponential)):
        close(schedule(0.3, 0.0), 1, f"{name}: in the beginning all words are the reference's")
        close(schedule(0.3, 1.0), 0.7, f"{name}, share 0.3: in the end")
        close(schedule(0.0, 0.5), 1, f"{name}, share 0: nothing ever changes")


@task("10.6")
def test_the_chapters_schedules(work):
    from chapters.beyond import mixing as course

    for share in (0.1, 0.5, 0.95):
        for progress in (0.0, 0.2, 0.9):
            what = f"share {share}, progress {progress}"
            close(work.linear(share, progress), course.linear(share, progress), f"linear, {what}")
            close(work.exponential(share, progress), course.exponential(share, progress), f"exponential, {what}")


@task("10.6")
def test_mixing_by_hand(work):
    """The model always repeats the last word, plus one."""
    inputs = np.array([[0, 0], [4, 2], [5, 3], [6, 1]])
    own = np.array([[False, False], [True, False], [True, True], [False, True]])
    found = work.mixed_inputs(inputs, own, lambda read: read[-1] + 1)
    expected = np.array([[0, 0], [1, 2], [2, 3], [6, 4]])
    close(found, expected, "a model that counts on from the last word it has read: own words are read, and counted on")


@task("10.6")
def test_only_own_words_or_none(work):
    inputs = np.array([[0, 0, 0], [3, 1, 2], [2, 5, 6], [1, 1, 4]])
    none, every = np.zeros((4, 3), dtype=bool), np.ones((4, 3), dtype=bool)
    close(work.mixed_inputs(inputs, none, next_ids), inputs, "no own words: teacher forcing, all are the reference's")
    message = "own words everywhere: but <s> stays, and so does the reference's word where </s> is drawn"
    close(work.mixed_inputs(inputs, every, next_ids), by_hand(inputs, every), message)


@task("10.6")
def test_the_end_is_not_read(work):
    inputs, own = np.array([[0], [4], [5]]), np.ones((3, 1), dtype=bool)
    found = work.mixed_inputs(inputs, own, lambda read: np.zeros(1, dtype=int))
    close(found, inputs, "a model that always draws </s>: the reference's words stay")


@task("10.6")
def test_batches_and_lengths(work):
    rng = np.random.default_rng(8)
    for T, B in ((1, 1), (1, 3), (2, 1), (6, 4), (9, 2)):
        inputs, own = rng.integers(1, V, (T, B)), rng.random((T, B)) < 0.5
        inputs[0] = 0
        kept = inputs.copy(), own.copy()
        found = work.mixed_inputs(inputs, own, next_ids)
        check((inputs == kept[0]).all() and (own == kept[1]).all(), "what was given must stay as it is")
        close(found, by_hand(inputs, own), f"{T} steps of {B} sentences: each draws given what it has read itself")


class Model:
    """What the chapter's `mixed_inputs` needs of a model; it finds one word as good as certain, that of next_ids."""

    def encode(self, sources):
        return np.zeros((0, len(sources)), dtype=int)

    def next_words(self, state, words):
        read = np.concatenate([state, [words]])
        return read, input_batch(np.where(np.arange(V)[:, None] == next_ids(read), 0.0, -1e6))


@task("10.6")
def test_the_chapter_agrees(work):
    mixing, inputs = (
        chapter_module("10_beyond", "mixing"),
        np.random.default_rng(9).integers(1, V, (5, 3)),
    )
    inputs[0] = 0
    batch = SimpleNamespace(
        source=np.ones((2, 3), dtype=int), source_mask=np.ones((2, 3)), target=SimpleNamespace(inputs=inputs)
    )
    own = np.random.default_rng(1).random(inputs.shape) < 0.6
    expected = mixing.mixed_inputs(Model(), batch, 0.6, np.random.default_rng(1))
    dy.renew_cg()
    equal(work.mixed_inputs(inputs, own, next_ids).tolist(), expected.tolist(), "the chapter's mixed words")
