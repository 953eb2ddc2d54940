"""What every translation model can do, and what training makes of it: evaluation by teacher forcing, greedy search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import dynet as dy
import numpy as np
from tqdm import tqdm

from common import runtime
from common.evaluation.perplexity import Evaluation, check_unknown_words, spell_unknown_words, summarise
from common.search.decoding import greedy
from common.text.batching import parts_for
from common.text.corpus import Sentence
from common.text.pairs import Pair, PairBatch, make_pair_batches
from common.text.vocab import Vocabulary

if TYPE_CHECKING:
    from common.text.subwords import PairSplitter

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
    """A translation model bound to source sentences: P(E | F) in the form that search needs. vocabs: the words that can
    be written for each source."""

    def __init__(self, model: TranslationModel, sources: Sequence[Sentence]):
        self.model, self.vocab = model, model.vocab
        self.sources = [model.source_vocab.encode(source) for source in sources]
        self.vocabs = [model.vocab.for_source(source) for source in sources]
        self.source_words = max(map(len, sources))
        self.advance, self.select = model.advance, model.select
        if hasattr(model, "next_words"):
            self.next_words = model.next_words

    @property
    def footprint(self) -> Any:
        """What the model takes of the memory, where it says so."""
        return getattr(self.model, "footprint", None)

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
    The words before each word are the reference's own (teacher forcing). unk: see `evaluation.perplexity.evaluate`."""
    targets = [pair.target for pair in pairs]
    check_unknown_words(targets, model.vocab, unk)
    sources = [model.source_vocab.encode(pair.source) for pair in pairs]
    encoded = [model.vocab.for_source(pair.source).encode(pair.target) for pair in pairs]
    results: list[np.ndarray] = [np.empty(0)] * len(pairs)
    for batch in make_pair_batches(sources, encoded, batch_size):
        for part in parts_for(model, batch):
            log_probs = model.log_probs(part)
            for column, index in enumerate(part.target.indices):
                results[index] = log_probs[: len(encoded[index]) + 1, column].astype(np.float64)
    return spell_unknown_words(results, targets, model.vocab, unk)


def evaluate_pairs(model: TranslationModel, pairs: Sequence[Pair], unk: str = "uniform") -> Evaluation:
    """The results on the references, word by word given the source (Neubig 2017, Eq. 11 to 15, of P(E | F))."""
    log_probs = target_log_probs(model, pairs, unk)
    return summarise(model.vocab, [pair.target for pair in pairs], log_probs, unk)


def most_words(source_words: int, ratio: float = 2.0) -> int:
    """Where the translation of so many words is cut. ratio: of its words to those of the source."""
    return int(ratio * source_words) + 10


def in_batches(
    model: TranslationModel,
    sources: Sequence[Sentence],
    search: Callable[[Conditional, list[int]], Sequence[Any]],
    ratio: float = 2.0,
    rows: int = 1,
    batch_size: int = 32,
) -> list[Any]:
    """What `search` finds for each source: it gets some of them, of similar length, and the most words of each one's
    translation. What is found does not depend on the batches. rows: that a search takes for each source."""
    results: list[Any] = [None] * len(sources)
    limits = [most_words(len(source), ratio) for source in sources]
    progress = tqdm(total=len(sources), desc="translating", unit="sentence", leave=False, disable=None)
    parts = parts_of([*map(len, sources)], limits, model, rows, batch_size)
    for part in parts:
        bound = Conditional(model, [sources[index] for index in part])
        for index, result in zip(part, search(bound, [limits[index] for index in part]), strict=True):
            results[index] = result
        progress.update(len(part))
    progress.close()
    return results


def parts_of(
    lengths: Sequence[int], limits: Sequence[int], model: Any, rows: int = 1, batch_size: int = 32
) -> Iterable[list[int]]:
    """The numbers of sentences of similar length, a batch at a time: fewer at once where they are long (`room`).

    A batch takes what the model needs for a search, and what each step attended to, which is kept. Raises `UserError`
    where that is too much for a single sentence.
    """
    if runtime.memory_watched:
        from common.search.room import parts_with_room

        return parts_with_room(lengths, limits, model, rows, batch_size, KEPT_WEIGHT)
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def translate_words(
    model: TranslationModel, splitter: PairSplitter | None, sources: Sequence[Sentence]
) -> list[Sentence]:
    """Greedy translations in words of sources in words. splitter: of a model that reads and writes pieces of words."""
    read = [*map(splitter.source, sources)] if splitter else sources
    hypotheses = in_batches(model, read, lambda bound, limits: greedy(bound, len(limits), limits))
    return [splitter.join(hypothesis.words) if splitter else hypothesis.words for hypothesis in hypotheses]
