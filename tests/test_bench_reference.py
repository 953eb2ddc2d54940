"""The benchmarks compare like with like: a reference model in PyTorch is the same function as the chapter's model."""

from __future__ import annotations

import dynet as dy
import numpy as np
import pytest

from common.text.batching import make_batch
from tests.bench_cases import (
    CASES,
    SENTENCE_SIZE,
    WORDS,
    Case,
    make_model,
    make_sides,
    pairs_of,
    ragged_batch,
    ragged_pairs,
)
from tools.bench.decoding import decoded_steps

LANGUAGE_MODELS = [case for case in CASES if not case.of_pairs]
TWO_LAYERS = [case for case in CASES if case.shape["layers"] == 2]
PAIRS = [case for case in TWO_LAYERS if case.of_pairs and case.shape.get("variant", "gates") == "gates"]


def batch_for(case: Case):
    return ragged_pairs() if case.of_pairs else ragged_batch()


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_reference_model_has_the_same_loss_and_gradients(case: Case) -> None:
    ours, theirs = make_sides(case)
    batch, parameters, collection = batch_for(case), ours.named(), ours.model.collection
    assert len(parameters) == len(collection.parameters_list()) + len(collection.lookup_parameters_list())
    dy.renew_cg()
    loss, reference_loss = ours.loss(batch), theirs.loss(batch)
    assert reference_loss.item() == pytest.approx(loss.scalar_value(), rel=1e-5)
    loss.backward()
    reference_loss.backward()
    tensors = theirs.model.named()
    assert tensors.keys() == parameters.keys()
    for name, parameter in parameters.items():
        expected = theirs.model.arranged(name, parameter.grad_as_array())
        assert np.abs(expected).max() > (1e-4 if case.of_pairs else 1e-3), f"{name}: nothing to compare"
        np.testing.assert_allclose(tensors[name].grad.numpy(), expected, rtol=2e-3, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("case", [*TWO_LAYERS, CASES[1]], ids=str)
def test_both_sides_take_the_same_steps_and_find_the_same_words(case: Case) -> None:
    """Three training steps with clipping in effect: as the losses stay the same, updates and clipping are the same."""
    rate, clip = (0.3, 0.5) if case.of_pairs else (0.5, 0.3)
    ours, theirs = make_sides(case, rate, clip)
    batch = batch_for(case)
    losses = [ours.train_batch(batch) for _ in range(3)]
    assert losses[0] - losses[2] > 0.1
    assert [theirs.train_batch(batch) for _ in range(3)] == pytest.approx(losses, rel=1e-4)
    assert theirs.evaluate_batch(batch) == pytest.approx(ours.evaluate_batch(batch), rel=1e-4)
    assert theirs.loss_without_dropout(batch) == pytest.approx(ours.loss_without_dropout(batch), rel=1e-4)
    assert theirs.decode_batch(batch) == pytest.approx(ours.decode_batch(batch), rel=1e-4)


@pytest.mark.parametrize("case", PAIRS, ids=str)
def test_both_sides_drop_as_much(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a batch without padding, as many numbers go through dropout on either side."""
    model, side = make_sides(case, dropout=0.5)
    import torch.nn.functional as F

    batch = pairs_of((4, 4), (3, 3))
    ours, theirs, dynets, torchs = [], [], dy.dropout, F.dropout

    def between_layers(lstm, _, outputs) -> None:
        """`nn.LSTM` drops from what goes from layer to layer; what the top layer shows is as much."""
        theirs.append((lstm.num_layers - 1) * getattr(outputs[0], "data", outputs[0]).numel())

    for lstm in side.model.lstms.values():
        assert lstm.dropout == 0.5
        lstm.register_forward_hook(between_layers)
    monkeypatch.setattr(dy, "dropout", lambda part, rate: ours.append(part.npvalue().size) or dynets(part, rate))
    monkeypatch.setattr(F, "dropout", lambda part, *rest: theirs.append(part.numel()) or torchs(part, *rest))
    dy.renew_cg()
    model.loss(batch)
    side.loss(batch)
    assert sum(theirs) == sum(ours) > 0


@pytest.mark.parametrize("case", LANGUAGE_MODELS, ids=str)
def test_both_sides_generate_the_same_words(case: Case) -> None:
    """Step by step the same distributions of the next word, and in the end the same words, going on after `</s>`."""
    ours, theirs = make_sides(case)
    import torch

    batch = ragged_batch()
    steps, rows = batch.inputs.shape
    with theirs.inference():
        state, reference_state = ours.model.start(rows), theirs.model.start(rows)
        for words in batch.inputs:
            state, log_probs = ours.model.advance(state, words.tolist())
            reference_state, scores = theirs.model.advance(reference_state, torch.as_tensor(words))
            np.testing.assert_allclose(torch.log_softmax(scores, dim=-1).numpy(), log_probs, rtol=1e-4, atol=1e-4)
    state, words, total = ours.model.start(1), [0], 0.0
    for _ in range(steps):
        state, log_probs = ours.model.advance(state, words)
        words = [int(log_probs[0].argmax())]
        total += log_probs[0, words[0]]
    assert ours.decode_batch(batch) == pytest.approx(rows * total, rel=1e-5)
    assert theirs.decode_batch(batch) == pytest.approx(rows * total, rel=1e-5)


@pytest.mark.parametrize("case", [LANGUAGE_MODELS[1], LANGUAGE_MODELS[-3]], ids=str)
def test_both_sides_draw_from_the_same_distributions(case: Case) -> None:
    """The log P of what is drawn has the same mean, far below that of the best words."""
    sides = make_sides(case)
    import torch

    torch.manual_seed(1)
    batch, means = ragged_batch(), []
    for side in sides:
        lengths = [side.sample_batch(batch) for _ in range(40)]
        means.append((np.mean(lengths), np.std(lengths) / np.sqrt(len(lengths))))
    (ours, error), (theirs, other) = means
    assert abs(ours - theirs) < 4 * np.hypot(error, other)
    assert sides[0].decode_batch(batch) - max(ours, theirs) > 8 * max(error, other)


@pytest.mark.parametrize("case", PAIRS, ids=str)
def test_translation_goes_on_to_the_length_of_the_batch(case: Case) -> None:
    """Greedy search for 7 steps, of the side and one sentence at a time: the same sum of log-probabilities."""
    model, batch, total = make_model(case), ragged_pairs(), 0.0
    for column, length in zip(batch.source.T, batch.source_mask.sum(axis=0).astype(int), strict=True):
        dy.renew_cg()
        total += decoded_steps(model, model.encode([column[:length].tolist()]), 1, 7)
    assert batch.target.inputs.shape[0] == 7
    assert case.side(model).decode_batch(batch) == pytest.approx(total, rel=1e-5)


@pytest.mark.parametrize("case", LANGUAGE_MODELS, ids=str)
def test_evaluation_leaves_padding_out(case: Case) -> None:
    """log P of a batch is that of its sentences, each alone."""
    model, batch, total = make_model(case), ragged_batch(), 0.0
    for column, length in enumerate(batch.mask.sum(axis=0).astype(int)):
        alone = make_batch([batch.inputs[1:length, column].tolist()], [0])
        total += model.log_probs(alone).sum()
    assert case.side(model).evaluate_batch(batch) == pytest.approx(total, rel=1e-5)


def test_a_reference_model_of_another_model_is_refused() -> None:
    pytest.importorskip("torch")
    from tools.bench.language_models_torch import Attentive as LanguageModel
    from tools.bench.translation_models_torch import EncoderDecoder as Translator

    (single,) = (case for case in CASES if case.shape.get("score") == "single")
    with pytest.raises(ValueError, match="W_q"):
        LanguageModel(WORDS, SENTENCE_SIZE, 2, "combined", 0.0).take(single.side(make_model(single)).parameters())
    (translator,) = (case for case in TWO_LAYERS if case.benchmark == "encoder_decoder")
    parameters = translator.side(make_model(translator)).parameters()
    with pytest.raises(ValueError, match="b_s"):
        Translator.like(parameters, 1, 0.0).take(parameters)
