"""Settings of a program: one frozen dataclass, from which the command-line flags are made."""

from __future__ import annotations

import argparse
import dataclasses
import math
import textwrap
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from common.errors import OneLineParser, UserError
from common.evaluation.perplexity import UNKNOWN_KINDS
from common.training.loop import SCHEDULES

S = TypeVar("S")
METAVARS = {int: "N", float: "X", str: "NAME"}
DECAY_HELP = "factor of --schedule decay after each epoch, of plateau after one no better on dev"
DECAY_START_HELP = "last epoch at the whole rate with --schedule decay, the first epoch being 0"


def setting(
    default: Any, help: str, minimum: float | None = None, maximum: float | None = None, choices: tuple = ()
) -> Any:
    """A field of a settings dataclass, with the line that --help shows and the values that make sense."""
    facts = {"help": help, "minimum": minimum, "maximum": maximum, "choices": choices}
    return dataclasses.field(default=default, metadata=facts)


@dataclasses.dataclass(frozen=True)
class ProgramSettings:
    """The flags that every training program has."""

    preset: str = setting("quick", "a named set of settings; single flags overrule it")
    device: str = setting("cpu", "where to compute", choices=("cpu", "gpu"))
    threads: int = setting(0, "threads of a DyNet that has them (make dynet-mkl); 0: as many as cores", minimum=0)
    seed: int = setting(1, "start of all random numbers", minimum=1, maximum=2**32 - 1)
    epochs: int = setting(10, "passes over the training split", minimum=1)
    batch_size: int = setting(32, "sentences in a minibatch", minimum=1)
    run_dir: str = setting("", "where to write; a new folder under runs/ unless given")
    resume: bool = setting(False, "continue the interrupted run in --run-dir, or this chapter's latest")


@dataclasses.dataclass(frozen=True)
class CommonSettings(ProgramSettings):
    """The flags of every program that trains on a text."""

    corpus: str = setting("village", "an embedded or installed corpus, or a folder with train.txt, dev.txt, test.txt")
    from_: str = setting("", "train with what was written in this folder: --from exercises")


@dataclasses.dataclass(frozen=True)
class LanguageModelSettings(CommonSettings):
    """The flags of every language model: its words, and how it is judged."""

    min_count: int = setting(2, "words seen less often in training are <unk>", minimum=1)
    unk: str = setting("auto", "what an unknown word costs; auto: as the corpus says", choices=("auto", *UNKNOWN_KINDS))
    accounting: str = setting("honest", "salton2017 adds that paper's figure", choices=("honest", "salton2017"))


@dataclasses.dataclass(frozen=True)
class GradientSettings:
    """The flags of every model of text that is trained by gradients on DyNet."""

    layers: int = setting(1, "hidden layers", minimum=1)
    hidden_size: int = setting(128, "size of embeddings and hidden layers", minimum=1)
    dropout: float = setting(0.2, "share of non-recurrent connections dropped in training", minimum=0, maximum=0.95)
    init_scale: float = setting(0.1, "weights start uniform in plus or minus this", minimum=1e-6)
    bias: str = setting("unigram", "start of the output bias: log frequencies, or zero", choices=("unigram", "zero"))
    optimiser: str = setting("adam", "how parameters move", choices=("adam", "sgd"))
    epsilon: float = setting(1e-8, "Adam's epsilon: smaller gradients hardly count", minimum=0)
    learning_rate: float = setting(0.004, "size of a step at the beginning", minimum=1e-9)
    schedule: str = setting("cosine", "how the learning rate falls", choices=tuple(SCHEDULES))
    decay: float = setting(0.5, DECAY_HELP, minimum=0, maximum=1)
    decay_start: int = setting(12, DECAY_START_HELP, minimum=0)
    clip: float = setting(5.0, "largest norm of the gradient of (summed loss / batch size); 0: no limit", minimum=0)
    patience: int = setting(10, "epochs without a better dev perplexity before stopping", minimum=1)


@dataclasses.dataclass(frozen=True)
class NeuralSettings(GradientSettings, LanguageModelSettings):
    """The flags of every neural language model."""


