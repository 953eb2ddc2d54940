"""Building DyNet: what is built and kept, and how it is put in."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from common.errors import UserError
from tests.dynet_parts import FakeDriver, make_archive, script
from tools.bench.language_models import Attentive
from tools.dynet import __main__ as program, build, machine, speed

posix = pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")


# --- what is built, and kept


@pytest.fixture
def plan(monkeypatch: pytest.MonkeyPatch) -> Callable[..., build.Recipe]:
    """`build.plan` on a Linux machine with a compiler, an old GPU, and no CUDA compiler."""
    monkeypatch.setattr(machine, "check_platform", lambda flavour: None)
    monkeypatch.setattr(machine, "check_headers", lambda: None)
    monkeypatch.setattr(machine, "march", lambda: "x86-64-v3")
    monkeypatch.setattr(machine, "find_compiler", lambda march: "/usr/bin/c++")
    monkeypatch.setattr(machine, "find_nvcc", lambda path: None)
    monkeypatch.setattr(machine, "_driver", lambda: FakeDriver(13000, [(8, 0)]))
    return build.plan


def test_libraries_are_needed_to_build_and_to_run(plan) -> None:
    recipe = plan("mkl")
    assert recipe.version == "2.2+mkl" and recipe.libraries == build.MKL
    assert 'dependencies = ["numpy", "mkl==' in recipe.pyproject
    assert 'DYNET_FLAVOUR = "mkl"\nDYNET_MARCH = "x86-64-v3"\n' in recipe.pyproject
    assert 'DYNET_MARCH = "native"\n' in plan("mkl", march="native").pyproject
    assert plan("openblas").version == "2.2+openblas" and plan("openblas").libraries == build.OPENBLAS
    assert plan("eigen").libraries == () and 'dependencies = ["numpy"]' in plan("eigen").pyproject


def test_cuda_comes_from_wheels_where_the_machine_has_none(plan, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = plan("cuda")
    assert recipe.version == "2.2+cuda13.0" and "cuda-toolkit[nvcc,cccl]==13.0.*" in recipe.tools
    assert dict(recipe.defines) == {"DYNET_NVCC": "", "CMAKE_CUDA_ARCHITECTURES": "80-real"}
    monkeypatch.setattr(machine, "find_nvcc", lambda path: (Path("/opt/nvcc"), (12, 9)))
    recipe = plan("cuda", arch="75;90")
    assert recipe.version == "2.2+cuda12.9" and recipe.libraries == ("cuda-toolkit[cublas,curand]==12.9.*",)
    assert not any("nvcc" in tool for tool in recipe.tools)
    assert dict(recipe.defines) == {"DYNET_NVCC": "/opt/nvcc", "CMAKE_CUDA_ARCHITECTURES": "75;90"}
    assert plan("cuda", nvcc="wheels").version == "2.2+cuda13.0"


def test_what_changes_a_wheel_changes_its_fingerprint(plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build.fingerprint(plan("cuda"))
    assert first == build.fingerprint(plan("cuda"))
    assert first != build.fingerprint(plan("cuda", arch="75"))
    patch = tmp_path / "10-more.patch"
    patch.write_text("Why.\n\n--- a\n+++ a\n@@\n-a\n+b\n", encoding="utf-8")
    monkeypatch.setattr(build.patching, "PATCHES", [*build.patching.PATCHES, patch])
    assert first != build.fingerprint(plan("cuda"))


def test_a_wheel_that_was_kept_is_not_built_again(plan, tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("DYNET_BUILD", str(tmp_path))
    monkeypatch.setattr(build, "fetch", lambda home, source: tmp_path / "archive")
    monkeypatch.setattr(build, "make_environment", lambda recipe, work: Path("python"))
    monkeypatch.setattr(build, "write_source", lambda recipe, archive, folder: None)
    compiled = []

    def compile_wheel(recipe, python: Path, work: Path, jobs: int) -> Path:
        wheel = work / "wheel" / f"dynet38-{recipe.version}.whl"
        wheel.parent.mkdir()
        wheel.touch()
        compiled.append(recipe.flavour)
        return wheel

    monkeypatch.setattr(build, "compile_wheel", compile_wheel)
    monkeypatch.setattr(machine, "check_space", lambda folder, megabytes: None)
    wheels = [build.build(plan(flavour)) for flavour in ("mkl", "eigen", "mkl")]
    assert compiled == ["mkl", "eigen"] and wheels[0] == wheels[2] != wheels[1]
    assert all(wheel.is_file() for wheel in wheels)
    assert "was built before" in capsys.readouterr().out
    assert [folder.name for folder in tmp_path.iterdir()] == ["wheels"]  # what a build took on the way is gone


def test_files_that_are_right_are_not_written_again(plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They would all be compiled again, too."""
    monkeypatch.setattr(build.patching, "PATCHES", [])
    file = tmp_path / "a.tar.gz"
    file.write_bytes(make_archive({"dynet/a.cc": b"one\n", "dynet/b.cc": b"two\n", "setup.py": b"dead\n"}))
    build.write_source(plan("eigen"), file, tmp_path / "source")
    for path in (tmp_path / "source").rglob("*.*"):
        os.utime(path, (1, 1))
    file.write_bytes(make_archive({"dynet/a.cc": b"one\n", "dynet/b.cc": b"three\n", "setup.py": b"dead\n"}))
    build.write_source(plan("eigen"), file, tmp_path / "source")
    new = {path.name for path in (tmp_path / "source").rglob("*.*") if path.stat().st_mtime > 1}
    assert new == {"b.cc"}
    assert (tmp_path / "source" / "dynet" / "b.cc").read_bytes() == b"three\n"
    assert {"CMakeLists.txt", "pyproject.toml"} <= {path.name for path in (tmp_path / "source").iterdir()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-- fine\nx.cc:3: error: no such thing\nninja: build stopped: Error 1", "x.cc:3: error: no such thing"),
        ("error: one\ncc1plus: fatal: No space left on device", "cc1plus: fatal: No space left on device"),
        ("c++: fatal error: Killed signal terminated program cc1plus", "Killed signal"),
        ("silence", "without a reason"),
    ],
)
def test_what_stopped_a_build_is_said(tmp_path: Path, text: str, expected: str) -> None:
    log = tmp_path / "build.log"
    log.write_text(text, encoding="utf-8")
    assert expected in build.first_error(log)


