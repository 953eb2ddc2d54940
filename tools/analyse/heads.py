"""What the heads of a Transformer (chapter 11) are for: where each attends, and what the model loses without it.

A head is silenced by setting its columns of W_o to 0, so that nothing of what it reads reaches the sum around the
attention. Where it attends: the mean weight on the word read last, on the word before that, and on `<s>`; and where a
name comes back, on the earlier places of this name. Below, two facts about names that come back. How often does one
come back after the word that it came after the first time? An induction head finds a place of the past by the word
before it, so it can help only there. And when the earlier name is exchanged for another one, does the model expect the
new one?
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from common.chapters import chapter_module
from common.errors import UserError
from common.evaluation.perplexity import sentence_log_probs
from common.programs.chapters import load_run
from common.text.batching import make_batch
from common.text.corpus import Sentence, load_corpus
from common.text.vocab import BEGIN
from data.phenomena import by_label, labels_of
from tools.tables import aligned

from .phenomena import VILLAGE

CHAPTER = "11_transformer"
PLACES = ("last word", "word before", BEGIN, "the name")
PHENOMENA = {"recall": "names that come back", "agreement": "agreement", "selection": "selection"}


@contextmanager
def silenced(model: Any, block: int, head: int) -> Iterator[None]:
    """Within, the model lacks a head; both are counted from 0."""
    attention = model.blocks[block].attention
    matrix = attention.W_o.as_array()
    without = matrix.copy()
    without[:, head * attention.head_size : (head + 1) * attention.head_size] = 0
    attention.W_o.set_value(without)
    try:
        yield
    finally:
        attention.W_o.set_value(matrix)


def attention_of(model: Any, sentence: Sequence[str]) -> np.ndarray:
    """Of each block and head, a row for each predicted word, a column for each word read: (layers, heads, T, T)."""
    maps = model.attention(make_batch([model.vocab.encode(sentence)], [0]).inputs)[..., 0]
    return np.swapaxes(maps, 2, 3).astype(float)


def earlier_places(sentence: Sentence, place: int) -> list[int]:
    """Where the word at this place was read before: in the columns of `attention_of`, of which the first is `<s>`."""
    return [i + 1 for i in range(place) if sentence[i] == sentence[place]]


def return_places(sentence: Sentence, labels: Sequence[str]) -> list[int]:
    """The places where a name comes back that stood earlier in the sentence."""
    return [place for place, label in enumerate(labels) if label == "recall" and sentence[place] in sentence[:place]]


def returns(sentences: Sequence[Sentence], labels: Sequence[Sequence[str]]) -> Iterator[tuple[Sentence, int]]:
    """Every sentence and place of `return_places`."""
    for sentence, of_words in zip(sentences, labels, strict=True):
        for place in return_places(sentence, of_words):
            yield sentence, place


def mean_weights(model: Any, sentences: Sequence[Sentence], labels: Sequence[Sequence[str]]) -> dict[str, np.ndarray]:
    """By the names of PLACES, the mean weight of each head on them: (layers, heads)."""
    rows: dict[str, list[np.ndarray]] = {name: [] for name in PLACES}
    for sentence, of_words in zip(sentences, labels, strict=True):
        maps = attention_of(model, sentence)
        last = np.arange(1, len(sentence) + 1)  # the first prediction has read nothing but <s>
        rows["last word"].extend(maps[:, :, last, last].transpose(2, 0, 1))
        rows["word before"].extend(maps[:, :, last, last - 1].transpose(2, 0, 1)[1:])
        rows[BEGIN].extend(maps[:, :, last, 0].transpose(2, 0, 1))
        for place in return_places(sentence, of_words):
            rows["the name"].append(maps[:, :, place, earlier_places(sentence, place)].sum(axis=-1))
    return {name: np.mean(values, axis=0) for name, values in rows.items()}


def perplexities(model: Any, sentences: Sequence[Sentence], labels: Sequence[Sequence[str]]) -> list[float]:
    """On all words, and on those that each of PHENOMENA decides."""
    log_probs = sentence_log_probs(model, sentences, "uniform")
    groups = by_label(labels, log_probs)
    total = by_label([["all"] * len(row) for row in log_probs], log_probs)["all"][1]
    return [total, *(groups[name][1] if name in groups else np.nan for name in PHENOMENA)]


def without_each_head(model: Any, sentences: Sequence[Sentence], labels: Sequence[Sequence[str]]) -> np.ndarray:
    """`perplexities` with all heads, then without each: (1 + layers heads, 1 + phenomena)."""
    rows = [perplexities(model, sentences, labels)]
    for block, part in enumerate(model.blocks):
        for head in range(part.attention.heads):
            with silenced(model, block, head):
                rows.append(perplexities(model, sentences, labels))
    return np.array(rows)


def after_the_same_word(sentences: Sequence[Sentence], labels: Sequence[Sequence[str]]) -> tuple[int, int]:
    """How many names come back after a word that one of their earlier places came after, and how many come back."""
    same = number = 0
    for sentence, place in returns(sentences, labels):
        before = [BEGIN, *sentence]  # the word before the one at `place` is before[place]
        same += any(before[i - 1] == before[place] for i in earlier_places(sentence, place))
        number += 1
    return same, number


def follows_the_exchange(model: Any, sentences: Sequence[Sentence], labels: Sequence[Sequence[str]]) -> float:
    """How often an exchanged name is more probable than the old one, where the old one came back.

    The new one is the name that comes back in the next sentence of the list, unless that is the same.
    """
    places = list(returns(sentences, labels))
    changed, wins = [], []
    for (sentence, place), (other, other_place) in zip(places, places[1:] + places[:1], strict=True):
        old, new = sentence[place], other[other_place]
        if old != new and new not in sentence:
            before = [new if word == old else word for word in sentence[:place]]
            changed.append(([*before, new], [*before, old]))
    for pair in changed:
        of_new, of_old = sentence_log_probs(model, pair, "uniform")
        wins.append(of_new[len(pair[0]) - 1] > of_old[len(pair[0]) - 1])
    return float(np.mean(wins))


def head_table(model: Any, sentences: Sequence[Sentence], labels: Sequence[Sequence[str]]) -> list[str]:
    """A line for the whole model and one without each head: the weights of the head, and perplexities."""
    weights = mean_weights(model, sentences, labels)
    rows = [["without", *(f"weight on {place}" for place in PLACES), "all words", *PHENOMENA.values()]]
    for number, losses in enumerate(without_each_head(model, sentences, labels)):
        block, head = divmod(number - 1, model.blocks[0].attention.heads)
        name = f"block {block + 1}, head {head + 1}" if number else "no head"
        shares = [f"{weights[place][block, head]:.0%}" if number else "" for place in PLACES]
        rows.append([name, *shares, *(f"{loss:.2f}" for loss in losses)])
    return aligned(rows).splitlines()


def by_head(arguments: argparse.Namespace) -> str:
    """A table for each run: heads of two runs cannot be paired, as each seed has an order of its own."""
    sentences = load_corpus(VILLAGE).test
    labels, lines = labels_of(sentences), []
    for run in arguments.runs:
        model, settings = load_run(run)
        if not isinstance(model, chapter_module(CHAPTER, "model").TransformerLM) or settings.corpus != VILLAGE:
            raise UserError(f"{run}: heads are those of a run of chapter 11 on {VILLAGE}")
        lines += [str(run), *head_table(model, sentences, labels)]
        share = follows_the_exchange(model, sentences, labels)
        lines += [f"an exchanged name is expected in place of the old one: {share:.1%}", ""]
    same, number = after_the_same_word(sentences, labels)
    return "\n".join([*lines, f"{same} of {number} names come back after a word that they came after before"])
