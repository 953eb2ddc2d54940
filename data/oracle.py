"""The truth about the village corpus: what its sentences cost under the distribution that they were drawn from.

It is the best on average over texts: no model has a lower expected cost. On one split another model can be below it, by
chance within sampling error, or because it was trained on that split.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from common.errors import UserError
from common.files import read_json, reading, write_json
from common.text.corpus import read_sentences
from data.floors import floors
from data.grammar import Grammar, State
from data.village_grammar import START
from data.village_phrases import village

SEED = 1867  # of the committed splits
KNOWN_COUNT = 2  # a word is known that train holds at least so often
FLOOR_SEED = 77
VILLAGE_DIR = Path(__file__).parent / "village"


def token_log_probs(sentence: Sequence[str]) -> list[float]:
    """log P(word | all words before it) in nats for each word of a village sentence and for `</s>`: n + 1 numbers."""
    return village.token_log_probs(START, sentence)


def log_prob(sentence: Sequence[str]) -> float:
    """log P(sentence) in nats; minus infinity if the village grammar cannot say it."""
    return village.log_prob(START, sentence)


def next_word_probs(prefix: Sequence[str]) -> dict[str, float]:
    """P(next word | prefix) for each possible word and `</s>`; empty where the grammar cannot say the prefix."""
    return village.next_word_probs(village.initial(START), prefix)


def phenomena(sentence: Sequence[str], grammar: Grammar = village) -> list[str]:
    """What decides each word: "local", "selection", "agreement", "recall", "topic" or "name" (a new name). grammar: the
    village's, or one with other names.

    Where derivations differ, the one that is more probable given the words up to here counts.
    Raises `UserError` for a sentence that the village grammar cannot say.
    """
    return labels_along(grammar, grammar.initial(START), sentence)


def labels_along(grammar: Grammar, states: Mapping[State, float], sentence: Sequence[str]) -> list[str]:
    """What decides each word of a sentence that a grammar says from these states on; see `phenomena`."""
    labels = []
    for position, word in enumerate(sentence, start=1):
        weights: defaultdict[str, float] = defaultdict(float)
        transitions = grammar.transitions(states, word)
        for prob, terminal, _ in transitions:
            weights[terminal.phenomenon] += prob
        if not weights:
            raise UserError(f"the village grammar does not allow word {position}, {word!r}, in: {' '.join(sentence)}")
        labels.append(max(weights, key=weights.__getitem__))
        _, states = grammar.after(transitions)
    return labels


def known_words(train: Sequence[Sequence[str]]) -> set[str]:
    """The words that occur at least twice in train."""
    counts = Counter(word for sentence in train for word in sentence)
    return {word for word, count in counts.items() if count >= KNOWN_COUNT}


def split_truth(
    sentences: Sequence[Sequence[str]], vocabulary: set[str], grammar: Grammar = village
) -> dict[str, float | int]:
    """Log-probability (nats), predictions (words and `</s>`) and perplexity: of all, and of the known words alone.

    The `known` numbers leave out the predictions of unknown words; what follows an unknown word is still predicted with
    full knowledge of it, as the oracle has it.
    """
    return summarise(sentences, (grammar.token_log_probs(START, sentence) for sentence in sentences), vocabulary)


def summarise(
    sentences: Iterable[Sequence[str]], log_probs: Iterable[Sequence[float]], vocabulary: set[str]
) -> dict[str, float | int]:
    """The results of `split_truth`. log_probs: for each sentence log P of its words and of `</s>`, in nats."""
    of_all, of_known = [], []
    for sentence, costs in zip(sentences, log_probs, strict=True):
        predictions = zip([*sentence, None], costs, strict=True)
        of_all.extend(costs)
        of_known.extend(log_prob for word, log_prob in predictions if not word or word in vocabulary)
    return _summary(of_all) | {f"known_{key}": value for key, value in _summary(of_known).items()}


def _summary(log_probs: list[float]) -> dict[str, float | int]:
    total = math.fsum(log_probs)
    perplexity = math.exp(-total / len(log_probs))
    return {"log_prob": round(total, 6), "predictions": len(log_probs), "perplexity": round(perplexity, 6)}


def village_truth(splits: dict[str, list[list[str]]], floor_sentences: int) -> dict:
    """What `oracle.json` holds: `split_truth` of each split, and the floors of n-gram models from a large sample."""
    vocabulary = known_words(splits["train"])
    truth: dict = {split: split_truth(sentences, vocabulary) for split, sentences in splits.items()}
    sample = village.sampler(START, FLOOR_SEED)
    truth["floors"] = {**floors(iter(sample, None), floor_sentences), "sentences": floor_sentences}
    return truth


def write_truth(folder: Path, truth: dict | None) -> None:
    """Write `oracle.json`; without a truth, remove the one about what was in the folder before."""
    if truth is None:
        (folder / "oracle.json").unlink(missing_ok=True)
    else:
        write_json(folder / "oracle.json", truth)


def print_oracle(splits: Sequence[str]) -> None:
    """Compute the truth about each split anew, and print it with the floors of `oracle.json`."""
    texts = {split: read_sentences(VILLAGE_DIR / f"{split}.txt") for split in dict.fromkeys(["train", *splits])}
    vocabulary = known_words(texts["train"])
    print_figures({split: (len(texts[split]), split_truth(texts[split], vocabulary)) for split in splits})
    print_floors(VILLAGE_DIR / "oracle.json")


def print_figures(figures: Mapping[str, tuple[int, Mapping[str, float]]]) -> None:
    """Print one line per split. figures: split -> how many sentences it has, and what `summarise` says of them."""
    print("perplexity under the true distribution, the best on average over texts")
    print(f"{'split':<8}{'sentences':>10}{'predictions':>13}{'perplexity':>12}{'unknown':>9}{'without them':>14}")
    for split, (sentences, truth) in figures.items():
        unknown = truth["predictions"] - truth["known_predictions"]
        print(
            f"{split:<8}{sentences:>10,}{truth['predictions']:>13,}{truth['perplexity']:>12.3f}"
            f"{unknown / truth['predictions']:>9.2%}{truth['known_perplexity']:>14.3f}"
        )
    print(f"unknown: words that occur in train fewer than {KNOWN_COUNT} times\n")


def print_floors(path: Path) -> None:
    """Print the floors that `oracle.json` holds."""
    missing = "no floors; run `python -m data generate`"
    with reading(path, missing, missing):
        floors = read_json(path)["floors"]
        bounds = {order: (floors[order]["low"], floors[order]["high"]) for order in ("unigram", "bigram", "trigram")}
        lines = [f"{order:<8} between {low:.2f} and {high:.2f}" for order, (low, high) in bounds.items()]
        title = f"(from {floors['sentences']:,} sentences)"
    print(f"the best that models with a short memory could reach {title}", *lines, sep="\n")
