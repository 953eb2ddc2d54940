"""What this machine has to build with, and what its GPUs are."""

from __future__ import annotations

import ctypes
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from common.errors import UserError

LEVELS = {
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    "x86-64-v3": {"avx2", "fma", "bmi2"},
}
"""The levels of x86 processors to compile for, the highest first, and by what in /proc/cpuinfo they are known."""
GPUS_OF_TODAY = "75-real;80-real;90"
"""Where no GPU can be asked: Turing, Ampere and Ada, Hopper. Newer ones translate the last one's code on loading."""
CAPABILITY_MAJOR, CAPABILITY_MINOR = 75, 76  # as cuda.h numbers the attributes of a device
MEBIBYTE = 1024**2
DEFAULT_NVCC = "/usr/local/cuda/bin/nvcc"


def check_platform(flavour: str) -> None:
    """Raise `UserError` where a flavour has no libraries for this system."""
    system, machine = platform.system(), platform.machine()
    allowed = {"mkl": ("x86_64",), "openblas": ("x86_64", "aarch64"), "cuda": ("x86_64", "aarch64")}.get(flavour)
    if system == "Windows" or (allowed and (system != "Linux" or machine not in allowed)):
        raise UserError(
            f"the {flavour} flavour cannot be built on {system} {machine}; stay with the default (make setup)"
        )


def check_space(folder: Path, megabytes: int) -> None:
    """Raise `UserError` where there is less free space than a build needs."""
    free = shutil.disk_usage(folder).free // MEBIBYTE
    if free < megabytes:
        raise UserError(
            f"{folder}: {free:,} MB are free, the build needs {megabytes:,} MB; DYNET_BUILD names another folder"
        )


def check_headers() -> None:
    """Raise `UserError` where Python's own headers are missing."""
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        package = f"python{sys.version_info.major}.{sys.version_info.minor}-dev"
        raise UserError(
            f"the headers of this Python are not installed; on Debian or Ubuntu: sudo apt install {package}"
        )


def find_compiler(march: str) -> str:
    """A C++ compiler that knows C++17 and the processor. Raises `UserError` where there is none, or an old one."""
    names = [os.environ["CXX"]] if os.environ.get("CXX") else ["c++", "g++", "clang++"]
    compiler = next(filter(None, map(shutil.which, names)), None)
    if compiler is None:
        raise UserError(f"no C++ compiler ({', '.join(names)}); on Debian or Ubuntu: sudo apt install g++")
    flags = ["-std=c++17", *([f"-march={march}"] if march else [])]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "try.cc")
        file.write_text("#include <memory>\nint main() { if constexpr (true) return 0; }\n", encoding="utf-8")
        result = run([compiler, *flags, "-c", str(file), "-o", str(file.with_suffix(".o"))])
    if result.returncode != 0:
        version = run([compiler, "--version"]).stdout.split("\n")[0]
        raise UserError(
            f"{compiler} ({version}) is too old for {' '.join(flags)}; g++ 11 or clang 12 will do (CXX=...)"
        )
    return compiler


def find_nvcc(path: str = "") -> tuple[Path, tuple[int, int]] | None:
    """The machine's CUDA compiler and its version, where it is CUDA 12 or newer; None: to be had as a wheel.

    given: a path that the user chose. Raises `UserError` where that is no compiler, or too old.
    """
    home = os.environ.get("CUDA_HOME")
    places = [path] if path else [str(Path(home, "bin", "nvcc")) if home else "", "nvcc", DEFAULT_NVCC]
    for nvcc in filter(None, map(shutil.which, filter(None, places))):
        release = re.search(r"release (\d+)\.(\d+)", run([nvcc, "--version"]).stdout)
        if release and int(release[1]) >= 12:
            return Path(nvcc), (int(release[1]), int(release[2]))
    if path:
        raise UserError(f"--nvcc {path}: no CUDA compiler of version 12 or newer")
    return None


def check_driver(cuda: tuple[int, int]) -> None:
    """Raise `UserError` where the NVIDIA driver is too old for this CUDA; to build, none is needed."""
    driver = _driver()
    version = ctypes.c_int(0)
    if driver and driver.cuDriverGetVersion(ctypes.byref(version)) == 0 and version.value // 1000 < cuda[0]:
        supported = f"{version.value // 1000}.{version.value % 1000 // 10}"
        raise UserError(
            f"the NVIDIA driver supports CUDA {supported} at most, but the compiler is CUDA {cuda[0]}.{cuda[1]}: "
            f"update the driver, or install the CUDA toolkit {supported} and name its compiler (--nvcc PATH)"
        )


def architectures() -> str:
    """The GPUs to compile for, as CMake writes them: those in this machine, or a set that covers today's."""
    driver = _driver()
    count = ctypes.c_int(0)
    if not driver or driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        return GPUS_OF_TODAY
    capabilities = set()
    for device in range(count.value):
        major, minor = ctypes.c_int(), ctypes.c_int()
        driver.cuDeviceGetAttribute(ctypes.byref(major), CAPABILITY_MAJOR, device)
        driver.cuDeviceGetAttribute(ctypes.byref(minor), CAPABILITY_MINOR, device)
        capabilities.add(10 * major.value + minor.value)
    return ";".join(f"{capability}-real" for capability in sorted(capabilities))


def _driver() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None


def march() -> str:
    """The processor to compile for: the highest of `LEVELS` that this one has, or this one alone where it has none;
    "", the compiler's own choice, on others than x86."""
    if platform.machine() != "x86_64":
        return ""
    facts = cpuinfo().split()
    level = next((level for level, needed in LEVELS.items() if needed <= {*facts}), "native")
    return level if facts else "x86-64-v3"


def fastest_library() -> str:
    """The flavour whose products of matrices have threads and are fastest on this processor.

    MKL keeps its best code for Intel's processors; OpenBLAS has code for each maker's.
    """
    return "mkl" if "GenuineIntel" in cpuinfo() and platform.machine() == "x86_64" else "openblas"


def cpuinfo() -> str:
    """What Linux says of the processor; "" on another system."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""


def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    """Run a command and keep what it says; a command that cannot be run gives status 127."""
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace")
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, "", str(error))
