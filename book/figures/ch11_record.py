"""What the figures of chapter 11 show of trained models: `python -m book.figures.ch11_record RUNS`.

Some runs of the village (two to three minutes each), measured on its test split, and what reading and generating cost
as sentences grow, in seconds of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import dynet as dy
import numpy as np

from book.figures.recording import Recording, by_phenomenon
from common.chapters import chapter_module
from common.programs.chapters import load_run
from common.text.batching import make_batch
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from data.phenomena import labels_of, oracle_log_probs
from tools.analyse.heads import attention_of, earlier_places, returns
from tools.analyse.phenomena import VILLAGE, model_log_probs
from tools.metrics import read_metrics

CHAPTER = "11_transformer"
SYSTEMS = {
    "sinusoidal": ("", (1, 2)),
    "rotary": ("--positions rotary", (1, 2)),
    "none": ("--positions none", (1, 2)),
    "bag": ("--positions none --layers 1", (1, 2)),
    "one head": ("--heads 1", (1, 2)),
    "no norm": ("--norm none", (1,)),
    "post": ("--norm post", (1,)),
}
"""By name: flags, and the seeds of the runs."""
SENTENCE = "orlek sees floran by the fountain , and floran brings orlek his dented pans ."
SPLITS = ("dev", "test")
LENGTHS = (10, 20, 40, 80, 160, 320)
ROWS, WORDS, SIZE = 8, 200, 128
"""Of what is timed: sentences side by side, the vocabulary, the hidden size."""


def folder_of(name: str, seed: int) -> str:
    return f"{name.replace(' ', '-')}-{seed}"


def measure(runs: Path) -> tuple[dict, dict]:
    """Settings and numbers of the runs."""
    sentences = load_corpus(VILLAGE).test
    labels, oracle = labels_of(sentences), oracle_log_probs(sentences)
    folders = {name: [runs / folder_of(name, seed) for seed in seeds] for name, (_, seeds) in SYSTEMS.items()}
    costs = {name: [model_log_probs(run, sentences) for run in of_system] for name, of_system in folders.items()}
    first = load_run(folders["sinusoidal"][0])[0]
    metrics = {name: [read_metrics(run) for run in of_system] for name, of_system in folders.items()}
    numbers = {
        "parameters": metrics["sinusoidal"][0]["parameters"],
        **{split: {n: [run[split]["perplexity"] for run in runs] for n, runs in metrics.items()} for split in SPLITS},
        "phenomena": by_phenomenon(labels, oracle, costs),
        "sentence": SENTENCE.split(),
        "attention": attention_of(first, SENTENCE.split()).tolist(),
        "returns": weight_on_returns(first, sentences, labels),
        "cost": costs_by_length(),
    }
    systems = {name: flags or "the default" for name, (flags, _) in SYSTEMS.items()}
    return {"preset": "quick", "systems": systems}, numbers


def weight_on_returns(
    model: Any, sentences: Sequence[Sequence[str]], labels: Sequence[Sequence[str]]
) -> dict[str, list]:
    """Where a name comes back, the mean weight of each block and head on the name's earlier places, on `<s>`, and on
    the word read last: (layers, heads) each. labels: what decides each word."""
    sums: dict[str, list[np.ndarray]] = {"the name": [], "<s>": [], "the last word": []}
    for sentence, place in returns(sentences, labels):
        weights = attention_of(model, sentence)[:, :, place]  # column 0 has read <s>, column i + 1 word i
        sums["the name"].append(weights[:, :, earlier_places(sentence, place)].sum(axis=-1))
        sums["<s>"].append(weights[:, :, 0])
        sums["the last word"].append(weights[:, :, place])
    return {kind: np.mean(rows, axis=0).tolist() for kind, rows in sums.items()}


def timed_models() -> dict[str, Any]:
    """The models whose time is measured, untrained and of one size."""
    vocab = Vocabulary(f"w{number}" for number in range(2, WORDS))
    attentive = chapter_module("06_attentive_lm", "model").AttentiveLM
    return {
        "Transformer": chapter_module(CHAPTER, "model").TransformerLM(vocab, hidden_size=SIZE),
        "attentive LSTM": attentive(vocab, hidden_size=SIZE, score="combined"),
        "LSTM": attentive(vocab, hidden_size=SIZE, score="none"),
    }


def costs_by_length() -> dict[str, Any]:
    """Milliseconds of the processor for each word: training by length, and generation by what was read before."""
    models = timed_models()
    training = {name: [median_ms(train_step, model, T) / T / ROWS for T in LENGTHS] for name, model in models.items()}
    ways = {"with the cache": next_word, "without": whole_again}
    generation = {name: [median_ms(way, models["Transformer"], T) for T in LENGTHS] for name, way in ways.items()}
    return {"lengths": LENGTHS, "training": training, "generation": generation}


def median_ms(run: Callable[[Any, int], float], model: Any, length: int) -> float:
    """Milliseconds: the median of five measurements, which run gives in seconds, after a first one."""
    return 1000 * float(np.median([run(model, length) for _ in range(6)][1:]))


def train_step(model: Any, length: int) -> float:
    """Forward and backward through sentences of so many words."""
    words = np.random.default_rng(1).integers(2, WORDS, (ROWS, length - 1)).tolist()
    batch, started = make_batch(words, range(ROWS)), time.process_time()
    dy.renew_cg()
    loss = model.loss(batch)
    loss.forward()
    loss.backward()
    return time.process_time() - started


def next_word(model: Any, length: int) -> float:
    """The next word of one sentence after so many words, whose keys and values are there."""
    state = model.start(1)
    for word in range(length):
        state, log_probs = model.next_words(state, [2 + word % 7])
    log_probs.npvalue()
    started = time.process_time()
    model.next_words(state, [3])[1].npvalue()
    return time.process_time() - started


def whole_again(model: Any, length: int) -> float:
    """The same by reading the whole sentence again."""
    inputs = np.array([[2 + word % 7 for word in range(length + 1)]]).T
    dy.renew_cg()
    started = time.process_time()
    dy.log_softmax(dy.pick_batch_elem(model.logits(inputs), length)).npvalue()
    return time.process_time() - started


RUNS: Mapping[str, tuple[str, str]] = {
    folder_of(name, seed): (CHAPTER, f"{flags} --seed {seed}".strip())
    for name, (flags, seeds) in SYSTEMS.items()
    for seed in seeds
}
RECORDING = Recording(CHAPTER, f"python chapters/{CHAPTER}/train.py FLAGS --seed SEED", measure, RUNS)

if __name__ == "__main__":
    RECORDING.main(__doc__)
