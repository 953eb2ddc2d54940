"""Flags with choices take them from what makes the thing."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import dynet as dy
import numpy as np
import pytest

from common.chapters import chapter_module
from common.errors import UserError
from common.evaluation.perplexity import UNKNOWN_KINDS, check_unknown_words, sentence_log_probs, spelling_log_probs
from common.evaluation.streaming import stream_log_probs
from common.nn.encoders import Source
from common.nn.optimiser import make_optimiser
from common.programs.chapters import CHAPTERS, NAMES
from common.text.batching import make_batch, pad
from common.text.ibm_model1 import Lexicon
from common.text.pairs import PairBatch, load_pairs, make_pair_batch
from common.text.vocab import Vocabulary
from common.training.cli import make_parser
from common.training.schedules import Schedule
from common.training.start_bias import START_BIASES
from common.training.text import Text

ROOT = CHAPTERS.parent
VOCAB = Vocabulary(["a", "b", "c", "d"])
LOG_FREQUENCIES = np.log([0.3, 0.05, 0.3, 0.2, 0.1, 0.05])
SENTENCES = [[2, 3, 4, 5, 3], [5, 2, 2], [4, 3]]


def of_chapter(number: int, module: str):
    return chapter_module(NAMES[number - 1], module)


def settings_of(number: int, **options):
    return of_chapter(number, "settings").Settings(**options)


def choices_of(number: int, name: str):
    (field,) = (candidate for candidate in dataclasses.fields(settings_of(number)) if candidate.name == name)
    return field.metadata["choices"]


# --- what a choice makes: something to compare


def loss_of(number: int, settings: Any) -> tuple[float, int]:
    """The loss of a batch by a new model of the chapter, from the same random numbers, and the model's size."""
    dy.reset_random_seed(1)
    dy.renew_cg()
    batch = make_batch(SENTENCES, range(len(SENTENCES)))
    if number < 7 or number == 11:
        if number in (4, 11):
            model_class = getattr(of_chapter(number, "model"), {4: "FeedForwardLM", 11: "TransformerLM"}[number])
            model = model_class.from_settings(settings, VOCAB, LOG_FREQUENCIES)
        else:
            model = of_chapter(number, "variants").make_model(VOCAB, settings, LOG_FREQUENCIES)
        loss = model.loss(batch, rng=np.random.default_rng(1))
        loss = loss[0] if isinstance(loss, tuple) else loss
    else:
        if number == 9:
            model_class = settings.model_class
        else:
            modules = {7: ("model", "EncoderDecoder"), 8: ("model", "AttentionalModel")}
            modules[12] = ("translator", "TransformerTranslator")
            module, name = modules[number]
            model_class = getattr(of_chapter(number, module), name)
        model = model_class.from_settings(settings, VOCAB, VOCAB, LOG_FREQUENCIES)
        loss = model.loss(make_pair_batch([sentence[::-1] for sentence in SENTENCES], batch))
    return loss.scalar_value(), model.collection.parameter_count()


def moved(number: int, settings: Any) -> tuple[float, ...]:
    """Where an optimiser takes a number in three steps against the same gradient."""
    collection = dy.ParameterCollection()
    weight, values = collection.add_parameters(1, init=1), []
    optimiser = make_optimiser(settings.optimiser, collection, 5.0)
    for optimiser.learning_rate in (0.1, 0.2, 0.1):
        dy.renew_cg()
        (weight * 0.5).backward()
        optimiser.update()
        values.append(float(weight.as_array()[0]))
    return tuple(values)


def learner_of(number: int, settings: Any) -> tuple:
    """The kind of a log-linear learner, and its weights after three steps."""
    features = of_chapter(2, "features").FeatureSet("word1", VOCAB, np.zeros(len(VOCAB), dtype=int), {})
    learner = of_chapter(2, "learners").LEARNERS[settings.engine]()(settings, features)
    learner.begin_epoch()
    for _ in range(3):
        learner.step(make_batch(SENTENCES, range(3)), 0.1)
    return type(learner).__name__, *(array.tobytes() for array in learner.model.arrays())


def rates(number: int, settings: Any) -> tuple[float, ...]:
    history = [{"dev_perplexity": 2.0}, {"dev_perplexity": 3.0}, {"dev_perplexity": 2.5}]
    return tuple(Schedule(settings.schedule, 1.0, 9, 0.5, 1)(done, history) for done in (0.5, 3.5))


def start_bias(number: int, settings: Any) -> list[float] | None:
    bias = START_BIASES[settings.bias](SENTENCES, len(VOCAB))
    return None if bias is None else bias.tolist()


