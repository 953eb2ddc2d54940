"""Setting up DyNet: it reads its settings when it is imported, so this comes first."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from importlib import metadata

import numpy as np

from common.errors import UserError

THREAD_VARIABLES = ("MKL_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")


def configure(device: str = "cpu", seed: int = 1, memory: int = 512, threads: int = 0) -> None:
    """Import DyNet for `device` ("cpu" or "gpu"), with a random seed of 1 or more.

    memory: megabytes to begin with; DyNet takes more as it needs. threads: of matrix products, where the installed
    DyNet has them (the default wheel always uses one); 0 leaves their number to it. Raises `UserError` for a GPU that
    is not there: asked for in vain, DyNet would end the whole process.
    """
    if "dynet" in sys.modules:
        raise RuntimeError("DyNet is imported already: call configure before anything that imports it")
    if device == "gpu" and count_gpus() == 0:
        raise UserError("--device gpu: no usable NVIDIA GPU or driver on this machine; leave the flag out")
    if threads:
        os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))  # read when the library is loaded
    import dynet_config

    for kind in (np.float32, np.float64):
        np.finfo(kind)  # measured before DyNet flushes denormal numbers to zero, of which NumPy would warn
    dynet_config.set(mem=memory, random_seed=seed)
    if device == "gpu":
        dynet_config.set_gpu()
    import dynet

    if device == "gpu" and not dynet.HAVE_CUDA:
        raise UserError("--device gpu: the installed DyNet was built for CPUs only; leave the flag out")


def count_gpus() -> int:
    """How many NVIDIA GPUs the driver offers; 0 where there is no driver."""
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def versions() -> dict[str, str]:
    """What a result depends on: the versions of Python, DyNet and NumPy, and the kind of machine."""
    found = {"python": platform.python_version(), "numpy": metadata.version("numpy")}
    for name in ("dynet38", "dynet"):
        try:
            found["dynet"] = f"{name} {metadata.version(name)}"
            break
        except metadata.PackageNotFoundError:
            continue
    found["machine"] = f"{platform.system()} {platform.machine()}"
    return found
