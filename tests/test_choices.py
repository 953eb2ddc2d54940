"""Flags with choices take them from what makes the thing, and settings are checked wherever they are made."""

from __future__ import annotations

import dataclasses
import importlib
import json
import math
import subprocess
import sys
from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from common.errors import UserError
from common.nn.attention import SCORES
from common.nn.optimiser import OPTIMISERS, make_optimiser
from common.nn.parameters import DynetParameters
from common.nn.recurrent import CELLS
from common.nn.softmax import TIED
from common.programs.chapters import CHAPTERS, load_run
from common.text.vocab import Vocabulary
from common.training.cli import MOST, parse_settings
from common.training.loop import SCHEDULES, START_BIASES, Schedule

ROOT = CHAPTERS.parent
NAMES = sorted(path.parent.name for path in CHAPTERS.glob("*/settings.py"))
VOCAB = Vocabulary(["a", "b", "c", "d"])


def of_chapter(number: int, module: str):
    return importlib.import_module(f"chapters.{NAMES[number - 1]}.{module}")


def settings_of(number: int, **options):
    return of_chapter(number, "settings").Settings(**options)


def choices_of(number: int, name: str) -> tuple[str, ...]:
    (field,) = (one for one in dataclasses.fields(settings_of(number)) if one.name == name)
    return field.metadata["choices"]


REGISTRIES = [
    *((number, "optimiser", OPTIMISERS) for number in range(4, 10)),
    *((number, "schedule", SCHEDULES) for number in (2, *range(4, 10))),
    *((number, "bias", START_BIASES) for number in (2, *range(4, 10))),
    *((number, "cell", CELLS) for number in (5, 7, 8, 9)),
    *((number, "softmax", TIED) for number in (5, 7, 8)),
    (2, "optimiser", of_chapter(2, "optimisers").OPTIMISERS),
    (3, "activation", of_chapter(3, "model").ACTIVATIONS),
    (4, "softmax", of_chapter(4, "softmaxes").SOFTMAXES),
    (4, "activation", of_chapter(4, "softmaxes").ACTIVATIONS),
    (4, "normaliser", of_chapter(4, "softmaxes").NORMALISERS),
    (8, "score", SCORES),
]


@pytest.mark.parametrize("number, flag, registry", REGISTRIES)
def test_the_choices_are_the_keys(number: int, flag: str, registry: dict) -> None:
    assert choices_of(number, flag) == tuple(registry)


def test_smoothings_are_the_methods_that_know_every_word_possible() -> None:
    assert set(of_chapter(1, "methods").METHODS) - set(choices_of(1, "smoothing")) == {"maximum-likelihood"}


def shapes(model) -> tuple:
    parameters = DynetParameters(model)
    sizes = zip(parameters.names(), map(np.shape, parameters.arrays()), strict=True)
    return type(getattr(model, "softmax", None)), *sizes


@pytest.mark.parametrize(
    "number, flag, make",
    [
        (4, "softmax", lambda s: of_chapter(4, "model").FeedForwardLM(VOCAB, s, np.log(np.full(6, 1 / 6)))),
        (4, "normaliser", lambda s: of_chapter(4, "model").FeedForwardLM(VOCAB, s, np.log(np.full(6, 1 / 6)))),
        (5, "cell", lambda s: of_chapter(5, "pointer").make_model(VOCAB, s)),
        (5, "softmax", lambda s: of_chapter(5, "pointer").make_model(VOCAB, s)),
        (6, "score", lambda s: of_chapter(6, "model").AttentiveLM.from_settings(VOCAB, s)),
        (7, "softmax", lambda s: of_chapter(7, "model").EncoderDecoder(VOCAB, VOCAB, s)),
        (7, "cell", lambda s: of_chapter(7, "model").EncoderDecoder(VOCAB, VOCAB, s)),
        (8, "cell", lambda s: of_chapter(8, "model").AttentionalModel(VOCAB, VOCAB, s)),
        (8, "score", lambda s: of_chapter(8, "model").AttentionalModel(VOCAB, VOCAB, s)),
        (9, "cell", lambda s: of_chapter(9, "model").WordAttentionModel(VOCAB, VOCAB, s)),
        (9, "variant", lambda s: of_chapter(9, "model").WordAttentionModel(VOCAB, VOCAB, s)),
        (9, "query", lambda s: of_chapter(9, "model").WordAttentionModel(VOCAB, VOCAB, s)),
    ],
)
def test_each_choice_makes_another_model(number: int, flag: str, make) -> None:
    chosen = choices_of(number, flag)
    base = {"hidden_size": 4} | ({"softmax": "nce"} if flag == "normaliser" else {})
    models = [make(settings_of(number, **{**base, flag: name})) for name in chosen]
    assert len({(model.name, shapes(model)) for model in models}) == len(chosen) > 1


