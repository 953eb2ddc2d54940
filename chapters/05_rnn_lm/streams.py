"""The states of a recurrent model on a text that is read in order (`common.text.streams`), for the cache."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from common.evaluation.streaming import EVALUATED_AT_ONCE
from common.text.streams import make_streams

from .model import RecurrentLM


def stream_states(model: RecurrentLM, sentences: Sequence[Sequence[int]]) -> np.ndarray:
    """The state that each word and `</s>` of the text is predicted from, (N, H), with the state kept."""
    carried, parts = None, []
    for batch in make_streams(sentences, EVALUATED_AT_ONCE, 50):
        states, carried = model.hidden_from(batch.inputs, carried)
        parts.append(states)
    through_time = np.concatenate(parts, axis=1)  # (H, width, streams)
    length = sum(len(sentence) + 1 for sentence in sentences)
    return through_time.transpose(2, 1, 0).reshape(-1, len(through_time))[:length]
