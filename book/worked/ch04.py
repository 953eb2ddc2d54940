"""The worked examples of chapter 4's network. All come from the chapter's own model; the output layers' are in
ch04_outputs.py."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import dynet as dy
import numpy as np

from book.counted import village
from chapters.feedforward_lm import model, settings
from common.text.vocab import Vocabulary
from common.training.checkpoint import count_parameters

# --- a network of a few numbers: who trades, and whether he sells or buys, decide the ware together

VOCAB = Vocabulary("miller millhand baker offers buys flour wheat bread".split())
WARES = ("flour", "wheat", "bread")
EMBEDDINGS = {"miller": (1, 0), "millhand": (0.2, 0.3), "baker": (-1, 0), "offers": (0, 1), "buys": (0, -1)}
"""The first number tells the trade, the second the trading. The millhand's are not learnt yet."""
W_MH = np.array([[2, 0, 0, 2], [-2, 0, 0, -2], [1, 0, 0, 0]], float)
B_H = np.array([-2, -2, 0], float)
W_HS = {"flour": (3, 3, 0), "wheat": (0, 0, 2), "bread": (0, 0, -2)}
B_S = {"flour": 3, "wheat": 0, "bread": 0}
NEVER = -30
"""The bias of words that are no wares."""
STEP = 0.3


def rows(of_words: dict, width: int) -> np.ndarray:
    """A row for each word of the example, zero where none is given: (V, width)."""
    table = np.zeros((len(VOCAB), width))
    for word, numbers in of_words.items():
        table[VOCAB.ids[word]] = numbers
    return table


def network(millhand: tuple[float, ...] = EMBEDDINGS["millhand"]):
    """The chapter's model of order 3 with the parameters of the example: L = 2, H = 3."""
    bias = np.full(len(VOCAB), float(NEVER))
    bias[[VOCAB.ids[ware] for ware in WARES]] = list(B_S.values())
    lm = model.FeedForwardLM(VOCAB, bias, order=3, embedding_size=2, hidden_size=3, dropout=0.0)
    lm.embedding.init_from_array(rows({**EMBEDDINGS, "millhand": millhand}, 2))
    (W, b), *_ = lm.layers
    W.set_value(W_MH)
    b.set_value(B_H)
    lm.softmax.W.set_value(rows(W_HS, 3))
    return lm


def after(history: str, millhand: tuple[float, ...] = EMBEDDINGS["millhand"]) -> dict[str, np.ndarray]:
    """What the network computes for a history of two words: m, z (before tanh), h, s and p, the last two of wares."""
    lm = network(millhand)
    words = np.array(VOCAB.encode(history.split()))[:, None]
    ids = [VOCAB.ids[ware] for ware in WARES]
    dy.renew_cg()
    hidden = lm.hidden(words)
    scores, probs = lm.softmax.scores(hidden).npvalue(), np.exp(lm.softmax.distribution(hidden).npvalue())
    m = lm.embedding.as_array()[words[:, 0]].ravel()
    h = hidden.npvalue()
    return {"m": m, "z": W_MH @ m + B_H, "h": h, "s": scores[ids], "p": probs[ids]}


def parameters() -> Iterator[float]:
    """The network of the example."""
    for word in ("miller", "baker", "offers", "buys"):
        yield from EMBEDDINGS[word]
    for weights, bias in zip(W_MH, B_H, strict=True):
        yield from (*weights, bias)
    for ware in WARES:
        yield from (*W_HS[ware], B_S[ware])


def forward() -> Iterator[float]:
    """Four histories on their way through the network."""
    for history in ("miller offers", "miller buys", "baker offers", "baker buys"):
        found = after(history)
        yield from (*found["m"], *found["z"], *found["h"], *found["s"], *found["p"])


def by_words() -> Iterator[float]:
    """One unit and one score of *miller offers*, term by term."""
    found = after("miller offers")
    yield from (*(term for pair in zip(W_MH[0], found["m"], strict=True) for term in pair), -B_H[0], found["z"][0])
    yield from (found["z"][0], found["h"][0])
    h, weights = found["h"], W_HS["flour"]
    yield from (weights[0], h[0], weights[1], h[1], weights[2], h[2], B_S["flour"], found["s"][0])


def gradients() -> dict[str, np.ndarray]:
    """-ln P(flour | millhand offers) and its gradients for s (of wares), h, z, and m; the last by DyNet."""
    found = after("millhand offers")
    ds = found["p"] - np.array([1, 0, 0])
    dh = np.array([W_HS[ware] for ware in WARES], float).T @ ds
    dz = (1 - found["h"] ** 2) * dh
    lm, flour = network(), np.array([VOCAB.ids["flour"]])
    dy.renew_cg()
    loss = dy.sum_batches(
        lm.softmax.losses(lm.hidden(np.array([[VOCAB.ids["millhand"]], [VOCAB.ids["offers"]]])), flour)
    )
    loss.forward()
    loss.backward()
    by_dynet = lm.embedding.grad_as_array()[[VOCAB.ids["millhand"], VOCAB.ids["offers"]]].ravel()
    return {"s": ds, "h": dh, "z": dz, "m": by_dynet}


def moved() -> tuple[float, ...]:
    """The millhand's embedding after one step."""
    old = EMBEDDINGS["millhand"]
    return tuple(float(one - STEP * slope) for one, slope in zip(old, gradients()["m"][:2], strict=True))


def one_step() -> Iterator[float]:
    """What one observation of what the millhand sells teaches about what he buys."""
    found, slopes = after("millhand offers"), gradients()
    yield from EMBEDDINGS["millhand"]
    yield from found["h"]
    yield from found["p"]
    for name in ("s", "h", "z"):
        yield from slopes[name]
    yield from slopes["m"][:2]
    yield from slopes["m"][2:]
    yield STEP
    yield from moved()
    for history, ware in (("millhand offers", 0), ("millhand buys", 1)):
        yield from (after(history)["p"][ware], after(history, moved())["p"][ware])


# --- how many parameters


@cache
def sizes(order: int) -> int:
    """The parameters of the default model of the village with another order."""
    vocab = village()[0]
    return count_parameters(model.DynetParameters(model.FeedForwardLM(vocab, order=order)))


def growth() -> Iterator[float]:
    """n-grams that there could be, n-grams that train holds, and parameters of the network, by order."""
    vocab, levels, *_ = village()
    yield len(vocab)
    L = settings.Settings().hidden_size
    yield from (L, L)
    for order in (2, 3, 4, 5):
        yield from (order, len(vocab) ** order, len(levels[order - 1].keys), sizes(order))
    yield from (sizes(3) - sizes(2), L, L)
