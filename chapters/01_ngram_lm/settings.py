"""The settings of chapter 1."""

from __future__ import annotations

from dataclasses import dataclass

from common.errors import UserError
from common.evaluation.perplexity import UNKNOWN_KINDS
from common.training.cli import setting
from common.training.text import LanguageModelSettings

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
        """Raises `UserError`, too, for what cannot be chosen together."""
        super().__post_init__()
        if self.counting == "memory" and self.scheduler:
            raise UserError("--scheduler counts on disk; leave --counting memory out")
        if self.prune:
            from .disk_budget import check_prune

            check_prune(self)

    @property
    def thresholds(self) -> list[int]:
        """For each order the largest count of what is left out. The last number given is for all that follow."""
        thresholds = [int(threshold) for threshold in (self.prune or "0").split(",")]
        return (thresholds + thresholds[-1:] * self.order)[: self.order]