def cost_of_unknown(number: int, settings: Any) -> str:
    """What a word is charged that the model does not know."""
    kind = "uniform" if settings.unk == "auto" else settings.unk  # what auto stands for, the corpus says
    vocab = Vocabulary(["a"])
    vocab.spell = lambda words: np.full(len(words), -5.0)
    try:
        check_unknown_words([["a", "x"]], vocab, kind)
    except UserError as error:
        return str(error)
    return f"{settings.unk} {spelling_log_probs([['a', 'x']], vocab, kind)}"


def reported(number: int, settings: Any) -> list[str]:
    """The figures of a split in metrics.json."""
    log_probs = lambda batch: np.full(batch.targets.shape, -1.0)  # noqa: E731
    model = SimpleNamespace(vocab=VOCAB, log_probs=log_probs)
    corpus = SimpleNamespace(dev=[["a"]], test=[["a"]], oracle=lambda _: None)
    settings = dataclasses.replace(settings, unk="uniform")
    return list(Text(corpus, VOCAB).report(model, settings, Path())[0]["dev"])


def network_of(number: int, settings: Any) -> tuple:
    """The engine of a network, and what it makes of the points of its task."""
    network = of_chapter(3, "train").make_network(settings)
    points = of_chapter(3, "tasks").make_task(settings.task).train.x
    return type(network).__name__, points.tobytes(), network.outputs(points).tobytes()


def carried(number: int, settings: Any) -> list[float]:
    """What the second sentence of a text costs, with the state of the first or without."""
    dy.reset_random_seed(1)
    model = of_chapter(5, "variants").make_model(VOCAB, settings, LOG_FREQUENCIES)
    carries = of_chapter(5, "settings").STATES[settings.state]
    scores = stream_log_probs(model, [["a", "b"], ["c"]], streams=1) if carries else None
    return (scores or sentence_log_probs(model, [["a", "b"], ["c"]]))[1].tolist()


@cache
def pairs():
    return load_pairs("village_pairs")


def tree_of(number: int, settings: Any) -> list:
    """The trees of the first training sentences."""
    sentences = [pair.source for pair in pairs().train[:20]]
    vocab = Vocabulary.from_sentences([pair.source for pair in pairs().train])
    ids = [of_chapter(7, "encoder").source_vocabulary(settings, vocab).encode(sentence) for sentence in sentences]
    source = Source.of(dy.ParameterCollection().add_parameters((len(vocab), 1)), ids)
    return getattr(of_chapter(7, "tree_encoders"), of_chapter(7, "encoder").TREES[settings.trees])(source)


def minimised(number: int, settings: Any) -> float:
    """What an objective makes of two pairs, from the same random numbers."""
    dy.reset_random_seed(1)
    batch = PairBatch(*pad([sentence[::-1] for sentence in SENTENCES[:2]]), make_batch(SENTENCES, range(2)))
    model = of_chapter(8, "model").AttentionalModel(VOCAB, VOCAB, hidden_size=4, dropout=0.0, init_scale=1.0)
    objectives = of_chapter(10, "objectives")
    objective = objectives.OBJECTIVES[settings.objective]
    if objective is objectives.scheduled:
        settings = dataclasses.replace(settings, own_words=0.9)
    if objective is objectives.raml:
        settings = dataclasses.replace(settings, temperature=1.0)
    return objective(model, settings, batch, 1.0, np.random.default_rng(1)).total.scalar_value()


def with_lexicon(number: int, settings: Any) -> float:
    """The loss of a batch by a model whose lexicon knows every word as its own translation."""
    dy.reset_random_seed(1)
    network = of_chapter(8, "model").AttentionalModel(VOCAB, VOCAB, hidden_size=4, dropout=0.0, init_scale=1.0)
    batch = PairBatch(*pad(SENTENCES), make_batch(SENTENCES, range(len(SENTENCES))))
    with TemporaryDirectory() as folder:
        Lexicon.learn([([word], [word]) for word in VOCAB.words[2:]]).save(Path(folder, "lexicon.npz"))
        model = of_chapter(10, "rare_words").add_parts(network, settings, Path(folder), settings)
    dy.renew_cg()
    return model.loss(batch).scalar_value()


def cost_of_three_words(number: int, settings: Any) -> float:
    objectives = of_chapter(10, "objectives")
    return objectives.cost_of([2, 4, 0], [2, 3, 4, 0], objectives.RISKS[settings.risk])


def mixed(number: int, settings: Any) -> list[float]:
    """The share of the reference's words as training goes on."""
    mixing = getattr(of_chapter(10, "mixing"), of_chapter(10, "objectives").MIXINGS[settings.mixing])
    return [mixing(0.5, progress) for progress in (0.0, 0.3, 1.0)]


