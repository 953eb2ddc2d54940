"""The blocks of which encoders are made, each against a computation by hand."""

from __future__ import annotations

from pathlib import Path

import dynet as dy
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from chapters.encoder_decoder import convolution as convolution_module, tree_encoders as tree_encoders_module
from common.nn.dropout import Dropout
from common.nn.encoders import Source
from common.text.trees import parse_tree, read_trees
from tests import encoder_reference as reference

k_max = convolution_module.k_max
RecursiveNetwork = tree_encoders_module.RecursiveNetwork
TreeEncoder = tree_encoders_module.TreeEncoder
levels_of = tree_encoders_module.levels_of

SIZE = 3


# --- convolution


tied = st.lists(st.lists(st.integers(-2, 2), min_size=5, max_size=5), min_size=1, max_size=4)


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(rows=tied, k=st.integers(1, 5), windows=st.integers(1, 5))
def test_the_k_largest_stand_in_order_with_ties_too(rows: list[list[int]], k: int, windows: int) -> None:
    dy.renew_cg()
    numbers = np.array(rows, dtype=float)[:, :, None]
    actual = k_max(dy.inputTensor(numbers[:, :, 0]), np.array([windows]), k)
    expected = reference.pool("kmax", list(numbers[:, :windows, 0].T), k)
    np.testing.assert_array_equal(np.ravel(actual.npvalue()), expected)


# --- trees


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
