"""What chapter 4's lesson draws and computes: recorded numbers, gradients by hand, estimates of the softmax's sum."""

from __future__ import annotations

from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from book.figures import ch04_data, ch04_record
from book.lessons import ROOT
from book.lessons.cells import namespace
from chapters.feedforward_lm.model import DynetParameters, FeedForwardLM
from common.nn import class_softmax, sampled_softmax
from common.nn.hierarchical_softmax import HuffmanTree
from common.text.vocab import Vocabulary
from common.training.checkpoint import count_parameters
from data.oracle import next_word_probs
from tests.programs import write_small_village
from tests.recorded_form import keys, tiny_record

LESSON, PART2 = namespace("04"), namespace("04", 2)


@pytest.mark.slow
def test_record_makes_what_the_figures_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tiny model has the same numbers to draw as the one recorded."""
    corpus = write_small_village(tmp_path / "village")
    flags = ["--epochs", 1, "--hidden-size", 20, "--batch-size", 512, "--corpus", corpus]
    actual = tiny_record(ch04_record, monkeypatch, tmp_path, *flags)
    kept = ch04_data.of_models()
    assert keys({"command": "", "settings": kept["settings"], **actual}) == keys(kept)
    assert len(actual["log-probabilities"]) == len(kept["log-probabilities"])
    assert [len(units) for units in actual["dropped"]["with"]] == [20] * 3
    assert [len(curve) for curves in actual["curves"].values() for curve in curves.values()] == [1] * 4


def test_recorded_probabilities_are_distributions_and_the_oracles_are_the_grammars() -> None:
    actual = ch04_data.of_models()["unseen history"]
    for name in ("n-gram", "network", "oracle"):
        assert sum(actual[name]["each"]) + actual[name]["other things"] + actual[name]["other words"] == pytest.approx(
            1, abs=1e-3
        )
    truth = next_word_probs(actual["history"].split())
    assert actual["oracle"]["each"] == pytest.approx([truth[word] for word in actual["words"]], abs=1e-4)
    assert np.exp(ch04_data.of_models()["log-probabilities"]).sum() == pytest.approx(1, abs=1e-3)


def test_the_history_of_the_lesson_is_new() -> None:
    """Train never holds its last three words in a row, and often its last two."""
    train = (ROOT / "data/village/train.txt").read_text("utf-8").splitlines()
    words = ch04_record.HISTORY.split()
    seen = [sum(f" {' '.join(words[-n:])} " in f" {line} " for line in train) for n in (2, 3, 4)]
    assert seen[0] > 10 and seen[1:] == [0, 0]


def network() -> tuple[Vocabulary, FeedForwardLM]:
    """The chapter's model with the parameters of the lesson's network; words that are no wares have a bias of -30."""
    wares, vectors = LESSON["wares"], {**LESSON["x"], "millhand": LESSON["millhand"]}
    vocab = Vocabulary([*vectors, *wares])
    ids, bias = vocab.encode(wares), np.full(len(vocab), -30.0)
    bias[ids] = LESSON["b_s"]
    lm = FeedForwardLM(vocab, bias, order=3, embedding_size=2, hidden_size=3, dropout=0.0)
    embeddings, rows = np.zeros((len(vocab), 2)), np.zeros((len(vocab), 3))
    embeddings[vocab.encode(list(vectors))] = list(vectors.values())
    rows[ids] = LESSON["W_hs"]
    lm.embedding.init_from_array(embeddings)
    ((W, b),) = lm.layers
    W.set_value(LESSON["W_mh"])
    b.set_value(LESSON["b_h"])
    lm.softmax.W.set_value(rows)
    return vocab, lm


def test_the_cells_of_the_network_compute_what_the_model_does() -> None:
    vocab, lm = network()
    dy.renew_cg()
    words = np.array([vocab.encode(history.split()) for history in LESSON["histories"]]).T
    hidden = lm.hidden(words)
    np.testing.assert_allclose(LESSON["h"], hidden.npvalue().T, atol=1e-6)
    probs = np.exp(lm.softmax.distribution(hidden).npvalue())[vocab.encode(LESSON["wares"])]
    np.testing.assert_allclose(LESSON["p"], probs.T, atol=1e-6)
    assert (LESSON["p"][:, 0] > 0.5).tolist() == [True, False, False, True]  # as exclusive or: no sum does this


def test_the_gradient_of_the_millhand_is_that_of_the_model() -> None:
    vocab, lm = network()
    dy.renew_cg()
    history = vocab.encode(["millhand", "offers"])
    loss = dy.sum_batches(lm.softmax.losses(lm.hidden(np.array(history)[:, None]), np.array(vocab.encode(["flour"]))))
    loss.forward()
    loss.backward()
    np.testing.assert_allclose(LESSON["d_m"], lm.embedding.grad_as_array()[history].ravel(), atol=1e-5)


def test_the_lesson_counts_the_parameters_of_the_model() -> None:
    vocab = LESSON["vocab"]
    models = [FeedForwardLM(vocab, order=order) for order in LESSON["orders"]]
    assert LESSON["parameters"] == [count_parameters(DynetParameters(lm)) for lm in models]


def test_the_sums_printed_in_the_results_tell_the_wares_of_two_trades() -> None:
    """The additive table of RESULTS.md has the largest sum for the ware that the network of the lesson prefers."""
    text = (ROOT / "chapters/04_feedforward_lm/RESULTS.md").read_text("utf-8")
    table = text.partition("## What a sum of two scores can tell")[2].partition("| | ")[2].splitlines()
    columns = [name.strip() for name in table[0].split("|")][:-1]
    votes = {}
    for row in table[2 : 2 + len(LESSON["wares"])]:
        ware, *cells = (cell.strip().replace("−", "-") for cell in row.strip("|").split("|"))
        votes[ware] = dict(zip(columns, map(float, cells), strict=True))
    for history, p in zip(LESSON["histories"], LESSON["p"], strict=True):
        trade, verb = history.split()
        sums = [votes[ware][trade] + votes[ware][verb] for ware in LESSON["wares"]]
        assert sorted(sums)[-1] > sorted(sums)[-2]
        assert np.argmax(sums) == np.argmax(p)


def test_the_cells_of_classes_and_tree_are_those_of_the_layers() -> None:
    """The middles are those of the example in RESULTS.md."""
    assert (16 * LESSON["middles"]).tolist() == [1.5, 4.5, 7.5, 10, 12, 13.5, 14.5, 15.5]
    logs = np.log(LESSON["shares"])
    classes = class_softmax.word_classes(logs, 3, class_softmax.equal_frequency)
    assert [np.flatnonzero(LESSON["word_class"] == number).tolist() for number in range(3)] == [
        members.tolist() for members in classes
    ]
    dy.renew_cg()
    collection, hidden = dy.ParameterCollection(), dy.inputVector([0.0])
    layer = class_softmax.ClassSoftmax(collection, 1, classes, logs, dy.ConstInitializer(0))
    first = np.exp(dy.log_softmax(layer.class_scores(hidden)).npvalue().ravel())
    np.testing.assert_allclose(LESSON["class_shares"], first, atol=1e-6)
    for number, members in enumerate(classes):
        second = np.exp(dy.log_softmax(layer.word_scores(hidden, number)).npvalue().ravel())
        np.testing.assert_allclose(LESSON["within"][members], second, atol=1e-6)
    assert PART2["lengths"].tolist() == HuffmanTree(PART2["shares"]).real.sum(axis=1).tolist()


def test_the_estimate_is_that_of_the_sampled_softmax() -> None:
    collection, feeds = dy.ParameterCollection(), PART2["feeds"]
    W = collection.add_lookup_parameters((8, 1), init=dy.ConstInitializer(0))
    proposal = sampled_softmax.Proposal(np.log(PART2["shares"]), PART2["K"])
    layer = sampled_softmax.SampledSoftmax(collection, W, PART2["scores"], proposal)
    dy.renew_cg()
    loss = layer.loss(dy.inputVector([0.0]), np.array([feeds]), np.random.default_rng(22)).scalar_value()
    assert np.log(PART2["Z_estimate"]) - PART2["scores"][feeds] == pytest.approx(loss, abs=1e-6)


class Expected(sampled_softmax.Proposal):
    """Draws every word as often as is to be expected, K Q(w) times: so a loss becomes its expectation."""

    def draw(self, rng: np.random.Generator | None) -> tuple[np.ndarray, np.ndarray]:
        return np.arange(len(self.log_expected)), np.exp(self.log_expected)


def test_the_pushes_of_noise_contrast_are_the_slope_of_the_chapters_loss() -> None:
    feeds, giggles, K = PART2["feeds"], PART2["words"].index("giggles"), PART2["K"]
    for exp_score, up, down in zip(PART2["exp_s"], PART2["up"], PART2["down"], strict=True):
        start = np.log(PART2["shares"])
        start[feeds] = np.log(exp_score)
        collection = dy.ParameterCollection()
        W = collection.add_lookup_parameters((8, 1), init=dy.ConstInitializer(0))
        layer = sampled_softmax.NCESoftmax(collection, W, start, Expected(np.log(PART2["shares"]), K))
        dy.renew_cg()
        hidden = dy.inputVector([0.0])
        loss = dy.esum([layer.loss(hidden, np.array([word]), None) * 0.5 for word in (feeds, giggles)])
        loss.forward()
        loss.backward()
        assert up - down == pytest.approx(-float(layer.b.grad_as_array()[feeds]), abs=1e-6)


def test_work_per_word_is_counted_by_the_layers_themselves() -> None:
    actual, V = ch04_data.scores_per_word(), ch04_data.SIZES[0]
    shares = ch04_data.zipf(V)
    tree = HuffmanTree(shares)
    entropy = -(shares * np.log2(shares)).sum()
    assert actual["full"] == list(ch04_data.SIZES) and set(actual["sampled"]) == {257}
    assert actual["hierarchical"][0] == pytest.approx((shares * tree.real.sum(axis=1)).sum())
    assert all(entropy <= number for number in actual["hierarchical"]) and actual["hierarchical"][0] < entropy + 1
    assert all(cheap < V for cheap, V in zip(actual["class"], ch04_data.SIZES, strict=True))
