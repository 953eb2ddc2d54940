"""The systems of the experiments on a fixed list: the ladder's, chapter 8's decoders, chapter 9's variants."""

from __future__ import annotations

from collections.abc import Mapping

from .runs import System

LANGUAGE_MODELS = (
    System("01_ngram_lm", "n-gram (Kneser-Ney)", ptb="ptb"),
    System("02_loglinear_lm", "log-linear", ptb="ptb"),
    System("04_feedforward_lm", "feed-forward", ptb="ptb-small"),
    System("05_rnn_lm", "recurrent (LSTM)", ptb="ptb-small"),
    System("06_attentive_lm", "attentive", ptb="ptb-small"),
    System("11_transformer", "Transformer", ptb="ptb-200"),
)
TRANSLATION_MODELS = (
    System("07_encoder_decoder", "encoder-decoder"),
    System("08_attention", "attention"),
    System("09_word_attention", "attention before the step", ("--variant", "rnnsearch"), "rnnsearch-word"),
    System("09_word_attention", "word attention", ("--variant", "word"), "word-word"),
    System("09_word_attention", "gates", ("--variant", "gates"), "gates-word-gated"),
    System("10_beyond", "copying", ("--preset", "copying"), "copying"),
    System("10_beyond", "pieces of words", ("--preset", "pieces"), "pieces"),
    System("11_transformer_pairs", "Transformer"),
)
"""The rungs of the ladder. Those of chapter 9 share their run folders with `VARIANTS`."""

FED = ("--readout", "attentional", "--feed", "attentional")
DECODERS = {
    name: System("08_attention", name, flags, "" if name == "default" else name)
    for name, flags in {
        "default": (),
        "attentional": ("--readout", "attentional"),
        "nothing-fed": ("--readout", "attentional", "--feed", "nothing"),
        "fed": FED,
        "local-m": (*FED, "--attention", "local-m"),
        "local-p": (*FED, "--attention", "local"),
        "luong": ("--preset", "luong"),
        "linguistic": ("--coverage-model", "linguistic"),
        "neural": ("--coverage-model", "neural"),
        "past-single": ("--past-score", "single"),
        "past-combined": ("--past-score", "combined"),
    }.items()
}
"""One step after another towards Luong's decoder, then coverage, then attention to the decoder's own past."""

VARIANTS = (
    *(f"{variant}-{query}" for variant in ("rnnsearch", "word") for query in ("word", "state")),
    *(f"gates-{query}-{contexts}" for query in ("word", "state") for contexts in ("gated", "plain")),
)
"""Systems of chapter 9, named after their values of `VARIANT_FLAGS`; only gates have all three."""
VARIANT_FLAGS = ("--variant", "--query", "--output-contexts")
GATES = tuple(
    (f"word-{query}", f"gates-{query}-{contexts}") for query in ("word", "state") for contexts in ("gated", "plain")
)
QUESTIONS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "Word attention": (("rnnsearch-word", "word-word"), ("rnnsearch-state", "word-state")),
    "Gates": GATES,
    "The last word in the query": (
        ("rnnsearch-state", "rnnsearch-word"),
        ("word-state", "word-word"),
        ("gates-state-gated", "gates-word-gated"),
        ("gates-state-plain", "gates-word-plain"),
    ),
    "Contexts of the output layer": tuple(
        (f"gates-{query}-gated", f"gates-{query}-plain") for query in ("word", "state")
    ),
}
"""The compared pairs of variants, by the question that they answer."""


def variant(name: str, preset: str = "quick") -> System:
    """A variant with a preset of chapter 9. A preset other than quick is part of the names of its run folders."""
    flags = tuple(part for pair in zip(VARIANT_FLAGS, name.split("-"), strict=False) for part in pair)
    if preset == "quick":
        return System("09_word_attention", name, flags, name)
    return System("09_word_attention", name, (*flags, "--preset", preset), f"{preset}-{name}")
