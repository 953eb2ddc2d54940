"""More worked examples of chapter 8: hard and local attention, an alignment's error rate, recorded results.

Those of priors stand in ch08_priors.py.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cache

import dynet as dy
import numpy as np

from book.figures.recorded import recorded
from book.worked.ch08 import ANNOTATIONS, CHAPTER, GRADIENT, QUERIES, SOURCE, look, numbers, score
from common.chapters import chapter_module
from common.nn.source_attention import Memory, attention_weights, context
from common.text.alignment import (
    Links,
    alignment_error_rate,
    links_of,
    of_aligned_words,
    precision,
    recall,
    true_alignments,
)
from common.text.pairs import load_pairs
from common.text.vocab import UNKNOWN

one_word = chapter_module(CHAPTER, "hard_attention").one_word
LocalWindow = chapter_module(CHAPTER, "local_attention").LocalWindow

QUERY = QUERIES["galin"]
WINDOW, PLACE = 1, 2.4
"""D, and p_t, the place that the network predicts in a source of three words."""


@cache
def hard() -> tuple[np.ndarray, np.ndarray]:
    """The context of hard attention, (2,), and the straight-through gradient of the scores, (3,), by DyNet."""
    dy.renew_cg()
    collection = dy.ParameterCollection()
    added = collection.add_parameters((3, 1), init=0)
    memory = Memory.of(score("dot"), dy.inputTensor(ANNOTATIONS.T), np.array([3]))
    chosen = context(memory, one_word(attention_weights(score("dot"), memory, dy.inputTensor(QUERY), added)))
    loss = dy.dot_product(dy.inputTensor(GRADIENT), chosen)
    loss.scalar_value()
    loss.backward()
    return numbers(chosen), np.array(added.grad_as_array(), dtype=float).ravel()


def place() -> float:
    """The argument of the sigmoid of which PLACE is the result."""
    share = PLACE / len(SOURCE)
    return math.log(share / (1 - share))


@cache
def local() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The softmax over the window, the bell, and the weights, their product: (3,) each."""
    collection = dy.ParameterCollection()
    window = LocalWindow(collection, 1, 1, WINDOW, 0.1)
    window.W.set_value([[1.0]])
    window.v.set_value([[place() / math.tanh(1.0)]])
    dy.renew_cg()
    length = dy.inputTensor(np.array([[float(len(SOURCE))]]))
    seen = window.window_for(dy.inputTensor([1.0]), length, len(SOURCE))
    memory = Memory.of(score("dot"), dy.inputTensor(ANNOTATIONS.T), np.array([3]))
    inside = attention_weights(score("dot"), memory, dy.inputTensor(QUERY), seen.outside)
    return numbers(inside), numbers(seen.gaussian), numbers(dy.cmult(inside, seen.gaussian))


def hard_and_local() -> Iterator[float]:
    """One step three ways."""
    weights, _ = look(QUERY)
    yield from (PLACE, WINDOW)
    inside, bell, product = local()
    for number, row in enumerate(zip(weights, inside, bell, product, strict=True), start=1):
        soft, within, height, weight = row
        yield from (soft, float(soft == weights.max()), abs(number - PLACE), within, height, weight)
    yield product.sum()


def straight_through() -> Iterator[float]:
    """The gradient that hard attention hands to the scores, and what the hard context's share would make of it."""
    chosen, slopes = hard()
    weights, mean = look(QUERY)
    yield from (*chosen, GRADIENT @ chosen, GRADIENT @ mean)
    yield from slopes
    yield GRADIENT @ chosen
    yield from (*(weights * (ANNOTATIONS @ GRADIENT - GRADIENT @ chosen)), 0)


def short_pair() -> tuple[list[str], list[str], np.ndarray, Links]:
    """The recorded short pair: source, target, attention and true links."""
    told = recorded(CHAPTER)["short"]
    weights = np.array(told["weights"]["default"])
    return told["source"], told["target"], weights, {tuple(link) for link in told["links"]}


def aer() -> Iterator[float]:
    """Links found and true links of one pair, and the error rate."""
    source, target, weights, true = short_pair()
    found = links_of(weights)
    for j in range(len(target)):
        (i,) = [one for one, to in found if to == j]
        yield from (j + 1, weights[j, i])
    hits = len(found & true)
    yield from (len(found), len(true), hits)
    yield from (hits, len(found), precision([found], [true]), hits, len(true), recall([found], [true]))
    yield from (1, 2, hits, len(found), len(true), alignment_error_rate([found], [true]))


