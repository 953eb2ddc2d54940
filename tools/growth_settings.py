"""The flags of `python -m tools.growth`."""

from __future__ import annotations

from dataclasses import dataclass

from common.training.cli import setting

LISTS = {"corpus": "sentences", "batch": "batch_sizes", "hidden": "hidden_sizes"}
"""The curves, and the flags that say what their points are."""


@dataclass(frozen=True)
class Settings:
    """The flags of the program."""

    curve: str = setting("all", "what grows", choices=(*LISTS, "all"))
    sentences: str = setting("10000,100000,1000000", "sizes of the corpus, separated by commas")
    batch_sizes: str = setting("1,2,4,8,16,32,64,128,256", "sentences in a batch, separated by commas")
    hidden_sizes: str = setting("128,256,512,1024", "sizes of embeddings and states, separated by commas")
    batches: int = setting(100, "batches that are trained on in a round, at each size of the corpus", minimum=1)
    seconds: float = setting(6.0, "time that each batch size or hidden size trains, in all rounds", minimum=0.01)
    rounds: int = setting(3, "in how many parts, in turn", minimum=1)
    threads: int = setting(1, "threads of a DyNet that has them (the wheel has not)", minimum=1)
    seed: int = setting(1, "start of all random numbers", minimum=1, maximum=2**32 - 1)
    json: str = setting("", "a file to write the figures to")
    png: str = setting("", "a file to draw the curves in")
