"""Word attention as the poster prints it and as we read it: each equals its equations, gradients too.

Eq. 1 has s_{i-1} alone as the query (`--query state`), Eq. 4 the contexts themselves (`--output-contexts plain`). The
reference in NumPy float64 reads the equations either way, and with a scale and a bias of the gate.
"""

from __future__ import annotations

from itertools import combinations, product

import dynet as dy
import numpy as np
import pytest

from common.chapters import chapter_module
from tests.attention_models import CELLS, SOURCES, loss_of, whole_batch
from tests.small_models import parameters_of
from tests.word_attention_models import (
    CHAPTER,
    OUTPUT_CONTEXTS,
    QUERIES,
    VARIANTS,
    H,
    Settings,
    Twin,
    make_model,
    named_parameters,
)
from tests.word_attention_reference import Reading

PRESETS = chapter_module(CHAPTER, "settings").PRESETS
CHOICES = [{"output_contexts": contexts, "query": query} for contexts, query in product(OUTPUT_CONTEXTS, QUERIES)]


def told(options: dict) -> str:
    return " ".join(map(str, options.values()))


each_choice = pytest.mark.parametrize("choice", CHOICES, ids=told)


@pytest.mark.parametrize("preset", ["printed", "printed-headlines"])
def test_the_printed_presets_are_the_equations_as_printed(preset: str) -> None:
    """To which the laws of models hold the reading "gates plain state"."""
    options = PRESETS[preset] | {"dropout": 0.0, "hidden_size": 2, "layers": 1}
    twin = Twin(make_model(**options))
    assert Settings(**options).variant == "gates"
    assert twin.reading == Reading() and "gate b_o" not in twin.parameters


def test_no_reading_is_another() -> None:
    """With the same parameters each costs something else, so that none of the choices is idle."""
    first = make_model("gates", query="word")
    for choices in (CHOICES[0::2], CHOICES[1::2]):  # the two that share a query share all shapes
        models = [like(first, **options) for options in choices] + [like(first, **choices[0], gate_scale=2.0)]
        losses = [loss_of(model, whole_batch()) for model in models]
        assert all(abs(loss - other) > 1e-2 for loss, other in combinations(losses, 2)), losses


def test_what_belongs_to_gates_says_nothing_where_there_are_none() -> None:
    for variant in VARIANTS[:2]:
        plain = make_model(variant)
        other = make_model(variant, output_contexts="plain", gate_scale=2.0, gate_bias=1.0)
        assert plain.name == other.name and len(parameters_of(plain)) == len(parameters_of(other))
        assert loss_of(plain, whole_batch()) == loss_of(other, whole_batch())


def test_the_bias_of_the_gate_starts_as_asked() -> None:
    np.testing.assert_allclose(make_model(scale=0, gate_bias=-1.5).b_o.as_array(), np.full(H, -1.5))
    assert make_model(scale=0).b_o is None


# --- the gate at its extremes


def gated(value: float, **options):
    """A model whose gate is `value` everywhere, 0, 1/2 or 1, by its parameters alone.

    The last number of every target embedding is 1, and the gate reads nothing else.
    """
    model = make_model("gates", **options)
    embedding = model.embedding.as_array()
    embedding[:, -1] = 1
    model.embedding.set_value(embedding)
    for parameter in (model.W_o, model.U_o, *model.C_o):
        parameter.set_value(np.zeros((H, H)))
    W_o = np.zeros((H, H))
    W_o[:, -1] = {0: -60, 0.5: 0, 1: 60}[value]
    model.W_o.set_value(W_o)
    return model


def like(model, variant: str = "gates", **options):
    """A model of another variant or reading with the same parameters, as far as it has them."""
    other, cell = make_model(variant, **options), options.get("cell", "lstm")
    values = named_parameters(model, cell)
    for key, parameter in named_parameters(other, cell).items():
        array = values[key].as_array()
        parameter.set_value(array[tuple(slice(size) for size in parameter.shape())])
    return other


def scale_for_state(model, number: int, factor: float) -> None:
    """Let the decoder read one of the contexts as if it were so many times as large."""
    W_c = model.decoder.W_c[number]
    W_c.set_value(W_c.as_array() * factor)


def scale_for_output(model, number: int, factor: float) -> None:
    """Let the output layer read one of the contexts as if it were so many times as large."""
    W_g = model.W_g.as_array()
    W_g[:, (2 + number) * H :][:, :H] *= factor
    model.W_g.set_value(W_g)


