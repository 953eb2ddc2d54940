"""What the small figures draw: numbers of the lessons' own cells, and those recorded for the lessons' pictures."""

from __future__ import annotations

import numpy as np

from book.counted import two_opinions
from book.figures.recorded import recorded
from book.lessons.cells import namespace
from book.live.scripts import packed


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
    return {
        "words": lesson["words"],
        "states": lesson["h"].tolist(),
        "query": lesson["floran_brings"].tolist(),
    }


def gradient_distance() -> dict:
    """Common logarithms of the norms of gradients by distance, of three cells before and after training."""
    norms = recorded("05_rnn_lm")["gradients"]
    cells = list(norms)
    return {
        "cells": cells,
        "norms": {when: {cell: norms[cell][when] for cell in cells} for when in ("before", "after")},
    }


def beam() -> dict:
    """A beam search with all its candidates, and the best translation of each length: recorded for lesson 7."""
    record = recorded("07_encoder_decoder")
    return {name: record[name] for name in ("tree", "by_length")}


def alignment() -> dict:
    """A test sentence of lesson 8 with its true alignment and the weights of three models."""
    record = recorded("08_attention")["long"]
    return {name: record[name] for name in ("source", "target", "links", "weights")}


def gate() -> dict:
    """The example by hand of lesson 9: annotations, embeddings, the last target word's embedding and the state."""
    lesson = namespace("09")
    arrays = {"annotations": "h", "embeddings": "x", "last": "last", "state": "state"}
    return {"words": lesson["words"], **{name: lesson[variable].tolist() for name, variable in arrays.items()}}
