"""How the benchmarks measure: round after round, one side after the other, each in a process of its own."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import math
import os
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import asdict
from multiprocessing import get_context
from typing import Any

import numpy as np
from tqdm import tqdm

from common import runtime
from common.errors import UserError
from tools.bench.sides import DyNetSide

METHODS = {"training": "train_batch", "evaluation": "evaluate_batch", "decoding": "decode_batch"}
"""What a side does with a batch, by task. Each returns a finite number."""

THREAD_VARIABLES = (*runtime.THREAD_VARIABLES, "VECLIB_MAXIMUM_THREADS")
PEAK_SIZE = 2048
SAME_LOSS = 1e-4
"""The largest relative difference between two sides' losses that float32 explains."""

Seconds = tuple[float, float]  # by the clock, and of this process on all processors


def new_process(threads: int) -> ProcessPoolExecutor:
    """A process that has loaded nothing yet, for what is submitted to it; its libraries will have so many threads."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))  # read when they are loaded
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


class Worker:
    """A side in a process of its own, which does nothing without a call."""

    def __init__(self, stack: ExitStack, name: str, threads: int, make_side: Callable, *arguments: Any):
        """Start the process and make the side in it: `make_side(*arguments)`. It ends with `stack`."""
        self.name = name
        self.pool = stack.enter_context(new_process(threads))
        self.call(_begin, make_side, *arguments)

    def call(self, function: Callable, *arguments: Any) -> Any:
        """`function(*arguments)` in that process. Raises `UserError` where the process dies of it."""
        try:
            return self.pool.submit(function, *arguments).result()
        except BrokenProcessPool:
            raise UserError(f"the process of the {self.name} side died; is there too little memory?") from None


_side: Any = None  # in a worker's process: its side


def _begin(make_side: Callable, *arguments: Any) -> None:
    global _side
    _side = make_side(*arguments)


def _do(method: str, *arguments: Any) -> Any:
    return getattr(_side, method)(*arguments)


def _run(method: str, batches: Sequence) -> Seconds:
    """Call the method with every batch."""
    return timed(lambda: [getattr(_side, method)(batch) for batch in batches])


def timed(function: Callable[[], list[float]]) -> Seconds:
    """How long a function takes. Raises `UserError` where one of its results is not finite."""
    clock, processor = time.perf_counter(), time.process_time()
    results = function()
    seconds = time.perf_counter() - clock, time.process_time() - processor
    if not all(map(math.isfinite, results)):
        raise UserError("a loss is not finite: this benchmark is meaningless; try another --seed or fewer --rounds")
    return seconds


class Peak:
    """A large product in NumPy, to see what the processor can do."""

    def __init__(self, size: int, seed: int):
        self.factors = np.random.default_rng(seed).random((2, size, size), dtype=np.float32)
        self.product = np.empty((size, size), np.float32)

    def gflops(self) -> float:
        """GFLOP/s of one product, by processor time: what other programs do hardly matters."""
        started = time.process_time()
        np.matmul(*self.factors, out=self.product)
        return 2 * len(self.product) ** 3 / (time.process_time() - started) / 1e9


def measure(benchmark: type[DyNetSide], settings: Any) -> dict:
    """Run the rounds of a benchmark; everything that was measured, by task and side."""
    workload = benchmark.make_workload(settings)
    methods = METHODS | getattr(settings, "methods", {})
    times: dict[str, dict[str, list[Seconds]]] = {task: {} for task in METHODS}
    peaks = []
    with ExitStack() as stack:
        dynet = Worker(stack, "DyNet", settings.threads, benchmark.make, settings)
        workers = [dynet]
        if has_torch():
            parameters = dynet.call(_do, "parameters")
            workers.append(Worker(stack, "PyTorch", settings.threads, benchmark.make_torch, settings, parameters))
        losses = {worker.name: worker.call(_do, "loss_without_dropout", workload.batches[0]) for worker in workers}
        compare_losses(losses)
        numpy = Worker(stack, "NumPy", 1, Peak, PEAK_SIZE, settings.seed)
        turns = [(task, worker) for task in times for worker in workers]
        number = (1 + settings.rounds) * len(turns)
        progress = stack.enter_context(tqdm(total=number, desc=benchmark.name, unit="turn", leave=False, disable=None))
        for task, worker in turns:
            worker.call(_run, methods[task], workload.batches)  # not counted: memory is being allocated
            progress.update()
        for _ in range(settings.rounds):
            for task, worker in turns:
                peaks.append(numpy.call(_do, "gflops"))
                times[task].setdefault(worker.name, []).append(worker.call(_run, methods[task], workload.batches))
                progress.update()
    return summary(benchmark, settings, workload, times, losses, peaks)


def has_torch() -> bool:
    return importlib.util.find_spec("torch") is not None


def compare_losses(losses: dict[str, float]) -> None:
    """Raises `RuntimeError` where the sides, before training and without dropout, are not the same function."""
    first = losses["DyNet"]
    if any(abs(loss - first) > SAME_LOSS * abs(first) for loss in losses.values()):
        raise RuntimeError(f"the sides do not compute the same loss: {losses}")


def summary(
    benchmark: type[DyNetSide],
    settings: Any,
    workload: Any,
    times: dict[str, dict[str, list[Seconds]]],
    losses: dict[str, float],
    peaks: list[float],
) -> dict:
    """The results of all rounds, as `--json` writes them."""
    flops = benchmark.flops_per_token(settings, workload)
    versions = runtime.versions()
    if "PyTorch" in losses:
        versions["torch"] = importlib.metadata.version("torch")
    return {
        "benchmark": benchmark.title(settings),
        "settings": asdict(settings),
        "batches": {
            "source": workload.source,
            "predictions": workload.predictions,
            "padding": 1 - workload.predictions / workload.positions,
        },
        "versions": versions,
        "flops_per_token": flops,
        "peak_gflops_per_thread": spread(peaks),
        "losses_before_training": losses,
        "tasks": {
            # Padding is no real prediction; but a decoder is made to go on to the length of the batch.
            task: of_task(
                rounds,
                workload.positions if task == "decoding" else workload.predictions,
                flops if task == "training" else flops / 3,  # no backward pass
            )
            for task, rounds in times.items()
        },
    }


def of_task(times: dict[str, list[Seconds]], tokens: int, flops: float) -> dict:
    """The results of one task: of each side, and the ratios of DyNet's speed to PyTorch's.

    tokens: of a round. flops: of a token.
    """
    sides = {}
    for name, rounds in times.items():
        per_processor_second = [tokens / processor for _, processor in rounds]
        sides[name] = {
            "tokens_per_second": spread([tokens / clock for clock, _ in rounds]),
            "tokens_per_processor_second": spread(per_processor_second),
            "gflops_per_thread": statistics.median(per_processor_second) * flops / 1e9,
        }
    result = {"sides": sides}
    if "PyTorch" in times:
        pairs = list(zip(times["DyNet"], times["PyTorch"], strict=True))
        result["ratio"] = spread([theirs[0] / ours[0] for ours, theirs in pairs])
        result["ratio_by_processor_time"] = spread([theirs[1] / ours[1] for ours, theirs in pairs])
    return result


def spread(values: list[float]) -> dict:
    """The values, one a round, with their median, minimum and maximum."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "rounds": values}
