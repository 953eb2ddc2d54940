"""How a model is made, and its parameters as NumPy arrays, by name, for saving, loading and counting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from functools import cached_property
from typing import Any, TypeAlias

import dynet as dy
import numpy as np

Parameter: TypeAlias = dy.Parameters | dy.LookupParameters


class NeuralModel:
    """How every neural model of the course is made.

    A language model is `Model(vocab, log_frequencies, hidden_size=64, ...)`, a translation model
    `Model(source_vocab, vocab, log_frequencies, hidden_size=64, ...)`. The keywords are the fields of the chapter's
    `Settings`: they have the names of its flags, and its defaults; a bad value raises `UserError`. log_frequencies:
    log P(word) of a unigram model of the words that are predicted, (V,), in nats, for the output bias to start from;
    without them it starts evenly. What else a chapter counts on its training text, its model takes by name.
    """

    settings_class: type
    footprint_of: Callable[..., Any]
    vocab: Any

    @classmethod
    def from_settings(cls, settings: Any, *vocabularies: Any, **counted: Any) -> Any:
        """The model that the settings of a run describe; what comes behind them is as for the constructor."""
        names = [field.name for field in fields(cls.settings_class) if hasattr(settings, field.name)]
        return cls(*vocabularies, **counted, **{name: getattr(settings, name) for name in names})

    @cached_property
    def footprint(self) -> Any:
        """What the model takes of the memory, by its sizes (`memory.Footprint`)."""
        sources = [self.source_vocab] if hasattr(self, "source_vocab") else []
        return self.footprint_of(*map(len, [*sources, self.vocab]))


class DynetParameters:
    """Every parameter of a model as float32, DyNet's own precision: the plain ones, then the lookup tables."""

    def __init__(self, model: Any):
        """model: has the ParameterCollection `collection`, and its parameters as attributes, in its parts or in lists.

        A parameter that no attribute leads to keeps the name that DyNet gave it, which contains its number.
        Where the model has `names_in_files`, its files keep a parameter by another name than its place in the model.
        """
        self.collection = model.collection
        in_files = getattr(model, "names_in_files", {})
        self.known = {parameter.name(): in_files.get(path, path) for path, parameter in named_parameters(model)}

    def names(self) -> list[str]:
        """The path to each parameter in the model: "decoder.layers.0.W_x"."""
        return [self.known.get(parameter.name(), parameter.name()) for parameter in all_of(self.collection)]

    def shapes(self) -> list[tuple[int, ...]]:
        """Of `arrays`, without reading a number."""
        return [tuple(parameter.shape()) for parameter in all_of(self.collection)]

    def arrays(self) -> list[np.ndarray]:
        return arrays_of(all_of(self.collection))

    def set_arrays(self, arrays: Sequence[np.ndarray]) -> None:
        set_arrays(all_of(self.collection), arrays)


def all_of(collection: dy.ParameterCollection) -> list[Parameter]:
    return [*collection.parameters_list(), *collection.lookup_parameters_list()]


def arrays_of(parameters: Sequence[Parameter]) -> list[np.ndarray]:
    return [parameter.as_array().astype(np.float32) for parameter in parameters]


def set_arrays(parameters: Sequence[Parameter], arrays: Sequence[np.ndarray]) -> None:
    for target, array in zip(parameters, arrays, strict=True):
        (target.set_value if isinstance(target, dy.Parameters) else target.init_from_array)(array)


def named_parameters(part: Any, path: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, Parameter]]:
    """Every parameter in the attributes, lists and dictionaries of a part of a model, with the way to it."""
    seen = set() if seen is None else seen
    if isinstance(part, Parameter):
        yield path, part
        return
    inside: Any = part
    if isinstance(part, (list, tuple)):
        inside = dict(enumerate(part))
    elif not isinstance(part, dict):
        ours = not path or type(part).__module__.startswith(("common.", "chapters."))
        inside = getattr(part, "__dict__", {}) if ours else {}
    if id(part) in seen:
        return
    seen.add(id(part))
    for name, value in inside.items():
        yield from named_parameters(value, f"{path}.{name}" if path else str(name), seen)
