"""What is gained by several processes: `OMP_NUM_THREADS=1 mpirun -n 2 python -m tools.processes`; on paper up to 64.

Chapter 6's model, or that of another benchmark (`python -m tools.bench`), is trained on its batches, alternately by the
first process alone and by all (`train.py --data-parallel`), by the clock; with `--torch` also by PyTorch, with as many
threads as there are processes. The table for more processes follows from what a share of a batch takes to compute and
how many bytes are sent: n processes in a ring send 2 (n - 1) / n of them, at `--gigabits` a second.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import fields
from statistics import median
from typing import Any

import dynet as dy
import numpy as np

from common.errors import OneLineParser, UserError, exits_cleanly
from common.nn.parameters import DynetParameters
from common.programs.arguments import check_most
from common.text.dividing import sizes_of, take
from common.training.checkpoint import count_parameters
from common.training.cli import as_flag
from common.training.gradients import in_place
from common.training.parallel import Processes
from tools.bench.__main__ import BENCHMARKS
from tools.bench.rounds import has_torch
from tools.bench.sides import DyNetSide
from tools.bench.workloads import AnyBatch, predicted

SIZES = tuple(2**power for power in range(7))
"""Numbers of processes that the table shows."""
PARTS = "computing", "waiting", "summing", "updating"
CLOCK, PROCESSOR = 0, 1


def now() -> np.ndarray:
    """Seconds by the clock, and those that this process has computed."""
    return np.array([time.perf_counter(), time.process_time()])


def train_step(side: DyNetSide, share: AnyBatch, processes: Processes | None = None) -> np.ndarray:
    """Train on a share of a batch, with the other processes where there are some. The seconds, (parts, clocks)."""
    times = [now()]
    dy.renew_cg()
    mean_loss = side.loss(share) * (1 / len(predicted(share).indices))
    mean_loss.backward()
    times.append(now())
    if processes:
        processes.world.Barrier()
    times.append(now())
    if processes:
        processes.model = side.model
        processes.sum_gradients()
    times.append(now())
    side.optimiser.update()
    times.append(now())
    return np.diff(times, axis=0)


def meet(processes: Processes) -> None:
    """Wait for the others without keeping a processor busy."""
    request = processes.world.Ibarrier()
    while not request.Test():
        time.sleep(0.002)


def measure(
    processes: Processes, side: DyNetSide, torch: Any, batches: Sequence[AnyBatch], rounds: int
) -> tuple[np.ndarray, ...]:
    """The seconds of all steps, (rounds, batches, parts, clocks): of the first process alone, and of all together; and
    those by the clock of PyTorch's rounds, (rounds,), where it takes part.
    """
    alone, side_by_side, by_torch = [], [], []
    for number in range(-1, rounds):  # the first round takes memory, and is not counted
        meet(processes)
        steps = [train_step(side, batch) for batch in batches] if processes.rank == 0 else []
        start = time.perf_counter()
        for batch in batches if torch else ():
            torch.train_batch(batch)
        of_torch = time.perf_counter() - start
        meet(processes)
        shared = [train_step(side, processes.share(batch), processes) for batch in batches]
        if number >= 0:
            alone.append(steps)
            side_by_side.append(shared)
            by_torch.append(of_torch)
    return np.array(alone), np.array(side_by_side), np.array(by_torch)


def seconds_of_shares(side: DyNetSide, batches: Sequence[AnyBatch]) -> dict[int, float]:
    """The processor seconds of computing a share by the number of processes that share a batch; means over batches."""
    seconds = {}
    for processes in (size for size in SIZES if size <= sizes_of(batches[0])[0]):
        shares = [take(batch, np.arange(0, sizes_of(batch)[0], processes)) for batch in batches]
        seconds[processes] = float(np.mean([train_step(side, share)[0, PROCESSOR] for share in shares]))
    return seconds


def on_paper(shares: dict[int, float], updating: float, sent: float, gigabits: float) -> str:
    """What more processes would be worth: with a batch shared out, and with a whole batch for each of them."""
    whole = shares[1] + updating
    rows = [
        f"at {gigabits:g} Gbit/s | seconds a share | seconds to sum | a batch for all | a batch for each",
        "---|---|---|---|---",
    ]
    for processes in SIZES:
        summing = ring_seconds(processes, sent, gigabits)
        share = shares.get(processes)
        seconds, speedup = "", ""
        if share is not None:
            seconds, speedup = f"{share:.3f}", f"{whole / (share + summing + updating):.1f} times"
        each = processes * whole / (whole + summing)
        rows.append(f"{processes} | {seconds} | {summing:.3f} | {speedup} | {each:.1f} times")
    return "\n".join(f"| {row} |" for row in rows)


def ring_seconds(processes: int, sent: float, gigabits: float) -> float:
    """How long a sum of so many bytes takes where each process hands parts to the next."""
    return 2 * (processes - 1) / processes * sent * 8 / (gigabits * 1e9)


def summary_line(name: str, values: Sequence[float]) -> str:
    return f"{name}: {median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def make_parser() -> OneLineParser:
    parser = OneLineParser(prog="python -m tools.processes", description=__doc__.partition("\n\n")[0])
    parser.add_argument("benchmark", nargs="?", choices=BENCHMARKS, default="attentive_lm", help="the model")
    parser.add_argument("--hidden-size", type=int, metavar="N", help="size of its layers (default: the benchmark's)")
    parser.add_argument(
        "--words", type=int, metavar="N", help="words in a language model's vocabulary (default: 10000)"
    )
    parser.add_argument("--batch-size", type=int, default=32, metavar="N", help="sentences in a batch (default: 32)")
    parser.add_argument("--batches", type=int, default=4, metavar="N", help="batches in a round (default: 4)")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds (default: 5)")
    parser.add_argument("--gigabits", type=float, default=10, metavar="X", help="speed of the network (default: 10)")
    parser.add_argument("--torch", action="store_true", help="also train in PyTorch, with as many threads as processes")
    return parser


def settings_of(arguments: argparse.Namespace, processes: int) -> Any:
    """The settings of the benchmark. Raises `UserError` for what it has not, or for numbers that are not positive."""
    numbers = {name: value for name, value in vars(arguments).items() if type(value) in (int, float)}
    for name, value in numbers.items():
        if value <= 0:
            raise UserError(f"{as_flag(name, value)}: must be more than 0")
    if arguments.torch and not has_torch():
        raise UserError("--torch: PyTorch is missing: pip install torch")
    settings_class = BENCHMARKS[arguments.benchmark].Settings
    names = {field.name for field in fields(settings_class)}
    if arguments.words and "vocabulary" not in names:
        raise UserError(f"--words: {arguments.benchmark} takes its vocabulary from its pairs; leave it out")
    values = {"vocabulary" if name == "words" else name: value for name, value in numbers.items()}
    return settings_class(threads=processes, **{name: value for name, value in values.items() if name in names})


@exits_cleanly
def main() -> None:
    arguments = make_parser().parse_args()
    processes = Processes()
    check_most(arguments)
    settings, benchmark = settings_of(arguments, processes.size), BENCHMARKS[arguments.benchmark]
    side, workload = benchmark.make(settings), benchmark.make_workload(settings)
    torch = benchmark.make_torch(settings, side.parameters()) if arguments.torch and processes.rank == 0 else None
    alone, side_by_side, by_torch = measure(processes, side, torch, workload.batches, arguments.rounds)
    sent = processes.sent / ((arguments.rounds + 1) * arguments.batches)
    shares = seconds_of_shares(side, workload.batches) if processes.rank == 0 else {}
    meet(processes)
    processes.finish()
    single, shared = alone.sum(axis=1), side_by_side.sum(axis=1)
    waiting = PARTS.index("waiting")
    by_clock = single[..., CLOCK].sum(axis=1) / shared[..., CLOCK].sum(axis=1)
    by_processor = single[..., PROCESSOR].sum(axis=1) / np.delete(shared[..., PROCESSOR], waiting, axis=1).sum(axis=1)
    means = side_by_side.mean(axis=(0, 1))[:, PROCESSOR]
    print(
        f"{benchmark.title(settings)}; {count_parameters(DynetParameters(side.model)):,} parameters, "
        f"{settings.batch_size} {workload.source}; gradients {'in place' if in_place() else 'number by number'}"
    )
    print(summary_line("one process, tokens a second", workload.predictions / single[..., CLOCK].sum(axis=1)))
    print(summary_line(f"{processes.size} processes, times as fast by the clock", by_clock))
    print(summary_line("the same by processor time, without waiting", by_processor))
    if torch:
        seconds = shared[..., CLOCK].sum(axis=1)
        print(summary_line(f"PyTorch, {processes.size} threads, tokens a second", workload.predictions / by_torch))
        print(summary_line(f"{processes.size} processes, times as fast as PyTorch by the clock", by_torch / seconds))
    seconds = ", ".join(f"{name} {part:.3f}" for name, part in zip(PARTS, means, strict=True))
    print(f"processor seconds of a step of theirs: {seconds}")
    print(f"each sends {sent:,.0f} bytes a step")
    updating = float(alone[..., PARTS.index("updating"), PROCESSOR].mean())
    print(on_paper(shares, updating, sent, arguments.gigabits))


if __name__ == "__main__":
    main()
