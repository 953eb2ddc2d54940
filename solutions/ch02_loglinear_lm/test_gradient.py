"""Graders of gradient.py."""

import numpy as np

from solutions.checks import check, close, finite_difference, plain, task

MUTANTS = [
    ("2.4", "targets] -= 1", "targets] += 1"),
    ("2.4", "targets] -= 1", "targets] = -1"),
    ("2.4", "dl_ds = p.copy()", "dl_ds = p"),
    ("2.4", "    dl_ds = p.copy()", "    dl_ds = np.log(p)"),
    ("2.4", "dW[feature] += value * dl_ds[position]", "dW[feature] += dl_ds[position]"),
    ("2.4", "dW[feature] += value * dl_ds[position]", "dW[feature] = value * dl_ds[position]"),
    ("2.4", "dl_ds.sum(axis=0)", "dl_ds.mean(axis=0)"),
    ("2.4", "return dW, dl_ds.sum(axis=0)", "return dW / len(targets), dl_ds.sum(axis=0) / len(targets)"),
    ("2.4", "return dW, dl_ds.sum(axis=0)", "return -dW, -dl_ds.sum(axis=0)"),
    ("2.4", "dl_ds.sum(axis=0)", "p.sum(axis=0)"),
]

ACTIVE = [{0: 1.0, 3: 2.0}, {1: 1.0, 3: 1.0}, {0: 1.0, 4: 3.0}]
TARGETS = np.array([2, 0, 2])
P = np.array([[0.1, 0.2, 0.3, 0.4], [0.5, 0.25, 0.125, 0.125], [0.2, 0.1, 0.6, 0.1]])


@task("2.4")
def test_one_position_by_hand(work):
    dW, db = work.gradients(ACTIVE[:1], P[:1].copy(), TARGETS[:1], 5)
    by_scores = np.array([0.1, 0.2, -0.7, 0.4])
    close(db, by_scores, "dl/db with p = 0.1, 0.2, 0.3, 0.4, where word 2 came: what was expected, minus what came")
    zero = np.zeros(4)
    expected = np.array([by_scores, zero, zero, 2 * by_scores, zero])
    close(dW, expected, "dl/dW with x_0 = 1 and x_3 = 2: a row is x_j times the gradient of the scores")


@task("2.4")
def test_positions_add_up(work):
    dW, db = work.gradients(ACTIVE, P.copy(), TARGETS, 5)
    parts = [work.gradients(ACTIVE[n : n + 1], P[n : n + 1].copy(), TARGETS[n : n + 1], 5) for n in range(3)]
    close(dW, sum(np.asarray(part[0]) for part in parts), "dl/dW of three positions is the sum of those of each")
    close(db, sum(np.asarray(part[1]) for part in parts), "dl/db of three positions is the sum of those of each")


@task("2.4")
def test_the_arguments_stay_as_they_are(work):
    p = P.copy()
    work.gradients(ACTIVE, p, TARGETS, 5)
    check(np.array_equal(p, P), "p belongs to whoever called: change a copy of it")


def loss_of(W, b):
    """The loss of ACTIVE and TARGETS, and p, with plain loops."""
    total, rows = 0.0, []
    for features, target in zip(ACTIVE, TARGETS, strict=True):
        exps = np.exp(b + sum(W[feature] * value for feature, value in features.items()))
        rows.append(exps / exps.sum())
        total -= np.log(rows[-1][target])
    return total, np.array(rows)


@task("2.4")
def test_against_finite_differences(work):
    rng = np.random.default_rng(7)
    W, b = rng.normal(0, 0.6, (5, 4)), rng.normal(0, 0.6, 4)
    dW, db = work.gradients(ACTIVE, loss_of(W, b)[1], TARGETS, 5)
    expected_W, expected_b = (finite_difference(lambda: loss_of(W, b)[0], array) for array in (W, b))
    close(dW, expected_W, "dl/dW must be what the loss does when W is moved a little", tolerance=1e-5)
    close(db, expected_b, "dl/db must be what the loss does when b is moved a little", tolerance=1e-5)
    alive = np.abs(np.asarray(plain(dW, "dl/dW is an array"))).min(axis=1) > 0
    check(alive.tolist() == [True, True, False, True, True], "only feature 2 is nowhere active and has a gradient of 0")


@task("2.4")
def test_the_chapter_agrees(work):
    from chapters.loglinear_lm import features as features_module, model as model_module, sparse

    ids = np.array([list(features) for features in ACTIVE])
    values = np.array([list(features.values()) for features in ACTIVE])
    dl_ds = P.copy()
    dl_ds[np.arange(3), TARGETS] -= 1
    found = model_module.gradients(sparse.by_position(features_module.Active(ids, values)), dl_ds)
    expected = np.zeros((5, 4))
    expected[found.features] = found.W
    dW, db = work.gradients(ACTIVE, P.copy(), TARGETS, 5)
    close(dW, expected, "dl/dW, as chapter 2 computes it")
    close(db, found.b, "dl/db, as chapter 2 computes it")
