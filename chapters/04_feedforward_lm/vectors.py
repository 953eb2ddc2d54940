"""What the programs share that make vectors without a language model: the corpus as ids, and what is shown."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common.errors import UserError
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from common.training.cli import CheckedSettings, setting

from .embeddings import draw_map, own_class_share, village_groups
from .neighbours import check_known, known, neighbour_table, usual_words

NUMBER = 6
"""Neighbours that are listed for each word."""


@dataclass(frozen=True)
class VectorSettings(CheckedSettings):
    """What decides the text, the pairs in it and the size of vectors, whatever the method."""

    corpus: str = setting("village", "an embedded or installed corpus, or a folder with train.txt, dev.txt, test.txt")
    sentences: int = setting(0, "of train that are read, its first ones; 0: all", minimum=0, maximum=10_000_000)
    min_count: int = setting(2, "words seen less often in training are <unk>", minimum=1)
    window: int = setting(2, "largest distance of two words in a pair", minimum=1)
    embedding_size: int = setting(128, "numbers of a vector", minimum=1)


def shown_flags(parser: argparse.ArgumentParser) -> tuple[dict, list[str], Path | None]:
    """The settings on the command line, the words whose neighbours are listed, and the folder of the maps."""
    parser.add_argument("--word", action="append", metavar="WORD", default=[], help="word whose neighbours to list")
    parser.add_argument("--out", type=Path, metavar="DIR", default=None, help="an existing folder for maps")
    flags = vars(parser.parse_args())
    words, out = flags.pop("word"), flags.pop("out")
    if out is not None and not out.is_dir():
        raise UserError(f"--out {out}: no such folder")
    if out is not None and flags["corpus"] != "village":
        raise UserError("--out: maps are of the village's words; leave it out with another corpus")
    return flags, words, out


def encoded(settings: VectorSettings, words: Sequence[str]) -> tuple[Vocabulary, list[np.ndarray], list[np.ndarray]]:
    """The vocabulary of a corpus, and the sentences of train and dev as ids.

    Raises `UserError` where no words of train are near each other, and for `words` that the corpus does not have.
    """
    corpus = load_corpus(settings.corpus)
    texts = corpus.train[: settings.sentences or None]
    vocab = Vocabulary.from_sentences(texts, settings.min_count)
    check_known(words, vocab)
    train, dev = ([np.array(vocab.encode(one), dtype=int) for one in split] for split in (texts, corpus.dev))
    if max(map(len, train), default=0) < 2:
        raise UserError(f"--corpus {settings.corpus}: no sentence of train has two words")
    return vocab, train, dev


def show(
    vocab: Vocabulary, sides: Mapping[str, np.ndarray], words: Sequence[str], out: Path | None, of_village: bool
) -> None:
    """Print the neighbours of words by vectors (V, L) of each name; of village words, how many have one of their class.

    out: where to draw maps of the village's words.
    """
    listed, groups_of_village = words or usual_words(vocab, of_village), village_groups() if of_village else {}
    for side, vectors in sides.items():
        print(f"\n{side} vectors", *neighbour_table(vocab, vectors, listed, NUMBER), sep="\n")
        for name, groups in groups_of_village.items():
            ids = known(groups, vocab)
            if sum(map(len, ids.values())) < 2:
                continue
            own, chance = own_class_share(vectors, ids)
            print(f"{name} whose nearest neighbour is of their own class: {own:.1%} (by chance {chance:.1%})")
            if out is not None:
                draw_map(vectors, ids, vocab.words, out / f"{side.replace(' ', '_')}_{name}.png")
