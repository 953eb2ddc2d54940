"""Exercise 6.1, a warm-up with pencil and paper: what the attentive language model attends to, and what it costs.

Step t reads a word and has the state h_t. Before it predicts, it attends to the memory h_1 ... h_{t-1} (Salton et
al. 2017, Eq. 3 and 4). A sentence of n words has n + 1 steps: the first reads <s>, the last predicts </s>.
"""

from __future__ import annotations


def context_at_step_three() -> float:
    """The context c_3 of a model whose states are single numbers: h_1 = 2, h_2 = -1, h_3 = 5.

    The scores are score(h_1, h_3) = 0, score(h_2, h_3) = log 3 and score(h_3, h_3) = log 12.
    """
    # TODO 6.1: a context by hand, and what attention costs
    raise NotImplementedError("Exercise 6.1: a context by hand, and what attention costs")


def scores_of_a_sentence(words: int, score: str) -> int:
    """How many different scores must be computed for the contexts of a whole sentence?

    score: "combined", which is a different number for every pair of a state in the memory and a query (Eq. 10), or
    "single", where a state has the same score for all queries (Eq. 9).

    scores_of_a_sentence(2, "combined") == 3: step 2 attends to h_1, step 3 to h_1 and h_2. With "single" there are 2.
    """
    # TODO 6.1: a context by hand, and what attention costs
    raise NotImplementedError("Exercise 6.1: a context by hand, and what attention costs")


def more_parameters(hidden_size: int, score: str) -> int:
    """How many more numbers does the model learn than the same model without attention?

    score: "single" or "combined", whose vectors and matrices are v_s (H), W_s (H x H) and W_q (H x H), those that its
    equation needs. W_c, which merges state and context (Eq. 7), is H x 2H; without a context it is H x H.

    more_parameters(1, "single") == 3
    """
    # TODO 6.1: a context by hand, and what attention costs
    raise NotImplementedError("Exercise 6.1: a context by hand, and what attention costs")
