"""Show the embeddings that a model has learnt: nearest neighbours of words, and maps of many words as PNG.

python chapters/04_feedforward_lm/neighbours.py --word salmon --word reads --of output
"""

import runpy
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: launch.py sets the course up, then runs it under its name
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "common" / "launch.py"), {"program": __file__})

from collections.abc import Sequence

import numpy as np

from common.errors import UserError, exits_cleanly
from common.programs.arguments import check_most, run_argument
from common.programs.chapters import load_run
from common.text.vocab import Vocabulary
from common.training import cli
from common.training.past_runs import latest_run

from .embeddings import draw_map, nearest, own_class_share, village_groups
from .settings import CHAPTER, TIEABLE, Settings

VILLAGE_WORDS = ["salmon", "cow", "letter", "reads", "sells", "mira", "she", "two"]


def vectors_of(model: Any, settings: Settings, side: str) -> np.ndarray:
    """A row per word, (V, size): M, with which words are read, or W_hs, with which they are predicted.

    Raises `UserError` where the softmax has no such rows.
    """
    if side == "input":
        return model.embedding.as_array()
    if settings.softmax not in TIEABLE:
        raise UserError(f"--of output: --softmax {settings.softmax} has no row of weights per word; use --of input")
    return model.softmax.W.as_array()


def neighbour_table(vocab: Vocabulary, embeddings: np.ndarray, words: Sequence[str], number: int) -> list[str]:
    """A line per word: its nearest neighbours with their cosines. Raises `UserError` for an unknown word."""
    check_known(words, vocab)
    lines = []
    for word in words:
        neighbours = nearest(embeddings, vocab.ids[word], range(2, len(vocab)), number)
        lines.append(f"{word:12} " + "  ".join(f"{vocab.words[other]} {cosine:.2f}" for other, cosine in neighbours))
    return lines


def usual_words(vocab: Vocabulary, of_village: bool) -> Sequence[str]:
    """The words to list where none is asked for: the village's, as far as the model knows them, or the first ones."""
    village = [word for word in VILLAGE_WORDS if word in vocab] if of_village else []
    return village or vocab.words[2 : 2 + len(VILLAGE_WORDS)]


def check_known(words: Sequence[str], vocab: Vocabulary) -> None:
    """Raises `UserError` for a word that the vocabulary does not have."""
    for word in words:
        if word not in vocab:
            raise UserError(f"--word {word}: not in this model's vocabulary; choose a word of its vocab.txt")


def known(groups: dict[str, list[str]], vocab: Vocabulary) -> dict[str, list[int]]:
    """The ids of those words that the model knows; a word that belongs to two groups is left out."""
    everyone = [word for words in groups.values() for word in words]
    known_ids = {
        name: [vocab.ids[word] for word in words if word in vocab and everyone.count(word) == 1]
        for name, words in groups.items()
    }
    return {name: ids for name, ids in known_ids.items() if ids}


@exits_cleanly
def main() -> None:
    parser = cli.OneLineParser(description="Nearest neighbours and maps of a model's word embeddings.")
    run_argument(parser)
    parser.add_argument(
        "--word", action="append", metavar="WORD", help="word whose neighbours to list; may be repeated"
    )
    parser.add_argument(
        "--of",
        choices=("input", "output"),
        default="input",
        help="the vectors of words as read, or as predicted (default: input)",
    )
    parser.add_argument("--number", type=int, default=6, metavar="N", help="neighbours per word (default: 6)")
    parser.add_argument("--most", type=int, default=150, metavar="N", help="words on the map of a real corpus")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder for the pictures (default: the run's)")
    arguments = parser.parse_args()
    check_most(arguments)
    if arguments.number < 1 or arguments.most < 3:
        raise UserError("--number must be at least 1, --most at least 3")
    folder = arguments.run or latest_run(CHAPTER, holding="model.npz")

    model, settings = load_run(folder, CHAPTER)
    vectors = vectors_of(model, settings, arguments.of)
    frequent = model.vocab.words[2 : 2 + arguments.most]
    of_village = settings.corpus == "village"
    words = arguments.word or usual_words(model.vocab, of_village)
    print("\n".join(neighbour_table(model.vocab, vectors, words, arguments.number)))
    maps = village_groups() if of_village else {"words": {"words": frequent}}
    for name, groups in maps.items():
        ids, path = known(groups, model.vocab), (arguments.out or folder) / f"{name}_{arguments.of}.png"
        if sum(map(len, ids.values())) < 2:
            print(f"{name}: the model knows fewer than two, too few for a map")
            continue
        share = draw_map(vectors, ids, model.vocab.words, path)
        print(f"{path}: {sum(map(len, ids.values()))} {name}, {share:.0%} of their variance")
        if of_village:
            own, chance = own_class_share(vectors, ids)
            print(f"  whose nearest neighbour is of their own class: {own:.0%} (by chance {chance:.0%})")


if __name__ == "__main__":
    main()
