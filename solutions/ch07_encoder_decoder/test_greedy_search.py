"""Graders of greedy_search.py."""

import numpy as np

from common.search import decoding
from common.search.decoding import Hypothesis
from common.text.vocab import Vocabulary
from solutions.checks import check, close, equal, plain, task

MUTANTS = [
    ("7.5", "log_probs.argmax(axis=1)", "log_probs.argmin(axis=1)"),
    ("7.5", "log_probs.argmax(axis=1)", "(-log_probs).argmax(axis=1)"),
    ("7.5", "log_probs.argmax(axis=1)", "np.array([np.random.choice(len(row), p=np.exp(row)) for row in log_probs])"),
    (
        "7.5",
        "        words = log_probs.argmax(axis=1).tolist()\n",
        "        words = (log_probs[:, 1:].argmax(axis=1) + 1).tolist()\n",
    ),
    ("7.5", "log_probs = model.advance(state, words)", "log_probs = model.advance(state, [0] * number)"),
    ("7.5", "state, log_probs = model.advance(state, words)", "_, log_probs = model.advance(state, words)"),
    ("7.5", "if not ended[row] and step < limits[row]:", "if step < limits[row]:"),
    ("7.5", "if not ended[row] and step < limits[row]:", "if not any(ended) and step < limits[row]:"),
    ("7.5", "if not ended[row] and step < limits[row]:", "if not ended[row]:"),
    ("7.5", "if not ended[row] and step < limits[row]:", "if not ended[row] and step + 1 < limits[row]:"),
    ("7.5", "if all(ended[row] or", "if any(ended[row] or"),
    ("7.5", "if all(ended[row] or step + 1 >= limits[row] for", "if all(ended[row] for"),
    ("7.5", "        if all(ended[row] or", "        if False and all(ended[row] or"),
    ("7.5", "totals[row] += float(log_probs[row, words[row]])", "totals[row] = float(log_probs[row, words[row]])"),
    (
        "7.5",
        "totals[row] += float(log_probs[row, words[row]])",
        "totals[row] += float(log_probs[row, words[row]]) * (words[row] > 0)",
    ),
    ("7.5", "totals[row] += float(log_probs[row,", "totals[row] += float(log_probs[0,"),
    ("7.5", "total, done) for", "total, True) for"),
    ("7.5", "Hypothesis(model.vocab.decode(ids), total", "Hypothesis([model.vocab.words[n] for n in ids], total"),
]

GRAPH = {(): [0.1, 0.0, 0.5, 0.4], (2,): [0.3, 0.0, 0.2, 0.5], (3,): [0.8, 0.0, 0.1, 0.1]}
"""P of </s>, <unk>, a and b after each beginning (exercise 7.1); after two words the sentence ends."""


class Graph:
    """A model that is a graph. Each row knows its source, a number, and what it has read."""

    def __init__(self, size, probabilities):
        """probabilities(source, words) gives P(next word), (V,)."""
        self.vocab, self.probabilities, self.steps = Vocabulary("abcdefgh"[: size - 2]), probabilities, 0

    def start(self, number):
        return [(source, None) for source in range(number)]

    def advance(self, state, words):
        self.steps += 1
        check(
            len(words) == len(state), f"advance: {len(state)} rows read a word each, but {len(words)} words are given"
        )
        words = [int(word) for word in words]
        if any(before is None for _, before in state):
            check(not any(words), "advance: before the first word every row reads the boundary, id 0")
        state = [
            (source, () if before is None else (*before, word))
            for (source, before), word in zip(state, words, strict=True)
        ]
        with np.errstate(divide="ignore"):
            return state, np.log([self.probabilities(*row) for row in state])


def by_hand():
    return Graph(4, lambda source, words: GRAPH.get(words, [1.0, 0.0, 0.0, 0.0]))


def random_graph(seed, size=5):
    """Another distribution after every beginning; most sentences end after a few words."""

    def probabilities(source, words):
        found = np.random.default_rng([seed, source, *words]).dirichlet(np.full(size, 0.7))
        found[0] += 0.15 * len(words)
        return found / found.sum()

    return Graph(size, probabilities)


