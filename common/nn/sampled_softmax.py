"""Softmaxes that are trained on a sample of the vocabulary: importance sampling, noise-contrastive estimation.

Only their losses are approximate. What they give in evaluation is the full softmax, with all of its cost.
"""

from __future__ import annotations

import dynet as dy
import numpy as np

from common.nn.full_softmax import FullSoftmax, side_by_side
from common.nn.softmax import FORBIDDEN


class Proposal:
    """Where samples come from: K words per batch, drawn with replacement from a unigram distribution Q."""

    def __init__(self, unigram: np.ndarray, samples: int):
        """unigram: log Q(word) in nats, (V,). samples: K."""
        self.samples = samples
        self.cumulative = np.cumsum(np.exp(unigram))
        self.log_expected = np.log(samples) + unigram
        """log (K Q(word)): how often each word is to be expected, (V,)."""

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The U different words drawn, (U,) of ids, and how often each was, (U,)."""
        words = np.searchsorted(self.cumulative, rng.random(self.samples) * self.cumulative[-1], side="right")
        return np.unique(words, return_counts=True)


class SampledSoftmax(FullSoftmax):
    """Importance sampling (Bengio and Senecal 2003): the sum over the vocabulary is estimated from K words.

    Z = sum of exp(s_w) is estimated by exp(s_target) + 1/K (sum of exp(s_k) / Q(k) over the samples k other than the
    target). Its expectation is Z, whatever Q. All predictions of a batch share the samples.
    """

    def __init__(
        self, collection: dy.ParameterCollection, W: dy.LookupParameters, start: np.ndarray, proposal: Proposal
    ):
        """W: a table of V rows of H numbers, of which a batch touches some. start: as in the full softmax."""
        super().__init__(collection, W, start)
        self.proposal = proposal

    def scores(self, hidden: dy.Expression) -> dy.Expression:
        return dy.affine_transform([self.b, dy.transpose(self.W.expr()), hidden])

    def scores_of(self, hidden: dy.Expression, words: np.ndarray, offsets: np.ndarray) -> dy.Expression:
        """s - offset of the same U words for every prediction: (U,) x N. words, offsets: (U,)."""
        columns = dy.lookup_batch(self.W, words.tolist())
        (size,), number = columns.dim()
        rows = dy.transpose(dy.reshape(columns, (size, number), 1))
        bias = dy.reshape(dy.pick_batch(self.b, words.tolist()), (number,), 1)
        return dy.affine_transform([bias - dy.inputVector(offsets), rows, hidden])

    def scores_of_targets(self, hidden: dy.Expression, targets: np.ndarray) -> dy.Expression:
        """s of the target of each prediction: (1,) x N."""
        products = dy.dot_product(dy.lookup_batch(self.W, targets.tolist()), hidden)
        return products + dy.pick_batch(self.b, targets.tolist())

    def loss(self, hidden: dy.Expression, targets: np.ndarray, rng: np.random.Generator) -> dy.Expression:
        words, counts = self.proposal.draw(rng)
        others = self.scores_of(hidden, words, self.proposal.log_expected[words] - np.log(counts))
        hits = np.nonzero(words[:, None] == targets)  # a target that was drawn must not count twice
        if len(hits[0]) > 0:
            forbidden = np.full(len(hits[0]), FORBIDDEN)
            others += dy.sparse_inputTensor(hits, forbidden, (len(words), len(targets)), batched=True)
        candidates = dy.concatenate([self.scores_of_targets(hidden, targets), others])
        return dy.sum_batches(dy.pickneglogsoftmax_batch(candidates, [0] * len(targets)))


class NCESoftmax(SampledSoftmax):
    """Noise-contrastive estimation (Mnih and Teh 2012): distinguish the words of the text from K words of noise.

    A word is of the text, not of the noise, with probability sigmoid(s - log Z - log K Q(word)). Z is 1, or with
    `learn_normaliser` log Z = z . h + c is learnt like all the rest. Either way no sum over the vocabulary is taken.
    """

    def __init__(
        self,
        collection: dy.ParameterCollection,
        W: dy.LookupParameters,
        start: np.ndarray,
        proposal: Proposal,
        learn_normaliser: bool = False,
    ):
        super().__init__(collection, W, start, proposal)
        self.learn_normaliser = learn_normaliser
        if learn_normaliser:
            _, size = W.shape()
            self.z = collection.add_parameters((1, size), init=0)
            self.c = collection.add_parameters(1, init=0)

    def loss(self, hidden: dy.Expression, targets: np.ndarray, rng: np.random.Generator) -> dy.Expression:
        words, counts = self.proposal.draw(rng)
        noise = self.scores_of(hidden, words, self.proposal.log_expected[words])
        text = self.scores_of_targets(hidden, targets) - side_by_side(self.proposal.log_expected[targets])
        if self.learn_normaliser:
            log_Z = dy.affine_transform([self.c, self.z, hidden])
            text, noise = text - log_Z, noise - log_Z
        log_is_noise = dy.dot_product(dy.inputVector(counts), dy.log_sigmoid(-noise))
        return -dy.sum_batches(dy.log_sigmoid(text) + log_is_noise)
