"""Chapter 1: sorting rows on disk, and files of arrays that are looked into without being read."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.chapters import chapter_module
from common.errors import UserError
from common.evaluation.perplexity import sentence_log_probs
from tests.ngram_models import CHAPTER, FARM, UNSEEN, build, loading, mixtures, storage

sorting, mapped = (chapter_module(CHAPTER, name) for name in ("sorting", "mapped"))
bounded = settings(max_examples=25, deadline=None, derandomize=True, database=None)


# --- sorting


def test_a_reader_who_has_had_enough_is_no_full_disk(tmp_path: Path) -> None:
    with pytest.raises(BrokenPipeError), sorting.temporary_folder(tmp_path / "counts"):
        raise BrokenPipeError(32, "Broken pipe")
    with pytest.raises(UserError, match="cannot write"), sorting.temporary_folder(tmp_path / "counts"):
        raise OSError(28, "No space left on device")
    assert not list(tmp_path.iterdir())


@bounded
@given(
    parts=st.lists(st.lists(st.integers(0, 9), max_size=12), max_size=9),
    most=st.integers(1, 15),
    width=st.integers(2, 3),
)
def test_rows_come_back_sorted_and_none_is_lost(parts, most: int, width: int, tmp_path_factory) -> None:
    place = tmp_path_factory.mktemp("sorting")
    sorter, expected = sorting.Sorter(place / "rows", width, most), []
    for part in parts:
        rows = np.array([[key, *range(len(expected) + n, len(expected) + n + width - 1)] for n, key in enumerate(part)])
        sorter.add(rows.reshape(-1, width).astype(np.int64))
        expected += rows.tolist()
    chunks = list(sorter.sorted())
    actual = [row for chunk in chunks for row in chunk.tolist()]
    assert [row[0] for row in actual] == sorted(row[0] for row in expected)
    assert sorted(actual) == sorted(expected)
    assert all(0 < len(chunk) <= max(most, len(sorter.ends)) for chunk in chunks)
    assert list(place.iterdir()) == []


# --- files that are mapped


def test_an_npz_file_whose_arrays_can_be_mapped(tmp_path: Path) -> None:
    """NumPy reads it as one of its own; each array is aligned, wherever the one before it ended; maps are copied."""
    arrays = {
        f"part{'x' * n}": np.arange(n * 37, dtype=kind) for n, kind in enumerate(("i8", "f8", "f4", "i8", "u1"), 1)
    }
    arrays |= {"about": np.array("some words"), "grid": np.arange(6.0).reshape(2, 3)}
    path, copy = tmp_path / "some.npz", tmp_path / "copy.npz"
    with open(path, "wb") as file:
        storage.write_arrays(file, arrays)
    actual = mapped.map_arrays(path)
    with np.load(path) as archive:
        for name, array in arrays.items():
            assert np.array_equal(archive[name], array) and np.array_equal(actual[name], array)
            assert actual[name].dtype == array.dtype and actual[name].flags.aligned
            assert isinstance(actual[name], np.memmap) == (array.ndim == 1)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
    with open(copy, "wb") as file, pytest.MonkeyPatch.context() as patch:
        patch.setattr(storage, "AT_ONCE", 10)
        storage.write_arrays(file, actual)
    assert copy.read_bytes() == path.read_bytes()


def test_a_mapped_model_gives_what_the_whole_one_gives(tmp_path: Path) -> None:
    _, _, mixed = mixtures()
    storage.save_model(tmp_path / "model.npz", mixed, "kneser-ney")
    words, sentences = mixed.vocab.words, FARM + UNSEEN
    whole, looked_into = (loading.load_model(tmp_path / "model.npz", words, way)[0] for way in (False, True))
    for sentence, other in zip(*(sentence_log_probs(lm, sentences) for lm in (whole, looked_into)), strict=True):
        assert np.array_equal(sentence, other)
    assert np.array_equal(whole.advance(whole.start(1), [0])[1], looked_into.advance(looked_into.start(1), [0])[1])
    for table in storage.all_tables(looked_into).values():
        parts = [*table.keys, *table.log_probabilities, *table.log_factors]
        assert all(isinstance(array, np.memmap) for array in parts)
    assert storage.count_numbers(looked_into) == storage.count_numbers(whole)


def test_a_model_without_last_entries_is_read(tmp_path: Path) -> None:
    """As runs of an earlier version have it, in an archive of NumPy's."""
    lm, path = build("absolute", order=3), tmp_path / "model.npz"
    storage.save_model(path, lm, "absolute")
    with np.load(path) as archive:
        arrays = {name: archive[name] if name == "about" else archive[name][:-1] for name in archive.files}
    arrays["about"] = np.array(str(arrays["about"]).replace(', "ended": true', ""))
    np.savez(path, **arrays)
    for way in (False, True):
        loaded, _ = loading.load_model(path, lm.vocab.words, way)
        for part, other in zip(loaded.tables(), lm.tables(), strict=True):
            assert all(np.array_equal(first, two) for first, two in zip(part, other, strict=True))


def test_a_mapped_file_that_is_damaged_is_one_line(tmp_path: Path) -> None:
    """What sizes and names tell: one cut short, one that holds something else, one that is compressed, none at all."""
    lm, path = build("kneser-ney", order=3), tmp_path / "model.npz"
    storage.save_model(path, lm, "kneser-ney")
    data = path.read_bytes()
    with np.load(path) as archive:
        arrays = dict(archive)
    for change in ("cut", "kind", "length", "lost", "compressed", "none"):
        path.write_bytes(data)
        if change == "cut":
            path.write_bytes(data[:-2000])
        elif change == "none":
            path.unlink()
        elif change == "compressed":
            np.savez_compressed(path, **arrays)
        else:
            changed = {"kind": arrays["words.keys.2"] + 0.5, "length": arrays["words.keys.2"][1:]}
            others = {name: array for name, array in arrays.items() if name != "words.keys.2"}
            np.savez(path, **others, **({"words.keys.2": changed[change]} if change in changed else {}))
        with pytest.raises(UserError, match="model.npz") as refused:
            loading.load_model(path, lm.vocab.words, mapped=True)
        assert "\n" not in str(refused.value)
