"""Several translation models as one, which gives every word the mean of their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from common.errors import UserError
from common.search.ensemble import check_same_words, footprint_of, log_mean
from common.search.translation import TranslationModel
from common.text.pairs import PairBatch
from common.text.trees import TreeVocabulary


class EnsembleState(NamedTuple):
    """The members' states, and the mean attention of the members that have one."""

    members: list
    attention: np.ndarray | None


class TranslationEnsemble:
    """A translation model that gives every word the mean of what its members give it (Neubig 2017, Eq. 71).

    The members may be of different kinds. Raises `UserError` where their vocabularies differ.
    """

    def __init__(self, models: Sequence[TranslationModel]):
        for number, model in enumerate(models, start=1):
            if getattr(model, "alone", False):
                raise UserError(f"model {number} has a lexicon or copies words (chapter 10); translate with it alone")
        check_same_words(models)
        self.models, self.vocab = models, models[0].vocab
        vocabs = [model.source_vocab for model in models]
        self.source_vocab = next((vocab for vocab in vocabs if isinstance(vocab, TreeVocabulary)), vocabs[0])
        self.footprint = footprint_of(models)
        for number, model in enumerate(models[1:], start=2):
            if model.source_vocab.words != self.source_vocab.words:
                raise UserError(
                    f"models 1 and {number} have different vocabularies of the source; average runs on one corpus"
                )

    def log_probs(self, batch: PairBatch) -> np.ndarray:
        return log_mean([model.log_probs(batch) for model in self.models])

    def encode(self, sources: Sequence[Sequence[int]]) -> EnsembleState:
        return EnsembleState([model.encode(sources) for model in self.models], None)

    def advance(self, state: EnsembleState, words: Sequence[int]) -> tuple[EnsembleState, np.ndarray]:
        steps = [model.advance(member, words) for model, member in zip(self.models, state.members, strict=True)]
        members = [member for member, _ in steps]
        attentions = [member.attention for member in members if getattr(member, "attention", None) is not None]
        return EnsembleState(members, np.mean(attentions, axis=0) if attentions else None), log_mean(
            [log_probs for _, log_probs in steps]
        )

    def select(self, state: EnsembleState, rows: Sequence[int]) -> EnsembleState:
        members = [model.select(member, rows) for model, member in zip(self.models, state.members, strict=True)]
        return EnsembleState(members, None if state.attention is None else state.attention[list(rows)])
