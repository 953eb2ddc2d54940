"""What figures and examples of chapter 8 show of trained models: `python -m book.figures.ch08_record RUNS`.

The runs are those of chapters 7 and 8 with their defaults, and of the variants of chapter 8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from book.figures.recording import Recording, by_phenomenon, linked_pair
from common.evaluation.metrics import bleu
from common.programs.chapters import load_run
from common.search.attending import force
from common.search.decoding import Hypothesis
from common.search.translation import TranslationModel, target_log_probs
from common.search.unknown_words import replace_unknown
from common.text.alignment import alignment_figures, links_of, true_alignments
from common.text.ibm_model1 import Lexicon
from common.text.pairs import Pair, ParallelCorpus, load_pairs
from common.text.vocab import UNKNOWN, split_words
from data.pairs import truth_of
from tools.analyse.phenomena import labels_of_pairs
from tools.analyse.translations import bleu_by_length
from tools.compare import read_run

CHAPTER = "08_attention"
COMMAND = "python -m book.figures.ch08_record, on runs of: python chapters/CHAPTER/train.py --seed S [FLAGS]"
SYSTEMS = {"encoder-decoder": "07_encoder_decoder", "attention": CHAPTER}
VARIANTS = {"position-bias": "--position-bias", "supervised": "--supervised 1"}
"""The runs with a prior whose attention is drawn beside the default's, and their flags."""
SEEDS = range(1, 6)
LONG, SHORT = 3, 5
"""The pair of test whose attention is drawn, and the pair of dev whose error rate is computed by hand."""


class System(NamedTuple):
    """A trained model, and its translations of the test split by greedy search."""

    model: TranslationModel
    translations: Sequence[list[str]]


def shown(corpus: ParallelCorpus, split: str, number: int, models: Mapping[str, TranslationModel]) -> dict:
    """A pair, its true links, and what models attend to while they read the target: a row for each prediction."""
    pair = getattr(corpus, split)[number]
    weights = {name: force(model, [pair.source], [pair.target])[0].attention for name, model in models.items()}
    return {
        "split": split,
        "number": number,
        **linked_pair(corpus, split, number),
        "weights": {name: rows.astype(float).tolist() for name, rows in weights.items()},
    }


def phenomena(corpus: ParallelCorpus, pairs: Sequence[Pair], systems: Mapping[str, Sequence[System]]) -> dict:
    """For what decides a target word: how many there are, and the perplexity of the oracle and of each model."""
    truth = truth_of(corpus.name, corpus.facts)
    labels = labels_of_pairs(truth, pairs, systems["attention"][0].model.vocab)
    costs = {name: [target_log_probs(own.model, pairs, "token") for own in some] for name, some in systems.items()}
    return by_phenomenon(labels, [truth.token_log_probs(*pair) for pair in pairs], costs, "words")


def attended(system: System, pairs: Sequence[Pair]) -> list[Hypothesis]:
    """The translations with what was attended to, where they hold an unknown word; the others without."""
    places = [place for place, words in enumerate(system.translations) if UNKNOWN in words]
    forced = force(system.model, [pairs[p].source for p in places], [system.translations[p] for p in places])
    attention = {place: hypothesis.attention for place, hypothesis in zip(places, forced, strict=True)}
    zero = np.zeros((1, 1))
    return [Hypothesis(words, 0.0, True, attention.get(place, zero)) for place, words in enumerate(system.translations)]


def unknown(systems: Sequence[System], pairs: Sequence[Pair], lexicon: Lexicon) -> dict:
    """BLEU of each model with `<unk>` as it is, copied over, and looked up; and one replacement."""
    sources, targets = ([list(sentence) for sentence in side] for side in zip(*pairs, strict=True))
    results: dict = {"none": [], "copy": [], "dictionary": [], "replaced": []}
    for system in systems:
        found = list(zip(attended(system, pairs), sources, strict=True))
        results["none"].append(bleu(system.translations, targets).value)
        results["copy"].append(bleu([replace_unknown(*each) for each in found], targets).value)
        results["dictionary"].append(bleu([replace_unknown(*each, lexicon) for each in found], targets).value)
        results["replaced"].append(sum(words.count(UNKNOWN) for words in system.translations))
    return results


def example(system: System, pairs: Sequence[Pair]) -> dict:
    """The first short sentence of test that is right once its `<unk>` is replaced: what each step attended to."""
    hypotheses = attended(system, pairs)
    short = [
        (hypothesis, pair)
        for hypothesis, pair in zip(hypotheses, pairs, strict=True)
        if UNKNOWN in hypothesis.words and len(pair.source) < 9
    ]
    right = [(found, pair) for found, pair in short if replace_unknown(found, pair.source) == list(pair.target)]
    found, pair = (right or [(hypotheses[0], pairs[0])])[0]
    return {"source": pair.source, "target": pair.target, "found": found.words, "weights": found.attention}


def alignments(systems: Sequence[System], corpus: ParallelCorpus) -> list[dict[str, float]]:
    """Error rate, precision and recall of each model's links, the references being read."""
    true = true_alignments(corpus, "test")
    sources, targets = zip(*corpus.test, strict=True)
    forced = [force(system.model, sources, targets) for system in systems]
    return [alignment_figures([links_of(one.attention) for one in some], true) for some in forced]


def system(run: Path) -> System:
    _, lines = read_run(run, "test")
    return System(load_run(run)[0], [split_words(line) for line in lines])


def measure(folder: Path) -> tuple[dict, dict]:
    """Settings and numbers of the runs in a folder."""
    systems = {name: [system(folder / f"{chapter}-seed{seed}") for seed in SEEDS] for name, chapter in SYSTEMS.items()}
    variants = {name: load_run(folder / f"{name}-seed1", CHAPTER)[0] for name in VARIANTS}
    corpus, ours = load_pairs("village_pairs"), systems["attention"]
    pairs = corpus.test
    settings = {"preset": "quick", "seeds": list(SEEDS), "variants": VARIANTS, "variants_seed": 1}
    return settings, {
        "long": shown(corpus, "test", LONG, {"default": ours[0].model, **variants}),
        "short": shown(corpus, "dev", SHORT, {"default": ours[0].model}),
        "by_length": {
            name: [bleu_by_length(pairs, system.translations) for system in some] for name, some in systems.items()
        },
        "phenomena": phenomena(corpus, pairs, systems),
        "unknown": unknown(ours, pairs, Lexicon.learn(corpus.train)),
        "example": example(ours[0], pairs),
        "alignments": alignments(ours, corpus),
    }


RECORDING = Recording(
    CHAPTER,
    COMMAND,
    measure,
    {
        **{f"{chapter}-seed{seed}": (chapter, f"--seed {seed}") for chapter in SYSTEMS.values() for seed in SEEDS},
        **{f"{name}-seed1": (CHAPTER, f"--seed 1 {flags}") for name, flags in VARIANTS.items()},
    },
)

if __name__ == "__main__":
    RECORDING.main(__doc__)