def first_states(model) -> np.ndarray:
    """s_1 of all sources, (H, sources)."""
    dy.renew_cg()
    state, _ = model.advance(model.encode(SOURCES), [0] * len(SOURCES))
    return state.layers[-1].hidden.npvalue()


@pytest.mark.equation("wu2018", 6)
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("cell", CELLS)
def test_with_gated_contexts_an_open_gate_is_the_model_without_word_attention(query: str, cell: str) -> None:
    model = gated(1, query=query, cell=cell)
    plain = like(model, "rnnsearch", query=query, cell=cell)
    np.testing.assert_allclose(model.log_probs(whole_batch()), plain.log_probs(whole_batch()), atol=1e-6)


@pytest.mark.equation("wu2018", 4, 6)
@pytest.mark.parametrize("query", QUERIES)
def test_as_printed_an_open_gate_leaves_the_word_context_to_the_output(query: str) -> None:
    """The decoder's states are those without word attention. The distributions are not, for g still reads c_i^beta."""
    model = gated(1, query=query, output_contexts="plain")
    rnnsearch = like(model, "rnnsearch", query=query)
    np.testing.assert_allclose(first_states(model), first_states(rnnsearch), atol=1e-6)
    expected = rnnsearch.log_probs(whole_batch())
    assert np.abs(model.log_probs(whole_batch()) - expected).max() > 1e-2
    scale_for_output(model, 1, 0)
    np.testing.assert_allclose(model.log_probs(whole_batch()), expected, atol=1e-6)


@pytest.mark.equation("wu2018", 4, 6)
@each_choice
@pytest.mark.parametrize("value, factors", [(0, (0, 1)), (0.5, (0.5, 0.5)), (1, (1, 0))])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_gate_that_does_not_move_is_word_attention_with_scaled_contexts(
    choice: dict, value: float, factors: tuple, scale: float
) -> None:
    """Shut, the decoder has the word context alone; half open, half of each, with a scale of 2 all of both. The output
    layer has the same, or, with plain contexts, the whole of both."""
    model = gated(value, gate_scale=scale, **choice)
    plain = like(model, "word", query=choice["query"])
    for number, factor in enumerate(factors):
        scale_for_state(plain, number, scale * factor)
        if choice["output_contexts"] == "gated":
            scale_for_output(plain, number, scale * factor)
    np.testing.assert_allclose(model.log_probs(whole_batch()), plain.log_probs(whole_batch()), atol=1e-5)
    unscaled = like(model, "word", query=choice["query"])
    same = np.abs(model.log_probs(whole_batch()) - unscaled.log_probs(whole_batch())).max() < 1e-3
    assert same == (value == 0.5 and scale == 2)
    dy.renew_cg()
    state, _ = model.advance(model.encode(SOURCES), [0] * len(SOURCES))
    np.testing.assert_allclose(state.gates, 1 - value, atol=1e-6)


@each_choice
def test_a_large_bias_opens_the_gate(choice: dict) -> None:
    """As much as large weights do, wherever the gate was."""
    model = gated(0.5, gate_bias=1.0, **choice)
    model.b_o.set_value(np.full(H, 60))
    opened = gated(1, **choice)
    for key, parameter in named_parameters(opened, "lstm").items():
        if key != "gate W_o":
            parameter.set_value(named_parameters(model, "lstm")[key].as_array())
    np.testing.assert_allclose(model.log_probs(whole_batch()), opened.log_probs(whole_batch()), atol=1e-6)


@pytest.mark.parametrize("contexts", OUTPUT_CONTEXTS)
def test_with_the_gate_shut_the_annotations_are_read_only_where_the_output_layer_has_them_whole(contexts: str) -> None:
    """The same words in another order: with the decoder started alike, word contexts cannot tell them apart."""
    for value, differs in ((0, contexts == "plain"), (0.5, True)):
        model = gated(value, layers=1, output_contexts=contexts)
        dy.renew_cg()
        states = [model.encode([source]) for source in ([2, 3, 4], [4, 2, 3])]
        actual = [model.advance(state._replace(layers=states[0].layers), [0])[1] for state in states]
        assert (np.abs(actual[0] - actual[1]).max() > 1e-3) == differs
