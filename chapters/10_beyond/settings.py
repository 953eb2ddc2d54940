"""The settings of chapter 10."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from common.errors import UserError
from common.training.cli import flag_of, setting
from common.training.pairs import TranslationSettings

from .networks import MODELS, PartSettings, new_network
from .objectives import BASELINES, MIXINGS, OBJECTIVES, RISKS, SAMPLING, raml, reinforce, risk, scheduled

CHAPTER = "10_beyond"
OF_RUN = "past_model"
OWN = ("model", "hidden_size", "layers", "lexicon", "lexicon_epsilon", "copying")
"""What a model that is already trained brings with it."""
SIZES = ("hidden_size", "layers")
"""Of these, what a preset says is for models that it trains itself."""
FOR = {
    **dict.fromkeys(("alpha", "samples_only"), (risk,)),
    "samples": (*SAMPLING, raml),
    "risk": SAMPLING,
    "baseline": (reinforce,),
    "temperature": (raml,),
    **dict.fromkeys(("own_words", "mixing"), (scheduled,)),
}
"""Flags that only some objectives have."""


@dataclass(frozen=True)
class Settings(PartSettings, TranslationSettings):
    """Every flag of train.py. The defaults suit the embedded pairs: about two minutes on two cores."""

    epochs: int = setting(8, "epochs in all, those of --likelihood-epochs and those of --objective", minimum=1)
    likelihood_epochs: int = setting(
        2, "epochs of maximum likelihood at the beginning; none with --start-from", minimum=0, maximum=1_000_000
    )
    objective: str = setting("risk", "what the other epochs minimise", choices=OBJECTIVES)
    share: float = setting(0.06, "share of the training pairs in an epoch of --objective", minimum=1e-6, maximum=1)
    start_from: str = setting("", "start from the model of this run of chapter 7, 8, 9 or 10")
    model: str = setting("attention", "the model: that of chapter 7, 8 or 9, with its defaults", choices=MODELS)
    samples: int = setting(5, "risk, reinforce and raml: translations drawn for each pair", minimum=1)
    alpha: float = setting(0.1, "risk: power of the probabilities before they are renormalised", minimum=0, maximum=100)
    samples_only: bool = setting(False, "risk: leave the reference out of the candidates")
    risk: str = setting(
        "bleu", "risk and reinforce: the score of a translation; its cost is 1 minus the score", choices=RISKS
    )
    baseline: str = setting("others", "reinforce: what is subtracted from a sample's cost", choices=BASELINES)
    temperature: float = setting(0.1, "raml: each word replaced costs a factor of exp(-1 / temperature)", minimum=1e-6)
    own_words: float = setting(0.25, "scheduled: share of the model's own words at the end", minimum=0, maximum=0.95)
    mixing: str = setting("linear", "scheduled: how the share of own words grows", choices=MIXINGS)
    patience: int = setting(10, "epochs without a better BLEU on dev before stopping", minimum=1)
    dropout: float = setting(0.1, "share of non-recurrent connections dropped in training", minimum=0, maximum=0.95)
    learning_rate: float = setting(0.006, "size of a step at the beginning, with maximum likelihood", minimum=1e-9)
    objective_rate: float = setting(0.0005, "learning rate when --objective begins", minimum=1e-9)
    layers: int = setting(1, "recurrent layers of the model", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and decoder states", minimum=2)
    takes_much: ClassVar[bool] = True  # a pair comes with all of its candidates

    @property
    def phase_one(self) -> int:
        """How many epochs are of maximum likelihood before those of the objective."""
        return 0 if self.start_from else self.likelihood_epochs

    @cached_property
    def network(self) -> tuple[str, Any, PartSettings]:
        """Of the model that a run begins with: its chapter, its settings there, and what it has beside its network."""
        if not self.start_from:
            return new_network(self)
        from .past_model import network_of

        return network_of(self)

    def __post_init__(self) -> None:
        """Raises `UserError` for flags that contradict each other, and for what the model's chapter refuses."""
        super().__post_init__()
        if self.start_from:
            self.check_own_sizes()
        owners = {flag: [name for name in OBJECTIVES if OBJECTIVES[name] in some] for flag, some in FOR.items()}
        self.check_owners("objective", owners)
        self.check_owners("lexicon", {"lexicon_epsilon": ("bias",)})
        if OBJECTIVES[self.objective] is reinforce and self.baseline == "others" and self.samples == 1:
            raise UserError("--samples 1: there are no others to compare with; use 2 or more, or --baseline none")
        if not self.start_from:
            self.check_parts()
            self.network  # noqa: B018

    def check_own_sizes(self) -> None:
        """Raises `UserError` for a flag whose value a model that is already trained brings with it."""
        from .presets import PRESETS

        for name in OWN:
            of_preset = name in SIZES and getattr(self, name) == PRESETS.get(self.preset, {}).get(name)
            if getattr(self, name) != getattr(type(self), name) and not of_preset:
                raise UserError(
                    f"{flag_of(name)}: the model of --start-from {self.start_from} has its own; leave it out"
                )

    def check_parts(self) -> None:
        """Raises `UserError` for a lexicon or copying where there are no weights on source words."""
        flag = "--copying" if self.copying else f"--lexicon {self.lexicon}"
        if self.any_parts and self.model != "attention":
            raise UserError(f"{flag}: reads the weights of --model attention; leave --model {self.model} out")
        if self.any_parts and self.subwords:
            raise UserError(f"{flag}: is about whole words; leave --subwords out")
