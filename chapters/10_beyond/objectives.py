"""What training minimises: the likelihood of the references, or what the model's own translations cost.

Letters in the shapes: T predictions, B pairs in the batch, n candidates of a pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.nn.dropout import NO_DROPOUT
from common.nn.softmax import FORBIDDEN
from common.text.batching import Batch, pad
from common.text.pairs import PairBatch, make_pair_batch
from common.text.vocab import Vocabulary

from .rewards import Tokens, sentence_bleu, sentence_rouge
from .sampling import draw_sentences, references_of, sources_of

LONGER = 2
"""A sample is cut at so many times the predictions of the longest reference of its batch."""
Score = Callable[[Tokens, Tokens], float]
RISKS: dict[str, Score] = {"bleu": sentence_bleu, "rouge": sentence_rouge}
"""The choices of --risk: how good a sentence is beside its reference, from 0 to 1."""
MIXINGS = {"linear": "linear", "exponential": "exponential", "sigmoid": "inverse_sigmoid", "constant": "constant"}
"""The choices of --mixing: functions of `mixing`."""


class Cost(NamedTuple):
    """total: what is minimised, summed over the pairs. loss: -log P(E | F) of the references, summed, in nats."""

    total: dy.Expression
    loss: dy.Expression


def likelihood(model: Any, settings: Any, batch: PairBatch, progress: float, rng: np.random.Generator) -> Cost:
    """-log P(E | F) of the references: every word is predicted after the reference's own words (teacher forcing)."""
    dy.renew_cg()
    loss = model.loss(batch)
    return Cost(loss, loss)


def scheduled(model: Any, settings: Any, batch: PairBatch, progress: float, rng: np.random.Generator) -> Cost:
    """The same loss, but some of the words that the decoder reads are its own, more and more (Bengio et al. 2015)."""
    from . import mixing

    own = 1 - getattr(mixing, MIXINGS[settings.mixing])(settings.own_words, progress)
    inputs = mixing.mixed_inputs(model, batch, own, rng)
    mixed = batch._replace(target=batch.target._replace(inputs=inputs))
    return likelihood(model, settings, mixed, progress, rng)


def risk(model: Any, settings: Any, batch: PairBatch, progress: float, rng: np.random.Generator) -> Cost:
    """Minimum risk: the expected cost under the model's renormalised probabilities (Shen et al. 2016)."""
    candidates = draw_candidates(model, batch, settings.samples, RISKS[settings.risk])
    log_probs = candidate_log_probs(model, candidates)
    counted = candidates.first_sample if settings.samples_only else candidates.first
    expected = expected_cost(log_probs, candidates.costs, counted, settings.alpha)
    return Cost(dy.sum_batches(expected), reference_loss(log_probs))


def reinforce(model: Any, settings: Any, batch: PairBatch, progress: float, rng: np.random.Generator) -> Cost:
    """What has the gradient of the expected cost, as samples estimate it (Williams 1992; Ranzato et al. 2016)."""
    candidates = draw_candidates(model, batch, settings.samples, RISKS[settings.risk])
    log_probs = candidate_log_probs(model, candidates)
    advantages = BASELINES[settings.baseline](candidates.costs[:, 1:])
    surrogate = policy_loss(dy.pick_range(log_probs, 1, candidates.number), advantages)
    return Cost(dy.sum_batches(surrogate), reference_loss(log_probs))


def raml(model: Any, settings: Any, batch: PairBatch, progress: float, rng: np.random.Generator) -> Cost:
    """Reward augmented maximum likelihood: the likelihood of altered references (Norouzi et al. 2016)."""
    from .augmentation import raml_losses

    return Cost(*raml_losses(model, settings, batch, rng))


Objective = Callable[[Any, Any, PairBatch, float, np.random.Generator], Cost]
OBJECTIVES: dict[str, Objective] = {each.__name__: each for each in (risk, reinforce, raml, scheduled, likelihood)}
"""The choices of --objective: model, settings, batch, progress of this phase from 0 to 1, random numbers -> `Cost`."""
SAMPLING = (risk, reinforce)
"""Those that read candidates, drawn from the model."""


class Candidates(NamedTuple):
    """For each of B pairs its reference and n - 1 samples: the pairs' batch with B*n columns, n of a pair side by side.

    costs: 1 - score of each, (B, n). first: whether a sentence is the first of its kind among the candidates of its
    pair, (B, n); first_sample: the same among the samples, the reference left out.
    """

    batch: PairBatch
    costs: np.ndarray
    first: np.ndarray
    first_sample: np.ndarray

    @property
    def number(self) -> int:
        return self.costs.shape[1]


