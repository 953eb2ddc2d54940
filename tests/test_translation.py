"""What all translation models share: evaluation, bound search, ensembles; against tables of known probabilities."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from common.errors import UserError
from common.search.decoding import Hypothesis
from common.search.length_prior import LENGTH_SCORES, LengthPrior, best_first, length_score
from common.search.searches import LENGTH_IN, Decoding, translate
from common.search.translation import evaluate_pairs, parts_of, target_log_probs
from common.search.translation_ensemble import TranslationEnsemble
from common.text.pairs import Pair
from tests.table_translation import TableTranslation

SOURCE, TARGET = ["hen", "ox", "sees", "waits"], ["ba", "do", "ku"]
SOURCES = [["hen", "sees", "ox"], ["ox"], ["waits", "hen"], ["hen"], ["ox", "waits", "hen", "sees"], ["yak", "ox"]]


@pytest.fixture
def model() -> TableTranslation:
    return TableTranslation(SOURCE, TARGET)


def log_prob_by_hand(model: TableTranslation, source: list[str], target: list[str]) -> list[float]:
    table = model.tables[model.source_vocab.encode(source)[0]]
    ids = [0, *model.vocab.encode(target), 0]
    return [table[before, after] for before, after in itertools.pairwise(ids)]


def test_references_cost_what_the_tables_say(model: TableTranslation) -> None:
    """In the order of the pairs, whatever the batches; words unknown to the model are spelt."""
    rng = np.random.default_rng(3)
    pairs = [Pair(source, rng.choice([*TARGET, "zu"], size=size).tolist()) for size, source in enumerate(SOURCES)]
    expected = [log_prob_by_hand(model, *pair) for pair in pairs]
    for size in (1, 2, 64):
        actual = target_log_probs(model, pairs, "token", batch_size=size)
        assert [row.tolist() for row in actual] == [pytest.approx(row) for row in expected]
    unknown = sum(pair.target.count("zu") for pair in pairs)
    assert unknown > 0
    result = evaluate_pairs(model, pairs, "uniform")
    assert result.predictions == sum(len(pair.target) + 1 for pair in pairs) and result.unknown == unknown
    assert result.log_prob == pytest.approx(sum(map(sum, expected)) - unknown * math.log(10_000_000))
    with pytest.raises(UserError, match="'zu'"):
        evaluate_pairs(model, pairs, "closed")


@pytest.mark.parametrize(
    "decoding",
    [
        Decoding(),
        Decoding(beam=3),
        *(Decoding(beam=3, length=kind, length_in=place) for kind in ("normalise", "prior") for place in LENGTH_IN),
    ],
)
def test_translations_do_not_depend_on_the_batches(model: TableTranslation, decoding: Decoding) -> None:
    prior = LengthPrior((source, 2 * source) for source in range(1, 5))
    joint = translate(model, SOURCES, decoding, prior=prior)
    for source, actual in zip(SOURCES, joint, strict=True):
        (alone,) = translate(model, [source], decoding, prior=prior)
        if decoding.length == "prior" and decoding.length_in == "search":
            assert len(actual[0].words) == 2 * len(source), "the beam follows the prior of its own source"
        assert [hypothesis[:3] for hypothesis in actual] == [hypothesis[:3] for hypothesis in alone]
        assert 1 <= len(actual) <= decoding.beam
        for hypothesis in actual:
            costs = log_prob_by_hand(model, source, hypothesis.words)
            assert hypothesis.log_prob == pytest.approx(sum(costs if hypothesis.finished else costs[:-1]))


@pytest.mark.parametrize("decoding, most", [(Decoding(), 1000), (Decoding(beam=4), 250), (Decoding(samples=2), 500)])
def test_long_sentences_share_smaller_batches(decoding: Decoding, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as the memory allows, and at least one; each sentence once; never more than asked for."""
    monkeypatch.setattr("common.search.translation.KEPT_WEIGHT", 1)
    monkeypatch.setattr("common.search.room.AT_ONCE", 1000)
    lengths = [3, 40, 1, 10, 10, 2, 9, 3, 10, 5, 10, 10, 1, 10] * 3
    parts = list(parts_of(lengths, [*map(decoding.most_words, lengths)], None, decoding.rows))
    assert sorted(index for part in parts for index in part) == list(range(len(lengths)))
    in_order = [lengths[index] for part in parts for index in part]
    assert in_order == sorted(lengths)
    for part, after in zip(parts, [*parts[1:], None], strict=True):
        cells = lengths[part[-1]] * decoding.most_words(lengths[part[-1]])
        assert len(part) == 1 or len(part) * cells <= most
        if after:
            one_more = lengths[after[0]] * decoding.most_words(lengths[after[0]]) * (len(part) + 1)
            assert one_more > most or len(part) == decoding.batch_size, "no smaller than necessary"


