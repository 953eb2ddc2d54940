"""Greedy and beam search against exhaustive enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.search.beams import ScoredBeam, beam_search
from common.search.decoding import Hypothesis
from common.search.length_prior import LENGTH_SCORES, EndScore, LengthPrior, length_score
from common.text.vocab import Vocabulary
from tests.table_lm import TableLM


class GraphLM:
    """A model whose next word depends on all words before it, as a graph drawn on paper says: prefix -> distribution.

    A prefix that the graph leaves out is followed by `</s>` for certain.
    """

    def __init__(self, words: Sequence[str], graph: dict[tuple[str, ...], dict[str, float]]):
        self.vocab, self.graph = Vocabulary(words), graph

    def start(self, batch_size: int) -> list[tuple[int, ...]]:
        return [()] * batch_size

    def advance(self, state: list, words: Sequence[int]) -> tuple[list, np.ndarray]:
        state = [(*before, word) for before, word in zip(state, words, strict=True)]
        table = np.full((len(state), len(self.vocab)), -np.inf)
        for row, ids in enumerate(state):
            distribution = self.graph.get(tuple(self.vocab.decode(ids)), {"</s>": 1.0})
            for word, probability in distribution.items():
                table[row, self.vocab.ids[word]] = math.log(probability)
        return state, table

    def select(self, state: list, rows: Sequence[int]) -> list:
        return [state[row] for row in rows]


def all_sentences(model: GraphLM, prefix: tuple[str, ...] = (), log_prob: float = 0.0) -> dict[tuple[str, ...], float]:
    """Every sentence that begins so, with its log-probability, by following every path of the graph."""
    result = {}
    for word, probability in model.graph.get(prefix, {"</s>": 1.0}).items():
        total = log_prob + math.log(probability)
        result |= {prefix: total} if word == "</s>" else all_sentences(model, (*prefix, word), total)
    return result


def random_graph(seed: int, depth: int) -> GraphLM:
    """Sentences of up to `depth` words over a and b and `<unk>`, every prefix with a distribution of its own."""
    rng, graph = np.random.default_rng(seed), {}
    for length in range(depth):
        for prefix in itertools.product(["<unk>", "a", "b"], repeat=length):
            graph[prefix] = dict(zip(["</s>", "<unk>", "a", "b"], rng.dirichlet(np.ones(4)), strict=True))
    return GraphLM(["a", "b"], graph)


PRIOR = LengthPrior([(2, 3)] * 7 + [(2, 2)] * 2 + [(2, 0)])  # no sentence of one word


def score_by_hand(kind: str | None, words: tuple[str, ...], log_prob: float) -> float:
    """Neubig 2017, Eq. 61 to 63."""
    if kind == "prior":
        counts = {3: 7, 2: 2, 0: 1}
        return log_prob + math.log(counts[len(words)] / 10) if len(words) in counts else -math.inf
    return log_prob / (len(words) + 1) if kind == "normalise" else log_prob


@pytest.mark.equation("neubig2017", 2, 61, 63)
@pytest.mark.parametrize("kind", [None, *LENGTH_SCORES])
@pytest.mark.parametrize("seed", range(3))
def test_a_beam_as_large_as_the_space_is_exhaustive(kind: str | None, seed: int) -> None:
    """The whole list, most probable first or in the order of a score, with the log-probabilities of the model."""
    model = random_graph(seed, depth=3)
    truth = all_sentences(model)
    assert sum(map(math.exp, truth.values())) == pytest.approx(1)
    order = sorted(truth, key=lambda words: (score_by_hand(kind, words, truth[words]), truth[words]), reverse=True)
    (actual,) = beam_search(model, 1, len(truth), 5, [length_score(kind, 2, PRIOR)] if kind else None)
    assert [tuple(hypothesis.words) for hypothesis in actual] == order
    assert [hypothesis.log_prob for hypothesis in actual] == pytest.approx([truth[words] for words in order])


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 1000), size=st.integers(1, 5), kind=st.sampled_from([*LENGTH_SCORES]))
def test_what_is_given_up_could_not_have_won(seed: int, size: int, kind: str) -> None:
    """Searching to the end with every live hypothesis finds the same list."""

    class Patient(ScoredBeam):
        def may_win(self, partial) -> bool:
            return True

    model, scores = random_graph(seed, depth=4), [length_score(kind, 2, PRIOR)]
    actual = beam_search(model, 1, size, 6, scores)
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("common.search.beams.ScoredBeam", Patient)
        assert beam_search(model, 1, size, 6, scores) == actual


@pytest.mark.parametrize("kind, words, steps", [("none", 1, 2), ("prior", 3, 4)])
def test_search_stops_where_no_ending_can_win(kind: str, words: int, steps: int) -> None:
    """By probability as soon as the best has ended; by the prior where only lengths never seen are left."""
    model = TableLM(["a", "b"], np.array([[0.2, 0.0, 0.6, 0.2], *[[0.5, 0.0, 0.4, 0.1]] * 3]))
    read, model.advance = [], lambda *step, advance=model.advance: (read.append(1), advance(*step))[1]
    ((best,),) = beam_search(model, 1, 1, 50, [length_score(kind, 2, PRIOR)])
    assert best.words == ["a"] * words and len(read) == steps


# Two short sentences fill a beam of two, by probability, while the long one is still open.
LONG = ("c",) * 5
CROWDED = GraphLM(
    ["a", "c"],
    {
        (): {"a": 0.5, "c": 0.45, "</s>": 0.05},
        ("a",): {"</s>": 0.9, "a": 0.1},
        ("c",): {"</s>": 0.55, "c": 0.45},
        **{LONG[:length]: {"c": 1.0} for length in (2, 3, 4)},
    },
)


@pytest.mark.equation("neubig2017", 61, 63)
@pytest.mark.parametrize("kind", ["normalise", "prior"])
def test_in_the_beam_a_score_finds_what_reranking_has_lost(kind: str) -> None:
    """A beam of two both times: the long sentence is the best by either score, and not among what reranking gets."""
    truth = all_sentences(CROWDED)
    score = length_score(kind, 2, LengthPrior([(2, 5)] * 9 + [(2, 1)]))
    assert max(truth, key=lambda words: score(truth[words], len(words))) == LONG
    (by_probability,) = beam_search(CROWDED, 1, 2)
    assert [hypothesis.words for hypothesis in by_probability] == [["a"], ["c"]]
    ((best, _),) = beam_search(CROWDED, 1, 2, 100, [score])
    assert best == Hypothesis([*LONG], pytest.approx(math.log(0.45 * 0.45)), True)


@pytest.mark.parametrize("scores", [None, [length_score("normalise")]])
def test_what_is_cut_counts_only_where_nothing_has_ended(scores: list[EndScore] | None) -> None:
    ending = GraphLM(["a", "b"], {(): {"b": 0.5, "a": 0.45, "</s>": 0.05}})
    (actual,) = beam_search(ending, 1, 3, 1, scores)
    assert actual == [Hypothesis([], pytest.approx(math.log(0.05)), True)]
    endless = GraphLM(["a", "b"], {(): {"a": 0.4, "b": 0.6}, ("a",): {"a": 1.0}, ("b",): {"a": 0.5, "b": 0.5}})
    (actual,) = beam_search(endless, 1, 2, 2, scores)
    assert [item[:3] for item in actual] == [
        (["a", "a"], pytest.approx(math.log(0.4)), False),
        (["b", "a"], pytest.approx(math.log(0.3)), False),
    ]


def test_the_impossible_is_not_found() -> None:
    """Only one sentence is possible; a beam of four finds that one."""
    (actual,) = beam_search(GraphLM(["a", "b"], {(): {"a": 1.0}}), 1, 4)
    assert [hypothesis.words for hypothesis in actual] == [["a"]]
