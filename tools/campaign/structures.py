"""Damage to JSON files, to arrays and to archives, which leaves their form and their checksums whole; and to files."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import random
import re
import shutil
import struct
import tarfile
import warnings
import zipfile
from pathlib import Path

import numpy as np

from .damage import ANY, Bytes, change_number, change_words, flip_bits
from .texts import ENDINGS, TEXT

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
    for _ in range(rng.choice((1, 1, 1, 2))):
        name = rng.choice(sorted(arrays))
        if rng.random() < 0.1:
            del arrays[name]
        elif rng.random() < 0.1:
            arrays[rng.choice((name + "x", "x", name[:-1] or "y", "about"))] = arrays[name]
        elif arrays[name].dtype.kind == "U" and arrays[name].ndim == 0:
            text = change_json(str(arrays[name]).encode(), rng) if rng.random() < 0.8 else change_words(b"word1,x", rng)
            arrays[name] = np.array(text.decode("utf-8", "replace"))
        else:
            arrays[name] = changed_array(arrays[name], rng)
        if not arrays:
            break
    written = io.BytesIO()
    (np.savez if rng.random() < 0.9 else np.savez_compressed)(written, **arrays)
    return written.getvalue()


def changed_array(array: np.ndarray, rng: random.Random) -> np.ndarray:
    """The same array with other values, another shape or another type."""
    if rng.random() < 0.5 and array.size and array.dtype.kind in "iuf":
        flat = array.reshape(-1).copy()
        strange = [0, 1, -1, 2**31 - 1, -(2**31)]
        strange += [1e30, np.nan, np.inf, -np.inf, -1e-30] if array.dtype.kind == "f" else []
        with np.errstate(all="ignore"):
            value = np.array(rng.choice(strange)).astype(flat.dtype)  # a small type keeps a part of it
            flat[rng.randrange(flat.size) if rng.random() < 0.7 else slice(None)] = value
        return flat.reshape(array.shape)
    flat = array.reshape(-1)
    changed = rng.choice(
        (None, flat[:-1], flat, array[None], np.tile(flat, 2), array.T.copy(), flat[:0], flat[0] if flat.size else 0)
    )
    if changed is not None:
        return np.asarray(changed)
    with np.errstate(all="ignore"):
        return array.astype(rng.choice(("f8", "f4", "f2", "i8", "i4", "u1", "bool", "c16", "U4", "S3", ">f8", "M8[s]")))


def change_header(data: bytes, rng: random.Random) -> bytes:
    """An array of an .npz file announces another shape or type than it has; the checksums are right."""
    members = members_of(data)
    name = rng.choice(sorted(members))
    content = members[name]
    end = content.index(b"\n") + 1
    header = content[10:end]
    shape = rng.choice((b"(1000000000000,)", b"(-4,)", b"(2, 2)", b"(99999, 99999)", b"()", b"(0,)", b"5", b"(1.5,)"))
    kind = rng.choice((b"<f8", b"|O", b"<U999999999", b"<f4", b"V0", b"xx", b">i8", b"<M8[ns]", b"[('a', '<f4')]"))
    header = rng.choice(
        (
            re.sub(rb"\([^)]*\)", lambda _: shape, header, count=1),
            re.sub(rb"'descr': '[^']*'", lambda _: b"'descr': '" + kind + b"'", header, count=1),
            change_words(header, rng),
            flip_bits(header, rng),
        )
    )
    header = header[:60_000]
    version = rng.choice((b"\x01\x00", b"\x01\x00", b"\x01\x00", b"\x02\x00", b"\x03\x00", b"\x09\x09"))
    members[name] = content[:6] + version + struct.pack("<H", len(header)) + header + content[end:]
    return zipped(members)


def members_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    written = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(written, "w", compression) as archive:
        warnings.simplefilter("ignore")  # of two members with one name
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return written.getvalue()


STRANGE_NAMES = ("../x", "/x", "a/../../x", "C:\\x", "", ".", "x\0y", "\ud800", "a" * 300, "train.txt", "x.gz", "a\nb")


def change_members(data: bytes, rng: random.Random) -> bytes:
    """A text in an archive (zip, tar, gzip) is damaged, renamed, lost, doubled or blown up; the archive is whole."""
    try:
        members = members_of(data)
    except zipfile.BadZipFile:
        members = tar_members(data)
    name = rng.choice(sorted(members))
    change = rng.randrange(6)
    if change == 0:
        members[rng.choice(STRANGE_NAMES)] = members.pop(name)
    elif change == 1:
        del members[name]
    elif change == 2:
        members[name] = gzip.compress(members[name], mtime=0)
    elif change == 3:
        members = {f"{rng.choice(STRANGE_NAMES)}/{name}": content for name, content in members.items()}
    else:
        members[name] = rng.choice(ANY)(members[name], rng)
    members = {name.encode("utf-8", "replace").decode(): content for name, content in members.items()}
    if rng.random() < 0.5:
        return zipped(
            members, rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
        )
    return tarred(members, rng)


def tar_members(data: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        return {info.name: archive.extractfile(info).read() for info in archive if info.isreg()}


def tarred(members: dict[str, bytes], rng: random.Random) -> bytes:
    """A tar archive, one member of which may be a link, a device or a folder."""
    written, strange = io.BytesIO(), rng.choice(sorted(members) or [""]) if rng.random() < 0.3 else None
    with tarfile.open(fileobj=written, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name.replace("\0", ""))
            info.size = len(content)
            if name == strange:
                info.type = rng.choice(STRANGE_TYPES)
                info.linkname, info.size = rng.choice(("/etc/passwd", "../x", name, "")), 0
            archive.addfile(info, io.BytesIO(content))
    compress = rng.choice((bytes, lambda data: gzip.compress(data, mtime=0), bz2.compress, lzma.compress))
    return compress(written.getvalue())


STRANGE_TYPES = (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)
BY_KIND: dict[str, tuple[Bytes, ...]] = {
    ".json": (change_json,),
    ".npz": (change_arrays, change_arrays, change_header),
    ".zip": (change_members,),
    ".tgz": (change_members,),
    **dict.fromkeys(ENDINGS, TEXT),
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
