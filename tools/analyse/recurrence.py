"""Who remembers names across sentences? Perplexity on names that come back in a later sentence of their paragraph.

Of runs of chapters 5 and 6 on village_paragraphs, by how many predictions ago the name occurred last, beside the
oracle. Unknown words are left out as targets, of the oracle too.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence

import numpy as np

from common.errors import UserError
from common.files import write_json
from common.text.corpus import Sentence, load_corpus
from common.text.vocab import Vocabulary
from data.paragraph_files import NAME, oracle_log_probs
from data.phenomena import by_label
from data.returns import by_distance, distances
from tools.metrics import spread
from tools.tables import aligned

from .systems import check_systems, predictions_of

Row = dict[str, tuple[int, float]]
"""By what was predicted: how many predictions, and the perplexity on them."""
ALL = "all predictions"


def measure(lines: Sequence[Sentence], log_probs: Sequence[Sequence[float]], vocab: Vocabulary) -> Row:
    """The row of one run, or of the oracle: of all predictions of known words, and of the returns among them."""
    in_vocab = [np.array([*(word in vocab for word in line), True]) for line in lines]
    ago = [np.where(keep, line, 0) for keep, line in zip(in_vocab, distances(lines), strict=True)]
    labels = [np.where(keep, ALL, "unknown") for keep in in_vocab]
    return {ALL: by_label(labels, log_probs)[ALL], **by_distance(ago, log_probs)}


def table(systems: Mapping[str, Sequence[Row]]) -> str:
    """A line a kind of prediction, a column a system: mean and standard deviation over its runs."""
    rows = [["words ago", "known", *systems]]
    for kind, (number, _) in next(iter(systems.values()))[0].items():
        rows.append([kind, f"{number:,}", *(spread([run[kind][1] for run in runs], 2) for runs in systems.values())])
    return aligned(rows)


def by_recurrence(arguments: argparse.Namespace) -> str:
    check_systems(arguments)
    if any(system[0] == "oracle" for system in arguments.system):
        raise UserError("--system oracle: this name is reserved for the grammar; choose another")
    corpus = load_corpus(NAME)
    lines, systems = getattr(corpus, arguments.split), {}
    for run in predictions_of(arguments, corpus):
        row = measure(lines, run.log_probs, run.vocab)
        if not all(math.isfinite(value) for _, value in row.values()):
            raise UserError(f"{run.folder}: gives some word the probability 0, so its perplexity is not finite")
        systems.setdefault(run.system, []).append(row)
    systems = {"oracle": [measure(lines, oracle_log_probs(lines), run.vocab)], **systems}
    if arguments.record:
        write_json(arguments.record, {name: [as_record(row) for row in rows] for name, rows in systems.items()})
    title = f"{NAME}, {arguments.split}: perplexity on known words, mean ± standard deviation over runs"
    return f"{title}\n{table(systems)}"


def as_record(row: Row) -> dict[str, dict[str, float]]:
    return {kind: {"predictions": number, "perplexity": round(value, 4)} for kind, (number, value) in row.items()}
