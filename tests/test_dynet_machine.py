"""Building DyNet: what the machine is asked, and the one-line errors."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from common.errors import UserError
from tests.dynet_parts import FakeDriver, script
from tools.dynet import machine

posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all there is to find programs in."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    for name in ("CXX", "CUDA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(machine, "DEFAULT_NVCC", str(folder / "nowhere"))
    return folder


def test_no_compiler(only: Path) -> None:
    with pytest.raises(UserError, match=r"^no C\+\+ compiler .* sudo apt install g\+\+$"):
        machine.find_compiler("")


@posix
def test_an_old_compiler(only: Path) -> None:
    script(only, "g++", '[ "$1" = --version ] && echo "g++ 8.3" || exit 1')
    with pytest.raises(UserError, match=r"g\+\+ 8.3\) is too old for -std=c\+\+17 -march=x86-64-v3; g\+\+ 11"):
        machine.find_compiler("x86-64-v3")


@posix
def test_a_compiler_that_will_do(only: Path) -> None:
    compiler = script(only, "clang++", "exit 0")
    assert machine.find_compiler("") == str(compiler)


@posix
@pytest.mark.parametrize(("release", "expected"), [("11.8", None), ("12.4", (12, 4)), ("13.0", (13, 0))])
def test_the_cuda_compiler_is_asked_for_its_version(only: Path, release: str, expected) -> None:
    nvcc = script(only, "nvcc", f'echo "Cuda compilation tools, release {release}, V{release}.1"')
    assert machine.find_nvcc() == (expected and (nvcc, expected))


@posix
def test_a_cuda_compiler_that_was_asked_for_must_do(only: Path) -> None:
    assert machine.find_nvcc() is None  # it comes as a wheel, then
    with pytest.raises(UserError, match="--nvcc nvcc11: no CUDA compiler of version 12 or newer"):
        script(only, "nvcc11", 'echo "release 11.0, V11.0"')
        machine.find_nvcc("nvcc11")


def test_a_driver_must_know_the_cuda_that_is_built_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_driver", lambda: FakeDriver(12040, []))
    machine.check_driver((12, 9))  # a newer minor version runs on it
    with pytest.raises(UserError, match=r"knows CUDA 12.4 at most, the compiler is CUDA 13.0: update the driver"):
        machine.check_driver((13, 0))
    monkeypatch.setattr(machine, "_driver", lambda: None)
    machine.check_driver((13, 0))


def test_the_gpus_of_the_machine_are_built_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_driver", lambda: FakeDriver(13000, [(9, 0), (8, 6), (9, 0)]))
    assert machine.architectures() == "86-real;90-real"
    for driver in (None, FakeDriver(13000, [])):
        monkeypatch.setattr(machine, "_driver", lambda driver=driver: driver)
        assert machine.architectures() == machine.GPUS_OF_TODAY


def test_too_little_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = SimpleNamespace(free=500 * 1024**2)
    monkeypatch.setattr(machine.shutil, "disk_usage", lambda folder: usage)
    machine.check_space(tmp_path, 500)
    with pytest.raises(UserError, match="500 MB are free, the build needs 501 MB; DYNET_BUILD"):
        machine.check_space(tmp_path, 501)


@pytest.mark.parametrize(
    ("flavour", "system", "processor", "allowed"),
    [
        ("eigen", "Darwin", "arm64", True),
        ("mkl", "Linux", "x86_64", True),
        ("mkl", "Linux", "aarch64", False),
        ("mkl", "Darwin", "arm64", False),
        ("openblas", "Linux", "aarch64", True),
        ("openblas", "Darwin", "arm64", False),
        ("cuda", "Linux", "aarch64", True),
        ("cuda", "Darwin", "arm64", False),
        ("eigen", "Windows", "AMD64", False),
    ],
)
def test_flavours_have_their_systems(monkeypatch, flavour: str, system: str, processor: str, allowed: bool) -> None:
    monkeypatch.setattr(machine.platform, "system", lambda: system)
    monkeypatch.setattr(machine.platform, "machine", lambda: processor)
    if allowed:
        machine.check_platform(flavour)
    else:
        with pytest.raises(UserError, match=f"the {flavour} flavour cannot be built on {system} {processor}"):
            machine.check_platform(flavour)


@pytest.mark.parametrize(
    ("processor", "cpuinfo", "flavour"),
    [
        ("x86_64", "vendor_id : GenuineIntel", "mkl"),
        ("x86_64", "vendor_id : AuthenticAMD", "openblas"),
        ("aarch64", "CPU implementer : 0x41", "openblas"),
        ("x86_64", None, "openblas"),
    ],
)
def test_fastest_library_of_a_processor(monkeypatch, processor: str, cpuinfo: str | None, flavour: str) -> None:
    def read_text(path: Path, encoding: str) -> str:
        if cpuinfo is None:
            raise FileNotFoundError(path)
        return cpuinfo

    monkeypatch.setattr(machine.platform, "machine", lambda: processor)
    monkeypatch.setattr(machine.Path, "read_text", read_text)
    assert machine.fastest_library() == flavour


def test_headers_of_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(UserError, match=r"sudo apt install python3.\d+-dev"):
        machine.check_headers()
