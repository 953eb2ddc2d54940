"""The blocks of which encoders are made, each against a computation by hand."""

from __future__ import annotations

from pathlib import Path

import dynet as dy
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from chapters.encoder_decoder import convolution as convolution_module, tree_encoders as tree_encoders_module
from common.nn.cells import RNN
from common.nn.dropout import Dropout
from common.nn.encoders import Source
from common.text.trees import parse_tree, read_trees
from tests import encoder_reference as reference, rnn_reference as rnn
from tests.encoder_models import SOURCES, Twin, make_model

k_max = convolution_module.k_max
RecursiveNetwork = tree_encoders_module.RecursiveNetwork
TreeEncoder = tree_encoders_module.TreeEncoder
levels_of = tree_encoders_module.levels_of

SIZE = 3
LENGTHS = np.array([4, 1, 3, 6])
NUMBERS = np.random.default_rng(2).normal(size=(SIZE, 6, 4))


def array(parameter: dy.Parameters) -> np.ndarray:
    return parameter.as_array().astype(np.float64)


def batch(numbers: np.ndarray) -> dy.Expression:
    return dy.inputTensor(numbers, batched=True)


def values(expression: dy.Expression) -> np.ndarray:
    return expression.npvalue()


def filled(collection: dy.ParameterCollection) -> None:
    rnn.randomise({str(number): item for number, item in enumerate(collection.parameters_list())}, 0.8)


# --- recurrent


@pytest.mark.equation("neubig2017", 60, 64, 65, 66)
@pytest.mark.parametrize("name", ["forward", "reverse", "bidirectional"])
def test_every_word_has_its_state(name: str) -> None:
    """In the order of the words, whatever the direction: what attention will look at."""
    model = make_model(name)
    twin = Twin(model, name)
    source = Source.of(model.source_embedding, SOURCES)
    actual = values(model.encoder.read(source, Dropout())[0])
    for number, ids in enumerate(SOURCES):
        for t, by_hand in enumerate(reference.annotate(twin.weights, name, "lstm", ids)[0]):
            np.testing.assert_allclose(actual[:, t, number], by_hand, atol=1e-5)


# --- convolution


tied = st.lists(st.lists(st.integers(-2, 2), min_size=5, max_size=5), min_size=1, max_size=4)


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(rows=tied, k=st.integers(1, 5), windows=st.integers(1, 5))
def test_the_k_largest_stand_in_order_with_ties_too(rows: list[list[int]], k: int, windows: int) -> None:
    dy.renew_cg()
    numbers = np.array(rows, dtype=float)[:, :, None]
    actual = k_max(dy.inputTensor(numbers[:, :, 0]), np.array([windows]), k)
    expected = reference.pool("kmax", list(numbers[:, :windows, 0].T), k)
    np.testing.assert_array_equal(np.ravel(values(actual)), expected)


# --- trees


@pytest.mark.equation("neubig2017", 69)
def test_a_recurrent_step_is_the_row_that_a_tree_generalises() -> None:
    """h_t = tanh(W_xh x_t + W_hh h_{t-1} + b_h): what the recursive network is compared with."""
    collection = dy.ParameterCollection()
    layer = RNN(collection, SIZE, SIZE, 0.1)
    filled(collection)
    W_x, W_h, b = (array(getattr(layer, name)) for name in ("W_x", "W_h", "b"))
    h = np.zeros((SIZE, 4))
    actual = values(layer.run(batch(NUMBERS)))
    for t in range(6):
        h = np.tanh(W_x @ NUMBERS[:, t] + W_h @ h + b[:, None])
        np.testing.assert_allclose(actual[:, t], h, atol=1e-5)


def test_trees_are_read_as_the_corpus_reads_text(tmp_path: Path) -> None:
    """With a byte-order mark; a lone carriage return begins no line."""
    path = tmp_path / "train.trees"
    path.write_bytes(b"\xef\xbb\xbf(the hen)\n(an\rox)\n")
    assert [words for words, _ in read_trees(path)] == [["the", "hen"], ["an", "ox"]]


def test_levels_are_numbered_through_the_batch() -> None:
    """Two sentences of five and three words beside each other, and one of one word, in five steps of time."""
    _, first = parse_tree("((the hen) (sees (an ox)))", "here")
    _, second = parse_tree("(mira (sees it))", "here")
    levels, roots = levels_of([first, second, []], [5, 3, 1], 5)
    assert levels == [([0, 3, 6], [1, 4, 7]), ([2, 5], [16, 17]), ([15], [18])]
    assert roots == [20, 19, 10]


@pytest.mark.parametrize("composition", [RecursiveNetwork, tree_encoders_module.TreeLSTM])
def test_a_level_of_the_whole_batch_is_one_product(composition: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sixteen sentences with 183 inner nodes: as many joins as the highest tree has levels."""
    sentences = [[2] * length for length in range(5, 21)]
    collection = dy.ParameterCollection()
    encoder = TreeEncoder(collection, "lstm", SIZE, 1, 0.1, composition, tree_encoders_module.balanced_trees)
    embedding, text = collection.add_parameters((5, SIZE)), []
    join = encoder.composition.join
    monkeypatch.setattr(
        encoder.composition, "join", lambda left, right: text.append(left.hidden.dim()[1]) or join(left, right)
    )
    encoder.start(Source.of(embedding, sentences), Dropout())
    assert len(text) == 5 and sum(text) == sum(map(len, sentences)) - len(sentences)
