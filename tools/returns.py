"""Who remembers names across sentences? `python -m tools.returns --system NAME RUN ... --system NAME RUN ...`.

Runs of chapters 5 and 6 on village_paragraphs: the perplexity on a split, and on the names that come back in a later
sentence of their paragraph, by how many predictions ago they stood last, beside the oracle. A run that keeps its state
or memory between sentences reads the text in order, another one sentence by sentence. `--cache NAME` lays a cache
(the neural one of chapter 5, tuned on dev) over the runs of that system. Unknown words are left out as targets, of the
oracle too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from common.errors import UserError, exits_cleanly
from common.files import write_json
from common.text.corpus import Sentence, load_corpus
from common.text.vocab import Vocabulary
from data.paragraph_files import NAME, oracle_log_probs
from data.phenomena import by_label
from data.returns import by_distance, distances
from tools.metrics import spread
from tools.systems import check_systems, found_by, make_parser

Row = dict[str, tuple[int, float]]
"""By what was predicted: how many predictions, and the perplexity on them."""
ALL = "all predictions"


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
    arguments = make_parser("python -m tools.returns", __doc__.partition("\n\n")[2]).parse_args()
    check_systems(arguments)
    if any(system[0] == "oracle" for system in arguments.system):
        raise UserError("--system oracle: that is the name of the truth; choose another")

    corpus = load_corpus(NAME)
    lines, systems = getattr(corpus, arguments.split), {}
    for found in found_by(arguments, corpus):
        row = measure(lines, found.log_probs, found.vocab)
        if not all(math.isfinite(value) for _, value in row.values()):
            raise UserError(f"{found.folder}: gives some word no probability, so that its perplexity is not finite")
        systems.setdefault(found.system, []).append(row)
    systems = {"oracle": [measure(lines, oracle_log_probs(lines), found.vocab)], **systems}
    print(f"{NAME}, {arguments.split}: perplexity on known words, mean ± standard deviation over runs")
    print(table(systems))
    if arguments.record:
        write_json(arguments.record, {name: [by_kind(row) for row in rows] for name, rows in systems.items()})


def by_kind(row: Row) -> dict[str, dict[str, float]]:
    return {kind: {"predictions": number, "perplexity": round(value, 4)} for kind, (number, value) in row.items()}


if __name__ == "__main__":
    main()
