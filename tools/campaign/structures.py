"""Damage to JSON files, to arrays and to archives, which leaves their form and their checksums whole; and to files."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import shutil
import zipfile
from pathlib import Path

import numpy as np

from .damage import ANY, Bytes, change_number, change_words

# fmt: off
STRANGE_VALUES = (
    None, True, False, 0, -1, 1, 2, 3.5, 1e308, 2**31, 2**63, 10**30, -(10**30), float("nan"), float("inf"), [], {},
    [[]], [None], {"x": 1}, [1, 2, 3], ["a", "a"], "", "x", "\0", "\ud800", "a b", "</s>", "x" * 10_000, "../../x",
    "001",
)
# fmt: on


def change_json(data: bytes, rng: random.Random) -> bytes:
    """A value of the JSON becomes another, is lost, comes twice, or gets a strange name. NaN is written as such."""
    try:
        value = json.loads(data)
    except ValueError:
        return change_number(data, rng)
    return json.dumps(changed_value(value, rng), indent=rng.choice((None, 2))).encode()


def changed_value(value: object, rng: random.Random) -> object:
    """The same JSON with one change, somewhere inside."""
    if not (isinstance(value, (dict, list)) and value) or rng.random() < 0.1:
        return rng.choice(STRANGE_VALUES)
    entries = list(value.items() if isinstance(value, dict) else enumerate(value))
    place, change = rng.randrange(len(entries)), rng.random()
    name, element = entries[place]
    if change < 0.1:
        del entries[place]
    elif change < 0.15:
        entries.append((rng.choice(("", "x", f"{name}x", "seconds", "unk", "oracle")), element))
    else:
        entries[place] = name, changed_value(element, rng)
    return dict(entries) if isinstance(value, dict) else [element for _, element in entries]


def change_arrays(data: bytes, rng: random.Random) -> bytes:
    """An array of an .npz file changes its values, shape, type or name, or its facts do; the checksums are right."""
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = dict(archive)
    name, change = rng.choice(sorted(arrays)), rng.random()
    array = arrays[name]
    if change < 0.1:
        del arrays[name]
    elif change < 0.2:
        arrays[rng.choice((name + "x", "x", name[:-1] or "y", "about"))] = array
    elif array.dtype.kind == "U" and array.ndim == 0:
        how, text = rng.choice(((change_json, str(array).encode()), (change_words, b"word1,x")))
        arrays[name] = np.array(how(text, rng).decode("utf-8", "replace"))
    else:
        arrays[name] = changed_array(array, rng)
    written = io.BytesIO()
    np.savez(written, **arrays)
    return written.getvalue()


def changed_array(array: np.ndarray, rng: random.Random) -> np.ndarray:
    """The same array with other values, another shape or another type."""
    flat, change = array.reshape(-1).copy(), rng.random()
    with np.errstate(all="ignore"):
        if change < 0.5 and array.size and array.dtype.kind in "iuf":
            strange = [0, 1, -1, 2**31 - 1, -(2**31)]
            strange += [1e30, np.nan, np.inf, -np.inf, -1e-30] if array.dtype.kind == "f" else []
            value = np.array(rng.choice(strange)).astype(flat.dtype)  # a small type keeps a part of it
            flat[rng.randrange(flat.size) if rng.random() < 0.7 else slice(None)] = value
            return flat.reshape(array.shape)
        if change < 0.6:
            types = ("f8", "f4", "f2", "i8", "i4", "u1", "bool", "c16", "U4", "S3", ">f8", "M8[s]")
            return array.astype(rng.choice(types))
    others = (flat[:-1], flat, array[None], np.tile(flat, 2), array.T, flat[:0], flat[0] if flat.size else 0)
    return np.array(rng.choice(others))


STRANGE_NAMES = ("../x", "/x", "a/../../x", "C:\\x", "", ".", "\ud800", "a" * 300, "train.txt", "x.gz", "a\nb")


def change_members(data: bytes, rng: random.Random) -> bytes:
    """A member of a zip archive is damaged, renamed, lost, compressed or moved; the checksums are right. Of an .npz
    file, that may be the header of an array."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name, strange, change = rng.choice(sorted(members)), rng.choice(STRANGE_NAMES), rng.randrange(8)
    if change == 0:
        members[strange] = members.pop(name)
    elif change == 1:
        del members[name]
    elif change == 2:
        members[name] = gzip.compress(members[name], mtime=0)
    elif change == 3:
        members = {f"{strange}/{name}": content for name, content in members.items()}
    else:
        members[name] = rng.choice(ANY)(members[name], rng)
    written = io.BytesIO()
    compression = rng.choice((*[zipfile.ZIP_STORED] * 3, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in members.items():
            about = zipfile.ZipInfo(name.encode("utf-8", "replace").decode())
            archive.writestr(about, content, compression)
    return written.getvalue()


BY_KIND: dict[str, tuple[Bytes, ...]] = {
    ".json": (change_json,),
    ".npz": (change_arrays, change_arrays, change_members),
    ".zip": (change_members,),
}


def damage(path: Path, others: list[Path], rng: random.Random) -> str:
    """Damage a file in place, and say how. others: files that may take its place."""
    change = rng.random()
    if change < 0.02:
        path.unlink()
        instead = rng.choice(("is lost", "is a folder instead", "is a link to itself"))
        if instead == "is a folder instead":
            path.mkdir()
        elif instead == "is a link to itself":
            os.symlink(path.name, path)
        return instead
    if change < 0.06 and others:
        other = rng.choice(others)
        shutil.copyfile(other, path)
        return f"is {other.name} instead"
    kinds = BY_KIND.get(path.suffix, ())
    how = rng.choice(kinds) if kinds and rng.random() < 0.6 else rng.choice(ANY)
    data = how(path.read_bytes(), rng)
    if how in ANY and rng.random() < 0.2:
        data = rng.choice(ANY)(data, rng)
    path.write_bytes(data)
    return how.__name__
