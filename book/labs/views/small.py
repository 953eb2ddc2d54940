"""Small data and quick training for the labs of chapters 6 to 11: seconds where the programs take a minute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from common.evaluation.perplexity import perplexity
from common.nn.optimiser import make_optimiser
from common.runtime import epoch_rng
from common.text.alignment import Links, true_alignments
from common.text.corpus import Sentence
from common.text.pairs import Pair, ParallelCorpus
from common.text.vocab import Vocabulary
from common.training.loop import Meter
from common.training.schedules import Schedule
from data import pairs_lexicon, village_lexicon


def few_people(names: Sequence[Sequence[str]], number: int) -> dict[str, str]:
    """Each name's new name: one of the first `number` of its list, in turn.

    names: those of women and those of men, a list each, so that "her" and "his" stay right.
    """
    return {name: some[rank % number] for some in names for rank, name in enumerate(some)}


def village_people(number: int) -> dict[str, str]:
    """New names for the people of the village: `number` women and as many men."""
    return few_people([village_lexicon.names(kind) for kind in "fm"], number)


def pairs_people(number: int) -> dict[str, str]:
    """The same for the sentence pairs, where the lists of names are longer."""
    return few_people([pairs_lexicon.names_of(kind) for kind in "eo"], number)


def stays_clear(sentence: Sequence[str], people: Mapping[str, str]) -> bool:
    """Whether different people keep different names."""
    people_here = {word for word in sentence if word in people}
    return len({people[name] for name in people_here}) == len(people_here)


def rename(sentence: Sequence[str], people: Mapping[str, str]) -> Sentence:
    return [people.get(word, word) for word in sentence]


def returns(sentence: Sequence[str], people: Iterable[str]) -> list[int]:
    """The places of names that have stood in the sentence before."""
    names = set(people)
    return [place for place, word in enumerate(sentence) if word in names and word in sentence[:place]]


def with_returns(sentences: Iterable[Sentence], people: Mapping[str, str], longest: int) -> list[Sentence]:
    """The renamed sentences of at most `longest` words in which a name comes back."""
    suitable = (sentence for sentence in sentences if len(sentence) <= longest and returns(sentence, people))
    return [rename(sentence, people) for sentence in suitable if stays_clear(sentence, people)]


class SmallPairs(NamedTuple):
    """Short sentence pairs and their true links."""

    pairs: list[Pair]
    links: list[Links]

    def first(self, number: int) -> SmallPairs:
        return SmallPairs(self.pairs[:number], self.links[:number])


def short_pairs(corpus: ParallelCorpus, split: str, people: Mapping[str, str], longest: int) -> SmallPairs:
    """The renamed pairs of a split whose source has at most `longest` words."""
    short = SmallPairs([], [])
    for pair, links in zip(getattr(corpus, split), true_alignments(corpus, split), strict=True):
        if len(pair.source) <= longest and stays_clear(pair.source, people):
            short.pairs.append(Pair(rename(pair.source, people), rename(pair.target, people)))
            short.links.append(links)
    return short


class Encoded(NamedTuple):
    """Sentence pairs as a translation model reads them: both vocabularies, and both sides as word ids."""

    source_vocab: Vocabulary
    vocab: Vocabulary
    sources: list[list[int]]
    targets: list[list[int]]

    @classmethod
    def of(cls, pairs: Sequence[Pair], min_count: int = 2) -> Encoded:
        """With vocabularies of the words that the pairs themselves hold at least `min_count` times."""
        sides = [pair.source for pair in pairs], [pair.target for pair in pairs]
        vocabularies = [Vocabulary.from_sentences(side, min_count) for side in sides]
        ids = ([vocab.encode(sentence) for sentence in side] for vocab, side in zip(vocabularies, sides, strict=True))
        return cls(*vocabularies, *ids)


def fit(
    model: Any, make_batches: Callable[[np.random.Generator], Sequence], epochs: int, rate: float, seed: int = 1
) -> list[float]:
    """Train as the chapter's train.py does, without dev, files and patience; the perplexity on train of each epoch.

    make_batches: the batches of an epoch, of sentences or of pairs, from the random numbers of that epoch.
    """
    schedule, optimiser = Schedule("cosine", rate, epochs), make_optimiser("adam", model.collection, clip=5.0)
    history = []
    for epoch in range(1, epochs + 1):
        meter = Meter(epoch, make_batches(epoch_rng(seed, epoch)))
        for batch in meter:
            sentences = getattr(batch, "target", batch)
            dy.renew_cg()
            loss = model.loss(batch)
            meter.add(loss.scalar_value(), sentences.predictions)
            mean_loss = loss * (1 / len(sentences.indices))
            mean_loss.backward()
            optimiser.learning_rate = schedule(meter.epochs_done, ())
            optimiser.update()
        history.append(perplexity(-meter.loss, meter.predictions))
    return history
