"""A text read in order, its sentences one after the other, in several streams side by side.

Where the state is kept between sentences, a batch must go on where the batch before it ended: the text is cut into
B parts, which lie side by side as the columns of every batch, and each batch is the next few steps of all of them.
The boundary between two sentences is predicted as `</s>` and read as `<s>`, so a sentence of n words takes n+1
predictions here too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from common.evaluation.perplexity import UNKNOWN_WORD_TYPES, Evaluation, check_unknown_words, summarise, unknown_words
from common.text.batching import Batch
from common.text.corpus import Sentence
from common.text.vocab import Vocabulary

from .model import RecurrentLM

EVALUATED_AT_ONCE = 10
"""Streams of an evaluation, each of which begins with an empty state."""


def make_streams(sentences: Sequence[Sequence[int]], streams: int, steps: int) -> list[Batch]:
    """The text of the sentences (of ids) as batches of at most `steps` steps of `streams` streams, in order.

    The last stream is padded to the length of the others. The `indices` of a batch number the streams.
    """
    text = np.concatenate([[*sentence, Vocabulary.boundary] for sentence in sentences]).astype(int)
    width = math.ceil(len(text) / streams)
    real = np.arange(streams * width) < len(text)
    targets = np.zeros(streams * width, dtype=int)
    targets[: len(text)] = text
    inputs = np.concatenate([[Vocabulary.boundary], targets[:-1]])
    parts = [array.reshape(streams, width).T for array in (inputs, targets, real.astype(np.float32))]
    return [
        Batch(*(part[start : start + steps] for part in parts), np.arange(streams)) for start in range(0, width, steps)
    ]


def stream_log_probs(
    model: RecurrentLM,
    sentences: Sequence[Sentence],
    unk: str = "token",
    streams: int = EVALUATED_AT_ONCE,
    steps: int = 50,
) -> list[np.ndarray]:
    """What `perplexity.sentence_log_probs` gives, with the state kept from one sentence to the next."""
    check_unknown_words(sentences, model.vocab, unk)
    encoded = [model.vocab.encode(sentence) for sentence in sentences]
    carried, parts = None, []
    for batch in make_streams(encoded, streams, steps):
        log_probs, carried = model.log_probs_from(batch, carried)
        parts.append(log_probs)
    flat = np.concatenate(parts).T.ravel().astype(np.float64)
    ends = np.cumsum([len(sentence) + 1 for sentence in encoded])
    return spell(np.split(flat[: ends[-1]], ends[:-1]), sentences, model.vocab, unk)


def spell(
    log_probs: Sequence[np.ndarray], sentences: Sequence[Sentence], vocab: Vocabulary, unk: str
) -> list[np.ndarray]:
    """What the sentences cost where unknown words are spelt (`--unk uniform`); elsewhere what they cost already."""
    if unk != "uniform":
        return list(log_probs)
    return [
        costs - math.log(UNKNOWN_WORD_TYPES) * np.array([*unknown, False])
        for costs, unknown in zip(log_probs, unknown_words(sentences, vocab), strict=True)
    ]


def evaluate_stream(model: RecurrentLM, sentences: Sequence[Sentence], unk: str = "uniform") -> Evaluation:
    """What `common.evaluation.perplexity.evaluate` gives, with the state kept from one sentence to the next."""
    return summarise(model.vocab, sentences, stream_log_probs(model, sentences, unk), unk)


def stream_states(
    model: RecurrentLM, sentences: Sequence[Sequence[int]], streams: int = EVALUATED_AT_ONCE
) -> np.ndarray:
    """The state that each word and `</s>` of the text is predicted from, (N, H), with the state kept."""
    carried, parts = None, []
    for batch in make_streams(sentences, streams, 50):
        states, carried = model.hidden_from(batch.inputs, carried)
        parts.append(states)
    through_time = np.concatenate(parts, axis=1)  # (H, width, streams)
    length = sum(len(sentence) + 1 for sentence in sentences)
    return through_time.transpose(2, 1, 0).reshape(-1, len(through_time))[:length]
