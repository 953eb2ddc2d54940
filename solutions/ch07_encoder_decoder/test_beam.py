"""Graders of beam.py."""

import itertools

import numpy as np

from common.search import decoding
from common.search.decoding import Hypothesis
from common.text.vocab import Vocabulary
from solutions.checks import check, close, equal, task

MUTANTS = [
    ("7.6", "np.argsort(-totals,", "np.argsort(totals,"),
    ("7.6", "np.argsort(-totals,", "np.argsort(-log_probs,"),
    ("7.6", "[: size - len(ended)]", "[:size]"),
    ("7.6", "[: size - len(ended)]", "[: 2 * size]"),
    ("7.6", "[: size - len(ended)]", "[: max(size - 1, 1) - len(ended)]"),
    ("7.6", "[[total] for _, total in live]", "[[0.0] for _, total in live]"),
    ("7.6", "state, words = model.select(state, rows), [", "words = ["),
    ("7.6", "words = model.select(state, rows)", "words = model.select(state, list(range(len(rows))))"),
    ("7.6", "words = model.select(state, rows)", "words = model.select(state, sorted(set(rows)))"),
    ("7.6", "[ids[-1] for ids, _ in live]", "[ids[0] for ids, _ in live]"),
    ("7.6", "[ids[-1] for ids, _ in live]", "[0 for ids, _ in live]"),
    ("7.6", "        if not live:\n", "        if ended or not live:\n"),
    ("7.6", "                    ended.append(hypothesis)", "                    pass"),
    (
        "7.6",
        "                if word == 0:\n                    ended.append(hypothesis)\n                else:\n",
        "                if word == 0:\n                    ended.append(hypothesis)\n                if True:\n",
    ),
    ("7.6", "            if np.isfinite(totals[row, word]):", "            if True:"),
    ("7.6", "sorted(ended or live,", "sorted(ended + live,"),
    ("7.6", "key=lambda hypothesis: -hypothesis[1])", "key=lambda hypothesis: hypothesis[1])"),
    ("7.6", "found = sorted(ended or live, key=lambda hypothesis: -hypothesis[1])", "found = ended or live"),
    ("7.6", "total, bool(ended)) for", "total, True) for"),
    ("7.6", "float(totals[row, word]))", "float(totals[row, word]) * (word > 0) + live[row][1] * (word == 0))"),
]

GRAPH = {(): [0.1, 0.0, 0.5, 0.4], (2,): [0.3, 0.0, 0.2, 0.5], (3,): [0.8, 0.0, 0.1, 0.1]}
"""P of </s>, <unk>, a and b after each beginning (exercise 7.1); after two words the sentence ends."""


class Graph:
    """A model that is a graph. A row knows what it has read; the most rows of a step are noted, and the steps."""

    def __init__(self, size, probabilities):
        """probabilities(words) gives P(next word), (V,)."""
        self.vocab, self.probabilities = Vocabulary("abcdefgh"[: size - 2]), probabilities
        self.steps = self.rows = 0

    def start(self, number):
        return [None] * number

    def advance(self, state, words):
        self.steps, self.rows = self.steps + 1, max(self.rows, len(state))
        check(
            len(words) == len(state), f"advance: {len(state)} rows read a word each, but {len(words)} words are given"
        )
        words = [int(word) for word in words]
        if state[:1] == [None]:
            check(not any(words), "advance: before the first word the row reads the boundary, id 0")
        state = [() if before is None else (*before, word) for before, word in zip(state, words, strict=True)]
        check(
            not any(0 in row for row in state), "advance: a hypothesis that has ended in </s> must not be read on with"
        )
        with np.errstate(divide="ignore"):
            return state, np.log([self.probabilities(row) for row in state])

    def select(self, state, rows):
        check(
            all(0 <= row < len(state) for row in rows), f"select: there are {len(state)} rows, yours are {list(rows)}"
        )
        return [state[row] for row in rows]


def by_hand():
    return Graph(4, lambda words: GRAPH.get(words, [1.0, 0.0, 0.0, 0.0]))


def random_graph(seed, size=4, end=0.0):
    """Another distribution after every beginning. end: how much likelier </s> becomes with every word."""

    def probabilities(words):
        found = np.random.default_rng([seed, *words]).dirichlet(np.ones(size))
        found[0] += end * len(words)
        return found / found.sum()

    return Graph(size, probabilities)


def every_sentence(model, predictions):
    """All sentences that end within so many predictions, the most probable first: words and log P."""
    found = []
    for length in range(predictions):
        for ids in itertools.product(range(1, len(model.vocab)), repeat=length):
            places = zip([ids[:n] for n in range(length + 1)], [*ids, 0], strict=True)
            log_prob = float(sum(np.log(model.probabilities(words)[word]) for words, word in places))
            found.append(([model.vocab.words[number] for number in ids], log_prob))
    return sorted(found, key=lambda one: -one[1])


