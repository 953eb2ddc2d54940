"""The worked examples of chapter 10's second part: a lexicon and copying, at one step of one translation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace

import dynet as dy
import numpy as np

from book.figures.recorded import recorded
from chapters.beyond import names, open_vocabulary, output_parts as parts, word_tables as tables
from common.text.pairs import load_pairs
from common.text.vocab import Vocabulary

CHAPTER = "10_beyond"
RECORD = "figures/recorded_part2.json"

SOURCE = ["cestolan", "park", "cranes"]
"""The words of the source that matter, of "does cestolan park the cranes ?"."""
ALPHA = np.array([0.7, 0.2, 0.1])
"""What the first step of the decoder attends to."""
TARGET = ["cestolan", "petedan", "droduregai", "trasku", "na"]
NETWORK = np.array([0.10, 0.40, 0.20, 0.15, 0.15])
"""What we pretend that the softmax gives them, and that the lexicon says of each source word."""
TRANSLATIONS = {
    "cestolan": {"cestolan": 0.8, "na": 0.2},
    "park": {"trasku": 0.6, "na": 0.4},
    "cranes": {"droduregai": 0.9, "na": 0.1},
}
EPSILON, SHARE, GATE = 0.001, 0.5, 0.8
"""Of the bias; of the lexicon in a linear mixture; of copying."""
STRANGER = "ardora"
"""A name that no training pair has. Its source words, the target words that the network knows, what it gives them."""
ITS_SOURCE = [STRANGER, "mentions", "cranes"]
ITS_TARGET = ["petedan", "lusita", "droduregai", "na"]
ITS_NETWORK = np.array([0.30, 0.25, 0.20, 0.15, 0.10])
"""The first is for `<unk>`."""


@cache
def lexicon_table(epsilon: float = EPSILON) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """l_t of the target words; their probabilities with a bias and with a linear mixture. By the course's own code."""
    vocab, source = Vocabulary(TARGET), open_vocabulary.OpenVocabulary(Vocabulary(SOURCE))
    known = SimpleNamespace(best=lambda word, number: list(TRANSLATIONS.get(word, {}).items()), target=TARGET)
    table = tables.LexiconTable(source, tables.by_lexicon(known, vocab))
    dy.renew_cg()
    step = step_of(np.array([source.encode(SOURCE)]).T, ALPHA)
    logits = dy.inputTensor(np.log([1e-30, 1e-30, *NETWORK])[:, None])
    looked_up = step.look_up(table, len(vocab)).npvalue().ravel()[2:]
    biased = dy.softmax(parts.LexiconBias(table, epsilon).scores(logits, step)).npvalue().ravel()[2:]
    mixture = parts.Mixture(table, gate_of(SHARE))
    linear = np.exp(mixture.of_words(dy.log_softmax(dy.reshape(logits, (7,))), step, 7).npvalue())[2:]
    return looked_up, biased, linear


def step_of(source: np.ndarray, alpha: np.ndarray):
    """A step that reads a source, (S, 1), with these weights."""
    weights = dy.inputTensor(alpha[:, None])
    return parts.Step(dy.zeros((2, 1)), weights, source)


def gate_of(share: float):
    """A gate that always says the same."""
    return lambda both: dy.inputVector([math.log(share / (1 - share))])


def lexicon() -> Iterator[float]:
    """Epsilon; row by row: the network, l_t, the product with epsilon added, the bias' result, the mixture's."""
    looked_up, biased, linear = lexicon_table()
    yield EPSILON
    for number in range(len(TARGET)):
        yield from (NETWORK[number], looked_up[number], NETWORK[number] * (looked_up[number] + EPSILON))
        yield from (biased[number], linear[number])


def column() -> Iterator[float]:
    """l_t of "na", term by term."""
    shares = [TRANSLATIONS[word]["na"] for word in SOURCE]
    for weight, share in zip(ALPHA, shares, strict=True):
        yield from (weight, share)
    yield float(ALPHA @ shares)


def cost_of_silence() -> Iterator[float]:
    """What a mixture takes at least from a word that the lexicon does not have: a share, and in nats."""
    yield from (SHARE, -math.log(1 - SHARE))


