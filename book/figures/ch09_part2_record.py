"""What the figures of chapter 9's second part show of trained models: `python -m book.figures.ch09_part2_record DIR`.

DIR holds the runs of the presets abs, ras-elman and ras-lstm: DIR/abs-1, DIR/abs-2 ..., with the seed behind the name.
Runs of chapter 8's decoder after Luong on the same headlines, DIR/luong-1 ..., join the table where there are some.
The first seed's models are shown at work. Writes figures/part2.json in the chapter's folder, and prints the table of
RESULTS.md, which has the chapter's systems as printed from variants.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from book.figures.ch09_part2_runs import AS_PRINTED, NAMES, PATH, PUBLISHED, ROUGE
from book.figures.recorded import rounded
from book.worked.ch09_measures import variants
from common.errors import OneLineParser, UserError, exits_cleanly
from common.files import write_json
from common.programs.chapters import load_run
from common.search.attending import force
from common.text.alignment import true_alignments
from common.text.pairs import ParallelCorpus, load_pairs
from tools.metrics import read_metrics, spread

CHAPTER, CORPUS = "09_word_attention", "village_headlines"
SYSTEMS = ("abs", "ras-elman", "ras-lstm")
SOURCE = "a crate of cellos is purchased by the quiet tailor . fabasha is late ."
"""The source of the test pair that is shown: a passive, whose headline turns its order round."""

Runs = Mapping[str, Sequence[Path]]
"""By system: the folders of runs that differ in the seed."""


def find_runs(folder: Path) -> Runs:
    """The runs in a folder. Raises `UserError` where a system has none."""
    found = {
        name: sorted(path for path in folder.glob(f"{name}-[0-9]*") if path.is_dir()) for name in (*SYSTEMS, "luong")
    }
    for name, runs in found.items():
        if not runs and name in SYSTEMS:
            raise UserError(f"{folder}: no run {name}-1; train.py --preset {name} --run-dir {folder}/{name}-1 makes it")
    return {name: runs for name, runs in found.items() if runs}


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
    pair, links = corpus.test[number], sorted(true_alignments(corpus, "test")[number])
    attention = {}
    for name in SYSTEMS:
        (shown,) = force(load_run(runs[name][0], CHAPTER)[0], [pair.source], [pair.target])
        attention[name] = shown.attention.astype(float).tolist()
    found = {"source": list(pair.source), "target": list(pair.target), "links": [list(link) for link in links]}
    return found | {"attention": attention}


def measure(runs: Runs, corpus: ParallelCorpus) -> dict:
    """All that the figures read."""
    return {
        "runs": {name: [entry(folder) for folder in folders] for name, folders in runs.items()},
        "sentence": sentence(runs, corpus),
    }


HEAD = ("system", "seeds", "parameters", "perplexity, dev", "test", *ROUGE, *(f"{kind}, published" for kind in ROUGE))


def table(recorded: Mapping[str, list[dict]]) -> Iterator[str]:
    """The rows of RESULTS.md: of each system the mean and standard deviation over its runs, and what was published."""
    yield from ("| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|")
    runs = {**recorded, **{name: variants()[CORPUS]["runs"][system] for name, system in AS_PRINTED.items()}}
    for name, label in NAMES.items():
        found = runs.get(name, [])
        cells = [
            label,
            ", ".join(str(run["seed"]) for run in found),
            "".join(f"{run['parameters']:,}" for run in found[:1]),
        ]
        cells += [spread([run["perplexity"][split] for run in found], 2) for split in ("dev", "test")]
        cells += [spread([run[kind] for run in found], 1) for kind in ROUGE]
        cells += [f"{value:.2f}" for value in PUBLISHED[name]] if name in PUBLISHED else [""] * 3
        yield "| " + " | ".join(cells) + " |"


@exits_cleanly
def main() -> None:
    parser = OneLineParser(description=__doc__)
    parser.add_argument("runs", type=Path, metavar="DIR", help="the folder of the runs")
    found = measure(find_runs(parser.parse_args().runs), load_pairs(CORPUS))
    command = "python chapters/09_word_attention/train.py --preset SYSTEM --seed N --run-dir DIR/SYSTEM-N"
    write_json(PATH, {"command": command, **rounded(found)})
    print("\n".join([str(PATH), *table(found["runs"])]))


if __name__ == "__main__":
    main()
