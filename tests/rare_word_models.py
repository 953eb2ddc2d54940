"""Small models with a lexicon or copying, each beside its twin in NumPy float64."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from common.chapters import chapter_module
from common.text.batching import make_batch, pad
from common.text.ibm_model1 import Lexicon
from common.text.pairs import PairBatch
from common.text.vocab import Vocabulary
from tests import rare_words_reference as reference, rnn_reference as rnn
from tests.attention_models import AttentionalModel, NumpyModel, Settings, Twin
from tests.small_models import parameters_of


def of_chapter(name: str) -> Any:
    return chapter_module("10_beyond", name)


SOURCE_WORDS, WORDS = ["hen", "ox", "sees", "waits"], ["ba", "do", "ku", "ox"]
TAUGHT = [
    (["hen", "sees", "ox"], ["ba", "do", "ox"]),
    (["ox", "waits"], ["ox", "ku"]),
    (["hen", "waits"], ["ba", "ku"]),
    (["gnu", "waits"], ["gnome", "ku"]),
]
"""What the lexicon learns from: "gnu" is known to no network, and "gnome" to no vocabulary."""
SOURCES = [
    ["hen", "sees", "yak"],
    ["ox"],
    ["waits", "yak", "gnu", "yak", "emu"],
    ["sees", "hen"],
    ["emu", "yak"],
    ["ox", "sees"],
]
TARGETS = [["ba", "yak"], ["ox", "ku"], ["emu", "do", "yak", "ba"], ["zo", "hen", "ba"], [], ["emu"]]
"""Known words that are copied or not, unknown ones that can be copied, and unknown ones that cannot: "zo", and an "emu"
that only other sources have."""
KINDS = {
    "bias": {"lexicon": "bias", "lexicon_epsilon": 0.02},
    "linear": {"lexicon": "linear"},
    "copying": {"copying": True},
    "bias and copying": {"lexicon": "bias", "copying": True},
    "linear and copying": {"lexicon": "linear", "copying": True},
}


def make_model(folder: Path, kind: str, seed: int = 4, **options: Any) -> Any:
    """A model with the parts of this kind, and random numbers as its parameters. folder: keeps the lexicon."""
    settings = {"hidden_size": 4, "dropout": 0.0, "layers": 1} | options
    network = AttentionalModel(Vocabulary(SOURCE_WORDS), Vocabulary(WORDS), **settings)
    Lexicon.learn(TAUGHT).save(folder / "lexicon.npz")
    parts = of_chapter("networks").PartSettings(**KINDS[kind])
    model = of_chapter("rare_words").add_parts(network, parts, folder, Settings(**settings))
    rnn.randomise(parameters_of(model), 0.8, seed)
    return model


def batch_of(model: Any, sources: Sequence[Sequence[str]], targets: Sequence[Sequence[str]]) -> PairBatch:
    ids = [model.source_vocab.encode(source) for source in sources]
    pairs = zip(sources, targets, strict=True)
    targets = [model.vocab.for_source(source).encode(target) for source, target in pairs]
    return PairBatch(*pad(ids), make_batch(targets, range(len(targets))))


class RareTwin(NumpyModel):
    """The same in NumPy; the arrays in `weights` may be changed."""

    def __init__(self, model: Any, kind: str):
        self.network, self.chosen = Twin(model.network), of_chapter("networks").PartSettings(**KINDS[kind])
        self.parameters, self.vocab = dict(self.network.parameters), model.vocab
        for name, part in model.parts.items():
            gate = getattr(part, "gate", None)
            self.parameters |= {f"{name} {key}": value for key, value in vars(gate).items()} if gate else {}
        self.weights = self.network.weights | rnn.weights_of(
            {name: value for name, value in self.parameters.items() if name not in self.network.weights}
        )
        lexicon = Lexicon.learn(TAUGHT)
        self.lexicon = {f: {e: lexicon.probability(e, f) for e in lexicon.target} for f in lexicon.source}
        self.known = ["</s>", "<unk>", *WORDS]

    def steps_of(self, number: int) -> list[SimpleNamespace]:
        """log P of every next word, by its number in the sentence, step by step of one of the pairs."""
        source, steps = SOURCES[number], self.steps(SOURCES[number], ["<s>", *TARGETS[number]])
        vocab, size = self.vocab.for_source(source), len(self.known) + max(map(len, SOURCES))
        log_probs = np.full((len(steps), size if self.chosen.copying else len(self.known)), -np.inf)
        for row, step in zip(log_probs, steps, strict=True):
            assert sum(step.values()) == pytest.approx(1, abs=1e-12)
            row[vocab.encode(list(step))] = np.log(list(step.values()))
        return [SimpleNamespace(log_probs=row) for row in log_probs]

    def log_probs(self, number: int) -> list[float]:
        """log P of each word of the target and `</s>`; a word that cannot be said counts as `<unk>`."""
        targets = [*self.vocab.for_source(SOURCES[number]).encode(TARGETS[number]), 0]
        return [step.log_probs[target] for step, target in zip(self.steps_of(number), targets, strict=True)]

    def steps(self, source: Sequence[str], inputs: Sequence[str]) -> list[reference.Distribution]:
        """P(next word) after each of the inputs, `<s>` among them."""
        ids = [({"<unk>": 1} | {word: 2 + i for i, word in enumerate(SOURCE_WORDS)}).get(word, 1) for word in source]
        read = [0, *(self.known.index(word) if word in self.known else 1 for word in inputs[1:])]
        return [self.words(step, source) for step in self.network.steps(ids, read)]

    def words(self, step: Any, source: Sequence[str]) -> reference.Distribution:
        result = dict(zip(self.known, np.exp(step.log_probs), strict=True))
        looked_up = reference.mean([reference.rendered(self.lexicon, f, self.known) for f in source], step.weights)
        if self.chosen.lexicon == "bias":
            result = reference.biased(result, looked_up, self.chosen.lexicon_epsilon)
        if self.chosen.lexicon == "linear":
            result = reference.mixed(result, looked_up, reference.sigmoid(float(self.weights["lexicon linear a"][0])))
        if self.chosen.copying:
            w, b = self.weights["copying w"], float(self.weights["copying b"][0])
            copied = reference.mean([{word: 1.0} for word in source], step.weights)
            result = reference.mixed(result, copied, reference.gate(w, b, step.hidden, step.context))
        return result
