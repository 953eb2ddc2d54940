"""How far a translation model's attention is from the true alignments of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from common.alignment import alignment_figures, links_of, true_alignments
from common.batching import make_pair_batches
from common.corpus import SPLITS
from common.files import write_json
from common.pairs import Pair, ParallelCorpus
from common.search import attention_of
from common.translation import Conditional, TranslationModel

if TYPE_CHECKING:
    from common.program_pairs import PairSetup

ROWS = {
    "error_rate": "alignment error rate of the attention",
    "error_rate_with_partner": "  of target words that have a partner",
}


def forced_attention(model: TranslationModel, pairs: Sequence[Pair], batch_size: int = 64) -> list[np.ndarray] | None:
    """For each pair with n target words, what they and `</s>` attend to: (n + 1, source words); `None` if not told.

    The words before each word are the reference's own (teacher forcing). The results are in the order of the pairs.
    """
    sources = [model.source_vocab.encode(pair.source) for pair in pairs]
    targets = [model.vocab.encode(pair.target) for pair in pairs]
    results: list[np.ndarray] = [np.empty(0)] * len(pairs)
    for batch in make_pair_batches(sources, targets, batch_size):
        indices = batch.target.indices
        state, steps = Conditional(model, [sources[index] for index in indices]).start(len(indices)), []
        for words in batch.target.inputs:
            state, _ = model.advance(state, words.tolist())
            if attention_of(state, 0) is None:
                return None
            steps.append(state.attention)
        for row, index in enumerate(indices):
            rows = [step[row, : len(sources[index])] for step in steps[: len(targets[index]) + 1]]
            results[index] = np.array(rows)
    return results


def check_alignments(corpus: ParallelCorpus) -> None:
    """Raises `UserError` for a bad SPLIT.align, before a training that would read it only at its end."""
    for split in SPLITS:
        true_alignments(corpus, split)


def attention_figures(model: TranslationModel, corpus: ParallelCorpus, split: str) -> dict[str, float] | None:
    """The figures of `alignment.alignment_figures` for the word that each target word attends to most.

    `None` where the corpus has no true alignments, or the model no attention.
    """
    true = true_alignments(corpus, split)
    found = None if true is None else forced_attention(model, getattr(corpus, split))
    return None if found is None else alignment_figures([links_of(attention) for attention in found], true)


def report_alignments(setup: PairSetup, model: TranslationModel, metrics: dict[str, Any]) -> None:
    """Add the figures of dev and test to the run's metrics.json, as "alignment" of each split, and log them.

    Nothing happens where the corpus has no true alignments (they are of words: pieces of words have none).
    """
    if setup.settings.subwords:
        return
    found = {split: attention_figures(model, setup.corpus, split) for split in SPLITS[1:]}
    if None in found.values():
        return
    for split, figures in found.items():
        metrics[split]["alignment"] = figures
    write_json(setup.folder / "metrics.json", metrics)
    setup.log("".join([" " * 46, *(f"{split:>10}" for split in found)]))
    for key, name in ROWS.items():
        setup.log("".join([f"{name:46}", *(f"{figures[key]:10.2%}" for figures in found.values())]))
