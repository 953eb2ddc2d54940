"""Results of translation models on the words that one phenomenon decides: `python -m tools.pair_phenomena RUN ...`.

The grammar of the embedded pairs knows for each target word of the test split what decides it: the next source word,
agreement, a particle, another order, a name to be copied, free choice (data/README.md). Words that a model does not
know, most of them names, are counted apart: what they cost says more about the spelling than about the model. A model
of pieces (--subwords) knows them all, and gives a word the product of its pieces' probabilities.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from common.errors import UserError, exits_cleanly
from common.evaluation.pieces import log_probs_of_words
from common.programs.chapters import load_run
from common.search.translation import TranslationModel, target_log_probs
from common.text.pairs import Pair, load_pairs
from common.text.subwords import PairSplitter, require_words
from common.text.vocab import Vocabulary
from common.training import cli
from data.pair_truth import PairTruth
from data.pairs import truth_of
from data.phenomena import by_label

UNKNOWN_LABEL = "<unk>"


def labels_of(truth: PairTruth, pairs: Sequence[Pair], vocab: Vocabulary | None) -> list[list[str]]:
    """What decides each target word, and `</s>`; `<unk>` for words that are not in the vocabulary (None: all are)."""
    return [
        [
            label if vocab is None or word in vocab else UNKNOWN_LABEL
            for label, word in zip(truth.phenomena(*pair), pair.target, strict=True)
        ]
        + ["</s>"]
        for pair in pairs
    ]


def table(labels: Sequence[Sequence[str]], columns: Mapping[str, Sequence[np.ndarray]]) -> str:
    """Perplexity by phenomenon, the frequent ones first. columns: a model's name -> log-probabilities of each pair."""
    found = {name: by_label(labels, log_probs) for name, log_probs in columns.items()}
    first = next(iter(found.values()))
    rows = [f"{'decided by':14}{'words':>8}" + "".join(f"{f'[{n}]':>9}" for n in range(1, len(found) + 1))]
    for label, (words, _) in sorted(first.items(), key=lambda item: -item[1][0]):
        rows.append(f"{label:14}{words:8,}" + "".join(f"{column[label][1]:9.2f}" for column in found.values()))
    return "\n".join([*rows, *(f"[{number}] {name}" for number, name in enumerate(found, start=1))])


def run_of(folder: Path, corpus: str) -> tuple[TranslationModel, Any]:
    """The model and the settings of a run on this corpus. Raises `UserError` for another."""
    model, settings = load_run(folder)
    if settings.corpus != corpus:
        raise UserError(f"{folder}: trained on {settings.corpus}; this table is about {corpus}, see --corpus")
    return model, settings


def model_of(folder: Path, corpus: str) -> TranslationModel:
    """The model of words of a run on this corpus. Raises `UserError` for a model of pieces."""
    model, settings = run_of(folder, corpus)
    require_words(settings, folder)
    return model


def model_and_splitter(folder: Path, corpus: str) -> tuple[TranslationModel, PairSplitter | None]:
    """The same, of words or of pieces, and what cuts words into the pieces."""
    model, settings = run_of(folder, corpus)
    return model, PairSplitter.of_run(folder, settings, model)


def log_probs_of(model: TranslationModel, splitter: PairSplitter | None, pairs: Sequence[Pair]) -> list[np.ndarray]:
    """For each pair the log-probabilities of its target words and `</s>`, in nats."""
    if splitter is None:
        return target_log_probs(model, pairs, "token")
    pieces = splitter.pairs(pairs)
    found = target_log_probs(model, pieces, "token")
    return [log_probs_of_words(pair.target, log_probs) for pair, log_probs in zip(pieces, found, strict=True)]


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(prog="python -m tools.pair_phenomena", description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders of trained translation models")
    parser.add_argument("--corpus", default="village_pairs", metavar="NAME", help="what they were trained on")
    arguments = parser.parse_args()
    corpus = load_pairs(arguments.corpus)
    truth, pairs = truth_of(corpus.name, corpus.facts), corpus.test
    models = {str(run): model_and_splitter(run, arguments.corpus) for run in arguments.runs}
    vocabs = [model.vocab for model, splitter in models.values() if splitter is None]
    if any(vocab.words != vocabs[0].words for vocab in vocabs):
        raise UserError("the models know different words; compare those trained with one --min-count")
    oracle = [truth.token_log_probs(*pair) for pair in pairs]
    columns = {name: log_probs_of(*model, pairs) for name, model in models.items()}
    labels = labels_of(truth, pairs, vocabs[0] if vocabs else None)
    print(table(labels, {"oracle": oracle, **columns}))


if __name__ == "__main__":
    main()
