"""Damaged files: each is one line that names it, and none takes more memory than it has bytes."""

from __future__ import annotations

import io
import json
import shutil
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from common.errors import UserError
from common.files import parse_json
from common.programs.chapters import count_stored, load_run
from common.saved_arrays import read_arrays
from common.text.corpus import load_corpus
from common.text.ibm_model1 import Lexicon
from common.training.checkpoint import CombinedParameters, save_parameters
from common.training.loading import load_parameters
from tests.programs import TINY, Call, make_call, make_refused, write_corpus

CHAPTERS = {
    "01_ngram_lm": ["--skip", 2, "--unk", "characters", "--smoothing", "kneser-ney", "--order", 3],
    "02_loglinear_lm": ["--features", "word1,class1,pair12", "--classes", 3, "--epochs", 1, "--pair-count", 1],
    "04_feedforward_lm": [*TINY, "--epochs", 1],
    "06_attentive_lm": [*TINY, "--epochs", 1],
}


class OneArray:
    """Parameters for tests: three numbers."""

    def __init__(self) -> None:
        self.array = np.zeros(3, dtype=np.float32)

    def arrays(self) -> list[np.ndarray]:
        return [self.array]

    def set_arrays(self, arrays: list[np.ndarray]) -> None:
        self.array = arrays[0]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A finished run of each of four chapters, by the chapter's name."""
    folder = tmp_path_factory.mktemp("damage")
    corpus = write_corpus(folder / "farm", train=30, others=5)
    with pytest.MonkeyPatch.context() as patch:
        for chapter, flags in CHAPTERS.items():
            make_call(patch, chapter)("train", "--corpus", corpus, *flags, "--run-dir", folder / chapter)
    yield folder


def refusal(load: Callable[[], object], path: Path) -> str:
    """The line about a damaged file; any other error fails the test."""
    with pytest.raises(UserError) as failure:
        load()
    line = str(failure.value)
    assert str(path) in line and "\n" not in line
    return line


def rewrite(path: Path, change: Callable[[dict[str, np.ndarray]], None]) -> None:
    """Change the arrays of an .npz file."""
    with np.load(path) as archive:
        arrays = dict(archive)
    change(arrays)
    np.savez(path, **arrays)