def advantages(number: int, settings: Any) -> list:
    return of_chapter(10, "objectives").BASELINES[settings.baseline](np.array([[0.1, 0.5, 0.9]])).tolist()


MAKES = {
    "optimiser": moved,
    "schedule": rates,
    "bias": start_bias,
    "unk": cost_of_unknown,
    "accounting": reported,
    "state": carried,
    "trees": tree_of,
    "objective": minimised,
    "mixing": mixed,
    "baseline": advantages,
    "lexicon": with_lexicon,
    "risk": cost_of_three_words,
    "model": lambda number, settings: settings.network,
    **{(2, flag): learner_of for flag in ("engine", "optimiser")},
    **{(3, flag): network_of for flag in ("engine", "task", "activation")},
}
"""What shows a choice, by its flag, where the loss of a model does not."""
WITH = {
    "normaliser": {"softmax": "nce"},
    (6, "score"): {"merge_init": "uniform"},
    "feed": {"readout": "attentional"},
    (6, "parts"): {"merge_init": "uniform"},
    "mixing": {"objective": "scheduled"},
    "baseline": {"objective": "reinforce"},
    "classes_by": {"softmax": "class", "classes": 2},
    "dropout_kind": {"dropout": 0.5, "layers": 2},
    "pooling": {"encoder": "cnn", "width": 1},
    "trees": {"encoder": "recursive"},
    **{(number, "positions"): {"heads": 2} for number in (11, 12)},
    (9, "encoder"): {"system": "abs"},
    (9, "mean_of"): {"system": "ras-elman"},
}
"""What else must be given for a flag to matter."""
ELSEWHERE = {
    "device": "only a machine with a GPU can tell; tests/test_runtime.py",
    "counting": "what it makes is the same; tests/test_ngram_disk.py",
    "smoothing": "a name of methods.METHODS, below, or all; tests/test_ngram_lm.py compares the methods",
}


def fields_with_choices() -> list[tuple[int, str]]:
    numbered = enumerate((settings_of(number) for number in range(1, len(NAMES) + 1)), start=1)
    return [(n, f.name) for n, settings in numbered for f in dataclasses.fields(settings) if f.metadata["choices"]]


FLAGS = [(number, flag) for number, flag in fields_with_choices() if flag not in ELSEWHERE]


def conditions(number: int, flag: str) -> dict[str, Any]:
    return WITH.get((number, flag), WITH.get(flag, {}))


def made(number: int, flag: str, value: str) -> Any:
    """What a value of a flag makes."""
    sizes = {"hidden_size": 4, "init_scale": 1.0, "dropout": 0.0} | conditions(number, flag)
    settings = settings_of(number)
    values = {name: value for name, value in sizes.items() if hasattr(settings, name)} | {flag: value}
    return MAKES.get((number, flag), MAKES.get(flag, loss_of))(number, settings_of(number, **values))


@pytest.mark.parametrize("number, flag", FLAGS)
def test_each_value_makes_something_else(number: int, flag: str) -> None:
    """Of every flag with choices of every chapter."""
    values = [made(number, flag, value) for value in choices_of(number, flag)]
    assert len({repr(value) for value in values}) == len(values) > 1


@pytest.mark.slow
@pytest.mark.parametrize("number, flag", [pair for pair in FLAGS if pair[1] != "unk"])
def test_a_name_that_is_added_is_a_choice_and_works(number: int, flag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The choices are the dictionary itself: another name for one of its values is in --help, and makes the same."""
    registry, default = choices_of(number, flag), getattr(settings_of(number, **conditions(number, flag)), flag)
    assert isinstance(registry, Mapping)
    other = next(name for name in registry if name != default)
    expected, ordinary = made(number, flag, other), made(number, flag, default)
    monkeypatch.setitem(registry, "mine", registry[other])
    assert re.search(r"\bmine\b", make_parser("", type(settings_of(number))).format_help())
    assert repr(made(number, flag, "mine")) == repr(expected) != repr(ordinary)


def test_what_is_shown_elsewhere_is_still_there() -> None:
    assert set(ELSEWHERE) <= {flag for _, flag in fields_with_choices()}
    assert set(of_chapter(1, "methods").METHODS) - set(choices_of(1, "smoothing")) == {"maximum-likelihood"}
    assert set(UNKNOWN_KINDS) < set(choices_of(1, "unk"))


@pytest.mark.needs("time")
def test_chapter_1_does_without_dynet() -> None:
    code = "import importlib, sys; importlib.import_module('chapters.ngram_lm.settings'); print('dynet' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert result.stdout == "False\n", result.stderr