@cache
def copying_table() -> dict[str, tuple[float, float, float]]:
    """Every word that can be written for a source with a strange name: what the network gives it, what attention
    does, and P of it by the course's own code."""
    known, source = Vocabulary(ITS_TARGET), open_vocabulary.OpenVocabulary(Vocabulary(ITS_SOURCE[1:]), ITS_TARGET)
    vocab = open_vocabulary.CopyingVocabulary(known).for_source(ITS_SOURCE)
    ids = np.array([source.encode(ITS_SOURCE)]).T
    mixture = parts.Mixture(tables.CopyingTable(source, known), gate_of(GATE))
    dy.renew_cg()
    log_probs = dy.log_softmax(dy.inputVector(np.log([1e-30, *ITS_NETWORK])))
    found = np.exp(mixture.of_words(log_probs, step_of(ids, ALPHA), len(vocab.words)).npvalue())
    network = dict(zip(["<unk>", *ITS_TARGET], ITS_NETWORK, strict=True))
    copied = dict(zip(ITS_SOURCE, ALPHA, strict=True))
    rows = [*ITS_SOURCE, "<unk>", *ITS_TARGET]
    return {
        word: (float(network.get(word, 0)), float(copied.get(word, 0)), float(found[vocab.words.index(word)]))
        for word in rows
    }


def copying() -> Iterator[float]:
    """The shares of both sides; then what each word gets from the network, from attention, and in all."""
    yield from (GATE, 1 - GATE)
    for row in copying_table().values():
        yield from row


def copied_loss() -> Iterator[float]:
    """Nats for the strange name where it is copied; and by the network alone, where `<unk>` has to be spelt."""
    copied, token, spelt = -math.log(copying_table()[STRANGER][2]), -math.log(ITS_NETWORK[0]), math.log(1e7)
    yield from (GATE * ALPHA[0], copied, token, spelt, token + spelt)


@cache
def names_in_test() -> dict[str, int]:
    """How many names of the test split training shows so often."""
    corpus = load_pairs("village_pairs")
    seen = Counter(word for pair in corpus.train for word in pair.source)
    found = dict.fromkeys(names.LEAST, 0)
    for pair in corpus.test:
        for name in names.names_of(pair):
            found[names.frequency(seen[name])] += 1
    return found


def rare() -> Iterator[float]:
    """Names of the test split in all, never seen, seen once, 2 to 4 times."""
    counts = list(names_in_test().values())
    yield from (sum(counts), *counts[:3])


def measured() -> dict:
    """What `book.figures.ch10_part2_record` has recorded."""
    return recorded(CHAPTER, RECORD)


def frequencies() -> list[str]:
    """How often training shows names, where the measured test split has such names."""
    (run, *_) = measured()["names"]["plain"].values()
    return [label for label, row in run["names"].items() if row["names"]]


def shares_right(system: str, key: str = "right") -> np.ndarray:
    """Names that a system translates rightly, in per cent, (seeds, frequencies). key: "right" or "replaced"."""
    runs = [run["names"] for run in measured()["names"][system].values()]
    return np.array([[100 * run[label][key] / run[label]["names"] for label in frequencies()] for run in runs])


ROWS = {
    "attention alone": ("plain", "right"),
    "attention alone, unknown words replaced": ("plain", "replaced"),
    "lexicon, linear": ("linear", "right"),
    "lexicon as bias": ("bias", "right"),
    "lexicon as bias, unknown words replaced": ("bias", "replaced"),
    "copying": ("copying", "right"),
}
"""The rows of the table of results: the system, and whether its unknown words were replaced afterwards."""


def results() -> Iterator[float]:
    """Row by row the means over the seeds: names never seen, seen once, two to four times, in per cent; BLEU."""
    shown = [frequencies().index(label) for label in ("never", "once", "2 to 4 times")]
    for system, key in ROWS.values():
        yield from shares_right(system, key).mean(axis=0)[shown].tolist()
        name = {"right": "bleu", "replaced": "bleu_replaced"}[key]
        yield float(np.mean([run[name] for run in measured()["names"][system].values()]))


def gate_results() -> Iterator[float]:
    """How much is copied in the recorded translation: of the unknown name, of the comma, at most of another word."""
    gate = dict(zip(measured()["gate"]["words"], measured()["gate"]["copied"], strict=True))
    yield from (gate.pop(STRANGER), gate.pop(","), max(gate.values()))


def ending() -> Iterator[float]:
    """The share of the lexicon that the first run has learnt, and what it leaves to `</s>` at most."""
    share = next(iter(measured()["share_of_lexicon"].values()))
    yield from (share, 1 - share)
