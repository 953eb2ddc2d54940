"""What the decoders of chapter 8 are worth: `python -m tools.decoders`.

Trains each with several seeds on pairs, or goes on where it was stopped, and prints a table in Markdown of the test
split: mean and standard deviation over the seeds. A finished run is never trained again. The runs are in
runs/ladder/CORPUS-08_attention-SYSTEM-seedN, those of the default where `make ladder` has them. --list prints what
trains the runs that are missing. It is a claim that one is better only if five seeds say so (`tools.compare`).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

from common.errors import UserError, exits_cleanly
from common.executor import scheduler_argument
from common.programs.arguments import check_most
from common.text.corpus import Sentence
from common.text.pairs import ParallelCorpus, load_pairs
from common.training import cli
from tools.compare import load_run
from tools.ladder import Rung, train_rungs
from tools.metrics import read_metrics, spread
from tools.variants import as_line, chosen, finished_runs
from tools.variants_report import header, row_of

CHAPTER = "08_attention"
FED = ("--readout", "attentional", "--feed", "attentional")
SYSTEMS: Mapping[str, tuple[str, ...]] = {
    "default": (),
    "attentional": ("--readout", "attentional"),
    "nothing-fed": ("--readout", "attentional", "--feed", "nothing"),
    "fed": FED,
    "local-m": (*FED, "--attention", "local-m"),
    "local-p": (*FED, "--attention", "local"),
    "luong": ("--preset", "luong"),
    "linguistic": ("--coverage-model", "linguistic"),
    "neural": ("--coverage-model", "neural"),
}
"""The flags of each, beside the defaults: one step after another towards Luong's decoder, then coverage."""
HEAD = ("system", "seeds", "parameters", "perplexity", "BLEU", "AER, %", "with an aligned word", "repeated", "length")


def rung_of(system: str) -> Rung:
    """A system as something that `tools.ladder` can train."""
    return Rung(CHAPTER, system, flags=SYSTEMS[system], system="" if system == "default" else system)


def repeated(found: Sequence[Sentence], references: Sequence[Sentence]) -> float:
    """Of a thousand words written, those that say a word once more, and more often than the reference does.

    A word that is written once is wrong or right, but not repeated.
    """
    more = 0
    for sentence, reference in zip(found, references, strict=True):
        wanted = Counter(reference)
        more += sum(max(0, count - max(1, wanted[word])) for word, count in Counter(sentence).items())
    return 1000 * more / max(1, sum(map(len, found)))


def error_rates(tests: Sequence[dict], name: str) -> str:
    """A kind of alignment error rate of all runs, in percent; nothing where one of them does not have it."""
    found = [test["alignment"].get(name) if isinstance(test.get("alignment"), dict) else None for test in tests]
    known = [100 * rate for rate in found if isinstance(rate, (int, float))]
    return spread(known) if len(known) == len(tests) else ""


def row(system: str, runs: Sequence[Path], corpus: ParallelCorpus) -> str:
    """The results of a system's runs on test. Length: words written for each word of the references."""
    metrics = [read_metrics(run, "parameters", "test.perplexity", "test.bleu") for run in runs]
    tests = [one["test"] for one in metrics]
    references = [pair.target for pair in corpus.test]
    written = [load_run(run, corpus, "test").outputs for run in runs]
    cells = [f"`{system}`", str(len(runs)), f"{metrics[0]['parameters']:,}"]
    cells += [spread([test[name] for test in tests]) for name in ("perplexity", "bleu")]
    for name in ("error_rate", "error_rate_of_aligned_words"):
        cells.append(error_rates(tests, name))
    cells.append(spread([repeated(one, references) for one in written]))
    wanted = sum(map(len, references))
    cells.append(spread([sum(map(len, one)) / wanted for one in written]))
    return row_of(cells)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(
        prog="python -m tools.decoders", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="village_pairs", metavar="NAME", help="what to train on")
    parser.add_argument("--systems", default="", metavar="NAME,NAME", help="only these (default: all)")
    parser.add_argument("--seeds", type=int, default=3, metavar="N", help="runs of each system (default: 3)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="runs at a time (default: 2)")
    scheduler_argument(parser)
    parser.add_argument("--finished", action="store_true", help="train nothing, show the runs that are finished")
    parser.add_argument("--list", action="store_true", help="print the commands that train what is missing, and stop")
    arguments = parser.parse_args()
    check_most(arguments)
    if min(arguments.seeds, arguments.jobs) < 1:
        raise UserError("--seeds and --jobs must be at least 1")
    rungs = [rung_of(name) for name in chosen(arguments.systems, SYSTEMS)]
    seeds, corpus = range(1, arguments.seeds + 1), load_pairs(arguments.corpus)
    if arguments.list:
        missing = (rung.training(arguments.corpus, seed) for rung, seed in product(rungs, seeds))
        print("\n".join(as_line(training.command()) for training in missing if not training.is_finished()))
        return
    if not arguments.finished:
        train_rungs([(rungs, arguments.corpus)], seeds, arguments.jobs, arguments.scheduler)
    runs = finished_runs(rungs, arguments.corpus, seeds)
    print("\n".join([*header(HEAD), *(row(system, folders, corpus) for system, folders in runs.items())]))


if __name__ == "__main__":
    main()
