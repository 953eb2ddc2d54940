"""XOR with pencil and paper: why no line does it, and a network of three units that does.

python chapters/03_neural_networks/by_hand.py
"""

import runpy
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import numpy as np

from common.errors import OneLineParser, exits_cleanly

from .linear import least_squares, linear, perceptron
from .model import MLP, squared_error
from .tasks import equality

PASSES = 1000
EQUALITY_BY_HAND = (
    np.array([[1.0, 1.0], [-1.0, -1.0]]),  # W_xh: the first unit wants two 1s, the second two -1s
    np.array([[-1.0], [-1.0]]),  # b_h: one of the two is not enough
    np.array([[1.0, 1.0]]),  # w_hy: either will do
    np.array([[1.0]]),  # b_y
)


def show_linear() -> None:
    """The best line, and the perceptron that searches for a separating one."""
    x, targets = equality()
    W, b = least_squares(x, targets)
    loss = squared_error(targets, linear(W, b, x)) / 4
    W, b = np.round(W, 9) + 0.0, np.round(b, 9) + 0.0  # 1e-17 is no number to show
    print("A linear model, y = W x + b, fitted by least squares:")
    print(f"  W = [{W[0, 0]:.3f}, {W[0, 1]:.3f}], b = {b[0, 0]:.3f}: its output is the same for every point")
    print(f"  mean squared error {loss:.3f}, that of saying 0 to everything")
    W, b, mistakes = perceptron(x, targets, PASSES)
    print(f"The perceptron: {min(mistakes)} mistakes at best in each of {PASSES} passes over the four points,")
    print(f"  and then it is back where it began: W = [{W[0, 0]:.0f}, {W[0, 1]:.0f}], b = {b[0, 0]:.0f}")


def show_network() -> None:
    """The hidden layer and the output of the network with hand-set weights, for each point."""
    x, targets = equality()
    before, after = MLP(EQUALITY_BY_HAND, "step").forward(x)
    print("A network of step functions with hand-set weights:")
    print("    x1   x2    h'1   h'2    h1   h2     y    y*")
    for row in np.concatenate([x, before[0], after[0], after[1], targets]).T:
        print("  {:4.0f} {:4.0f}   {:4.0f}  {:4.0f}  {:4.0f} {:4.0f}  {:4.0f}  {:4.0f}".format(*row))


def show_gradient() -> None:
    """What training would see of these weights, were they a little off, with the step function and with tanh."""
    x, targets = equality()
    arrays = [array + 0.25 for array in EQUALITY_BY_HAND]
    print("The gradient of the loss by W_xh and b_h where every weight is 0.25 too large:")
    for activation in ("step", "tanh"):
        loss, (W_xh, b_h, *_) = MLP(arrays, activation).gradients(x, targets)
        largest = max(np.abs(W_xh).max(), np.abs(b_h).max())
        print(f"  {activation}: loss {loss:.3f}, largest derivative {largest:.3f}")


@exits_cleanly
def main() -> None:
    OneLineParser(
        description="Why a network can decide whether two numbers are equal, and no linear model can."
    ).parse_args()
    show_linear()
    print()
    show_network()
    print()
    show_gradient()


if __name__ == "__main__":
    main()
