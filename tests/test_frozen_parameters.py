"""A parameter that training leaves as it is: in every chapter, the test that its model learns finds it."""

from __future__ import annotations

import dynet as dy
import pytest

from tests import test_loglinear_model, test_neural_networks
from tests.test_model_laws import test_two_sentences_can_be_learnt_by_heart as learn_by_heart

LEARNING = {
    "02_loglinear_lm": lambda: test_loglinear_model.test_engines_learn_alike("sgd"),
    "03_neural_networks": lambda: test_neural_networks.test_three_engines_train_to_the_same_result("tanh"),
    "04_feedforward_lm": lambda: learn_by_heart("feed-forward, full"),
    "05_rnn_lm": lambda: learn_by_heart("lstm"),
    "06_attentive_lm": lambda: learn_by_heart("attention to the past: combined"),
    "07_encoder_decoder": lambda: learn_by_heart("bidirectional"),
    "08_attention": lambda: learn_by_heart("mlp score, lstm"),
    "09_word_attention": lambda: learn_by_heart("gates gated word"),
    "11_transformer_pairs": lambda: learn_by_heart("Transformer translator norm post"),
    "11_transformer": lambda: learn_by_heart("Transformer norm post"),
}
"""Chapter 1 has no parameters in DyNet, and chapter 10 trains models of other chapters."""


def freeze(monkeypatch: pytest.MonkeyPatch, number: int, names: list[str]) -> None:
    """Let no trainer move one parameter of its collection. names: gets those of all parameters."""

    def frozen(kind: type, collection: dy.ParameterCollection, *arguments, **options) -> dy.Trainer:
        parameters = [*collection.parameters_list(), *collection.lookup_parameters_list()]
        names[:] = [parameter.name() for parameter in parameters]
        parameters[number].set_updated(False)
        return kind(collection, *arguments, **options)

    for name in ("SimpleSGDTrainer", "AdamTrainer"):
        kind = getattr(dy, name)
        monkeypatch.setattr(dy, name, lambda *arguments, kind=kind, **options: frozen(kind, *arguments, **options))


@pytest.mark.slow
@pytest.mark.parametrize("chapter", LEARNING)
def test_a_frozen_parameter_is_found(chapter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each parameter of the model in turn."""
    number, names = 0, ["the first"]
    while number < len(names):
        dy.reset_random_seed(1)
        with monkeypatch.context() as patch, pytest.raises(AssertionError):
            freeze(patch, number, names)
            LEARNING[chapter]()
            pytest.fail(f"nobody misses parameter {names[number]} of {len(names)}", pytrace=False)
        number += 1
    assert len(names) > 1
