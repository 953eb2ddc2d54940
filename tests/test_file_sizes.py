"""No file can ask for more memory than it has bytes, whatever stands beside it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from common.chapters import chapter_module
from common.errors import UserError
from common.nn.parameters import DynetParameters
from common.programs.chapters import MOST_OVERSTATED, load_run
from common.text.vocab import Vocabulary
from common.training.checkpoint import CombinedParameters, save_parameters, shapes_of
from common.training.loading import load_parameters
from common.training.unigram import kept_unigram
from tests.memory_models import CASES, make_model
from tests.programs import edit_settings

CHAPTER_OF = {"feed-forward": "04", "LSTM": "05", "combined score": "06", "encoder-decoder": "07", "gates": "09"}


def write_run(folder: Path, name: str) -> Path:
    """A run of one chapter, as training would have left it."""
    model, chapter = make_model(name), CASES[name][0].partition(".")[0]
    settings = chapter_module(chapter, "settings").Settings
    values = dataclasses.asdict(settings(hidden_size=16, dropout=0.0))
    config = {"chapter": chapter, "settings": values, "fingerprints": {}}
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    for side in ("vocab", "source_vocab"):
        if hasattr(model, side):
            getattr(model, side).save(folder / f"{side}.txt")
    if chapter.startswith("04"):
        kept_unigram(folder, 30, np.full(30, -np.log(30)))
    save_parameters(folder / "model.npz", DynetParameters(model), {"model": model.name})
    return folder


@pytest.mark.parametrize("name", CHAPTER_OF)
def test_settings_cannot_ask_for_more_than_the_file_has(name: str, tmp_path: Path, monkeypatch) -> None:
    run = write_run(tmp_path / "run", name)
    model, _ = load_run(run)
    assert model.vocab.words == make_model(name).vocab.words
    edit_settings(run, hidden_size=20_000)
    monkeypatch.setattr(dy, "ParameterCollection", None)  # nothing may be made
    with pytest.raises(UserError, match=r"model.npz: contains [\d,]+ numbers, .* describe a model of about [\d,]{11,}"):
        load_run(run)


def test_a_vocabulary_cannot_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = write_run(tmp_path / "run", "LSTM")
    Vocabulary([f"w{number}" for number in range(100_000)]).save(run / "vocab.txt")
    monkeypatch.setattr(dy, "ParameterCollection", None)
    with pytest.raises(UserError, match="describe a model of about"):
        load_run(run)


def test_shapes_are_known_without_reading_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model is loaded without being copied first."""
    for name in ("feed-forward", "attention"):
        parameters = DynetParameters(make_model(name))
        assert shapes_of(parameters) == [array.shape for array in parameters.arrays()]
        both = CombinedParameters([parameters, parameters])
        assert shapes_of(both) == [array.shape for array in both.arrays()]
        save_parameters(tmp_path / "model.npz", parameters, {"model": name})
        with monkeypatch.context() as patched:
            patched.setattr(DynetParameters, "arrays", None)
            load_parameters(tmp_path / "model.npz", parameters, name)


def test_features_cannot_ask_for_more_than_the_file_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chapter 2: how many features there are follows from another file than that of the parameters."""
    from chapters.loglinear_lm import features, loading, settings

    vocab = Vocabulary([f"w{number}" for number in range(2_000)])
    vocab.save(tmp_path / "vocab.txt")
    spec = ",".join(f"word{distance}" for distance in range(1, 10))
    features.FeatureSet(spec, vocab, np.zeros(len(vocab), dtype=np.int64), {}).save(tmp_path / "features.npz")
    np.savez(tmp_path / "model.npz", W=np.zeros(1000, np.float32))
    monkeypatch.setattr(loading, "LEARNERS", None)
    with pytest.raises(UserError, match="contains 1,000 numbers, .* describe a model of about 36,0"):
        loading.of_run(tmp_path, settings.Settings())
    assert MOST_OVERSTATED >= 3


@pytest.mark.parametrize("size", ["9" * 5000, "²", "-3"])
def test_impossible_numbers_of_n_grams_in_an_arpa_file(size: str, tmp_path: Path) -> None:
    path = tmp_path / "model.arpa"
    path.write_text(f"\\data\\\nngram 1={size}\n\n\\1-grams:\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 2: expected 'ngram 1=NUMBER'"):
        chapter_module("01_ngram_lm", "arpa").read_arpa(path)