def compare(found, expected, what):
    """Compare a list of hypotheses with (words, log P) and the like, all of them ended."""
    check(
        isinstance(found, list) and all(isinstance(one, Hypothesis) for one in found), f"{what}: a list of Hypothesis"
    )
    check(len(found) == len(expected), f"{what}: the result has {len(found)} hypotheses, which is not their number")
    for place, (one, (words, log_prob)) in enumerate(zip(found, expected, strict=True), start=1):
        equal(one.words, words, f"{what}, number {place} of the list: its words, without </s>")
        message = f"{what}, number {place} of the list: log P of all its words and </s>"
        close(one.log_prob, log_prob, message)
        check(one.finished, f"{what}, number {place} of the list: it has ended, so finished is true")


@task("7.6")
def test_the_graph_by_hand(work):
    what = "the graph of exercise 7.1, a beam of"
    compare(work.beam_search(by_hand(), 1, 10), [(["a", "b"], np.log(0.5 * 0.5))], f"{what} 1, which is greedy search")
    expected = [(["b"], np.log(0.4 * 0.8)), (["a", "b"], np.log(0.5 * 0.5))]
    compare(work.beam_search(by_hand(), 2, 10), expected, f"{what} 2")


@task("7.6")
def test_a_beam_as_large_as_the_space(work):
    for seed in range(3):
        model = random_graph(seed)
        expected = every_sentence(model, 4)
        found = work.beam_search(model, 400, 4)
        compare(found, expected, "a beam with room for everything is exhaustive search: all sentences of up to 3 words")


@task("7.6")
def test_a_beam_of_one_is_greedy_search(work):
    for seed in range(8):
        model = random_graph(seed, size=6, end=0.2)
        (expected,) = decoding.greedy(model, 1, 8)
        (found,) = work.beam_search(model, 1, 8)
        equal(found.words, expected.words, "a beam of 1 must find what greedy search finds")
        close(found.log_prob, expected.log_prob, "a beam of 1 must have the log-probability of greedy search")
        check(bool(found.finished) == expected.finished, "a beam of 1 must end where greedy search ends")


@task("7.6")
def test_all_continuations_compete(work):
    """Both of the best sentences begin with a: a search that keeps one continuation of each beginning misses one."""
    rows = {(): [0.0, 0.0, 0.9, 0.1], (2,): [0.0, 0.0, 0.6, 0.4], (3,): [0.0, 0.0, 0.5, 0.5]}
    model = Graph(4, lambda words: rows.get(words, [1.0, 0.0, 0.0, 0.0]))
    expected = [(["a", "a"], np.log(0.54)), (["a", "b"], np.log(0.36))]
    compare(work.beam_search(model, 2, 9), expected, "a beam of 2, both of whose sentences begin with a")


@task("7.6")
def test_the_impossible_is_never_found(work):
    rows = {(): [0.0, 0.0, 1.0, 0.0]}
    model = Graph(4, lambda words: rows.get(words, [1.0, 0.0, 0.0, 0.0]))
    compare(work.beam_search(model, 5, 9), [(["a"], 0.0)], "a graph with a single possible sentence, a beam of 5")


@task("7.6")
def test_what_is_cut(work):
    rows = {(): [0.0, 0.0, 0.7, 0.3], (2,): [0.0, 0.0, 0.9, 0.1], (3,): [0.6, 0.0, 0.4, 0.0]}
    model = Graph(4, lambda words: rows.get(words, [0.0, 0.0, 1.0, 0.0]))
    found = work.beam_search(model, 2, 1)
    what = "where nothing has ended after max_words steps"
    equal([one.words for one in found], [["a"], ["b"]], f"{what}, what still lives is the result")
    close([one.log_prob for one in found], [np.log(0.7), np.log(0.3)], f"{what}: the log-probability so far")
    check(not any(one.finished for one in found), f"{what}, no hypothesis is finished")
    found = work.beam_search(model, 3, 2)
    compare(
        found, [(["b"], np.log(0.3 * 0.6))], "where one has ended within max_words steps, only what has ended counts"
    )


@task("7.6")
def test_the_work_done(work):
    for size in (1, 3, 5):
        model = random_graph(5, size=6, end=0.3)
        found = work.beam_search(model, size, 10)
        message = (
            f"a beam of {size} finds at most {size}, since what has ended keeps its place; yours finds {len(found)}"
        )
        check(len(found) <= size, message)
        message = f"a beam of {size} never has more than {size} rows; yours had {model.rows}"
        check(model.rows <= size, message)
        check(
            model.steps <= 10, f"max_words is 10: at most 10 steps, all hypotheses together; yours takes {model.steps}"
        )
    model = by_hand()
    work.beam_search(model, 2, 50)
    check(model.steps == 3, f"the search is over when nothing lives: 3 steps here, yours takes {model.steps}")


@task("7.6")
def test_the_course_agrees(work):
    for seed in range(12):
        for size in (2, 3, 5):
            model = random_graph(seed, size=6, end=0.1)
            (expected,) = decoding.beam_search(model, 1, size, 6)
            found = work.beam_search(model, size, 6)
            message = f"the same hypotheses as the course's beam search with a beam of {size}"
            equal([one.words for one in found], [one.words for one in expected], message)
            close([one.log_prob for one in found], [one.log_prob for one in expected], message)
            same = [bool(one.finished) for one in found] == [one.finished for one in expected]
            check(same, f"{message}; `finished` differs")
