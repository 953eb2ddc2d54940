"""REINFORCE: the gradient of the expected cost, estimated from samples. Only --objective reinforce loads this file.

Letters in the shapes: B pairs in the batch, k samples of a pair.
"""

from __future__ import annotations

from typing import Any

import dynet as dy
import numpy as np

from common.text.pairs import PairBatch

from . import rewards
from .objectives import Cost, candidate_log_probs, columns, draw_candidates, reference_loss
from .settings import BASELINES, RISKS


def reinforce(model: Any, settings: Any, batch: PairBatch, progress: float, rng: np.random.Generator) -> Cost:
    """What has the gradient of the expected cost, as samples estimate it (Williams 1992; Ranzato et al. 2016)."""
    candidates = draw_candidates(model, batch, settings.samples, getattr(rewards, RISKS[settings.risk]))
    log_probs = candidate_log_probs(model, candidates)
    costs = candidates.costs[:, 1:]
    advantages = against_others(costs) if BASELINES[settings.baseline] else costs
    surrogate = policy_loss(dy.pick_range(log_probs, 1, candidates.number), advantages)
    return Cost(dy.sum_batches(surrogate), reference_loss(log_probs))


def policy_loss(log_probs: dy.Expression, advantages: np.ndarray) -> dy.Expression:
    """(1/k) sum_c advantage(c) log P(c): its gradient is REINFORCE's. log_probs (k,) x B, advantages (B, k)."""
    return dy.dot_product(log_probs, columns(advantages / advantages.shape[1]))


def against_others(costs: np.ndarray) -> np.ndarray:
    """The cost of each sample less the mean of its pair's other samples: (B, k) -> (B, k). 0 for a single sample."""
    k = costs.shape[1]
    if k == 1:
        return np.zeros_like(costs)
    return costs - (costs.sum(axis=1, keepdims=True) - costs) / (k - 1)
