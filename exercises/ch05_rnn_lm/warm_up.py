"""Exercise 5.1, a warm-up: the size of a cell, a gradient on its way back, and the cost of padding."""

from __future__ import annotations

from collections.abc import Sequence


def how_many_parameters(cell: str, input_size: int, hidden_size: int) -> int:
    """How many numbers a layer of this kind learns (Neubig 2017, Eq. 44; 47 to 51; 54 and 55; 56 to 59).

    cell: "rnn", "lstm-no-forget", "lstm" (with a forget gate) or "gru". Each gate, and each tanh of a sum with x_t, has
    a matrix for x_t, a matrix for h_{t-1} and a bias.

    how_many_parameters("rnn", 2, 3) == 18
    """
    # TODO 5.1: the size of a cell, a gradient's way, the cost of padding
    raise NotImplementedError("Exercise 5.1: the size of a cell, a gradient's way, the cost of padding")


def gradient_after(weight: float, steps: int) -> float:
    """dh_T / dh_0 of a recurrent network of one unit without tanh, h_t = weight * h_{t-1} + x_t, with T = steps.

    gradient_after(0.5, 2) == 0.25
    """
    # TODO 5.1: the size of a cell, a gradient's way, the cost of padding
    raise NotImplementedError("Exercise 5.1: the size of a cell, a gradient's way, the cost of padding")


def share_of_padding(lengths: Sequence[int]) -> float:
    """What share of the positions of a minibatch is padding? lengths: the words of each sentence, not counting </s>.

    share_of_padding([3, 1]) == 0.25: of the 8 positions, 4 and 2 are real.
    """
    # TODO 5.1: the size of a cell, a gradient's way, the cost of padding
    raise NotImplementedError("Exercise 5.1: the size of a cell, a gradient's way, the cost of padding")
