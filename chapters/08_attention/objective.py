"""The objective of training: the loss of the targets, and the penalties on the attention."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import dynet as dy

from common.nn.softmax import masked_sum
from common.text.alignment import Links, true_alignments
from common.text.pairs import PairBatch, ParallelCorpus

from .model import AttentionalModel
from .settings import Settings


class Cost(NamedTuple):
    """loss: -log P(E | F) of all pairs of a batch, summed, in nats; total: with all requested penalties.

    weights: what each step attended to, (S, T) x B.
    """

    loss: dy.Expression
    total: dy.Expression
    weights: dy.Expression


class Objective:
    """L = -log P(E | F) + lambda_f (penalty of the fertilities) + lambda_s (cross-entropy with given links).

    A lambda of 0 leaves its term out. The links are those of the training pairs, one set a pair.
    """

    def __init__(self, model: AttentionalModel, settings: Settings, links: Sequence[Links] | None):
        self.model, self.settings, self.links = model, settings, links or ()

    def __call__(self, batch: PairBatch) -> Cost:
        losses, states = self.model.read(batch, self.model.dropout)
        weights = dy.concatenate_cols([state.weights for state in states])
        loss = masked_sum(losses, batch.target.mask)
        parts = [loss]
        counts = batch.target.predictions > 0  # not so in a process that has no pair of its own (--data-parallel)
        if self.settings.fertility and counts:
            masks = batch.source_mask, batch.target.mask
            penalty = self.model.fertility.penalty(weights, states[0].source.annotations, *masks)
            parts.append(penalty * self.settings.fertility)
        if self.settings.supervised and counts:
            from .attention_penalties import alignment_cross_entropy, wanted_weights

            targets = wanted_weights([self.links[index] for index in batch.target.indices], *weights.dim()[0])
            parts.append(alignment_cross_entropy(weights, targets) * self.settings.supervised)
        return Cost(loss, dy.esum(parts), weights)


def training_links(corpus: ParallelCorpus) -> tuple[list[Links], str]:
    """The links that attention is supervised by, and where they come from.

    The true ones where the corpus has them, else the most probable ones of IBM Model 1.
    """
    links = true_alignments(corpus, "train")
    if links is not None:
        return links, "the true alignments in train.align"
    from common.text.ibm_model1 import Lexicon

    lexicon = Lexicon.learn(corpus.train)
    return [lexicon.links(*pair) for pair in corpus.train], "the links that IBM Model 1 finds (there is no train.align)"