def draw_candidates(model: Any, batch: PairBatch, samples: int, score: Score = sentence_bleu) -> Candidates:
    """The candidates of every pair: its reference, and samples from the model without dropout. score: of `RISKS`."""
    sources, references = sources_of(batch), references_of(batch)
    sampled = draw_sentences(model, sources, samples, LONGER * len(batch.target.mask))
    sets = [[reference, *sampled[i * samples : (i + 1) * samples]] for i, reference in enumerate(references)]
    costs = [[0.0, *(cost_of(sample, own[0], score) for sample in own[1:])] for own in sets]
    first, first_sample = ([firsts(own, skip) for own in sets] for skip in (0, 1))
    return Candidates(batch_of(sources, sets), np.array(costs), np.array(first), np.array(first_sample))


def cost_of(predictions: Sequence[int], reference: Sequence[int], score: Score = sentence_bleu) -> float:
    """1 - score, both as predictions. An unknown word of the reference is matched by nothing: `<unk>` is no word."""
    words = [word for word in predictions if word != Vocabulary.boundary]
    return 1 - score(words, [-1 if word == Vocabulary.unknown else word for word in reference[:-1]])


def firsts(sentences: Sequence[Sequence[int]], skip: int) -> list[bool]:
    """Whether each is not among those before it; the first `skip` do not count at all."""
    return [i >= skip and sentence not in sentences[skip:i] for i, sentence in enumerate(sentences)]


def batch_of(sources: Sequence[Sequence[int]], sets: Sequence[Sequence[Sequence[int]]]) -> PairBatch:
    """The batch in which each source is read with each of its candidates. Those that were cut do not predict `</s>`."""
    every = [sentence for own in sets for sentence in own]
    inputs, mask = pad([[Vocabulary.boundary, *sentence[:-1]] for sentence in every])
    target = Batch(inputs, pad(every)[0], mask, np.arange(len(every)))
    return make_pair_batch([source for source, own in zip(sources, sets, strict=True) for _ in own], target)


def candidate_log_probs(model: Any, candidates: Candidates) -> dy.Expression:
    """log P(candidate | source) in nats, (n,) x B, in a new computation graph."""
    dy.renew_cg()
    mask = candidates.batch.target.mask
    losses = dy.reshape(model.losses(candidates.batch, NO_DROPOUT), (len(mask),), mask.shape[1])
    log_probs = -dy.dot_product(losses, columns(mask.T))
    return dy.reshape(log_probs, (candidates.number,), len(candidates.costs))


def columns(numbers: np.ndarray) -> dy.Expression:
    """(B, n) -> (n,) x B, also of a single pair."""
    return dy.reshape(dy.inputTensor(numbers.ravel()), (numbers.shape[1],), len(numbers))


def reference_loss(log_probs: dy.Expression) -> dy.Expression:
    """-log P(E | F) of the references, which come first, summed: (n,) x B -> a scalar."""
    return -dy.sum_batches(dy.pick(log_probs, 0))


def expected_cost(log_probs: dy.Expression, costs: np.ndarray, counted: np.ndarray, alpha: float) -> dy.Expression:
    """sum_c Q(c) cost(c) with Q(c) = P(c)^alpha / sum_c' P(c')^alpha (Shen et al. 2016).

    log_probs (n,) x B, costs (B, n), counted (B, n), which candidates take part -> (1,) x B.
    """
    scores = log_probs * alpha + columns(np.where(counted, 0.0, FORBIDDEN))
    return dy.dot_product(dy.softmax(scores), columns(costs))


def policy_loss(log_probs: dy.Expression, advantages: np.ndarray) -> dy.Expression:
    """(1/k) sum_c advantage(c) log P(c): its gradient is REINFORCE's. log_probs (k,) x B, advantages (B, k)."""
    return dy.dot_product(log_probs, columns(advantages / advantages.shape[1]))


def against_others(costs: np.ndarray) -> np.ndarray:
    """The cost of each sample less the mean of its pair's other samples: (B, k) -> (B, k). 0 for a single sample."""
    k = costs.shape[1]
    if k == 1:
        return np.zeros_like(costs)
    return costs - (costs.sum(axis=1, keepdims=True) - costs) / (k - 1)


def no_baseline(costs: np.ndarray) -> np.ndarray:
    """The costs as they are."""
    return costs


BASELINES = {"others": against_others, "none": no_baseline}
"""The choices of --baseline: how good a sample is beside what was to be expected."""
