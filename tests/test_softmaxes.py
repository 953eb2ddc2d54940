"""Chapter 4's softmaxes: exact where they say so, and in expectation the full softmax where they sample."""

from __future__ import annotations

import itertools
import math

import dynet as dy
import numpy as np
import pytest

from chapters.feedforward_lm.model import make_softmax
from common.nn import (
    class_softmax as class_module,
    hierarchical_softmax as hierarchical_module,
    sampled_softmax as sampled_module,
)
from common.nn.softmax import as_rows, negative_log_probs
from tests import feedforward_reference as reference, rnn_reference
from tests.feedforward_models import UNIGRAM, Settings
from tests.small_models import V, gradients, numeric_gradient, parameters_of

H = 3
TARGETS = np.array([2, 0, 6, 2, 1, 5, 3, 4])
Q = np.exp(UNIGRAM)
KINDS = {
    "full": {"softmax": "full"},
    "class by frequency": {"softmax": "class", "classes": 3, "classes_by": "frequency"},
    "class by size": {"softmax": "class", "classes": 3, "classes_by": "size"},
    "one class": {"softmax": "class", "classes": 1},
    "a class a word": {"softmax": "class", "classes": V, "classes_by": "size"},
    "hierarchical": {"softmax": "hierarchical"},
    "sampled": {"softmax": "sampled", "samples": 5},
    "nce": {"softmax": "nce", "samples": 5},
    "nce, learnt Z": {"softmax": "nce", "samples": 5, "normaliser": "learnt"},
}
EXACT = [name for name, flags in KINDS.items() if flags["softmax"] in ("full", "class", "hierarchical")]
every_kind = pytest.mark.parametrize("kind", KINDS)


class Layer:
    """One of the softmaxes with random weights, on hidden vectors (N, H) that are a parameter, to have a gradient."""

    def __init__(self, kind: str, targets: np.ndarray = TARGETS, scale: float = 0.8, **flags):
        self.kind, self.targets = kind, targets
        self.collection = dy.ParameterCollection()
        self.softmax = make_softmax(self.collection, H, UNIGRAM, Settings(**KINDS[kind], **flags), None)
        self.inputs = self.collection.add_parameters((len(targets), H))
        rnn_reference.randomise(parameters_of(self), scale)

    def hidden(self) -> dy.Expression:
        return dy.pick_batch(self.inputs, list(range(len(self.targets))), dim=0)

    def loss_expression(self, seed: int = 3) -> dy.Expression:
        return self.softmax.loss(self.hidden(), self.targets, np.random.default_rng(seed))

    def loss(self) -> float:
        dy.renew_cg()
        return self.loss_expression().scalar_value()

    def log_probs(self) -> np.ndarray:
        dy.renew_cg()
        return self.softmax.log_probs(self.hidden(), self.targets)

    def distribution(self) -> np.ndarray:
        dy.renew_cg()
        result = self.softmax.distribution(self.hidden())
        return result if isinstance(result, np.ndarray) else as_rows(result)

    def parameters(self) -> dict:
        layer = self.softmax
        if hasattr(layer, "W_words"):
            tables = {f"W{number}": table for number, table in enumerate(layer.W_words)}
            by_name = {"W_classes": layer.W_classes, "b_classes": layer.b_classes, "b_words": layer.b_words, **tables}
        else:
            by_name = {name: getattr(layer, name) for name in ("W", "b", "z", "c") if hasattr(layer, name)}
        return {"inputs": self.inputs, **by_name}

    def reference_loss(self, weights: dict[str, np.ndarray]) -> float:
        """The summed loss in float64, word by word, of these weights and the same samples."""
        layer, total = self.softmax, 0.0
        for h, target in zip(weights["inputs"], self.targets.tolist(), strict=True):
            if hasattr(layer, "W_words"):
                total += reference.class_loss(class_weights(layer, weights), members_of(layer), h, target)
            elif hasattr(layer, "tree"):
                total += reference.hierarchical_loss(weights, path_of(layer.tree, target), h)
            elif self.kind == "full":
                total += reference.full_loss(weights, h, target)
            else:
                compute = reference.sampled_loss if self.kind == "sampled" else reference.nce_loss
                total += compute(weights, Q, drawn_words(layer), h, target)
        return total


