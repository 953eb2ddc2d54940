"""The campaign finds what it looks for: a fault of each kind is planted, and reported; and a short run of each kind."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from common.errors import STATUS, UserError
from common.files import atomic_write
from common.launch import ROOT
from common.training.cli import MOST
from tests.programs import error_line
from tests.test_structure import module_of, python_files
from tools.campaign import cases, damage, inputs, structures
from tools.campaign.__main__ import main
from tools.campaign.cases import FINE, REFUSED, Found, Report, Verdict, is_wanted, judge, run_cases, telling
from tools.campaign.flags import Flags, draw, read_flags
from tools.campaign.forks import Child, Outcome
from tools.campaign.inputs import Inputs
from tools.campaign.kills import check_end, compare, kill_and_resume
from tools.campaign.model_readers import READS_NOTHING, find_readers
from tools.campaign.programs import EXCLUDED, RUNS_FOR, SHORT, excluded, find_programs
from tools.campaign.readers import Reader

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


def complain(*lines: str, status: int = 2) -> None:
    print(*lines, sep="\n", file=sys.stderr)
    sys.exit(status)


def look_up() -> object:
    return {}["x"]


def take_memory() -> np.ndarray:
    return np.ones(2**24)  # 134 MB


WORKS = {
    "fine": (lambda: print("done"), FINE),
    "one line": (lambda: complain("error: x: no such file"), REFUSED),
    "DyNet's own lines": (lambda: complain("[dynet] random seed: 1", "error: x"), REFUSED),
    "a KeyError": (look_up, "traceback"),
    "two lines": (lambda: complain("error: x", "error: y"), "lines"),
    "no error line": (lambda: complain("oh"), "lines"),
    "status 7": (lambda: sys.exit(7), "status"),
    "endless": (lambda: time.sleep(60), "hang"),
    "a warning": (lambda: complain("nn/cells.py:7: RuntimeWarning: overflow", status=0), "warning"),
    "an abort": (os.abort, "signal"),
    "134 MB": (take_memory, "memory"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WORKS)
def test_what_an_end_means(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, kind = WORKS[name]
    least = Child(lambda: None, tmp_path / "least").wait().megabytes  # what the tests hold counts as the child's, too
    monkeypatch.setattr(cases, "MOST_MEMORY", least + 100)
    outcome = Child(telling(work), tmp_path, seconds=1 if kind == "hang" else 60).wait()
    verdict = judge(outcome, 1)
    assert verdict.kind == kind, outcome
    assert verdict.is_finding == (kind not in (FINE, REFUSED))


def test_a_child_that_is_killed_takes_its_own_with_it(tmp_path: Path) -> None:
    def work() -> None:
        pid = os.fork()
        if pid:
            (tmp_path / "pid").write_text(str(pid))
        time.sleep(60)

    Child(work, tmp_path, seconds=0.5).wait()
    pid, end = int((tmp_path / "pid").read_text()), time.monotonic() + 10
    while time.monotonic() < end and state_of(pid) not in ("", "Z"):
        time.sleep(0.01)
    assert state_of(pid) in ("", "Z")


def state_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2]
    except OSError:
        return ""


def reader_of(function: object) -> Inputs:
    """A campaign with one reader, of one file."""
    campaign = Inputs.__new__(Inputs)
    campaign.readers = [Reader("planted", "numbers.json", "numbers.json", function=function)]
    campaign.field = Path.cwd()
    return campaign


def careful() -> None:
    try:
        json.loads(Path("numbers.json").read_text("utf-8"))["x"] + 1
    except Exception:
        raise UserError("numbers.json: damaged") from None


def trusting() -> None:
    json.loads(Path("numbers.json").read_text("utf-8"))["x"] + 1


def leaving() -> None:
    Path("half.txt").write_text("begun")
    careful()


def greedy() -> None:
    try:
        raise MemoryError
    except MemoryError:
        raise UserError("numbers.json: damaged") from None


@pytest.mark.slow
@pytest.mark.parametrize(
    "function, kinds",
    [
        (careful, {FINE, REFUSED}),
        (trusting, {FINE, "traceback"}),
        (leaving, {FINE, "half-written"}),
        (greedy, {"memory"}),
    ],
)
def test_inputs(function: object, kinds: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("numbers.json").write_text('{"x": 12, "y": [1, 2, {"z": "a"}]}')
    found = list(run_cases(reader_of(function), 1, range(1, 16), tmp_path, jobs=2))
    assert {verdict.kind for _, _, verdict, _ in found} == kinds
    assert sorted(number for number, *_ in found) == list(range(1, 16))
    again = {number: verdict for number, _, verdict, _ in run_cases(reader_of(function), 1, [7, 8], tmp_path / "2", 1)}
    assert all(verdict == again[number] for number, _, verdict, _ in found if number in again), "a case can be replayed"


def test_a_file_that_is_lost_takes_no_other_ones_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sometimes two files are damaged. The second never becomes a copy of the first, which may be gone."""
    monkeypatch.chdir(tmp_path)
    for name in "abc":
        Path(f"{name}.txt").write_text(name)
    given = []

    def lose(path: Path, others: list[Path], rng: random.Random) -> str:
        given.append((path.stem, sorted(other.stem for other in others)))
        path.unlink()
        return "lost"

    class Twice(random.Random):
        def random(self) -> float:
            return 0.0

    monkeypatch.setattr(inputs, "damage", lose)
    inputs.damage_some(Reader("", "", "*.txt"), Twice(1))
    (first, before), (second, after) = given
    assert before == sorted({*"abc"} - {first}) and after == sorted({*"abc"} - {first, second})


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int64, np.float32])
def test_arrays_of_all_kinds_are_changed(kind: type) -> None:
    arrays = [structures.changed_array(np.full(3, 7, kind), random.Random(seed)) for seed in range(200)]
    assert any(array.dtype == kind and array.shape == (3,) and (array != 7).any() for array in arrays)


