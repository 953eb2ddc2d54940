"""The settings of chapter 1 and its presets."""

from __future__ import annotations

from dataclasses import dataclass

from common.evaluation.perplexity import UNKNOWN_KINDS
from common.executor import ADDRESS
from common.training.cli import LanguageModelSettings, setting

from .methods import METHODS

CHAPTER = "01_ngram_lm"
OF_RUN = "storage"
"""The module whose `of_run` gives the model of a run."""
SMOOTHINGS = tuple(name for name in METHODS if name != "maximum-likelihood")
"""Those that can be chosen: maximum likelihood gives zero to much of what is new, and is only compared with."""


@dataclass(frozen=True)
class Settings(LanguageModelSettings):
    """Every flag of train.py. The defaults suit the embedded corpus: a few seconds on one core."""

    smoothing: str = setting(
        "all", "how counts become probabilities; all: compare on dev, keep the best", choices=("all", *SMOOTHINGS)
    )
    order: int = setting(5, "words in the longest n-gram; with --smoothing all the largest order tried", minimum=1)
    unk: str = setting(
        "auto",
        "what an unknown word costs; auto: as the corpus says",
        choices=("auto", *UNKNOWN_KINDS, "characters"),
    )
    character_order: int = setting(5, "letters in the longest n-gram of --unk characters", minimum=1)
    cache: bool = setting(False, "interpolate with the words of the sentence so far")
    counting: str = setting(
        "auto",
        "where n-grams are sorted and counted; auto: in memory, or on disk where they do not fit into --memory",
        choices=("auto", "memory", "disk"),
    )
    scheduler: str = setting("", "address " + ADDRESS + "; it counts parts of the text")
    skip: int = setting(0, "interpolate with skip-grams of distances 2 to N; 0: none", minimum=0)


PRESETS = {
    "quick": {},
    "ptb": {"corpus": "ptb", "smoothing": "modified-kneser-ney", "order": 5, "min_count": 1},
}
