"""Training on several processes that mpirun has started (`train.py --data-parallel`), on one machine or on many.

Every process holds the whole model and goes through the same batches in the same order, but computes only its share of
each. The gradients of a batch are sums over its sentences: summed over the processes they are those of the whole batch,
up to rounding, and every process makes the same step with them. The first process alone writes files and prints.

With `--average-every K` nothing is sent for K steps, which each process makes by itself; then the parameters are
averaged (McDonald, Hall and Mann 2010): another result, for a K-th of what is sent.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from common import files
from common.errors import UserError
from common.memory import limit, set_limit
from common.memory_limit import GIGABYTE
from common.nn.parameters import DynetParameters
from common.runtime import seed_dynet
from common.text.dividing import B, sizes_of, take
from common.training.cli import as_flag
from common.training.gradients import gradients_of
from common.training.loop import EpochRecord, Meter

try:
    import mpi4py

    mpi4py.rc.finalize = False  # a process that fails waits for no other: mpirun ends them all
    from mpi4py import MPI
except (ImportError, RuntimeError):  # no package, or no library of MPI beside it
    MPI = None  # type: ignore[assignment]

S = TypeVar("S", bound=Any)
UNSHARED = {"device": "cpu", "memory_states": 0, "state": "reset", "symmetry": 0.0}
"""Settings that must be as they are by default: a text in streams has one order, and two models have two gradients."""
SMALL = 2**18
"""An array of so many numbers, or of more, is a message of its own."""


class Processes:
    """The processes that train together; this one has the number `rank` among `size`.

    average_every: 0, or after how many steps parameters are averaged, and gradients are not summed.
    sent: how many bytes this process has handed to the others since the beginning, but for single numbers.
    """

    def __init__(self) -> None:
        """Raises `UserError` where there is no MPI or no second process."""
        if MPI is None:
            raise UserError('--data-parallel needs mpi4py and MPI: pip install -e ".[mpi]" -c constraints.txt')
        self.world = MPI.COMM_WORLD
        self.rank, self.size = self.world.rank, self.world.size
        if self.size == 1:
            raise UserError("--data-parallel: there is only one process; start with mpirun -n 2 python PROGRAM ...")
        self.average_every, self.steps, self.sent, self.weight = 0, 0, 0, 1.0
        if self.rank > 0:
            files.writing = False
            sys.stdout = open(os.devnull, "w", encoding="utf-8")
            sys.stderr = Late(sys.stderr)

    def first(self, choose: Callable[..., tuple[Path, S]]) -> Callable[..., tuple[Path, S]]:
        """A function that lets the first process choose the run folder and the settings, for all."""
        return lambda *given: self.agree(*self.world.bcast(choose(*given) if self.rank == 0 else None))

    def agree(self, folder: Path, settings: S) -> tuple[Path, S]:
        """Train as the settings say. Raises `UserError` for those with which a batch cannot be shared out."""
        if hasattr(settings, "objective"):
            raise UserError("--data-parallel is not for chapter 10; train 7, 8 or 9, then --start-from that run")
        for name, value in UNSHARED.items():
            if getattr(settings, name, value) != value:
                raise UserError(
                    f"{as_flag(name, getattr(settings, name))} cannot be combined with --data-parallel; leave it out"
                )
        self.average_every = settings.average_every
        neighbours = self.world.Split_type(MPI.COMM_TYPE_SHARED).size
        set_limit(settings.memory)
        set_limit(limit() / GIGABYTE / neighbours)
        if self.rank == 0:
            ended = "error: one of the processes has ended early, and mpirun has ended the others"
            say_if_killed(f"{ended}; go on with --run-dir {folder} --resume")
        return folder, settings

    def share(self, batch: B) -> B:
        """Every n-th sentence of a batch, as this process's share of it. Where there are fewer sentences than
        processes, it may be a sentence that does not count."""
        sentences, _, _ = sizes_of(batch)
        mine = np.arange(self.rank, sentences, self.size)
        self.weight = len(mine) / sentences
        return take(batch, mine) if len(mine) else silent(take(batch, np.array([0])))

    def optimiser(self, optimiser: Any, model: Any) -> SummingOptimiser:
        """An optimiser of all processes, made of that of this one."""
        self.model = model
        return SummingOptimiser(optimiser, self)

    def sum_gradients(self) -> None:
        """Let the gradients of every process, of the mean loss of its share, be those of the mean loss of the whole
        batch; or before an average, leave them as they are."""
        if self.average_every:
            return
        with gradients_of(self.model.collection) as gradients:
            for array in (*gradients.arrays, *(table.numbers for table in gradients.tables)):
                array[...] = array * np.float32(self.weight) if self.weight else 0
            self.add_up(gradients.arrays)
            for table in gradients.tables:
                self.add_up_rows(table)

    def add_up(self, arrays: Sequence[np.ndarray]) -> None:
        """Let every number be the sum over all processes. Small arrays travel together: each message makes all wait."""
        small = [array for array in arrays if array.size < SMALL]
        flat = np.concatenate([array.ravel() for array in small]) if small else np.empty(0, np.float32)
        for array in [flat, *(array for array in arrays if array.size >= SMALL)]:
            self.world.Allreduce(MPI.IN_PLACE, array)
            self.sent += array.nbytes
        for array, summed in zip(small, np.split(flat, np.cumsum([array.size for array in small])), strict=False):
            array[...] = summed.reshape(array.shape)

    def add_up_rows(self, table: Any) -> None:
        """The gradient of a lookup table: only the rows that a process has read are sent, if they are the fewer."""
        read = self.world.allgather(table.rows)
        if any(rows is None for rows in read):
            self.add_up([table.numbers])
            table.rows = None
            return
        union = np.unique(np.concatenate(read))
        if sum(map(len, read)) >= len(table.numbers):
            self.add_up([table.numbers])
        else:
            mine = np.ascontiguousarray(table.numbers[table.rows])
            gathered = np.empty((sum(map(len, read)), mine.shape[1]), np.float32)
            self.world.Allgatherv(mine, (gathered, [len(rows) * mine.shape[1] for rows in read]))
            self.sent += mine.nbytes + table.rows.nbytes
            table.numbers[union] = 0
            ends = np.cumsum([len(rows) for rows in read])
            for rows, block in zip(read, np.split(gathered, ends[:-1]), strict=True):
                table.numbers[rows] += block  # in one order everywhere, so that all round alike
        table.rows = union

    def meter(self, epoch: int, batches: Sequence[B], seed: int) -> Meter:
        """For an epoch of one order for all, in which each process has dropout masks of its own."""
        seed_dynet(int(np.random.default_rng([seed, epoch, self.rank]).integers(1, 2**31)))
        return SharedMeter(epoch, batches, self)

    def finish_step(self) -> None:
        """To be called after each update."""
        self.steps += 1
        if self.average_every and self.steps % self.average_every == 0:
            self.average()

    def average(self) -> None:
        """Let the parameters be the means of those of all processes, which are then the same everywhere."""
        parameters = DynetParameters(self.model)
        arrays = parameters.arrays()
        self.add_up(arrays)
        parameters.set_arrays([array / np.float32(self.size) for array in arrays])

    def finish(self) -> None:
        """The training is over: the first process goes on by itself, all others end here."""
        rank = self.rank
        MPI.Finalize()
        if rank > 0:
            sys.exit()


class SummingOptimiser:
    """An optimiser whose every step is made with the gradients of all processes."""

    def __init__(self, optimiser: Any, processes: Processes):
        self.optimiser, self.processes, self.learning_rate = optimiser, processes, 0.0

    def update(self) -> None:
        self.processes.sum_gradients()
        self.optimiser.learning_rate = self.learning_rate
        self.optimiser.update()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.optimiser, name)


class SharedMeter(Meter):
    """A meter of one process among several, whose losses are added up at the end of the epoch."""

    def __init__(self, epoch: int, batches: Sequence[B], processes: Processes):
        super().__init__(epoch, batches)
        self.processes = processes
        if processes.average_every:  # so a resumed run averages after the same steps
            self.after_batches = [processes.average]

    def __iter__(self) -> Iterator[B]:
        self.processes.steps = 0
        for batch in super().__iter__():
            yield self.processes.share(batch)
            self.processes.finish_step()
        self.loss, self.predictions = map(self.processes.world.allreduce, (self.loss, self.predictions))

    def add(self, loss: float, predictions: int) -> None:
        if predictions:  # else it was a sentence that does not count
            super().add(loss, predictions)

    def tell_cost(self, seconds: float) -> None:
        super().tell_cost(seconds / self.processes.size)

    def record(self, dev_perplexity: float, learning_rate: float) -> EpochRecord:
        """With the first process's perplexity of dev, where others may have rounded otherwise."""
        return super().record(self.processes.world.bcast(dev_perplexity), learning_rate)


def say_if_killed(line: str) -> None:
    """Print this line if the process is killed, as by mpirun where another one dies: a second process, which no signal
    to this one reaches, waits for its end."""
    code = "import sys\nif not sys.stdin.read(): print(sys.argv[1], file=sys.stderr)"
    waiting = subprocess.Popen([sys.executable, "-ISc", code, line], stdin=subprocess.PIPE, start_new_session=True)
    atexit.register(waiting.communicate, b"an end of its own")


class Late:
    """Standard error of a process that is not the first, some seconds late: what is wrong for all, the first says at
    once, and its end is that of all."""

    def __init__(self, stream: Any):
        self.stream, self.seconds = stream, 3

    def write(self, text: str) -> int:
        time.sleep(self.seconds)
        self.seconds = 0
        return self.stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def silent(batch: B) -> B:
    """The same sentences, of which no prediction counts."""
    if hasattr(batch, "target"):
        return batch._replace(target=silent(batch.target))
    return batch._replace(mask=np.zeros_like(batch.mask))
