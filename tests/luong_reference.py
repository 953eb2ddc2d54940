"""Attentional models with all their choices once more, in NumPy float64, one sentence and one word at a time.

Written from the equations of the papers, without a look at the batched code that it judges. A model is a dictionary
of its arrays by the names of its parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests import attention_reference as attention, encoder_reference as encoder, rnn_reference as rnn

Arrays = Mapping[str, np.ndarray]


class Step(NamedTuple):
    """What a step of the decoder computes. covered: a row of coverage for each source word, after the step."""

    hidden: np.ndarray
    weights: np.ndarray
    context: np.ndarray
    attentional: np.ndarray | None
    covered: np.ndarray | None
    log_probs: np.ndarray


def align(
    arrays: Arrays, settings: Any, scores: Sequence[float], h: np.ndarray, t: int, before: np.ndarray | None
) -> np.ndarray:
    """The weights at target word t, counted from 1 (Luong et al. 2015, Eq. 7 and section 3.2). before: those at the
    word before it."""
    S, D = len(scores), settings.window
    bell = np.ones(S)
    if settings.attention == "local-m":
        seen = [s for s in range(1, S + 1) if abs(s - min(t, S)) <= D]
    elif settings.attention == "local":
        inner = (arrays["attention.local.v"] @ np.tanh(arrays["attention.local.W"] @ h)).item()
        p = S / (1 + math.exp(-inner))
        seen = [s for s in range(1, S + 1) if abs(s - p) < D]
        bell = np.array([math.exp(-((s - p) ** 2) / (2 * (D / 2) ** 2)) for s in range(1, S + 1)])
    else:
        seen = list(range(1, S + 1))
    total = sum(math.exp(scores[s - 1]) for s in seen)
    return np.array([math.exp(scores[s - 1]) / total if s in seen else 0.0 for s in range(1, S + 1)]) * bell


def cover(
    arrays: Arrays, settings: Any, covered: np.ndarray, annotation: np.ndarray, h: np.ndarray, weight: float
) -> np.ndarray:
    """The coverage of one source word after a step (Tu et al. 2016, section 3.1)."""
    if settings.coverage_model == "linguistic":
        fertility = 2 / (1 + math.exp(-(arrays["attention.coverage.U_f"] @ annotation).item()))
        return covered + weight / fertility
    place = "attention.coverage."
    own = {name: arrays[f"{place}cell.{name}"] for name in ("W_x", "W_hg", "W_hh", "b")}
    own["W_x"] = np.hstack([own["W_x"], arrays[f"{place}W_weight"], arrays[f"{place}W_query"]])
    return rnn.step("gru", own, np.concatenate([annotation, [weight], h]), (covered,))[0]


def remember(arrays: Arrays, settings: Any, past: Sequence[np.ndarray], h: np.ndarray) -> np.ndarray:
    """The context of the past at h_t, from h_1 ... h_{t-1} (Salton et al. 2017, Eq. 3 to 6, 9, 10); 0 without one."""
    scores = []
    for state in past:
        inner = arrays["readout.score.W_s"] @ state
        if settings.past_score == "combined":
            inner = inner + arrays["readout.score.W_q"] @ h
        scores.append(math.exp((arrays["readout.score.v_s"] @ np.tanh(inner)).item()))
    return sum((score / sum(scores) * state for score, state in zip(scores, past, strict=True)), np.zeros(len(h)))


def decode(
    arrays: Arrays, settings: Any, source: Sequence[int], inputs: Sequence[int], align: Callable = align
) -> list[Step]:
    """Every step after the inputs, the source having been read."""
    annotations, states = encoder.annotate(arrays, settings.encoder, settings.cell, source)
    E, layers, fed, weights = arrays["embedding"], rnn.layers_of(arrays, "decoder.layers"), [], None
    if settings.feed != "nothing":
        layers[0]["W_c0"], fed = arrays["decoder.W_c.0"], [np.zeros(len(annotations[0]))]
    numbers = {"linguistic": 1, "neural": 10}.get(settings.coverage_model)
    covered = None if numbers is None else np.zeros((len(source), numbers))
    steps, past = [], []
    for t, word in enumerate(inputs, start=1):
        states = attention.decoder_step(settings.cell, layers, E[word], fed, states)
        h = states[-1][0]
        inner = [0.0] * len(source) if covered is None else covered @ arrays["attention.coverage.V"].T
        own, rows = rnn.part(arrays, "score."), zip(annotations, inner, strict=True)
        scores = [attention.score(settings.score, own, annotation, h, term) for annotation, term in rows]
        weights = align(arrays, settings, scores, h, t, weights)
        c = attention.context(annotations, weights)
        combined, read = None, np.concatenate([h, c])
        if settings.readout == "attentional":
            read = combined = np.tanh(arrays["readout.W_c"] @ np.concatenate([c, h]))
        if settings.past_score != "none":
            read = np.concatenate([read, remember(arrays, settings, past, h)])
            past.append(h)
        read = arrays.get("W_hs", E) @ (arrays["W_o"] @ read if "W_o" in arrays else read)
        if covered is not None:
            rows = zip(covered, annotations, weights, strict=True)
            covered = np.array([cover(arrays, settings, row, item, h, weight) for row, item, weight in rows])
        fed = {"context": [c], "attentional": [combined], "nothing": []}[settings.feed]
        steps.append(Step(h, weights, c, combined, covered, rnn.log_softmax(read + arrays["b_s"])))
    return steps