def test_what_may_be_written_by_one_that_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run/backward/corpus").mkdir(parents=True)
    Path("run/backward/corpus/train.source").write_text("written anew")
    Path("run/model.json").write_text("written anew")
    with pytest.raises(SystemExit):
        inputs.refuse(UserError("no"), Path(), {})
    Path("run/corpus").mkdir()
    Path("run/corpus/train.source").write_text("not its own")
    with pytest.raises(Found, match="half-written"):
        inputs.refuse(UserError("no"), Path(), {})
    with pytest.raises(SystemExit):
        inputs.refuse(UserError("epoch 1: the loss is nan; lower --learning-rate"), Path(), {})


WRITERS = {
    "whole": "with atomic_write(path) as file:\n    file.write(text)",
    "halves": "path.write_text(text[:9]); time.sleep(0.05); path.write_text(text)",
    "loses": "path.unlink(missing_ok=True); time.sleep(0.05); path.write_text(text)",
}
TRAINING = """
import json, sys, time
from pathlib import Path
from common.files import atomic_write

path = Path(sys.argv[1]) / "model.json"
path.parent.mkdir(parents=True, exist_ok=True)
for unfinished in path.parent.glob(".*.part"):
    unfinished.unlink()
(path.parent / "vocab.txt").write_text("")
count = json.loads(path.read_text())["count"] if path.exists() else 0
for count in range(count + 1, 6):
    text = json.dumps({"count": count, "seconds": time.time()})
    WRITE
    (path.parent / "log.txt").open("a").write(f"epoch {count}\\n")
"""


