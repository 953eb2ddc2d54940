"""Exercise 8.1, a warm-up with pencil and paper: a context, and the cost of a score.

Letters: H size of a source word's annotation h_j, Q size of the decoder's state h_t, A size of the hidden layer of the
multi-layer perceptron (MLP).
"""

from __future__ import annotations


def context_by_hand() -> list[float]:
    """The two numbers of c_t (Neubig 2017, Eq. 72, 75), where the score is the dot product (Eq. 77).

    The source has two words, with h_1 = (2, 1) and h_2 = (0, 1). The decoder's state is h_t = (log 2, 5).
    """
    # BEGIN SOLUTION 8.1
    alpha = [4 / 5, 1 / 5]  # the scores are log 4 + 5 and 5
    return [alpha[0] * 2 + alpha[1] * 0, alpha[0] * 1 + alpha[1] * 1]
    # END SOLUTION


def how_many_parameters(score: str, H: int, Q: int, A: int) -> int:
    """How many numbers does an attention score learn? (Neubig 2017, Eq. 77, 79 and 80).

    score: "dot", "bilinear" (W_a) or "mlp" (W_a1 and w_a2; the equation has no biases).

    how_many_parameters("mlp", 2, 3, 1) == 6
    """
    # BEGIN SOLUTION 8.1
    return {"dot": 0, "bilinear": H * Q, "mlp": A * (H + Q) + A}[score]
    # END SOLUTION


def largest_hidden_layer(H: int, Q: int) -> int:
    """According to the tutorial, the MLP usually has fewer parameters than the bilinear score. Up to which A is this
    true?

    largest_hidden_layer(2, 2) == 0: even with A = 1 the MLP learns 5 numbers, and the bilinear score 4.
    """
    # BEGIN SOLUTION 8.1
    return (H * Q - 1) // (H + Q + 1)
    # END SOLUTION
