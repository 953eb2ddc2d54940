"""The worked examples of chapter 7: a tiny encoder-decoder, distances, and where Veldran stands without its source.

Those of searching stand in ch07_search.py, those of BLEU in ch07_bleu.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import dynet as dy
import numpy as np

from chapters.encoder_decoder import model
from chapters.ngram_lm import counts, methods, smoothing
from common.evaluation.perplexity import evaluate
from common.text.alignment import true_alignments
from common.text.pairs import ParallelCorpus, load_pairs
from common.text.vocab import Vocabulary

CHAPTER = "07_encoder_decoder"
SOURCE, TARGET = "uncles stroll".split(), "huskumai gisuzen".split()
SOURCE_EMBEDDINGS = {"uncles": (1, 0), "stroll": (0, 1)}
TARGET_EMBEDDINGS = {"</s>": (-1, -1), "huskumai": (3, 0), "gisuzen": (0, 3)}
ENCODER_W_X, ENCODER_W_H, DECODER_W_X, DECODER_W_H = 1.0, 0.5, -0.5, 1.0
"""All four matrices are the identity times a number, all biases but that of `<unk>` zero."""
WRITTEN = [2, 3, 0]
"""The ids of huskumai, gisuzen and `</s>`, as the lesson's table has them."""
NEVER = -100.0
"""The bias of `<unk>`, which the example leaves out."""
PAIR = 73
"""The pair of dev whose distances are counted."""


@cache
def corpus() -> ParallelCorpus:
    return load_pairs("village_pairs")


@cache
def by_hand(encoder: str):
    """The encoder-decoder of two numbers a state, its parameters as above. encoder: forward or reverse."""
    source_vocab, vocab = Vocabulary(SOURCE), Vocabulary(TARGET)
    small = model.EncoderDecoder(source_vocab, vocab, encoder=encoder, cell="rnn", hidden_size=2, dropout=0.0)
    small.source_embedding.set_value(rows(SOURCE_EMBEDDINGS, source_vocab))
    small.embedding.set_value(rows(TARGET_EMBEDDINGS, vocab))
    (reading,), (writing,) = small.encoder.stack.layers, small.decoder.layers
    for layer, w_x, w_h in ((reading, ENCODER_W_X, ENCODER_W_H), (writing, DECODER_W_X, DECODER_W_H)):
        layer.W_x.set_value(w_x * np.eye(2))
        layer.W_h.set_value(w_h * np.eye(2))
    small.b_s.set_value([NEVER if word == "<unk>" else 0.0 for word in vocab.words])
    return small


def rows(embeddings: dict[str, tuple[int, int]], vocab: Vocabulary) -> np.ndarray:
    return np.array([embeddings.get(word, (0, 0)) for word in vocab.words], dtype=float)


class Writing(NamedTuple):
    """One step of the decoder: its state, the scores and the probabilities of the words, and the word that comes."""

    hidden: np.ndarray
    scores: np.ndarray
    probs: np.ndarray
    word: int


def reading(encoder: str = "forward") -> list[np.ndarray]:
    """The encoder's states, (2,) each, in the order in which it reads."""
    small = by_hand(encoder)
    found = []
    for end in (1, 2):
        words = SOURCE[:end] if encoder == "forward" else SOURCE[len(SOURCE) - end :]
        dy.renew_cg()
        (state,) = small.encode([small.source_vocab.encode(words)]).layers
        found.append(state.hidden.npvalue())
    return found


def writing(encoder: str = "forward") -> list[Writing]:
    """The decoder's steps over the translation, its own words read one after the other."""
    small = by_hand(encoder)
    dy.renew_cg()
    state = small.encode([small.source_vocab.encode(SOURCE)])
    targets = [*small.vocab.encode(TARGET), Vocabulary.boundary]
    steps = []
    for before, word in zip([Vocabulary.boundary, *targets], targets, strict=False):
        state, log_probs = small.next_words(state, [before])
        hidden = state.layers[0].hidden
        scores = small.logits(hidden).npvalue()
        steps.append(Writing(hidden.npvalue(), scores, np.exp(log_probs.npvalue()), word))
    return steps


