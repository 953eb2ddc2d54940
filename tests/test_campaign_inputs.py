"""The campaign of inputs finds what a reader does wrong with damaged files, and damages files of every kind."""

from __future__ import annotations

import io
import json
import os
import random
import signal
from pathlib import Path

import numpy as np
import pytest

from common.errors import UserError
from tests.programs import Call, metrics_of, write_corpus
from tools.campaign import agreement, damage, inputs, structures, texts
from tools.campaign.cases import FINE, REFUSED, Fault, run_cases
from tools.campaign.inputs import Inputs
from tools.campaign.readers import Reader

CHAPTER = "01_ngram_lm"
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")


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
    cases = list(run_cases(reader_of(function), 1, range(1, 16), tmp_path, jobs=2))
    assert {verdict.kind for _, _, verdict, _ in cases} == kinds
    assert sorted(number for number, *_ in cases) == list(range(1, 16))
    again = {number: verdict for number, _, verdict, _ in run_cases(reader_of(function), 1, [7, 8], tmp_path / "2", 1)}
    assert all(verdict == again[number] for number, _, verdict, _ in cases if number in again), "a case can be replayed"


@pytest.mark.slow
def test_figures_that_another_process_does_not_find(call: Call, tmp_path: Path, monkeypatch) -> None:
    write_corpus(tmp_path / "texts")
    monkeypatch.chdir(tmp_path)
    call("train", "--corpus", "texts", "--order", 2, "--smoothing", "katz", "--run-dir", "new")
    agreement.agree(CHAPTER)
    figures = metrics_of(tmp_path / "new")
    for name, change in (("log_prob", 0.01), ("predictions", 1)):
        changed = figures | {"test": figures["test"] | {name: figures["test"][name] + change}}
        (tmp_path / "new" / "metrics.json").write_text(json.dumps(changed))
        with pytest.raises(Fault, match="^silent: "):
            agreement.agree(CHAPTER)


def test_predictions_are_counted_as_kenlm_separates_words() -> None:
    text = "\ufeffthe\u00a0hen\tsees \r\n\u2028\x0b goat\n  \nox\n \t".encode()
    assert agreement.count_predictions(text) == (2 + 1) + (2 + 1) + (0 + 1) + (1 + 1)
    assert agreement.count_predictions(text + b"a b") == 9 + (2 + 1)


def test_every_text_is_shortened_alike(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("train.source", "train.target", "oracle.json")]
    for path in paths:
        path.write_text("a\u2028b\nc\nd\ne\nf\n", encoding="utf-8")
    description = texts.shorten(paths, random.Random(5))
    lengths = [path.read_text(encoding="utf-8").count("\n") for path in paths]
    assert description == f"has {lengths[0]} lines" and lengths[0] == lengths[1] < lengths[2] == 5


def test_a_text_is_full_of_what_may_be_read_wrongly() -> None:
    """Each kind adds only what it is called after."""
    data, rng = b"the hen sees a goat .\n" * 10, random.Random(1)
    blanks = texts.unicode_blanks(data, rng).decode()
    assert set(blanks) - set(data.decode()) <= {blank.decode() for blank in texts.BLANKS}
    added = [set(texts.reserved_words(data, rng).split()) - set(data.split()) for _ in range(12)]
    assert any(words & {*texts.RESERVED} for words in added)
    grown = [texts.unknown_words(data, rng) for _ in range(12)]
    assert max(len({*text.split()}) for text in grown) > 20_000 > len(data.split())
    short = [texts.unknown_words(data[:22], rng) for _ in range(12)]
    assert max(len(text.split(b"\n")) for text in short) == 2, "of two sentences a program may draw pictures"


def hanging() -> None:
    Path("pid").write_text(str(os.getpid()))
    signal.pause()


@pytest.mark.slow
def test_cases_end_with_the_campaign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C does not reach them; whoever stops asking for results ends them."""
    monkeypatch.chdir(tmp_path)
    Path("numbers.json").write_text("{}")
    cases = run_cases(reader_of(hanging), 1, [1], tmp_path, jobs=1)

    def interrupt(seconds: float) -> None:
        if pids := [int(text) for path in tmp_path.rglob("pid") if (text := path.read_text())]:  # else not yet written
            raise KeyboardInterrupt(*pids)

    monkeypatch.setattr("tools.campaign.cases.time.sleep", interrupt)
    with pytest.raises(KeyboardInterrupt) as caught:
        next(cases)
    (pid,) = caught.value.args
    assert os.waitpid(pid, 0)[1] == signal.SIGKILL


def test_a_file_that_is_lost_takes_no_other_ones_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sometimes two files are damaged. The second never becomes a copy of the first, which may be gone."""
    monkeypatch.chdir(tmp_path)
    for name in "abc":
        Path(f"{name}.txt").write_text(name)
    calls = []

    def lose(path: Path, others: list[Path], rng: random.Random) -> str:
        calls.append((path.stem, sorted(other.stem for other in others)))
        path.unlink()
        return "lost"

    class Twice(random.Random):
        def random(self) -> float:
            return 0.0

    monkeypatch.setattr(inputs, "damage", lose)
    inputs.damage_some(Reader("", "", "*.txt"), Twice(1))
    (first, before), (second, after) = calls
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
    with pytest.raises(Fault, match="half-written"):
        inputs.refuse(UserError("no"), Path(), {})
    with pytest.raises(SystemExit):
        inputs.refuse(UserError("epoch 1: the loss is nan; lower --learning-rate"), Path(), {})


@pytest.mark.parametrize(
    "how", dict.fromkeys([*damage.ANY, *(how for kind in structures.BY_KIND.values() for how in kind)])
)
def test_damage_is_done_and_repeated(how: object) -> None:
    """Every way of damage changes what it is given, most of the time, and in the same way with the same seed."""
    if how in structures.BY_KIND[".npz"]:
        members = {"x.npy": npy(np.arange(6.0)), "about.npy": npy(np.array('{"a": [1, 2]}'))}
        data = structures.zipped(members)
    elif how in structures.BY_KIND[".zip"]:
        data = structures.zipped({"train.txt": b"the hen\n", "dev.txt": b"a goat\n"})
    else:
        data = b'{"a": [1, 2, "x"], "b": {"c": 3.5}}\n' * (12 if how in texts.TEXT else 1)
    damaged = [how(data, random.Random(seed)) for seed in range(30)]
    assert sum(result != data for result in damaged) > 15
    assert damaged == [how(data, random.Random(seed)) for seed in range(30)]


def npy(array: np.ndarray) -> bytes:
    written = io.BytesIO()
    np.save(written, array)
    return written.getvalue()
