"""How translations are found, by the flags of translate.py: greedy or beam search, scores of the length, samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from common.search.beams import beam_search
from common.search.decoding import Hypothesis, greedy
from common.search.length_prior import LengthPrior, best_first, length_score
from common.search.sampling import sample
from common.search.translation import KEPT_WEIGHT, Conditional, TranslationModel, in_batches, most_words
from common.text.corpus import Sentence

LENGTH_IN = ("search", "reranking")
"""Where a score of the length acts: in the beam, or on what a beam by probability has found."""


@dataclass(frozen=True)
class Decoding:
    """How translations are found.

    beam: 1 is greedy search; samples: that many random translations of each sentence instead, if not 0;
    length: a name of `length_prior.LENGTH_SCORES`, which acts in the beam or, with length_in "reranking", on what a
    beam by probability has found; coverage: see `length_prior.best_first`; max_length_ratio: a translation is cut at
    this multiple of the source's words plus 10.
    """

    beam: int = 1
    samples: int = 0
    length: str = "none"
    max_length_ratio: float = 2.0
    batch_size: int = 32
    coverage: float = 0.0
    length_in: str = LENGTH_IN[0]

    def most_words(self, source_words: int) -> int:
        """Where a translation of so many words is cut."""
        return most_words(source_words, self.max_length_ratio)

    def kept(self, source_words: int) -> int:
        """At most so many bytes is what the translations of a source keep of their attention."""
        return KEPT_WEIGHT * source_words * self.most_words(source_words) * self.rows

    @property
    def rows(self) -> int:
        """How many beginnings of translations a search has of each source."""
        return max(self.beam, self.samples)


def translate(
    model: TranslationModel,
    sources: Sequence[Sentence],
    decoding: Decoding = Decoding(),
    rng: np.random.Generator | None = None,
    prior: LengthPrior | None = None,
) -> list[list[Hypothesis]]:
    """For each source its translations, the best first: one by greedy search, the beam's, or the samples as drawn."""
    how = decoding.max_length_ratio, decoding.rows, decoding.batch_size
    return in_batches(model, sources, lambda bound, limits: search(bound, limits, decoding, rng, prior), *how)


def search(
    bound: Conditional,
    limits: Sequence[int],
    decoding: Decoding,
    rng: np.random.Generator | None = None,
    prior: LengthPrior | None = None,
) -> list[list[Hypothesis]]:
    """The hypotheses of each source of a batch."""
    if decoding.samples:
        samples = sample(bound, len(limits) * decoding.samples, rng, np.repeat(limits, decoding.samples).tolist())  # type: ignore[arg-type]
        return [samples[first : first + decoding.samples] for first in range(0, len(samples), decoding.samples)]
    if decoding.beam == 1:
        return [[hypothesis] for hypothesis in greedy(bound, len(limits), limits)]
    lengths = [len(source) for source in bound.sources]
    leads = decoding.length != "none" and decoding.length_in == "search"
    scores = [length_score(decoding.length, length, prior) for length in lengths] if leads else None
    beams = beam_search(bound, len(limits), decoding.beam, limits, scores)
    found = zip(beams, lengths, strict=True)
    return [best_first(beam, decoding.length, length, prior, decoding.coverage) for beam, length in found]
