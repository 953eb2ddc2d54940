"""Embeddings without a language model: train skip-gram or CBOW with negative sampling, and show what was learnt.

python chapters/04_feedforward_lm/skipgram.py --seed 1 --word salmon
python chapters/04_feedforward_lm/skipgram.py --method cbow
"""

import runpy
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import numpy as np

from common.errors import exits_cleanly
from common.text.vocab import Vocabulary
from common.training.cli import make_parser

from .negative_sampling import NegativeSamplingSettings, WordVectors
from .vectors import encoded, show, shown_flags


def trained(settings: NegativeSamplingSettings, words: Sequence[str] = ()) -> tuple[Vocabulary, WordVectors]:
    """The vocabulary of a corpus, and vectors trained on it. Raises `UserError` as `encoded` does."""
    vocab, train, dev = encoded(settings, words)
    counts, model = np.bincount(np.concatenate(train), minlength=len(vocab)), WordVectors(len(vocab), settings)
    for epoch in range(1, settings.epochs + 1):
        loss = model.train_epoch(train, counts)
        print(f"epoch {epoch}: {loss:.3f} nats for each prediction, dev {model.loss(dev, counts):.3f}", flush=True)
    return vocab, model


@exits_cleanly
def main() -> None:
    parser = make_parser("Vectors of words by skip-gram or CBOW with negative sampling.", NegativeSamplingSettings)
    flags, words, out = shown_flags(parser)
    settings = NegativeSamplingSettings(**flags)
    vocab, model = trained(settings, words)
    sides = {f"{settings.method} input": model.M, f"{settings.method} output": model.C}
    show(vocab, sides, words, out, settings.corpus == "village")


if __name__ == "__main__":
    main()
