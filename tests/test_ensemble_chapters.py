"""Ensembles of language models, of one chapter or several: any two go together, in one computation graph."""

from __future__ import annotations

import itertools

import dynet as dy
import numpy as np
import pytest

from common.chapters import chapter_module
from common.errors import UserError
from common.evaluation.perplexity import LanguageModel
from common.search.ensemble import Ensemble, log_mean
from common.search.sampling import sample
from common.text.batching import make_batch
from common.text.vocab import Vocabulary
from tests import attentive_models, feedforward_models, ngram_models, rnn_models
from tests.loglinear_reference import SPEC, FeatureSet, LogLinearLM, features_module

VOCAB = Vocabulary(f"w{number}" for number in range(2, 7))
V, B = len(VOCAB), Vocabulary.boundary
TEXT = [["w2", "w3", "w4", "w6"], ["w5", "w2"], ["w3", "w3", "w2", "w6", "w5", "w4"], ["w2", "owl", "w4"]]
INPUTS = np.array([[B, 4, 2, 6, 3], [B, 3, 3, 5, 1], [B, 2, 4, 4, 4]]).T  # (T, B) of ids


def n_gram():
    levels = ngram_models.counts.count_ngrams(encoded(), 3, V)
    zero = ngram_models.smoothing.order_zero(V, spells_unknown=False)
    return ngram_models.methods.METHODS["kneser-ney"](VOCAB, levels, zero, encoded())


def loglinear():
    classes = np.arange(V) % 3
    features = FeatureSet(SPEC, VOCAB, classes, features_module.known_pairs(SPEC, VOCAB, classes, encoded(), 1))
    model, rng = LogLinearLM(features), np.random.default_rng(3)
    model.set_arrays([rng.normal(0, 0.6, array.shape) for array in model.arrays()])
    return model


def loglinear_in_dynet():
    by_hand = loglinear()
    model = chapter_module("02_loglinear_lm", "dynet_model").DynetLogLinearLM(by_hand.features)
    model.set_arrays([array[::-1] * 0.9 for array in by_hand.arrays()])  # other numbers than the one in NumPy has
    return model


def pointer():
    return rnn_models.make_model("gru", 1, chapter_module("05_rnn_lm", "pointer").PointerLM)


MAKERS = {
    "n-gram": n_gram,
    "log-linear": loglinear,
    "log-linear in DyNet": loglinear_in_dynet,
    "feed-forward": feedforward_models.make_model,
    "by classes": lambda: feedforward_models.make_model(softmax="class", seed=6),
    "recurrent": rnn_models.make_model,
    "pointer": pointer,
    "attentive": lambda: attentive_models.make_model("combined"),
}
IN_DYNET = list(MAKERS)[2:]
PAIRS = list(itertools.combinations_with_replacement(MAKERS, 2))


def encoded() -> list[list[int]]:
    return [VOCAB.encode(sentence) for sentence in TEXT]


def pair_of(names: tuple[str, str]) -> list[LanguageModel]:
    """Two models of one vocabulary."""
    return [MAKERS[name]() for name in names]


def alone(model: LanguageModel, inputs: np.ndarray) -> np.ndarray:
    """P(next word) of a model by itself, step by step: ids (T, B) -> (T, B, V)."""
    state, steps = model.start(inputs.shape[1]), []
    for words in inputs:
        state, log_probs = model.advance(state, words.tolist())
        steps.append(np.exp(log_probs, dtype=np.float64))
    return np.stack(steps)


def mean_alone(models: list[LanguageModel], inputs: np.ndarray) -> np.ndarray:
    """The mean of what the members say, each by itself: (T, B, V)."""
    return sum(alone(model, inputs) for model in models) / len(models)


def test_all_models_know_the_same_words_and_differ() -> None:
    models = [make() for make in MAKERS.values()]
    assert all(model.vocab.words == VOCAB.words for model in models)
    for item, other in itertools.combinations(models, 2):
        assert np.abs(alone(item, INPUTS) - alone(other, INPUTS)).max() > 0.01


