"""How good is a language model on a text read in order? What `perplexity` computes, with the state kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from common.evaluation.perplexity import Evaluation, check_unknown_words, spell_unknown_words, summarise
from common.text.batching import Batch
from common.text.corpus import SPLITS, Sentence
from common.text.streams import make_streams
from common.text.vocab import Vocabulary

EVALUATED_AT_ONCE = 10
"""Streams of an evaluation, each of which begins with an empty state."""


class StreamModel(Protocol):
    """A language model that can go on where a text stopped."""

    vocab: Vocabulary

    def log_probs_from(self, batch: Batch, carried: Any) -> tuple[np.ndarray, Any]:
        """log P(target | words before it) in nats, (T, B), and what to go on from; carried: `None` where it begins."""


def stream_log_probs(
    model: StreamModel,
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
    return spell_unknown_words(np.split(flat[: ends[-1]], ends[:-1]), sentences, model.vocab, unk)


def evaluate_stream(model: StreamModel, sentences: Sequence[Sentence], unk: str = "uniform") -> Evaluation:
    """What `common.evaluation.perplexity.evaluate` gives, with the state kept from one sentence to the next."""
    return summarise(model.vocab, sentences, stream_log_probs(model, sentences, unk), unk)


def report_stream(kept: str, setup: Any, model: StreamModel, metrics: dict[str, Any]) -> None:
    """Add the perplexity on dev and test, read in order, to what metrics.json of a run will say, and log it.

    kept: what the model takes from one sentence to the next, in a word; setup: the run's `common.training.setup.Setup`.
    """
    for split in SPLITS[1:]:
        figure = evaluate_stream(model, getattr(setup.corpus, split), setup.settings.unk).perplexity
        metrics[split]["stream_perplexity"] = figure
        setup.log(f"perplexity on {split} with the {kept} kept: {figure:.2f}")
