"""A search whose computation graph is moved to a new one finds what it would have found."""

from __future__ import annotations

import numpy as np
import pytest

from common import memory
from common.errors import UserError
from common.search import attending, moving, room
from common.search.attending import force
from common.search.decoding import room_for
from common.search.moving import moved
from common.search.room import bytes_of_step
from common.search.sampling import sample
from common.search.searches import Decoding, translate
from common.search.translation_ensemble import TranslationEnsemble
from tests.memory_models import make_model

LANGUAGE_MODELS = ("LSTM", "pointer", "no attention", "single score", "combined score")
TRANSLATION_MODELS = ("encoder-decoder", "two directions", "attention", "dot scores", "local attention", "gates")
TRANSLATION_MODELS += ("own past", "Transformer translator")
SOURCES = [["w3", "w4", "w5", "w9"], ["w20"], ["w7", "w9", "w9", "w3", "w8", "w4", "w11"]]


@pytest.fixture
def moves(monkeypatch: pytest.MonkeyPatch) -> list:
    """As little room as can be: every step but the first moves. What is noted are the moves."""
    noted: list = []
    set_room(monkeypatch, 1)
    monkeypatch.setattr(moving, "moved", lambda state: (noted.append(1), moved(state))[1])
    return noted


def set_room(patched: pytest.MonkeyPatch, size: int) -> None:
    """The bytes that a graph of a search may have."""
    patched.setattr(room, "GRAPH", size)


@pytest.mark.parametrize("name", LANGUAGE_MODELS)
def test_sampling_does_not_change(name: str, moves: list) -> None:
    model = make_model(name)
    with pytest.MonkeyPatch.context() as patched:
        set_room(patched, 2**40)
        expected = sample(model, 3, np.random.default_rng(2), 12)
    assert not moves
    assert sample(model, 3, np.random.default_rng(2), 12) == expected
    assert len(moves) >= max(len(sentence.words) for sentence in expected) - 1 > 2


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("name", [*TRANSLATION_MODELS, "ensemble"])
def test_translations_do_not_change(name: str, beam: int, moves: list) -> None:
    names = ("attention", "gates", "encoder-decoder") if name == "ensemble" else (name,)
    models = [make_model(name) for name in names]
    if name == "Transformer translator":  # tied and untrained, it repeats what it has read, `<s>`, which is `</s>`
        models[0].b.set_value([-9.0] + [0.0] * (len(models[0].vocab) - 1))
    model = models[0] if len(models) == 1 else TranslationEnsemble(models)
    decoding = Decoding(beam, max_length_ratio=1, batch_size=2)
    with pytest.MonkeyPatch.context() as patched:
        set_room(patched, 2**40)
        expected = translate(model, SOURCES, decoding)
    assert not moves
    actual = translate(model, SOURCES, decoding)
    assert len(moves) > 4
    for ours, theirs in zip(actual, expected, strict=True):
        assert [(hypothesis.words, hypothesis.log_prob) for hypothesis in ours] == [
            (hypothesis.words, hypothesis.log_prob) for hypothesis in theirs
        ]
        for hypothesis, other in zip(ours, theirs, strict=True):
            assert (hypothesis.attention is None) == (other.attention is None)
            assert hypothesis.attention is None or np.array_equal(hypothesis.attention, other.attention)


def test_the_graph_is_moved_when_it_is_full_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_model("gates")
    bound = type("Bound", (), {"footprint": model.footprint, "source_words": 50})
    step = 4 * bytes_of_step(model.footprint, 50)
    set_room(monkeypatch, 10 * step)
    noted = []
    monkeypatch.setattr(moving, "moved", lambda state: noted.append(1))
    for steps in (10, 35):
        with_room = room_for(bound, 4, steps)
        for _ in range(steps):
            with_room(None, 4)
        assert len(noted) == (3 if steps == 35 else 0)


def test_what_is_shown_is_read_in_parts(moves: list, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_model("gates")
    targets = [["w4", "w5"], ["w3"], ["w9", "w8", "w7", "w6"]]
    with pytest.MonkeyPatch.context() as patched:
        set_room(patched, 2**40)
        expected = force(model, SOURCES, targets)
    monkeypatch.setattr(room, "AT_ONCE", 1)
    read, step_by_step = [], attending.step_by_step
    monkeypatch.setattr(
        attending, "step_by_step", lambda *arguments: (read.append(len(arguments[1])), step_by_step(*arguments))[1]
    )
    actual = force(model, SOURCES, targets)
    assert read == [1, 1, 1] and moves
    for ours, theirs in zip(actual, expected, strict=True):
        assert (ours.source, ours.target) == (theirs.source, theirs.target)
        for array, other in zip(ours[2:], theirs[2:], strict=True):
            np.testing.assert_allclose(array, other, atol=1e-6)
    memory.set_limit(1000 / 2**30)
    with pytest.raises(UserError, match=r"what 3 sentences attend to takes up to .* show fewer \(--number\)"):
        force(model, SOURCES, targets)


def test_a_source_that_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_model("encoder-decoder")
    memory.set_limit((model.footprint.model() + 10) / 2**30)
    with pytest.raises(UserError, match="translating a sentence of 4 words takes up to"):
        translate(model, SOURCES[:1])
