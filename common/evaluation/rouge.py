"""How good are summaries? rouge-score's ROUGE, in the form of a metric of sacrebleu."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
from sacrebleu.metrics.base import Metric, Score as MetricScore, Signature

from common.errors import UserError
from common.evaluation.metrics import Score, bleu, corpus_score
from common.text.corpus import Sentence
from common.text.vocab import split_words

ROUGE_KINDS = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}
"""Words, pairs of neighbouring words, and the longest common subsequence."""


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


def summary_figures(hypotheses: Sequence[Sentence], references: Sequence[Sentence]) -> dict:
    """ROUGE and BLEU for metrics.json, each with its signature: what summaries are judged by."""
    by_bleu, by_rouge = bleu(hypotheses, references), rouge(hypotheses, references)
    return {kind: score.value for kind, score in by_rouge.items()} | {
        "rouge_signature": by_rouge["rougeL"].signature,
        "bleu": by_bleu.value,
        "signature": by_bleu.signature,
    }
