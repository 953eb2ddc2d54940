"""How good is a language model? Log-likelihood and perplexity, one computation for every chapter.

A sentence of n words takes n+1 predictions: its words, and `</s>`. Perplexity is
exp(-log P(test set) / number of predictions) (Neubig 2017, Eq. 15), over the whole of a split.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Any, Protocol

import numpy as np

from common.errors import UserError
from common.text.batching import Batch, make_batches, parts_for
from common.text.corpus import Sentence
from common.text.vocab import UNKNOWN, Vocabulary

UNKNOWN_WORD_TYPES = 10_000_000
"""How many words the language is assumed to have: an unknown word is spelt with probability 1 in so many."""
SPELLINGS = {
    "uniform": lambda vocab, words: np.full(len(words), -math.log(UNKNOWN_WORD_TYPES)),
    "token": lambda vocab, words: np.zeros(len(words)),
    "closed": lambda vocab, words: np.zeros(len(words)),
    "characters": lambda vocab, words: vocab.spell(words),
}
"""log P(word | <unk>) in nats of unknown words; see `evaluate`."""
UNKNOWN_KINDS = tuple(SPELLINGS)[:-1]
"""The choices of --unk in every chapter; the last is for models whose vocabulary has letters (chapter 1)."""
ACCOUNTINGS = {"honest": (), "salton2017": ("salton2017_perplexity",)}
"""The choices of --accounting: what an `Evaluation` reports beside its perplexity."""


class LanguageModel(Protocol):
    """The interface of every language model of the course: what evaluation, generation and comparison call.

    In DyNet, `log_probs` and `start` begin a new computation graph, which voids earlier states; `advance` does not, so
    several models may advance side by side. The state of `start` contains nothing of the graph. Where no state does,
    a true attribute `plain_states` says so: search may then renew the graph between two steps.
    """

    vocab: Vocabulary

    def log_probs(self, batch: Batch) -> np.ndarray:
        """log P(target | words before it) in nats of every prediction, (time, batch); what padding gets is ignored."""

    def start(self, batch_size: int) -> Any:
        """The state before the first word of `batch_size` sentences."""

    def advance(self, state: Any, words: Sequence[int]) -> tuple[Any, np.ndarray]:
        """Read one word per sentence (`<s>` first): the new state, and log P(next word), (batch, vocabulary)."""


@dataclass(frozen=True)
class Evaluation:
    """The results on a split. Log-likelihoods are natural logarithms, summed (Neubig 2017, Eq. 13).

    model_log_prob is the model's log-likelihood, unknown words counted as the one token `<unk>`; unknown_log_prob is
    that of spelling the unknown words. The `known_…` numbers leave out every prediction whose word is unknown, the
    `after_first_…` number the first word of every sentence, as the accounting of Salton et al. does.
    """

    sentences: int
    predictions: int
    unknown: int
    model_log_prob: float
    unknown_log_prob: float
    known_log_prob: float
    after_first_log_prob: float

    def __add__(self, other: Evaluation) -> Evaluation:
        """The results on two texts together: every field is a sum over sentences."""
        return Evaluation(*map(sum, zip(astuple(self), astuple(other), strict=True)))

    @property
    def log_prob(self) -> float:
        """The log-likelihood of the split: of the model and of the spelling."""
        return self.model_log_prob + self.unknown_log_prob

    @property
    def perplexity(self) -> float:
        return perplexity(self.log_prob, self.predictions)

    @property
    def known_perplexity(self) -> float:
        """Perplexity over the predictions of known words and `</s>` alone."""
        return perplexity(self.known_log_prob, self.predictions - self.unknown)

    @property
    def salton2017_perplexity(self) -> float:
        """The published accounting of the attentive language model: the first word of a sentence is not
        predicted and adds nothing to the sum, yet the divisor counts it (and `</s>`)."""
        return perplexity(self.after_first_log_prob, self.predictions)


def perplexity(log_prob: float, predictions: int) -> float:
    """Neubig 2017, Eq. 15: exp of minus the mean log-probability (infinite where that overflows)."""
    try:
        return math.exp(-log_prob / predictions)
    except OverflowError:
        return math.inf


def unknown_words(sentences: Iterable[Sentence], vocab: Vocabulary) -> list[list[bool]]:
    """For each word, whether it is spelt by the unknown-word model: it is not in the vocabulary."""
    return [[word not in vocab for word in sentence] for sentence in sentences]


def sentence_log_probs(
    model: LanguageModel, sentences: Sequence[Sentence], unk: str = "token", batch_size: int = 64
) -> list[np.ndarray]:
    """For each sentence of n words, the n+1 log-probabilities of its words and `</s>`, in nats. unk: see `evaluate`."""
    check_unknown_words(sentences, model.vocab, unk)
    encoded = [model.vocab.encode(sentence) for sentence in sentences]
    results: list[np.ndarray] = [np.empty(0)] * len(sentences)
    for batch in make_batches(encoded, batch_size):
        for part in parts_for(model, batch):
            log_probs = model.log_probs(part)
            for column, index in enumerate(part.indices):
                results[index] = log_probs[: len(encoded[index]) + 1, column].astype(np.float64)
    return spell_unknown_words(results, sentences, model.vocab, unk)


def spell_unknown_words(
    log_probs: Sequence[np.ndarray], sentences: Sequence[Sentence], vocab: Vocabulary, unk: str
) -> list[np.ndarray]:
    """The log-probabilities of the sentences' words and `</s>`, with those of spelling unknown words (`evaluate`)."""
    spelt = spelling_log_probs(sentences, vocab, unk)
    return [sentence + spelling for sentence, spelling in zip(log_probs, spelt, strict=True)]