@dataclasses.dataclass(frozen=True)
class TranslationSettings(GradientSettings, CommonSettings):
    """The flags of every translation model."""

    corpus: str = setting(
        "village_pairs", "an embedded or installed corpus of pairs, or a folder with train.source ..."
    )
    subwords: int = setting(0, "cut words into this many pieces, learnt on both sides; 0: whole words", minimum=0)
    min_count: int = setting(2, "words seen less often in training are <unk>, on either side", minimum=1)
    unk: str = setting("auto", "what an unknown word costs; auto: as the corpus says", choices=("auto", *UNKNOWN_KINDS))


def make_parser(description: str, settings_class: type) -> OneLineParser:
    """A parser with one flag a field of `settings_class`. Flags that are not given leave no trace."""
    parser = OneLineParser(
        description=description,
        argument_default=argparse.SUPPRESS,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    types = typing.get_type_hints(settings_class)
    for field in dataclasses.fields(settings_class):
        flag = flag_of(field.name)
        if types[field.name] is bool:
            parser.add_argument(flag, dest=field.name, action="store_true", help=field.metadata["help"])
            continue
        shown = "" if field.default == "" else f" (default: {field.default})"
        choices = field.metadata["choices"] or None
        metavar = None if choices else METAVARS[types[field.name]]
        parser.add_argument(
            flag,
            dest=field.name,
            type=types[field.name],
            choices=choices,
            metavar=metavar,
            help=field.metadata["help"] + shown,
        )
    return parser


def parse_settings(
    settings_class: type[S], presets: Mapping[str, Mapping[str, Any]], description: str, argv: list[str] | None = None
) -> tuple[S, dict[str, Any]]:
    """The settings from the command line, and the flags that were given.

    A flag beats the preset, the preset beats the default. Raises `UserError` for an unknown preset
    or a value out of range.
    """
    parser = make_parser(description, settings_class)
    parser.epilog = "presets:\n" + "\n".join(describe(name, preset) for name, preset in presets.items())
    given = vars(parser.parse_args(argv))
    name = given.get("preset", "quick")
    if name not in presets:
        raise UserError(f"--preset {name}: there is no such preset; choose from {', '.join(presets)}")
    settings = settings_class(**{**presets[name], **given})
    check_ranges(settings)
    return settings, given


def describe(name: str, preset: Mapping[str, Any]) -> str:
    """A preset as the flags that it stands for, for --help."""
    text = " ".join(as_flag(setting, value) for setting, value in preset.items()) or "the defaults"
    return textwrap.fill(text, 100, initial_indent=f"  {name:20}", subsequent_indent=" " * 22, break_on_hyphens=False)


def flag_of(name: str) -> str:
    """The flag of a setting. A name that Python keeps for itself has an underscore behind it: from_ is --from."""
    return "--" + name.rstrip("_").replace("_", "-")


def as_flag(name: str, value: Any) -> str:
    """A setting as one would type it."""
    return f"{flag_of(name)} {f'{value:.4g}' if isinstance(value, float) else value}"


def check_ranges(settings: Any) -> None:
    """Raises `UserError` for the first field that is out of its range or not one of its choices."""
    for field in dataclasses.fields(settings):
        value = getattr(settings, field.name)
        flag = as_flag(field.name, value)
        low, high = field.metadata["minimum"], field.metadata["maximum"]
        if isinstance(value, float) and not math.isfinite(value):
            raise UserError(f"{flag}: must be a finite number")
        if low is not None and not value >= low:
            raise UserError(f"{flag}: must be at least {low}")
        if high is not None and not value <= high:
            raise UserError(f"{flag}: must be at most {high}")
        if field.metadata["choices"] and value not in field.metadata["choices"]:
            raise UserError(f"{flag}: choose from {', '.join(field.metadata['choices'])}")


def run_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--run DIR`, the trained model that a program uses."""
    parser.add_argument("--run", metavar="DIR", type=Path, help="folder of a run (default: this chapter's latest)")