def word_probs(encoder: str) -> list[float]:
    """P(word | source, words before it) of the translation and of `</s>`."""
    return [float(step.probs[step.word]) for step in writing(encoder)]


def tiny() -> Iterator[float]:
    """Reading two words and writing two, in full."""
    yield from (*SOURCE_EMBEDDINGS["uncles"], *SOURCE_EMBEDDINGS["stroll"])
    for vector in TARGET_EMBEDDINGS.values():
        yield from vector
    yield from (ENCODER_W_X, ENCODER_W_H, DECODER_W_X, DECODER_W_H)
    before = np.zeros(2)
    for number, (word, state) in enumerate(zip(SOURCE, reading(), strict=True), start=1):
        inside = ENCODER_W_X * np.array(SOURCE_EMBEDDINGS[word]) + ENCODER_W_H * before
        yield from (number, *inside, *state)
        before = state
    yield from before
    steps, probs = writing(), word_probs("forward")
    for number, (word, step) in enumerate(zip(["</s>", *TARGET], steps, strict=True), start=1):
        inside = DECODER_W_X * np.array(TARGET_EMBEDDINGS[word]) + DECODER_W_H * before
        yield from (
            number,
            *inside,
            *step.hidden,
            *step.scores[WRITTEN],
            probs[number - 1],
            -math.log(probs[number - 1]),
        )
        before = step.hidden
    powers = np.exp(steps[0].scores[WRITTEN])
    yield from (powers[0], *powers, probs[0])
    yield from (math.prod(probs), -math.log(math.prod(probs)))


def backwards() -> Iterator[float]:
    """The same model that reads the last word first."""
    yield from reading("reverse")[-1]
    yield from reading("forward")[-1]
    probs = word_probs("reverse")
    yield from probs
    yield from (math.prod(probs), math.prod(word_probs("forward")))


def distances(links: set[tuple[int, int]], words: int, backward: bool) -> list[int]:
    """Steps between reading a source word and writing its translation, for each link (source word, target word).

    The source's words are read in a row, or from the last to the first, and the target's follow them.
    """
    return [(i + 1 + j) if backward else (words - i + j) for i, j in sorted(links, key=lambda link: link[1])]


def one_pair() -> tuple[list[str], list[str], set[tuple[int, int]]]:
    """A pair of dev and which of its words stand for which."""
    return *corpus().dev[PAIR], true_alignments(corpus(), "dev")[PAIR]


def steps_apart() -> Iterator[float]:
    """The distances of one pair, and the means over dev."""
    source, _, links = one_pair()
    for forward, reverse in zip(*(distances(links, len(source), one) for one in (False, True)), strict=True):
        yield from (forward, reverse)
    of_dev = list(zip(corpus().dev, true_alignments(corpus(), "dev"), strict=True))
    for least in (lambda all_of: all_of, lambda all_of: all_of[:1]):
        for backward in (False, True):
            found = [n for pair, some in of_dev for n in least(distances(some, len(pair.source), backward))]
            yield float(np.mean(found))


@cache
def without_source() -> float:
    """Perplexity on dev's target sentences of chapter 1's Kneser-Ney 5-gram, which knows Veldran and not the source."""
    sentences = [pair.target for pair in corpus().train]
    vocab = Vocabulary.from_sentences(sentences, min_count=2)
    levels = counts.count_ngrams([vocab.encode(one) for one in sentences], 5, len(vocab))
    dev = [pair.target for pair in corpus().dev]
    order_zero = smoothing.order_zero(len(vocab), False)
    lm = methods.METHODS["kneser-ney"](vocab, levels, order_zero, [vocab.encode(one) for one in dev])
    return evaluate(lm, dev).perplexity


def what_the_source_says() -> Iterator[float]:
    yield from (5, len(corpus().train), without_source())
    yield corpus().oracle("dev")["perplexity"]
