"""How good are translations? BLEU and chrF by sacrebleu, with the signature that says how they were computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sacrebleu.metrics import BLEU, CHRF

from common.corpus import Sentence


class Score(NamedTuple):
    """A figure from 0 to 100, and how it was computed."""

    value: float
    signature: str


def bleu_metric() -> BLEU:
    """BLEU on the tokens as they are: the texts of the course are tokenised already, and must not be twice."""
    return BLEU(tokenize="none", force=True)


def bleu(hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> Score:
    """BLEU of the whole set (Papineni et al. 2002), one reference a sentence."""
    return corpus_score(bleu_metric(), hypotheses, references)


def chrf(hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> Score:
    """chrF, the F-score of character n-grams (Popović 2015)."""
    return corpus_score(CHRF(), hypotheses, references)


def corpus_score(metric: BLEU | CHRF, hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> Score:
    found = metric.corpus_score([" ".join(words) for words in hypotheses], [[" ".join(words) for words in references]])
    return Score(found.score, str(metric.get_signature()))
