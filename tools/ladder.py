"""The ladder: every chapter's language model on the embedded corpus, and what each rung adds: `python -m tools.ladder`.

Trains the quick preset of each chapter with several seeds, two trainings at a time, and writes RESULTS.md and
RESULTS.png. What is trained already under runs/ladder is not trained again. `--ptb` trains the presets for the Penn
Treebank instead, for hours, and keeps their figures in ladder_ptb.json beside this file, where the tables find them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from common import cli, runtime
from common.corpus import ROOT, find_corpus, load_corpus
from common.errors import UserError, exits_cleanly
from common.files import write_json
from common.runs import runs_root
from data.phenomena import by_label, labels_of, oracle_log_probs
from tools.ladder_report import write_report
from tools.phenomena import model_log_probs

PTB_TABLE = Path(__file__).with_name("ladder_ptb.json")
WRITTEN_TO_THE_END = "metrics.json"


@dataclass(frozen=True)
class Rung:
    """A chapter on the ladder: its model's name, and the preset of its Penn Treebank training."""

    chapter: str
    name: str
    ptb: str

    def folder(self, corpus: str, seed: int) -> Path:
        return runs_root() / "ladder" / f"{corpus}-{self.chapter}-seed{seed}"


RUNGS = (
    Rung("01_ngram_lm", "n-gram (Kneser-Ney)", "ptb"),
    Rung("02_loglinear_lm", "log-linear", "ptb"),
    Rung("04_feedforward_lm", "feed-forward", "ptb-small"),
    Rung("05_rnn_lm", "recurrent (LSTM)", "ptb-small"),
    Rung("06_attentive_lm", "attentive", "ptb-small"),
)


def train(rung: Rung, corpus: str, seed: int) -> Path:
    """Train the rung in a process of its own with one thread, or go on where it stopped; the run's folder."""
    folder = rung.folder(corpus, seed)
    if (folder / WRITTEN_TO_THE_END).exists():
        return folder
    program = [sys.executable, str(ROOT / "chapters" / rung.chapter / "train.py"), "--run-dir", str(folder)]
    if (folder / "config.json").exists():
        program += ["--resume"]
    else:
        program += ["--corpus", corpus, "--seed", str(seed), *(["--preset", rung.ptb] if corpus == "ptb" else [])]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(program, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise UserError(f"{rung.chapter}, seed {seed}: {lines[-1].removeprefix('error: ') if lines else 'killed'}")
    return folder


def train_all(corpus: str, seeds: Sequence[int], jobs: int) -> dict[str, list[Path]]:
    """All rungs with all seeds, `jobs` at a time: chapter -> its runs in the order of the seeds."""
    with ThreadPoolExecutor(jobs) as pool:
        futures = {(rung, seed): pool.submit(train, rung, corpus, seed) for rung in RUNGS for seed in seeds}
        try:
            for (rung, seed), future in tqdm(futures.items(), desc="trainings", unit="run", disable=None):
                future.result()
                tqdm.write(f"{rung.chapter}, seed {seed}: done")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return {rung.chapter: [futures[rung, seed].result() for seed in seeds] for rung in RUNGS}


def read_metrics(run: Path) -> dict:
    return json.loads((run / WRITTEN_TO_THE_END).read_text(encoding="utf-8"))


def measure(runs: Mapping[str, Sequence[Path]]) -> dict:
    """Everything that the report shows: figures of each run, by phenomenon too, and the oracle's beside them."""
    runtime.configure()
    sentences = load_corpus("village").test
    labels, rungs = labels_of(sentences), []
    for rung in RUNGS:
        figures = [read_metrics(run) for run in runs[rung.chapter]]
        decided = [by_label(labels, model_log_probs(run, sentences)) for run in runs[rung.chapter]]
        rungs.append({"chapter": rung.chapter, "name": rung.name, "metrics": figures, "phenomena": decided})
    return {"rungs": rungs, "oracle": by_label(labels, oracle_log_probs(sentences))}


def measure_ptb(seed: int, jobs: int) -> None:
    """Train every rung on the Penn Treebank, or go on, and write down what came out."""
    find_corpus("ptb")
    table = {}
    for chapter, (run,) in train_all("ptb", [seed], jobs).items():
        metrics = read_metrics(run)
        kept = {name: metrics[name] for name in ("preset", "seed", "parameters", "tokens_per_second", "seconds")}
        perplexities = {split: metrics[split]["perplexity"] for split in ("dev", "test")}
        table[chapter] = {**kept, "epochs": len(metrics["epochs"]), **perplexities}
    write_json(PTB_TABLE, table)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(
        prog="python -m tools.ladder", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="trainings a rung (default: 3)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="trainings at a time (default: 2)")
    parser.add_argument("--out", type=Path, default=ROOT, metavar="DIR", help="where RESULTS.md goes (default: here)")
    parser.add_argument("--ptb", action="store_true", help="train on the Penn Treebank instead, seed 1; takes hours")
    arguments = parser.parse_args()
    if min(arguments.seeds, arguments.jobs) < 1:
        raise UserError("--seeds and --jobs must be at least 1")
    if arguments.ptb:
        measure_ptb(1, arguments.jobs)
        return
    measured = measure(train_all("village", range(1, arguments.seeds + 1), arguments.jobs))
    ptb = json.loads(PTB_TABLE.read_text(encoding="utf-8")) if PTB_TABLE.exists() else {}
    for path in write_report(measured, ptb, arguments.out):
        print(path)


if __name__ == "__main__":
    main()
