"""What part 3 of chapter 4 shows of a trained skip-gram: `python -m book.figures.ch04_skipgram_record`."""

from __future__ import annotations

from book.figures.ch04_record import CHAPTER, KINDS, by_kind, embeddings, neighbours
from book.figures.recording import Recording
from common.chapters import chapter_module

sampling, skipgram = (chapter_module(CHAPTER, name) for name in "negative_sampling skipgram".split())
NAME, COMMAND = "figures/recorded_skipgram.json", "python -m book.figures.ch04_skipgram_record"


def map_of(vectors, vocab) -> dict:
    """Nouns and verbs of some kinds on one plane, that of the principal components of both; and own-class shares."""
    groups = {name: neighbours.known(kinds, vocab) for name, kinds in embeddings.village_groups().items()}
    words = [word for ids in groups.values() for kind in KINDS for word in ids[kind]]
    places, share = embeddings.principal_plane(vectors[words])
    rest = iter(places.tolist())
    return {
        "places": {name: by_kind(rest, ids) for name, ids in groups.items()},
        "variance": share,
        "own class": {name: embeddings.own_class_share(vectors, ids)[0] for name, ids in groups.items()},
    }


def measure(**changes) -> tuple[dict, dict]:
    """Settings of a skip-gram, the defaults but for some changes, and the maps of both kinds of its vectors."""
    settings = sampling.NegativeSamplingSettings(**changes)
    vocab, model = skipgram.trained(settings)
    maps = {side: map_of(vectors, vocab) for side, vectors in (("input", model.M), ("output", model.C))}
    return {"seed": settings.seed, "epochs": settings.epochs}, maps


RECORDING = Recording(CHAPTER, COMMAND, lambda _: measure(), name=NAME)

if __name__ == "__main__":
    RECORDING.main(__doc__)
