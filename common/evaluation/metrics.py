"""How good are translations and summaries? BLEU, chrF and ROUGE, with the signature that says how they were computed.

BLEU and chrF are sacrebleu's, ROUGE is rouge-score's.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.metrics.base import Metric, Score as MetricScore, Signature

from common.errors import UserError
from common.text.corpus import Sentence
from common.text.words import SEPARATORS, split_words

ROUGE_KINDS = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}
"""Words, pairs of neighbouring words, and the longest common subsequence."""


INSIDE_A_WORD = {n: 0xF0000 + n for n in range(0x3001) if chr(n).isspace() and chr(n) not in SEPARATORS}
"""The blanks of Unicode that belong to words here, to characters of private use: sacrebleu separates words at them."""


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


def rouge(hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> dict[str, Score]:
    """F1 of ROUGE-1, -2 and -L (Lin 2004), the mean over the sentences, one reference each; see `Rouge`."""
    return {kind: corpus_score(Rouge(kind), hypotheses, references) for kind in ROUGE_KINDS}


def require_rouge() -> None:
    """Raises `UserError` where the library that computes ROUGE is not installed."""
    if find_spec("rouge_score") is None:
        raise UserError("summaries are judged by the package rouge-score; run: pip install rouge-score")


class Words:
    """The tokeniser of ROUGE here: the words as they are. That of the library would drop all but a to z and 0 to 9."""

    def tokenize(self, text: str) -> list[str]:
        return split_words(text)


class RougeSignature(Signature):
    """How ROUGE was computed: on the words as they are, not stemmed, the mean of the sentences' F1."""

    def __init__(self, args: dict):
        super().__init__(args)
        self.info |= {"case": "mixed", "tok": "none", "stem": "no", "score": "f1", "mean": "sentences"}
        self.info["version"] = f"rouge-score.{version('rouge-score')}"


class Rouge(Metric):
    """F1 of one kind of ROUGE in the form of a sacrebleu metric, so that its significance tests can resample it.

    A sentence's statistics are its F1 and the number 1: a corpus's score is the quotient of their sums, times 100.
    """

    _SIGNATURE_TYPE = RougeSignature

    def __init__(self, kind: str):
        """kind: one of `ROUGE_KINDS`. Raises `UserError` where the library is not installed."""
        super().__init__()
        require_rouge()
        from rouge_score.rouge_scorer import RougeScorer  # takes a second, and only summaries need it

        self.kind, self.scorer = kind, RougeScorer([kind], tokenizer=Words())

    def _preprocess_segment(self, sent: str) -> str:
        return sent

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        return {"reference": refs[0]}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict) -> list[float]:
        return [self.scorer.score(ref_kwargs["reference"], hypothesis)[self.kind].fmeasure, 1.0]

    def _compute_score_from_stats(self, stats: Sequence[float]) -> MetricScore:
        return MetricScore(ROUGE_KINDS[self.kind], 100 * float(stats[0]) / float(stats[1]))

    def _aggregate_and_compute(self, stats: Sequence[Sequence[float]]) -> MetricScore:
        return self._compute_score_from_stats(np.sum(stats, axis=0))


def join_words(sentences: Sequence[Sentence]) -> list[str]:
    """Sentences in the form that the metrics read, which separates them into the same words again."""
    return [" ".join(words).translate(INSIDE_A_WORD) for words in sentences]


def corpus_score(metric: Metric, hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> Score:
    found = metric.corpus_score(join_words(hypotheses), [join_words(references)])
    return Score(found.score, str(metric.get_signature()))


def translation_figures(hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> dict:
    """BLEU and chrF for metrics.json, each with the signature that says how it was computed."""
    found = {"bleu": bleu(hypotheses, references), "chrf": chrf(hypotheses, references)}
    return {
        "bleu": found["bleu"].value,
        "signature": found["bleu"].signature,
        "chrf": found["chrf"].value,
        "chrf_signature": found["chrf"].signature,
    }


def summary_figures(hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> dict:
    """ROUGE and BLEU for metrics.json, each with its signature: what summaries are judged by."""
    by_bleu, by_rouge = bleu(hypotheses, references), rouge(hypotheses, references)
    return {kind: score.value for kind, score in by_rouge.items()} | {
        "rouge_signature": by_rouge["rougeL"].signature,
        "bleu": by_bleu.value,
        "signature": by_bleu.signature,
    }
