"""Encoders that follow a tree: the state of a phrase is computed from those of its two parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.bidirectional import Bridge
from common.nn.dropout import Dropout
from common.nn.encoders import Source
from common.nn.recurrent import HiddenState, LSTMState, State, blocks
from common.nn.softmax import fold_time
from common.text.trees import Tree, balanced


class Level(NamedTuple):
    """The inner nodes of one height in all trees of a batch: the numbers of their left and right children."""

    left: list[int]
    right: list[int]


def levels_of(trees: Sequence[Tree], lengths: Sequence[int], time: int) -> tuple[list[Level], list[int]]:
    """The nodes of a batch of trees, height by height, and the numbers of the roots.

    Word t of sentence b has the number t + time*b, as `fold_time` orders them, padding included; inner nodes follow,
    level after level. The height of a node is one more than that of the higher of its children.
    """
    by_height: list[list[tuple[int, int, int, int]]] = []  # (sentence, node, left, right), numbered within the sentence
    numbers = {}  # of the whole batch, by (sentence, node)
    for sentence, (tree, length) in enumerate(zip(trees, lengths, strict=True)):
        numbers |= {(sentence, word): word + time * sentence for word in range(length)}
        heights = [0] * length
        for node, (left, right) in enumerate(tree, start=length):
            heights.append(max(heights[left], heights[right]) + 1)
            if heights[node] > len(by_height):
                by_height.append([])
            by_height[heights[node] - 1].append((sentence, node, left, right))
    levels, first = [], time * len(trees)
    for nodes in by_height:
        left_numbers = [numbers[sentence, left] for sentence, _, left, _ in nodes]
        right_numbers = [numbers[sentence, right] for sentence, _, _, right in nodes]
        levels.append(Level(left_numbers, right_numbers))
        numbers |= {(sentence, node): number for number, (sentence, node, _, _) in enumerate(nodes, start=first)}
        first += len(nodes)
    roots = [numbers[sentence, 2 * length - 2] for sentence, length in enumerate(lengths)]  # the last of 2n-1 nodes
    return levels, roots


class RecursiveNetwork:
    """h_p = tanh(W_xp x_t + W_lp h_l + W_rp h_r + b_p) (Neubig 2017, Eq. 70; Socher et al. 2011).

    A word has no children and an inner node no word: those terms are zero. `W_x` (H, H) is for words, `W_lr` (H, 2H)
    for the left child and the right child side by side.
    """

    def __init__(self, collection: dy.ParameterCollection, size: int, init_scale: float):
        uniform = dy.UniformInitializer(init_scale)
        self.W_x = collection.add_parameters((size, size), init=uniform)
        self.W_lr = collection.add_parameters((size, 2 * size), init=uniform)
        self.b = collection.add_parameters(size, init=0)

    def leaves(self, words: dy.Expression) -> HiddenState:
        """The states of N words, (H,) x N -> (H,) x N."""
        return HiddenState(dy.tanh(dy.affine_transform([self.b, self.W_x, words])))

    def join(self, left: HiddenState, right: HiddenState) -> HiddenState:
        """The states of N phrases from those of their parts."""
        both = dy.concatenate([left.hidden, right.hidden])
        return HiddenState(dy.tanh(dy.affine_transform([self.b, self.W_lr, both])))


class TreeLSTM:
    """The LSTM on binary trees (Tai et al. 2015): a forget gate for each child.

    The five blocks of `W_lr` (5*H, 2H) and of `b` (5*H,) are the input gate, the output gate, the update, and the
    forget gates of the left and the right child, whose biases start at 1; `W_x` (3*H, H) has the first three, since a
    word has no children to forget.
    """

    def __init__(self, collection: dy.ParameterCollection, size: int, init_scale: float):
        self.size = size
        uniform = dy.UniformInitializer(init_scale)
        self.W_x = collection.add_parameters((3 * size, size), init=uniform)
        self.W_lr = collection.add_parameters((5 * size, 2 * size), init=uniform)
        start = np.concatenate([np.zeros(3 * size), np.ones(2 * size)])
        self.b = collection.add_parameters(5 * size, init=dy.NumpyInitializer(start))

    def leaves(self, words: dy.Expression) -> LSTMState:
        """The states of N words, (H,) x N -> (H,) x N."""
        z = dy.affine_transform([dy.pick_range(self.b, 0, 3 * self.size), self.W_x, words])
        z_i, z_o, z_u = blocks(z, 3)
        cell = dy.cmult(dy.logistic(z_i), dy.tanh(z_u))
        return LSTMState(dy.cmult(dy.logistic(z_o), dy.tanh(cell)), cell)

    def join(self, left: LSTMState, right: LSTMState) -> LSTMState:
        """The states of N phrases from those of their parts."""
        z = dy.affine_transform([self.b, self.W_lr, dy.concatenate([left.hidden, right.hidden])])
        z_i, z_o, z_u, z_l, z_r = blocks(z, 5)
        remembered = dy.cmult(dy.logistic(z_l), left.cell) + dy.cmult(dy.logistic(z_r), right.cell)
        cell = dy.cmult(dy.logistic(z_i), dy.tanh(z_u)) + remembered
        return LSTMState(dy.cmult(dy.logistic(z_o), dy.tanh(cell)), cell)


def drawn_trees(source: Source) -> list[Tree]:
    """The trees that the sentences come with; balanced ones for those that come without."""
    both = zip(source.trees, source.lengths.tolist(), strict=True)
    return [balanced(length) if tree is None else tree for tree, length in both]


def balanced_trees(source: Source) -> list[Tree]:
    """Balanced ones for all."""
    return [balanced(length) for length in source.lengths.tolist()]


class TreeEncoder:
    """From the words of a sentence up its tree to the root, whose state a layer turns into the decoder's first.

    The nodes of one height in all trees of the batch are computed together, so there are as many steps as the highest
    tree has levels.
    """

    def __init__(
        self,
        collection: dy.ParameterCollection,
        cell: str,
        size: int,
        layers: int,
        init_scale: float,
        composition: type[RecursiveNetwork | TreeLSTM],
        trees: Callable[[Source], list[Tree]],
    ):
        """composition: what makes a phrase of its parts. trees: `drawn_trees` or `balanced_trees`."""
        self.composition: Any = composition(collection, size, init_scale)
        self.trees_of = trees
        self.bridge = Bridge(collection, cell, size, size, layers, init_scale)

    def start(self, source: Source, dropout: Dropout) -> list[State]:
        return self.bridge([dropout(self.root(source, dropout).hidden)] * len(self.bridge.W))

    def root(self, source: Source, dropout: Dropout) -> State:
        """The state of each sentence as a whole, each part (H,) x B."""
        levels, roots = levels_of(self.trees_of(source), source.lengths.tolist(), len(source.ids))
        nodes = self.composition.leaves(fold_time(dropout(source.words)))
        for level in levels:
            parents = self.composition.join(pick(nodes, level.left), pick(nodes, level.right))
            nodes = type(nodes)(*(dy.concatenate_to_batch(list(parts)) for parts in zip(nodes, parents, strict=True)))
        return pick(nodes, roots)


def pick(states: State, numbers: list[int]) -> State:
    """The states of these members of the batch, in this order."""
    return type(states)(*(dy.pick_batch_elems(part, numbers) for part in states))
