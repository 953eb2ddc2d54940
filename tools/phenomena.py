"""Results of models on the words that one phenomenon decides: `python -m tools.phenomena RUN [RUN ...]`.

The grammar of the village knows for each word of the test split what decides it: local order, selection, agreement,
the topic, a name that comes back, or a new name. The oracle in the table is the best on average over texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from common.errors import UserError, exits_cleanly
from common.evaluation.perplexity import sentence_log_probs
from common.programs.chapters import load_run
from common.text.corpus import Sentence, load_corpus
from common.training import cli
from data.phenomena import phenomena_table

CORPUS = "village"


def model_log_probs(folder: Path, sentences: Sequence[Sentence]) -> list[np.ndarray]:
    """What the model of a run gives each word, unknown words spelt uniformly."""
    model, settings = load_run(folder)
    if settings.corpus != CORPUS:
        raise UserError(f"{folder}: trained on {settings.corpus}; only the corpus {CORPUS} has known phenomena")
    return sentence_log_probs(model, sentences, "uniform")


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(prog="python -m tools.phenomena", description="Perplexity by phenomenon, on test.")
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="folder of a run of a language model")
    folders = parser.parse_args().runs
    sentences = load_corpus(CORPUS).test
    print(phenomena_table(sentences, {str(folder): model_log_probs(folder, sentences) for folder in folders}))


if __name__ == "__main__":
    main()
