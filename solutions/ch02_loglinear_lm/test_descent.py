"""Graders of descent.py."""

import numpy as np

from solutions.checks import close, task


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

    RATE = 0.5

    def __init__(self, dev):
        """dev: the losses on dev after each epoch; with all other parameters it is lower than all of them."""
        self.parameters = [np.array([4.0, -2.0]), np.array([[1.0]])]
        self.dev, self.seen, self.after = list(dev), {}, []
        values = self.parameters
        for _ in dev:
            for batch in self.BATCHES:
                values = [value - self.RATE * (value - batch) for value in values]
            self.after.append(values)

    def gradients_of(self, batch):
        """It may be asked again with the same parameters."""
        self.seen[batch, float(self.parameters[0][0])] = True
        return [self.parameters[0] - batch, self.parameters[1] - batch]

    def dev_loss(self):
        """It may be asked as often as one likes."""
        for loss, values in zip(self.dev, self.after, strict=True):
            if all(map(np.allclose, self.parameters, values)):
                return loss
        return min(self.dev) - 1

    def train(self, work):
        return work.train(self.parameters, self.BATCHES, self.gradients_of, self.dev_loss, self.RATE, len(self.dev))


@task("2.5")
def test_an_epoch_by_hand(work):
    bowl = Bowl([1.0])
    losses = bowl.train(work)
    batches, firsts = zip(*bowl.seen, strict=True) if bowl.seen else ((), ())
    close(list(batches), [2.0, 8.0], "gradients_of is called for each batch in an epoch, in their order")
    close(list(firsts), [4.0, 3.0], "each batch's gradients are asked for after the step of the batch before")
    close(bowl.parameters, [np.array([5.5, 4.0]), np.array([[4.75]])], "the parameters after two steps with rate 0.5")
    close(losses, [1.0], "the dev losses of a training of one epoch")


@task("2.5")
def test_the_best_epoch_is_kept(work):
    for dev in ([3.0, 2.0, 2.5, 2.25], [2.0, 1.0, 1.0, 4.0]):
        bowl = Bowl(dev)
        close(bowl.train(work), dev, f"the dev losses in the order of the epochs, here {dev}")
        message = f"with dev losses {dev}, the parameters at the end must be those of the (first) best epoch, in place"
        close(bowl.parameters, bowl.after[dev.index(min(dev))], message)
