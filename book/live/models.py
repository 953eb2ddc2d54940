"""Trained models for the page: their vocabularies, sizes and numbers, as `static/` computes with them.

The neural models of chapters 5, 6 and 11 are their parameters as float16. The n-gram model of chapter 1 is its training
text: the page counts it and smooths the counts, which takes a fraction of a second and less room than the table.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import dynet as dy
import numpy as np

from book.figures.ch08_record import LONG, shown
from book.lessons import make_folder
from book.live.gradients import gradient_curve
from book.live.scripts import MODELS, packed, script
from chapters.attentive_lm.model import AttentiveLM
from chapters.ngram_lm.counts import count_ngrams, join
from chapters.ngram_lm.smoothing import below_unigrams
from common.errors import UserError
from common.files import atomic_write
from common.nn.parameters import DynetParameters
from common.programs.chapters import load_run
from common.text.corpus import load_corpus
from common.text.pairs import load_pairs
from common.text.vocab import Vocabulary
from common.training.past_runs import read_config

LARGEST_FLOAT16 = float(np.finfo(np.float16).max)


def export(folder: Path, out: Path = MODELS) -> list[Path]:
    """Write the model of a run to `out/NN.js`, and of chapter 6 the norms of its gradients beside it. Of a run of
    chapter 8 what its attention is on one pair, to `out/08-KIND.js`.

    Raises `UserError` where the page cannot compute with the model.
    """
    chapter = str(read_config(folder)["chapter"])
    if chapter not in EXPORTS:
        raise UserError(f"{folder}: a run of {chapter}; the page has models of {', '.join(EXPORTS)}")
    model, settings = load_run(folder, chapter)
    data, number = EXPORTS[chapter](folder, model, settings), chapter[:2]
    name = f"{number}-{kind_of_attention(settings)}" if number == "08" else number
    scripts = {f"{name}.js": script(f"model {name}", data)}
    if isinstance(model, AttentiveLM):
        dy.reset_random_seed(settings.seed)  # as when training began
        curves = {"before": AttentiveLM.from_settings(settings, model.vocab), "after": model}
        dev = load_corpus(settings.corpus).dev
        norms = {when: gradient_curve(version, dev) for when, version in curves.items()}
        scripts[f"gradients-{number}.js"] = script(f"gradients {number}", norms)
    make_folder(out)
    for name, text in scripts.items():
        with atomic_write(out / name) as file:
            file.write(text)
    return [out / name for name in scripts]


def ngram_model(folder: Path, model: object, settings: object) -> dict:
    """Chapter 1: the training text as word ids, with 0 before, between and after sentences."""
    plain = settings.smoothing == "kneser-ney" and not (settings.skip or settings.cache or settings.prune)
    if not plain or settings.unk == "characters":
        raise UserError(f"{folder}: the page supports only --smoothing kneser-ney, without --skip, --cache or --prune")
    vocab: Vocabulary = model.vocab
    if len(vocab) > np.iinfo(np.uint16).max:
        raise UserError(f"{folder}: {len(vocab):,} words; the page has room for {np.iinfo(np.uint16).max:,}")
    train_ids = [vocab.encode(sentence) for sentence in load_corpus(settings.corpus).train]
    inputs, targets = join(train_ids)
    zero = below_unigrams(settings.unk, vocab, count_ngrams(train_ids, 1, len(vocab))[0])
    return {
        "words": vocab.words,
        "order": settings.order,
        "spellsUnknown": bool(zero[vocab.unknown] == 1),
        "text": packed(np.append(inputs, targets[-1]), "<u2"),
    }


def neural_model(folder: Path, model: object, settings: object) -> dict:
    """Chapters 5 and 6."""
    if settings.is_variant or getattr(settings, "score", "combined") == "none":
        raise UserError(f"{folder}: the page supports only the model of model.py, not its variants")
    if getattr(settings, "cell", "lstm") != "lstm" or getattr(settings, "residual", False):
        raise UserError(f"{folder}: the page supports only LSTM layers without residual connections")
    if settings.softmax != "tied":
        raise UserError(f"{folder}: the page supports only --softmax tied")
    return written(folder, model, settings)


def transformer_model(folder: Path, model: object, settings: object) -> dict:
    """Chapter 11."""
    if (settings.positions, settings.norm) != ("sinusoidal", "pre"):
        raise UserError(f"{folder}: the page supports only --positions sinusoidal with --norm pre")
    return {**written(folder, model, settings), "heads": settings.heads}


def attention_weights(folder: Path, model: object, settings: object) -> dict:
    """Chapter 8: the pair of lesson 8 with its true links, and how much each prediction attends to each source word."""
    if settings.corpus != "village_pairs":
        raise UserError(f"{folder}: trained on {settings.corpus}; the page needs a model of village_pairs")
    pair = shown(load_pairs(settings.corpus), "test", LONG, {"attention": model})
    return {**pair, "weights": [[round(weight, 4) for weight in row] for row in pair["weights"]["attention"]]}


def kind_of_attention(settings: object) -> str:
    """What the figure calls a model of chapter 8: its score, or "local"."""
    return settings.score if settings.attention == "soft" else settings.attention


def written(folder: Path, model: object, settings: object) -> dict:
    """Words, sizes, and every parameter by its place in the model: its shape, and its numbers as float16."""
    trained, parameters = DynetParameters(model), {}
    for name, array in zip(trained.names(), trained.arrays(), strict=True):
        if np.abs(array).max() > LARGEST_FLOAT16:
            raise UserError(f"{folder}: {name} contains a number too large for float16; train again")
        parameters[name] = {"shape": array.shape, "numbers": packed(array, "<f2")}
    sizes = {"hidden_size": settings.hidden_size, "layers": settings.layers}
    return {"words": model.vocab.words, **sizes, "parameters": parameters}


EXPORTS: dict[str, Callable[[Path, object, object], dict]] = {
    "01_ngram_lm": ngram_model,
    "05_rnn_lm": neural_model,
    "06_attentive_lm": neural_model,
    "08_attention": attention_weights,
    "11_transformer": transformer_model,
}
"""What is written of a run, by the chapter's folder."""
