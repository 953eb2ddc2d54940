"""All neural models are made in one form: vocabularies, log frequencies, and the fields of their chapter's settings."""

from __future__ import annotations

import inspect

import dynet as dy
import numpy as np
import pytest

from common.chapters import chapter_module
from common.errors import UserError
from common.nn.parameters import DynetParameters, NeuralModel
from common.programs.chapters import CHAPTERS
from common.text.vocab import Vocabulary

MADE_FROM = ("(NeuralModel", "(RecurrentLM)", "(AttentiveLM)", "(PartsLM)")
for path in sorted(CHAPTERS.glob("*/*.py")):
    if any(base in path.read_text("utf-8") for base in MADE_FROM):
        chapter_module(path.parent.name, path.stem)


def kinds_of(model_class: type) -> list[type]:
    """All classes that are made from this one."""
    return [kind for item in model_class.__subclasses__() for kind in (item, *kinds_of(item))]


MODELS = {
    kind.__name__: kind
    for kind in kinds_of(NeuralModel)
    if kind.__module__.startswith("chapters.") and not kind.__module__.endswith(".large_vocabulary")
}
"""Those for large vocabularies have these forms from them; tests/test_large_vocabulary.py makes them."""
SIDES = {"vocab": Vocabulary(["a", "b", "c"]), "source_vocab": Vocabulary(["x", "y"])}
LOG_FREQUENCIES = np.log([0.3, 0.1, 0.2, 0.25, 0.15])
NEURAL = ("04", "05", "06", "07", "08", "09", "11")
"""The chapters whose models are trained by gradients; chapter 10 trains those of other chapters."""
OF_ONE_LAYER = ("RASElman", "RASLSTM")
each_model = pytest.mark.parametrize("name", MODELS)


def sides_of(name: str) -> list[Vocabulary]:
    """The vocabularies that a model is made from."""
    return [
        SIDES[parameter] for parameter in list(inspect.signature(MODELS[name]).parameters)[:2] if parameter in SIDES
    ]


def test_every_neural_chapter_has_its_model_here() -> None:
    chapters = {kind.__module__.split(".")[1] for kind in MODELS.values()}
    assert chapters == {path.name[3:] for path in CHAPTERS.glob("[01]*_*") if path.name[:2] in NEURAL}
    assert len(MODELS) == 15


def numbers(model: NeuralModel) -> dict[str, bytes]:
    parameters = DynetParameters(model)
    return dict(zip(parameters.names(), (array.tobytes() for array in parameters.arrays()), strict=True))


@each_model
def test_keywords_and_settings_make_the_same_model(name: str) -> None:
    settings, built = {"hidden_size": 4, "init_scale": 0.3} | ({} if name in OF_ONE_LAYER else {"layers": 2}), []
    model_class = MODELS[name]
    for make in (
        lambda: model_class(*sides_of(name), LOG_FREQUENCIES, **settings),
        lambda: model_class.from_settings(model_class.settings_class(**settings), *sides_of(name), LOG_FREQUENCIES),
    ):
        dy.reset_random_seed(3)
        built.append(make())
    assert built[0].name == built[1].name and numbers(built[0]) == numbers(built[1])
    default = model_class.from_settings(model_class.settings_class(), *sides_of(name))
    assert default.name == model_class(*sides_of(name)).name != built[0].name
    starts = [array for array in DynetParameters(built[0]).arrays() if array.shape == LOG_FREQUENCIES.shape]
    assert any(np.allclose(array, LOG_FREQUENCIES) for array in starts), "the output bias starts from them"


@each_model
def test_keywords_are_checked_like_flags(name: str) -> None:
    with pytest.raises(UserError, match="--hidden-size 0: must be at least"):
        MODELS[name](*sides_of(name), hidden_size=0)
    with pytest.raises(TypeError, match="colour"):
        MODELS[name](*sides_of(name), colour="red")
