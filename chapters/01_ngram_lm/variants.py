"""What the flags add to the counts: each in a file of its own, which is loaded only where it is chosen."""

from __future__ import annotations

from collections.abc import Sequence

from common.evaluation.perplexity import LanguageModel
from common.text.vocab import Vocabulary
from common.training.setup import Setup

from .counts import Level
from .settings import Settings


def make_vocabulary(setup: Setup) -> Vocabulary:
    """The words of the text; with --unk characters, a model of letters spells all others."""
    if setup.settings.unk != "characters":
        return setup.vocab
    from .characters import spelling_vocabulary

    return spelling_vocabulary(setup)


def select_ngrams(levels: Sequence[Level], settings: Settings) -> list[Level]:
    """The orders that the model uses, and with --prune, which of their n-grams."""
    if not settings.prune:
        return list(levels[: settings.order])
    from .pruning import mark

    return mark(levels, settings.thresholds)


def extend(setup: Setup, model: LanguageModel, train_ids: list[list[int]], dev_ids: list[list[int]]) -> LanguageModel:
    """The model itself, or with --skip and --cache a mixture with words from further back."""
    if not (setup.settings.skip or setup.settings.cache):
        return model
    from .longer import look_further_back

    return look_further_back(setup, model, train_ids, dev_ids)
