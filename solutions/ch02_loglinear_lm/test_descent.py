"""Graders of descent.py."""

from types import SimpleNamespace

import numpy as np

from solutions.checks import check, close, plain, task

MUTANTS = [
    ("2.5", "parameter -= rate * gradient", "parameter += rate * gradient"),
    ("2.5", "parameter -= rate * gradient", "parameter = parameter - rate * gradient"),
    ("2.5", "parameter -= rate * gradient", "parameter -= gradient"),
    ("2.5", "        parameter -= rate * gradient", "        gradient *= rate\n        parameter -= gradient"),
    ("2.5", "[parameter.copy() for parameter in parameters]", "list(parameters)"),
    ("2.5", "parameter[...] = kept", "parameter = kept"),
    ("2.5", "found < min(losses)", "found < losses[-1]"),
    ("2.5", "found < min(losses)", "found > max(losses)"),
    ("2.5", "found < min(losses)", "found <= min(losses)"),
    (
        "2.5",
        "        for batch in batches:\n            sgd_step(parameters, gradients_of(batch), rate)",
        "        for gradients in [gradients_of(batch) for batch in batches]:\n"
        "            sgd_step(parameters, gradients, rate)",
    ),
    (
        "2.5",
        "        found = dev_loss()",
        "        found = dev_loss()\n        sgd_step(parameters, gradients_of(batches[-1]), rate)",
    ),
    ("2.5", "        losses.append(found)", "        losses.append(min([found, *losses]))"),
]


@task("2.5")
def test_a_step_by_hand(work):
    W, b = np.array([[1.0, 2.0, -3.0], [0.5, 0.0, 4.0]]), np.array([-1.0, 1.5])
    given, bias = W, b
    gradients = [np.array([[4.0, -2.0, 0.0], [1.0, 10.0, -6.0]]), np.array([2.0, 3.0])]
    kept = [gradient.copy() for gradient in gradients]
    work.sgd_step([given, bias], gradients, 0.25)
    message = "after a step with rate 0.25: against the gradient, and in place, so that the model's own array changes"
    close(W, np.array([[0.0, 2.5, -3.0], [0.25, -2.5, 5.5]]), f"W {message}")
    close(b, np.array([-1.5, 0.75]), f"b {message}")
    for gradient, before in zip(gradients, kept, strict=True):
        check(np.array_equal(gradient, before), "the gradients must be what they were before the step")


@task("2.5")
def test_the_chapter_agrees(work):
    from chapters.loglinear_lm.model import Gradients
    from chapters.loglinear_lm.optimisers import SGD

    rng = np.random.default_rng(3)
    model = SimpleNamespace(W=rng.normal(size=(4, 3)), b=rng.normal(size=3))
    W, b, dW, db = model.W.copy(), model.b.copy(), rng.normal(size=(4, 3)), rng.normal(size=3)
    SGD(model, 0.0).update(Gradients(db, np.arange(4), dW), 0.3)
    work.sgd_step([W, b], [dW, db], 0.3)
    close(W, model.W, "W after a step, as chapter 2 has it")
    close(b, model.b, "b after a step, as chapter 2 has it")


class Bowl:
    """A loss with one minimum: half the squared distance to a target, which differs from batch to batch."""

    def __init__(self, dev):
        self.parameters = [np.array([4.0, -2.0]), np.array([[1.0]])]
        self.dev, self.seen, self.after = list(dev), [], []

    def gradients_of(self, batch):
        self.seen.append((batch, self.parameters[0][0]))
        return [self.parameters[0] - batch, self.parameters[1] - batch]

    def dev_loss(self):
        self.after.append([parameter.copy() for parameter in self.parameters])
        return self.dev[len(self.after) - 1]


@task("2.5")
def test_an_epoch_by_hand(work):
    bowl = Bowl([1.0])
    losses = work.train(bowl.parameters, [2.0, 8.0], bowl.gradients_of, bowl.dev_loss, 0.5, 1)
    close(losses, [1.0], "the dev losses of a training of one epoch")
    batches, firsts = zip(*bowl.seen, strict=True) if bowl.seen else ((), ())
    close(list(batches), [2.0, 8.0], "gradients_of is called once for each batch in an epoch, in their order")
    close(list(firsts), [4.0, 3.0], "each batch's gradients are asked for after the step of the batch before")
    close(bowl.parameters[0], np.array([5.5, 4.0]), "the parameters after two steps with rate 0.5")
    close(bowl.parameters[1], np.array([[4.75]]), "the second array after two steps with rate 0.5")


@task("2.5")
def test_the_best_epoch_is_kept(work):
    for dev in ([3.0, 2.0, 2.5, 2.25], [1.0, 2.0, 1.5], [3.0, 2.0, 1.0], [2.0, 1.0, 1.0, 4.0]):
        bowl = Bowl(dev)
        first = bowl.parameters[0]
        losses = work.train(bowl.parameters, [2.0, 8.0], bowl.gradients_of, bowl.dev_loss, 0.5, len(dev))
        close(losses, dev, f"the dev losses in the order of the epochs, here {dev}")
        check(len(bowl.after) == len(dev), "dev_loss is to be called once after each epoch")
        message = f"with dev losses {dev}, the parameters at the end must be those of the (first) best epoch, in place"
        for found, expected in zip(bowl.parameters, bowl.after[dev.index(min(dev))], strict=True):
            close(found, expected, message)
        check(bowl.parameters[0] is first, "the arrays must be the same objects as before the training")


@task("2.5")
def test_nothing_is_learnt_from_dev(work):
    bowl = Bowl([3.0, 2.0, 1.0])
    before = []

    def gradients_of(batch):
        before.append([parameter.copy() for parameter in bowl.parameters])
        return bowl.gradients_of(batch)

    work.train(bowl.parameters, [2.0], gradients_of, bowl.dev_loss, 0.5, 3)
    check(len(before) == 3, "gradients_of is to be called once for each batch in each epoch, and never for dev")
    for epoch in range(2):
        same = np.array_equal(plain(bowl.after[epoch][0], ""), plain(before[epoch + 1][0], ""))
        check(same, "the parameters must not move between an epoch's dev loss and the next epoch")
