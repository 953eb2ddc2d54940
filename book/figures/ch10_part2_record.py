"""What the figures of chapter 10's second part show of trained models: `python -m book.figures.ch10_part2_record RUNS`.

chapters/10_beyond/RESULTS.md says how the small corpora RUNS/pairs and RUNS/headlines are made and names counted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dynet as dy

from book.figures.recording import Recording
from common.files import read_object
from common.nn.parameters import DynetParameters
from common.programs.chapters import load_run
from common.search.searches import Decoding, translate
from tools.metrics import read_metrics

CHAPTER, RECORD = "10_beyond", "figures/recorded_part2.json"
SYSTEMS = {"plain": "", "bias": "--lexicon bias", "linear": "--lexicon linear", "copying": "--copying"}
"""By name, their flags."""
RISKS = ("bleu", "rouge")
SEEDS = (1, 2, 3)
SUMMARY = ("bleu", "rouge1", "rouge2", "rougeL", "perplexity")
SENTENCE = "once a week , ardora mentions cranes ."
PAIRS = "--corpus RUNS/pairs --batch-size 8 --epochs 2 --likelihood-epochs 2"
COMMAND = f"python chapters/{CHAPTER}/train.py {PAIRS} FLAGS --seed SEED --run-dir RUNS/SYSTEMSEED"


def names_of_runs(folder: Path) -> dict:
    """What `names.py` counted, and perplexity without unknown words on test, by system and seed."""

    def names(run: Path) -> dict:
        counted = read_object(run / "names.json", f"missing; run names.py --run {run}", "damaged; count again")
        return counted | {"known": read_metrics(run)["test"]["known_perplexity"]}

    return {system: {str(seed): names(folder / f"{system}{seed}") for seed in SEEDS} for system in SYSTEMS}


def risks_of_runs(folder: Path) -> dict:
    """The results on test before and after training by each score, by score and seed."""

    def scores(run: Path) -> dict:
        metrics = read_metrics(run)
        pair = {"before": metrics["before"]["test"], "after": metrics["test"]}
        return {name: {kind: results[kind] for kind in SUMMARY} for name, results in pair.items()}

    return {risk: {str(seed): scores(folder / f"by{risk}{seed}") for seed in SEEDS} for risk in RISKS}


class Watched:
    """A gate that keeps what it says at each step."""

    def __init__(self, gate: Any):
        self.gate, self.said = gate, []

    def __call__(self, both: dy.Expression) -> dy.Expression:
        a = self.gate(both)
        self.said.append(float(dy.logistic(a).value()))
        return a


def opened(run: Path) -> dict:
    """The translation of one sentence by a model that copies, and how much it copies at each word and at its end."""
    model, _ = load_run(run)
    part = model.parts["copying"]
    part.gate = Watched(part.gate)
    ((hypothesis,),) = translate(model, [SENTENCE.split()], Decoding())
    return {"words": [*hypothesis.words, "</s>"][: len(part.gate.said)], "copied": part.gate.said}


def share_of_lexicon(run: Path) -> float:
    """The lambda that a linear mixture has learnt, as a share."""
    model, _ = load_run(run)
    parameters = DynetParameters(model)
    (a,) = (array for name, array in zip(parameters.names(), parameters.arrays(), strict=True) if "gate.a" in name)
    dy.renew_cg()
    return float(dy.logistic(dy.inputVector(a)).npvalue()[0])


def translated(run: Path) -> str:
    model, _ = load_run(run)
    return " ".join(translate(model, [SENTENCE.split()], Decoding())[0][0].words)


def measure(folder: Path) -> tuple[dict, dict]:
    """Settings, and all that is recorded."""
    return {"seeds": list(SEEDS), "sentence": SENTENCE}, {
        "names": names_of_runs(folder),
        "risks": risks_of_runs(folder),
        "gate": opened(folder / f"copying{SEEDS[0]}"),
        "translations": {system: translated(folder / f"{system}{SEEDS[0]}") for system in SYSTEMS},
        "share_of_lexicon": {str(seed): share_of_lexicon(folder / f"linear{seed}") for seed in SEEDS},
    }


BASE = "--corpus RUNS/headlines --batch-size 8 --epochs 1 --likelihood-epochs 1"
BY_RISK = "--corpus RUNS/headlines --start-from RUNS/base{seed} --objective reinforce --epochs 1 --share 0.1"
RECORDING = Recording(
    CHAPTER,
    COMMAND,
    measure,
    {
        **{f"{system}{seed}": (CHAPTER, f"{PAIRS} {flags} --seed {seed}")
           for system, flags in SYSTEMS.items() for seed in SEEDS},
        **{f"base{seed}": (CHAPTER, f"{BASE} --seed {seed}") for seed in SEEDS},
        **{f"by{risk}{seed}": (CHAPTER, f"{BY_RISK.format(seed=seed)} --risk {risk} --seed {seed}")
           for risk in RISKS for seed in SEEDS},
    },
    name=RECORD,
)  # fmt: skip

if __name__ == "__main__":
    RECORDING.main(__doc__)
