"""Is one translation system better than another? `python -m tools.compare RUN RUN [RUN ...]`.

Reads the translations of the test split that each training left in its run folder, scores them with BLEU and chrF (or,
where the corpus is one of summaries, with BLEU and ROUGE), and tests every system against the first by paired bootstrap
resampling (Koehn 2004), as sacrebleu does it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from sacrebleu.metrics import CHRF
from sacrebleu.metrics.base import Metric
from sacrebleu.significance import PairedTest

from common import cli
from common.corpus import Sentence
from common.errors import UserError, exits_cleanly
from common.metrics import ROUGE_KINDS, Rouge, bleu_metric
from common.pairs import load_pairs


def read_run(folder: Path, split: str) -> tuple[str, list[str]]:
    """The corpus of a run, and its translations of the split. Raises `UserError` where there are none."""
    try:
        corpus = json.loads((folder / "config.json").read_text(encoding="utf-8"))["settings"]["corpus"]
        lines = (folder / f"{split}.hypotheses.txt").read_text(encoding="utf-8").split("\n")[:-1]
    except (OSError, ValueError, KeyError, TypeError):
        raise UserError(f"{folder}: no finished run of a translation model (no {split}.hypotheses.txt)") from None
    return corpus, lines


def make_metrics(summaries: bool) -> dict[str, Metric]:
    """What translations or summaries are judged by."""
    if summaries:
        return {"BLEU": bleu_metric()} | {name: Rouge(kind) for kind, name in ROUGE_KINDS.items()}
    return {"BLEU": bleu_metric(), "chrF": CHRF()}


def compare(
    systems: Sequence[tuple[str, list[str]]],
    references: Sequence[Sentence],
    resamples: int,
    seed: int,
    summaries: bool = False,
) -> str:
    """A table: each system's scores with 95% intervals, and the p-value of its difference from the first.

    systems: name and translations of each. summaries: judge by BLEU and ROUGE, not by BLEU and chrF. The p-value is the
    share of resampled test sets on which the difference, centred, is at least as large as the one that was found.
    """
    os.environ["SACREBLEU_SEED"] = str(seed)
    joined = [" ".join(words) for words in references]
    metrics = make_metrics(summaries)
    test = PairedTest(list(systems), metrics, references=[joined], test_type="bs", n_samples=resamples)
    signatures, scores = test()
    width = max(len(name) for name, _ in systems) + 2
    lines = [f"{'':{width}}" + "".join(f"{name:>8}{'95%':>10}{'p':>9}" for name in metrics)]
    for row, (name, _) in enumerate(systems):
        line = f"{name:{width}}"
        for metric in metrics:
            result = scores[next(key for key in scores if key.lower().startswith(metric.lower()))][row]
            p_value = "" if result.p_value is None else f"{result.p_value:.4f}"
            line += f"{result.score:8.2f}{'± ' + format(result.ci, '.2f'):>10}{p_value:>9}"
        lines.append(line)
    return "\n".join([*lines, *(f"{name}: {signature}" for name, signature in signatures.items())])


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(prog="python -m tools.compare", description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders; the first is the baseline")
    parser.add_argument("--split", choices=("dev", "test"), default="test", help="what to compare on (default: test)")
    parser.add_argument("--resamples", type=int, default=1000, metavar="N", help="bootstrap samples (default: 1000)")
    parser.add_argument("--seed", type=int, default=12345, help="start of the random numbers (default: 12345)")
    arguments = parser.parse_args()
    if len(arguments.runs) < 2 or arguments.resamples < 1:
        raise UserError("two runs or more are needed to compare, and --resamples of at least 1")
    found = {str(run): read_run(run, arguments.split) for run in arguments.runs}
    corpora = {corpus for corpus, _ in found.values()}
    if len(corpora) > 1 or len(found) < len(arguments.runs):
        raise UserError(f"the runs must be different ones, of one corpus; found {', '.join(sorted(corpora))}")
    corpus = load_pairs(corpora.pop())
    references = [pair.target for pair in getattr(corpus, arguments.split)]
    systems = [(name, lines) for name, (_, lines) in found.items()]
    for name, lines in systems:
        if len(lines) != len(references):
            raise UserError(f"{name}: {len(lines)} translations of {len(references)} sentences; the corpus has changed")
    print(compare(systems, references, arguments.resamples, arguments.seed, corpus.summarises))


if __name__ == "__main__":
    main()
