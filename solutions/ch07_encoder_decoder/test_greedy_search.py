"""Graders of greedy_search.py."""

import numpy as np

from common.search.decoding import Hypothesis
from common.text.vocab import Vocabulary
from solutions.checks import check, close, equal, task

GRAPH = {(): [0.1, 0.0, 0.5, 0.4], (2,): [0.3, 0.0, 0.2, 0.5], (3,): [0.8, 0.0, 0.1, 0.1]}
"""P of </s>, <unk>, a and b after each beginning (exercise 7.1); after two words the sentence ends."""
SOURCES = {"one": (), "other": (3,)}
"""Rows have these sources in turn. A row of the other begins as if it had read b, so that it ends at once."""


class Graph:
    """A model that is a graph. Each row knows its source, and then what it has read."""

    def __init__(self):
        self.vocab, self.asked = Vocabulary("ab"), set()

    def start(self, number):
        return [[*SOURCES][row % 2] for row in range(number)]

    def advance(self, state, words):
        check(len(words) == len(state), f"advance: {len(state)} rows read a word each, but {len(words)} are given")
        begins = any(before in SOURCES for before in state)
        check(not (begins and any(words)), "advance: before the first word every row reads the boundary, id 0")
        self.asked.add((*state, *map(int, words)))
        pairs = zip(state, words, strict=True)
        state = [SOURCES[before] if before in SOURCES else (*before, int(word)) for before, word in pairs]
        with np.errstate(divide="ignore"):
            return state, np.log([GRAPH.get(row, [1.0, 0.0, 0.0, 0.0]) for row in state])


def compare(work, limits, expected, steps, label):
    """Compare a search in the graph with words, P and end of each row."""
    model = Graph()
    actual = work.greedy(model, len(expected), limits)
    check(len(actual) == len(expected), f"{len(expected)} rows have as many sentences, yours are {len(actual)}")
    for row, (hypothesis, (words, probability, finished)) in enumerate(zip(actual, expected, strict=True), start=1):
        check(isinstance(hypothesis, Hypothesis), f"{label}: a result is a Hypothesis(words, log_prob, finished)")
        equal(hypothesis.words, words, f"{label}, row {row}: its words, without </s>")
        message = f"{label}, row {row}: the sum of log P of what was chosen, </s> included and nothing after it"
        close(hypothesis.log_prob, float(np.log(probability)), message)
        message = f"{label}, row {row}: finished says whether </s> was chosen, yours is {hypothesis.finished}"
        check(bool(hypothesis.finished) == finished, message)
    message = f"{label}: when every row is done, nothing more is asked of the model: {steps} steps, yours takes"
    check(len(model.asked) == steps, f"{message} {len(model.asked)}")


@task("7.5")
def test_the_graph_by_hand(work):
    label = "the graph of exercise 7.1: a after <s>, then the likeliest word after a, and so on"
    compare(work, 10, [(["a", "b"], 0.5 * 0.5, True)], 3, label)


@task("7.5")
def test_limits(work):
    a, ab, whole, none = (["a"], 0.5, False), (["a", "b"], 0.25, False), (["a", "b"], 0.25, True), ([], 0.8, True)
    for limits, expected, steps in (([1, 9], [a, none], 1), (2, [ab, none], 2), ([9, 1, 2], [whole, none, ab], 3)):
        compare(work, limits, expected, steps, f"max_words {limits}, </s> among them: a row is done there or at </s>")
