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
from tests.pair_laws import (
    SENTENCES,
)
from tests.word_attention_models import (
    QUERIES,
    VARIANTS,
    Settings,
    Twin,
    make_model,
)

each_variant = pytest.mark.parametrize("variant", VARIANTS)
each_query = pytest.mark.parametrize("query", QUERIES)


# --- the equations


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
        for weights in (state.attention, state.word_attention):
            assert (np.abs(weights[0] - weights[1]).max() > 1e-3) == differs, query


# --- learning


def test_a_size_that_cannot_be_halved_is_refused() -> None:
    with pytest.raises(UserError, match="must be even"):
        Settings(hidden_size=7)


# --- batches


# --- translations


@each_variant
def test_what_a_beam_finds_is_what_teacher_forcing_says_of_it(variant: str) -> None:
    """Its attention: rows were not mixed up on the way."""
    model = make_model(variant)
    twin = Twin(model)
    for source, (actual, *_) in zip(SENTENCES, translate(model, SENTENCES, Decoding(beam=3)), strict=True):
        steps = twin.steps(model.source_vocab.encode(source), [0, *model.vocab.encode(actual.words)])
        by_hand = [step.alpha for step in steps[: len(actual.attention)]]
        np.testing.assert_allclose(actual.attention, by_hand, atol=1e-4)


def test_what_is_drawn_is_what_the_equations_say() -> None:
    """Both attentions and the gates of given translations, whatever they are batched with."""
    model = make_model()
    twin = Twin(model)
    targets = [["ba", "do"], [], ["ku", "ku", "ba"], ["emu"], ["do"]]
    for source, target, output in zip(SENTENCES, targets, force(model, SENTENCES, targets), strict=True):
        steps = twin.steps(model.source_vocab.encode(source), [0, *model.vocab.encode(target)])
        assert output.attention.shape == output.word_attention.shape == (len(target) + 1, len(source))
        np.testing.assert_allclose(output.attention, [step.alpha for step in steps], atol=1e-5)
        np.testing.assert_allclose(output.word_attention, [step.beta for step in steps], atol=1e-5)
        np.testing.assert_allclose(output.gates, [np.mean(1 - step.gate) for step in steps], atol=1e-5)


def test_variants_and_other_chapters_translate_together() -> None:
    """Probabilities are averaged; attention is that of the members that have some."""
    members = [make_model(variant, seed) for seed, variant in enumerate(VARIANTS)]
    silent = encoder_models.make_model("reverse")
    pairs = [Pair(["hen", "sees", "ox"], ["ba", "ku"]), Pair(["waits"], ["do"])]
    each = [target_log_probs(model, pairs) for model in (*members, silent)]
    ensemble = TranslationEnsemble([silent, *members])
    for number, actual in enumerate(target_log_probs(ensemble, pairs)):
        expected = np.mean([np.exp(item[number]) for item in each], axis=0)
        np.testing.assert_allclose(np.exp(actual), expected, atol=1e-5)
    (actual,), _ = translate(ensemble, [["hen", "sees", "ox"], ["waits"]], Decoding())
    inputs = [0, *members[0].vocab.encode(actual.words)][: len(actual.attention)]
    by_hand = np.mean([[step.alpha for step in Twin(model).steps([2, 4, 3], inputs)] for model in members], axis=0)
    np.testing.assert_allclose(actual.attention, by_hand, atol=1e-4)
