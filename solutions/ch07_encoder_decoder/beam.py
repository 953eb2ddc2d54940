"""Exercise 7.6, advanced: beam search for one sentence, all its hypotheses side by side."""

from __future__ import annotations

import numpy as np

from common.search.decoding import Hypothesis, Searchable


def beam_search(model: Searchable, size: int, max_words: int) -> list[Hypothesis]:
    """At most `size` hypotheses for one sentence, the most probable first (Neubig 2017, section 7.2.3).

    At every step all continuations of all live hypotheses, </s> among them, are compared by the log-probability of
    everything written so far. The best are kept: `size` of them, minus the number of hypotheses that have already
    ended. Of those that are kept, the ones that chose </s> have ended; the others stay live. Continuations with
    log-probability -inf are never kept. The search is over when no hypothesis is live, or after max_words steps;
    hypotheses that are still live then count only if none has ended.

    model.start(1): the state of one row before the first word. model.advance(state, words): reads one word id per row,
    the boundary, id 0, first, and returns (the new state, log P(next word) in nats, an array (rows, V)). All live
    hypotheses are advanced together, one row each. model.select(state, rows): the state of these rows, in this order; a
    row may occur more than once, and must if two hypotheses that are kept have the same beginning.

    Result: a list of Hypothesis(words, log_prob, finished); words without </s>, as text (model.vocab.decode(ids) leaves
    id 0 out), log_prob with </s> where it was chosen.

    With P(a) = 0.6 and P(b) = 0.4 after <s>, P(</s>) = 0.55 and P(a) = 0.45 after a, and P(</s>) = 1 after b, a beam of
    2 finds Hypothesis(["b"], log 0.4, True) and Hypothesis(["a"], log 0.33, True).
    """
    # BEGIN SOLUTION 7.6
    live, ended = [((), 0.0)], []
    state, words = model.start(1), [0]
    for _ in range(max_words):
        state, log_probs = model.advance(state, words)
        totals = np.array([[total] for _, total in live]) + log_probs
        best = np.argsort(-totals, axis=None, kind="stable")[: size - len(ended)]
        rows, longer = [], []
        for row, word in zip(*np.unravel_index(best, totals.shape), strict=True):
            if np.isfinite(totals[row, word]):
                hypothesis = ((*live[row][0], int(word)), float(totals[row, word]))
                if word == 0:
                    ended.append(hypothesis)
                else:
                    rows.append(int(row))
                    longer.append(hypothesis)
        live = longer
        if not live:
            break
        state, words = model.select(state, rows), [ids[-1] for ids, _ in live]
    ranked = sorted(ended or live, key=lambda hypothesis: -hypothesis[1])
    return [Hypothesis(model.vocab.decode(ids), total, bool(ended)) for ids, total in ranked]
    # END SOLUTION
