"""Training on several processes: real ones, started by mpirun, end with what one process computes."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.pairs import write_pairs
from tests.programs import CHAPTER, CHAPTERS, ROOT, comparable, error_line, make_call, metrics_of, write_corpus

MPIRUN = shutil.which("mpirun", path=str(Path(sys.executable).parent)) or shutil.which("mpirun")
TINY = ("--hidden-size", "8", "--epochs", "1", "--batch-size", "26", "--dropout", "0")
"""Of the 80 sentences the last batch has 2: fewer than three processes."""
AVERAGED = ("--epochs", "3", "--schedule", "constant", "--average-epochs", "2")
needs_mpi = pytest.mark.skipif(
    MPIRUN is None or importlib.util.find_spec("mpi4py") is None,
    reason='needs mpi4py and MPI: pip install -e ".[mpi]" -c constraints.txt',
)


def mpirun(processes: int, *command: object, **options) -> subprocess.CompletedProcess:
    """What so many processes print that run `python COMMAND`."""
    called = [MPIRUN, "-n", str(processes), sys.executable, *map(str, command)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(called, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, **options)


PLAIN = """
import runpy, sys
from common import runtime
runtime.configure()
from common.training import report
report.draw_history = lambda *what: None  # which takes longer than training a small model
sys.argv = sys.argv[1:]
HERE
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a program; what stands in place of HERE disturbs it."""


def train(
    run: Path, processes: int, *flags: object, chapter: str = CHAPTER, disturbed: str = ""
) -> subprocess.CompletedProcess:
    """Let so many processes train the chapter's model."""
    program = CHAPTERS / chapter / "train.py"
    return mpirun(
        processes, "-c", PLAIN.replace("HERE", disturbed), program, "--data-parallel", "--run-dir", run, *flags
    )


def arrays_of(run: Path) -> dict[str, np.ndarray]:
    """Those of a run's model."""
    with np.load(run / "model.npz") as archive:
        return {name: archive[name] for name in archive.files if name != "about"}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus")


