"""What every translation model can do, and what is made of it: evaluation by teacher forcing, search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import dynet as dy
import numpy as np
from tqdm import tqdm

from common.evaluation.perplexity import Evaluation, check_unknown_words, spell_unknown_words, summarise
from common.memory import AT_ONCE, Footprint, fits, limit
from common.search.decoding import Hypothesis, bytes_before, greedy
from common.text.batching import parts_that_fit
from common.text.corpus import Sentence
from common.text.pairs import Pair, PairBatch, make_pair_batches
from common.text.vocab import Vocabulary

if TYPE_CHECKING:
    from common.search.length_prior import LengthPrior
    from common.text.subwords import PairSplitter

LENGTH_IN = ("search", "reranking")
"""Where a score of the length acts: in the beam, or on what a beam by probability has found."""

KEPT_WEIGHT = 16
"""Bytes of a weight of attention that is kept until a batch of translations is done, and of what is made of it."""


class TranslationModel(Protocol):
    """The interface of every translation model for evaluation, search and comparison. `vocab`: the target's words.

    A state may have an `attention`, a NumPy array (rows, source words): what the last step attended to.
    """

    source_vocab: Vocabulary
    vocab: Vocabulary

    def log_probs(self, batch: PairBatch) -> np.ndarray:
        """log P(target word | source, words before it) in nats of every prediction, (time, batch)."""
        ...

    def encode(self, sources: Sequence[Sequence[int]]) -> Any:
        """The state before the first target word of each source, in the computation graph at hand."""
        ...

    def advance(self, state: Any, words: Sequence[int]) -> tuple[Any, np.ndarray]:
        """Read one target word per row (`<s>` first): the new state, and log P(next word), (rows, vocabulary)."""
        ...

    def select(self, state: Any, rows: Sequence[int]) -> Any:
        """The state of these rows, in this order; a row may come more than once."""
        ...


class Conditional:
    """A translation model bound to source sentences: P(E | F) in the form that search needs.

    vocabs: the words that can be written for each source.
    """

    def __init__(self, model: TranslationModel, sources: Sequence[Sentence]):
        self.model, self.vocab = model, model.vocab
        self.sources = [model.source_vocab.encode(source) for source in sources]
        self.vocabs = [model.vocab.for_source(source) for source in sources]
        self.footprint, self.source_words = getattr(model, "footprint", None), max(map(len, sources))
        self.advance, self.select = model.advance, model.select
        if hasattr(model, "next_words"):
            self.next_words = model.next_words

    def start(self, batch_size: int) -> Any:
        """A new computation graph with every source encoded once; each source gets equally many rows, side by side."""
        dy.renew_cg()
        state = self.model.encode(self.sources)
        copies = batch_size // len(self.sources)
        if copies == 1:
            return state
        return self.model.select(state, np.repeat(np.arange(len(self.sources)), copies).tolist())


def target_log_probs(
    model: TranslationModel, pairs: Sequence[Pair], unk: str = "token", batch_size: int = 64
) -> list[np.ndarray]:
    """For each pair with n target words, the n+1 log-probabilities of its words and `</s>` given the source, in nats.

    The words before each word are the reference's own (teacher forcing). The results are in the order of the pairs;
    unk: see `common.evaluation.perplexity.evaluate`.
    """
    targets = [pair.target for pair in pairs]
    check_unknown_words(targets, model.vocab, unk)
    sources = [model.source_vocab.encode(pair.source) for pair in pairs]
    encoded = [model.vocab.for_source(pair.source).encode(pair.target) for pair in pairs]
    results: list[np.ndarray] = [np.empty(0)] * len(pairs)
    for batch in make_pair_batches(sources, encoded, batch_size):
        for part in parts_that_fit(batch, getattr(model, "footprint", None)):
            log_probs = model.log_probs(part)
            for column, index in enumerate(part.target.indices):
                results[index] = log_probs[: len(encoded[index]) + 1, column].astype(np.float64)
    return spell_unknown_words(results, targets, model.vocab, unk)


def evaluate_pairs(model: TranslationModel, pairs: Sequence[Pair], unk: str = "uniform") -> Evaluation:
    """The results on the references, word by word given the source (Neubig 2017, Eq. 11 to 15, of P(E | F))."""
    log_probs = target_log_probs(model, pairs, unk)
    return summarise(model.vocab, [pair.target for pair in pairs], log_probs, unk)


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
        return int(self.max_length_ratio * source_words) + 10

    def kept(self, source_words: int) -> int:
        """At most so many bytes is what the translations of a source keep of their attention."""
        return KEPT_WEIGHT * source_words * self.most_words(source_words) * max(self.beam, self.samples)


def translate(
    model: TranslationModel,
    sources: Sequence[Sentence],
    decoding: Decoding = Decoding(),
    rng: np.random.Generator | None = None,
    prior: LengthPrior | None = None,
) -> list[list[Hypothesis]]:
    """For each source its translations, the best first: one by greedy search, the beam's, or the samples as drawn.

    Sentences are decoded in batches of similar length; what is found does not depend on the batches.
    """
    results: list[list[Hypothesis]] = [[] for _ in sources]
    progress = tqdm(total=len(sources), desc="translating", unit="sentence", leave=False, disable=None)
    for part in parts_of([len(source) for source in sources], decoding, getattr(model, "footprint", None)):
        bound = Conditional(model, [sources[index] for index in part])
        limits = [decoding.most_words(len(sources[index])) for index in part]
        for index, hypotheses in zip(part, search(bound, limits, decoding, rng, prior), strict=True):
            results[index] = hypotheses
            if decoding.beam > 1:
                from common.search.length_prior import best_first

                how = decoding.length, len(sources[index]), prior, decoding.coverage
                results[index] = best_first(hypotheses, *how)
        progress.update(len(part))
    progress.close()
    return results


def parts_of(lengths: Sequence[int], decoding: Decoding, footprint: Footprint | None = None) -> Iterator[list[int]]:
    """The numbers of sentences of similar length, a batch at a time: fewer at once where they are long.

    A batch takes what the model needs for its sources and for a step, and what each step attended to, which is kept.
    Raises `UserError` where that is too much for a single sentence.
    """
    part: list[int] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__):
        length = lengths[index]
        needed = decoding.kept(length)
        if footprint:
            needed += bytes_before(footprint, length) * max(decoding.beam, decoding.samples)
            if not fits(footprint.model() + needed):
                from common.memory_limit import check_rows

                check_rows(footprint, limit(), needed, f"translating a sentence of {length} words")
        if part and (len(part) == decoding.batch_size or (len(part) + 1) * needed > AT_ONCE):
            yield part
            part = []
        part.append(index)
    if part:
        yield part


def search(
    bound: Conditional,
    limits: Sequence[int],
    decoding: Decoding,
    rng: np.random.Generator | None = None,
    prior: LengthPrior | None = None,
) -> list[list[Hypothesis]]:
    """The hypotheses of each source of a batch."""
    if decoding.samples:
        from common.search.sampling import sample

        samples = sample(bound, len(limits) * decoding.samples, rng, np.repeat(limits, decoding.samples).tolist())  # type: ignore[arg-type]
        return [samples[first : first + decoding.samples] for first in range(0, len(samples), decoding.samples)]
    if decoding.beam == 1:
        return [[hypothesis] for hypothesis in greedy(bound, len(limits), limits)]
    from common.search.beams import beam_search
    from common.search.length_prior import length_score

    leads = decoding.length != "none" and decoding.length_in == "search"
    scores = [length_score(decoding.length, len(source), prior) for source in bound.sources] if leads else None
    return beam_search(bound, len(limits), decoding.beam, limits, scores)


def translate_words(
    model: TranslationModel, splitter: PairSplitter | None, sources: Sequence[Sentence]
) -> list[Sentence]:
    """Greedy translations in words of sources in words. splitter: of a model that reads and writes pieces of words."""
    if splitter is None:
        return [hypothesis.words for (hypothesis,) in translate(model, sources)]
    return [splitter.join(hypothesis.words) for (hypothesis,) in translate(model, [*map(splitter.source, sources)])]
