"""Exercise 11.2: sines and cosines that encode the position of a word.

Letters in the shapes: H hidden size, T positions. Rows 2i and 2i + 1 of an encoding are pair i, a sine and a cosine of
one angle. Rows and positions are counted from 0.
"""

from __future__ import annotations

import numpy as np


def sinusoids(size: int, first: int, time: int) -> np.ndarray:
    """The positional encodings of `time` positions, starting at `first`, one column each (Vaswani et al. 2017, 3.5).

    At position t, row 2i is sin(t / 10000^(2i / H)), and row 2i + 1 the cosine of the same angle. H is `size`; where it
    is odd, the last row is a sine. -> (H, T)

    With size = 2, first = 0 and time = 2, the encodings are [[0, sin(1)], [1, cos(1)]].
    """
    # BEGIN SOLUTION 11.2
    rows = np.arange(size)[:, None]
    angles = np.arange(first, first + time) / 10_000 ** (2 * (rows // 2) / size)
    return np.where(rows % 2 == 0, np.sin(angles), np.cos(angles))
    # END SOLUTION


def move(encoding: np.ndarray, distance: int) -> np.ndarray:
    """The encoding of position t + distance, computed from that of position t alone: t itself is not given.

    encoding (H,), H even -> (H,), a new array. Each pair is turned by an angle that depends on the distance only:
    sin(a + b) = sin a cos b + cos a sin b, and cos(a + b) = cos a cos b - sin a sin b. The distance may be negative.

    With the encoding [0, 1] and the distance 1, it is [sin(1), cos(1)].
    """
    # BEGIN SOLUTION 11.2
    size = len(encoding)
    turns = distance / 10_000 ** (np.arange(0, size, 2) / size)
    sines, cosines = encoding[0::2], encoding[1::2]
    moved = np.empty(size)
    moved[0::2] = sines * np.cos(turns) + cosines * np.sin(turns)
    moved[1::2] = cosines * np.cos(turns) - sines * np.sin(turns)
    return moved
    # END SOLUTION
