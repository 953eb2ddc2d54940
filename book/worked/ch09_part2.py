"""The worked examples of chapter 9's second part: ABS and RAS with vectors of two numbers, by the chapter's models."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from book.figures.ch09_part2_runs import scores
from common.chapters import chapter_module
from common.nn.dropout import NO_DROPOUT
from common.nn.encoders import Source
from common.nn.source_attention import DotScore, attention_weights
from common.text.vocab import Vocabulary

CHAPTER = "09_word_attention"
SOURCE = "soup is supplied by selena".split()
HEADLINE = "selena sells soup".split()
MIRRORED = ("selena thanks osan".split(), "osan thanks selena".split())
"""Two sources, the second one the first one back to front."""
WORDS = {"soup": (0, 2), "is": (0, 0), "supplied": (-1, -1), "by": (0, 0), "selena": (2, 0), "osan": (2, 1),
         "thanks": (-1, -1)}  # fmt: skip
"""Embeddings of source words: the first number is large for people, the second for things, both are negative for
verbs."""
TARGETS = {"</s>": (1, 0), "selena": (0, 1), "sells": (-1, -1), "soup": (1, -1), "osan": (0, 1)}
"""Embeddings of summary words, in the language model and in the query alike; <s> is </s>."""
P = np.array([[0, 0.5, 1.5, -1], [0, 0.5, 0, -1]])
U = np.array([[0, 0, 1, 0], [0, 0, 0, 1]])
OUTPUT = {"</s>": ((2, -2), (0, 0)), "selena": ((1, 0), (3, 0)), "sells": ((0, 1), (-2, -2)), "soup": ((-1, 0), (0, 3)),
          "osan": ((1, 0), (2, 1))}  # fmt: skip
"""Of each summary word its rows of V and of W."""
PLACES = ((1, 0), (0, 0), (-1, 0))
"""Embeddings of the places: the first number falls from the front of a sentence to its end."""
FIRST = (1, 0)
"""h_0 of RAS."""
NEVER = -30.0
"""The bias of <unk>, so that it has no share."""


class Found(NamedTuple):
    """What a step of ABS computes: history, query, scores, p, enc, h, V h + W enc + b and P(word) by word; float64."""

    history: list[str]
    query: np.ndarray
    scores: np.ndarray
    weights: np.ndarray
    encoded: np.ndarray
    hidden: np.ndarray
    logits: dict[str, float]
    probabilities: dict[str, float]


def values(expression: dy.Expression) -> np.ndarray:
    return np.array(expression.npvalue()).ravel().astype(float)


def rows(vocab: Vocabulary, given: dict[str, Any]) -> np.ndarray:
    """A row for each word of a vocabulary; zeros for <unk> and for what is not given."""
    return np.array([given.get("</s>" if word == "<s>" else word, (0, 0)) for word in vocab.words], dtype=float)


@cache
def vocabularies() -> tuple[Vocabulary, Vocabulary]:
    return Vocabulary(list(WORDS)), Vocabulary(list(TARGETS)[1:])


@cache
def abs_model(encoder: str = "attention") -> Any:
    """ABS with the vectors above: a context of two words, embeddings averaged with one neighbour on either side."""
    source, target = vocabularies()
    chosen = {"hidden_size": 2, "dropout": 0.0, "context": 2, "smooth": 1 if encoder == "attention" else 2}
    model = chapter_module(CHAPTER, "abs_model").ABS(source, target, encoder=encoder, **chosen)
    model.source_embedding.set_value(rows(source, WORDS))
    model.embedding.set_value(rows(target, TARGETS))
    if encoder == "attention":
        model.encoder.G.set_value(rows(target, TARGETS))
        model.encoder.P.set_value(P)
    model.U[0].set_value(U)
    for parameter, place in ((model.V, 0), (model.W, 1)):
        parameter.set_value(rows(target, {word: both[place] for word, both in OUTPUT.items()}))
    bias = np.zeros(len(target))
    bias[Vocabulary.unknown] = NEVER
    model.b.set_value(bias)
    return model


@cache
def ras_model() -> Any:
    """RAS-Elman with the vectors above; its convolution passes the word in the middle on as it is."""
    source, target = vocabularies()
    chosen = {"hidden_size": 2, "dropout": 0.0, "width": 3, "positions": 3}
    model = chapter_module(CHAPTER, "ras_model").RASElman(source, target, **chosen)
    model.source_embedding.set_value(rows(source, WORDS))
    model.place_embedding.set_value(np.array(PLACES, dtype=float))
    model.W_z.set_value(np.hstack([0 * np.eye(2), np.eye(2), 0 * np.eye(2)]))
    model.first[0].set_value(np.array(FIRST, dtype=float))
    return model


def read(model: Any, source: list[str]) -> Any:
    """The memory of one source, in the computation graph at hand."""
    return model.read(Source.of(model.source_embedding, [model.source_vocab.encode(source)]), NO_DROPOUT)


@cache
def step(number: int, encoder: str = "attention", source: tuple[str, ...] = tuple(SOURCE)) -> Found:
    """A step of ABS that has written so many words of the headline."""
    model = abs_model(encoder)
    written = ["<s>", "<s>", *HEADLINE[:number]][-2:]
    words = np.array([0 if word == "<s>" else model.vocab.encode([word])[0] for word in written]).reshape(2, 1, 1)
    dy.renew_cg()
    memory = read(model, list(source))
    scores = values(model.encoder.scores(memory.keys, words))
    logits, weights = model.logits(memory, words, NO_DROPOUT)
    history = np.concatenate([TARGETS["</s>" if word == "<s>" else word] for word in written])
    by_word, probabilities = (
        {word: float(row[model.vocab.ids[word]]) for word in TARGETS}
        for row in (values(logits), np.exp(values(dy.log_softmax(logits))))
    )
    encoded, hidden = values(memory.annotations * weights), values(model.hidden(words, NO_DROPOUT))
    return Found(written, P @ history, scores, values(weights), encoded, hidden, by_word, probabilities)


def averaged(source: list[str]) -> np.ndarray:
    """The smoothed embeddings of a source, a row each."""
    dy.renew_cg()
    return read(abs_model(), source).annotations.npvalue().reshape(2, -1, order="F").T.astype(float)


def embeddings() -> Iterator[float]:
    """Of each source word its embedding and its smoothed embedding."""
    for word, smoothed in zip(SOURCE, averaged(SOURCE), strict=True):
        yield from (*WORDS[word], *smoothed)


def queries() -> Iterator[float]:
    """Of each of the three steps the four numbers of its history, and its query."""
    for number in range(3):
        found = step(number)
        yield from (one for word in found.history for one in TARGETS["</s>" if word == "<s>" else word])
        yield from found.query


def weights() -> Iterator[float]:
    """Of each source word score and p at each of the three steps."""
    steps = [step(number) for number in range(3)]
    for place in range(len(SOURCE)):
        for found in steps:
            yield from (found.scores[place], found.weights[place])


def first_step() -> Iterator[float]:
    """Of each summary word its rows of V and W; then of the first step h and enc, how *selena* gets its score, all
    scores, and its share in the softmax."""
    found = step(0)
    for both in OUTPUT.values():
        for row in both:
            yield from row
    yield from (*(U @ [*TARGETS["</s>"], *TARGETS["</s>"]]), *found.hidden, *found.encoded)
    (v, _), (w, _) = OUTPUT["selena"]
    yield from (v, found.hidden[0], w, found.encoded[0], found.logits["selena"])
    yield from found.logits.values()
    yield from (np.exp(found.logits["selena"]), np.exp(list(found.logits.values())).sum())
    yield found.probabilities["selena"]


def encoded() -> Iterator[float]:
    """Of each step enc and P(right word): by attention, then for a bag of words."""
    for number, word in enumerate(HEADLINE):
        for encoder in ("attention", "bag-of-words"):
            found = step(number, encoder)
            yield from (*found.encoded, found.probabilities[word])


def mirrored() -> Iterator[float]:
    """Of each of two sources: by ABS p of its three words at the first step and P(selena) and P(osan), then by RAS its
    alpha. The first word of the source stands first."""
    for source in MIRRORED:
        found = step(0, source=tuple(source))
        yield from (*found.weights, found.probabilities["selena"], found.probabilities["osan"])
    for source in MIRRORED:
        yield from ras_weights(source)


def ras_weights(source: list[str]) -> np.ndarray:
    """alpha of the first step of RAS."""
    model = ras_model()
    dy.renew_cg()
    state = model.encode([model.source_vocab.encode(source)])
    return values(attention_weights(DotScore(), state.memory, state.layer.hidden))


def placed() -> Iterator[float]:
    """h_0; then of each word of two sources x, l, a = x + l and the score z . h_0."""
    yield from FIRST
    for source in MIRRORED:
        for word, place in zip(source, PLACES, strict=True):
            a = np.add(WORDS[word], place)
            yield from (*WORDS[word], *place, *a, a @ FIRST)


def measured() -> Iterator[float]:
    """The mean of ROUGE-L on the embedded headlines of ABS, RAS-Elman, RAS-LSTM and, as printed, RNNsearch."""
    for name in ("abs", "ras-elman", "ras-lstm", "rnnsearch"):
        yield float(scores()[name][:, 2].mean())
