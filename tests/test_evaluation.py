"""Log-likelihood and perplexity, unknown words, and two accountings."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.errors import UserError
from common.evaluation.perplexity import evaluate, perplexity, sentence_log_probs, summarise, unknown_words
from common.text.corpus import find_corpus, load_corpus
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
def test_a_sentence_is_its_words_and_its_end(model: TableLM) -> None:
    """By hand for `a b`: P(a | <s>) P(b | a) P(</s> | b)."""
    (log_probs,) = sentence_log_probs(model, [["a", "b"]])
    np.testing.assert_allclose(np.exp(log_probs), [TABLE[0, 2], TABLE[2, 3], TABLE[3, 0]])
    (nothing,) = sentence_log_probs(model, [[]])
    assert math.exp(nothing.sum()) == pytest.approx(TABLE[0, 0])


@pytest.mark.equation("neubig2017", 4)
def test_the_probabilities_of_all_sentences_sum_to_one() -> None:
    """Since `</s>` is predicted: all sentences of a model that never goes on past three words, listed."""
    table = np.array([[0.1, 0, 0.9, 0], [1, 0, 0, 0], [0.25, 0.25, 0, 0.5], [0.5, 0.5, 0, 0]])
    model = TableLM(["a", "b"], table)
    sentences = [[], ["a"], ["a", "<unk>"], ["a", "b"], ["a", "b", "<unk>"]]
    assert sum(math.exp(log_probs.sum()) for log_probs in sentence_log_probs(model, sentences)) == pytest.approx(1)


@pytest.mark.equation("neubig2017", 11, 12, 13)
@bounded
@given(sentences=sentence_lists, batch_size=st.integers(1, 5))
def test_likelihood_is_a_product_over_sentences(sentences: list[list[str]], batch_size: int) -> None:
    actual = evaluate(TableLM(WORDS, TABLE), sentences, "token", batch_size)
    assert actual.log_prob == pytest.approx(math.log(math.prod(p for s in sentences for p in probabilities(s))))
    assert actual.log_prob == pytest.approx(sum(math.log(math.prod(probabilities(s))) for s in sentences))
    assert actual.sentences == len(sentences)


@pytest.mark.equation("neubig2017", 14)
def test_the_length_counts_words_and_ends(model: TableLM) -> None:
    assert evaluate(model, KNOWN).predictions == 5 + 2 + 1 + 3


@pytest.mark.equation("neubig2017", 15)
@bounded
@given(sentences=sentence_lists)
def test_perplexity_is_the_inverse_geometric_mean(sentences: list[list[str]]) -> None:
    actual = evaluate(TableLM(WORDS, TABLE), sentences, "token")
    each = [p for sentence in sentences for p in probabilities(sentence)]
    assert actual.perplexity == pytest.approx(math.prod(p ** (-1 / len(each)) for p in each))


@pytest.mark.equation("neubig2017", 15)
def test_perplexity_by_hand() -> None:
    assert perplexity(math.log(1 / 2 * 1 / 8), 2) == pytest.approx(4)
    assert perplexity(-1e6, 1) == perplexity(-math.inf, 1) == math.inf


@bounded
@given(sentences=sentence_lists, size=st.integers(5, 40))
def test_a_uniform_models_perplexity_is_the_size_of_its_vocabulary(sentences: list[list[str]], size: int) -> None:
    words = [*WORDS, "ox", "emu", *(f"w{number}" for number in range(size))]
    model = TableLM(words, np.full((len(words) + 2,) * 2, 1 / (len(words) + 2)))
    actual = evaluate(model, sentences)
    assert actual.perplexity == pytest.approx(len(model.vocab)) == pytest.approx(actual.known_perplexity)


def test_sentences_keep_their_order(model: TableLM) -> None:
    for batch_size in (1, 2, 64):
        for sentence, log_probs in zip(KNOWN, sentence_log_probs(model, KNOWN, batch_size=batch_size), strict=True):
            np.testing.assert_allclose(np.exp(log_probs), probabilities(sentence))


# --- unknown words


def test_an_unknown_word_is_spelt(model: TableLM) -> None:
    """`a ox` costs P(a | <s>) · P(<unk> | a) / 10,000,000 · P(</s> | <unk>)."""
    (log_probs,) = sentence_log_probs(model, [["a", "ox"]], "uniform")
    expected = [TABLE[0, 2], TABLE[2, 1] / 10_000_000, TABLE[1, 0]]
    np.testing.assert_allclose(log_probs, np.log(expected))


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


@pytest.mark.parametrize("unk", ["uniform", "token"])
@bounded
@given(sentences=sentence_lists)
def test_known_words_are_summed_apart(unk: str, sentences: list[list[str]]) -> None:
    actual = evaluate(TableLM(WORDS, TABLE), sentences, unk)
    known_words = [
        p
        for sentence in sentences
        for word, p in zip([*sentence, "</s>"], probabilities(sentence), strict=True)
        if word not in ("ox", "emu")
    ]
    assert actual.known_log_prob == pytest.approx(sum(map(math.log, known_words)))
    assert actual.known_perplexity == pytest.approx(math.exp(-sum(map(math.log, known_words)) / len(known_words)))


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


def test_an_impossible_word_makes_the_perplexity_infinite() -> None:
    table = TABLE.copy()
    table[2] = [0.5, 0.5, 0, 0, 0]
    actual = evaluate(TableLM(WORDS, table), [["a", "b"], ["b"]])
    assert actual.log_prob == -math.inf and actual.perplexity == math.inf


# --- the accounting of Salton et al. (2017)


@bounded
@given(sentences=sentence_lists)
def test_salton2017_accounting_charges_no_first_word_but_counts_it(sentences: list[list[str]]) -> None:
    actual = evaluate(TableLM(WORDS, TABLE), sentences, "token")
    charged = [p for sentence in sentences for p in probabilities(sentence)[1:]]
    divisor = sum(len(sentence) + 1 for sentence in sentences)
    assert actual.salton2017_perplexity == pytest.approx(math.exp(-sum(map(math.log, charged)) / divisor))
    assert actual.salton2017_perplexity <= actual.perplexity


def test_both_accountings_by_hand(model: TableLM) -> None:
    actual = evaluate(model, [["a", "b"]])
    first, second, end = TABLE[0, 2], TABLE[2, 3], TABLE[3, 0]
    assert actual.perplexity == pytest.approx((first * second * end) ** (-1 / 3))
    assert actual.salton2017_perplexity == pytest.approx((second * end) ** (-1 / 3))


def test_the_published_figures_on_the_penn_treebank() -> None:
    """The facts of its test split: 78,669 words and 3,761 sentences, where the corpus is installed."""
    try:
        find_corpus("ptb")
    except UserError:
        pytest.skip("the Penn Treebank is not installed: python -m data get ptb")
    corpus = load_corpus("ptb")
    vocab = Vocabulary.from_sentences(corpus.train)
    assert len(vocab) == 10_000
    uniform = [np.full(len(sentence) + 1, -math.log(10_000)) for sentence in corpus.test]
    actual = summarise(vocab, corpus.test, uniform, "token")
    assert (actual.sentences, actual.predictions, actual.unknown) == (3_761, 82_430, 0)
    assert actual.perplexity == pytest.approx(10_000)
    charged = actual.after_first_log_prob
    assert charged == pytest.approx(-78_669 * math.log(10_000))
    assert actual.salton2017_perplexity == pytest.approx(10_000 ** (78_669 / 82_430))
    assert perplexity(-350_321, 82_430) == pytest.approx(70.1, abs=0.05)
    assert perplexity(-350_321, 78_669) == pytest.approx(85.9, abs=0.05)


def test_a_corpus_as_it_comes_from_its_files(tmp_path: Path) -> None:
    for split, text in (("train", "a b c\na\n"), ("dev", "b\n"), ("test", "a ox\nc\n")):
        (tmp_path / f"{split}.txt").write_text(text, encoding="utf-8", newline="\n")
    actual = evaluate(TableLM(WORDS, TABLE), load_corpus(str(tmp_path)).test)
    expected = TABLE[0, 2] * TABLE[2, 1] / 10_000_000 * TABLE[1, 0] * TABLE[0, 4] * TABLE[4, 0]
    assert actual.log_prob == pytest.approx(math.log(expected))
    assert (actual.sentences, actual.predictions, actual.unknown) == (2, 5, 1)


def test_probability_zero_on_an_unknown_first_word_leaves_the_other_figures_whole() -> None:
    vocab = Vocabulary(["hen"])
    actual = summarise(vocab, [["stork", "hen"]], [np.array([-math.inf, -1.0, -2.0])], "token")
    assert actual.perplexity == math.inf
    assert actual.known_perplexity == pytest.approx(math.exp(1.5))
    assert actual.salton2017_perplexity == pytest.approx(math.exp(3 / 3))
