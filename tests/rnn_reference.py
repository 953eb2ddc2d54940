"""Recurrent cells and the recurrent language model once more, in NumPy float64, one word of one sentence at a time.

Written from the equations, without a look at the batched code that it judges. The weights of a cell
are those of its class, block under block; the blocks are named in `BLOCKS`, in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import dynet as dy
import numpy as np

from common.nn.parameters import set_arrays

Weights = Mapping[str, np.ndarray]
State = tuple[np.ndarray, ...]

BLOCKS = {"rnn": "h", "lstm-no-forget": "iou", "lstm": "ifou", "gru": "rzh"}
PARAMETERS = dict.fromkeys(BLOCKS, ("W_x", "W_h", "b")) | {"gru": ("W_x", "W_hg", "W_hh", "b")}


def sigma(x: np.ndarray) -> np.ndarray:
    """Neubig 2017, Eq. 52."""
    return 1 / (1 + np.exp(-x))


def zero_state(kind: str, size: int) -> State:
    return (np.zeros(size), np.zeros(size)) if "lstm" in kind else (np.zeros(size),)


def step(kind: str, weights: Weights, x: np.ndarray, state: State, mask: np.ndarray | None = None) -> State:
    """One step of one sentence. mask: multiplied with h_{t-1} where it is read, not where it is carried on."""
    h = state[0]
    size, read = len(h), h if mask is None else h * mask

    def before(block: str, past: np.ndarray) -> np.ndarray:
        """W_x. x_t + W_h. past + b. of a block, before its nonlinearity."""
        first = BLOCKS[kind].index(block) * size
        rows = slice(first, first + size)
        if kind != "gru":
            recurrent = weights["W_h"][rows]
        else:
            recurrent = weights["W_hh"] if block == "h" else weights["W_hg"][rows]
        return weights["W_x"][rows] @ x + recurrent @ past + weights["b"][rows]

    if kind == "rnn":  # Eq. 44
        return (np.tanh(before("h", read)),)
    if kind == "gru":
        r, z = sigma(before("r", read)), sigma(before("z", read))  # Eq. 56, 57
        candidate = np.tanh(before("h", r * read))  # Eq. 58
        return ((1 - z) * h + z * candidate,)  # Eq. 59
    u = np.tanh(before("u", read))  # Eq. 47
    i, o = sigma(before("i", read)), sigma(before("o", read))  # Eq. 48, 49
    f = sigma(before("f", read)) if kind == "lstm" else 1.0  # Eq. 54
    cell = i * u + f * state[1]  # Eq. 50, 55
    return o * np.tanh(cell), cell  # Eq. 51


def log_softmax(logits: np.ndarray) -> np.ndarray:
    """Eq. 53."""
    return logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())


def run_model(
    kind: str, weights: Weights, inputs: Sequence[int], residual: bool = False, states: Sequence[State] | None = None
) -> tuple[list[np.ndarray], list[np.ndarray], list[State]]:
    """What the top layer shows after each word, log P(next word) (Eq. 45, 46, 53), and the states of all layers."""
    E, layers = weights["embedding"], sum(name.startswith("W_x") for name in weights)
    W_hs, b_s = weights.get("W_hs", E), weights["b_s"]
    states = list(states or [zero_state(kind, E.shape[1])] * layers)
    tops, log_probs = [], []
    for word in inputs:
        output = E[word]
        for layer in range(layers):
            own = {name: weights[f"{name}{layer}"] for name in PARAMETERS[kind]}
            states[layer] = step(kind, own, output, states[layer])
            output = states[layer][0] + output if residual else states[layer][0]
        tops.append(output)
        log_probs.append(log_softmax(W_hs @ output + b_s))
    return tops, log_probs, states


def part(weights: Weights, place: str) -> dict[str, np.ndarray]:
    """The weights of one part, by their names within it."""
    return {name.removeprefix(place): array for name, array in weights.items() if name.startswith(place)}


def layers_of(weights: Weights, place: str) -> list[dict[str, np.ndarray]]:
    """The weights of recurrent layers, the lowest first."""
    result = []
    while layer := part(weights, f"{place}.{len(result)}."):
        result.append(layer)
    return result


def layer_parameters(kind: str, layer) -> dict[str, dy.Parameters]:
    return {name: getattr(layer, name) for name in PARAMETERS[kind]}


def parameters_of(kind: str, model) -> dict[str, dy.Parameters]:
    """The model's parameters by the names that this file uses."""
    parameters = {"embedding": model.embedding, "b_s": model.b_s}
    if model.W_hs is not model.embedding:
        parameters["W_hs"] = model.W_hs
    for number, layer in enumerate(model.stack.layers):
        parameters |= {f"{name}{number}": parameter for name, parameter in layer_parameters(kind, layer).items()}
    return parameters


def weights_of(parameters: Mapping[str, dy.Parameters]) -> dict[str, np.ndarray]:
    """What they hold, in float64."""
    return {name: parameter.as_array().astype(np.float64) for name, parameter in parameters.items()}


def randomise(parameters: Mapping[str, dy.Parameters], scale: float = 1.0, seed: int = 5) -> None:
    """Give every parameter normal random numbers, so that none is zero, equal to another, or special."""
    rng = np.random.default_rng(seed)
    set_arrays([*parameters.values()], [rng.normal(0, scale, parameter.shape()) for parameter in parameters.values()])
