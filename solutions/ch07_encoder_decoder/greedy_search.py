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
    # BEGIN SOLUTION 7.5
    limits = np.broadcast_to(max_words, number)
    sentences: list[list[int]] = [[] for _ in range(number)]
    totals, ended = [0.0] * number, [False] * number
    state, words = model.start(number), [0] * number
    for step in range(limits.max()):
        state, log_probs = model.advance(state, words)
        words = log_probs.argmax(axis=1).tolist()
        for row in range(number):
            if not ended[row] and step < limits[row]:
                sentences[row].append(words[row])
                totals[row] += float(log_probs[row, words[row]])
                ended[row] = words[row] == 0
        if all(ended[row] or step + 1 >= limits[row] for row in range(number)):
            break
    parts = zip(sentences, totals, ended, strict=True)
    return [Hypothesis(model.vocab.decode(ids), total, done) for ids, total, done in parts]
    # END SOLUTION
