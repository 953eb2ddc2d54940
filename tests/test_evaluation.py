"""Log-likelihood and perplexity, unknown words, and two accountings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.errors import UserError
from common.evaluation.perplexity import evaluate, perplexity, sentence_log_probs, summarise, unknown_words
from common.text.vocab import Vocabulary
from tests.table_lm import TableLM, random_table

WORDS = ["a", "b", "c"]
TABLE = random_table(5)
KNOWN = [["a", "b", "c", "c"], ["b"], [], ["a", "a"]]
SPELLING = math.log(10_000_000)

sentence_lists = st.lists(st.lists(st.sampled_from([*WORDS, "ox", "emu"]), max_size=8), min_size=1, max_size=12)
bounded = settings(max_examples=40, deadline=None, derandomize=True, database=None)


@pytest.fixture
def model() -> TableLM:
    return TableLM(WORDS, TABLE)


def id_of(word: str) -> int:
    return {"</s>": 0, "a": 2, "b": 3, "c": 4}.get(word, 1)


def probabilities(sentence: list[str]) -> list[float]:
    """P of each word and of `</s>`, straight from the table; unknown words are read and predicted as `<unk>`."""
    ids = [0, *map(id_of, sentence), 0]
    return [float(TABLE[before, after]) for before, after in zip(ids, ids[1:], strict=False)]


@pytest.mark.equation("neubig2017", 4)
def test_the_probabilities_of_all_sentences_sum_to_one() -> None:
    """Since `</s>` is predicted: all sentences of a model that never goes on past three words, listed."""
    table = np.array([[0.1, 0, 0.9, 0], [1, 0, 0, 0], [0.25, 0.25, 0, 0.5], [0.5, 0.5, 0, 0]])
    model = TableLM(["a", "b"], table)
    sentences = [[], ["a"], ["a", "<unk>"], ["a", "b"], ["a", "b", "<unk>"]]
    assert sum(math.exp(log_probs.sum()) for log_probs in sentence_log_probs(model, sentences)) == pytest.approx(1)


@pytest.mark.equation("neubig2017", 11, 12, 13, 14)
@bounded
@given(sentences=sentence_lists, batch_size=st.integers(1, 5))
def test_likelihood_is_a_product_over_sentences(sentences: list[list[str]], batch_size: int) -> None:
    actual = evaluate(TableLM(WORDS, TABLE), sentences, "token", batch_size)
    assert actual.log_prob == pytest.approx(math.log(math.prod(p for s in sentences for p in probabilities(s))))
    assert actual.sentences == len(sentences)
    assert actual.predictions == sum(len(sentence) + 1 for sentence in sentences)


@pytest.mark.equation("neubig2017", 15)
@bounded
@given(sentences=sentence_lists)
def test_perplexity_is_the_inverse_geometric_mean(sentences: list[list[str]]) -> None:
    actual = evaluate(TableLM(WORDS, TABLE), sentences, "token")
    each = [p for sentence in sentences for p in probabilities(sentence)]
    assert actual.perplexity == pytest.approx(math.prod(p ** (-1 / len(each)) for p in each))


def test_sentences_keep_their_order(model: TableLM) -> None:
    for batch_size in (1, 2, 64):
        for sentence, log_probs in zip(KNOWN, sentence_log_probs(model, KNOWN, batch_size=batch_size), strict=True):
            np.testing.assert_allclose(np.exp(log_probs), probabilities(sentence))


def test_a_perplexity_too_large_for_a_number_is_infinite() -> None:
    assert perplexity(-1e6, 1) == perplexity(-math.inf, 1) == math.inf


# --- unknown words


@bounded
@given(sentences=sentence_lists)
def test_the_three_ways_differ_by_the_spelling_alone(sentences: list[list[str]]) -> None:
    model = TableLM(WORDS, TABLE)
    unknown = sum(word in ("ox", "emu") for sentence in sentences for word in sentence)
    uniform, token = (evaluate(model, sentences, unk) for unk in ("uniform", "token"))
    assert uniform.unknown == token.unknown == unknown
    assert token.unknown_log_prob == 0 and token.log_prob == token.model_log_prob
    assert uniform.unknown_log_prob == pytest.approx(-unknown * SPELLING)
    assert uniform.model_log_prob == pytest.approx(token.model_log_prob)
    assert uniform.log_prob == pytest.approx(token.log_prob - unknown * SPELLING)
    if unknown:
        with pytest.raises(UserError, match="is unknown and the vocabulary closed"):
            evaluate(model, sentences, "closed")
    else:
        assert evaluate(model, sentences, "closed") == token


@bounded
@given(sentences=sentence_lists)
def test_known_words_are_summed_apart(sentences: list[list[str]]) -> None:
    actual = evaluate(TableLM(WORDS, TABLE), sentences, "uniform")
    pairs = [pair for words in sentences for pair in zip([*words, "</s>"], probabilities(words), strict=True)]
    known_words = [math.log(p) for word, p in pairs if word not in ("ox", "emu")]
    assert actual.known_log_prob == pytest.approx(sum(known_words))
    assert actual.known_perplexity == pytest.approx(math.exp(-sum(known_words) / len(known_words)))


def test_unk_in_the_text_is_an_ordinary_word(model: TableLM) -> None:
    assert unknown_words([["a", "<unk>", "ox"]], model.vocab) == [[False, False, True]]
    for unk in ("uniform", "token"):
        actual = evaluate(model, [["a", "<unk>"]], unk)
        assert actual.unknown == 0
        assert actual.log_prob == pytest.approx(math.log(TABLE[0, 2] * TABLE[2, 1] * TABLE[1, 0]))


@pytest.mark.parametrize(("word", "number"), [("ox", 2), ("<unk>", 1)])
def test_a_closed_vocabulary_names_what_it_lacks(model: TableLM, word: str, number: int) -> None:
    sentences = [["a"], ["b"]]
    sentences[number - 1].append(word)
    with pytest.raises(UserError, match=f"sentence {number}: the word '{word}' is unknown"):
        evaluate(model, sentences, "closed")


def test_another_way_is_refused(model: TableLM) -> None:
    with pytest.raises(UserError, match="no unknown-word model 'none'; choose from uniform, token, closed"):
        evaluate(model, KNOWN, "none")


def test_what_is_not_a_number_is_refused(model: TableLM) -> None:
    model.table[3, 4] = math.nan  # P(c | b)
    assert evaluate(model, [["a"], ["c", "b"]]).perplexity > 1
    with pytest.raises(UserError, match="not a number"):
        evaluate(model, [["a"], ["b", "c"]])


# --- the accounting of Salton et al. (2017)


@bounded
@given(sentences=sentence_lists)
def test_salton2017_accounting_charges_no_first_word_but_counts_it(sentences: list[list[str]]) -> None:
    actual = evaluate(TableLM(WORDS, TABLE), sentences, "token")
    charged = [p for sentence in sentences for p in probabilities(sentence)[1:]]
    divisor = sum(len(sentence) + 1 for sentence in sentences)
    assert actual.salton2017_perplexity == pytest.approx(math.exp(-sum(map(math.log, charged)) / divisor))
    assert actual.salton2017_perplexity <= actual.perplexity


def test_probability_zero_on_an_unknown_first_word_leaves_the_other_figures_whole() -> None:
    vocab = Vocabulary(["hen"])
    actual = summarise(vocab, [["stork", "hen"]], [np.array([-math.inf, -1.0, -2.0])], "token")
    assert actual.perplexity == math.inf
    assert actual.known_perplexity == pytest.approx(math.exp(1.5))
    assert actual.salton2017_perplexity == pytest.approx(math.exp(3 / 3))
