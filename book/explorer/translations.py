"""Translating one sentence with one model or several, and what the models attend to while they do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from common.errors import UserError
from common.search.attending import Shown, force
from common.search.length_prior import LengthPrior, length_score
from common.search.searches import Decoding
from common.search.translation import Conditional, TranslationModel
from common.search.translation_ensemble import TranslationEnsemble
from common.text.alignment import Links
from common.text.corpus import Sentence
from common.text.pairs import load_pairs
from data.pair_truth import PairTruth

from .beam_trees import Tree, grow


class Judged(NamedTuple):
    """What the truth says of a translation: log P(target | source) in nats, and who renders whom.

    links: pairs (source word, target word), None where the grammar never writes this translation; `problem` then says
    from which word on.
    """

    log_prob: float
    links: Links | None
    problem: str


def together(models: Sequence[TranslationModel]) -> TranslationModel:
    """One model as it is, several as an ensemble. Raises `UserError` where they cannot be averaged."""
    return models[0] if len(models) == 1 else TranslationEnsemble(models)


def search(
    models: Sequence[TranslationModel], source: Sentence, beam: int, length: str, corpus: str, branches: int = 3
) -> Tree:
    """The beam search for the translations of a source sentence, as `translate` does it.

    length: a name of `LENGTH_SCORES`; a beam of 1 is greedy search, which has nothing to choose from.
    """
    model = together(models)
    prior = training_lengths(corpus) if length == "prior" else None
    score = None if length == "none" or beam == 1 else length_score(length, len(source), prior)
    bound = Conditional(model, [source])
    return grow(bound, beam, Decoding().most_words(len(source)), score, branches)


@cache
def training_lengths(corpus: str) -> LengthPrior:
    """How long the translations of the training pairs are. Raises `UserError` where the corpus is gone."""
    return LengthPrior.from_pairs(load_pairs(corpus).train)


def attended(model: TranslationModel, source: Sentence, target: Sentence) -> Shown | None:
    """What a model attends to while it reads this target; None for a model without attention."""
    try:
        return force(model, [source], [target])[0]
    except UserError:
        return None


def judge(truth: PairTruth, source: Sentence, target: Sentence) -> Judged:
    """What the grammar says of a translation. Raises `UserError` where it cannot say the source."""
    costs = truth.token_log_probs(source, target)
    total = math.fsum(costs)
    if math.isfinite(total):
        return Judged(total, set(truth.alignment(source, target)), "")
    place = next(place for place, cost in enumerate(costs) if not math.isfinite(cost))
    reason = f"word {place + 1}, {target[place]!r}, is impossible here" if place < len(target) else "it ends too early"
    return Judged(-math.inf, None, f"the grammar never translates the sentence this way: {reason}")


def true_translation(truth: PairTruth | None, source: Sentence) -> tuple[Sentence, str]:
    """The most probable translation by the grammar, and what keeps it from having one ("" where nothing does)."""
    if truth is None:
        return [], "the truth about this corpus is not known"
    try:
        return truth.best_target(source), ""
    except UserError as error:
        return [], str(error)
