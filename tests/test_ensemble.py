"""An ensemble's probabilities are the means of its members', and it is a language model like them."""

from __future__ import annotations

import numpy as np
import pytest

from common.errors import UserError
from common.evaluation.perplexity import evaluate, perplexity
from common.search.ensemble import Ensemble, log_mean
from tests.rnn_models import advance_through, make_model
from tests.small_models import column, vocabulary
from tests.table_lm import TableLM, random_table

WORDS = ["hen", "goat", "owl"]
SENTENCES = [["hen", "owl"], [], ["goat", "goat", "hen"]]


@pytest.fixture
def tables() -> list[np.ndarray]:
    return [random_table(5, seed) for seed in (1, 2, 3)]


def test_it_is_evaluated_like_any_model(tables: list[np.ndarray]) -> None:
    """And is at least as good as its members' geometric mean, as the inequality of Jensen has it."""
    members = [TableLM(WORDS, table) for table in tables]
    each = [evaluate(member, SENTENCES, "token") for member in members]
    result = evaluate(Ensemble(members), SENTENCES, "token")
    assert result.predictions == each[0].predictions == 8
    assert result.log_prob > sum(evaluation.log_prob for evaluation in each) / 3
    pairs = [(0, 2), (2, 4), (4, 0), (0, 0), (0, 3), (3, 3), (3, 2), (2, 0)]
    assert result.perplexity == pytest.approx(perplexity(sum(np.log(sum(t[p] for t in tables) / 3) for p in pairs), 8))


def test_one_member_is_itself_and_tiny_probabilities_survive() -> None:
    model = make_model()
    inputs = column([0, 4, 2])
    np.testing.assert_allclose(advance_through(Ensemble([model]), inputs), advance_through(model, inputs))
    np.testing.assert_allclose(log_mean([np.array([-2000.0]), np.array([-2000.0])]), [-2000.0])
    np.testing.assert_allclose(log_mean([np.array([-np.inf, 0.0]), np.array([0.0, 0.0])]), [-np.log(2), 0.0])


def test_models_of_different_words_cannot_be_averaged() -> None:
    first, other = make_model(), make_model()
    other.vocab = vocabulary(6)
    with pytest.raises(UserError, match=r"models 1 and 3 have different vocabularies \(7 and 6\)"):
        Ensemble([first, first, other])
    other.vocab = type(first.vocab)(["w3", "w2", "w4", "w5", "w6"])
    with pytest.raises(UserError, match="different vocabularies"):
        Ensemble([first, other])
    with pytest.raises(UserError, match="at least one"):
        Ensemble([])
