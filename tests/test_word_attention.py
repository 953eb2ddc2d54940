"""Word attention and contextual gates equal their equations in every variant, however the pairs are batched."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.batching import PairBatch, make_batch
from common.errors import UserError
from common.pairs import Pair
from common.search import beam_search, greedy
from common.translation import Conditional, Decoding, TranslationEnsemble, target_log_probs, translate
from common.visualising import force
from tests import encoder_models
from tests.attention_models import CELLS, SOURCES, TARGETS, gradients, loss_of, parameters_of, whole_batch
from tests.word_attention_models import (
    QUERIES,
    VARIANTS,
    H,
    Settings,
    Twin,
    WordAttentionModel,
    make_model,
    named_parameters,
)

each_variant = pytest.mark.parametrize("variant", VARIANTS)
each_query = pytest.mark.parametrize("query", QUERIES)
SENTENCES = [["hen", "sees", "ox"], ["ox"], ["waits", "hen", "hen", "sees"], ["yak", "ox"], ["sees"]]


# --- the equations


@pytest.mark.equation("wu2018", 1, 2, 3, 4, 5, 6)
@each_variant
@each_query
@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("layers", [1, 2])
def test_a_translation_costs_what_the_equations_say(variant: str, query: str, cell: str, layers: int) -> None:
    model = make_model(variant, query=query, cell=cell, layers=layers)
    twin = Twin(model, cell)
    expected = [twin.log_probs(number) for number in range(len(SOURCES))]
    found = model.log_probs(whole_batch())
    for number, log_probs in enumerate(expected):
        np.testing.assert_allclose(found[: len(log_probs), number], log_probs, atol=1e-5)
    assert loss_of(model, whole_batch()) == pytest.approx(-sum(map(sum, expected)), rel=1e-6)


@pytest.mark.equation("wu2018", 1, 2, 3, 4, 5, 6)
@each_variant
@each_query
def test_step_by_step_states_weights_gates_and_distributions_are_those_of_the_equations(
    variant: str, query: str
) -> None:
    """Of sentences side by side, and of the batches. What advance tells is what it used; padding has no weight."""
    model, batch = make_model(variant, query=query), whole_batch()
    twin, batched = Twin(model), model.log_probs(batch)
    expected = [twin.steps(source, [0, *target]) for source, target in zip(SOURCES, TARGETS, strict=True)]
    dy.renew_cg()
    state = model.encode(SOURCES)
    for t, words in enumerate(batch.target.inputs):
        state, log_probs = model.advance(state, words.tolist())
        assert (state.word_attention is not None, state.gates is not None) == (
            variant != "rnnsearch",
            variant == "gates",
        )
        np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1, atol=1e-5)
        targets = batch.target.targets[t]
        np.testing.assert_allclose(log_probs[np.arange(len(SOURCES)), targets], batched[t], atol=1e-5)
        for told in (state.attention, state.word_attention):
            if told is not None:
                assert told.shape == (len(SOURCES), max(map(len, SOURCES)))
                np.testing.assert_allclose(told.sum(axis=1), 1, atol=1e-5)
        for number, steps in enumerate(expected):
            length = len(SOURCES[number])
            for told in (state.attention, state.word_attention):
                assert told is None or not told[number, length:].any()
            if t >= len(steps):
                continue
            step = steps[t]
            np.testing.assert_allclose(state.attention[number, :length], step.alpha, atol=1e-5)
            if variant != "rnnsearch":
                np.testing.assert_allclose(state.word_attention[number, :length], step.beta, atol=1e-5)
            if variant == "gates":
                assert state.gates[number] == pytest.approx(np.mean(1 - step.gate), abs=1e-5)
            np.testing.assert_allclose(state.layers[-1].hidden.npvalue()[:, number], step.hidden, atol=1e-5)
            np.testing.assert_allclose(log_probs[number], step.log_probs, atol=1e-5)


def test_the_two_attentions_are_two() -> None:
    """A step does not look at the embeddings as it looks at the annotations."""
    model = make_model()
    dy.renew_cg()
    state, _ = model.advance(model.encode([[2, 3, 4, 5]]), [0])
    assert np.abs(state.attention - state.word_attention).max() > 0.02


def test_only_with_the_word_in_the_query_does_a_step_look_where_its_last_word_says() -> None:
    """The same source, the same state before, another word y_{i-1}: Eq. 1 as it stands looks at the same place."""
    for query, differs in (("state", False), ("word", True)):
        model = make_model(query=query, layers=1)
        dy.renew_cg()
        state, _ = model.advance(model.encode([[2, 3, 4, 5]] * 2), [2, 3])
        for told in (state.attention, state.word_attention):
            assert (np.abs(told[0] - told[1]).max() > 1e-3) == differs, query


# --- the gate at its extremes


def gated(value: float, **options):
    """A model whose gate is `value` everywhere, 0, 1/2 or 1, by its parameters alone.

    The last number of every target embedding is 1, and the gate sees nothing else.
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