def announcing(shape: tuple, content: bytes = b"", compress: int = zipfile.ZIP_STORED) -> bytes:
    """An .npz file whose one array is as large as it says, or is not."""
    member, whole = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(member, {"descr": "<f4", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(whole, "w", compress) as archive:
        archive.writestr("x.npy", member.getvalue() + content)
    return whole.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(announcing((10**9,)), id="a header of 4 GB with nothing behind it"),
        pytest.param(announcing((10**7,), bytes(4 * 10**7), zipfile.ZIP_DEFLATED), id="40 MB in 40 kB"),
        pytest.param(announcing((-4,)), id="a negative size"),
        pytest.param(announcing((2,), bytes(4)), id="half"),
    ],
)
def test_sizes_are_checked_before_anything_is_read(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(content)
    tracemalloc.start()
    try:
        refusal(lambda: load_parameters(path, OneArray(), "toy"), path)
        refusal(lambda: Lexicon.load(path), path)
        assert tracemalloc.get_traced_memory()[1] < 4e6
    finally:
        tracemalloc.stop()


def test_a_header_that_numpy_would_repair(tmp_path: Path) -> None:
    """A bit is flipped in "(7, )": NumPy read "(7L)" as Python 2 wrote it, with a warning of its own."""
    path = tmp_path / "model.npz"
    path.write_bytes(announcing((2, 3), bytes(24)).replace(b"(2, 3)", b"(2L,3)"))
    with zipfile.ZipFile(path) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        content = archive.open("x.npy")
        content._expected_crc = None  # of the changed header
        member = content.read()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", member)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ResourceWarning)  # what another test left open may be collected here
        refusal(lambda: load_parameters(path, OneArray(), "toy"), path)
        with pytest.raises(UserWarning):  # an error here, which `reading` makes a line of
            count_stored(path)
    assert not caught


def test_compressed_arrays_are_refused(tmp_path: Path) -> None:
    """Python unpacks some kinds by 4,096 bytes, which may be gigabytes, before it heeds the size that is stated."""
    np.save(tmp_path / "x.npy", np.arange(6.0))
    with zipfile.ZipFile(tmp_path / "model.npz", "w") as archive:
        archive.write(tmp_path / "x.npy", compress_type=zipfile.ZIP_BZIP2)
        archive.write(tmp_path / "x.npy", "y.npy")
    assert sum(member.file_size for member in archive.infolist()) < (tmp_path / "model.npz").stat().st_size
    with pytest.raises(ValueError, match="compressed"):
        read_arrays(tmp_path / "model.npz")


@pytest.mark.parametrize("text", ["NaN", "[1, -Infinity]", '{"a": 1e999}', "[" * 100_000, "[9223372036854775808]"])
def test_json_that_is_none(text: str) -> None:
    with pytest.raises((ValueError, OverflowError, RecursionError)):
        parse_json(text)


HISTORIES = ("3", "[3]", "[{}]", '[{"epoch": 2}]')
HISTORIES += tuple(f'[{{"epoch": 1, "dev_perplexity": {value}}}]' for value in ('"low"', "NaN"))
FACTS = [f'{{"model": "toy", "history": {history}}}' for history in HISTORIES]


@pytest.mark.parametrize("about", [*FACTS, '["model", "toy"]', "[" * 20_000, ""])
def test_facts_of_a_checkpoint(tmp_path: Path, about: str) -> None:
    path = tmp_path / "checkpoint.npz"
    np.savez(path, about=np.array(about), **{"array/000": np.zeros(3, dtype=np.float32)})
    refusal(lambda: load_parameters(path, OneArray(), "toy"), path)


CODE = np.array([{}, [], ""], dtype=object)
"""Python objects, pickled, which would run code when they are read."""


@pytest.mark.parametrize("array", [np.array(["a", "b", "c"]), np.array([1j, 0, 0]), np.array([1, np.nan, 2]), 3, CODE])
def test_arrays_of_a_checkpoint(tmp_path: Path, array: object) -> None:
    path, parameters = tmp_path / "checkpoint.npz", OneArray()
    save_parameters(path, parameters, {"model": "toy"})
    assert load_parameters(path, parameters, "toy") == {"model": "toy"}
    np.savez(path, about=np.array('{"model": "toy"}'), **{"array/000": array})
    refusal(lambda: load_parameters(path, parameters, "toy"), path)
    assert np.array_equal(parameters.array, np.zeros(3))


class Refusing(OneArray):
    """As an optimiser that is given a mean of squares below 0."""

    def set_arrays(self, arrays: list[np.ndarray]) -> None:
        raise ValueError("below 0")


def test_an_optimiser_that_refuses_leaves_the_model_as_it_was(tmp_path: Path) -> None:
    path, model = tmp_path / "checkpoint.npz", OneArray()
    save_parameters(path, CombinedParameters([OneArray(), OneArray()]), {"model": "toy"})
    model.array = np.ones(3, dtype=np.float32)
    refusal(lambda: load_parameters(path, CombinedParameters([model, Refusing()]), "toy"), path)
    assert np.array_equal(model.array, np.ones(3))
    load_parameters(path, CombinedParameters([model, OneArray()]), "toy")
    assert np.array_equal(model.array, np.zeros(3))


def copy_of(runs: Path, chapter: str, folder: Path) -> Path:
    shutil.copytree(runs / chapter, folder / "run")
    return folder / "run"


@pytest.mark.parametrize("chapter, name", [(c, "model.npz") for c in CHAPTERS] + [("02_loglinear_lm", "features.npz")])
def test_flipped_bits_and_lost_ends(runs: Path, tmp_path: Path, chapter: str, name: str) -> None:
    """Every load either refuses in one line that names the file, or gives the model that was saved."""
    run = copy_of(runs, chapter, tmp_path)
    path = run / name
    whole, rng, refusals = path.read_bytes(), np.random.default_rng(5), 0
    for number in range(24):
        data = bytearray(whole)
        if number % 4 == 0:
            del data[rng.integers(len(data)) :]
        else:
            place = rng.integers(len(data) - 1500, len(data)) if number % 2 else rng.integers(len(data))
            data[place] ^= 1 << int(rng.integers(8))  # the archive's directory is at the end
        path.write_bytes(data)
        try:
            load_run(run)
        except UserError as error:
            assert str(path) in str(error) and "\n" not in str(error)
            refusals += 1
    assert refusals >= 12
    path.write_bytes(whole)
    load_run(run)


def wrong_type(arrays: dict[str, np.ndarray], name: str) -> None:
    arrays[name] = np.array(["x"] * max(arrays[name].size, 1)).reshape(arrays[name].shape)


def lost(arrays: dict[str, np.ndarray], name: str) -> None:
    del arrays[name]


def shorter(arrays: dict[str, np.ndarray], name: str) -> None:
    arrays[name] = arrays[name].reshape(-1)[:-1]


def huge(arrays: dict[str, np.ndarray], name: str) -> None:
    arrays[name] = arrays[name] + 2**60 if arrays[name].dtype.kind == "i" else arrays[name] * np.nan


def above_one(arrays: dict[str, np.ndarray], name: str) -> None:
    """A probability; a key as large is of no word."""
    arrays[name][0] = 1000


NGRAM_ARRAYS = "words.keys.1 words.keys.3 words.log_probs.2 words.log_factors.1 letters.keys.2 extra0.log_probs.2"
ARRAYS = [("01_ngram_lm", "model.npz", array) for array in NGRAM_ARRAYS.split()]
ARRAYS += [("02_loglinear_lm", "features.npz", array) for array in ("classes", "pair12")]


@pytest.mark.parametrize("change", [wrong_type, lost, shorter, huge, above_one])
@pytest.mark.parametrize("chapter, name, array", ARRAYS)
def test_arrays_that_do_not_fit(
    runs: Path, tmp_path: Path, chapter: str, name: str, array: str, change: Callable
) -> None:
    run = copy_of(runs, chapter, tmp_path)
    rewrite(run / name, lambda arrays: change(arrays, array))
    with pytest.raises(UserError) as failure:
        load_run(run)
    assert "\n" not in str(failure.value) and (name in str(failure.value) or "model.npz" in str(failure.value))


REFUSED = [{"min_count": "two"}, {"seed": None}, {"epochs": 1.5}, {"unk": 3}, {"resume": "yes"}, {"seed": 0}]
REFUSED += [{"unk": "perhaps"}, {"batch_size": [8]}]
ABORTING = [{"init_scale": 0}, {"hidden_size": "8"}, {"dropout": float("inf")}]
"""Of a network: DyNet aborts where it is to draw from a range of no width."""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_settings_that_the_command_line_would_refuse(runs: Path, tmp_path: Path, chapter: str) -> None:
    run = copy_of(runs, chapter, tmp_path)
    text = (run / "config.json").read_text("utf-8")
    for change in (*REFUSED, *(ABORTING if chapter == "06_attentive_lm" else ())):
        config = json.loads(text)
        config["settings"] |= change
        (run / "config.json").write_text(json.dumps(config), "utf-8")
        refusal(lambda: load_run(run), run / "config.json")


@pytest.mark.parametrize("figure", ["perplexity", "known_perplexity", "known_predictions"])
def test_figures_of_an_oracle(tmp_path: Path, figure: str) -> None:
    """Refused before anything is trained: a gap to an oracle of 0 would divide by it."""
    corpus = write_corpus(tmp_path / "farm")
    whole = {"perplexity": 2.5, "known_perplexity": 2.25, "known_predictions": 0}
    path = corpus / "oracle.json"
    path.write_text(json.dumps({"dev": whole, "floors": {}}), "utf-8")
    assert load_corpus(str(corpus)).oracle("dev") == whole
    for value in ("0", "-1", '"low"', "null", "true", "1e999", "1e308", "NaN", "[2]"):
        path.write_text(json.dumps({"test": whole | {figure: "?"}}).replace('"?"', value), "utf-8")
        if (figure, value) == ("known_predictions", "0"):
            load_corpus(str(corpus))
        else:
            refusal(lambda: load_corpus(str(corpus)), path)


@pytest.mark.parametrize("text", ['[["a", 1]]', '{"unk": 3}', '{"task": []}', '{"unk": "perhaps"}', "[" * 10**5])
def test_facts_of_a_corpus(
    tmp_path: Path, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    corpus = write_corpus(tmp_path / "farm")
    (corpus / "corpus.json").write_text(text, "utf-8")
    call: Call = make_call(monkeypatch)
    line = make_refused(call, capsys)("train", *TINY, "--corpus", corpus, "--run-dir", tmp_path / "run")
    assert str(corpus / "corpus.json") in line and not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", ["a" * 5000, "a/" * 3000, "a\0b"])
def test_names_that_no_file_can_have(name: str) -> None:
    with pytest.raises(UserError, match="no corpus"):
        load_corpus(name)


@pytest.mark.parametrize(
    "change",
    [
        lambda about, arrays: about.clear(),
        lambda about, arrays: about.update(kind="other"),
        lambda about, arrays: about.update(source=[["a"]]),
        lambda about, arrays: about.update(log_likelihoods=["x"]),
        lambda about, arrays: arrays.update(keys=arrays["keys"] + 10**6),
        lambda about, arrays: arrays.update(keys=arrays["keys"].astype(float)),
        lambda about, arrays: arrays.update(table=arrays["table"] * np.nan),
        lambda about, arrays: arrays.update(table=arrays["table"].astype(str)),
    ],
)
def test_lexicons(tmp_path: Path, change: Callable) -> None:
    path = tmp_path / "lexicon.npz"
    Lexicon.learn([(["a", "b"], ["x"]), (["b"], ["y"])]).save(path)
    arrays = dict(np.load(path))
    about = json.loads(str(arrays["about"]))
    change(about, arrays)
    arrays["about"] = np.array(json.dumps(about))
    np.savez(path, **arrays)
    refusal(lambda: Lexicon.load(path), path)
