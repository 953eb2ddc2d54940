"""What tests of building DyNet invent: an archive of its source, programs in its place, a driver of GPUs."""

from __future__ import annotations

import ctypes
import io
import stat
import tarfile
from pathlib import Path


def make_archive(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as tar:
        for name, content in files.items():
            info = tarfile.TarInfo(f"dyNET-2.1.2/{name}")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def script(folder: Path, name: str, body: str) -> Path:
    file = folder / name
    file.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8", newline="\n")
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


class FakeDriver:
    """An NVIDIA driver that knows a version of CUDA and has GPUs of some compute capabilities."""

    def __init__(self, version: int, capabilities: list[tuple[int, int]]):
        self.version, self.capabilities = version, capabilities

    def cuInit(self, flags: int) -> int:
        return 0

    def cuDriverGetVersion(self, pointer) -> int:
        return set_integer(pointer, self.version)

    def cuDeviceGetCount(self, pointer) -> int:
        return set_integer(pointer, len(self.capabilities))

    def cuDeviceGetAttribute(self, pointer, attribute: int, device: int) -> int:
        return set_integer(pointer, self.capabilities[device][attribute - 75])


def set_integer(pointer, value: int) -> int:
    ctypes.cast(pointer, ctypes.POINTER(ctypes.c_int))[0] = value
    return 0
