"""What the figures of chapter 4 show of trained models: `python -m book.figures.ch04_record RUNS`, about two minutes.

The chapter's quick preset is trained twice, with dropout and without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import dynet as dy
import numpy as np

from book.counted import distribution, trained
from book.figures.recording import Recording
from chapters.feedforward_lm import embeddings, neighbours
from common.nn.dropout import drop
from common.programs.chapters import load_run
from data.oracle import next_word_probs
from tools.metrics import read_metrics

CHAPTER = "04_feedforward_lm"
PROGRAM = f"chapters/{CHAPTER}/train.py"

SEED, RATES = 1, (0.0, 0.2)
SIDES = ("input", "output")
KINDS = ("grain", "goods", "dish", "beast", "text", "instrument", "fish")
"""The kinds of things on the maps: as many as there are colours."""
WORDS, NEAREST = ("reads", "salmon"), 5
HISTORY, KIND = "mira translates a strange", "text"
"""Train holds neither its last three words in a row nor all four, and the grammar lets only a text follow."""
UNITS, DRAWS = 20, 3


def curves(epochs: list[dict]) -> dict[str, list[float]]:
    """Perplexity by epoch, on train while learning and on dev."""
    return {split: [epoch[f"{split}_perplexity"] for epoch in epochs] for split in ("train", "dev")}


def unseen_history(lm) -> dict:
    """What may follow `HISTORY`: every thing of the right kind, other things, other words, by three models."""
    nouns = {kind: [word for word in words if word in lm.vocab] for kind, words in
             embeddings.village_groups()["nouns"].items()}  # fmt: skip
    history, probs_of = HISTORY.split(), {}
    for name, model in (("n-gram", trained("kneser-ney", 5)), ("network", lm)):
        probs_of[name] = dict(zip(model.vocab.words, distribution(model, history).tolist(), strict=True))
    shares = {"history": HISTORY, "kind": KIND, "words": nouns[KIND]}
    everything = dict.fromkeys(word for words in nouns.values() for word in words)  # a set has another order each time
    for name, probs in {**probs_of, "oracle": next_word_probs(history)}.items():
        each = [probs.get(word, 0.0) for word in nouns[KIND]]
        things = sum(probs.get(word, 0.0) for word in everything)
        shares[name] = {"each": each, "other things": things - sum(each), "other words": 1 - things}
    return shares


def maps(lm, vectors: dict[str, np.ndarray]) -> dict:
    """Verbs and nouns of some kinds on the plane of their principal components, as read and as predicted."""
    planes = {}
    for group, kinds in embeddings.village_groups().items():
        ids = neighbours.known(kinds, lm.vocab)
        for side in SIDES:
            places, share = embeddings.principal_plane(vectors[side][[word for kind in KINDS for word in ids[kind]]])
            own, chance = embeddings.own_class_share(vectors[side], ids)
            planes[f"{group} {side}"] = {"places": by_kind(iter(places.tolist()), ids), "variance": share}
            planes[f"{group} {side}"] |= {"own kind": own, "by chance": chance}
    return planes


def by_kind(places: Iterator, ids: Mapping[str, Sequence[int]]) -> dict[str, list]:
    """The next places, one for each word of each kind."""
    return {kind: [next(places) for _ in ids[kind]] for kind in KINDS}


def nearest(lm, vectors: dict[str, np.ndarray]) -> dict:
    """The nearest neighbours of `WORDS` with their cosines, as read and as predicted."""
    everyone = range(2, len(lm.vocab))
    return {word: {side: [[lm.vocab.words[other], cosine] for other, cosine in
                          embeddings.nearest(vectors[side], lm.vocab.ids[word], everyone, NEAREST)]
                   for side in SIDES} for word in WORDS}  # fmt: skip


def dropped(lm) -> dict:
    """The first units of the hidden layer after `HISTORY`, without dropout and with, drawn three times."""
    words = np.array(lm.vocab.encode(HISTORY.split()))[:, None]
    dy.reset_random_seed(SEED)
    dy.renew_cg()
    h = lm.hidden(words)
    draws = [drop(h, lm.dropout).npvalue().ravel()[:UNITS].tolist() for _ in range(DRAWS)]
    return {"rate": lm.dropout, "without": h.npvalue().ravel()[:UNITS].tolist(), "with": draws}


def measure(runs: Path) -> tuple[dict, dict]:
    """Settings and numbers of the two runs in a folder."""
    lm, settings = load_run(runs / f"dropout{RATES[-1]}", CHAPTER)
    vectors = {side: neighbours.vectors_of(lm, settings, side) for side in SIDES}
    numbers = {
        "curves": {str(rate): curves(read_metrics(runs / f"dropout{rate}")["epochs"]) for rate in RATES},
        "unseen history": unseen_history(lm),
        "maps": maps(lm, vectors),
        "nearest": nearest(lm, vectors),
        "dropped": dropped(lm),
        "log-probabilities": np.log(distribution(lm, HISTORY.split())).tolist(),
    }
    return {"seed": SEED, "dropout": list(RATES), "lm": lm.name}, numbers


RECORDING = Recording(
    CHAPTER,
    f"python {PROGRAM} --seed {SEED}, and the same with --dropout {RATES[0]}",
    measure,
    {f"dropout{rate}": (CHAPTER, f"--seed {SEED} --dropout {rate}") for rate in RATES},
)

if __name__ == "__main__":
    RECORDING.main(__doc__)
