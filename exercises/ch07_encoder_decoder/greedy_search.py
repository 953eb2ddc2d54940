"""Exercise 7.5: greedy search, many sentences side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from common.search.decoding import Hypothesis, Searchable


def greedy(model: Searchable, number: int, max_words: int | Sequence[int]) -> list[Hypothesis]:
    """The sentences made of the most probable word at every step (Neubig 2017, section 7.2.2), one for each row.

    model.start(number) is the state before the first word; model.advance(state, words) reads one word id in each of
    `number` rows, the boundary, id 0, first, and returns (the new state, log P(next word) in nats, an array (number,
    V)). The word that a row chooses is the word that it reads next. When it chooses </s>, which also has the id 0, its
    sentence is finished; the row is still advanced with the others, but nothing is added to it. Do not call the model
    again when all sentences are finished or cut.

    max_words: the largest number of predictions in a sentence, </s> included; one number for all, or one for each row
    (np.broadcast_to(max_words, number) makes an array of either). A sentence that is not finished by then is cut there.

    Result: Hypothesis(words, log_prob, finished) for each row. words: without </s>, as text (model.vocab.decode(ids)
    leaves id 0 out). log_prob: the sum over the chosen words, </s> included. finished: whether </s> was chosen.

    With P(a) = 0.6 and P(</s>) = 0.4 after <s>, and P(</s>) = 1 after a: Hypothesis(["a"], log 0.6, True); and with
    max_words = 1: Hypothesis(["a"], log 0.6, False).
    """
    # TODO 7.5: greedy search
    raise NotImplementedError("Exercise 7.5: greedy search")