def spelling_log_probs(sentences: Sequence[Sentence], vocab: Vocabulary, unk: str) -> list[np.ndarray]:
    """log P(spelling | <unk>) of each word, (n+1,) in nats per sentence: 0 where it is known, or `</s>`."""
    spelt = [np.zeros(len(sentence) + 1) for sentence in sentences]
    for log_probs, sentence, unknown in zip(spelt, sentences, unknown_words(sentences, vocab), strict=True):
        if any(unknown):
            log_probs[:-1][unknown] = SPELLINGS[unk](vocab, [word for word in sentence if word not in vocab])
    return spelt


def evaluate(
    model: LanguageModel, sentences: Sequence[Sentence], unk: str = "uniform", batch_size: int = 64
) -> Evaluation:
    """Evaluate a model on sentences (Neubig 2017, Eq. 11 to 15). unk says which probability an unknown word gets:

    "uniform": P(<unk>) times 1 in 10,000,000, so that models with different vocabularies compare;
    "token": P(<unk>) alone, as usual where `<unk>` is an ordinary word of the data (PTB);
    "closed": nothing is unknown; where something is, a `UserError` names it;
    "characters": P(<unk>) times what a model of letters gives the word, `vocab.spell(words)` in nats (chapter 1).
    """
    return summarise(model.vocab, sentences, sentence_log_probs(model, sentences, unk, batch_size), unk)


def summarise(
    vocab: Vocabulary, sentences: Sequence[Sentence], log_probs: Sequence[np.ndarray], unk: str
) -> Evaluation:
    """Add up the log-probabilities of `sentence_log_probs`. Raises `UserError` where one is not a number."""
    flat = np.concatenate([np.asarray(sentence, dtype=np.float64) for sentence in log_probs])
    if np.isnan(flat).any():
        raise UserError("a log-probability of the model is not a number; train again with a lower --learning-rate")
    unknown = np.concatenate([[*flags, False] for flags in unknown_words(sentences, vocab)])
    later = np.concatenate([np.arange(len(sentence)) > 0 for sentence in log_probs])
    spelling = sum(float(sentence.sum()) for sentence in spelling_log_probs(sentences, vocab, unk))
    return Evaluation(
        sentences=len(sentences),
        predictions=len(flat),
        unknown=int(unknown.sum()),
        model_log_prob=float(flat.sum()) - spelling,
        unknown_log_prob=spelling,
        known_log_prob=float(flat[~unknown].sum()),
        after_first_log_prob=float(flat[later].sum()),
    )


FIGURES = "perplexity sentences predictions unknown log_prob model_log_prob unknown_log_prob known_perplexity".split()
"""What metrics.json has of every evaluation."""


def figures(result: Evaluation, oracle: dict | None) -> dict:
    """An evaluation for metrics.json, with the oracle's results where the corpus has them."""
    entry = {name: getattr(result, name) for name in FIGURES}
    if oracle is not None:
        entry["oracle_perplexity"] = oracle["perplexity"]
        if oracle["known_predictions"] == result.predictions - result.unknown:  # its known words are this model's
            entry["oracle_known_perplexity"] = oracle["known_perplexity"]
    return entry


def check_unknown_words(
    sentences: Sequence[Sentence], vocab: Vocabulary, unk: str, place: str = "the text", first: int = 1
) -> None:
    """Raises `UserError` where `unk` is no kind, or "closed" and a word is unknown. place, first: where the sentences
    stand, and the number of the first of them there."""
    if unk not in SPELLINGS:
        raise UserError(f"no unknown-word model {unk!r}; choose from {', '.join(UNKNOWN_KINDS)}")
    for number, sentence in enumerate(sentences if unk == "closed" else (), start=first):
        for word in sentence:
            if word not in vocab or word == UNKNOWN:
                problem = f"the word {word!r} is unknown and the vocabulary closed; use --unk uniform or --unk token"
                raise UserError(f"{place}, sentence {number}: {problem}")
