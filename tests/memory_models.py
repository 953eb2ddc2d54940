"""Small models of every neural chapter, and batches for them, for the tests of what they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from common.chapters import chapter_module
from common.text.batching import Batch, make_batches
from common.text.pairs import PairBatch, make_pair_batches
from common.text.vocab import Vocabulary

CASES: dict[str, tuple[str, str, dict[str, Any]]] = {
    "feed-forward": ("04_feedforward_lm.model", "FeedForwardLM", {}),
    "feed-forward, 2 layers": ("04_feedforward_lm.model", "FeedForwardLM", {"layers": 2, "embedding_size": 48}),
    "LSTM": ("05_rnn_lm.model", "RecurrentLM", {}),
    "two GRUs": ("05_rnn_lm.model", "RecurrentLM", {"cell": "gru", "layers": 2, "softmax": "untied"}),
    "pointer": ("05_rnn_lm.pointer", "PointerLM", {"pointer": True}),
    "learnt first state": ("05_rnn_lm.first_state", "FirstStateLM", {"first_state": "learnt", "layers": 2}),
    "no attention": ("06_attentive_lm.model", "AttentiveLM", {"score": "none"}),
    "single score": ("06_attentive_lm.model", "AttentiveLM", {"score": "single"}),
    "combined score": ("06_attentive_lm.model", "AttentiveLM", {"score": "combined"}),
    "parts": ("06_attentive_lm.parts", "PartsLM", {"parts": "key-value-predict"}),
    "another merge": ("06_attentive_lm.parts", "PartsLM", {"merge_layer": "feed-forward"}),
    "a memory": ("06_attentive_lm.memory", "MemoryLM", {"memory_states": 20, "bptt": 5}),
    "Transformer": ("11_transformer.model", "TransformerLM", {}),
    "Transformer, rotary": ("11_transformer.model", "TransformerLM", {"positions": "rotary", "layers": 3}),
    "encoder-decoder": ("07_encoder_decoder.model", "EncoderDecoder", {}),
    "two directions": ("07_encoder_decoder.model", "EncoderDecoder", {"encoder": "bidirectional", "layers": 2}),
    "convolution": ("07_encoder_decoder.model", "EncoderDecoder", {"encoder": "cnn"}),
    "attention": ("08_attention.model", "AttentionalModel", {}),
    "dot scores": ("08_attention.model", "AttentionalModel", {"score": "dot", "softmax": "untied"}),
    "local attention": ("08_attention.model", "AttentionalModel", {"attention": "local"}),
    "monotonic attention": ("08_attention.model", "AttentionalModel", {"attention": "local-m", "encoder": "reverse"}),
    "input feeding": ("08_attention.model", "AttentionalModel", {"readout": "attentional", "feed": "attentional"}),
    "own past": ("08_attention.model", "AttentionalModel", {"past_score": "combined"}),
    "own past, fed": (
        "08_attention.model",
        "AttentionalModel",
        {"past_score": "single", "readout": "attentional", "feed": "attentional", "softmax": "untied"},
    ),
    "linguistic coverage": ("08_attention.model", "AttentionalModel", {"coverage_model": "linguistic"}),
    "neural coverage": ("08_attention.model", "AttentionalModel", {"coverage_model": "neural"}),
    "Transformer translator": ("11_transformer_pairs.translator", "TransformerTranslator", {}),
    "Transformer translator, learnt": (
        "11_transformer_pairs.translator",
        "TransformerTranslator",
        {"positions": "learnt", "layers": 1},
    ),
    "gates": ("09_word_attention.model", "WordAttentionModel", {}),
    "rnnsearch": ("09_word_attention.model", "WordAttentionModel", {"variant": "rnnsearch"}),
    "ABS": ("09_word_attention.abs_model", "ABS", {}),
    "bag of words": ("09_word_attention.abs_model", "ABS", {"encoder": "bag-of-words", "layers": 2}),
    "RAS-Elman": ("09_word_attention.ras_model", "RASElman", {}),
    "RAS-LSTM": ("09_word_attention.ras_model", "RASLSTM", {}),
}
"""Module, class and settings by what the model is."""


def make_model(name: str, words: int = 30, **changes: Any) -> Any:
    """The model of a case, with this many words on either side."""
    module, model_class, settings = CASES[name]
    vocab = Vocabulary([f"w{number}" for number in range(2, words)])
    sides = [vocab] * (2 if module[:2] in ("07", "08", "09") or "_pairs" in module else 1)
    model = getattr(chapter_module(*module.split(".")), model_class)
    return model(*sides, **{"hidden_size": 16, "dropout": 0.0, **settings, **changes})


def make_batch_for(model: Any, lengths: Sequence[int]) -> Batch | PairBatch:
    """One batch of sentences of these lengths, of random words; a source has one word more."""
    rng = np.random.default_rng(1)
    sides = [[rng.integers(2, len(model.vocab), n + more).tolist() for n in lengths] for more in (0, 1)]
    if hasattr(model, "source_vocab"):
        return make_pair_batches(sides[1], sides[0], len(lengths))[0]
    return make_batches(sides[0], len(lengths))[0]


def loss_of(model: Any, batch: Batch | PairBatch) -> Any:
    """The training loss, an expression."""
    if "feed-forward" in model.name:
        return model.loss(batch, np.random.default_rng(1))
    result = model.loss(batch)
    return result[0] if isinstance(result, tuple) else result
