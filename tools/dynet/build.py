"""From the official source to a wheel: fetched, checked, patched, compiled by a standard build back-end, kept."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from common import ROOT
from common.errors import UserError
from common.files import atomic_write
from tools.dynet import machine, patching
from tools.dynet.fetch import fetch, read_files

HERE = Path(__file__).parent
OURS = ("CMakeLists.txt", "cuda.cmake", "in_wheel.py")
"""Files of this folder that are put into the source, in the place of its own way to be built."""
TOOLS = ("scikit-build-core==1.1.2", "cmake==4.4.4", "ninja==1.13.2", "cython==3.3.1", "cmeel-eigen==3.4.1")
MKL = ("mkl==2026.2.0",)
OPENBLAS = ("scipy-openblas32==0.3.34.481.3",)
CUDA_OF_WHEELS = (13, 0)
MEGABYTES = {"eigen": 500, "mkl": 3_000, "openblas": 600, "cuda": 5_000}
"""What a build takes on the disk while it lasts, the wheels that it needs included."""
PROJECT = """\
[build-system]
requires = []  # build.py has installed them
build-backend = "scikit_build_core.build"

[project]
name = "dynet38"  # the default wheel's name, so that one takes the place of the other
version = "{version}"
description = "DyNet 2.1.2, mended, built on the machine that it runs on"
requires-python = ">=3.10"
dependencies = [{dependencies}]

[tool.scikit-build]
build-dir = "../build"
wheel.packages = []

[tool.scikit-build.cmake.define]
{defines}
"""


@dataclass(frozen=True)
class Recipe:
    """What a wheel is made of: all that would make it another one, besides the files in this folder."""

    flavour: str
    version: str
    """The default wheel's with a local part: what asks for the default is satisfied with this one, too."""
    march: str
    compiler: str
    libraries: tuple[str, ...] = ()
    """Wheels that the built one needs to run, and so to be built."""
    tools: tuple[str, ...] = TOOLS
    """Wheels that it needs to be built."""
    defines: tuple[tuple[str, str], ...] = ()
    """Further settings of CMake."""

    @property
    def pyproject(self) -> str:
        """The project file of the build."""
        defines = {"DYNET_FLAVOUR": self.flavour, "DYNET_MARCH": self.march, **dict(self.defines)}
        return PROJECT.format(
            version=self.version,
            dependencies=", ".join(f'"{name}"' for name in ("numpy", *self.libraries)),
            defines="\n".join(f'{name} = "{value}"' for name, value in defines.items()),
        )


def plan(flavour: str, arch: str = "", nvcc: str = "", march: str = "") -> Recipe:
    """What to build on this machine; the arguments are flags of the program. Raises `UserError` where something that it
    takes is missing or too old."""
    machine.check_platform(flavour)
    machine.check_headers()
    march = march or machine.march()
    compiler = machine.find_compiler(march)
    if flavour == "eigen":
        return Recipe(flavour, "2.2+eigen", march, compiler)
    if flavour == "mkl":
        return Recipe(flavour, "2.2+mkl", march, compiler, MKL, (*TOOLS, "mkl-include==2026.2.0"))
    if flavour == "openblas":
        return Recipe(flavour, "2.2+openblas", march, compiler, OPENBLAS)
    compiler_here = None if nvcc == "wheels" else machine.find_nvcc(nvcc)
    path, (major, minor) = compiler_here or ("", CUDA_OF_WHEELS)
    machine.check_driver((major, minor))
    libraries = (f"cuda-toolkit[cublas,curand]=={major}.{minor}.*",)
    tools = TOOLS if compiler_here else (*TOOLS, f"cuda-toolkit[nvcc,cccl]=={major}.{minor}.*")
    defines = (("DYNET_NVCC", str(path)), ("CMAKE_CUDA_ARCHITECTURES", arch or machine.architectures()))
    return Recipe(flavour, f"2.2+cuda{major}.{minor}", march, compiler, libraries, tools, defines)