@posix
def test_a_compilation_that_stops_is_told_in_one_line(plan, tmp_path: Path) -> None:
    lines = r"[1/2] a.cc\n[2/2] b.cc\nb.cc:7:1: error: no\nERROR: Failed"
    python = script(tmp_path, "python", f'printf "{lines}"; exit 1')
    with pytest.raises(UserError, match=r"^the build stopped: b.cc:7:1: error: no \(details: .*build.log\)$"):
        build.compile_wheel(plan("eigen"), python, tmp_path, 2)


@posix
def test_a_compilation_is_told_its_settings_and_leaves_a_wheel(plan, tmp_path: Path) -> None:
    words = '"$CXX $CMAKE_BUILD_PARALLEL_LEVEL $CMAKE_GENERATOR $@"'
    wheel = tmp_path / "wheel" / "dynet38.whl"
    wheel.parent.mkdir()
    (wheel.parent / "of_an_interrupted_build.whl").touch()
    python = script(tmp_path, "python", f'echo {words}; echo > "{wheel}"')
    assert build.compile_wheel(plan("eigen"), python, tmp_path, 3) == wheel
    log = (tmp_path / "build.log").read_text(encoding="utf-8")
    assert log.startswith("/usr/bin/c++ 3 Ninja -m pip wheel") and "--no-build-isolation --no-deps" in log


