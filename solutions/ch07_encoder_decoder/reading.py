"""Exercise 7.2: sentences of different lengths side by side, read from either end.

Letters in the shapes: H numbers per word, T time steps, B sentences in the batch. (H, T) x B is B matrices in DyNet,
one per sentence, one column per word. A sentence shorter than T is padded at the end: its last columns have no meaning.
"""

from __future__ import annotations

import dynet as dy
import numpy as np


def reverse(sequences: dy.Expression, lengths: np.ndarray) -> dy.Expression:
    """Each sentence back to front, its padding still at the end: (H, T) x B -> (H, T) x B.

    lengths: the number of words of each sentence, (B,), from 1 to T. Columns past a sentence's length stay where they
    are, so that reversing twice restores the original.

    Useful: dy.reshape(sequences, (H,), T * B), in which word t of sentence b has the number t + T * b;
    dy.pick_batch_elems(expression, list of numbers); sequences.dim(), which is ((H, T), B).

    With T = 3, one sentence of length 2 and the columns [[1, 2, 9]], the result is [[2, 1, 9]].
    """
    # BEGIN SOLUTION 7.2
    (rows, time), batch = sequences.dim()
    columns = []
    for sentence, length in enumerate(lengths):
        order = [*reversed(range(length)), *range(length, time)]
        columns += [int(t + time * sentence) for t in order]
    folded = dy.reshape(sequences, (rows,), time * batch)
    return dy.reshape(dy.pick_batch_elems(folded, columns), (rows, time), batch)
    # END SOLUTION


def last_states(states: dy.Expression, lengths: np.ndarray) -> dy.Expression:
    """The state of each sentence after its own last word, whatever was computed on its padding: (H, T) x B -> (H,) x B.

    lengths: as above. Useful: dy.pick_batch(expression, list of B columns, dim=1).

    With the states [[1, 2, 9]] of one sentence of length 2, the result is [2].
    """
    # BEGIN SOLUTION 7.2
    return dy.pick_batch(states, [int(length) - 1 for length in lengths], dim=1)
    # END SOLUTION