def distance(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> float:
    """The largest difference between two numbers of two models."""
    assert one.keys() == other.keys()
    return max(float(np.abs(one[name] - other[name]).max()) for name in one)


@pytest.mark.needs("time")
@needs_mpi
@pytest.mark.parametrize(
    "chapter, processes, flags",
    [
        ("06_attentive_lm", 3, ("--optimiser", "sgd", "--learning-rate", "0.5", "--clip", "0.2")),
        ("06_attentive_lm", 2, (*AVERAGED, "--optimiser", "sgd", "--learning-rate", "0.5", "--weight-decay", "0.1")),
        ("05_rnn_lm", 3, ("--softmax", "hierarchical", "--learning-rate", "0.01")),
        ("04_feedforward_lm", 3, ("--optimiser", "sgd", "--learning-rate", "0.5")),
        ("09_word_attention", 2, ("--optimiser", "sgd", "--learning-rate", "0.5")),
        ("11_transformer", 2, ("--heads", "2", "--optimiser", "sgd", "--learning-rate", "0.5")),
    ],
)
def test_processes_train_as_one_does(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch, chapter: str, processes: int, flags: tuple
) -> None:
    """With clipping; with lookup tables of which a batch reads few rows; with more processes than sentences; with a
    model that is a mean of epochs."""
    if chapter == "09_word_attention":
        corpus = write_pairs(tmp_path / "pairs")
    flags = ("--corpus", corpus, *TINY, *flags)
    make_call(monkeypatch, chapter)("train", "--run-dir", tmp_path / "one", *flags)
    done = train(tmp_path / "few", processes, *flags, chapter=chapter)
    assert done.returncode == 0 and done.stdout.count("everything is in") == 1, done.stderr
    assert distance(*map(arrays_of, (tmp_path / "one", tmp_path / "few"))) < 2e-5
    assert sorted(os.listdir(tmp_path / "one")) == sorted(os.listdir(tmp_path / "few"))
    metrics = [comparable(tmp_path / name) for name in ("one", "few")]
    assert metrics[0]["epochs"][0]["predictions"] == metrics[1]["epochs"][0]["predictions"]
    perplexities = [built["epochs"][0]["train_perplexity"] for built in metrics]
    assert perplexities[0] == pytest.approx(perplexities[1], rel=1e-5)


EXCHANGE = """
import sys
import numpy as np
from common import runtime
runtime.configure()
import dynet as dy
from common.training.parallel import Processes
processes = Processes()
rank, size = processes.rank, processes.size

class Model:
    collection = dy.ParameterCollection()

W = Model.collection.add_parameters((3, 2), init=0.5)
E = Model.collection.add_lookup_parameters((40, 5), init=0.25)
rows = [[3, 7, 7, 30], [7, 0]][rank]

def backward(weight):
    dy.renew_cg()
    read = dy.sum_batches(dy.sum_elems(dy.lookup_batch(E, rows)))
    (read * weight + dy.sum_elems(W * float(rank + 1))).backward()

expected = np.zeros((40, 5))
np.add.at(expected, [3, 7, 7, 30], 10.0)
np.add.at(expected, [7, 0], 20.0)
backward(10.0 * (rank + 1))
processes.model = Model
processes.sum_gradients()
assert np.array_equal(E.grad_as_array(), expected), E.grad_as_array()[:8]
assert np.array_equal(W.grad_as_array(), np.full((3, 2), 3.0))
different = len(set(rows))
assert processes.sent == 6 * 4 + different * (5 * 4 + 8), processes.sent  # 3 or 2 of 40 rows, and their numbers

trainer = dy.AdamTrainer(Model.collection)  # moves the rows that either process has read, and no other
trainer.update()
still = np.all(E.as_array() == 0.25, axis=1)
assert np.flatnonzero(~still).tolist() == [0, 3, 7, 30], still

processes.average_every = 2
W.set_value(np.full((3, 2), float(rank)))
E.init_from_array(np.full((40, 5), 4.0 * rank))
processes.finish_step()
assert W.as_array()[0, 0] == rank
processes.finish_step()
assert np.array_equal(W.as_array(), np.full((3, 2), 0.5)) and np.array_equal(E.as_array(), np.full((40, 5), 2.0))
print("fine", file=sys.stderr)
processes.finish()
"""


@pytest.mark.needs("loopback", "time")
@pytest.mark.slow
@needs_mpi
def test_only_rows_that_were_read_are_sent() -> None:
    """Against sums by hand: gradients, bytes that are sent, rows that then move; and the mean of parameters."""
    done = mpirun(2, "-c", EXCHANGE)
    assert done.returncode == 0 and done.stderr.count("fine") == 2, done.stderr


STEPS = """
import hashlib, os
from common.training import parallel

sum_gradients, masks, seen = parallel.Processes.sum_gradients, set(), []

def watched(processes):
    arrays = parallel.DynetParameters(processes.model).arrays()
    mine = hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest()
    assert len(set(processes.world.allgather(mine))) == 1, "the parameters differ"
    seen.append(mine)
    sum_gradients(processes)

def seeded(seed):
    masks.add(len(set(parallel.MPI.COMM_WORLD.allgather(seed))))
    seed_dynet(seed)

def look(processes):
    if masks != {2} or not len(seen) == len(set(seen)) == 12:
        os._exit(3)
    finish(processes)

finish, parallel.Processes.finish = parallel.Processes.finish, look
parallel.Processes.sum_gradients = watched
seed_dynet, parallel.seed_dynet = parallel.seed_dynet, seeded
"""


@pytest.mark.needs("time")
@needs_mpi
def test_all_have_the_same_parameters_after_each_step(tmp_path: Path, corpus: Path) -> None:
    """Bit for bit, with dropout, of which each process has its own, by Adam, over three epochs."""
    flags = ("--corpus", corpus, *TINY[:2], "--batch-size", 20, "--epochs", 3)
    done = train(tmp_path / "run", 2, *flags, disturbed=STEPS)
    assert done.returncode == 0, done.stderr


KILLED = """
import os, signal
import tqdm
from common.training import loop

class Deadly(tqdm.tqdm):
    def __init__(self, *batches, **shown):
        super().__init__(*batches, **shown)
        self.shown = shown["desc"]

    def __iter__(self):
        for number, batch in enumerate(super().__iter__()):
            if self.shown == "epoch 2" and number == 2 and os.environ["PMI_RANK"] == "1":
                END
            yield batch

tqdm.tqdm = loop.tqdm = Deadly
"""
DIES = {
    "killed": "os.kill(os.getpid(), signal.SIGKILL)",
    "fails": "raise __import__('common.errors').errors.UserError('no more')",
}


@pytest.mark.needs("time")
@pytest.mark.slow
@needs_mpi
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed otherwise there")
def test_the_end_of_one_is_the_end_of_all_and_can_be_resumed(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed, and by an error of its own, which is one line; another names the way on. Resumed by both, it ends with
    what an undisturbed run has; and one process alone can resume it."""
    flags = ("--corpus", corpus, *TINY[:2], "--batch-size", "16", "--epochs", "3")
    for way, code in DIES.items():
        done = train(tmp_path / way, 2, *flags, disturbed=KILLED.replace("END", code))
        assert done.returncode != 0 and "Traceback" not in done.stderr
        assert (tmp_path / way / "checkpoint.npz").exists() and not (tmp_path / way / "metrics.json").exists()
        *messages, last = (line for line in done.stderr.splitlines() if line and not line.startswith("[dynet]"))
        assert messages == ["error: no more"] * (way == "fails")
        assert re.fullmatch(rf"error: .* go on with --run-dir {tmp_path / way} --resume", last)
    assert train(tmp_path / "killed", 2, "--resume").returncode == 0
    assert train(tmp_path / "whole", 2, *flags).returncode == 0
    assert distance(arrays_of(tmp_path / "killed"), arrays_of(tmp_path / "whole")) == 0
    make_call(monkeypatch)("train", "--run-dir", tmp_path / "fails", "--resume")
    assert len(metrics_of(tmp_path / "fails")["epochs"]) == 3


@pytest.mark.needs("time")
@pytest.mark.slow
@needs_mpi
@pytest.mark.skipif(sys.platform == "win32", reason="processes are killed otherwise there")
@pytest.mark.parametrize(
    "flags",
    [
        ("--average-every", "3", "--optimiser", "sgd", "--learning-rate", "0.5"),
        (*AVERAGED, "--dropout", "0.3", "--dropout-kind", "variational", "--weight-decay", "0.1"),
    ],
)
def test_averages_after_a_resumption(tmp_path: Path, corpus: Path, flags: tuple) -> None:
    """Over processes, every three of the five steps of an epoch, and over the ends of epochs, with masks: the second
    epoch is killed, and the run ends with what an undisturbed one has."""
    flags = ("--corpus", corpus, *TINY[:2], "--batch-size", "16", "--epochs", "3", *flags)
    assert train(tmp_path / "killed", 2, *flags, disturbed=KILLED.replace("END", DIES["killed"])).returncode != 0
    for run, arguments in (("killed", ("--resume",)), ("whole", flags)):
        done = train(tmp_path / run, 2, *arguments)
        assert done.returncode == 0, done.stderr
    assert distance(arrays_of(tmp_path / "killed"), arrays_of(tmp_path / "whole")) == 0
    assert comparable(tmp_path / "killed") == comparable(tmp_path / "whole")


@pytest.mark.needs("time")
@needs_mpi
def test_what_processes_are_worth() -> None:
    """The tool's table: one process is as fast as one, and a ring of two hands over each number once."""
    flags = "--hidden-size 8 --words 50 --batch-size 4 --batches 1 --rounds 1 --gigabits 0.001".split()
    done = mpirun(2, "-m", "tools.processes", *flags)
    assert done.returncode == 0, done.stderr
    sent = float(re.search(r"each sends (\d+) bytes", done.stdout.replace(",", ""))[1])
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines() if re.match(r"\| \d", line)]
    assert [row[0] for row in rows] == "1 2 4 8 16 32 64".split()
    assert rows[0][2:] == ["0.000", "1.0 times", "1.0 times"] and rows[3][1] == ""
    summing = [float(row[2]) for row in rows]
    assert summing[1] == pytest.approx(sent * 8 / 1e6, abs=0.001) and summing[2] == pytest.approx(
        1.5 * summing[1], 0.01
    )


@pytest.mark.needs("time")
@needs_mpi
def test_what_processes_are_worth_to_a_model_of_pairs() -> None:
    flags = "--hidden-size 8 --batch-size 4 --batches 1 --rounds 1".split()
    done = mpirun(2, "-m", "tools.processes", "encoder_decoder", *flags)
    assert done.returncode == 0 and done.stdout.startswith("encoder-decoder"), done.stderr
    assert re.search(r"2 processes, times as fast by the clock: \d", done.stdout) and "PyTorch" not in done.stdout
    done = mpirun(2, "-m", "tools.processes", "encoder_decoder", "--words", "50")
    assert done.returncode == 2 and "--words: encoder_decoder takes its vocabulary from its pairs" in error_line(
        done.stderr
    )


@pytest.mark.needs("time")
@needs_mpi
@pytest.mark.parametrize(
    "chapter, flags, words",
    [
        (CHAPTER, ("--bla",), "--bla"),
        (CHAPTER, ("--corpus", "nothing"), "nothing"),
        (CHAPTER, ("--memory-states", "5"), "--memory-states 5 cannot be combined with --data-parallel"),
        ("10_beyond", (), "--data-parallel is not for chapter 10"),
    ],
)
def test_what_is_wrong_for_all_is_said_once(chapter: str, flags: tuple, words: str) -> None:
    done = mpirun(2, CHAPTERS / chapter / "train.py", "--data-parallel", *flags)
    assert done.returncode == 2 and words in error_line(done.stderr)


@pytest.mark.parametrize("hidden, words", [(True, "needs mpi4py"), (False, "start with mpirun")])
def test_without_mpi_or_without_mpirun(hidden: bool, words: str) -> None:
    if not hidden and importlib.util.find_spec("mpi4py") is None:
        pytest.skip("needs mpi4py")
    hiding = "import sys; sys.modules['mpi4py'] = None\n" if hidden else "import sys\n"
    program = str(CHAPTERS / CHAPTER / "train.py")
    code = hiding + "import runpy; sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", code, program, "--data-parallel"], capture_output=True, text=True)
    assert done.returncode == 2 and words in error_line(done.stderr)
