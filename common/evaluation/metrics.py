"""How good are translations? sacrebleu's BLEU and chrF, with the signature that says how they were computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.metrics.base import Metric

from common.text.corpus import Sentence
from common.text.vocab import SEPARATORS

INSIDE_A_WORD = {n: 0xF0000 + n for n in range(0x3001) if chr(n).isspace() and chr(n) not in SEPARATORS}
"""The blanks of Unicode that belong to words here, to characters of private use: sacrebleu separates words at them."""
PIECES = (
    ("predictions of pieces (and </s>)", "piece_predictions", "10,"),
    ("perplexity of pieces", "piece_perplexity", "10.2f"),
    ("  oracle", "oracle_piece_perplexity", "10.2f"),
)
QUALITY = (
    ("BLEU", "bleu", "10.2f", "signature"),
    ("ROUGE-1", "rouge1", "10.2f"),
    ("ROUGE-2", "rouge2", "10.2f"),
    ("ROUGE-L", "rougeL", "10.2f", "rouge_signature"),
    ("chrF", "chrf", "10.2f"),
)
"""Rows of the table at the end of a run (`training.report`): label, name in metrics.json, format, and name of a text
that says how the number was computed."""


class Score(NamedTuple):
    """A score from 0 to 100, and how it was computed."""

    value: float
    signature: str


def bleu_metric() -> BLEU:
    """BLEU on the tokens as they are: the texts of the course are tokenised already, and must not be twice."""
    return BLEU(tokenize="none", force=True)


def bleu(hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> Score:
    """BLEU of the whole set (Papineni et al. 2002), one reference per sentence."""
    return corpus_score(bleu_metric(), hypotheses, references)


def chrf(hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> Score:
    """chrF, the F-score of character n-grams (Popović 2015)."""
    return corpus_score(CHRF(), hypotheses, references)


def join_words(sentences: Sequence[Sentence]) -> list[str]:
    """Sentences in the form that the metrics read, which separates them into the same words again."""
    return [" ".join(words).translate(INSIDE_A_WORD) for words in sentences]


def corpus_score(metric: Metric, hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> Score:
    score = metric.corpus_score(join_words(hypotheses), [join_words(references)])
    return Score(score.score, str(metric.get_signature()))


def translation_figures(hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> dict:
    """BLEU and chrF for metrics.json, each with the signature that says how it was computed."""
    by_bleu, by_chrf = bleu(hypotheses, references), chrf(hypotheses, references)
    figures = {"bleu": by_bleu.value, "signature": by_bleu.signature}
    return figures | {"chrf": by_chrf.value, "chrf_signature": by_chrf.signature}


def with_translations(table: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows of `report.TABLE` with these: pieces come before the log-likelihoods."""
    place = [name for _, name, *_ in table].index("model_log_prob")
    return [*table[:place], *PIECES, *table[place:], *QUALITY]