def build(recipe: Recipe, source: str = "", jobs: int = 0, keep: bool = False) -> Path:
    """The recipe's wheel: the one that was kept, or a new one.

    A build that was interrupted goes on where it stopped. With `keep`, its folder stays when it is done, so that the
    next one compiles only what was changed.
    """
    home = Path(os.environ.get("DYNET_BUILD") or ROOT / "build" / "dynet").resolve()
    wheels = home / "wheels" / f"{recipe.flavour}-{sys.implementation.cache_tag}-{fingerprint(recipe)}"
    for wheel in wheels.glob("*.whl"):
        print(f"{wheel.name} was built before: {wheels}")
        return wheel
    work = home / f"{recipe.flavour}-{sys.implementation.cache_tag}"
    work.mkdir(parents=True, exist_ok=True)
    machine.check_space(work, MEGABYTES[recipe.flavour])
    archive = fetch(home, source)
    python = make_environment(recipe, work)
    write_source(recipe, archive, work / "source")
    wheel_made = compile_wheel(recipe, python, work, jobs or os.cpu_count() or 1)
    wheels.mkdir(parents=True, exist_ok=True)
    wheel = wheel_made.replace(wheels / wheel_made.name)
    if not keep:
        shutil.rmtree(work)
    return wheel


def fingerprint(recipe: Recipe) -> str:
    """Some digits that change with everything that would change the wheel."""
    digest = hashlib.sha256(repr(recipe).encode())
    for file in (*(HERE / name for name in OURS), *patching.PATCHES):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def write_source(recipe: Recipe, archive: Path, folder: Path) -> None:
    """Write the mended source with our own build to `folder`. A file that is right already keeps its time."""
    files = read_files(archive)
    for patch in patching.PATCHES:
        patching.apply_patch(patch, files)
    files |= {name: (HERE / name).read_bytes() for name in OURS}
    files["pyproject.toml"] = recipe.pyproject.encode()
    for name, content in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            with atomic_write(path, "wb") as file:
                file.write(content)


def make_environment(recipe: Recipe, work: Path) -> Path:
    """A virtual environment with the tools and the libraries of the build; its Python."""
    environment = work / "env"
    python = environment / "bin" / "python"
    needed = [*recipe.tools, *recipe.libraries]
    print(f"Installing what the build needs: {', '.join(needed)} ...", flush=True)
    if not python.exists() and machine.run([sys.executable, "-m", "venv", str(environment)]).returncode != 0:
        raise UserError(f"could not make a virtual environment in {environment}")
    pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    result = machine.run([*pip, "install", "--only-binary", ":all:", *needed])
    if result.returncode != 0:
        log = work / "pip.log"
        log.write_text(result.stdout + result.stderr, encoding="utf-8")
        reason = "the disk is full" if "No space left" in result.stderr else "check the network"
        raise UserError(f"pip could not install what the build needs: {reason} (details: {log})")
    return python


def compile_wheel(recipe: Recipe, python: Path, work: Path, jobs: int) -> Path:
    """Compile, with progress; what the compilers say goes to a log. Raises `UserError` where they stop."""
    log = work / "build.log"
    shutil.rmtree(work / "wheel", ignore_errors=True)  # of a build that was interrupted
    (work / "wheel").mkdir()
    command = [str(python), "-m", "pip", "wheel", "-v", "--disable-pip-version-check", "--no-build-isolation"]
    command += ["--no-deps", "--wheel-dir", str(work / "wheel"), str(work / "source")]
    env = {
        **os.environ,
        "CXX": recipe.compiler,
        "CMAKE_BUILD_PARALLEL_LEVEL": str(jobs),
        "CMAKE_GENERATOR": "Ninja",
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
    }
    print(f"Compiling DyNet ({recipe.version}), {jobs} files at a time; details: {log}", flush=True)
    with open(log, "w", encoding="utf-8") as file, tqdm(unit=" files", disable=None) as bar:
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in process.stdout:
            file.write(line)
            file.flush()
            if step := re.search(r"\[(\d+)/(\d+)\]", line):
                bar.total = int(step[2])
                bar.update(int(step[1]) - bar.n)
        if process.wait() != 0:
            raise UserError(f"the build stopped: {first_error(log)} (details: {log})")
    (wheel,) = (work / "wheel").glob("*.whl")
    return wheel


def first_error(log: Path) -> str:
    """The line of a log that says best what stopped a build."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    for pattern in ("No space left on device", "Killed|out of memory|cannot allocate", r"\b[Ee]rror\b"):
        for line in lines:
            if re.search(pattern, line) and "subprocess-exited-with-error" not in line:  # pip's word for any error
                return line.strip()[:200]
    return "without a reason"
