"""What every train.py does before it trains: flags, data and run folder."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import program_of, runtime
from common.errors import UserError
from common.evaluation.perplexity import UNKNOWN_KINDS
from common.text.batching import B
from common.text.vocab import Vocabulary
from common.training import cli
from common.training.runs import Log, begin_run, lock_run, new_run


def substitute(chapter: str, folder: str) -> Sequence[str]:
    """Put a student's functions in the place of the course's (--from); returns a line for each exercise. Where the
    launcher has loaded `solutions.substitute`, its function takes this one's place."""
    raise UserError(f"--from {folder}: start the program as a file, python {program_of(chapter, 'train')}")


@dataclass(frozen=True)
class Setup:
    """A run that can begin: the settings, the data, and the run folder with its log.

    data: a `text.Text`, or `pairs.Pairs`, which has the same methods. processes: `parallel.Processes`, with
    --data-parallel. divides_batches: whether those that do not fit into the memory are divided. after_batches: what is
    to be done when the batches of an epoch are done, before the model is evaluated.
    """

    chapter: str
    settings: Any
    data: Any
    folder: Path
    log: Log
    processes: Any = None
    divides_batches: bool = True
    after_batches: list[Callable[[], None]] = dataclasses.field(default_factory=list)

    @property
    def corpus(self) -> Any:
        return self.data.corpus

    @property
    def vocab(self) -> Vocabulary:
        """The words that are predicted."""
        return self.data.vocab

    def optimiser(self, model: Any) -> Any:
        """What moves the parameters of the model, by the flags; with --data-parallel, by all processes' gradients."""
        from common.nn.optimiser import make_optimiser

        settings = self.settings
        optimiser = make_optimiser(settings.optimiser, model.collection, settings.clip, settings.epsilon)
        if getattr(settings, "weight_decay", 0):
            from common.nn.weight_decay import Decayed

            optimiser = Decayed(optimiser, model.collection, settings.weight_decay)
        return self.processes.optimiser(optimiser, model) if self.processes else optimiser

    def training(self, model: Any, *companions: Any) -> Any:
        """A `Training` of the model, or the one to be resumed. companions: as there. With --average-epochs, the model
        is a mean from the end of an epoch's batches until the epoch has been recorded (`averaging`)."""
        from common.nn.parameters import DynetParameters
        from common.training.loop import Training

        model_state = self.folder, DynetParameters(model), model.name, self.settings.resume, *companions
        if getattr(self.settings, "average_epochs", 1) == 1:
            return Training.begin(*model_state)
        from common.training.averaging import AveragedTraining

        training = AveragedTraining.begin(*model_state, most=self.settings.average_epochs)
        self.after_batches.append(training.average)
        return training

    def meter(self, epoch: int, batches: Sequence[B], divisible: bool = True) -> Any:
        """A `Meter` for an epoch that goes through these batches. divisible: not those of streams."""
        from common.training.loop import Meter

        if self.divides_batches and divisible:
            from common.text.dividing import parts_that_fit

            footprint = self.settings.footprint(*self.data.sizes)
            batches = [part for batch in batches for part in parts_that_fit(batch, footprint, trained=True)]
        meter = self.processes.meter(epoch, batches, self.settings.seed) if self.processes else Meter(epoch, batches)
        meter.after_batches = [*meter.after_batches, *self.after_batches]
        return meter


def begin(
    kind: Any,
    chapter: str,
    settings_class: type,
    description: str,
    check: Callable[[Any, Any], object] | None = None,
    presets: str = "",
) -> Setup:
    """Read the flags and the data, check both, and begin the run.

    kind: of data, `text.Text` or `pairs.Pairs`. check: what the chapter itself has to check of its settings and data.
    presets: the chapter whose presets can be chosen, where it is another one.
    Nothing is written before everything is known to be good. Raises `UserError` for bad flags and bad data.
    """
    processes = None
    if "--data-parallel" in sys.argv:
        from common.training.parallel import Processes

        processes = Processes()
    settings, flags = cli.parse_settings(settings_class, presets or chapter, description)
    choose = new_run
    if settings.resume:
        from common.training.past_runs import past_run as choose
    choose = processes.first(choose) if processes else choose
    folder, settings = choose(chapter, settings, flags)
    runtime.memory_watched = bool(processes) or not settings.has_default_sizes
    if runtime.memory_watched and not processes:
        from common.memory import set_limit

        set_limit(settings.memory)
    data = kind.read(settings, folder)
    settings = dataclasses.replace(settings, unk=unknown_kind(settings.unk, data.corpus))
    data.check(settings.unk)
    divides_batches = hasattr(settings, "footprint") and (runtime.memory_watched or settings.takes_much)
    if divides_batches:
        from common.sizes import check_memory

        check_memory(settings.footprint(*data.sizes), data, settings.most_words)
    runtime.seed_dynet(settings.seed)
    if check:
        check(settings, data)
    replaced = substitute(chapter, settings.from_) if settings.from_ else ()
    log: Any = print  # of the others of several processes: their standard output is closed
    if not processes or processes.rank == 0:
        lock_run(folder)
        begin_run(folder, chapter, settings, data.fingerprint, **data.vocabularies)
        data.save(folder)
        log = Log(folder)
    for line in replaced:
        log(line)
    data.show(log)
    return Setup(chapter, settings, data, folder, log, processes, divides_batches)


def unknown_kind(requested: str, corpus: Any) -> str:
    """The probability of an unknown word: the requested kind, or for "auto" as the corpus says, or else "uniform"."""
    if requested != "auto":
        return requested
    kind = corpus.facts.get("corpus", {}).get("unk", "uniform")
    if kind not in UNKNOWN_KINDS:
        raise UserError(f"{corpus.folder / 'corpus.json'}: unk is {kind!r:.40}; choose from {', '.join(UNKNOWN_KINDS)}")
    return kind
