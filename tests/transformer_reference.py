"""The Transformers once more, in NumPy float64, one position of one sentence at a time.

Written from the equations with plain loops, without a look at the batched code that it judges.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import dynet as dy
import numpy as np

from tests import rnn_reference

Weights = Mapping[str, np.ndarray]
"""By `part name`: "encoder0 W_q", "decoder1 source_W_k", "target E"."""
OF_ATTENTION, OF_NETWORK = ("W_q", "W_k", "W_v", "W_o"), ("W_1", "b_1", "W_2", "b_2")


class Kind(NamedTuple):
    """What the flags choose. alignment_head: the one whose weights are shown, counted from 1; 0: the mean of all."""

    heads: int = 2
    positions: str = "sinusoidal"
    norm: str = "pre"
    alignment_head: int = 0


class Step(NamedTuple):
    """What is computed at a step: log P(next word), the weights of each block and head, and how much of each source
    word is shown."""

    log_probs: np.ndarray
    maps: list[list[np.ndarray]]
    weights: np.ndarray | None


def softmax(scores: Sequence[float]) -> np.ndarray:
    exponents = [math.exp(score - max(scores)) for score in scores]
    return np.array(exponents) / sum(exponents)


def normalised(x: np.ndarray) -> np.ndarray:
    """Mean 0 and variance 1 (Ba et al. 2016, Eq. 3)."""
    mean = sum(x) / len(x)
    variance = sum((number - mean) ** 2 for number in x) / len(x)
    return np.array([(number - mean) / math.sqrt(variance + 1e-5) for number in x])


def wave(position: int, size: int) -> np.ndarray:
    """Vaswani et al. 2017, section 3.5: PE(position, 2i) and PE(position, 2i + 1)."""
    numbers = []
    for i in range((size + 1) // 2):
        angle = position / 10_000 ** (2 * i / size)
        numbers += [math.sin(angle), math.cos(angle)]
    return np.array(numbers[:size])


def turned(vector: np.ndarray, position: int) -> np.ndarray:
    """Su et al. 2021, Eq. 15: each pair of numbers as a complex number, times e^(i angle)."""
    numbers: list[float] = []
    for i in range(len(vector) // 2):
        angle = position / 10_000 ** (2 * i / len(vector))
        pair = complex(vector[2 * i], vector[2 * i + 1]) * complex(math.cos(angle), math.sin(angle))
        numbers += [pair.real, pair.imag]
    return np.array(numbers)


def attend(
    weights: Weights, part: str, kind: Kind, query: np.ndarray, place: int, read: Sequence[np.ndarray], rotate: bool
) -> tuple[np.ndarray, list[np.ndarray]]:
    """What a vector at a place receives from all that are read, and the weights of each head (Eq. 1)."""
    W_q, W_k, W_v, W_o = (weights[part + name] for name in OF_ATTENTION)
    size = len(W_q) // kind.heads
    contexts, maps = [], []
    for head in range(kind.heads):
        rows = slice(head * size, (head + 1) * size)
        asked, keys = W_q[rows] @ query, [W_k[rows] @ x for x in read]
        if rotate:
            asked, keys = turned(asked, place), [turned(key, number) for number, key in enumerate(keys)]
        maps.append(softmax([key @ asked / math.sqrt(size) for key in keys]))
        contexts.append(sum(weight * (W_v[rows] @ x) for weight, x in zip(maps[-1], read, strict=True)))
    return W_o @ np.concatenate(contexts), maps


def network(weights: Weights, part: str, x: np.ndarray) -> np.ndarray:
    """Vaswani et al. 2017, Eq. 2."""
    W_1, b_1, W_2, b_2 = (weights[part + name] for name in OF_NETWORK)
    inner = [max(0.0, sum(row * x) + bias) for row, bias in zip(W_1, b_1, strict=True)]
    return W_2 @ np.array(inner) + b_2


def embedded(weights: Weights, side: str, kind: Kind, word: int, place: int) -> np.ndarray:
    """The embedding of a word, scaled, with its position."""
    E = weights[f"{side} E"]
    x = E[word] * math.sqrt(E.shape[1])
    if kind.positions == "sinusoidal":
        x = x + wave(place, len(x))
    if kind.positions == "learnt":
        x = x + weights[f"{side} table"][place] * math.sqrt(len(x))
    return x


def layers_of(weights: Weights) -> int:
    """As many in an encoder as in the decoder."""
    return sum(name.startswith("decoder") and name.endswith(" W_q") for name in weights)


def before(kind: Kind, x: np.ndarray) -> np.ndarray:
    return normalised(x) if kind.norm == "pre" else x


def after(kind: Kind, x: np.ndarray) -> np.ndarray:
    return normalised(x) if kind.norm == "post" else x


def annotate(weights: Weights, kind: Kind, source: Sequence[int]) -> list[np.ndarray]:
    """A vector for each source word, which attends to all of them."""
    vectors = [embedded(weights, "source", kind, word, place) for place, word in enumerate(source)]
    for layer in range(layers_of(weights)):
        part, rotary = f"encoder{layer} ", kind.positions == "rotary"
        read = [before(kind, x) for x in vectors]
        attended = [attend(weights, part, kind, x, place, read, rotary)[0] for place, x in enumerate(read)]
        vectors = [after(kind, x + received) for x, received in zip(vectors, attended, strict=True)]
        vectors = [after(kind, x + network(weights, part, before(kind, x))) for x in vectors]
    return [before(kind, x) for x in vectors]


def run(weights: Weights, kind: Kind, inputs: Sequence[int], source: Sequence[int] = ()) -> list[Step]:
    """What the decoder computes after each of the inputs, having read the source where there is one."""
    annotations, rotary = annotate(weights, kind, source), kind.positions == "rotary"
    read: list[list[np.ndarray]] = [[] for _ in range(layers_of(weights))]  # what each block's self-attention has read
    steps = []
    for place, word in enumerate(inputs):
        x, maps, of_source = embedded(weights, "target", kind, word, place), [], []
        for layer in range(len(read)):
            part = f"decoder{layer} "
            read[layer].append(before(kind, x))
            received, of_heads = attend(weights, part, kind, before(kind, x), place, read[layer], rotary)
            maps.append(of_heads)
            x = after(kind, x + received)
            if annotations:
                received, of_heads = attend(weights, f"{part}source_", kind, before(kind, x), place, annotations, False)
                of_source += of_heads
                x = after(kind, x + received)
            x = after(kind, x + network(weights, part, before(kind, x)))
        logits = weights["target E"] @ before(kind, x) + weights["target b"]
        shown = None
        if of_source:
            shown = of_source[kind.alignment_head - 1] if kind.alignment_head else sum(of_source) / len(of_source)
        steps.append(Step(rnn_reference.log_softmax(logits), maps, shown))
    return steps


def of_blocks(part: str, blocks: Sequence[Any]) -> dict[str, dy.Parameters]:
    """The parameters of blocks by the names that this file uses."""
    parameters = {}
    for number, block in enumerate(blocks):
        own = {name: getattr(block.attention, name) for name in OF_ATTENTION}
        own |= {name: getattr(block, name) for name in OF_NETWORK}
        if hasattr(block, "to_source"):
            own |= {f"source_{name}": getattr(block.to_source, name) for name in OF_ATTENTION}
        parameters |= {f"{part}{number} {name}": parameter for name, parameter in own.items()}
    return parameters


def parameters_of(model: Any) -> dict[str, dy.Parameters]:
    """The model's parameters by the names that this file uses."""
    parameters = {"target E": model.embedding, "target b": model.b}
    if hasattr(model.positions, "table"):
        parameters["target table"] = model.positions.table
    if not hasattr(model, "source_embedding"):
        return parameters | of_blocks("decoder", model.blocks)
    parameters["source E"] = model.source_embedding
    if hasattr(model.source_positions, "table"):
        parameters["source table"] = model.source_positions.table
    return parameters | of_blocks("encoder", model.encoder) | of_blocks("decoder", model.decoder)
