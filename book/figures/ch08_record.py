"""What figures and examples of chapter 8 show of trained models: `python -m book.figures.ch08_record RUNS`.

RUNS is a folder that holds runs of train.py of chapters 7 and 8, each called CHAPTER-seedS for the default, and
NAME-seed1 for the variants of chapter 8 (`VARIANTS`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from book.figures.recorded import record
from common.errors import OneLineParser, exits_cleanly
from common.evaluation.metrics import bleu
from common.programs.chapters import load_run
from common.search.attending import force
from common.search.decoding import Hypothesis
from common.search.translation import TranslationModel, target_log_probs
from common.search.unknown_words import replace_all
from common.text.alignment import alignment_figures, links_of, true_alignments
from common.text.ibm_model1 import Lexicon
from common.text.pairs import Pair, ParallelCorpus, load_pairs
from common.text.vocab import UNKNOWN
from common.text.words import split_words
from data.pairs import truth_of
from data.phenomena import by_label
from tools.analyse.phenomena import labels_of_pairs
from tools.analyse.translations import bleu_by_length
from tools.compare import read_run

CHAPTER = "08_attention"
COMMAND = "python -m book.figures.ch08_record, on runs of: python chapters/CHAPTER/train.py --seed S [FLAGS]"
SYSTEMS = {"encoder-decoder": "07_encoder_decoder", "attention": CHAPTER}
VARIANTS = {"position-bias": "--position-bias", "supervised": "--supervised 1"}
"""The runs with a prior whose attention is drawn beside the default's, and their flags."""
LONG, SHORT = 3, 5
"""The pair of test whose attention is drawn, and the pair of dev whose error rate is computed by hand."""


class System(NamedTuple):
    """A trained model, and its translations of the test split by greedy search."""

    model: TranslationModel
    found: Sequence[list[str]]


def shown(corpus: ParallelCorpus, split: str, number: int, models: Mapping[str, TranslationModel]) -> dict:
    """A pair, its true links, and what models attend to while they read the target: a row for each prediction."""
    pair, links = getattr(corpus, split)[number], true_alignments(corpus, split)[number]
    weights = {name: force(model, [pair.source], [pair.target])[0].attention for name, model in models.items()}
    return {
        "split": split,
        "number": number,
        "source": list(pair.source),
        "target": list(pair.target),
        "links": sorted(map(list, links)),
        "weights": {name: rows.astype(float).tolist() for name, rows in weights.items()},
    }


def phenomena(corpus: ParallelCorpus, pairs: Sequence[Pair], systems: Mapping[str, Sequence[System]]) -> dict:
    """For what decides a target word: how many there are, and the perplexity of the oracle and of each model."""
    truth = truth_of(corpus.name, corpus.facts)
    labels = labels_of_pairs(truth, pairs, systems["attention"][0].model.vocab)
    oracle = by_label(labels, [truth.token_log_probs(*pair) for pair in pairs])
    found = {
        name: [by_label(labels, target_log_probs(one.model, pairs, "token")) for one in some]
        for name, some in systems.items()
    }
    return {
        label: {"words": words, "oracle": best, **{name: [one[label][1] for one in found[name]] for name in found}}
        for label, (words, best) in oracle.items()
    }


def attended(system: System, pairs: Sequence[Pair]) -> list[Hypothesis]:
    """The translations with what was attended to, where they hold an unknown word; the others without."""
    places = [place for place, words in enumerate(system.found) if UNKNOWN in words]
    told = force(system.model, [pairs[p].source for p in places], [system.found[p] for p in places])
    attention = {place: one.attention for place, one in zip(places, told, strict=True)}
    zero = np.zeros((1, 1))
    return [Hypothesis(words, 0.0, True, attention.get(place, zero)) for place, words in enumerate(system.found)]


def unknown(systems: Sequence[System], pairs: Sequence[Pair], lexicon: Lexicon) -> dict:
    """BLEU of each model with `<unk>` as it is, copied over, and looked up; and one replacement."""
    sources, targets = ([list(one) for one in side] for side in zip(*pairs, strict=True))
    told: dict = {"none": [], "copy": [], "dictionary": [], "replaced": []}
    for system in systems:
        found = attended(system, pairs)
        told["none"].append(bleu(system.found, targets).value)
        told["copy"].append(bleu(replace_all(found, sources), targets).value)
        told["dictionary"].append(bleu(replace_all(found, sources, lexicon), targets).value)
        told["replaced"].append(sum(words.count(UNKNOWN) for words in system.found))
    return told


def example(system: System, pairs: Sequence[Pair]) -> dict:
    """The first short sentence of test that is right once its `<unk>` is replaced: what each step attended to."""
    found = attended(system, pairs)
    right = [
        place
        for place, (one, pair) in enumerate(zip(found, pairs, strict=True))
        if UNKNOWN in one.words and len(pair.source) < 9 and replace_all([one], [pair.source]) == [list(pair.target)]
    ]
    place = right[0] if right else 0
    pair = pairs[place]
    return {
        "source": list(pair.source),
        "target": list(pair.target),
        "found": list(found[place].words),
        "weights": np.asarray(found[place].attention, dtype=float).tolist(),
    }


def alignments(systems: Sequence[System], corpus: ParallelCorpus, pairs: Sequence[Pair]) -> list[dict[str, float]]:
    """Error rate, precision and recall of each model's links, the references being read."""
    true = true_alignments(corpus, "test")[: len(pairs)]
    sources, targets = zip(*pairs, strict=True)
    return [
        alignment_figures([links_of(one.attention) for one in force(system.model, sources, targets)], true)
        for system in systems
    ]


def measure(
    systems: Mapping[str, Sequence[System]], variants: Mapping[str, TranslationModel], pairs: Sequence[Pair]
) -> dict:
    """All that figures and examples read. systems: of several seeds; pairs: of test, from its beginning."""
    corpus = load_pairs("village_pairs")
    lexicon, ours = Lexicon.learn(corpus.train), systems["attention"]
    return {
        "long": shown(corpus, "test", LONG, {"default": ours[0].model, **variants}),
        "short": shown(corpus, "dev", SHORT, {"default": ours[0].model}),
        "by_length": {name: [bleu_by_length(pairs, one.found) for one in some] for name, some in systems.items()},
        "phenomena": phenomena(corpus, pairs, systems),
        "unknown": unknown(ours, pairs, lexicon),
        "example": example(ours[0], pairs),
        "alignments": alignments(ours, corpus, pairs),
    }


def system(run: Path) -> System:
    _, lines = read_run(run, "test")
    return System(load_run(run)[0], [split_words(line) for line in lines])


@exits_cleanly
def main() -> None:
    parser = OneLineParser(prog="python -m book.figures.ch08_record", description=__doc__)
    parser.add_argument("runs", type=Path, metavar="RUNS", help="the folder of the runs")
    folder, seeds = parser.parse_args().runs, range(1, 6)
    systems = {name: [system(folder / f"{chapter}-seed{seed}") for seed in seeds] for name, chapter in SYSTEMS.items()}
    variants = {name: load_run(folder / f"{name}-seed1", CHAPTER)[0] for name in VARIANTS}
    settings = {"preset": "quick", "seeds": list(seeds), "variants": VARIANTS, "variants_seed": 1}
    print(record(CHAPTER, COMMAND, settings, measure(systems, variants, load_pairs("village_pairs").test)))


if __name__ == "__main__":
    main()
