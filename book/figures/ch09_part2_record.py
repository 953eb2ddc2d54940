"""What the figures of chapter 9's second part show of trained models: `python -m book.figures.ch09_part2_record RUNS`.

The runs are those of the presets abs, ras-elman and ras-lstm, and of chapter 8's decoder after Luong on the same
headlines. The first seed's models are shown at work. It prints the table of RESULTS.md, which has the chapter's systems
as printed from variants.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from book.figures.ch09_part2_runs import NAMES, PUBLISHED, RECORD, ROUGE, with_printed
from book.figures.recording import Recording, linked_pair
from common.programs.chapters import load_run
from common.search.attending import force
from common.text.pairs import ParallelCorpus, load_pairs
from tools.metrics import read_metrics, spread
from tools.tables import header, row_of

CHAPTER, CORPUS = "09_word_attention", "village_headlines"
SYSTEMS = ("abs", "ras-elman", "ras-lstm")
SOURCE = "a crate of cellos is purchased by the quiet tailor . fabasha is late ."
"""The source of the test pair that is shown: a passive, whose headline turns its order round."""

Runs = Mapping[str, Sequence[Path]]
"""By system: the folders of runs that differ in the seed."""


def entry(folder: Path) -> dict:
    """What the tables say of one run."""
    metrics = read_metrics(folder)
    test = metrics["test"]
    rouge = dict(zip(ROUGE, (test[f"rouge{kind}"] for kind in ("1", "2", "L")), strict=True))
    perplexities = {split: metrics[split]["perplexity"] for split in ("dev", "test")}
    return {"seed": metrics["seed"], "parameters": metrics["parameters"], "perplexity": perplexities, **rouge}


def sentence(runs: Runs, corpus: ParallelCorpus) -> dict:
    """The attention of the first run of each system on one test pair, and its true links."""
    number = next(number for number, pair in enumerate(corpus.test) if " ".join(pair.source) == SOURCE)
    pair = corpus.test[number]
    attention = {}
    for name in SYSTEMS:
        (forced,) = force(load_run(runs[name][0], CHAPTER)[0], [pair.source], [pair.target])
        attention[name] = forced.attention.astype(float).tolist()
    return {**linked_pair(corpus, "test", number), "attention": attention}


HEAD = ("system", "seeds", "parameters", "perplexity, dev", "test", *ROUGE, *(f"{kind}, published" for kind in ROUGE))


def table(recorded: Mapping[str, list[dict]]) -> Iterator[str]:
    """The rows of RESULTS.md: of each system the mean and standard deviation over its runs, and what was published."""
    yield from header(HEAD)
    runs = with_printed(recorded)
    for name, label in NAMES.items():
        rows = runs[name]
        cells = [label, ", ".join(str(run["seed"]) for run in rows), f"{rows[0]['parameters']:,}"]
        cells += [spread([run["perplexity"][split] for run in rows], 2) for split in ("dev", "test")]
        cells += [spread([run[kind] for run in rows], 1) for kind in ROUGE]
        cells += [f"{value:.2f}" for value in PUBLISHED[name]] if name in PUBLISHED else [""] * 3
        yield row_of(cells)


SEEDS = range(1, 4)
LUONG = f"--preset luong --corpus {CORPUS} --dropout 0.2"


def measure(folder: Path) -> tuple[dict, dict]:
    """Settings, none, and numbers of the runs in a folder."""
    runs = {system: [folder / f"{system}-{seed}" for seed in SEEDS] for system in (*SYSTEMS, "luong")}
    return {}, {
        "runs": {name: [entry(folder) for folder in folders] for name, folders in runs.items()},
        "sentence": sentence(runs, load_pairs(CORPUS)),
    }


RECORDING = Recording(
    CHAPTER,
    "python chapters/09_word_attention/train.py --preset SYSTEM --seed N --run-dir DIR/SYSTEM-N",
    measure,
    {
        **{f"{system}-{seed}": (CHAPTER, f"--preset {system} --seed {seed}") for system in SYSTEMS for seed in SEEDS},
        **{f"luong-{seed}": ("08_attention", f"{LUONG} --seed {seed}") for seed in SEEDS},
    },
    name=RECORD,
    tables=lambda numbers: table(numbers["runs"]),
)

if __name__ == "__main__":
    RECORDING.main(__doc__)