def test_each_schedule_and_bias_is_another() -> None:
    history = [{"dev_perplexity": 2.0}, {"dev_perplexity": 3.0}, {"dev_perplexity": 2.5}]
    rates = {Schedule(kind, 1.0, 9, 0.5, 1)(3.5, history) for kind in SCHEDULES}
    assert len(rates) == len(SCHEDULES)
    biases = [make([[2, 3], [2]], 6) for make in START_BIASES.values()]
    assert biases[1] is None and np.exp(biases[0]).sum() == pytest.approx(1)


@pytest.mark.parametrize("kind", OPTIMISERS)
def test_each_optimiser_is_its_own(kind: str) -> None:
    assert type(make_optimiser(kind, dy.ParameterCollection(), 5.0)) is OPTIMISERS[kind]


ADDED = """
import sys
from common import runtime
runtime.set_up([])
from common.nn import optimiser
class Mine(optimiser.SGD):
    pass
optimiser.OPTIMISERS["mine"] = Mine
import importlib
module = importlib.import_module("chapters.06_attentive_lm.settings")
from common.training.cli import make_parser
import dynet as dy
assert "mine" in make_parser("", module.Settings).format_help()
settings = module.Settings(optimiser="mine")
assert type(optimiser.make_optimiser(settings.optimiser, dy.ParameterCollection(), 5.0)) is Mine
print("added")
"""


def test_a_name_added_in_one_place_is_a_choice_and_works() -> None:
    result = subprocess.run([sys.executable, "-c", ADDED], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert result.stdout.endswith("added\n"), result.stderr


def test_chapter_1_does_without_dynet() -> None:
    code = (
        "import importlib, sys; importlib.import_module('chapters.01_ngram_lm.settings'); print('dynet' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert result.stdout == "False\n", result.stderr


# --- settings are checked wherever they are made

BAD = [
    (6, {"hidden_size": "64"}, "--hidden-size 64: must be a whole number"),
    (6, {"hidden_size": 6.5}, "--hidden-size 6.5: must be a whole number"),
    (6, {"layers": True}, "--layers True: must be a whole number"),
    (6, {"init_scale": 0.0}, "--init-scale 0: must be at least"),
    (6, {"forget_bias": math.nan}, "--forget-bias nan: must be a finite number"),
    (6, {"score": "cosine"}, "--score cosine: choose from single, combined, none"),
    (6, {"corpus": 3}, "--corpus 3: must be text"),
    (6, {"resume": "yes"}, "--resume yes: must be true or false"),
    (6, {"epsilon": 0.0}, "--epsilon 0: must be at least"),
    (7, {"encoder": "transformer"}, "--encoder transformer: choose from"),
    (8, {"hidden_size": 10**9}, "--hidden-size 1000000000: must be at most"),
    (1, {"smoothing": "maximum-likelihood"}, "choose from all"),
]


@pytest.mark.parametrize("number, options, told", BAD)
def test_python_is_checked(number: int, options: dict, told: str) -> None:
    with pytest.raises(UserError) as caught:
        settings_of(number, **options)
    assert told in str(caught.value)


def test_the_command_line_is_checked() -> None:
    module = of_chapter(6, "settings")
    with pytest.raises(UserError, match="--epsilon 0: must be at least"):
        parse_settings(module.Settings, module.PRESETS, "", ["--epsilon", "0"])


@pytest.mark.parametrize("name", NAMES)
def test_every_size_has_an_upper_bound(name: str) -> None:
    settings = importlib.import_module(f"chapters.{name}.settings").Settings()
    for field in dataclasses.fields(settings):
        if isinstance(field.default, int) and not isinstance(field.default, bool):
            assert field.metadata["maximum"] is not None or field.name in MOST, field.name
            most = MOST.get(field.name) if field.metadata["maximum"] is None else field.metadata["maximum"]
            with pytest.raises(UserError, match="must be at most"):
                dataclasses.replace(settings, **{field.name: int(most) + 1})


@pytest.mark.parametrize("name", NAMES)
def test_presets_are_good(name: str) -> None:
    module = importlib.import_module(f"chapters.{name}.settings")
    for preset in module.PRESETS.values():
        module.Settings(**preset)


def test_the_config_of_a_run_is_checked(tmp_path: Path) -> None:
    settings = dataclasses.asdict(settings_of(6)) | {"hidden_size": "64"}
    (tmp_path / "config.json").write_text(json.dumps({"chapter": NAMES[5], "settings": settings}), "utf-8")
    with pytest.raises(UserError) as caught:
        load_run(tmp_path)
    assert str(caught.value) == f"{tmp_path / 'config.json'}: --hidden-size 64: must be a whole number"


@pytest.mark.parametrize("chapter", ["../data", "03_neural_networks", "10_none"])
def test_a_run_of_no_such_chapter(tmp_path: Path, chapter: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"chapter": chapter, "settings": {}}), "utf-8")
    with pytest.raises(UserError, match="no chapter whose models can be loaded"):
        load_run(tmp_path)


def test_a_value_with_a_line_break_stays_on_one_line() -> None:
    with pytest.raises(UserError) as caught:
        settings_of(6, score="a\nb")
    assert len(str(caught.value).splitlines()) == 1
