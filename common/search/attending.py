"""What a translation model attends to, read off its states while it reads a target sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from common import runtime
from common.errors import UserError
from common.search.decoding import room_for
from common.search.translation import Conditional, TranslationModel
from common.text.corpus import Sentence
from common.text.pairs import make_pair_batches

BATCH_SIZE = 32
SHOWN = ("attention", "word_attention", "gates")
"""Attributes that a state may have for its last step, NumPy arrays: attentions (rows, source words), gates (rows,)."""


class Shown(NamedTuple):
    """A sentence, the target words that a model predicted or was given, and what it attended to at each of them.

    attention, word_attention: (predictions, source words); the predictions are the target words and, as a last row
    where the sentence ended, `</s>`. gates: the mean of the elements of 1 - o_i, the share of the word context (Wu et
    al. 2018, section 4), (predictions,).
    """

    source: Sequence[str]
    target: Sequence[str]
    attention: np.ndarray
    word_attention: np.ndarray | None = None
    gates: np.ndarray | None = None


def force(model: TranslationModel, sources: Sequence[Sentence], targets: Sequence[Sentence]) -> list[Shown]:
    """What the model attends to while it is given the targets word by word (teacher forcing), from its states.

    Raises `UserError` for a model without attention, and for more than can be shown.
    """
    encoded_sources = [model.source_vocab.encode(source) for source in sources]
    pairs = zip(sources, targets, strict=True)
    encoded_targets = [model.vocab.for_source(source).encode(target) for source, target in pairs]
    results: list[Any] = [None] * len(sources)
    batches = make_pair_batches(encoded_sources, encoded_targets, BATCH_SIZE)
    if runtime.memory_watched:
        from common.search.room import parts_to_show

        batches = parts_to_show(model, batches)
    for part in batches:
        indices = part.target.indices.tolist()
        by_step = step_by_step(model, [sources[index] for index in indices], part.target.inputs)
        for row, index in enumerate(indices):
            source, target = sources[index], targets[index]
            rows = {name: values[: len(target) + 1, row] for name, values in by_step.items()}
            weights = {name: rows[name][:, : len(source)] for name in rows if name != "gates"}  # without padding
            results[index] = Shown(source, target, **(rows | weights))
    return results


def step_by_step(model: TranslationModel, sources: Sequence[Sentence], inputs: np.ndarray) -> dict[str, np.ndarray]:
    """The attributes of the states at each step of reading `inputs`, (time, batch): name -> (time, batch, ...)."""
    bound = Conditional(model, sources)
    state, steps, with_room = bound.start(len(sources)), [], room_for(bound, len(sources), len(inputs))
    for words in inputs:
        state, _ = bound.advance(with_room(state, len(sources)), words.tolist())
        steps.append({name: np.array(getattr(state, name)) for name in SHOWN if getattr(state, name, None) is not None})
        if "attention" not in steps[0]:
            raise UserError("this model attends to nothing that could be drawn; choose another --run")
    return {name: np.stack([step[name] for step in steps]) for name in steps[0]}
