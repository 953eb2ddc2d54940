"""Embeddings by counting: how much more often than by chance words are near each other, in fewer numbers by an SVD.

python chapters/04_feedforward_lm/count_vectors.py --word salmon

Letters in the shapes: V vocabulary, L embedding size. Nothing is random and nothing is trained.
"""

import runpy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import numpy as np

from common.errors import UserError, exits_cleanly
from common.training.cli import make_parser, setting

from .vectors import VectorSettings, encoded, show, shown_flags

MOST_WORDS = 8_000
"""A table of all pairs of more words takes gigabytes, and its SVD an hour."""


@dataclass(frozen=True)
class CountSettings(VectorSettings):
    """Every flag that decides what is computed."""

    power: float = setting(0.5, "of the singular values by which columns are scaled", minimum=0, maximum=1)


def cooccurrences(sentences: Sequence[np.ndarray], words: int, window: int) -> np.ndarray:
    """How often each word is near each other one in a sentence, (V, V), a nearer one counting more: one at a distance d
    counts (window + 1 - d) / window, as often as the skip-gram makes a pair of the two on average."""
    counts = np.zeros((words, words))
    for sentence in sentences:
        for distance in range(1, min(window, len(sentence) - 1) + 1):
            weight = (window + 1 - distance) / window
            np.add.at(counts, (sentence[:-distance], sentence[distance:]), weight)
    return counts + counts.T


def ppmi(counts: np.ndarray) -> np.ndarray:
    """Positive pointwise mutual information: max(0, ln P(w, c) / (P(w) P(c))) in nats, (V, V); 0 where no word is."""
    joint = counts / counts.sum()
    by_chance = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    ratio = np.divide(np.maximum(joint, by_chance), by_chance, out=np.ones_like(joint), where=by_chance > 0)
    return np.log(ratio)


def truncated_svd(table: np.ndarray, size: int, power: float) -> np.ndarray:
    """A vector for each row of a table (V, V): of its singular directions U those with the `size` largest singular
    values, scaled by a power of these: (V, L). With the power 1 dot products are those of the closest table of
    rank L."""
    U, S, _ = np.linalg.svd(table)
    return U[:, :size] * S[:size] ** power


@exits_cleanly
def main() -> None:
    parser = make_parser("Vectors of words by counting: PPMI of a window, and a truncated SVD.", CountSettings)
    flags, words, out = shown_flags(parser)
    settings = CountSettings(**flags)
    vocab, train, _ = encoded(settings, words)
    if len(vocab) > MOST_WORDS:
        raise UserError(
            f"--min-count {settings.min_count}: {len(vocab):,} words, but the table takes at most {MOST_WORDS:,}; "
            "choose a larger number"
        )
    table = ppmi(cooccurrences(train, len(vocab), settings.window))
    sides = {"PPMI": table, "SVD": truncated_svd(table, settings.embedding_size, settings.power)}
    show(vocab, sides, words, out, settings.corpus == "village")


if __name__ == "__main__":
    main()
