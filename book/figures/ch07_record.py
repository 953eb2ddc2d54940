"""What figures and examples of chapter 7 show of trained models: `python -m book.figures.ch07_record RUNS`.

The first seed's model is shown at work; the scores are of all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from book.explorer.next_words import distributions
from book.figures.beams import traced
from book.figures.recording import Recording
from book.lessons.cells import namespace
from chapters.encoder_decoder import compare_search as search
from common.evaluation.metrics import bleu
from common.programs.chapters import load_run
from common.search.decoding import Hypothesis
from common.search.ensemble import log_mean
from common.search.length_prior import best_first
from common.search.searches import Decoding, translate
from common.search.translation import Conditional, TranslationModel, target_log_probs
from common.text.pairs import Pair
from tools.analyse.translations import bleu_by_length

COMMAND = "python -m book.figures.ch07_record, on runs of: python chapters/07_encoder_decoder/train.py --seed S"
CHAPTER = "07_encoder_decoder"
SEEDS = range(1, 6)
KINDS = ("none", "normalise", "prior")
TREE, LENGTHS, BLEU, FORCED = "does nevedin read a seal ?", "the cats of halama miss the old shepherd .", 853, 818
"""Dev sentences whose search is shown, and the numbers of test sentences whose translation is."""
BEAM, LISTED = 3, 4
BEAMS, WIDE = (1, 2, 5, 10), 40


def dev_pair(source: str) -> Pair:
    return next(pair for pair in namespace("07")["pairs"].dev if pair.source == source.split())


def tree(model: TranslationModel) -> dict:
    """A beam search, in each step the best continuations of every hypothesis: words, log P, and whether it stayed."""
    source, target = dev_pair(TREE)
    steps = []
    for step in traced(Conditional(model, [source]), BEAM, 8):
        seen = Counter()
        steps.append([])
        for words, log_prob, kept in step:
            seen[words[:-1]] += 1
            if seen[words[:-1]] <= LISTED:
                steps[-1].append([" ".join(words), log_prob, kept])
    return {"source": TREE, "reference": " ".join(target), "beam": BEAM, "steps": steps}


def by_length(model: TranslationModel, wide: int) -> dict:
    """The most probable translation of each length that a wide beam finds: words, log P, and the translation."""
    source, target = dev_pair(LENGTHS)
    best: dict[int, Hypothesis] = {}
    for hypothesis in translate(model, [source], Decoding(beam=wide))[0]:
        best.setdefault(len(hypothesis.words), hypothesis)
    rows = [[length, best[length].log_prob, " ".join(best[length].words)] for length in sorted(best)]
    return {"source": LENGTHS, "reference": " ".join(target), "beam": wide, "best": rows}


def forced(model: TranslationModel) -> dict:
    """The most probable next words where the reference's words are read, and where the model's own are."""
    source, target = namespace("07")["pairs"].test[FORCED]
    best = [model.vocab.words[row.argmax()] for row in distributions(Conditional(model, [source]), target)]
    free = translate(model, [source])[0][0].words
    return {"source": " ".join(source), "reference": " ".join(target), "best": best, "free": " ".join(free)}


def first_words(models: Sequence[TranslationModel], listed: int = 4) -> dict:
    """What up to three models give to the first word of a translation, their mean, and the mean of logarithms."""
    source, target = dev_pair(TREE)
    rows = [distributions(Conditional(model, [source]), [])[0] for model in models[:3]]
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
    sources, targets = ([list(sentence) for sentence in side] for side in zip(*pairs, strict=True))
    true_log_probs = [float(log_probs.sum()) for log_probs in target_log_probs(model, pairs)]
    results: dict = {"references": -float(np.mean(true_log_probs)), "better": []}
    for beam in beams:
        translations = translate(model, sources, Decoding(beam=beam))
        if beam in (beams[0], beams[-1]):
            results["better"].append(search.share_below([some[0].log_prob for some in translations], true_log_probs))
        for kind in KINDS if beam > 1 else KINDS[:1]:
            lists = zip(translations, sources, strict=True)
            best = [best_first(some, kind, len(source), namespace("07", 2)["prior"])[0] for some, source in lists]
            words = [hypothesis.words for hypothesis in best]
            results[f"{beam} {kind}"] = {
                "bleu": bleu(words, targets).value,
                "words": sum(map(len, words)) / sum(map(len, targets)),
                "log_prob": float(np.mean([hypothesis.log_prob for hypothesis in best])),
            }
            if beam == 1:
                results["by_source"] = bleu_by_length(pairs, words)
    return results


def example(model: TranslationModel) -> dict:
    """A test sentence and its translation by greedy search."""
    source, target = namespace("07")["pairs"].test[BLEU]
    translation = translate(model, [source])[0][0].words
    return {"source": " ".join(source), "reference": " ".join(target), "found": " ".join(translation)}


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


def measure(runs: Path) -> tuple[dict, dict]:
    """Settings and numbers of the runs in a folder."""
    models = [load_run(runs / name, CHAPTER)[0] for name in RECORDING.runs]
    settings = {"seeds": list(SEEDS), "preset": "quick", "beams": list(BEAMS), "wide": WIDE, "length_in": "reranking"}
    return settings, numbers(models, namespace("07")["pairs"].test)


RECORDING = Recording(
    CHAPTER, COMMAND, measure, {f"{CHAPTER}-seed{seed}": (CHAPTER, f"--seed {seed}") for seed in SEEDS}
)

if __name__ == "__main__":
    RECORDING.main(__doc__)