def like(model, variant: str, **options):
    """A model of another variant with the same parameters, as far as it has them."""
    other, cell = make_model(variant, **options), options.get("cell", "lstm")
    values = named_parameters(model, cell)
    for key, parameter in named_parameters(other, cell).items():
        array = values[key].as_array()
        parameter.set_value(array[tuple(slice(size) for size in parameter.shape())])
    return other


def scale_context(model, number: int, factor: float) -> None:
    """Let the decoder and the output read one of the contexts as if it were so many times as large."""
    W_c = model.decoder.W_c[number]
    W_c.set_value(W_c.as_array() * factor)
    W_g = model.W_g.as_array()
    W_g[:, (2 + number) * H :][:, :H] *= factor
    model.W_g.set_value(W_g)


@pytest.mark.equation("wu2018", 6)
@each_query
@pytest.mark.parametrize("cell", CELLS)
def test_an_open_gate_is_the_model_without_word_attention(query: str, cell: str) -> None:
    model = gated(1, query=query, cell=cell)
    plain = like(model, "rnnsearch", query=query, cell=cell)
    np.testing.assert_allclose(model.log_probs(whole_batch()), plain.log_probs(whole_batch()), atol=1e-6)


@pytest.mark.equation("wu2018", 6)
@each_query
@pytest.mark.parametrize("value, factors", [(0, (0, 1)), (0.5, (0.5, 0.5)), (1, (1, 0))])
def test_a_gate_that_does_not_move_is_word_attention_with_scaled_contexts(
    query: str, value: float, factors: tuple
) -> None:
    """Shut, the word context is all that is left; half open, there is half of each."""
    model = gated(value, query=query)
    plain = like(model, "word", query=query)
    assert np.abs(model.log_probs(whole_batch()) - plain.log_probs(whole_batch())).max() > 1e-3
    for number, factor in enumerate(factors):
        scale_context(plain, number, factor)
    np.testing.assert_allclose(model.log_probs(whole_batch()), plain.log_probs(whole_batch()), atol=1e-5)
    dy.renew_cg()
    state, _ = model.advance(model.encode(SOURCES), [0] * len(SOURCES))
    np.testing.assert_allclose(state.gates, 1 - value, atol=1e-6)


def test_with_the_gate_shut_the_encoder_is_heard_only_in_the_first_state() -> None:
    """The same words in another order: with the decoder started alike, word contexts cannot tell them apart."""
    for value, differs in ((0, False), (0.5, True)):
        model = gated(value, layers=1)
        dy.renew_cg()
        states = [model.encode([source]) for source in ([2, 3, 4], [4, 2, 3])]
        found = [model.advance(state._replace(layers=states[0].layers), [0])[1] for state in states]
        assert (np.abs(found[0] - found[1]).max() > 1e-3) == differs


# --- learning


@each_variant
@pytest.mark.parametrize("query, cell", [("state", "lstm"), ("word", "gru"), ("word", "rnn")])
def test_gradients_are_those_of_finite_differences(variant: str, query: str, cell: str) -> None:
    """Along a random direction of each parameter, by central differences of the float64 loss by hand."""
    model, numbers = make_model(variant, query=query, cell=cell), [0, 1, 2]
    twin = Twin(model, cell)
    assert len(twin.parameters) == len(parameters_of(model)), "every parameter is among those compared"
    found = gradients(model, whole_batch(numbers), twin.parameters)
    rng = np.random.default_rng(1)
    for key, weights in twin.weights.items():
        assert np.abs(found[key]).max() > 1e-4, f"{key} gets a gradient"
        direction, kept, sides = rng.normal(size=weights.shape), weights.copy(), []
        for side in (1e-5, -1e-5):
            weights[...] = kept + side * direction
            sides.append(-sum(sum(twin.log_probs(number)) for number in numbers))
        weights[...] = kept
        slope = (sides[0] - sides[1]) / 2e-5
        assert (found[key] * direction).sum() == pytest.approx(slope, rel=1e-3, abs=1e-4), key


