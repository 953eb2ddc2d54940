"""How far a translation model's attention is from the true alignments of a corpus."""

from __future__ import annotations

from typing import Any

from common.search.attending import force
from common.search.translation import TranslationModel
from common.text.alignment import alignment_figures, links_of, true_alignments
from common.text.corpus import SPLITS
from common.text.pairs import ParallelCorpus
from common.training.setup import Setup

ROWS = {
    "error_rate": "alignment error rate of the attention",
    "error_rate_of_aligned_words": "  of target words with an aligned word",
}


def check_alignments(corpus: ParallelCorpus) -> None:
    """Raises `UserError` for a bad SPLIT.align, before a training run that would read it only at its end."""
    for split in SPLITS:
        true_alignments(corpus, split)


def attention_figures(model: TranslationModel, corpus: ParallelCorpus, split: str) -> dict[str, float] | None:
    """The numbers of `alignment.alignment_figures` for the source word that each target word attends to most, after the
    reference's own words (teacher forcing). `None` where the corpus has no true alignments. Raises `UserError` for a
    model without attention."""
    true = true_alignments(corpus, split)
    if true is None:
        return None
    attended = force(model, *zip(*getattr(corpus, split), strict=True))
    return alignment_figures([links_of(example.attention) for example in attended], true)


def report_alignments(setup: Setup, model: TranslationModel, metrics: dict[str, Any]) -> None:
    """Add the results on dev and test to what metrics.json will say, as "alignment" of each split, and log them.

    Nothing happens where the corpus has no true alignments (they are of words: pieces of words have none).
    """
    if setup.settings.subwords:
        return
    results: dict[str, Any] = {split: attention_figures(model, setup.corpus, split) for split in SPLITS[1:]}
    if None in results.values():
        return
    for split, figures in results.items():
        metrics[split]["alignment"] = figures
    setup.log("".join([" " * 46, *(f"{split:>10}" for split in results)]))
    for key, name in ROWS.items():
        setup.log("".join([f"{name:46}", *(f"{figures[key]:10.2%}" for figures in results.values())]))
