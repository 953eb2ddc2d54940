"""References altered at random, for reward augmented maximum likelihood (--objective raml; Norouzi et al. 2016)."""

from __future__ import annotations

import math
from typing import Any

import dynet as dy
import numpy as np

from common.text.dividing import take
from common.text.pairs import PairBatch
from common.text.vocab import Vocabulary


def alter(targets: np.ndarray, words: int, temperature: float, rng: np.random.Generator) -> np.ndarray:
    """Sentences drawn with probabilities in proportion to exp(-d / temperature), d the number of words substituted.

    targets: ids of the references' words, of any shape; `</s>` and padding stay. words: in the vocabulary, whose
    `</s>` and `<unk>` are never drawn.

    As d is a sum over the words, each is drawn by itself: it is replaced with probability w / (1 + w), where
    w = n exp(-1 / temperature) and n is the number of other words, by one of these, all equally probable.
    """
    first = Vocabulary.unknown + 1
    in_vocabulary = (targets >= first) & (targets < words)
    others = words - first - in_vocabulary
    weight = others * math.exp(-1 / temperature)
    replaced = (rng.random(targets.shape) < weight / (1 + weight)) & (targets != Vocabulary.boundary)
    substitutes = first + rng.integers(np.maximum(others, 1))
    return np.where(replaced, substitutes + (in_vocabulary & (substitutes >= targets)), targets)


def altered_batch(batch: PairBatch, number: int, words: int, temperature: float, rng: np.random.Generator) -> PairBatch:
    """Each source with `number` altered references: B pairs -> B*number, those of a pair side by side."""
    pairs = take(batch, np.repeat(np.arange(len(batch.target.indices)), number))
    targets = alter(pairs.target.targets, words, temperature, rng)
    inputs = np.concatenate([pairs.target.inputs[:1], targets[:-1]])
    return pairs._replace(target=pairs.target._replace(inputs=inputs, targets=targets))


def raml_losses(
    model: Any, settings: Any, batch: PairBatch, rng: np.random.Generator
) -> tuple[dy.Expression, dy.Expression]:
    """-log P of altered references, the mean of --samples of each pair, and that of the references; summed over pairs.

    The reward of a sentence is minus the number of words in which it differs from the reference.
    """
    dy.renew_cg()
    samples = altered_batch(batch, settings.samples, len(model.vocab), settings.temperature, rng)
    return model.loss(samples) * (1 / settings.samples), model.loss(batch)
