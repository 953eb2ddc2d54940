"""Luong's decoder, attention to the past and coverage once more, in NumPy float64, one sentence and one word at a time.

Written from the equations of the papers, without a look at the batched code that it judges. A model is a dictionary
of its arrays by the names of its parameters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tests import encoder_reference as encoder, rnn_reference as rnn

Arrays = Mapping[str, np.ndarray]


class Step(NamedTuple):
    """What a step of the decoder computes. covered: a row of coverage for each source word, after the step."""

    weights: np.ndarray
    context: np.ndarray
    attentional: np.ndarray | None
    covered: np.ndarray | None
    log_probs: np.ndarray


def layers_of(arrays: Arrays, place: str) -> list[rnn.Weights]:
    """The weights of recurrent layers, the lowest first."""
    result = []
    while f"{place}.{len(result)}.W_x" in arrays:
        prefix = f"{place}.{len(result)}."
        result.append({name[len(prefix) :]: array for name, array in arrays.items() if name.startswith(prefix)})
    return result


def annotate(arrays: Arrays, settings: Any, source: Sequence[int]) -> tuple[list[np.ndarray], list[rnn.State]]:
    """An annotation of each source word, and the decoder's first states."""
    words, kind = [arrays["source_embedding"][word] for word in source], settings.cell
    if settings.encoder != "bidirectional":
        back = settings.encoder == "reverse"
        start = [rnn.zero_state(kind, settings.hidden_size)] * settings.layers
        layers = layers_of(arrays, "encoder.stack.layers")
        tops, last = encoder.recurrent(kind, layers, words[::-1] if back else words, start)
        return (tops[::-1] if back else tops), last
    start = [rnn.zero_state(kind, settings.hidden_size // 2)] * settings.layers
    ahead, last = encoder.recurrent(kind, layers_of(arrays, "encoder.forward.stack.layers"), words, start)
    back, first = encoder.recurrent(kind, layers_of(arrays, "encoder.backward.stack.layers"), words[::-1], start)
    bridge = {f"{letter}{n}": arrays[f"encoder.bridge.{letter}.{n}"] for letter in "Wb" for n in range(settings.layers)}
    both = [np.concatenate([this[0], other[0]]) for this, other in zip(last, first, strict=True)]
    states = [encoder.bridge(kind, bridge, layer, result) for layer, result in enumerate(both)]
    return [np.concatenate(pair) for pair in zip(ahead, back[::-1], strict=True)], states


def score(arrays: Arrays, settings: Any, annotation: np.ndarray, h: np.ndarray, covered: np.ndarray | None) -> float:
    """Luong et al. 2015, section 3.1: dot, general ("bilinear"), concat ("mlp"); the last with coverage (Tu et al.)."""
    if settings.score == "dot":
        return float(h @ annotation)
    if settings.score == "bilinear":
        return float(annotation @ arrays["score.W_a"] @ h)
    inner = arrays["score.W_query"] @ h + arrays["score.W_source"] @ annotation
    if covered is not None:
        inner = inner + arrays["attention.coverage.V"] @ covered
    return float((arrays["score.w"] @ np.tanh(inner)).item())


def align(arrays: Arrays, settings: Any, scores: Sequence[float], h: np.ndarray, t: int) -> np.ndarray:
    """The weights at target word t, counted from 1 (Luong et al. 2015, Eq. 7 and section 3.2)."""
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


def decode(arrays: Arrays, settings: Any, source: Sequence[int], inputs: Sequence[int]) -> list[Step]:
    """Every step after the inputs, the source having been read."""
    annotations, states = annotate(arrays, settings, source)
    E, size = arrays["embedding"], settings.hidden_size
    layers = layers_of(arrays, "decoder.layers")
    fed = {"context": np.zeros(size), "attentional": np.zeros(size), "nothing": np.zeros(0)}[settings.feed]
    first = dict(layers[0])
    if len(fed):
        first["W_x"] = np.hstack([first["W_x"], arrays["decoder.W_c.0"]])
    numbers = {"linguistic": 1, "neural": 10}.get(settings.coverage_model)
    covered = None if numbers is None else np.zeros((len(source), numbers))
    steps, past = [], []
    for t, word in enumerate(inputs, start=1):
        x, after = np.concatenate([E[word], fed]), []
        for weights, state in zip([first, *layers[1:]], states, strict=True):
            after.append(rnn.step(settings.cell, weights, x, state))
            x = after[-1][0]
        states, h = after, after[-1][0]
        coverages = [None] * len(source) if covered is None else covered
        scores = [score(arrays, settings, item, h, row) for item, row in zip(annotations, coverages, strict=True)]
        weights = align(arrays, settings, scores, h, t)
        c = sum(weight * annotation for weight, annotation in zip(weights, annotations, strict=True))
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
        fed = {"context": c, "attentional": combined, "nothing": np.zeros(0)}[settings.feed]
        steps.append(Step(weights, c, combined, covered, rnn.log_softmax(read + arrays["b_s"])))
    return steps
