"""Chapter 9: how many parameters, ROUGE by hand, and an interval over five seeds by hand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from statistics import mean, stdev, variance

from book.figures.recorded import recorded
from book.lessons import ROOT
from common.chapters import chapter_module
from common.evaluation.rouge import ROUGE_KINDS, Rouge
from common.reading import read_json
from common.text.pairs import load_pairs
from common.text.vocab import Vocabulary
from tools.significance import critical_value, degrees_of_freedom

CHAPTER, CORPUS = "09_word_attention", "village_pairs"
H = 128


@cache
def size_of(variant: str, query: str, hidden_size: int = H, corpus: str | None = None) -> int:
    """How many numbers a model with the default settings has, for a corpus's vocabularies, or for those of one word."""
    made = chapter_module(CHAPTER, "model").WordAttentionModel
    sides = zip(*load_pairs(corpus).train, strict=True) if corpus else [[["hen", "hen"]]] * 2
    vocabularies = [Vocabulary.from_sentences(side, min_count=2) for side in sides]
    found = made(*vocabularies, hidden_size=hidden_size, variant=variant, query=query)
    return sum(math.prod(parameter.shape()) for parameter in found.collection.parameters_list())


def parameters() -> Iterator[int]:
    """What word attention adds with either query, its parts, what gates add, and what the last word in a query does."""
    for query, vectors in (("state", 1), ("word", 2)):
        parts = (H * vectors * H, H * H, H, 4 * H * H, H * H)
        added = size_of("word", query) - size_of("rnnsearch", query)
        assert sum(parts) == added
        yield from (*parts, added)
    yield size_of("gates", "word") - size_of("word", "word")
    yield size_of("rnnsearch", "word") - size_of("rnnsearch", "state")


def larger() -> Iterator[float]:
    """The sizes of two systems, and by how much the second is larger, in per cent; the smallest state with which the
    first is at least as large as the second, and how large it is then."""
    first, second = (size_of(variant, "word", H, CORPUS) for variant in ("rnnsearch", "word"))
    yield from (first, second, 100 * (second / first - 1))
    sizes = ((hidden, size_of("rnnsearch", "word", hidden, CORPUS)) for hidden in range(H, 2 * H, 2))
    yield from next((hidden, size) for hidden, size in sizes if size >= second)


REFERENCE = "dalashin , ildolil buy old plum , say foresters".split()
"""A headline of the test split."""
CANDIDATE = "ildolil , dalashin buy plum , say foresters".split()
"""Made up: the names exchanged, and a word left out."""


def n_grams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(words[place : place + n]) for place in range(len(words) - n + 1)]


