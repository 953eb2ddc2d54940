"""The worked examples of part 2 of chapter 8: the attentional state, input feeding, windows, coverage.

The source, its annotations and the first two states are those of ch08.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import dynet as dy
import numpy as np

from book.worked.ch08 import ANNOTATIONS, CHAPTER, QUERIES, SOURCE, look, numbers, score
from common.chapters import chapter_module
from common.nn.recurrent import HiddenState
from common.nn.source_attention import ContextDecoder, Memory, attention_weights
from common.text.alignment import Links, true_alignments
from common.text.pairs import load_pairs
from common.text.vocab import Vocabulary

AttentionalModel = chapter_module(CHAPTER, "model").AttentionalModel
AttentionalReadout = chapter_module(CHAPTER, "attentional_readout").AttentionalReadout
LinguisticCoverage = chapter_module(CHAPTER, "coverage").LinguisticCoverage
MonotonicWindow = chapter_module(CHAPTER, "local_attention").MonotonicWindow
Settings = chapter_module(CHAPTER, "settings").Settings

W_C = np.array([[1.0, 0.0, 0.5, 0.0], [0.0, 1.0, 0.0, 0.5]])
"""W_c: the context as it is, and half of the state."""
WORD = np.array([0.3, 0.3])
"""The embedding of the word that the second step reads, *mirena*."""
W_H, W_F = 0.5, -1.0
"""The matrices of the state and of the fed vector are these numbers times the identity; that of the word is 1 times."""
FERTILITIES = np.array([1.0, 1.5, 1.0])
V = np.array([[-2.0], [-2.0]])
ASKED = np.array([0.3, 0.2])
"""The state of the step after those that wrote *mirena* and *galin*."""
REACH = 3
"""D of the windows over the test pairs."""


def attentional(name: str) -> np.ndarray:
    """h~_t of the step that writes this word, (2,), by the chapter's readout."""
    collection = dy.ParameterCollection()
    readout = AttentionalReadout(collection, 2, 0.1)
    readout.W_c.set_value(W_C)
    _, mean = look(QUERIES[name])
    dy.renew_cg()
    return numbers(readout.attentional(dy.inputTensor(QUERIES[name]), dy.inputTensor(mean)))


def attentional_states() -> Iterator[float]:
    """Context, state, the sums that enter tanh, and h~, of both steps."""
    yield 0.5
    for name in QUERIES:
        _, mean = look(QUERIES[name])
        yield from (*mean, *QUERIES[name], *(W_C @ np.concatenate([mean, QUERIES[name]])), *attentional(name))


