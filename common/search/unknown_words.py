"""Replacing `<unk>` in translations by the source word that it attended to (Neubig 2017, section 8.5)."""

from __future__ import annotations

import sys
from pathlib import Path

from common.errors import UserError
from common.search.decoding import Hypothesis
from common.text.corpus import Sentence
from common.text.ibm_model1 import Lexicon
from common.text.pairs import load_pairs
from common.text.vocab import UNKNOWN

REPLACEMENTS = ("copy", "dictionary")
"""The source word itself, as suits names; or its translation in a lexicon, if that knows it."""


def replace_unknown(hypothesis: Hypothesis, source: Sentence, lexicon: Lexicon | None = None) -> Sentence:
    """The words of a hypothesis, each `<unk>` replaced by the source word that it attended to most, or by the most
    probable translation of that word if a lexicon is given and knows it.

    Raises `UserError` for a hypothesis that does not tell what it attended to.
    """
    if hypothesis.attention is None:
        raise UserError(
            "without attention, no source word can be found for an <unk>; translate with a model of "
            "chapter 8 or 9, or do not replace unknown words"
        )
    words = list(hypothesis.words)
    for place, word in enumerate(words):
        if word == UNKNOWN:
            attended = source[int(hypothesis.attention[place].argmax())]
            words[place] = (lexicon.translate(attended) if lexicon else None) or attended
    return words


def lexicon_of_run(folder: Path, corpus: str) -> Lexicon:
    """The lexicon in the folder of a run; learnt from the training pairs of its corpus when it is first needed.

    Raises `UserError` where the file is broken, or the corpus is gone.
    """
    path = folder / "lexicon.npz"
    if path.exists():
        return Lexicon.load(path)
    pairs = load_pairs(corpus).train
    print(f"learning a dictionary from {len(pairs):,} pairs, once for this run ({path})", file=sys.stderr)
    lexicon = Lexicon.learn(pairs)
    lexicon.save(path)
    return lexicon