@pytest.mark.parametrize("beam, length", [(1, "none"), (3, "none"), (3, "normalise")])
def test_a_translation_has_a_longest_length(model: TableTranslation, beam: int, length: str) -> None:
    model.tables[..., 0] = -1e9  # nothing ends
    actual = translate(model, SOURCES, Decoding(beam, length=length, max_length_ratio=1.5))
    assert [len(hypotheses[0].words) for hypotheses in actual] == [14, 11, 13, 11, 16, 13]
    assert not any(hypotheses[0].finished for hypotheses in actual)


@pytest.mark.slow
def test_samples_have_the_probabilities_of_their_own_source(model: TableTranslation) -> None:
    """The first word of 4,000 samples for each of two sources."""
    sources = [["hen"], ["ox", "sees"]]
    actual = translate(model, sources, Decoding(samples=4000), np.random.default_rng(1))
    for source, samples in zip(sources, actual, strict=True):
        assert len(samples) == 4000
        first = np.bincount([model.vocab.encode(s.words)[0] if s.words else 0 for s in samples], minlength=5)
        expected = 4000 * np.exp(model.tables[model.source_vocab.encode(source)[0], 0])
        assert ((first - expected) ** 2 / expected).sum() < 18.5  # 4 degrees of freedom, once in a thousand times


def test_an_ensemble_needs_one_vocabulary_of_the_source() -> None:
    with pytest.raises(UserError, match="different vocabularies of the source"):
        TranslationEnsemble([TableTranslation(SOURCE, TARGET), TableTranslation(SOURCE[::-1], TARGET)])


class TestLength:
    PAIRS = [(2, 2), (2, 2), (2, 3), (5, 4), (5, 7)]

    @pytest.mark.equation("neubig2017", 62)
    def test_prior_is_counted(self) -> None:
        prior = LengthPrior.from_pairs([Pair(["f"] * source, ["e"] * target) for source, target in self.PAIRS])
        assert math.exp(prior.log_prob(2, 2)) == pytest.approx(2 / 3)
        assert math.exp(prior.log_prob(3, 2)) == pytest.approx(1 / 3)
        assert math.exp(prior.log_prob(7, 5)) == pytest.approx(1 / 2)
        assert prior.log_prob(4, 2) == prior.log_prob(2, 9) == -math.inf

    SHORT = Hypothesis(["a"], -2.0, True)
    LONG = Hypothesis(["a", "b", "c"], -3.0, True)

    @pytest.mark.equation("neubig2017", 61, 63)
    def test_the_scores_by_hand(self) -> None:
        """-6 nats and five words: </s> is the sixth prediction. The prior is added as it is, once."""
        prior = LengthPrior(self.PAIRS)
        assert length_score("none")(-6.0, 5) == -6.0
        assert length_score("normalise")(-6.0, 5) == -1.0 and length_score("normalise")(-6.0, 0) == -6.0
        assert length_score("prior", 2, prior)(-6.0, 3) == pytest.approx(-6.0 + math.log(1 / 3), abs=1e-12)
        assert length_score("prior", 5, prior)(-6.0, 4) == pytest.approx(-6.0 + math.log(1 / 2), abs=1e-12)
        assert length_score("prior", 2, prior)(-6.0, 4) == -math.inf
        assert length_score("prior", 9, prior)(-6.0, 4) == -6.0, "of such a source the prior knows nothing"

    @pytest.mark.parametrize("kind", LENGTH_SCORES)
    def test_no_ending_is_better_than_its_bound(self, kind: str) -> None:
        score = length_score(kind, 2, LengthPrior(self.PAIRS))
        for words, more, cost in itertools.product(range(5), range(5), (0, 0.1, 3)):
            for log_prob in (0.0, -0.5, -9.0):
                assert score.bound(log_prob, words, 8) >= score(log_prob - cost, words + more)

    def test_what_did_not_end_comes_last(self) -> None:
        cut = Hypothesis(["a"] * 9, -0.1, False)
        assert best_first([cut, self.SHORT, self.LONG], "normalise") == [self.LONG, self.SHORT, cut]
