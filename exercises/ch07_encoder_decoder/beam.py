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
    # TODO 7.6: beam search (advanced)
    raise NotImplementedError("Exercise 7.6: beam search (advanced)")
