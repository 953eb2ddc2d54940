"""The ladder: every chapter's model on the embedded corpora, and what each rung adds: `python -m tools.ladder`.

Trains the quick preset of each chapter with several seeds, two runs at a time: the language models on the village, the
translation models on its pairs, of chapter 10 the presets `copying` and `pieces`. Writes RESULTS.md and its two
pictures. What is trained already under runs/ladder is not trained again. `--scheduler` trains on a cluster. `--ptb`
trains the language models' presets for the Penn Treebank instead, for hours, and keeps their results in
ladder_ptb.json in this folder, where the tables find them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from common.errors import UserError, exits_cleanly
from common.executor import scheduler_argument
from common.files import write_json
from common.programs.arguments import check_most
from common.text.corpus import ROOT, find_corpus, load_corpus
from common.text.pairs import load_pairs
from common.training import cli
from common.training.runs import runs_root
from data.pairs import TRUTHS
from data.phenomena import by_label, labels_of, oracle_log_probs
from tools import pair_phenomena
from tools.ladder_report import write_report
from tools.metrics import read_metrics
from tools.phenomena import model_log_probs
from tools.trainings import Training, train_all

NEEDED = (
    "versions",
    "parameters",
    "seconds",
    "tokens_per_second",
    "test.perplexity",
    "test.oracle_perplexity",
    "test.unknown",
)
"""What the report shows of every run."""
WITHOUT_UNKNOWN = ("test.known_perplexity", "test.oracle_known_perplexity")
"""The same of a run that has unknown words, as all models of words have."""
PTB_TABLE = Path(__file__).with_name("ladder_ptb.json")


@dataclass(frozen=True)
class Rung:
    """A model on the ladder: its chapter, its name, the flags that make it, and its preset for the Penn Treebank.

    system: what distinguishes it from other models of its chapter, in the names of run folders.
    """

    chapter: str
    name: str
    ptb: str = ""
    flags: tuple[str, ...] = ()
    system: str = ""

    def folder(self, corpus: str, seed: int) -> Path:
        """Where its run with this seed is. The corpus is a name or a folder, which counts by its own name."""
        parts = [Path(corpus).name, self.chapter, self.system, f"seed{seed}"]
        return runs_of_the_ladder() / "-".join(part for part in parts if part)

    def training(self, corpus: str, seed: int) -> Training:
        """Its run with this seed, as a piece of work."""
        preset = ("--preset", self.ptb) if corpus == "ptb" else ()
        flags = ("--corpus", corpus, "--seed", str(seed), *self.flags, *preset)
        about = f"{self.chapter}, {self.name}, seed {seed}"
        return Training(about, self.chapter, self.folder(corpus, seed).absolute(), flags)


RUNGS = (
    Rung("01_ngram_lm", "n-gram (Kneser-Ney)", "ptb"),
    Rung("02_loglinear_lm", "log-linear", "ptb"),
    Rung("04_feedforward_lm", "feed-forward", "ptb-small"),
    Rung("05_rnn_lm", "recurrent (LSTM)", "ptb-small"),
    Rung("06_attentive_lm", "attentive", "ptb-small"),
)
"""The language models."""

PAIR_RUNGS = (
    Rung("07_encoder_decoder", "encoder-decoder"),
    Rung("08_attention", "attention"),
    Rung("09_word_attention", "attention before the step", flags=("--variant", "rnnsearch"), system="rnnsearch-word"),
    Rung("09_word_attention", "word attention", flags=("--variant", "word"), system="word-word"),
    Rung("09_word_attention", "gates", flags=("--variant", "gates"), system="gates-word-gated"),
    Rung("10_beyond", "copying", flags=("--preset", "copying"), system="copying"),
    Rung("10_beyond", "pieces of words", flags=("--preset", "pieces"), system="pieces"),
)
"""The translation models. Those of chapter 9 share their run folders with `tools.variants`."""


def runs_of_the_ladder() -> Path:
    """The folder of all these runs."""
    return runs_root() / "ladder"


def train_rungs(
    wanted: Sequence[tuple[Sequence[Rung], str]], seeds: Sequence[int], jobs: int, scheduler: str = ""
) -> dict[str, dict[Rung, list[Path]]]:
    """All rungs with all seeds, as `train_all` trains them: corpus -> rung -> its runs in the order of the seeds.

    wanted: rungs and the corpus that they are to be trained on, each corpus once.
    """
    trainings = [rung.training(corpus, seed) for rungs, corpus in wanted for rung in rungs for seed in seeds]
    train_all(trainings, jobs, scheduler, runs_of_the_ladder())
    return {corpus: {rung: [rung.folder(corpus, seed) for seed in seeds] for rung in rungs} for rungs, corpus in wanted}


def measure(runs: Mapping[Rung, Sequence[Path]]) -> dict:
    """What the report shows of the language models: the results of each run, by phenomenon too, and the oracle's."""
    sentences = load_corpus("village").test
    labels = labels_of(sentences)
    return {
        "rungs": [
            entry(rung, folders, [by_label(labels, model_log_probs(folder, sentences)) for folder in folders])
            for rung, folders in runs.items()
        ],
        "oracle": by_label(labels, oracle_log_probs(sentences)),
    }


