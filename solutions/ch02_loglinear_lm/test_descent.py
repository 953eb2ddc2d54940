"""Graders of descent.py."""

import numpy as np

from solutions.checks import check, close, task


@task("2.5")
def test_a_step_by_hand(work):
    W, b = np.array([[1.0, 2.0, -3.0], [0.5, 0.0, 4.0]]), np.array([-1.0, 1.5])
    work.sgd_step([W, b], [np.array([[4.0, -2.0, 0.0], [1.0, 10.0, -6.0]]), np.array([2.0, 3.0])], 0.25)
    message = "after a step with rate 0.25: against the gradient, and in place, so that the model's own array changes"
    close(W, np.array([[0.0, 2.5, -3.0], [0.25, -2.5, 5.5]]), f"W {message}")
    close(b, np.array([-1.5, 0.75]), f"b {message}")


class Bowl:
    """A loss with one minimum: half the squared distance to a target, which differs from batch to batch."""

    BATCHES = [2.0, 8.0]

    def __init__(self, dev):
        """dev: the losses on dev after each epoch; before the first and within one it is lower than all of them."""
        self.parameters = [np.array([4.0, -2.0]), np.array([[1.0]])]
        self.dev, self.seen, self.after = list(dev), [], {}

    def gradients_of(self, batch):
        self.seen.append((batch, self.parameters[0][0]))
        return [self.parameters[0] - batch, self.parameters[1] - batch]

    def dev_loss(self):
        """It may be asked as often as one likes."""
        epoch, steps = divmod(len(self.seen), len(self.BATCHES))
        if steps or not 0 < epoch <= len(self.dev):
            return min(self.dev) - 1
        self.after[epoch] = [parameter.copy() for parameter in self.parameters]
        return self.dev[epoch - 1]


@task("2.5")
def test_an_epoch_by_hand(work):
    bowl = Bowl([1.0])
    losses = work.train(bowl.parameters, bowl.BATCHES, bowl.gradients_of, bowl.dev_loss, 0.5, 1)
    close(losses, [1.0], "the dev losses of a training of one epoch")
    batches, firsts = zip(*bowl.seen, strict=True) if bowl.seen else ((), ())
    close(list(batches), [2.0, 8.0], "gradients_of is called once for each batch in an epoch, in their order")
    close(list(firsts), [4.0, 3.0], "each batch's gradients are asked for after the step of the batch before")
    close(bowl.parameters, [np.array([5.5, 4.0]), np.array([[4.75]])], "the parameters after two steps with rate 0.5")


@task("2.5")
def test_the_best_epoch_is_kept(work):
    for dev in ([3.0, 2.0, 2.5, 2.25], [2.0, 1.0, 1.0, 4.0]):
        bowl = Bowl(dev)
        losses = work.train(bowl.parameters, bowl.BATCHES, bowl.gradients_of, bowl.dev_loss, 0.5, len(dev))
        close(losses, dev, f"the dev losses in the order of the epochs, here {dev}")
        check(len(bowl.after) == len(dev), "dev_loss is to be called after each epoch")
        message = f"with dev losses {dev}, the parameters at the end must be those of the (first) best epoch, in place"
        close(bowl.parameters, bowl.after[dev.index(min(dev)) + 1], message)
