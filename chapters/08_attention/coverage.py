"""Coverage in the model: the score of a source word reads how much attention the word has got (Tu et al. 2016).

Letters in the shapes: H hidden size, A size of the hidden layer of the MLP score (here H), S source words, B sentences
in the batch, d numbers that tell a word's coverage.
"""

from __future__ import annotations

from typing import NamedTuple

import dynet as dy

from common.nn.cells import GRU
from common.nn.recurrent import HiddenState
from common.nn.softmax import as_columns, fold_time, unfold_time
from common.nn.source_attention import Memory

MOST_WORDS = 2.0
"""N, the most target words that a source word can be expected to become; the paper's choice."""
NUMBERS = 10
"""d of the neural coverage, as in the paper's best model."""


class Covered(NamedTuple):
    """The coverage of a batch of sources, C_t, (d, S) x B, and what of its next value depends on the source alone."""

    amount: dy.Expression
    prepared: dy.Expression

    def select(self, rows: list[int]) -> Covered:
        """The coverage of these sentences, in this order."""
        return Covered(*(dy.pick_batch_elems(part, rows) for part in self))


class Coverage:
    """e_tj = w . tanh(W_q h_t + W_s h_j + V C_{t-1,j}): the MLP score with another summand (Tu et al. 2016, 3.2).

    `V` (A, d). The paper's query is h_{t-1}, here it is h_t, as everywhere in this chapter.
    """

    numbers = 1

    def __init__(self, collection: dy.ParameterCollection, size: int, init_scale: float):
        self.V = collection.add_parameters((size, self.numbers), init=dy.UniformInitializer(init_scale))

    def tell(self, memory: Memory, covered: Covered) -> Memory:
        """The memory as the score reads it: the keys W_s h_j, (A, S) x B, with V C_{t-1,j} added."""
        return memory._replace(keys=memory.keys + self.V * covered.amount)

    def _begin(self, prepared: dy.Expression) -> Covered:
        """C_0 = 0. prepared: has a column for each source word."""
        (_, words), batch = prepared.dim()
        return Covered(dy.zeros((self.numbers, words), batch_size=batch), prepared)


class LinguisticCoverage(Coverage):
    """C_tj = C_{t-1,j} + alpha_tj / phi_j: the share of its attention that word j has got (Tu et al. 2016, 3.1).

    phi_j = N sigmoid(U_f h_j) is its fertility, the attention that it is expected to get in all; `U_f` (1, H) starts at
    0, so that every word begins with the fertility 1. d = 1.
    """

    def __init__(self, collection: dy.ParameterCollection, size: int, init_scale: float):
        super().__init__(collection, size, init_scale)
        self.U_f = collection.add_parameters((1, size), init=0)

    def begin(self, annotations: dy.Expression) -> Covered:
        """C_0 and the fertilities, (1, S) x B each: annotations (H, S) x B."""
        return self._begin(dy.logistic(self.U_f * annotations) * MOST_WORDS)

    def add(self, covered: Covered, query: dy.Expression, weights: dy.Expression) -> Covered:
        """C_t, when a step has attended with weights (S, 1) x B."""
        return covered._replace(amount=covered.amount + dy.cdiv(dy.transpose(weights), covered.prepared))


class NeuralCoverage(Coverage):
    """C_tj = GRU([alpha_tj; h_j; h_t], C_{t-1,j}): what to remember of attention is learnt (Tu et al. 2016, 3.1).

    One GRU for all words, d = 10. The matrix of its input is stored as its blocks: that of h_j in `cell` multiplies all
    words once, `W_weight` (3d, 1) the weight and `W_query` (3d, H) the query of the step.
    """

    numbers = NUMBERS

    def __init__(self, collection: dy.ParameterCollection, size: int, init_scale: float):
        super().__init__(collection, size, init_scale)
        uniform = dy.UniformInitializer(init_scale)
        self.cell = GRU(collection, size, self.numbers, init_scale)
        self.W_weight = collection.add_parameters((3 * self.numbers, 1), init=uniform)
        self.W_query = collection.add_parameters((3 * self.numbers, size), init=uniform)

    def begin(self, annotations: dy.Expression) -> Covered:
        """C_0, (d, S) x B, and the annotations' share of what the GRU computes, (3d, S) x B."""
        return self._begin(self.cell.project(annotations))

    def add(self, covered: Covered, query: dy.Expression, weights: dy.Expression) -> Covered:
        """C_t, when the step with this query, (H,) x B, has attended with weights (S, 1) x B."""
        (_, words), batch = covered.amount.dim()
        queries, everywhere = as_columns(self.W_query * query), dy.ones((1, words))
        inner = dy.affine_transform([covered.prepared, self.W_weight, dy.transpose(weights), queries, everywhere])
        inner = dy.reshape(inner, (3 * self.numbers,), words * batch)
        state = self.cell.cell(inner, HiddenState(fold_time(covered.amount)))
        return covered._replace(amount=unfold_time(state.hidden, words))
