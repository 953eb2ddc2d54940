"""Word attention and contextual gates equal their equations in every variant, however the pairs are batched."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.errors import UserError
from common.search.attending import force
from common.search.translation import Decoding, target_log_probs, translate
from common.search.translation_ensemble import TranslationEnsemble
from common.text.pairs import Pair
from tests import encoder_models
from tests.attention_models import CELLS, SOURCES, TARGETS, loss_of, whole_batch
from tests.pair_laws import (
    SENTENCES,
    START,
    check_alone,
    check_dropout,
    check_forced,
    check_greedy,
    check_padding,
    check_rows,
    check_sum,
    learn_by_heart,
)
from tests.word_attention_models import (
    QUERIES,
    VARIANTS,
    H,
    Settings,
    Twin,
    WordAttentionModel,
    make_model,
)

each_variant = pytest.mark.parametrize("variant", VARIANTS)
each_query = pytest.mark.parametrize("query", QUERIES)


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


# --- learning


@pytest.mark.trains
@each_variant
@each_query
def test_translations_can_be_learnt_by_heart(variant: str, query: str) -> None:
    learn_by_heart(make_model(variant, scale=START, query=query, hidden_size=12, layers=1))


def test_models_of_different_make_have_different_names() -> None:
    """So that a saved one is never loaded as another."""
    made = [{}, {"variant": "word"}, {"variant": "rnnsearch"}, {"query": "state"}, {"cell": "gru"}, {"layers": 3}]
    made += [{"output_contexts": "plain"}, {"gate_scale": 2.0}, {"gate_bias": 1.0}, {"hidden_size": 6}]
    assert len({make_model(**options).name for options in made}) == len(made)


def test_the_output_bias_starts_as_asked() -> None:
    model, frequencies = make_model(), np.log(np.arange(1, 6) / 15)
    started = WordAttentionModel(model.source_vocab, model.vocab, frequencies, hidden_size=H)
    np.testing.assert_allclose(started.b_s.as_array(), frequencies, rtol=1e-6)


def test_a_size_that_cannot_be_halved_is_refused() -> None:
    with pytest.raises(UserError, match="must be even"):
        Settings(hidden_size=7)


# --- batches


@each_variant
def test_padding_changes_nothing(variant: str) -> None:
    check_padding(make_model(variant))


@each_variant
def test_a_batch_is_the_sum_of_its_pairs(variant: str) -> None:
    check_sum(make_model(variant))


@each_variant
def test_rows_can_be_chosen_copied_and_put_in_another_order(variant: str) -> None:
    check_rows(make_model(variant))


@pytest.mark.parametrize("layers", [1, 2])
def test_dropout_is_off_outside_training(layers: int) -> None:
    plain, dropping = make_model(layers=layers), make_model(dropout=0.5, layers=layers)
    check_dropout(plain, dropping)
    dy.renew_cg()
    steps = [model.advance(model.encode(SOURCES), [0] * len(SOURCES))[1] for model in (plain, dropping)]
    assert np.array_equal(*steps)


# --- translations


@each_variant
@pytest.mark.parametrize("decoding", [Decoding(), Decoding(beam=3), Decoding(beam=4, length="normalise")])
def test_a_translation_is_a_function_of_its_source_alone(variant: str, decoding: Decoding) -> None:
    check_alone(make_model(variant), decoding)


@each_variant
def test_what_a_beam_finds_is_what_teacher_forcing_says_of_it(variant: str) -> None:
    """The log-probability of each hypothesis, and its attention: rows were not mixed up on the way."""
    model = make_model(variant)
    twin = Twin(model)
    check_forced(model, Decoding(beam=3))
    for source, (found, *_) in zip(SENTENCES, translate(model, SENTENCES, Decoding(beam=3)), strict=True):
        steps = twin.steps(model.source_vocab.encode(source), [0, *model.vocab.encode(found.words)])
        by_hand = [step.alpha for step in steps[: len(found.attention)]]
        np.testing.assert_allclose(found.attention, by_hand, atol=1e-4)


@each_variant
def test_greedy_search_is_a_beam_of_one(variant: str) -> None:
    check_greedy(make_model(variant))


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
