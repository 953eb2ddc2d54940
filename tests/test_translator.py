"""Chapter 11's translator: three kinds of attention, the cache, what there is to look at, and the company of others."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from chapters.transformer.settings_pairs import Settings
from common.search.attending import force
from common.search.searches import Decoding, translate
from common.search.translation import Conditional, target_log_probs
from common.search.translation_ensemble import TranslationEnsemble
from common.text.batching import make_batch
from common.text.pairs import Pair, make_pair_batch
from tests import attention_models, rnn_reference
from tests.attention_models import SOURCE_WORDS, WORDS, whole_batch
from tests.pair_laws import SENTENCES
from tests.translator_models import KINDS, Twin, make_model

SIZE, V = 8, len(WORDS) + 2
LONG = [2, 3, 4, 4, 1, 3, 2, 2, 4]
"""A target of nine words."""


# --- three kinds of attention


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learnt", "rotary"])
def test_without_positions_a_source_is_a_bag_of_words(positions: str) -> None:
    """Whatever the number of layers: no mask in the encoder tells how many words lie before a word."""
    model = make_model(positions=positions, layers=2)
    target = make_batch([[2, 3, 4]], [0])
    one, other = (model.log_probs(make_pair_batch([source], target)) for source in ([2, 4, 3, 5], [5, 3, 4, 2]))
    assert (np.abs(one - other).max() < 1e-5) == (positions == "none")


# --- the cache


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_cache_gives_what_the_whole_forward_pass_gives(kind: dict) -> None:
    """Step by step, of sources with padding; after n words it has n keys and n values in each block."""
    model = make_model(**kind)
    batch = make_pair_batch([[2, 3, 4, 5, 2], [5, 3]], make_batch([LONG, LONG[::-1]], [0, 1]))
    inputs = batch.target.inputs
    dy.renew_cg()
    x, _, of_heads = model.decode(model.read_source(batch.source, batch.source_mask), inputs)
    expected = dy.log_softmax(model.logits(x)).npvalue().reshape(V, *inputs.shape, order="F")
    shown = model.alignment_head
    weights = (of_heads[shown - 1] if shown else dy.average(of_heads)).npvalue()
    dy.renew_cg()
    state = model.encode([[2, 3, 4, 5, 2], [5, 3]])
    for t, words in enumerate(inputs):
        state, log_probs = model.advance(state, words.tolist())
        np.testing.assert_allclose(log_probs.T, expected[:, t], atol=5e-5)
        np.testing.assert_allclose(state.attention, weights[:, t].T, atol=2e-5)
        assert {part.dim() for past in state.past for part in past} == {((SIZE, t + 1), 2)}


# --- what there is to look at


@pytest.mark.parametrize("head", range(5))
def test_the_head_that_is_shown(head: int) -> None:
    """The heads of both blocks, one after another; 0 is the mean of all of them."""
    model = make_model(alignment_head=head)
    twin = Twin(model, alignment_head=head)
    source, target = SENTENCES[2], ["ba", "ku", "do"]
    (shown,) = force(model, [source], [target])
    steps = twin.steps(model.source_vocab.encode(source), [0, *model.vocab.encode(target)])
    np.testing.assert_allclose(shown.attention, [step.weights for step in steps], atol=2e-5)


def test_the_heads_of_a_batch_are_those_that_are_shown_one_by_one() -> None:
    """And padding gets nothing."""
    batch = make_pair_batch([[2, 3, 4, 5, 2], [5, 3]], make_batch([LONG, [2, 3]], [0, 1]))
    maps = make_model().attention(batch)
    assert maps.shape == (4, len(LONG) + 1, 5, 2) and not maps[:, :, 2:, 1].any()
    for head in range(4):
        model = make_model(alignment_head=head + 1)
        dy.renew_cg()
        state = model.encode([[2, 3, 4, 5, 2], [5, 3]])
        for step, words in enumerate(batch.target.inputs):
            state, _ = model.advance(state, words.tolist())
            np.testing.assert_allclose(maps[head, step].T, state.attention, atol=2e-5)


# --- with others


def test_with_chapter_8_it_makes_one_model() -> None:
    """The mean of both probabilities and of both attentions; a beam is found in one graph."""
    both = [make_model(), attention_models.make_model()]
    ensemble = TranslationEnsemble(both)
    pairs = [Pair(source, ["ba", "do"]) for source in SENTENCES]
    each = [target_log_probs(model, pairs) for model in both]
    for joint, *alone in zip(target_log_probs(ensemble, pairs), *each, strict=True):
        np.testing.assert_allclose(np.exp(joint), np.mean(np.exp(alone), axis=0), atol=1e-5)
    bound = Conditional(ensemble, SENTENCES[:1])
    state, _ = bound.advance(bound.start(1), [0])
    np.testing.assert_allclose(state.attention, np.mean([member.attention for member in state.members], axis=0))
    found = translate(ensemble, SENTENCES, Decoding(beam=3, batch_size=2))
    for source, beam in zip(SENTENCES, found, strict=True):
        finished = [hypothesis for hypothesis in beam if hypothesis.finished]
        forced = target_log_probs(ensemble, [Pair(source, hypothesis.words) for hypothesis in finished])
        totals = [row.sum() for row in forced]
        assert [hypothesis.log_prob for hypothesis in finished] == pytest.approx(totals, abs=1e-4)


# --- settings


@pytest.mark.parametrize("layers", [1, 2])
def test_dropout_is_on_embeddings_and_on_what_each_part_adds(monkeypatch: pytest.MonkeyPatch, layers: int) -> None:
    rates: list[float] = []
    monkeypatch.setattr(dy, "dropout", lambda expression, rate: rates.append(rate) or expression)
    dy.renew_cg()
    make_model(layers=layers, dropout=0.3).loss(whole_batch())
    assert rates == [0.3] * (2 + 2 * layers + 3 * layers), "two sides, two parts of an encoder's block, three here"


def test_weights_start_as_asked() -> None:
    model = make_model(scale=0, init_scale=0.05, positions="learnt")
    for name, weights in rnn_reference.weights_of(Twin(model, positions="learnt").parameters).items():
        if name.split()[1].startswith("b"):
            assert not weights.any(), name
        else:
            assert 0.02 < np.abs(weights).max() <= 0.05, name


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_size_that_the_settings_tell(kind: dict) -> None:
    """Before a model is made: as many parameters as it then has."""
    flags = Settings(**{"hidden_size": SIZE, "heads": 2, "layers": 2} | kind)
    total = sum(parameter.as_array().size for parameter in make_model(**kind).collection.parameters_list())
    assert flags.footprint(len(SOURCE_WORDS) + 2, V).parameters == total