@each_variant
@each_query
def test_translations_can_be_learnt_by_heart(variant: str, query: str) -> None:
    """Two pairs whose sources have the same words in another order, and so do the targets."""
    pairs = [Pair(["hen", "sees", "ox"], ["ba", "do", "ku"]), Pair(["ox", "sees", "hen"], ["do", "ba", "ku"])]
    model = make_model(variant, scale=0, query=query, hidden_size=12, layers=1)
    sources, targets = [[2, 4, 3], [3, 4, 2]], [[2, 3, 4], [3, 2, 4]]
    batch = PairBatch(np.array(sources).T, np.ones((3, 2)), make_batch(targets, [0, 1]))
    trainer = dy.AdamTrainer(model.collection, 0.03)
    for _ in range(80):
        dy.renew_cg()
        model.loss(batch).backward()
        trainer.update()
    assert np.exp(model.log_probs(batch)).min() > 0.9
    found = translate(model, [pair.source for pair in pairs], Decoding())
    assert [hypotheses[0].words for hypotheses in found] == [pair.target for pair in pairs]


def test_models_of_different_make_have_different_names() -> None:
    """So that a saved one is never loaded as another."""
    made = [{}, {"variant": "word"}, {"variant": "rnnsearch"}, {"query": "state"}, {"cell": "gru"}, {"layers": 3}]
    assert len({make_model(**options).name for options in [*made, {"hidden_size": 6}]}) == len(made) + 1


def test_the_output_bias_starts_as_asked() -> None:
    model, frequencies = make_model(), np.log(np.arange(1, 6) / 15)
    started = WordAttentionModel(model.source_vocab, model.vocab, Settings(hidden_size=H), frequencies)
    np.testing.assert_allclose(started.b_s.as_array(), frequencies, rtol=1e-6)


def test_a_size_that_cannot_be_halved_is_refused() -> None:
    with pytest.raises(UserError, match="must be even"):
        Settings(hidden_size=7)


# --- batches


@each_variant
def test_padding_changes_nothing(variant: str) -> None:
    """Neither what is read there, on both sides, nor how much of it: losses and gradients."""
    model, batch = make_model(variant), whole_batch()
    target, real = batch.target, batch.target.mask > 0
    garbled = PairBatch(
        np.where(batch.source_mask > 0, batch.source, 5),
        batch.source_mask,
        target._replace(inputs=np.where(real, target.inputs, 3), targets=np.where(real, target.targets, 2)),
    )
    longer = PairBatch(
        np.pad(batch.source, ((0, 3), (0, 0)), constant_values=4), np.pad(batch.source_mask, ((0, 3), (0, 0))), target
    )
    expected, before = model.log_probs(batch)[real], gradients(model, batch, parameters_of(model))
    for changed in (garbled, longer):
        np.testing.assert_allclose(model.log_probs(changed)[real], expected, atol=1e-5)
        after = gradients(model, changed, parameters_of(model))
        for key in before:
            np.testing.assert_allclose(after[key], before[key], atol=1e-5, err_msg=key)


@each_variant
def test_a_batch_is_the_sum_of_its_pairs(variant: str) -> None:
    model = make_model(variant)
    alone = [whole_batch([number]) for number in range(len(SOURCES))]
    assert loss_of(model, whole_batch()) == pytest.approx(sum(loss_of(model, batch) for batch in alone), rel=1e-6)
    together = gradients(model, whole_batch(), parameters_of(model))
    each = [gradients(model, batch, parameters_of(model)) for batch in alone]
    for key, gradient in together.items():
        np.testing.assert_allclose(gradient, sum(one[key] for one in each), rtol=1e-4, atol=1e-5, err_msg=key)


@each_variant
def test_rows_can_be_chosen_copied_and_put_in_another_order(variant: str) -> None:
    """Before the first step and after one: each row goes on as its own sentence does."""
    model, rows, words = make_model(variant), [4, 0, 2, 4], [2, 3, 4, 1, 2, 3]
    dy.renew_cg()
    begun = model.encode(SOURCES)
    state, _ = model.advance(begun, words)
    chosen, _ = model.advance(model.select(begun, rows), [words[row] for row in rows])
    expected, log_probs = model.advance(state, words)
    for before in (chosen, model.select(state, rows)):
        after, found = model.advance(before, [words[row] for row in rows])
        np.testing.assert_allclose(found, log_probs[rows], atol=1e-5)
        for name in ("attention", "word_attention", "gates"):
            if getattr(expected, name) is not None:
                np.testing.assert_allclose(getattr(after, name), getattr(expected, name)[rows], atol=1e-5)


@pytest.mark.parametrize("layers", [1, 2])
def test_dropout_is_off_outside_training(layers: int) -> None:
    plain, dropping = make_model(layers=layers), make_model(dropout=0.5, layers=layers)
    assert np.array_equal(dropping.log_probs(whole_batch()), plain.log_probs(whole_batch()))
    assert loss_of(plain, whole_batch()) == loss_of(plain, whole_batch())
    assert len({loss_of(dropping, whole_batch()) for _ in range(5)}) == 5
    dy.renew_cg()
    steps = [model.advance(model.encode(SOURCES), [0] * len(SOURCES))[1] for model in (plain, dropping)]
    assert np.array_equal(*steps)