def test_files_of_wheels_are_found() -> None:
    def ask(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, build.HERE / "in_wheel.py", *arguments], capture_output=True, text=True)

    path = ask("numpy", "numpy/version.py").stdout.strip()
    assert Path(path).is_file() and path.endswith("numpy/version.py")
    missing = ask("numpy", "include/mkl.h")
    assert (missing.returncode, missing.stderr) == (1, "error: the wheel numpy has no file include/mkl.h\n")


# --- putting it in


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What pip would have been told."""
    calls: list[list[str]] = []

    def run(command) -> subprocess.CompletedProcess[str]:
        calls.append(command[command.index("--no-input") + 1 :])
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(machine, "run", run)
    return calls


def test_libraries_are_installed_before_the_wheel_that_needs_them(commands) -> None:
    program.install(Path("dynet38-2.2+mkl.whl"), ("mkl==1",))
    assert commands == [
        ["install", "--only-binary", ":all:", "mkl==1"],
        ["install", "--force-reinstall", "--no-deps", "dynet38-2.2+mkl.whl"],
    ]


def test_the_default_is_the_pinned_wheel(commands) -> None:
    program.install_default()
    (command,) = commands
    assert command[:5] == ["install", "--force-reinstall", "--no-deps", "--only-binary", ":all:"]
    assert command[5] == "--constraint" and Path(command[6]).name == "constraints.txt" and command[7] == "dynet38"


def test_pips_reason_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "WARNING: slow\nERROR: No matching distribution found for mkl==1\n")
    monkeypatch.setattr(machine, "run", lambda command: failed)
    with pytest.raises(UserError, match=r"check the network \(No matching distribution found for mkl==1\)$"):
        program.pip("install", "mkl==1")


@pytest.mark.parametrize(
    ("flavour", "gpus", "device"), [("default", 1, "cpu"), ("mkl", 1, "cpu"), ("cpu", 0, "cpu"), ("cuda", 1, "gpu")]
)
def test_the_speed_before_and_after_is_told(monkeypatch, run_main, flavour: str, gpus: int, device: str) -> None:
    done = []
    monkeypatch.setattr(program.gpu, "count_gpus", lambda: gpus)
    monkeypatch.setattr(program, "plan", lambda *arguments: SimpleNamespace(libraries=("library",)))
    monkeypatch.setattr(program, "build", lambda *arguments: Path("dynet38.whl"))
    monkeypatch.setattr(program, "install", lambda wheel, libraries: done.append(f"{wheel}, {libraries[0]}"))
    monkeypatch.setattr(program, "install_default", lambda: done.append("default"))
    monkeypatch.setattr(program, "check", lambda device: done.append(f"checked on {device}"))
    monkeypatch.setattr(program, "measure", lambda device: f"{len(done)} done, on {device}")
    printed = run_main(program.main, flavour)
    assert done == ["default" if flavour == "default" else "dynet38.whl, library", f"checked on {device}"]
    assert printed.endswith(f"before: 0 done, on cpu\nafter:  2 done, on {device}\n")


def test_the_default_wheel_cannot_be_built_only(commands, refuse_main: Callable) -> None:
    line = refuse_main(program.main, "default", "--only-build")
    assert "--only-build: the default wheel is not built here" in line and not commands


def test_a_dynet_that_is_missing_or_computes_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(subprocess, "run", lambda *rest, **more: subprocess.CompletedProcess(rest, 1))
    with pytest.raises(UserError, match="computes wrongly on this machine; to go back: make dynet-default"):
        program.check("cpu")
    monkeypatch.setattr(metadata, "version", missing)
    assert program.measure("cpu") == "no DyNet"


def test_speed_is_measured_by_training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    small = Attentive.Settings(hidden_size=4, vocabulary=20, batch_size=2, batches=1, layers=1)
    monkeypatch.setattr(speed, "SETTINGS", small)
    monkeypatch.setattr(speed.runtime, "configure", lambda device: None)
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))  # no Penn Treebank: invented sentences
    assert 0 < speed.tokens_per_second("cpu") < float("inf")
