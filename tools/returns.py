"""Who remembers names across sentences? `python -m tools.returns --system NAME RUN ... --system NAME RUN ...`.

Runs of chapters 5 and 6 on village_paragraphs: the perplexity on a split, and on the names that come back in a later
sentence of their paragraph, by how many predictions ago they stood last, beside the oracle. A run that keeps its state
or memory between sentences reads the text in order, another one sentence by sentence. `--cache NAME` lays a cache
(the neural one of chapter 5, tuned on dev) over the runs of that system. Unknown words are left out as targets, of the
oracle too.
"""

from __future__ import annotations

import argparse
import importlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from common.errors import UserError, exits_cleanly
from common.evaluation.perplexity import sentence_log_probs
from common.evaluation.streaming import stream_log_probs
from common.files import write_json
from common.programs.chapters import load_run
from common.text.corpus import Corpus, Sentence, load_corpus
from common.text.vocab import Vocabulary
from common.training import cli
from data.paragraph_files import NAME, oracle_log_probs
from data.phenomena import by_label
from data.returns import by_distance, distances
from tools.metrics import spread

Row = dict[str, tuple[int, float]]
"""By what was predicted: how many predictions, and the perplexity on them."""
ALL = "all predictions"


def reads_in_order(settings: Any) -> bool:
    """Whether a run goes on from sentence to sentence."""
    return getattr(settings, "state", "") == "kept" or getattr(settings, "memory_states", 0) > 0


def log_probs_of(folder: Path, corpus: Corpus, split: str, cache: bool) -> tuple[list[np.ndarray], Vocabulary]:
    """log P of every prediction of a split in nats, by the model of a run, and what it knows."""
    model, settings = load_run(folder)
    if settings.corpus != NAME or not hasattr(model, "log_probs"):
        raise UserError(f"{folder}: no run of a language model on {NAME}")
    lines, kept = getattr(corpus, split), reads_in_order(settings)
    if not cache:
        return (stream_log_probs if kept else sentence_log_probs)(model, lines), model.vocab
    if not hasattr(model, "hidden_from"):
        raise UserError(f"{folder}: a neural cache lies over a recurrent model of chapter 5")
    laid = importlib.import_module("chapters.05_rnn_lm.cache")
    tuned = laid.tune(laid.read(model, corpus.dev, kept), "text")
    flat = laid.with_cache(laid.read(model, lines, kept), tuned, "text")
    return np.split(flat, np.cumsum([len(line) + 1 for line in lines])[:-1]), model.vocab


def measure(lines: Sequence[Sentence], log_probs: Sequence[Sequence[float]], vocab: Vocabulary) -> Row:
    """The row of one run, or of the oracle: of all predictions of known words, and of the returns among them."""
    known = [np.array([*(word in vocab for word in line), True]) for line in lines]
    ago = [np.where(keep, line, 0) for keep, line in zip(known, distances(lines), strict=True)]
    labels = [np.where(keep, ALL, "unknown") for keep in known]
    return {ALL: by_label(labels, log_probs)[ALL], **by_distance(ago, log_probs)}


def table(systems: Mapping[str, Sequence[Row]]) -> str:
    """A line a kind of prediction, a column a system: mean and standard deviation over its runs."""
    first = next(iter(systems.values()))[0]
    width = max(18, *(len(name) + 2 for name in systems))
    rows = [f"{'words ago':16}{'known':>8}" + "".join(f"{name:>{width}}" for name in systems)]
    for kind, (number, _) in first.items():
        cells = [spread([row[kind][1] for row in found], 2) for found in systems.values()]
        rows.append(f"{kind:16}{number:8,}" + "".join(f"{cell:>{width}}" for cell in cells))
    return "\n".join(rows)


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(
        description=__doc__.partition("\n\n")[2], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--system", action="append", nargs="+", required=True, metavar=("NAME", "RUN"), help="a system and its runs"
    )
    parser.add_argument("--cache", action="append", default=[], metavar="NAME", help="lay a cache over this system")
    parser.add_argument("--split", choices=("dev", "test"), default="test", help="which text (default: test)")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the numbers there as JSON, too")
    arguments = parser.parse_args()
    if any(len(system) < 2 for system in arguments.system):
        raise UserError("--system: give a name and at least one run")
    if any(system[0] == "oracle" for system in arguments.system):
        raise UserError("--system oracle: that is the name of the truth; choose another")
    unknown = [name for name in arguments.cache if name not in {name for name, *_ in arguments.system}]
    if unknown:
        raise UserError(f"--cache {', '.join(unknown)}: no system of this name")

    corpus = load_corpus(NAME)
    lines, systems, words = getattr(corpus, arguments.split), {}, None
    for name, *folders in arguments.system:
        for folder in map(Path, folders):
            log_probs, vocab = log_probs_of(folder, corpus, arguments.split, name in arguments.cache)
            words = words or vocab.words
            if vocab.words != words:
                raise UserError(f"{folder}: knows other words than the first run; compare runs that know the same")
            row = measure(lines, log_probs, vocab)
            if not all(math.isfinite(value) for _, value in row.values()):
                raise UserError(f"{folder}: gives some word no probability, so that its perplexity is not finite")
            systems.setdefault(name, []).append(row)
    systems = {"oracle": [measure(lines, oracle_log_probs(lines), vocab)], **systems}
    print(f"{NAME}, {arguments.split}: perplexity on known words, mean ± standard deviation over runs")
    print(table(systems))
    if arguments.record:
        write_json(arguments.record, {name: [by_kind(row) for row in rows] for name, rows in systems.items()})


def by_kind(row: Row) -> dict[str, dict[str, float]]:
    return {kind: {"predictions": number, "perplexity": round(value, 4)} for kind, (number, value) in row.items()}


if __name__ == "__main__":
    main()