@pytest.mark.slow
@pytest.mark.parametrize("writer, survives", [("whole", True), ("halves", False), ("loses", False)])
def test_kills(writer: str, survives: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A training that counts to five. Without a rename the count is lost, or cannot be read, after some kills."""
    body = "\n".join("    " + line for line in WRITERS[writer].splitlines())
    source = TRAINING.replace("    WRITE", body)

    def train(name: str, run: Path, *flags: str) -> object:
        return lambda: exec(compile(source, name, "exec"), {"sys": sys, "__name__": "x"}, None)

    def training_of(name: str, run: Path, *flags: str) -> object:
        def work() -> None:
            sys.argv = [name, str(run)]
            train(name, run)()

        return work

    monkeypatch.setattr("tools.campaign.kills.train", training_of)
    whole = tmp_path / "whole"
    Child(training_of("x", whole), tmp_path / "first").wait()
    found = []
    for number in range(6):
        folder = tmp_path / str(number)
        moments = [(signal.SIGKILL, number, 0.0)]

        def work(folder: Path = folder, moments: list = moments) -> None:
            kill_and_resume("x", folder / "run", moments, folder)
            compare(whole, folder / "run")

        found.append(judge(Child(telling(work), folder).wait()))
    assert all(verdict.kind == FINE for verdict in found) == survives, found
    assert {verdict.kind for verdict in found} <= {FINE, "lost", "half-written"}


@pytest.mark.parametrize(
    "err, fine",
    [
        ("\ninterrupted\n", True),
        ("learning a dictionary from 60 pairs, once for this run (x)\n\ninterrupted\n", True),
        ("Traceback\n\ninterrupted\n", False),
        ("", False),
    ],
)
def test_what_an_interrupted_training_may_say(err: str, fine: bool) -> None:
    outcome = Outcome(STATUS, "", err, 1.0, 100.0, timed_out=False)
    if fine:
        check_end(outcome, signal.SIGINT)
    else:
        with pytest.raises(Found, match="lines"):
            check_end(outcome, signal.SIGINT)


def test_what_a_kill_leaves_behind(tmp_path: Path) -> None:
    """Files of a killed run that the other does not have, and contents that differ, are told."""
    for run in ("whole", "killed"):
        for name, text in (("metrics.json", '{"seconds": 1, "x": 2}'), ("log.txt", "epoch 1\n"), (".lock", "")):
            with atomic_write(tmp_path / run / name) as file:
                file.write(text)
    killed = tmp_path / "killed"

    def verdict() -> Verdict:
        return judge(Child(telling(lambda: compare(tmp_path / "whole", killed)), tmp_path / "child").wait())

    (killed / "metrics.json").write_text('{"seconds": 5, "x": 2}')
    assert verdict().kind == FINE
    (killed / "metrics.json").write_text('{"seconds": 1, "x": 3}')
    assert verdict() == Verdict("lost", "metrics.json differs from that of a run that was not killed")
    (killed / ".model.npz.77.part").write_text("half")
    assert verdict().kind == "half-written"


def test_flags_are_those_of_the_parser(tmp_path: Path) -> None:
    def program() -> None:
        from data.__main__ import main

        main()

    flags = read_flags(program, tmp_path)
    assert set(flags.commands) == {"generate", "oracle", "get", "show", "swap"}
    by_name = {flag.name: flag for flag in flags.commands["get"].flags}
    assert by_name["source"].options == ("--from",) and by_name["unverified"].kind == "switch"
    assert by_name["name"].required and not by_name["to"].required
    drawn = [draw(flags, random.Random(number), {}, (), {"oracle"}) for number in range(300)]
    assert {"--from", "--unverified", "--sentences", "show"} <= {word for words in drawn for word in words}
    assert not any(words[:1] == ["oracle"] for words in drawn)
    assert draw(Flags(), random.Random(1), {}, ("--x", "1"), set())[:2] == ["--x", "1"]


def programs_of_the_course() -> set[str]:
    """Every program of the repository, by what starts it: each file with a main of its own, but for tests."""
    found = set()
    for path in python_files("book", "chapters", "common", "data", "exercises", "solutions", "tools"):
        if '\nif __name__ == "__main__":' in path.read_text("utf-8") or path.name == "__main__.py":
            name = path.relative_to(ROOT).as_posix()
            found.add(name if name.startswith("chapters/") else module_of(path).removesuffix(".__main__"))
    return found


def test_every_program_is_called_or_left_out_for_a_reason() -> None:
    called, there = set(find_programs()), programs_of_the_course()
    assert "chapters/06_attentive_lm/train.py" in called and "solutions" in called and "tools.compare" in called
    missing = {name for name in there - called if not excluded(name)}
    assert not missing, f"no campaign calls {missing}: put them into find_programs or EXCLUDED, tools/campaign"
    assert not {name for name in called if excluded(name)}
    stale = {name for name in EXCLUDED if not any(f"{one}.".startswith(f"{name}.") for one in there)}
    assert not stale | ((RUNS_FOR.keys() | SHORT.keys()) - called), "no such program any more"
    assert all(reason for reason in EXCLUDED.values())


def test_every_program_has_help() -> None:
    """Each reads its flags before it does anything, those that have none but --help as well."""
    reads = ("parse_args(", "make_parser(", "run_program(", "record_as_program(", "begin(", "parse_settings(")
    for name in programs_of_the_course() - {"solutions.grading.server"}:
        path = ROOT / (name if name.endswith(".py") else name.replace(".", "/") + ".py")
        text = (path if path.is_file() else path.with_suffix("") / "__main__.py").read_text("utf-8")
        assert any(call in text for call in reads), f"{name} --help does not help"


def test_what_every_program_reads_is_damaged() -> None:
    """Each program has a reader among those of the campaign of inputs, or a reason why it needs none."""
    modules = {name: name.removesuffix(".py").replace("/", ".") for name in find_programs()}
    read = {reader.command.split()[0].removesuffix(".__main__") for reader in find_readers() if reader.command}
    missing = {name for name, module in modules.items() if module not in read} - READS_NOTHING.keys()
    assert not missing, f"no reader calls {missing}: put them into readers.py or READS_NOTHING, tools/campaign"
    assert not {name for name in READS_NOTHING if modules.get(name, name) in read or name not in modules}
    names = [reader.name for reader in find_readers()]
    assert len(set(names)) == len(names) and all(reader.damaged.strip() for reader in find_readers())


def test_no_number_is_without_bound() -> None:
    """Every whole number that a program takes, one of a list aside, has a largest value, which the program checks."""
    for name in find_programs():
        path = ROOT / (name if name.endswith(".py") else name.replace(".", "/") + ".py")
        text = path.read_text("utf-8") if path.is_file() else ""
        for flag in re.findall(r'add_argument\(\s*"--([a-z-]+)",(?![^)]*choices=)[^)]*type=int', text):
            assert flag.replace("-", "_") in MOST, f"{name} --{flag}"
            assert "check_most(" in text or "generation.check(" in text, name


@pytest.mark.parametrize(
    "how", [*dict.fromkeys(damage.ANY), *(how for kind in structures.BY_KIND.values() for how in kind)]
)
def test_damage_is_done_and_repeated(how: object) -> None:
    """Every way of damage changes what it is given, most of the time, and in the same way with the same seed."""
    if how in structures.BY_KIND[".npz"]:
        members = {"x.npy": npy(np.arange(6.0)), "about.npy": npy(np.array('{"a": [1, 2]}'))}
        data = structures.zipped(members)
    elif how in structures.BY_KIND[".zip"]:
        data = structures.zipped({"train.txt": b"the hen\n", "dev.txt": b"a goat\n"})
    else:
        data = b'{"a": [1, 2, "x"], "b": {"c": 3.5}}\n'
    found = [how(data, random.Random(seed)) for seed in range(30)]
    assert sum(one != data for one in found) > 15
    assert found == [how(data, random.Random(seed)) for seed in range(30)]


def npy(array: np.ndarray) -> bytes:
    import io

    written = io.BytesIO()
    np.save(written, array)
    return written.getvalue()


def test_names_are_chosen_by_parts() -> None:
    names = ["use katz", "show a corpus", "tools.compare"]
    assert [name for name in names if is_wanted(name, "katz,corpus")] == names[:2]
    assert all(is_wanted(name, "") for name in names) and not is_wanted("use katz", "bag")


@pytest.mark.parametrize(
    ("flags", "told"),
    [(["--only", "no-such"], "nothing has this in its name"), (["--first", "9", "--number", "3"], "there is no case")],
)
def test_a_campaign_without_a_case(flags: list[str], told: str, tmp_path: Path, monkeypatch, capsys) -> None:
    """It ends in one line, and an earlier report stays."""
    report = tmp_path / "report.json"
    report.write_text("{}", "utf-8")
    for kind in ("kills", "inputs", "programs"):
        monkeypatch.setattr("sys.argv", ["campaign", kind, *flags, "--report", str(report)])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert stopped.value.code == 2 and told in error_line(capsys.readouterr().err)
    assert report.read_text("utf-8") == "{}"


def test_the_report(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    report = Report("inputs", 3, "python -m tools.campaign inputs", "use")
    report.add(1, "one", Verdict(FINE), "counted: a\nx\n")
    report.add(2, "two", Verdict("hang", "no end"), "counted: a\n")
    assert "python -m tools.campaign inputs --only use --seed 3 --case 2" in capsys.readouterr().out
    report.write(tmp_path / "report.json")
    found = json.loads((tmp_path / "report.json").read_text("utf-8"))
    assert (found["cases"], found["counts"], found["counted"]) == (2, {"fine": 1, "hang": 1}, {"a": 2})
    assert [one["case"] for one in found["findings"]] == [2]
    report.show()
    assert "2 cases" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments, expected",
    [
        (["kills", "--only", "katz", "--number", "2"], "SIG"),
        (["inputs", "--only", "katz", "--number", "20"], "damaged .npz"),
        (["programs", "--only", "01_ngram_lm/generate", "--number", "4"], "chapters/01_ngram_lm/generate.py"),
    ],
)
def test_a_short_run(arguments: list[str], expected: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"

    def campaign() -> None:
        sys.argv = ["campaign", *arguments, "--report", str(path), "--seed", "4"]
        main()

    done = Child(campaign, tmp_path / "campaign", seconds=300).wait()
    assert done.status == 0, done.out + done.err
    found = json.loads(path.read_text("utf-8"))
    assert found["findings"] == [] and found["cases"] == int(arguments[-1])
    assert any(expected in name for name in found["counted"])
