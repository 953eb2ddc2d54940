"""Embeddings without a language model: train the skip-gram with negative sampling, and show what it has learnt.

python chapters/04_feedforward_lm/skipgram.py --seed 1 --word salmon
"""

import runpy
from collections.abc import Sequence
from pathlib import Path

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

import numpy as np

from common.errors import UserError, exits_cleanly
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from common.training.cli import make_parser

from .embeddings import draw_map, own_class_share, village_groups
from .negative_sampling import SkipGram, SkipGramSettings
from .neighbours import check_known, known, neighbour_table, usual_words

NUMBER = 6
"""Neighbours that are listed for each word."""


def trained(settings: SkipGramSettings, words: Sequence[str] = ()) -> tuple[Vocabulary, SkipGram]:
    """The vocabulary of a corpus, and vectors trained on it.

    Raises `UserError` where no words stand together, and for `words` that the corpus does not have.
    """
    corpus = load_corpus(settings.corpus)
    vocab = Vocabulary.from_sentences(corpus.train, settings.min_count)
    check_known(words, vocab)
    ids = [vocab.encode(sentence) for sentence in corpus.train]
    if max(map(len, ids), default=0) < 2:
        raise UserError(f"--corpus {settings.corpus}: no sentence of train has two words")
    counts, model = np.bincount(np.concatenate(ids).astype(int), minlength=len(vocab)), SkipGram(len(vocab), settings)
    for epoch in range(1, settings.epochs + 1):
        print(f"epoch {epoch}: {model.train_epoch(ids, counts):.3f} nats for each pair", flush=True)
    return vocab, model


@exits_cleanly
def main() -> None:
    parser = make_parser("Vectors of words by the skip-gram with negative sampling.", SkipGramSettings)
    parser.add_argument(
        "--word", action="append", metavar="WORD", default=[], help="word whose neighbours to list; may be repeated"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", default=None, help="an existing folder for maps")
    flags = vars(parser.parse_args())
    words, out = flags.pop("word"), flags.pop("out")
    if out is not None and not out.is_dir():
        raise UserError(f"--out {out}: no such folder")
    settings = SkipGramSettings(**flags)
    of_village = settings.corpus == "village"
    if out is not None and not of_village:
        raise UserError("--out: maps are of the village's words; leave it out with another corpus")
    vocab, model = trained(settings, words)
    words = words or usual_words(vocab, of_village)
    for side, vectors in (("input", model.M), ("output", model.C)):
        print(f"\n{side} vectors", *neighbour_table(vocab, vectors, words, NUMBER), sep="\n")
        for name, groups in village_groups().items() if of_village else ():
            ids = known(groups, vocab)
            if sum(map(len, ids.values())) < 2:
                continue
            own, chance = own_class_share(vectors, ids)
            print(f"{name} whose nearest neighbour is of their own class: {own:.1%} (by chance {chance:.1%})")
            if out is not None:
                draw_map(vectors, ids, vocab.words, out / f"skipgram_{name}_{side}.png")


if __name__ == "__main__":
    main()
