"""What an objective has gained: the model is chosen by BLEU on dev, and compared with what it was before."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from common.evaluation.metrics import bleu
from common.search.translation import evaluate_pairs, translate_words
from common.training.checkpoint import Parameters, can_resume, save_parameters
from common.training.loop import EpochRecord, Meter, Training
from common.training.setup import Setup

ROWS = {"BLEU": "bleu", "chrF": "chrf", "ROUGE-L": "rougeL", "perplexity": "perplexity"}
BEFORE = "before.npz"


@dataclass(frozen=True)
class BleuRecord(EpochRecord):
    """What an epoch left behind, with the BLEU of greedy translations of dev, from 0 to 100."""

    dev_bleu: float

    def line(self, improved: bool) -> str:
        head, _, tail = super().line(improved).partition("  train")
        return f"{head}  BLEU {self.dev_bleu:6.2f}  train{tail}"


class BleuTraining(Training):
    """A training run whose best epoch is the one with the highest BLEU on dev: what risk lowers is no perplexity."""

    record: ClassVar[type[EpochRecord]] = BleuRecord

    @classmethod
    def begin(cls, folder: Path, parameters: Parameters, model: str, resume: bool, *companions: Parameters) -> Any:
        """As `Training.begin`. The model before the objective is read, too, so that its damage is told at once."""
        if resume and can_resume(folder) and (folder / BEFORE).exists():
            from common.training.loading import load_parameters

            load_parameters(folder / BEFORE, parameters, model)
        return super().begin(folder, parameters, model, resume, *companions)

    @property
    def best(self) -> dict:
        return max(self.history, key=lambda record: (record["dev_bleu"], -record["dev_perplexity"]))

    def keep_before(self) -> None:
        """Keep the model as it is before the first epoch of the objective."""
        save_parameters(self.folder / BEFORE, self.parameters, {"model": self.model})

    def report_gain(self, setup: Setup, model: Any, metrics: dict[str, Any]) -> None:
        """Add the results before the objective's first epoch to what metrics.json will say, and log what was gained."""
        if not (self.folder / BEFORE).exists():
            least = setup.settings.phase_one + 1
            more = f"a run with --epochs {least}" if setup.settings.epochs < least else "a run with more --patience"
            setup.log(f"all epochs were of maximum likelihood; {more} has some of --objective")
            return
        from common.training.loading import load_parameters

        load_parameters(self.folder / BEFORE, self.parameters, self.model)
        folder = self.folder / "before"
        folder.mkdir(exist_ok=True)
        metrics["before"], _ = setup.data.report(model, setup.settings, folder)
        self.roll_back()
        for line in gain_lines(metrics, setup.settings.objective):
            setup.log(line)


def record_epoch(setup: Setup, model: Any, meter: Meter, learning_rate: float) -> BleuRecord:
    """Evaluate the model on dev: its perplexity, and BLEU of its greedy translations, in words."""
    dev, splitter = setup.data.words.dev, setup.data.splitter
    record = meter.record(evaluate_pairs(model, setup.corpus.dev, setup.settings.unk).perplexity, learning_rate)
    hypotheses = translate_words(model, splitter, [pair.source for pair in dev])
    return BleuRecord(**asdict(record), dev_bleu=bleu(hypotheses, [pair.target for pair in dev]).value)


def gain_lines(metrics: dict[str, Any], objective: str) -> list[str]:
    """The results before and after as lines, and in words whether there was a gain."""
    before, after = metrics["before"], {split: metrics[split] for split in ("dev", "test")}
    lines = [f"{'before and after ' + objective:28}" + "".join(f"{split:>12}{'':12}" for split in after)]
    for label, name in ROWS.items():
        if name in after["test"]:
            cells = (f"{before[split][name]:9.2f} ->{after[split][name]:9.2f} " for split in after)
            lines.append(f"{label:24}" + " ".join(cells))
    gains = {split: after[split]["bleu"] - before[split]["bleu"] for split in after}
    better = "a gain" if min(gains.values()) > 0 else "no gain"
    differences = ", ".join(f"{gain:+.2f} BLEU on {split}" for split, gain in gains.items())
    return [*lines, f"{better} in this run: {differences}; dev chose the epoch, and one run shows no more than itself"]
