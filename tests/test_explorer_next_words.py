"""What the explorer says about next words, against the models' other side and NumPy."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from book.explorer import looking_back, truths
from book.explorer.next_words import (
    Continued,
    continuations,
    distributions,
    divergence,
    over_vocabulary,
    probability,
    shown_words,
    surprisals,
)
from book.explorer.shelf import LANGUAGE, TRANSLATION, Shelf
from common.copying import copy_tree
from common.errors import UserError
from common.evaluation.perplexity import LanguageModel, sentence_log_probs
from common.search.sampling import sample
from common.text.vocab import Vocabulary
from tests.explorer_runs import train_runs

LANGUAGE_CHAPTERS = ("01_ngram_lm", "02_loglinear_lm", "05_rnn_lm", "06_attentive_lm", "11_transformer")
SENTENCE = "the hen of mira follows mira behind the zeppelin .".split()


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    runs = [(chapter, "001", ()) for chapter in LANGUAGE_CHAPTERS]
    root = tmp_path_factory.mktemp("explorer") / "runs"
    return Shelf(train_runs(root, *runs, ("06_attentive_lm", "none", ("--score", "none"))))


def model_of(shelf: Shelf, chapter: str, name: str = "001") -> LanguageModel:
    ((_, model, _),) = shelf.models([f"{chapter}/{name}"], LANGUAGE)
    return model


class TestDivergence:
    @given(seed=st.integers(0, 2**31), size=st.integers(1, 30))
    @settings(max_examples=40, deadline=None)
    def test_it_is_the_sum_over_all_words(self, seed: int, size: int) -> None:
        rng = np.random.default_rng(seed)
        truth, model = rng.dirichlet(np.full(size, 0.3)), rng.dirichlet(np.ones(size))
        expected = sum(p * math.log(p / q) for p, q in zip(truth.tolist(), model.tolist(), strict=True) if p > 0)
        assert divergence(truth, np.log(model)) == pytest.approx(expected, rel=1e-9, abs=1e-12)

    def test_words_that_the_vocabulary_lacks_are_one_unknown_word(self) -> None:
        probs = over_vocabulary(
            {"hen": 0.5, "duck": 0.2, "</s>": 0.1, "wombat": 0.15, "emu": 0.05}, Vocabulary(["hen"])
        )
        np.testing.assert_allclose(probs, [0.1, 0.4, 0.5])


@pytest.mark.parametrize("chapter", LANGUAGE_CHAPTERS)
def test_step_by_step_is_what_whole_sentences_cost(shelf: Shelf, chapter: str) -> None:
    """The rows are distributions, and the surprisals minus what `log_probs` gives, which reads whole batches."""
    model = model_of(shelf, chapter)
    rows = distributions(model, SENTENCE)
    assert rows.shape == (len(SENTENCE) + 1, len(model.vocab)) and rows.dtype == np.float64
    np.testing.assert_allclose(np.exp(rows).sum(axis=1), 1, rtol=1e-5)
    (whole,) = sentence_log_probs(model, [SENTENCE], "token")
    costs = surprisals(rows, model.vocab, [*SENTENCE, "</s>"])
    np.testing.assert_allclose(costs, -whole, rtol=1e-4, atol=1e-5)
    assert surprisals(rows, model.vocab, SENTENCE) == costs[:-1]


def test_listed_words() -> None:
    """Three quarters for the most probable of the truth, the rest for what models take for probable; no word twice."""
    first, second = Vocabulary(["hen", "duck", "goat"]), Vocabulary(["emu", "hen"])
    models = [(first, np.log([0.1, 0.1, 0.1, 0.6, 0.1])), (second, np.log([0.3, 0.1, 0.5, 0.1]))]
    truth = {"hen": 0.5, "goat": 0.3, "cow": 0.15, "ox": 0.05}
    assert shown_words(truth, models, 4) == ["hen", "goat", "cow", "duck"]
    assert shown_words({}, models, 3) == ["duck", "emu", "</s>"]
    assert len(shown_words(truth, models, 40)) == 8
    assert probability(first, models[0][1], "duck") == pytest.approx(0.6)
    assert probability(first, models[0][1], "emu") == 0


class TestSampling:
    def test_without_prefix_at_temperature_1_it_is_plain_sampling(self, shelf: Shelf) -> None:
        model = model_of(shelf, "05_rnn_lm")
        ours = continuations(model, [], 5, seed=3, temperature=1, most_words=12)
        plain = sample(model, 5, np.random.default_rng(3), 12)
        assert [hypothesis.words for hypothesis in ours] == [hypothesis.words for hypothesis in plain]
        np.testing.assert_allclose(
            [hypothesis.log_prob for hypothesis in ours], [hypothesis.log_prob for hypothesis in plain], rtol=1e-5
        )

    @pytest.mark.parametrize("chapter", LANGUAGE_CHAPTERS)
    @pytest.mark.parametrize("temperature", [0.3, 1, 2.5])
    def test_after_a_prefix(self, shelf: Shelf, chapter: str, temperature: float) -> None:
        """The first word comes from p ** (1 / T), normalised, with p after the prefix; every row from the same."""
        model, prefix = model_of(shelf, chapter), SENTENCE[:4]
        powers = np.exp(distributions(model, prefix)[-1]) ** (1 / temperature)
        continued = Continued(model, prefix, temperature)
        state, log_probs = continued.advance(continued.start(2), [0, 0])
        np.testing.assert_allclose(np.exp(log_probs), [powers / powers.sum()] * 2, rtol=1e-4, atol=1e-7)
        _, after = continued.advance(state, [2, 2])
        powers = np.exp(distributions(model, [*prefix, model.vocab.words[2]])[-1]) ** (1 / temperature)
        np.testing.assert_allclose(np.exp(after[1]), powers / powers.sum(), rtol=1e-4, atol=1e-7)


class TestTruth:
    def test_a_corpus_is_of_the_village_if_its_grammar_can_say_it(self, shelf: Shelf, tmp_path: Path) -> None:
        assert truths.is_village("village") and truths.is_village(shelf.runs()[0].corpus)
        (tmp_path / "train.txt").write_text("the hen codes in python .\n", encoding="utf-8")
        assert not truths.is_village(str(tmp_path)) and not truths.is_village(str(tmp_path / "gone"))
        assert truths.pair_truth("village_pairs") and truths.pair_truth("nowhere") is None

    def test_a_corpus_that_comes_later_is_found(self, tmp_path: Path) -> None:
        folder = tmp_path / "later"
        assert not truths.is_village(str(folder)) and truths.examples(str(folder), LANGUAGE) == ()
        copy_tree(truths.find_corpus("village"), folder)
        assert truths.is_village(str(folder)) and len(truths.examples(str(folder), LANGUAGE)) == 6

    def test_examples_come_from_dev(self) -> None:
        dev = (truths.find_corpus("village_pairs", "train.source") / "dev.source").read_text("utf-8").splitlines()
        examples = truths.examples("village_pairs", TRANSLATION)
        assert len(examples) == 6 and set(examples) <= set(dev) and truths.examples("nowhere", LANGUAGE) == ()


class TestAttention:
    def test_every_head_of_every_block_has_a_map(self, shelf: Shelf) -> None:
        """With a weight of the word read last, and rows that are those of the model's own attention."""
        model = model_of(shelf, "11_transformer")
        maps = looking_back.weights(model, SENTENCE[:5])
        assert list(maps)[:5] == [*(f"block 1, head {head}" for head in (1, 2, 3, 4)), "block 2, head 1"]
        attention = model.attention(np.array([[0, *model.vocab.encode(SENTENCE[:5])]]).T)
        np.testing.assert_array_equal(maps["block 2, head 3"], attention[1, 2, :, :, 0].T)
        for matrix in maps.values():
            assert matrix.shape == (6, 6) and not np.triu(matrix, k=1).any() and (np.diag(matrix) > 0).all()
            np.testing.assert_allclose(matrix.sum(axis=1), 1, rtol=1e-5)

    def test_models_without_attention_say_so(self, shelf: Shelf) -> None:
        for chapter, name in (("06_attentive_lm", "none"), ("05_rnn_lm", "001"), ("01_ngram_lm", "001")):
            assert not looking_back.attends(model_of(shelf, chapter, name))
            with pytest.raises(UserError, match="attends to nothing"):
                looking_back.weights(model_of(shelf, chapter, name), ["the"])
