"""Building DyNet: what the machine is asked; the source is fetched once, checked, kept, and read."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from common.errors import UserError
from tests.dynet_parts import FakeDriver, make_archive, script
from tools.dynet import fetch, machine

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


@posix
def test_the_compiler_is_found_and_new_enough(only: Path) -> None:
    with pytest.raises(UserError, match=r"^no C\+\+ compiler .* sudo apt install g\+\+$"):
        machine.find_compiler("")
    compiler = script(only, "clang++", "exit 0")
    assert machine.find_compiler("") == str(compiler)
    script(only, "g++", '[ "$1" = --version ] && echo "g++ 8.3" || exit 1')
    with pytest.raises(UserError, match=r"g\+\+ 8.3\) is too old for -std=c\+\+17 -march=x86-64-v3; g\+\+ 11"):
        machine.find_compiler("x86-64-v3")


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
    with pytest.raises(
        UserError, match=r"supports CUDA 12.4 at most, but the compiler is CUDA 13.0: update the driver"
    ):
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


MACS, POWERFUL, SMALL = ("Darwin", "arm64"), ("Linux", "x86_64"), ("Linux", "aarch64")


@pytest.mark.parametrize(
    ("flavour", "built_on", "not_on"),
    [
        ("eigen", [MACS], [("Windows", "AMD64")]),
        ("mkl", [POWERFUL], [SMALL, MACS]),
        ("openblas", [SMALL], [MACS]),
        ("cuda", [SMALL], [MACS]),
    ],
)
def test_flavours_have_their_systems(monkeypatch, flavour: str, built_on: list, not_on: list) -> None:
    for system, processor in (*built_on, *not_on):
        monkeypatch.setattr(machine.platform, "system", lambda system=system: system)
        monkeypatch.setattr(machine.platform, "machine", lambda processor=processor: processor)
        if (system, processor) in built_on:
            machine.check_platform(flavour)
        else:
            with pytest.raises(UserError, match=f"the {flavour} flavour cannot be built on {system} {processor}"):
                machine.check_platform(flavour)


def pretend(monkeypatch: pytest.MonkeyPatch, processor: str, cpuinfo: str | None) -> None:
    """Let the machine be another one. cpuinfo: None where the system has no such file."""

    def read_text(path: Path, encoding: str) -> str:
        if cpuinfo is None:
            raise FileNotFoundError(path)
        return cpuinfo

    monkeypatch.setattr(machine.platform, "machine", lambda: processor)
    monkeypatch.setattr(machine.Path, "read_text", read_text)


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
    pretend(monkeypatch, processor, cpuinfo)
    assert machine.fastest_library() == flavour


def test_headers_of_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(machine.sysconfig, "get_path", lambda name: str(tmp_path))
    with pytest.raises(UserError, match=r"sudo apt install python3.\d+-dev"):
        machine.check_headers()


# --- the source


@pytest.fixture
def archive(monkeypatch: pytest.MonkeyPatch) -> bytes:
    """An invented source, whose checksum is taken for the right one."""
    data = make_archive({"dynet/a.cc": b"one\n", "python/b.pyx": b"two\n"})
    monkeypatch.setattr(fetch, "SHA256", fetch.checksum(data))
    monkeypatch.setattr(fetch, "download", lambda: pytest.fail("downloaded"))
    return data


def test_the_source_is_read_without_its_top_folder(tmp_path: Path, archive: bytes) -> None:
    local = tmp_path / "given.tar.gz"
    local.write_bytes(archive)
    source = fetch.fetch(tmp_path / "home", str(local))
    assert source == tmp_path / "home" / "dyNET-2.1.2.tar.gz" and source.read_bytes() == archive
    assert fetch.read_files(source) == {"dynet/a.cc": b"one\n", "python/b.pyx": b"two\n"}
    assert fetch.fetch(tmp_path / "home") == source  # no second download


@pytest.mark.parametrize("damaged", [False, True])
def test_a_download_is_checked_and_kept(damaged: bool, tmp_path: Path, archive: bytes, monkeypatch) -> None:
    """A damaged source that was kept is fetched again."""
    if damaged:
        (tmp_path / fetch.ARCHIVE).write_bytes(archive[:-1])
    monkeypatch.setattr(fetch, "download", lambda: archive)
    assert fetch.fetch(tmp_path).read_bytes() == archive


def test_a_wrong_source_is_refused(tmp_path: Path, archive: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    local = tmp_path / "given.tar.gz"
    local.write_bytes(archive + b"!")
    with pytest.raises(UserError, match=f"given.tar.gz is not the right file: its sha256 is .*, not {fetch.SHA256}"):
        fetch.fetch(tmp_path / "home", str(local))
    monkeypatch.setattr(fetch, "download", lambda: b"an error page")
    with pytest.raises(UserError, match="of the package index is not the right file"):
        fetch.fetch(tmp_path / "home")
    with pytest.raises(UserError, match="--source .*nowhere.gz: No such file"):
        fetch.fetch(tmp_path / "home", str(tmp_path / "nowhere.gz"))
    assert not (tmp_path / "home").exists()


def test_no_network_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address where nothing listens, instead of the index that pip is configured for."""
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_INDEX" + "_URL", "http://127.0.0.1:9/")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(UserError, match=r"pip finds no dyNET-2.1.2.tar.gz: check the network .* --source FILE$"):
        fetch.download()


@pytest.mark.parametrize(
    ("processor", "cpuinfo", "march"),
    [
        ("x86_64", "flags : fma avx2 bmi2 avx512f avx512dq avx512cd avx512bw avx512vl", "x86-64-v4"),
        ("x86_64", "flags : fma avx2 bmi2 avx512f avx512cd", "x86-64-v3"),  # the first with AVX-512 had a part of it
        ("x86_64", "flags : fma avx2 bmi2", "x86-64-v3"),
        ("x86_64", "flags : avx", "native"),
        ("x86_64", None, "x86-64-v3"),
        ("aarch64", "Features : asimd", ""),
    ],
)
def test_what_a_processor_is_compiled_for(monkeypatch, processor: str, cpuinfo: str | None, march: str) -> None:
    pretend(monkeypatch, processor, cpuinfo)
    assert machine.march() == march
