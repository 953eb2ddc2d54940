"""Runs for the explorer's tests: tiny models of the village and of its pairs, trained within a second or two."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from common.files import write_json
from data.generate import village_sentences
from data.pairs import draw
from tests.programs import make_call, write_lines

TINY = ("--hidden-size", "8", "--epochs", "2", "--batch-size", "16")
FLAGS = {
    "01_ngram_lm": ("--smoothing", "witten-bell", "--order", "3"),
    "02_loglinear_lm": ("--epochs", "1", "--features", "word1"),
    "05_rnn_lm": TINY,
    "06_attentive_lm": TINY,
    "07_encoder_decoder": TINY,
    "08_attention": TINY,
    "09_word_attention": TINY,
    "11_transformer": TINY,
    "11_transformer_pairs": TINY,
}
SIZES = {"train": 120, "dev": 20, "test": 20}


def write_village(folder: Path) -> Path:
    """A small corpus that the village grammar wrote."""
    sentences = village_sentences(5)
    folder.mkdir(parents=True, exist_ok=True)
    for split, size in SIZES.items():
        write_lines(folder / f"{split}.txt", [" ".join(sentence) for sentence in islice(sentences, size)])
    return folder


def write_veldran(folder: Path) -> Path:
    """A small corpus of pairs that the grammar of village_pairs wrote."""
    pairs = draw("village_pairs", 5)
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "corpus.json", {"task": "translation", "grammar": "village_pairs"})
    for split, size in SIZES.items():
        lines = list(islice(pairs, size))
        for side in ("source", "target"):
            write_lines(folder / f"{split}.{side}", [line[side] for line in lines])
    return folder


def train_runs(root: Path, *runs: tuple[str, str, tuple[str, ...]]) -> Path:
    """Train (chapter, name of the run, more flags) into root/chapter/name; the corpora lie beside it."""
    corpora = root.with_name(f"{root.name}-corpora")
    text, pairs = write_village(corpora / "hamlet"), write_veldran(corpora / "hamlet_pairs")
    with pytest.MonkeyPatch.context() as patched:
        for chapter, name, flags in runs:
            corpus = pairs if "07" < chapter < "11" or chapter.endswith("_pairs") else text
            where = ("--run-dir", root / chapter / name, "--corpus", corpus)
            make_call(patched, chapter)("train", *where, *FLAGS[chapter], *flags)
    return root
