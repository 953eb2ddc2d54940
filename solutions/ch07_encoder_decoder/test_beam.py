"""Graders of beam.py."""

import numpy as np

from common.search.decoding import Hypothesis
from common.text.vocab import Vocabulary
from solutions.checks import check, close, equal, task

GRAPH = {(): [0.1, 0.0, 0.5, 0.4], (2,): [0.3, 0.0, 0.2, 0.5], (3,): [0.8, 0.0, 0.1, 0.1]}
"""P of </s>, <unk>, a and b after each beginning (exercise 7.1); after two words the sentence ends."""


class Graph:
    """A model that is a graph. A row knows what it has read."""

    def __init__(self, rows, otherwise=(1.0, 0.0, 0.0, 0.0)):
        self.vocab, self.rows, self.otherwise = Vocabulary("ab"), rows, otherwise

    def start(self, number):
        return [None] * number

    def advance(self, state, words):
        check(len(words) == len(state), f"advance: {len(state)} rows read a word each, but {len(words)} are given")
        begins = state[:1] == [None]
        check(not (begins and any(words)), "advance: before the first word the row reads the boundary, id 0")
        ended = not begins and 0 in [int(word) for word in words]
        check(not ended, "advance: a hypothesis that has ended in </s> must not be read on with")
        state = [() if before is None else (*before, int(word)) for before, word in zip(state, words, strict=True)]
        with np.errstate(divide="ignore"):
            return state, np.log([self.rows.get(row, self.otherwise) for row in state])

    def select(self, state, rows):
        right = all(0 <= row < len(state) for row in rows)
        check(right, f"select: there are {len(state)} rows, yours are {list(rows)}")
        return [state[row] for row in rows]


def compare(actual, expected, label, finished=True):
    """Compare a list of hypotheses with words and P of each."""
    right = isinstance(actual, (list, tuple)) and all(isinstance(hypothesis, Hypothesis) for hypothesis in actual)
    check(right, f"{label}: a list of Hypothesis")
    check(len(actual) == len(expected), f"{label}: the result has {len(actual)} hypotheses, which is not their number")
    for place, (hypothesis, (words, probability)) in enumerate(zip(actual, expected, strict=True), start=1):
        equal(hypothesis.words, words, f"{label}, number {place} of the list: its words, without </s>")
        message = f"{label}, number {place} of the list: log P of all its words and, where it has ended, of </s>"
        close(hypothesis.log_prob, float(np.log(probability)), message)
        message = f"{label}, number {place} of the list: finished says whether it has ended, yours is"
        check(bool(hypothesis.finished) == finished, f"{message} {hypothesis.finished}")


@task("7.6")
def test_the_graph_by_hand(work):
    label, greedy = "the graph of exercise 7.1, a beam of", (["a", "b"], 0.5 * 0.5)
    compare(work.beam_search(Graph(GRAPH), 1, 10), [greedy], f"{label} 1, which is greedy search")
    compare(work.beam_search(Graph(GRAPH), 2, 10), [(["b"], 0.4 * 0.8), greedy], f"{label} 2")


@task("7.6")
def test_all_continuations_compete(work):
    """Both of the best sentences begin with a: a search that keeps one continuation of each beginning misses one."""
    model = Graph({(): [0.0, 0.0, 0.9, 0.1], (2,): [0.0, 0.0, 0.6, 0.4], (3,): [0.0, 0.0, 0.5, 0.5]})
    expected = [(["a", "a"], 0.54), (["a", "b"], 0.36)]
    compare(work.beam_search(model, 2, 9), expected, "a beam of 2, both of whose sentences begin with a")


@task("7.6")
def test_what_is_cut(work):
    rows = {(): [0.0, 0.0, 0.7, 0.3], (2,): [0.0, 0.0, 0.9, 0.1], (3,): [0.6, 0.0, 0.4, 0.0]}
    model = Graph(rows, (0.0, 0.0, 1.0, 0.0))
    label = "where nothing has ended after max_words steps, what still lives is the result"
    compare(work.beam_search(model, 2, 1), [(["a"], 0.7), (["b"], 0.3)], label, finished=False)
    label = "where one has ended within max_words steps, only what has ended counts"
    compare(work.beam_search(model, 3, 2), [(["b"], 0.3 * 0.6)], label)
