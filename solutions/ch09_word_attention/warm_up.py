"""Exercise 9.1, a warm-up with pencil and paper: what a gate lets through, and what word attention costs."""

from __future__ import annotations


def what_the_decoder_reads() -> list[float]:
    """The four numbers of [o_i . c_i^alpha; (1 - o_i) . c_i^beta], one above the other (Wu et al. 2018, Eq. 6).

    The products are element by element. c_i^alpha = (4, 2), c_i^beta = (8, 6), and the sums inside the sigmoid of the
    gate o_i (Eq. 5) are -log 3 and 0.
    """
    # BEGIN SOLUTION 9.1
    o = [1 / 4, 1 / 2]  # 1 / (1 + 3) and 1 / (1 + 1)
    return [o[0] * 4, o[1] * 2, (1 - o[0]) * 8, (1 - o[1]) * 6]
    # END SOLUTION


def more_parameters(variant: str, H: int) -> int:
    """How many more numbers does a model learn than one that attends to annotations alone? All vectors have H numbers.

    variant "word": the model also attends to words, with a separate score, v_b, W_b and U_b (Eq. 1). The decoder, a
    layer of gated recurrent units (GRU), reads a second context with each of its three blocks (Eq. 3; the lesson's LSTM
    has four), and so does the layer before the softmax, whose W_g is (H, 3H) without it (Eq. 4). variant "gates": all
    this, and the gate of Eq. 5, which has no bias.

    more_parameters("word", 1) == 7
    """
    # BEGIN SOLUTION 9.1
    word = H + 2 * H**2 + 3 * H**2 + H**2
    return word + 4 * H**2 if variant == "gates" else word
    # END SOLUTION
