"""What chapter 9's models attend to, by what decides the word: `python -m tools.attention_by_phenomenon RUN ...`.

For each target word of the test split, the references given (teacher forcing): the share of the word context, which is
the mean of the elements of 1 - o_i, and how much of either attention lies on the source words that the target word
renders. The embedded corpora know both what decides each word (`python -m tools.pair_phenomena`) and what it renders.
Figures are means over the words; of several runs, the mean of those and their standard deviation.

Below, of runs with gates: which share of all elements of o_i is near 0, near one half and near 1, and how long the two
contexts are on average (Euclidean norm) once the gate has weighed them, as the decoder reads them (Wu et al. 2018,
Eq. 6).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from common.errors import UserError, exits_cleanly
from common.search.attending import BATCH_SIZE, Shown, force
from common.text.alignment import Links, true_alignments
from common.text.pair_batching import make_pair_batches
from common.text.pairs import Pair, ParallelCorpus, load_pairs
from common.training import cli
from data.pairs import truth_of
from tools.metrics import spread
from tools.pair_phenomena import labels_of, model_of

FIGURES = ("1 - o", "annotation", "word")
"""The share of the word context, and what of the annotation attention and of the word attention is where it belongs."""

Figures = Mapping[str, tuple[float, ...]]
"""By label: how many words, then FIGURES; NaN where there is none."""


def on_aligned(attention: np.ndarray, links: Links) -> np.ndarray:
    """The weight that each target word, and `</s>`, puts on the source words it renders; NaN where it renders none."""
    found = np.full(len(attention), np.nan)
    for i, j in links:
        found[j] = attention[j, i] + (0 if np.isnan(found[j]) else found[j])
    return found


def by_label(labels: Sequence[Sequence[str]], shown: Sequence[Shown], links: Sequence[Links]) -> Figures:
    """What FIGURES are on the words that each label decides."""
    collected = defaultdict(list)
    for sentence, one, linked in zip(labels, shown, links, strict=True):
        gates = np.full(len(sentence), np.nan) if one.gates is None else one.gates
        each = gates, on_aligned(one.attention, linked), on_aligned(one.word_attention, linked)
        for label, *figures in zip(sentence, *each, strict=True):
            collected[label].append(figures)
    return {label: (len(rows), *map(known_mean, zip(*rows, strict=True))) for label, rows in collected.items()}


def known_mean(values: Sequence[float]) -> float:
    """The mean of what is known; NaN where nothing is."""
    known = [float(value) for value in values if not np.isnan(value)]
    return mean(known) if known else float("nan")


def table(runs: Sequence[Figures]) -> str:
    """All runs as one table, the words with the largest gates first."""
    lines = [f"{'decided by':14}{'words':>8}" + "".join(f"{name:>16}" for name in FIGURES)]
    rows = {label: [[run[label][number] for run in runs] for number in range(1, len(FIGURES) + 1)] for label in runs[0]}
    for label, columns in sorted(rows.items(), key=lambda row: -np.nan_to_num(mean(row[1][0]))):
        lines.append(f"{label:14}{runs[0][label][0]:8,}" + "".join(f"{spread(column, 3):>16}" for column in columns))
    return "\n".join(lines)


def figures_of(run: Path, model: Any, corpus: ParallelCorpus) -> Figures:
    """The rows of a run. Raises `UserError` for a model that does not attend to words."""
    shown = force(model, *zip(*corpus.test, strict=True))
    if shown[0].word_attention is None:
        raise UserError(f"{run}: its model does not attend to words; choose a run of --variant word or gates")
    return by_label(
        labels_of(truth_of(corpus.name, corpus.facts), corpus.test, model.vocab), shown, true_alignments(corpus, "test")
    )


def gate_figures(model: Any, pairs: Sequence[Pair]) -> dict[str, float]:
    """Shares of the elements of o_i, and mean norms of the contexts, over all predictions of the targets given."""
    import dynet as dy

    from common.nn.dropout import NO_DROPOUT
    from common.nn.softmax import as_rows, embed, unfold_time

    sources = [model.source_vocab.encode(pair.source) for pair in pairs]
    targets = [model.vocab.encode(pair.target) for pair in pairs]
    gates, norms = [], []
    for batch in make_pair_batches(sources, targets, BATCH_SIZE):
        dy.renew_cg()
        words = unfold_time(embed(model.embedding, batch.target.inputs.T.ravel().tolist()), len(batch.target.inputs))
        state = model.encode([sources[index] for index in batch.target.indices])
        for step, real in zip(model.decode(state, words, NO_DROPOUT), batch.target.mask > 0, strict=True):
            gates.append(as_rows(step.gate)[real])
            norms.append([np.linalg.norm(as_rows(context)[real], axis=1) for context in step.contexts])
    o, (alpha, beta) = np.concatenate(gates), map(np.concatenate, zip(*norms, strict=True))
    return {
        "elements of o_i below 0.1": float(np.mean(o < 0.1)),
        "elements of o_i from 0.4 to 0.6": float(np.mean((o >= 0.4) & (o <= 0.6))),
        "elements of o_i above 0.9": float(np.mean(o > 0.9)),
        "norm of the gated context of annotations": float(alpha.mean()),
        "norm of the gated context of words": float(beta.mean()),
    }


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(prog="python -m tools.attention_by_phenomenon", description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="runs of --variant word or gates")
    parser.add_argument("--corpus", default="village_pairs", metavar="NAME", help="what they were trained on")
    arguments = parser.parse_args()
    corpus = load_pairs(arguments.corpus)
    models = [model_of(run, arguments.corpus) for run in arguments.runs]
    if any(model.vocab.words != models[0].vocab.words for model in models):
        raise UserError("the models know different words; compare runs with one --min-count")
    print(table([figures_of(run, model, corpus) for run, model in zip(arguments.runs, models, strict=True)]))
    gates = [gate_figures(model, corpus.test) for model in models if model.variant == "gates"]
    for name in gates[0] if gates else ():
        print(f"{name:<48}{spread([found[name] for found in gates], 3)}")


if __name__ == "__main__":
    main()