@cache
def second_step(fed: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The argument of the cell's tanh and the state of the step after *mirena*, (2,) each, and its weights, (3,)."""
    collection = dy.ParameterCollection()
    decoder = ContextDecoder(collection, "rnn", 2, 1, 0.1, [2] if fed else [])
    decoder.layers[0].W_x.set_value(np.eye(2))
    decoder.layers[0].W_h.set_value(W_H * np.eye(2))
    vectors = [attentional("mirena")] if fed else []
    if fed:
        decoder.W_c[0].set_value(W_F * np.eye(2))
    dy.renew_cg()
    words = decoder.project(dy.inputTensor(WORD[:, None]))
    before = [HiddenState(dy.inputTensor(QUERIES["mirena"]))]
    (after,) = decoder.step(dy.reshape(words, (2,)), [dy.inputTensor(one) for one in vectors], before)
    found = numbers(after.hidden)
    weights, _ = look(found)
    return np.arctanh(found), found, weights


def feeding() -> Iterator[float]:
    """The second step without feeding and with it: what enters tanh, the state, dot scores, weights."""
    yield from WORD
    yield from (W_H, *QUERIES["mirena"], *attentional("mirena"))
    for fed in (False, True):
        inner, state, weights = second_step(fed)
        yield from (*inner, *state, *(ANNOTATIONS @ state), *weights)


def window_of(target: int, source: int, reach: int) -> np.ndarray:
    """Which of the source words local-m sees at a target word, counted from 1."""
    lengths = dy.inputTensor(np.array([[float(source)]]))
    return numbers(MonotonicWindow(reach).outside(target - 1, lengths, source)) == 0


@cache
def links_of_test() -> list[tuple[int, Links]]:
    """The number of source words and the true links of each test pair."""
    corpus = load_pairs("village_pairs")
    return [(len(pair.source), one) for pair, one in zip(corpus.test, true_alignments(corpus, "test"), strict=True)]


@cache
def share_seen(reach: int) -> float:
    """The share of the true links of test whose source word is in local-m's window at their target word."""
    places = [(i + 1, min(j + 1, size)) for size, links in links_of_test() for i, j in links]
    return float(np.mean([abs(i - place) <= reach for i, place in places]))


def windows() -> Iterator[float]:
    """How many true links there are, and the percentage that windows of D = 1, 3, 5 and 10 see."""
    yield sum(len(links) for _, links in links_of_test())
    for reach in (1, REACH, 5, 10):
        yield from (reach, 100 * share_seen(reach))


class Third(NamedTuple):
    """A step under coverage. amounts: (2, 3), after either step; scores and weights (3,): without coverage and with."""

    amounts: np.ndarray
    scores: tuple[np.ndarray, np.ndarray]
    weights: tuple[np.ndarray, np.ndarray]


@cache
def third_step() -> Third:
    """The third step under the mlp score, after the two steps with dot scores, by the chapter's linguistic coverage."""
    collection = dy.ParameterCollection()
    made = LinguisticCoverage(collection, 2, 0.1)
    made.V.set_value(V)
    dy.renew_cg()
    memory = Memory.of(score("mlp"), dy.inputTensor(ANNOTATIONS.T), np.array([len(SOURCE)]))
    covered = made.begin(memory.annotations)._replace(prepared=dy.inputTensor(FERTILITIES[None, :]))
    amounts, query = [], dy.inputTensor(ASKED)
    plain = numbers(score("mlp").scores(memory.keys, query)), numbers(attention_weights(score("mlp"), memory, query))
    for name in QUERIES:
        weights, _ = step_weights()[name]
        covered = made.add(covered, query, dy.inputTensor(weights[:, None]))
        amounts.append(numbers(covered.amount))
    told = made.tell(memory, covered)
    found = numbers(score("mlp").scores(told.keys, query)), numbers(attention_weights(score("mlp"), told, query))
    return Third(np.array(amounts), (plain[0], found[0]), (plain[1], found[1]))


@cache
def step_weights() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The weights and the context of both steps; computed before the graph of another step begins."""
    return {name: look(query) for name, query in QUERIES.items()}


def coverage() -> Iterator[float]:
    """For each source word its weights in the two steps, its fertility, its coverage; then the third step."""
    step_weights()
    found = third_step()
    both = [weights for weights, _ in step_weights().values()]
    for row in zip(*both, FERTILITIES, found.amounts[1], strict=True):
        yield from row
    yield from ASKED
    yield from V.ravel()
    for place, annotation in enumerate(ANNOTATIONS):
        yield from (annotation + ASKED)
        yield found.scores[0][place]
        yield from (annotation + ASKED + V.ravel() * found.amounts[1][place])
        yield found.scores[1][place]
    for weights in found.weights:
        yield from weights


DECODERS = (
    {},
    {"readout": "attentional"},
    {"readout": "attentional", "feed": "attentional"},
    {"readout": "attentional", "feed": "nothing"},
    {"readout": "attentional", "feed": "attentional", "attention": "local-m"},
    {"readout": "attentional", "feed": "attentional", "attention": "local"},
    {"coverage_model": "linguistic"},
    {"coverage_model": "neural"},
)
"""The settings of the decoders whose sizes the page gives, in its order."""


@cache
def sizes() -> list[int]:
    """The number of parameters of each of them, on the embedded pairs."""
    train = load_pairs("village_pairs").train
    vocabularies = [Vocabulary.from_sentences(side, Settings().min_count) for side in zip(*train, strict=True)]
    return [AttentionalModel(*vocabularies, **chosen).collection.parameter_count() for chosen in DECODERS]


def parameters() -> Iterator[float]:
    """The sizes, and what each has more than the default."""
    for size in sizes():
        yield from (size, size - sizes()[0])
