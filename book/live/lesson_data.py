"""What the small figures draw: numbers of the lessons' own cells, and those recorded for the lessons' pictures."""

from __future__ import annotations

import math

import numpy as np

from book.counted import two_opinions
from book.figures.recorded import recorded
from book.lessons.cells import namespace
from book.live.scripts import packed
from common.search.length_prior import LengthPrior
from common.text.pairs import load_pairs


def mixture() -> list[str]:
    """P(word | word before) and P(word) of each prediction of dev, by lesson 1's two models, as float32."""
    return [packed(probs, "<f4") for probs in two_opinions("dev")]


def softmax() -> dict:
    """The words of lesson 2's example, their scores, and the place of the word that comes next."""
    lesson = namespace("02")
    return {"words": lesson["words"], "scores": lesson["s"].tolist(), "next": int(np.argmax(lesson["truth"]))}


def graph() -> dict:
    """The network of lesson 3's forward and backward pass, its input and its label."""
    lesson = namespace("03")
    network = {name: np.asarray(lesson[name]).tolist() for name in ("W_xh", "b_h", "w_hy", "b_y")}
    return {"network": network, "x": lesson["x"].tolist(), "label": lesson["label"]}


def query() -> dict:
    """The states of lesson 6's example by hand, and the query after "floran brings"."""
    lesson = namespace("06")
    return {"words": lesson["words"], "states": lesson["h"].tolist(), "query": lesson["floran_brings"].tolist()}


def gradient_distance() -> dict:
    """Common logarithms of the norms of gradients by distance, of three cells before and after training."""
    norms = recorded("05_rnn_lm")["gradients"]
    cells = list(norms)
    return {
        "cells": cells,
        "norms": {when: {cell: norms[cell][when] for cell in cells} for when in ("before", "after")},
    }


def beam() -> dict:
    """A beam search with all its candidates, and the best translation of each length: recorded for lesson 7. With log
    P(length | length of the source) of each of the latter, counted on train; None for a length that it lacks."""
    record = recorded("07_encoder_decoder")
    by_length, prior = record["by_length"], LengthPrior.from_pairs(load_pairs("village_pairs").train)
    source = len(by_length["source"].split())
    log_priors = [prior.log_prob(words, source) for words, *_ in by_length["best"]]
    seen = [value if math.isfinite(value) else None for value in log_priors]
    return {"tree": record["tree"], "by_length": by_length, "log_priors": seen}


def gate() -> dict:
    """The example by hand of lesson 9: annotations, embeddings, the last target word's embedding and the state."""
    lesson = namespace("09")
    arrays = {"annotations": "h", "embeddings": "x", "last": "last", "state": "state"}
    return {"words": lesson["words"], **{name: lesson[variable].tolist() for name, variable in arrays.items()}}
