"""Setting up DyNet: it reads its settings when it is imported, so this comes first."""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import metadata

import dynet_config
import numpy as np

memory_watched = True
"""Whether somebody looks how much memory a batch takes (`memory`): not where a run has its chapter's default sizes."""
THREAD_VARIABLES = ("MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def set_up(arguments: Sequence[str]) -> None:
    """Choose the device and the threads of DyNet as the flags of a program say, before anything imports it. What is
    wrong with them, the program's own parser will say. Raises `UserError` as `configure` does."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--device", choices=("cpu", "gpu"), default="cpu")
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--data-parallel", action="store_true")  # as many processes as cores, of one thread each
    try:
        flags, _ = parser.parse_known_args(list(arguments))
    except (argparse.ArgumentError, SystemExit):
        return configure()
    configure(flags.device, max(flags.threads, 0) or int(flags.data_parallel))


def configure(device: str = "cpu", threads: int = 0) -> None:
    """Let DyNet, when it is imported, use this device; nothing happens where it is imported already.

    threads: of matrix products, where the installed DyNet has them (the default wheel always uses one); 0 leaves their
    number to it. Raises `UserError` for a GPU that is not there: DyNet itself would end the whole process.
    """
    if "dynet" in sys.modules:
        return
    if device == "gpu":
        from common.gpu import require_gpu, require_gpu_build

        require_gpu()
    if threads:
        os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))  # read when the library is loaded
    for kind in (np.float32, np.float64):
        np.finfo(kind)  # measured before DyNet flushes denormal numbers to zero, of which NumPy would warn
    # DyNet clears these megabytes, which takes time, and takes more as it needs; programs seed it with their own --seed
    dynet_config.set(mem=64, random_seed=1)
    if device == "gpu":
        dynet_config.set_gpu()
        require_gpu_build()


def seed_dynet(seed: int) -> None:
    """Let DyNet's random numbers (first parameters, dropout) start from a seed of 1 or more, where it is in use."""
    if "dynet" in sys.modules:
        sys.modules["dynet"].reset_random_seed(seed)


def epoch_rng(seed: int, epoch: int) -> np.random.Generator:
    """The random numbers of one epoch: NumPy's (the order) returned, DyNet's (dropout) reset where it is in use."""
    rng = np.random.default_rng([seed, epoch])
    dynet_seed = int(rng.integers(1, 2**31))
    seed_dynet(dynet_seed)
    return rng


def versions() -> dict[str, str]:
    """What a result depends on: the versions of Python, DyNet and NumPy, and the kind of machine."""
    installed = {"python": platform.python_version(), "numpy": metadata.version("numpy")}
    for name in ("dynet", "dynet38"):
        with suppress(metadata.PackageNotFoundError):
            installed["dynet"] = f"{name} {metadata.version(name)}"
    installed["machine"] = f"{platform.system()} {platform.machine()}"
    return installed
