"""Bilingual symmetry: a model for each direction, trained together so that they attend to the same pairs of words."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import dynet as dy

from common.errors import UserError
from common.evaluation.perplexity import check_unknown_words, perplexity
from common.nn.optimiser import SGD, Adam
from common.nn.parameters import DynetParameters
from common.search.translation import evaluate_pairs
from common.text.alignment import Links
from common.text.batching import make_batch, pad
from common.text.pairs import PairBatch, load_pairs
from common.text.turning import turned, write_turned
from common.training.alignment_report import report_alignments
from common.training.checkpoint import CHECKPOINT, Parameters, can_resume, check_loss
from common.training.loop import EpochRecord, Training
from common.training.pairs import Pairs
from common.training.past_runs import check_settings, read_config
from common.training.report import finish_training
from common.training.runs import Log, begin_run, is_empty_run
from common.training.setup import Setup

from .attention_penalties import agreement
from .model import AttentionalModel
from .objective import Objective
from .settings import Settings

FOLDER = "backward"


@dataclass
class Backward:
    """The training run of P(F | E) next to that of P(E | F), in a run folder of its own within the other's.

    What both minimise is L(E | F) + L(F | E) - gamma sum_tj A_tj A'_jt: the more weight both attentions give to the
    same pair of words, the better.
    """

    setup: Setup
    model: AttentionalModel
    training: Training
    optimiser: Adam | SGD
    objective: Objective
    sources: list[list[int]]
    targets: list[list[int]]

    @classmethod
    def begin(cls, forward: Setup, links: Sequence[Links] | None) -> Backward:
        """Write the pairs turned round, and begin or resume the run on them. links: those of the forward direction."""
        setup = turned_setup(forward)
        sources, targets = setup.data.train_sources, setup.data.train_targets
        model = AttentionalModel.of_pairs(setup.data.source_vocab, setup.vocab, setup.settings, sources, targets)
        resume = setup.settings.resume and can_resume(forward.folder)
        if resume and not can_resume(setup.folder):
            raise UserError(
                f"{setup.folder / CHECKPOINT}: missing, so the run cannot be continued; copy it, or train again"
            )
        optimiser = setup.optimiser(model)
        training = Training.begin(setup.folder, DynetParameters(model), model.name, resume, optimiser)
        objective = Objective(model, setup.settings, links and [turned(pairs) for pairs in links])
        return cls(setup, model, training, optimiser, objective, sources, targets)

    @property
    def companions(self) -> tuple[Parameters, Adam | SGD]:
        """What the forward run keeps in its checkpoints, so that both can go on from one epoch."""
        return self.training.parameters, self.optimiser

    def begin_epoch(self) -> None:
        """Count losses from 0."""
        self.loss, self.predictions = 0.0, 0

    def cost(self, indices: Sequence[int], weights: dy.Expression) -> dy.Expression:
        """What this direction adds to the objective. indices: which pairs the batch holds; weights: forward, (S, T)."""
        batch = make_batch(self.targets, indices)
        cost = self.objective(PairBatch(*pad([self.sources[index] for index in indices]), batch))
        self.loss += check_loss(cost.loss.scalar_value(), len(self.training.history) + 1)
        self.predictions += batch.predictions
        return cost.total - agreement(weights, cost.weights) * self.setup.settings.symmetry

    def finish_epoch(self, forward: EpochRecord) -> str:
        """Keep the epoch, before the forward run's, so that both can be repeated. Returns a line for the log.

        forward: the forward run's record of the epoch.
        """
        dev = evaluate_pairs(self.model, self.setup.corpus.dev, self.setup.settings.unk)
        record = dataclasses.replace(
            forward,
            train_perplexity=perplexity(-self.loss, self.predictions),
            dev_perplexity=dev.perplexity,
            predictions=self.predictions,
        )
        return record.line(improved=self.training.finish_epoch(record))

    def finish(self) -> None:
        """Report on the best model of this direction."""
        self.setup.log("from the target's language to the source's:")
        finish_training(self.setup, self.model, self.training, report_alignments)


def turned_setup(forward: Setup) -> Setup:
    """The other direction's data, settings, words and run folder. Its corpus is written there, as a corpus of pairs."""
    folder = forward.folder / FOLDER
    write_turned(forward.corpus, folder / "corpus")
    corpus = load_pairs(str((folder / "corpus").resolve()))
    settings = dataclasses.replace(forward.settings, corpus=str(corpus.folder), run_dir=str(folder))
    data = Pairs(corpus, corpus, source_vocab=forward.vocab, vocab=forward.data.source_vocab)
    if settings.resume and not is_empty_run(folder):
        check_settings(read_config(folder, forward.chapter), folder / "config.json")
    begin_run(folder, forward.chapter, settings, data.fingerprint, **data.vocabularies)
    return dataclasses.replace(forward, settings=settings, data=data, folder=folder, log=Log(folder))


def check_other_direction(settings: Settings, data: Pairs) -> None:
    """Raises `UserError` where a model of the other direction cannot be trained."""
    if settings.resume and settings.run_dir and (Path(settings.run_dir).parent / "config.json").exists():
        raise UserError(f"{settings.run_dir} was trained together with another model; resume the run one folder up")
    for split in ("dev", "test"):
        sources = [pair.source for pair in getattr(data.corpus, split)]
        check_unknown_words(sources, data.source_vocab, settings.unk, f"{split}.source")
