"""The hierarchical softmax: a word is reached by turning left or right down a binary tree (Morin and Bengio 2005)."""

from __future__ import annotations

import heapq

import dynet as dy
import numpy as np

from common.nn.full_softmax import side_by_side
from common.nn.softmax import as_rows


class HuffmanTree:
    """The binary tree over V words with the shortest expected path: frequent words hang near the root.

    Words are the leaves 0 ... V-1, inner nodes are 0 ... V-2. Every word's path, from its leaf up to the root, is a row
    of three arrays (V, longest path): `nodes` passed, `turns` taken at them (+1 right, -1 left), and `real`, which is
    false behind the end of a shorter path; there the node is V-1, which does not exist.
    """

    def __init__(self, probabilities: np.ndarray):
        """probabilities: of the words, (V,), V at least 2. The two lightest subtrees join, again and again."""
        V = len(probabilities)
        self.parent = np.zeros(2 * V - 1, dtype=np.int64)  # of leaves, then of inner nodes, which count from V here
        self.turn = np.zeros(2 * V - 1)
        subtrees = [(mass, place) for place, mass in enumerate(probabilities.tolist())]
        heapq.heapify(subtrees)
        for node in range(V, 2 * V - 1):
            (left_mass, left), (right_mass, right) = heapq.heappop(subtrees), heapq.heappop(subtrees)
            self.parent[[left, right]], self.turn[[left, right]] = node, (-1, 1)
            heapq.heappush(subtrees, (left_mass + right_mass, node))
        self.nodes, self.turns, self.real = self._climb(V)

    def _climb(self, V: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The paths of all words, all leaves climbing side by side."""
        root, place, steps = 2 * V - 2, np.arange(V), []
        while (place != root).any():
            below = place != root
            steps.append((np.where(below, self.parent[place] - V, V - 1), np.where(below, self.turn[place], 1), below))
            place = np.where(below, self.parent[place], root)
        nodes, turns, real = (np.stack(arrays, axis=1) for arrays in zip(*steps, strict=True))
        return nodes, turns, real

    def log_odds(self, probabilities: np.ndarray) -> np.ndarray:
        """log (mass to the right / mass to the left) of every inner node, (V-1,); a probability may be zero."""
        V = len(probabilities)
        mass = np.concatenate([np.maximum(probabilities, np.finfo(float).tiny), np.zeros(V - 1)])
        left, right = np.zeros((2, V - 1))
        for place in range(2 * V - 2):  # children come before their parents
            mass[self.parent[place]] += mass[place]
            side = right if self.turn[place] > 0 else left
            side[self.parent[place] - V] += mass[place]
        return np.log(right) - np.log(left)


class HierarchicalSoftmax:
    """P(word | h) = product over the nodes of its path of sigmoid(turn (w_node . h + b_node)).

    Costs one product per node of the path, about log2 V of them (Neubig 2017, section 5.6).
    """

    def __init__(
        self,
        collection: dy.ParameterCollection,
        hidden_size: int,
        unigram: np.ndarray,
        start: np.ndarray,
        init: dy.PyInitializer,
    ):
        """unigram: log P(word) for the tree, (V,). start: log-probabilities for the biases, (V,). init: of weights."""
        self.tree = HuffmanTree(np.exp(unigram))
        self.W = collection.add_lookup_parameters((len(start) - 1, hidden_size), init=init)
        log_odds = self.tree.log_odds(np.exp(start))
        self.b = collection.add_parameters(len(log_odds), init=dy.NumpyInitializer(log_odds))

    def turn_log_probs(self, hidden: dy.Expression, targets: np.ndarray) -> tuple[dy.Expression, np.ndarray]:
        """log P(turn) at all M nodes on the paths of all targets, (1,) x M, and whose path each is on, (M,)."""
        tree, (prediction, step) = self.tree, np.nonzero(self.tree.real[targets])
        nodes, turns = tree.nodes[targets[prediction], step].tolist(), tree.turns[targets[prediction], step]
        products = dy.dot_product(dy.lookup_batch(self.W, nodes), dy.pick_batch_elems(hidden, prediction.tolist()))
        scores = products + dy.pick_batch(self.b, nodes)
        return dy.log_sigmoid(dy.cmult(side_by_side(turns), scores)), prediction

    def loss(self, hidden: dy.Expression, targets: np.ndarray, rng: np.random.Generator) -> dy.Expression:
        return -dy.sum_batches(self.turn_log_probs(hidden, targets)[0])

    def log_probs(self, hidden: dy.Expression, targets: np.ndarray) -> np.ndarray:
        turns, prediction = self.turn_log_probs(hidden, targets)
        return np.bincount(prediction, weights=turns.npvalue().ravel(), minlength=len(targets))

    def distribution(self, hidden: dy.Expression) -> np.ndarray:
        scores = dy.affine_transform([self.b, dy.transpose(self.W.expr()), hidden])
        right, left = (as_rows(dy.log_sigmoid(turn)) for turn in (scores, -scores))
        result = np.zeros((len(right), len(self.tree.nodes)))
        for nodes, turns, real in zip(self.tree.nodes.T, self.tree.turns.T, self.tree.real.T, strict=True):
            node = np.where(real, nodes, 0)
            result += np.where(real, np.where(turns > 0, right[:, node], left[:, node]), 0)
        return result
