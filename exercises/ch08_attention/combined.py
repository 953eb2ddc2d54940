"""Exercise 8.2: the question of the tutorial's footnote 26. How are the scores of all source words computed at once?

An answer is a string with an equation in NumPy's notation. It may contain these names, and otherwise only `@` (the
product of matrices), `+`, `.T` (the transpose), `tanh(...)` and parentheses:

    H     (n, S)   the annotations of the S source words, each a column of n numbers
    h     (q, 1)   the decoder's state h_t, a column
    W_a   (n, q)   of the bilinear score
    W_e   (A, q)   of the MLP: the block of W_a1 that multiplies h_t, the lesson's W_q
    W_f   (A, n)   and the block that multiplies h_j, the lesson's W_s: W_a1 [h_t; h_j] = W_e h_t + W_f h_j
    w     (A, 1)   of the MLP: w_a2, a column

A column that is added to a matrix of the same height is added to each of its columns, as in NumPy, and a row to each
row of a matrix of the same width. Every equation gives the column of all S scores, (S, 1). For the dot product
(Neubig 2017, Eq. 78) it would be "H.T @ h".
"""

from __future__ import annotations


def bilinear() -> str:
    """The bilinear score h_j^T W_a h_t (Neubig 2017, Eq. 79) of all source words: an equation in H, W_a and h.

    With H = [[1, 2]], W_a = [[3]] and h = [[0.5]] its value is [[1.5], [3]].
    """
    # TODO 8.2: the scores of all source words as one equation
    raise NotImplementedError("Exercise 8.2: the scores of all source words as one equation")


def mlp() -> str:
    """The MLP's score w_a2^T tanh(W_a1 [h_t; h_j]) (Neubig 2017, Eq. 80) of all source words: in H, W_e, W_f, w and h.

    With H = [[1, 2]], W_f = [[3]], W_e = [[2]], w = [[4]] and h = [[0.5]] its value is [[4 tanh(4)], [4 tanh(7)]].
    """
    # TODO 8.2: the scores of all source words as one equation
    raise NotImplementedError("Exercise 8.2: the scores of all source words as one equation")
