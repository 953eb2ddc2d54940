"""NVIDIA GPUs, for `--device gpu`."""

from __future__ import annotations

import ctypes
import sys

from common.errors import UserError


def require_gpu() -> None:
    """Raises `UserError` where there is none."""
    if count_gpus() == 0:
        raise UserError("--device gpu: no usable NVIDIA GPU or driver on this machine; leave the flag out")


def require_gpu_build() -> None:
    """Raises `UserError` where the installed DyNet cannot use a GPU."""
    import dynet

    if not dynet.HAVE_CUDA:
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