# --- translations


@each_variant
@pytest.mark.parametrize("decoding", [Decoding(), Decoding(beam=3), Decoding(beam=4, length="normalise")])
def test_a_translation_is_a_function_of_its_source_alone(variant: str, decoding: Decoding) -> None:
    """Its words, what they cost, and what was attended to."""
    model = make_model(variant)
    for source, found in zip(SENTENCES, translate(model, SENTENCES, decoding), strict=True):
        (alone,) = translate(model, [source], decoding)
        assert [hypothesis.words for hypothesis in found] == [hypothesis.words for hypothesis in alone]
        np.testing.assert_allclose([one.log_prob for one in found], [one.log_prob for one in alone], atol=1e-5)
        for one, other in zip(found, alone, strict=True):
            assert one.attention.shape == (len(one.words) + one.finished, len(source))
            np.testing.assert_allclose(one.attention, other.attention, atol=1e-5)


@each_variant
def test_what_a_beam_finds_is_what_teacher_forcing_says_of_it(variant: str) -> None:
    """The log-probability of each hypothesis, and its attention: rows were not mixed up on the way."""
    model = make_model(variant)
    twin = Twin(model)
    for source, found in zip(SENTENCES, translate(model, SENTENCES, Decoding(beam=3)), strict=True):
        ended = [one for one in found if one.finished]
        forced = target_log_probs(model, [Pair(source, one.words) for one in ended])
        np.testing.assert_allclose([one.log_prob for one in ended], [row.sum() for row in forced], atol=1e-4)
        steps = twin.steps(model.source_vocab.encode(source), [0, *model.vocab.encode(found[0].words)])
        by_hand = [step.alpha for step in steps[: len(found[0].attention)]]
        np.testing.assert_allclose(found[0].attention, by_hand, atol=1e-4)


@each_variant
def test_greedy_search_is_a_beam_of_one(variant: str) -> None:
    model = make_model(variant)
    encoded = [model.source_vocab.encode(source) for source in SENTENCES]
    by_beam = beam_search(Conditional(model, encoded), len(encoded), 1, 12)
    by_greed = greedy(Conditional(model, encoded), len(encoded), 12)
    assert [found[0].words for found in by_beam] == [found.words for found in by_greed]


def test_what_is_drawn_is_what_the_equations_say() -> None:
    """Both attentions and the gates of given translations, whatever they are batched with."""
    model = make_model()
    twin = Twin(model)
    targets = [["ba", "do"], [], ["ku", "ku", "ba"], ["emu"], ["do"]]
    for source, target, shown in zip(SENTENCES, targets, force(model, SENTENCES, targets), strict=True):
        steps = twin.steps(model.source_vocab.encode(source), [0, *model.vocab.encode(target)])
        assert shown.attention.shape == shown.word_attention.shape == (len(target) + 1, len(source))
        np.testing.assert_allclose(shown.attention, [step.alpha for step in steps], atol=1e-5)
        np.testing.assert_allclose(shown.word_attention, [step.beta for step in steps], atol=1e-5)
        np.testing.assert_allclose(shown.gates, [np.mean(1 - step.gate) for step in steps], atol=1e-5)


def test_variants_and_other_chapters_translate_together() -> None:
    """Probabilities are averaged; attention is that of the members that have some."""
    members = [make_model(variant, seed) for seed, variant in enumerate(VARIANTS)]
    silent = encoder_models.make_model("reverse")
    pairs = [Pair(["hen", "sees", "ox"], ["ba", "ku"]), Pair(["waits"], ["do"])]
    each = [target_log_probs(model, pairs) for model in (*members, silent)]
    ensemble = TranslationEnsemble([silent, *members])
    for number, found in enumerate(target_log_probs(ensemble, pairs)):
        expected = np.mean([np.exp(one[number]) for one in each], axis=0)
        np.testing.assert_allclose(np.exp(found), expected, atol=1e-5)
    (found,), _ = translate(ensemble, [["hen", "sees", "ox"], ["waits"]], Decoding())
    inputs = [0, *members[0].vocab.encode(found.words)][: len(found.attention)]
    by_hand = np.mean([[step.alpha for step in Twin(model).steps([2, 4, 3], inputs)] for model in members], axis=0)
    np.testing.assert_allclose(found.attention, by_hand, atol=1e-4)
