"""What the figures of chapter 10's second part show of trained models: `python -m book.figures.ch10_part2_record RUNS`.

RUNS: the folder with the runs whose commands chapters/10_beyond/RESULTS.md gives, SYSTEM and SEED in their names.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dynet as dy

from book.figures.recorded import record
from common.errors import OneLineParser, exits_cleanly
from common.nn.parameters import DynetParameters
from common.programs.chapters import load_run
from common.reading import read_object
from common.search.translation import Decoding, translate

CHAPTER, RECORD = "10_beyond", "figures/recorded_part2.json"
SYSTEMS = ("plain", "bias", "linear", "copying")
RISKS = ("bleu", "rouge")
SEEDS = (1, 2, 3)
SUMMARY = ("bleu", "rouge1", "rouge2", "rougeL", "perplexity")
SENTENCE = "once a week , ardora mentions cranes ."
COMMAND = (
    "python chapters/10_beyond/train.py --corpus RUNS/pairs --batch-size 8 --epochs 2 --likelihood-epochs 2 FLAGS "
    "--seed SEED --run-dir RUNS/SYSTEMSEED"
)
MISSING, DAMAGED = "no such run; RESULTS.md has the command", "damaged; train again"


def names_of_runs(folder: Path, seeds: Sequence[int]) -> dict:
    """What `names.py` counted, and perplexity without unknown words on test, by system and seed."""
    found: dict = {}
    for system in SYSTEMS:
        found[system] = {}
        for seed in seeds:
            run = folder / f"{system}{seed}"
            metrics = read_object(run / "metrics.json", MISSING, DAMAGED)
            counted = read_object(run / "names.json", f"missing; run names.py --run {run}", DAMAGED)
            found[system][str(seed)] = counted | {"known": metrics["test"]["known_perplexity"]}
    return found


def risks_of_runs(folder: Path, seeds: Sequence[int]) -> dict:
    """The results on test before and after training by each score, by score and seed."""
    found: dict = {}
    for risk in RISKS:
        found[risk] = {}
        for seed in seeds:
            metrics = read_object(folder / f"by{risk}{seed}" / "metrics.json", MISSING, DAMAGED)
            pair = {"before": metrics["before"]["test"], "after": metrics["test"]}
            found[risk][str(seed)] = {name: {kind: one[kind] for kind in SUMMARY} for name, one in pair.items()}
    return found


class Watched:
    """A gate that keeps what it says at each step."""

    def __init__(self, gate: Any):
        self.gate, self.said = gate, []

    def __call__(self, both: dy.Expression) -> dy.Expression:
        a = self.gate(both)
        self.said.append(float(dy.logistic(a).value()))
        return a


def opened(run: Path, sentence: str) -> dict:
    """The translation of one sentence by a model that copies, and how much it copies at each word and at its end."""
    model, _ = load_run(run)
    part = model.parts["copying"]
    part.gate = Watched(part.gate)
    ((found,),) = translate(model, [sentence.split()], Decoding())
    return {"words": [*found.words, "</s>"][: len(part.gate.said)], "copied": part.gate.said}


def share_of_lexicon(run: Path) -> float:
    """The lambda that a linear mixture has learnt, as a share."""
    model, _ = load_run(run)
    parameters = DynetParameters(model)
    (a,) = (array for name, array in zip(parameters.names(), parameters.arrays(), strict=True) if "gate.a" in name)
    dy.renew_cg()
    return float(dy.logistic(dy.inputVector(a)).npvalue()[0])


def translated(run: Path, sentence: str) -> str:
    model, _ = load_run(run)
    return " ".join(translate(model, [sentence.split()], Decoding())[0][0].words)


def measure(folder: Path, seeds: Sequence[int] = SEEDS, sentence: str = SENTENCE) -> dict:
    """All that is recorded."""
    first = seeds[0]
    return {
        "names": names_of_runs(folder, seeds),
        "risks": risks_of_runs(folder, seeds),
        "gate": opened(folder / f"copying{first}", sentence),
        "translations": {system: translated(folder / f"{system}{first}", sentence) for system in SYSTEMS},
        "share_of_lexicon": {str(seed): share_of_lexicon(folder / f"linear{seed}") for seed in seeds},
    }


@exits_cleanly
def main() -> None:
    parser = OneLineParser(description="Record what the figures of chapter 10's second part show of trained models.")
    parser.add_argument("runs", type=Path, metavar="RUNS", help="folder of the runs that RESULTS.md names")
    arguments: argparse.Namespace = parser.parse_args()
    settings = {"seeds": list(SEEDS), "sentence": SENTENCE}
    print(record(CHAPTER, COMMAND, settings, measure(arguments.runs), name=RECORD))


if __name__ == "__main__":
    main()
