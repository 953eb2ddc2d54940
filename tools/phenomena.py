"""Where a model stands on the words that one phenomenon decides: `python -m tools.phenomena RUN [RUN ...]`.

The grammar of the village knows for each word of the test split what decides it: local order, selection, agreement,
the topic, a name that comes back, or a new name. The oracle's perplexity on those words is the best there is.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from common import cli, runtime
from common.corpus import Sentence, load_corpus
from common.errors import UserError, exits_cleanly
from common.evaluation import sentence_log_probs
from data.oracle import phenomena, token_log_probs
from tools.chapters import load_trained

CORPUS = "village"


def by_phenomenon(labels: Sequence[Sequence[str]], log_probs: Sequence[np.ndarray]) -> dict[str, tuple[int, float]]:
    """How many words each phenomenon decides, and the perplexity on them.

    labels: one for each word; log_probs: in nats, one for each word and `</s>`, which counts as local order.
    """
    collected = defaultdict(list)
    for sentence_labels, costs in zip(labels, log_probs, strict=True):
        for label, log_prob in zip([*sentence_labels, "local"], costs, strict=True):
            collected[label].append(float(log_prob))
    return {label: (len(found), math.exp(-math.fsum(found) / len(found))) for label, found in collected.items()}


def model_log_probs(folder: Path, sentences: Sequence[Sentence]) -> list[np.ndarray]:
    """What the model of a run gives each word, unknown words spelt uniformly."""
    model, settings = load_trained(folder)
    if settings.corpus != CORPUS:
        raise UserError(f"{folder}: trained on {settings.corpus}; only the corpus {CORPUS} has known phenomena")
    return sentence_log_probs(model, sentences, "uniform")


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(prog="python -m tools.phenomena", description="Perplexity by phenomenon, on test.")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folder of a run of a language model")
    folders = parser.parse_args().runs
    runtime.configure()
    sentences = load_corpus(CORPUS).test
    labels = [phenomena(sentence) for sentence in sentences]
    columns = {"oracle": by_phenomenon(labels, [np.array(token_log_probs(sentence)) for sentence in sentences])}
    for folder in folders:
        columns[str(folder)] = by_phenomenon(labels, model_log_probs(folder, sentences))
    width = max(map(len, columns)) + 2
    print(f"{'':12}{'words':>8}" + "".join(f"{name:>{width}}" for name in columns))
    for label, (words, _) in sorted(columns["oracle"].items(), key=lambda item: -item[1][0]):
        print(f"{label:12}{words:8,}" + "".join(f"{column[label][1]:{width}.2f}" for column in columns.values()))


if __name__ == "__main__":
    main()
