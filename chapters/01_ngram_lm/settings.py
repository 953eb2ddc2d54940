"""The settings of chapter 1 and its presets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from common.errors import UserError
from common.evaluation.perplexity import UNKNOWN_KINDS
from common.training.cli import LanguageModelSettings, setting

from .methods import METHODS

CHAPTER = "01_ngram_lm"
OF_RUN = "loading"
"""The module whose `of_run` gives the model of a run."""
SMOOTHINGS = tuple(name for name in METHODS if name != "maximum-likelihood")
"""Those that can be chosen: maximum likelihood gives zero to much of what is new, and is only compared with."""


@dataclass(frozen=True)
class Settings(LanguageModelSettings):
    """Every flag of train.py. The defaults suit the embedded corpus: a few seconds on one core."""

    smoothing: str = setting(
        "kneser-ney",
        "how counts become probabilities; all: compare on dev, keep the best",
        choices=("all", *SMOOTHINGS),
    )
    order: int = setting(5, "words in the longest n-gram; with --smoothing all, the largest order tried", minimum=1)
    unk: str = setting(
        "auto",
        "how unknown words are charged; auto: the corpus's setting",
        choices=("auto", *UNKNOWN_KINDS, "characters"),
    )
    character_order: int = setting(5, "letters in the longest n-gram of --unk characters", minimum=1)
    cache: bool = setting(False, "interpolate with the words of the sentence so far")
    counting: str = setting(
        "auto",
        "where n-grams are sorted and counted; auto: in memory, or on disk if they do not fit into --memory",
        choices=("auto", "memory", "disk"),
    )
    scheduler: str = setting(
        "", "address of a Dask cluster that counts parts of the text: tcp://HOST:PORT (tools/cluster.md)"
    )
    skip: int = setting(0, "interpolate with skip-grams of distances 2 to N; 0: none", minimum=0)
    epochs: int = setting(10, "not used: n-grams are counted in one pass", minimum=1)
    batch_size: int = setting(32, "not used: the text is counted as a whole", minimum=1)
    prune: str = setting(
        "", "by order, drop n-grams that occur at most this often; 0,0,1: trigrams and longer that occur once"
    )

    def __post_init__(self) -> None:
        """Raises `UserError`, too, for thresholds that cannot be."""
        super().__post_init__()
        if not self.prune:
            return
        if not re.fullmatch("0(,[0-9]{1,9})*", self.prune):
            raise UserError(f"--prune {self.prune!r:.40}: write one whole number per order, 0 for single words: 0,0,1")
        thresholds = [int(threshold) for threshold in self.prune.split(",")]
        if any(threshold > longer for threshold, longer in pairwise(thresholds)):
            raise UserError(f"--prune {self.prune:.40}: no order can have a lower number than the one before")
        if len(thresholds) > self.order:
            raise UserError(f"--prune {self.prune:.40}: numbers for {len(thresholds)} orders, but --order {self.order}")
        if problem := self.not_by_counts_alone():
            raise UserError(f"--prune: {problem}")

    def not_by_counts_alone(self) -> str:
        """What is wrong where the smoothing needs more than counts, and so cannot prune nor be estimated on disk."""
        from .disk_smoothing import DISK_METHODS

        if self.smoothing in DISK_METHODS:
            return ""
        return f"not with --smoothing {self.smoothing}; choose from {', '.join(DISK_METHODS)}"

    def not_on_disk(self) -> str:
        """What is wrong with these settings where the n-grams are counted on disk; empty where nothing is."""
        return self.not_by_counts_alone() or ("not with --skip" if self.skip else "")

    @property
    def thresholds(self) -> list[int]:
        """For each order the largest count of what is left out. The last number given is for all that follow."""
        thresholds = [int(threshold) for threshold in (self.prune or "0").split(",")]
        return (thresholds + thresholds[-1:] * self.order)[: self.order]


PRESETS = {
    "quick": {},
    "ptb": {"corpus": "ptb", "smoothing": "modified-kneser-ney", "order": 5, "min_count": 1},
}