def measure_pairs(runs: Mapping[Rung, Sequence[Path]], corpus: str = "village_pairs") -> dict:
    """The same of the translation models. Words that models of words do not know are a row of their own."""
    truth, pairs, rungs, labels = TRUTHS[corpus], load_pairs(corpus).test, [], None
    for rung, folders in runs.items():
        found = []
        for folder in folders:
            model, splitter = pair_phenomena.model_and_splitter(folder, corpus)
            # The vocabulary of the first rung: all models of words have the same.
            labels = labels or pair_phenomena.labels_of(truth, pairs, model.vocab)
            found.append(by_label(labels, pair_phenomena.log_probs_of(model, splitter, pairs)))
        rungs.append(entry(rung, folders, found))
    return {"rungs": rungs, "oracle": by_label(labels, [truth.token_log_probs(*pair) for pair in pairs])}


def entry(rung: Rung, folders: Sequence[Path], phenomena: Sequence[dict]) -> dict:
    """A rung of the report: its results by run, and the same by phenomenon."""
    metrics = [results_of(folder) for folder in folders]
    return {"chapter": rung.chapter, "name": rung.name, "metrics": metrics, "phenomena": phenomena}


def results_of(folder: Path) -> dict:
    """What metrics.json holds, with all that the report shows. Raises `UserError` where something of it is missing."""
    found = read_metrics(folder, *NEEDED)
    return read_metrics(folder, *WITHOUT_UNKNOWN) if found["test"]["unknown"] else found


def measure_ptb(seed: int, jobs: int, scheduler: str) -> None:
    """Train every rung on the Penn Treebank, or go on, and write down what came out."""
    find_corpus("ptb")
    table, before = {}, read_table(PTB_TABLE)
    for rung, (run,) in train_rungs([(RUNGS, "ptb")], [seed], jobs, scheduler)["ptb"].items():
        metrics = read_metrics(run)
        kept = {name: metrics[name] for name in ("preset", "seed", "parameters", "tokens_per_second", "seconds")}
        perplexities = {split: metrics[split]["perplexity"] for split in ("dev", "test")}
        row = {**kept, "epochs": len(metrics["epochs"]), **perplexities}
        earlier = before.get(rung.chapter, {})
        table[rung.chapter] = earlier if row.items() <= earlier.items() else row  # with its note, where it has one
    write_json(PTB_TABLE, table)


def read_table(path: Path) -> dict:
    """What was written down before, nothing at first."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(
        prog="python -m tools.ladder", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="runs of each model (default: 5)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at a time (default: 2)")
    scheduler_argument(parser)
    parser.add_argument("--out", type=Path, default=ROOT, metavar="DIR", help="where RESULTS.md goes (default: here)")
    parser.add_argument("--ptb", action="store_true", help="train on the Penn Treebank instead, seed 1; takes hours")
    arguments = parser.parse_args()
    check_most(arguments)
    if min(arguments.seeds, arguments.jobs) < 1:
        raise UserError("--seeds and --jobs must be at least 1")
    if arguments.out.exists() and not arguments.out.is_dir():
        raise UserError(f"--out {arguments.out}: a file; name a folder")
    if arguments.ptb:
        measure_ptb(1, arguments.jobs, arguments.scheduler)
        return
    wanted = [(RUNGS, "village"), (PAIR_RUNGS, "village_pairs")]
    runs = train_rungs(wanted, range(1, arguments.seeds + 1), arguments.jobs, arguments.scheduler)
    models, translation = measure(runs["village"]), measure_pairs(runs["village_pairs"])
    for path in write_report(models, translation, read_table(PTB_TABLE), arguments.out):
        print(path)


if __name__ == "__main__":
    main()