@cache
def jumps() -> list[int]:
    """How far the aligned words of test's targets lie apart in the source, from one to the next."""
    found = []
    for links in true_alignments(load_pairs("village_pairs"), "test"):
        places = [i for i, _ in sorted(links, key=lambda link: (link[1], link[0]))]
        found += [after - before for before, after in itertools.pairwise(places)]
    return found


def data() -> Iterator[float]:
    """Target words of test, with and without an aligned word, and where the next aligned word stands."""
    corpus = load_pairs("village_pairs")
    words = sum(len(pair.target) for pair in corpus.test)
    aligned = sum(len({j for _, j in links}) for links in true_alignments(corpus, "test"))
    yield from (words, aligned, words - aligned, sum(map(len, true_alignments(corpus, "test"))))
    yield 100 * float(np.mean([jump == 1 for jump in jumps()]))
    yield 100 * float(np.mean([abs(jump) > 3 for jump in jumps()]))


def bound() -> Iterator[float]:
    """The lowest error rates on test with one link for each target word, a true one wherever there is one, and with
    one for each that has an aligned word."""
    corpus = load_pairs("village_pairs")
    true = true_alignments(corpus, "test")
    ideal = []
    for links, pair in zip(true, corpus.test, strict=True):
        first = {j: i for i, j in links}
        ideal.append({(first.get(j, 0), j) for j in range(len(pair.target))})
    hits, words = sum(len(a & s) for a, s in zip(ideal, true, strict=True)), sum(map(len, ideal))
    wanted = sum(map(len, true))
    yield from (hits, words, wanted, 1, 2, hits, words, wanted, 100 * alignment_error_rate(ideal, true))
    kept = of_aligned_words(ideal, true)
    yield from (1, 2, hits, sum(map(len, kept)), wanted, 100 * alignment_error_rate(kept, true))


KINDS = ("name", "reordering", "agreement", "ambiguity", "choice")
"""What decides a word: those kinds that the lesson's table has, in its order."""


def phenomena() -> Iterator[float]:
    """How many words of test each thing decides, and the perplexity on them: means over the recorded seeds."""
    told = recorded(CHAPTER)["phenomena"]
    for kind in KINDS:
        row = told[kind]
        yield from (row["words"], row["oracle"], np.mean(row["encoder-decoder"]), np.mean(row["attention"]))


def names_alone() -> Iterator[float]:
    """What a name that was to be copied costs chapter 7's model."""
    yield from (1, 7, float(np.mean(recorded(CHAPTER)["phenomena"]["name"]["encoder-decoder"])))


def by_length() -> Iterator[float]:
    """BLEU of shorter and longer sources, means over the recorded seeds."""
    told = recorded(CHAPTER)["by_length"]
    yield from (8, 10, 14, 16, 7)
    for name in ("encoder-decoder", "attention"):
        for length in ("8 to 10", "14 to 16"):
            yield float(np.mean([one[length][1] for one in told[name]]))


def translations() -> Iterator[float]:
    """BLEU of greedy search, means over the recorded seeds: chapter 7's model and this chapter's."""
    yield float(np.mean([one["1 none"]["bleu"] for one in recorded("07_encoder_decoder")["scores"]]))
    yield 7
    yield float(np.mean(recorded(CHAPTER)["unknown"]["none"]))


def links() -> Iterator[float]:
    """The least and the largest error rate of five seeds, over all target words and over those that are aligned."""
    rates = recorded(CHAPTER)["alignments"]
    for key in ("error_rate", "error_rate_of_aligned_words"):
        found = [100 * one[key] for one in rates]
        yield from (min(found), max(found))


def copied() -> Iterator[float]:
    """The weight of the source word that is copied in the recorded example."""
    told = recorded(CHAPTER)["example"]
    yield max(told["weights"][told["found"].index(UNKNOWN)])


def replacing() -> Iterator[float]:
    """BLEU with unknown words as they are, copied and looked up: means over the recorded seeds."""
    told = recorded(CHAPTER)["unknown"]
    for name in ("none", "copy", "dictionary"):
        yield float(np.mean(told[name]))
