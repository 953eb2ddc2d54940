"""IBM Model 1 against EM written out word by word, against NLTK's, and against what is known of the embedded pairs."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.errors import UserError
from common.text import ibm_model1
from common.text.ibm_model1 import Lexicon
from tests.programs import leftovers

PAIRS = [
    ("das haus".split(), "the house".split()),
    ("das buch".split(), "the book".split()),
    ("ein buch".split(), "a book".split()),
    ("das das haus".split(), "the big house the".split()),
    ("ja".split(), "yes indeed yes".split()),
]
sentences = st.lists(st.sampled_from("abcde"), min_size=1, max_size=5)
texts = st.lists(st.tuples(sentences, sentences.map(lambda words: [word.upper() for word in words])), min_size=1)


def model_1(pairs: list, iterations: int) -> tuple[dict, list[float]]:
    """P(e | f) as a dictionary of (e, f), `None` being NULL, and the log-likelihoods: Brown et al., word by word."""
    target = {word for _, words in pairs for word in words}
    table = defaultdict(lambda: 1 / len(target))
    log_likelihoods = []
    for iteration in range(iterations + 1):
        counts, sums, log_likelihood = defaultdict(float), defaultdict(float), 0.0
        for source, words in pairs:
            for e in words:
                weights = [table[e, f] for f in (None, *source)]
                log_likelihood += math.log(math.fsum(weights) / len(weights))
                for f, weight in zip((None, *source), weights, strict=True):
                    counts[e, f] += weight / math.fsum(weights)
                    sums[f] += weight / math.fsum(weights)
        log_likelihoods.append(log_likelihood)
        if iteration < iterations:
            table = {(e, f): count / sums[f] for (e, f), count in counts.items()}
    return dict(table), log_likelihoods


def table_of(lexicon: Lexicon) -> dict:
    """All of P(e | f) that is not 0."""
    rows = {(e, f): lexicon.probability(e, f) for e in lexicon.target for f in (None, *lexicon.source)}
    return {pair: prob for pair, prob in rows.items() if prob > 0}


@settings(max_examples=20, deadline=None)
@given(pairs=texts, at_once=st.integers(1, 3))
def test_em_holds_on_any_text(pairs: list, at_once: int) -> None:
    """Whatever the parts that the text is counted in; distributions sum to one, and the likelihood never falls."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ibm_model1, "PAIRS_AT_ONCE", at_once)
        lexicon = Lexicon.learn(pairs, 6)
    table, log_likelihoods = model_1(pairs, 6)
    assert table_of(lexicon) == pytest.approx(table) and lexicon.log_likelihoods == pytest.approx(log_likelihoods)
    assert len(log_likelihoods) == 7
    for f in (None, *lexicon.source):
        assert sum(lexicon.probability(e, f) for e in lexicon.target) == pytest.approx(1)
    for before, after in itertools.pairwise(lexicon.log_likelihoods):
        assert after >= before - 1e-9


class TestLookingUp:
    lexicon = Lexicon.learn(PAIRS, 20)

    def test_the_best_come_first(self) -> None:
        best = self.lexicon.best("das", 3)
        every = sorted(((self.lexicon.probability(e, "das"), e) for e in self.lexicon.target), reverse=True)
        assert best == [(e, prob) for prob, e in every[:3]]
        assert len(self.lexicon.best("das", 100)) == 4, "the, house, book, big"

    def test_unknown_words(self) -> None:
        assert self.lexicon.translate("katze") is None and self.lexicon.best("katze", 3) == []
        strange = [("cat", "das"), ("the", "katze"), ("cat", "katze"), ("cat", None), ("yes", "das"), ("yes", "katze")]
        for e, f in strange:
            assert self.lexicon.probability(e, f) == 0, (e, f)

    def test_links_are_the_most_probable_ones(self) -> None:
        assert self.lexicon.links("ein haus".split(), "a house".split()) == {(0, 0), (1, 1)}
        assert self.lexicon.links("buch ein".split(), "a book".split()) == {(1, 0), (0, 1)}
        assert self.lexicon.links("ein katze ein".split(), "cat a".split()) == {(0, 1)}, "of equal ones the first"
        assert self.lexicon.links([], "the".split()) == self.lexicon.links("das".split(), []) == set()

    def test_null_takes_what_it_explains_best(self) -> None:
        """A word that stands beside every source word, whatever it is."""
        pairs = [([f"f{n}", f"g{n}"], [f"e{n}", f"h{n}", "uh"]) for n in range(30)]
        lexicon = Lexicon.learn(pairs, 20)
        assert lexicon.probability("uh", None) > 0.9
        assert {j for _, j in lexicon.links(["f3", "g3"], ["uh", "e3", "h3"])} == {1, 2}


class TestKeeping:
    def test_what_was_saved_is_loaded(self, tmp_path: Path) -> None:
        lexicon = Lexicon.learn([*PAIRS, (["grün", "日"], ["a\nb", "è"])])
        lexicon.save(tmp_path / "lexicon.npz")
        loaded = Lexicon.load(tmp_path / "lexicon.npz")
        assert (loaded.source, loaded.target) == (lexicon.source, lexicon.target)
        assert np.array_equal(loaded.keys, lexicon.keys) and np.array_equal(loaded.table, lexicon.table)
        assert loaded.log_likelihoods == lexicon.log_likelihoods
        assert loaded.best("日", 2) == lexicon.best("日", 2) != []
        assert leftovers(tmp_path) == []


@pytest.mark.parametrize("pairs", [[], [(["ja"], [])]])
def test_nothing_to_learn_from(pairs: list) -> None:
    with pytest.raises(UserError, match="there are no pairs"):
        Lexicon.learn(pairs)