def common_subsequence(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """A longest common subsequence, as places in both."""
    best = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in reversed(range(len(first))):
        for j in reversed(range(len(second))):
            same = 1 + best[i + 1][j + 1] if first[i] == second[j] else 0
            best[i][j] = max(same, best[i + 1][j], best[i][j + 1])
    found, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        if first[i] == second[j] and best[i][j] == 1 + best[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i + 1][j] >= best[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


def matches() -> list[tuple[int, int, int]]:
    """Of ROUGE-1, -2 and -L: how much matches, of how much in the candidate, of how much in the reference."""
    rows = []
    for n in (1, 2):
        sides = [Counter(n_grams(words, n)) for words in (CANDIDATE, REFERENCE)]
        rows.append(((sides[0] & sides[1]).total(), sides[0].total(), sides[1].total()))
    return [*rows, (len(common_subsequence(CANDIDATE, REFERENCE)), len(CANDIDATE), len(REFERENCE))]


def rouge() -> Iterator[float]:
    """For each kind: matches, candidate, reference, precision, recall and F-score."""
    for kind, row in zip(ROUGE_KINDS, matches(), strict=True):
        score = Rouge(kind).scorer.score(" ".join(REFERENCE), " ".join(CANDIDATE))[kind]
        yield from (*row, score.precision, score.recall, score.fmeasure)


COMPARED = ("rnnsearch-state", "word-state")


@cache
def variants() -> dict:
    """The chapter's comparison of its systems."""
    return dict(read_json(ROOT / "chapters" / CHAPTER / "variants.json"))


def log_perplexities(system: str) -> list[float]:
    """Of each seed's run on the test split, in nats per word."""
    return [math.log(run["perplexity"]["test"]) for run in variants()["village_pairs"]["runs"][system]]


def published(metric: str) -> dict:
    """The row of variants.json for the two systems."""
    rows = variants()["village_pairs"]["differences"]
    return next(row for row in rows if (row["first"], row["second"], row["metric"]) == (*COMPARED, metric))


def runs() -> Iterator[float]:
    """Each system's five numbers, mean, standard deviation and standard error of the mean."""
    for found in map(log_perplexities, COMPARED):
        yield from (*found, mean(found), stdev(found), stdev(found) / math.sqrt(len(found)))


def deviation() -> Iterator[float]:
    """The first system's runs: the sum of squares around their mean, the variance and the standard deviation."""
    found = log_perplexities(COMPARED[0])
    yield from (sum((one - mean(found)) ** 2 for one in found), variance(found), stdev(found))


def interval() -> Iterator[float]:
    """The difference of the systems' means, its standard error, degrees of freedom, Student's factor and interval."""
    systems = [log_perplexities(name) for name in COMPARED]
    difference = mean(systems[1]) - mean(systems[0])
    squares = [stdev(runs) ** 2 / len(runs) for runs in systems]
    freedom = degrees_of_freedom(squares, [len(runs) - 1 for runs in systems])
    error, t = math.sqrt(sum(squares)), critical_value(freedom)
    yield from (difference, error, freedom, t, difference - t * error, difference + t * error)


def spread() -> Iterator[float]:
    """The difference in BLEU; its variances by each system's seeds, by sentences, and how much of the latter is luck of
    the runs, in all and of either system; the standard error, with the luck counted once, and counted twice; what is
    left of the sentences, degrees of freedom, Student's factor and the interval."""
    found, scores = recorded(CHAPTER)["bootstrap"], variants()[CORPUS]["runs"]
    bleu = [[run["BLEU"] for run in scores[system]] for system in COMPARED]
    seeds = [variance(one) / len(one) for one in bleu]
    sentences, luck = found["deviations"]["sentences"] ** 2, sum(found["luck"])
    difference, left = mean(bleu[1]) - mean(bleu[0]), sentences - luck
    freedom = degrees_of_freedom([*seeds, left], [*(len(one) - 1 for one in bleu), math.inf])
    error, t = math.sqrt(sum(seeds) + left), critical_value(freedom)
    yield from (difference, *seeds, sentences, luck, *found["luck"])
    yield from (*seeds, sentences, luck, error, math.sqrt(sum(seeds) + sentences))
    yield from (left, freedom, t, difference - t * error, difference + t * error)


def how_many_seeds() -> Iterator[float]:
    """For numbers of seeds: Student's factor for two systems, and half an interval in standard deviations of a run."""
    for seeds in (2, 3, 5, 10):
        factor = critical_value(2 * (seeds - 1))
        yield from (seeds, factor, factor * math.sqrt(2 / seeds))


def nearest() -> Iterator[float]:
    """How many sentences were encoded, and the share of names, and of other words, whose nearest annotation in another
    sentence is of another word, in per cent; the mean cosine of one word's annotations, and of two words'."""
    found = recorded(CHAPTER)["similarity"]
    yield found["sentences"]
    yield from (100 * found["missed"][kind][1] for kind in ("names", "other words"))
    yield from (found["means"][name] for name in ("same", "different"))


def opened() -> Iterator[float]:
    """Means over five seeds, our reading: the share of the word context at names to copy, at particles and where the
    order changes; the shares of the gate's elements below 0.1, above 0.9 and from 0.4 to 0.6; then the alignment error
    rate of annotation attention without word attention, with it, and with gates; all in per cent."""
    found = recorded(CHAPTER)
    gated = found["opened"]["gates-word-gated"]
    shares = [gated["by_kind"][kind]["share"] for kind in ("name", "case", "reordering")]
    elements = [gated["gates"][f"elements of o_i {name}"] for name in ("below 0.1", "above 0.9", "from 0.4 to 0.6")]
    rates = [found["error_rates"][system] for system in ("rnnsearch-word", "word-word", "gates-word-gated")]
    yield len(shares[0])
    yield from (round(100 * mean(runs)) for runs in [*shares, *elements, *rates])