@pytest.mark.parametrize("names", PAIRS, ids=" and ".join)
def test_the_next_word_has_the_mean_of_the_probabilities(names: tuple[str, str]) -> None:
    """Step by step, and of whole sentences."""
    models = pair_of(names)
    expected, batch = mean_alone(models, INPUTS), make_batch(INPUTS.T[:, 1:].tolist(), range(3))
    of_targets = np.take_along_axis(expected, batch.targets[..., None], axis=2)[..., 0]
    for order in (models, models[::-1]):
        actual = alone(Ensemble(order), INPUTS)
        np.testing.assert_allclose(actual, expected, atol=1e-6)
        np.testing.assert_allclose(actual.sum(axis=2), 1, atol=1e-5)
        np.testing.assert_allclose(np.exp(Ensemble(order).log_probs(batch)), of_targets, atol=1e-6)


def test_tiny_probabilities_survive() -> None:
    np.testing.assert_allclose(log_mean([np.array([-2000.0]), np.array([-2000.0])]), [-2000.0])
    np.testing.assert_allclose(log_mean([np.array([-np.inf, 0.0]), np.array([0.0, 0.0])]), [-np.log(2), 0.0])


def test_models_of_different_words_cannot_be_averaged() -> None:
    first, fewer, other = (rnn_models.make_model() for _ in range(3))
    fewer.vocab, other.vocab = Vocabulary(VOCAB.words[2:-1]), Vocabulary(VOCAB.words[:1:-1])
    with pytest.raises(UserError, match=r"models 1 and 3 have different vocabularies \(7 and 6\)"):
        Ensemble([first, first, fewer])
    with pytest.raises(UserError, match="different vocabularies"):
        Ensemble([first, other])
    with pytest.raises(UserError, match="at least one"):
        Ensemble([])


@pytest.mark.parametrize("name", IN_DYNET)
def test_a_model_begins_a_graph_with_a_sentence_and_never_within_one(name: str) -> None:
    model = MAKERS[name]()
    before = dy.cg_version()
    state = model.start(2)
    start = dy.cg_version()
    assert start > before
    for words in ([B, B], [2, 3], [4, 4]):
        state, _ = model.advance(state, words)
    assert dy.cg_version() == start
    model.log_probs(make_batch([[2, 3], [4]], range(2)))
    assert dy.cg_version() > start


@pytest.mark.parametrize("name", ["log-linear in DyNet", "feed-forward", "by classes"])
def test_the_graph_does_not_grow_within_a_sentence_where_states_are_numbers(name: str) -> None:
    """Alone, and beside a model that has no graph; a state of another kind must survive, so there it does grow."""
    for others in ([], ["n-gram"], ["n-gram", "log-linear", "feed-forward"]):
        model = Ensemble([MAKERS[item]() for item in [name, *others]])
        assert sampled_nodes(model, 20) == sampled_nodes(model, 40)
    recurrent = Ensemble(pair_of((name, "recurrent")))
    assert sampled_nodes(recurrent, 40) > 1.5 * sampled_nodes(recurrent, 20)


def sampled_nodes(model: LanguageModel, length: int) -> int:
    """The nodes of the graph when a sentence of this many words has been sampled."""
    (sampled,) = sample(model, 1, Endless(), length)
    assert len(sampled.words) == length
    return nodes()


class Endless:
    """Random numbers that never draw `</s>`, which is the first word of the vocabulary."""

    def random(self, number: int | None = None) -> float | np.ndarray:
        return 0.999 if number is None else np.full(number, 0.999)


@pytest.mark.parametrize("name", IN_DYNET)
def test_the_graph_does_not_grow_from_sentence_to_sentence(name: str) -> None:
    """Each batch of samples gives back what the one before computed, alone and with another model."""
    for model in (MAKERS[name](), Ensemble(pair_of((name, "recurrent")))):
        sizes = []
        for _ in range(6):
            sample(model, 4, np.random.default_rng(1), 10)
            sizes.append(nodes())
        assert len(set(sizes)) == 1


def nodes() -> int:
    """How many nodes the computation graph holds: the number of one that is added."""
    return int(str(dy.zeros(1)).split()[1].split("/")[0])