def members_of(layer) -> list[list[int]]:
    """The words of each class."""
    return [words.tolist() for words in np.split(layer.order, layer.begin[1:-1])]


def class_weights(layer, weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The rows and biases of each class, by the names of the reference."""
    result, begin = dict(weights), 0
    for number, words in enumerate(members_of(layer)):
        result[f"W{number}"] = weights[f"W{number}"].reshape((len(words), H), order="F")
        result[f"b{number}"] = weights["b_words"][begin : begin + len(words)]
        begin += len(words)
    return result


def path_of(tree, word: int) -> list[tuple[int, int]]:
    """From the root to a word, by the tree's own links."""
    path, place = [], word
    while place != 2 * V - 2:
        path.append((int(tree.parent[place]) - V, int(tree.turn[place])))
        place = tree.parent[place]
    return path[::-1]


def drawn_words(layer, seed: int = 3) -> list[int]:
    words, counts = layer.proposal.draw(np.random.default_rng(seed))
    return np.repeat(words, counts).tolist()


# --- what all of them must be


@every_kind
def test_log_probs_are_those_of_the_distribution_and_sum_to_one(kind: str) -> None:
    layer = Layer(kind)
    distribution = layer.distribution()
    assert distribution.shape == (len(TARGETS), V)
    np.testing.assert_allclose(np.exp(distribution).sum(axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(layer.log_probs(), distribution[np.arange(len(TARGETS)), TARGETS], atol=1e-5)


@every_kind
def test_the_loss_is_that_of_its_definition(kind: str) -> None:
    layer = Layer(kind)
    expected = layer.reference_loss(rnn_reference.weights_of(layer.parameters()))
    assert layer.loss() == pytest.approx(expected, rel=1e-5)
    if kind in EXACT:
        assert -layer.log_probs().sum() == pytest.approx(expected, rel=1e-5)


@every_kind
def test_gradients_are_those_of_finite_differences(kind: str) -> None:
    """Of the independent float64 loss, for every weight and for the hidden vectors."""
    layer = Layer(kind)
    actual, weights = (
        gradients(layer.collection, layer.parameters(), layer.loss_expression),
        rnn_reference.weights_of(layer.parameters()),
    )
    for name, array in weights.items():
        expected = numeric_gradient(lambda: layer.reference_loss(weights), array)
        np.testing.assert_allclose(actual[name], expected, rtol=2e-3, atol=2e-5, err_msg=name)


def test_enormous_logits_stay_finite() -> None:
    logits = dy.inputTensor([[1e4, 0], [0, -1e4], [-1e4, 0]], batched=True)
    losses = negative_log_probs(logits, np.array([[0], [1]])).npvalue().ravel()
    np.testing.assert_allclose(losses, [0, 1e4 + math.log(2)], rtol=1e-6, atol=1e-6)


# --- classes


def test_classes_by_size() -> None:
    """Most frequent first, the last class with what is left: 2, 0, 3 | 4, 5, 1 | 6."""
    actual = class_module.word_classes(UNIGRAM, 3, class_module.equal_size)
    assert [words.tolist() for words in actual] == [[2, 0, 3], [4, 5, 1], [6]]


def test_classes_by_frequency() -> None:
    """Side by side, the words take 0.3 0.25 0.2 0.1 0.06 0.05 0.04; each belongs to the third that its middle is in."""
    actual = class_module.word_classes(UNIGRAM, 3, class_module.equal_frequency)
    assert [words.tolist() for words in actual] == [[2], [0, 3], [4, 5, 1, 6]]
    many = class_module.word_classes(np.log(np.full(100, 0.01)), 10, class_module.equal_frequency)
    assert [len(words) for words in many] == [10] * 10


# --- the tree


def cheapest_code(weights: list[float]) -> float:
    """The smallest expected path of any binary tree, by trying all ways of joining two subtrees."""
    if len(weights) == 1:
        return 0.0
    best = math.inf
    for i, j in itertools.combinations(range(len(weights)), 2):
        rest = [weight for place, weight in enumerate(weights) if place not in (i, j)]
        best = min(best, weights[i] + weights[j] + cheapest_code([*rest, weights[i] + weights[j]]))
    return best


@pytest.mark.parametrize(
    "probabilities", [Q[:5] / Q[:5].sum(), [0.5, 0.25, 0.125, 0.0625, 0.0625], [0.2] * 5, [0.9, 0.1]]
)
def test_no_tree_has_shorter_paths(probabilities: list[float]) -> None:
    tree = hierarchical_module.HuffmanTree(np.array(probabilities))
    assert (probabilities * tree.real.sum(axis=1)).sum() == pytest.approx(cheapest_code(list(probabilities)))


def test_log_odds_of_words_too_rare_for_a_number(recwarn: pytest.WarningsRecorder) -> None:
    rare = np.array([0.0, 0.0, 0.25, 0.75])
    odds = hierarchical_module.HuffmanTree(rare).log_odds(rare)
    assert np.isfinite(odds).all() and list(recwarn) == []
    assert odds[0] == 0 and abs(odds[1]) > 100 and abs(odds[2]) == pytest.approx(np.log(3))


# --- sampling


class Fixed:
    """A proposal that draws what it is told: words with counts, which need not be whole numbers."""

    def __init__(self, words: list[int], counts: list[float]):
        self.words, self.counts = np.array(words), np.array(counts)
        self.log_expected = np.log(self.counts.sum()) + UNIGRAM

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return self.words, self.counts


def test_draws_follow_the_proposal_and_the_seed() -> None:
    proposal = sampled_module.Proposal(UNIGRAM, 20_000)
    words, counts = proposal.draw(np.random.default_rng(1))
    assert words.tolist() == list(range(V)) and counts.sum() == 20_000
    assert (np.abs(counts - 20_000 * Q) < 5 * np.sqrt(20_000 * Q)).all()
    np.testing.assert_allclose(np.exp(proposal.log_expected), 20_000 * Q)
    again, other = (proposal.draw(np.random.default_rng(seed))[1].tolist() for seed in (1, 2))
    assert again == counts.tolist() != other


def test_the_estimated_sum_is_right_in_expectation() -> None:
    """exp(loss) = Z / exp(s_target) with Z estimated from one draw; over all draws that is 1 / P(target) exactly."""
    layer = Layer("sampled", np.array([4]))
    mean = 0.0
    for word in range(V):
        layer.softmax.proposal = Fixed([word], [1])
        mean += Q[word] * math.exp(layer.loss())
    assert mean == pytest.approx(math.exp(-layer.log_probs()[0]), rel=1e-5)


def nce_gradient_of_the_biases(layer: Layer, truth: np.ndarray) -> np.ndarray:
    """In expectation over the text, which follows `truth`, and over the noise, K = 20 words from Q."""
    layer.softmax.proposal = Fixed(list(range(V)), (20 * Q).tolist())
    total = np.zeros(V)
    for target in range(V):
        layer.targets = np.array([target])
        total += truth[target] * gradients(layer.collection, {"b": layer.softmax.b}, layer.loss_expression)["b"]
    return total


def test_nce_is_content_when_the_exponents_are_the_probabilities() -> None:
    """Then it need not normalise. Scores that are right up to a constant do not content it: it learns Z = 1."""
    layer, truth = Layer("nce", np.array([0]), scale=0), np.random.default_rng(2).dirichlet(np.ones(V))
    layer.softmax.W.init_from_array(np.zeros((V, H)))
    layer.softmax.b.set_value(np.log(truth))
    np.testing.assert_allclose(nce_gradient_of_the_biases(layer, truth), 0, atol=1e-5)
    layer.softmax.b.set_value(np.log(truth) + 0.5)
    assert (nce_gradient_of_the_biases(layer, truth) > 0.005).all()