def walk(model, source, limit):
    """What greedy search writes for one source, word by word: ids without </s>, log P, whether it ended."""
    words, log_prob = (), 0.0
    for _ in range(limit):
        probabilities = np.asarray(model.probabilities(source, words))
        word = int(probabilities.argmax())
        log_prob += float(np.log(probabilities[word]))
        if word == 0:
            return words, log_prob, True
        words = (*words, word)
    return words, log_prob, False


def compare(found, expected, vocab, what):
    """Compare a Hypothesis with ids, log P and whether it ended."""
    check(isinstance(found, Hypothesis), f"{what}: a result is a Hypothesis(words, log_prob, finished)")
    ids, log_prob, finished = expected
    equal(found.words, [vocab.words[number] for number in ids], f"{what}: its words, without </s>")
    close(found.log_prob, log_prob, f"{what}: the sum of log P of what was chosen, </s> included and nothing after it")
    check(bool(found.finished) == finished, f"{what}: finished says whether </s> was chosen, yours is {found.finished}")


@task("7.5")
def test_the_graph_by_hand(work):
    model = by_hand()
    (found,) = work.greedy(model, 1, 10)
    what = "the graph of exercise 7.1: a after <s>, then the likeliest word after a, and so on"
    compare(found, ((2, 3), np.log(0.5 * 0.5), True), model.vocab, what)
    check(
        model.steps == 3,
        f"after </s> nothing more is asked of the model: 3 steps are enough, yours takes {model.steps}",
    )


@task("7.5")
def test_many_rows(work):
    for seed in range(6):
        model = random_graph(seed)
        expected = [walk(model, source, 12) for source in range(5)]
        found = work.greedy(model, 5, 12)
        check(len(found) == 5, f"five rows have five sentences, yours are {len(found)}")
        for row, (one, right) in enumerate(zip(found, expected, strict=True)):
            compare(one, right, model.vocab, f"row {row + 1} of 5, whose rows end at different steps")
        steps = max(len(words) + finished for words, _, finished in expected)
        message = (
            f"when every row is done, nothing more is asked of the model: {steps} steps, yours takes {model.steps}"
        )
        check(model.steps == steps, message)


@task("7.5")
def test_limits(work):
    for seed, limits in enumerate([1, 2, [1, 3, 2, 4], np.array([3, 1, 1, 2]), [9, 2, 2, 9], [2, 9, 3, 9]]):
        model = random_graph(seed + 11)
        each = np.broadcast_to(limits, 4).tolist()
        expected = [walk(model, source, limit) for source, limit in enumerate(each)]
        found = work.greedy(model, 4, limits)
        for row, (one, right) in enumerate(zip(found, expected, strict=True)):
            what = f"row {row + 1}, of which at most {each[row]} prediction(s) are made, </s> among them"
            compare(one, right, model.vocab, what)
        steps = max(len(words) + finished for words, _, finished in expected)
        message = f"max_words {each}: a row is done at its </s> or at its limit, and {steps} steps are enough for all"
        check(model.steps == steps, f"{message}; yours takes {model.steps}")


@task("7.5")
def test_rows_do_not_touch_each_other(work):
    """A sentence is the same alone and in company."""
    model = random_graph(3)
    together = work.greedy(model, 4, 12)
    for row in range(4):
        alone = Graph(5, lambda _, words, row=row: model.probabilities(row, words))
        (found,) = work.greedy(alone, 1, 12)
        message = f"row {row + 1}: alone and among four it must have the same words, log_prob and end"
        close(plain(together[row], message)[1], found.log_prob, message)
        equal(together[row].words, found.words, message)


@task("7.5")
def test_the_course_agrees(work):
    for seed in range(20, 26):
        model = random_graph(seed, size=6)
        found = work.greedy(model, 3, 6)
        model.select = lambda state, rows: [state[row] for row in rows]
        beams = [beam[0] for beam in decoding.beam_search(model, 3, 1, 6)]
        for expected, what in ((decoding.greedy(model, 3, 6), "greedy search"), (beams, "beam search, a beam of 1")):
            for one, right in zip(found, expected, strict=True):
                message = f"the same sentences as the course's {what}"
                equal(one.words, right.words, message)
                close(one.log_prob, right.log_prob, message)
                check(bool(one.finished) == right.finished, f"{message}; `finished` differs")
