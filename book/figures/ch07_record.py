"""What figures and examples of chapter 7 show of trained models: `python -m book.figures.ch07_record RUN [RUN ...]`.

The runs are those of `python chapters/07_encoder_decoder/train.py --seed S`, one for each seed. The first one's model
is shown at work; the scores are of all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from book.figures.recorded import record
from book.worked.ch07 import CHAPTER, corpus
from book.worked.ch07_search import prior, traced
from chapters.encoder_decoder import compare_search as search
from common.errors import OneLineParser, exits_cleanly
from common.evaluation.metrics import bleu
from common.programs.chapters import load_run
from common.search.decoding import Hypothesis
from common.search.ensemble import log_mean
from common.search.length_prior import best_first
from common.search.translation import Conditional, Decoding, TranslationModel, target_log_probs, translate
from common.text.pairs import Pair
from tools.analyse.translations import bleu_by_length

COMMAND = "python -m book.figures.ch07_record, on runs of: python chapters/07_encoder_decoder/train.py --seed S"
KINDS = ("none", "normalise", "prior")
TREE, LENGTHS, BLEU, FORCED = "does nevedin read a seal ?", "the cats of halama miss the old shepherd .", 853, 818
"""Dev sentences whose search is shown, and the numbers of test sentences whose translation is."""
BEAM, LISTED = 3, 4
BEAMS, WIDE = (1, 2, 5, 10), 40


def dev_pair(source: str) -> Pair:
    return next(pair for pair in corpus().dev if pair.source == source.split())


def tree(model: TranslationModel) -> dict:
    """A beam search, all that competed in each step: its words, log P, and whether it stayed."""
    source, target = dev_pair(TREE)
    bound = Conditional(model, [source])
    steps = traced(bound, BEAM, LISTED, 8)
    told = [[[" ".join(one.words), one.log_prob, one.kept] for one in step] for step in steps]
    return {"source": TREE, "reference": " ".join(target), "beam": BEAM, "steps": told}


def by_length(model: TranslationModel, wide: int) -> dict:
    """The most probable translation of each length that a wide beam finds: words, log P, and the translation."""
    source, target = dev_pair(LENGTHS)
    best: dict[int, Hypothesis] = {}
    for found in translate(model, [source], Decoding(beam=wide))[0]:
        best.setdefault(len(found.words), found)
    told = [[length, best[length].log_prob, " ".join(best[length].words)] for length in sorted(best)]
    return {"source": LENGTHS, "reference": " ".join(target), "beam": wide, "best": told}


def forced(model: TranslationModel) -> dict:
    """The most probable next words where the reference's words are read, and where the model's own are."""
    source, target = corpus().test[FORCED]
    bound = Conditional(model, [source])
    state, best = bound.start(1), []
    for word in ["</s>", *target]:
        state, log_probs = model.advance(state, model.vocab.encode([word]))
        best.append(model.vocab.words[int(log_probs[0].argmax())])
    free = translate(model, [source])[0][0].words
    return {"source": " ".join(source), "reference": " ".join(target), "best": best, "free": " ".join(free)}


def first_words(models: Sequence[TranslationModel], listed: int = 4) -> dict:
    """What up to three models give to the first word of a translation, their mean, and the mean of logarithms."""
    source, target = dev_pair(TREE)
    rows = []
    for model in models[:3]:
        state = Conditional(model, [source]).start(1)
        rows.append(model.advance(state, [0])[1][0].astype(float))
    mean, logs = np.exp(log_mean(rows)), np.exp(np.mean(rows, axis=0))
    logs /= logs.sum()
    top = sorted({*np.argsort(-mean)[:listed].tolist(), *np.argsort(-logs)[:2].tolist()}, key=lambda i: -mean[i])
    words = [models[0].vocab.words[i] for i in top]
    members = [np.exp(row)[top].tolist() for row in rows]
    return {"source": TREE, "reference": " ".join(target), "words": words, "members": members,
            "mean": mean[top].tolist(), "of_logs": logs[top].tolist()}  # fmt: skip


def scores(model: TranslationModel, pairs: Sequence[Pair], beams: Sequence[int]) -> dict:
    """For each beam and score of length (reranking) BLEU, words as a share of the references', and log P a sentence;
    BLEU of greedy search by the source's length; what the references cost, in nats a sentence, and for the first and
    the last beam the share of references that are more probable than what was found (`better`)."""
    sources, targets = ([list(one) for one in side] for side in zip(*pairs, strict=True))
    wanted = [float(one.sum()) for one in target_log_probs(model, pairs)]
    told: dict = {"references": -float(np.mean(wanted)), "better": []}
    for beam in beams:
        found = translate(model, sources, Decoding(beam=beam))
        if beam in (beams[0], beams[-1]):
            told["better"].append(search.share_below([some[0].log_prob for some in found], wanted))
        for kind in KINDS if beam > 1 else KINDS[:1]:
            best = [
                best_first(some, kind, len(source), prior())[0] for some, source in zip(found, sources, strict=True)
            ]
            words = [one.words for one in best]
            told[f"{beam} {kind}"] = {
                "bleu": bleu(words, targets).value,
                "words": sum(map(len, words)) / sum(map(len, targets)),
                "log_prob": float(np.mean([one.log_prob for one in best])),
            }
            if beam == 1:
                told["by_source"] = bleu_by_length(pairs, words)
    return told


def example(model: TranslationModel) -> dict:
    """A test sentence and its translation by greedy search."""
    source, target = corpus().test[BLEU]
    found = translate(model, [source])[0][0].words
    return {"source": " ".join(source), "reference": " ".join(target), "found": " ".join(found)}


def numbers(models: Sequence[TranslationModel], pairs: Sequence[Pair], beams=BEAMS, wide: int = WIDE) -> dict:
    """All that figures and examples read. models: of several seeds; pairs: what is translated for the scores."""
    first = models[0]
    return {
        "tree": tree(first),
        "by_length": by_length(first, wide),
        "bleu": example(first),
        "forced": forced(first),
        "opinions": first_words(models),
        "scores": [scores(model, pairs, beams) for model in models],
    }


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m book.figures.ch07_record", description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folders, of seeds 1, 2, 3, ...")
    loaded = [load_run(run, CHAPTER) for run in parser.parse_args().runs]
    settings = {"seeds": [one.seed for _, one in loaded], "preset": loaded[0][1].preset, "beams": list(BEAMS),
                "wide": WIDE, "length_in": "reranking"}  # fmt: skip
    print(record(CHAPTER, COMMAND, settings, numbers([model for model, _ in loaded], corpus().test)))


if __name__ == "__main__":
    main()
