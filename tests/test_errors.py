"""Bad input gets one line that says what is wrong and where, exit status 2, and leaves nothing half-made."""

from __future__ import annotations

import errno
import json
import os
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from common import gpu, launch
from common.errors import UserError, exits_cleanly
from common.nn.parameters import DynetParameters
from common.text.corpus import find_corpus, parse_sentences, read_sentences
from common.text.vocab import Vocabulary
from common.training.checkpoint import EpochRecord, Training, load_parameters
from common.training.loop import check_loss
from common.training.pairs import Pairs
from common.training.setup import Text
from tests.pairs import write_pairs
from tests.programs import (
    CHAPTER,
    TINY,
    Call,
    Refused,
    edit_settings,
    error_line,
    leftovers,
    make_call,
    make_refused,
    run_program,
    write_corpus,
    write_lines,
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "farm", train=20, others=5)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COURSE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("COURSE_DATA", str(tmp_path / "installed"))
    return tmp_path / "runs"


@pytest.fixture
def call(runs: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    return make_call(monkeypatch)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run."""
    place = tmp_path_factory.mktemp("errors")
    flags = ["--corpus", write_corpus(place / "farm", train=20, others=5), "--epochs", 1, "--run-dir", place / "run"]
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_call(monkeypatch)("train", *TINY, *flags)
    return place / "run"


@pytest.fixture
def run(trained: Path, runs: Path) -> Path:
    """A copy of a finished run, to be spoilt."""
    return Path(shutil.copytree(trained, runs / CHAPTER / "001"))


class TestText:
    """A corpus that cannot be used is refused before anything is written."""

    @pytest.mark.parametrize("split", ["train", "dev", "test"])
    @pytest.mark.parametrize(
        "content, complaint",
        [
            ("the hen waits .\nthe ox sl\xe4ft .\n".encode("latin-1"), ", line 2: not UTF-8"),
            ("the hen\n".encode("utf-16"), ", line 1: not UTF-8"),
            (b"", ": the file is empty"),
            (b"\n", ", line 1: an empty line"),
            (b"the hen waits .\n\nthe ox sleeps .\n", ", line 2: an empty line"),
            (b"the hen waits .\n \t\n.\n", ", line 2: an empty line"),
            (b"the hen waits .\n" + b"la " * 10_000 + b"\n", ", line 2: 10000 words"),
            (b"the hen waits .\n<s> the ox sleeps . </s>\n", ", line 2: <s> and </s>"),
        ],
        ids=["latin-1", "utf-16", "empty", "blank", "empty line", "blank line", "10,000 words", "boundary"],
    )
    def test_is_refused(
        self, corpus: Path, runs: Path, refused: Refused, split: str, content: bytes, complaint: str
    ) -> None:
        (corpus / f"{split}.txt").write_bytes(content)
        assert f"{split}.txt{complaint}" in refused("train", *TINY, "--corpus", corpus)
        assert not runs.exists()

    @pytest.mark.parametrize("split", ["dev", "test"])
    def test_without_a_split(self, corpus: Path, runs: Path, refused: Refused, split: str) -> None:
        (corpus / f"{split}.txt").unlink()
        assert f"{corpus / split}.txt: no such file" in refused("train", *TINY, "--corpus", corpus)
        assert not runs.exists()

    def test_a_folder_in_place_of_a_file(self, tmp_path: Path) -> None:
        with pytest.raises(UserError, match=str(tmp_path.name)):
            read_sentences(tmp_path)

    def test_unknown_corpus(self, runs: Path, refused: Refused, tmp_path: Path) -> None:
        write_corpus(tmp_path / "installed" / "meadow")
        line = refused("train", *TINY, "--corpus", "medow")
        assert "no corpus 'medow'" in line and "meadow" in line and "village" in line
        assert "python -m data get" in line
        assert not runs.exists()
        assert find_corpus("meadow") == tmp_path / "installed" / "meadow"

    @pytest.mark.parametrize("text", ["{", "[1]", "null", '"a"'])
    def test_broken_facts(self, corpus: Path, runs: Path, refused: Refused, text: str) -> None:
        (corpus / "oracle.json").write_text(text, "utf-8")
        assert "oracle.json: not a JSON object" in refused("train", *TINY, "--corpus", corpus)
        assert not runs.exists()

    def test_closed_vocabulary_names_the_word(self, corpus: Path, refused: Refused) -> None:
        line = refused("train", *TINY, "--corpus", corpus, "--unk", "closed")
        assert "'wombat'" in line and "--unk" in line

    def test_last_line_needs_no_line_feed(self) -> None:
        assert parse_sentences(b"a b\r\nc", "here") == [["a", "b"], ["c"]]


class TestFlags:
    @pytest.mark.parametrize(
        "flags, complaint",
        [
            (["--preset", "huge"], "--preset huge: there is no such preset; choose from quick, ptb-small"),
            (["--speed", "9"], "--speed"),
            (["--epoch", "9"], "--epoch"),
            (["surprise"], "surprise"),
            (["--epochs", "many"], "many"),
            (["--epochs"], "--epochs"),
            (["--score", "double"], "double"),
            (["--device", "abacus"], "abacus"),
            (["--epochs", "0"], "--epochs 0: must be at least 1"),
            (["--batch-size", "-3"], "--batch-size -3: must be at least 1"),
            (["--hidden-size", "0"], "--hidden-size 0: must be at least 1"),
            (["--dropout", "1"], "--dropout 1: must be at most 0.95"),
            (["--learning-rate", "0"], "--learning-rate 0: must be at least"),
            (["--learning-rate", "nan"], "--learning-rate nan: must be a finite number"),
            (["--clip", "inf"], "--clip inf: must be a finite number"),
            (["--seed", "0"], "--seed 0: must be at least 1"),
            (["--seed", "5000000000"], "--seed 5000000000: must be at most 4294967295"),
        ],
    )
    def test_that_make_no_sense(
        self, corpus: Path, runs: Path, refused: Refused, flags: list[str], complaint: str
    ) -> None:
        assert complaint in refused("train", "--corpus", corpus, *flags)
        assert not runs.exists()

    def test_are_checked_before_a_model_is_loaded(self, run: Path, refused: Refused, tmp_path: Path) -> None:
        assert "--number" in refused("generate", "--run", tmp_path / "none", "--number", "0")
        assert "--memory" in refused("generate", "--run", run, "--memory", "1MB")

    @pytest.mark.parametrize(
        "program, flags",
        [
            ("generate", ["--number", "0"]),
            ("generate", ["--max-words", "0"]),
            ("generate", ["--max-words", f"1{'0' * 20}"]),
            ("generate", ["--number", f"1{'0' * 20}"]),
            ("generate", ["--seed", "-1"]),
            ("generate", ["--unk", "never"]),
            ("visualize", ["--number", "0"]),
            ("visualize", ["--seed", "-1"]),
            ("visualize", ["--sentence", " "]),
        ],
    )
    def test_of_the_other_programs(self, run: Path, refused: Refused, program: str, flags: list[str]) -> None:
        before = sorted(path.name for path in run.iterdir())
        assert flags[0] in refused(program, "--run", run, *flags)
        assert sorted(path.name for path in run.iterdir()) == before


class TestDevice:
    def test_no_gpu(self, corpus: Path, tmp_path: Path) -> None:
        hidden = {"CUDA_VISIBLE_DEVICES": "-1", "COURSE_RUNS": str(tmp_path / "runs")}
        result = run_program("train", *TINY, "--corpus", str(corpus), "--device", "gpu", env=hidden, fresh=True)
        assert result.returncode == 2 and "--device gpu" in error_line(result.stderr)
        assert not (tmp_path / "runs").exists()

    def test_no_driver(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def no_library(name: str) -> None:
            raise OSError(name)

        monkeypatch.setattr(gpu.ctypes, "CDLL", no_library)
        assert gpu.count_gpus() == 0

    def test_the_wrong_python(self, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(launch.NEEDED, "no_such_module", "Something")
        with pytest.raises(SystemExit) as stopped:
            launch.require()
        assert stopped.value.code == 2
        assert "Something is not installed" in error_line(capsys.readouterr().err)


class TestLoss:
    """DyNet cannot go on after a number that is none, so these trainings have processes of their own."""

    def test_that_is_not_a_number_keeps_the_checkpoint_before(self, corpus: Path, tmp_path: Path) -> None:
        """The rate is small for one epoch, and then so large that the weights overflow."""
        flags = ["--optimiser", "sgd", "--schedule", "decay", "--decay", "1", "--epochs", "3"]
        run = tmp_path / "run"
        first = run_program("train", *TINY, "--corpus", str(corpus), *flags, "--epochs", "1", "--run-dir", str(run))
        assert first.returncode == 0
        edit_settings(run, epochs=3, learning_rate=1e30)
        before = (run / "checkpoint.npz").read_bytes()

        result = run_program("train", "--resume", "--run-dir", str(run))
        assert result.returncode == 2
        line = error_line(result.stderr)
        assert "epoch 2" in line and "--learning-rate" in line
        assert (run / "checkpoint.npz").read_bytes() == before
        assert leftovers(run) == []
        assert run_program("generate", "--run", str(run), "--number", "1").returncode == 0

    @pytest.mark.parametrize("loss", [float("nan"), float("inf"), float("-inf")])
    def test_is_refused(self, loss: float) -> None:
        with pytest.raises(UserError, match="epoch 7: the loss is"):
            check_loss(loss, 7)
        assert check_loss(3.5, 7) == 3.5

    @pytest.mark.parametrize("train, dev", [(1.0, float("inf")), (float("inf"), 1.0), (1.0, float("nan"))])
    def test_perplexity_without_bound(self, tmp_path: Path, train: float, dev: float) -> None:
        import dynet

        training = Training.begin(
            tmp_path, DynetParameters(SimpleNamespace(collection=dynet.ParameterCollection())), "any", resume=False
        )
        with pytest.raises(UserError, match="epoch 1: .* not finite"):
            training.finish_epoch(EpochRecord(1, train, dev, 0.1, 10, 1.0))
        assert list(tmp_path.iterdir()) == [] and training.history == []


class TestWriting:
    def test_a_run_folder_below_a_file(self, corpus: Path, refused: Refused, tmp_path: Path) -> None:
        file = write_lines(tmp_path / "file.txt", ["precious"])
        for place in (file, file / "run"):
            assert "cannot write" in refused("train", *TINY, "--corpus", corpus, "--run-dir", place)
        assert file.read_text("utf-8") == "precious\n"

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind everyone")
    def test_a_run_folder_without_permission(self, corpus: Path, refused: Refused, tmp_path: Path) -> None:
        locked = tmp_path / "locked"
        locked.mkdir(mode=0o500)
        assert "cannot write" in refused("train", *TINY, "--corpus", corpus, "--run-dir", locked / "run")
        assert list(locked.iterdir()) == []

    @pytest.mark.parametrize("victim", ["config.json", "vocab.txt", "model.npz", "checkpoint.npz", "metrics.json"])
    def test_a_disk_that_is_full(
        self, corpus: Path, runs: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch, victim: str
    ) -> None:
        """The bytes of one file never reach the disk; the files before it are whole, and it leaves nothing."""
        fsync = os.fsync

        def full(descriptor: int) -> None:
            if any(victim in path.name for path in leftovers(runs)):
                raise OSError(28, "No space left on device")
            fsync(descriptor)

        monkeypatch.setattr(os, "fsync", full)
        line = refused("train", *TINY, "--corpus", corpus)
        assert victim in line and "No space left on device" in line
        assert leftovers(runs) == []
        assert not (runs / CHAPTER / "001" / victim).exists()

    @pytest.mark.skipif(sys.platform == "win32", reason="no limits on the size of files")
    def test_a_file_that_cannot_grow(self, corpus: Path, tmp_path: Path) -> None:
        """The operating system itself refuses to write more than 2,000 bytes a file: the model does not fit."""
        import resource

        run = tmp_path / "run"
        result = run_program(
            "train",
            *TINY,
            *("--corpus", str(corpus), "--run-dir", str(run)),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
        )
        assert result.returncode == 2 and "model.npz" in error_line(result.stderr)
        assert sorted(path.name for path in run.iterdir()) == [".lock", "config.json", "log.txt", "vocab.txt"]

    def test_a_log_that_cannot_be_written(self, corpus: Path, refused: Refused, tmp_path: Path) -> None:
        run = tmp_path / "run"
        (run / "log.txt").mkdir(parents=True)
        assert "log.txt" in refused("train", *TINY, "--corpus", corpus, "--run-dir", run)


class TestRun:
    """A run that is not whole."""

    @pytest.mark.parametrize("program", ["generate", "visualize"])
    def test_none(self, refused: Refused, tmp_path: Path, program: str) -> None:
        assert "train.py" in refused(program)
        assert "config.json is missing" in refused(program, "--run", tmp_path)

    @pytest.mark.parametrize(
        "text",
        ["", "{", "null", "[]", "{}", '{"chapter": 6}', '{"chapter": "06_attentive_lm", "settings": 3}'],
    )
    def test_broken_config(self, run: Path, refused: Refused, text: str) -> None:
        (run / "config.json").write_text(text, "utf-8")
        assert "config.json" in refused("generate", "--run", run)
        assert "config.json" in refused("train", "--resume", "--run-dir", run)

    def test_settings_of_another_version(self, run: Path, refused: Refused) -> None:
        config = json.loads((run / "config.json").read_text("utf-8"))
        config["settings"]["wings"] = 2
        (run / "config.json").write_text(json.dumps(config), "utf-8")
        assert "not those of this version" in refused("generate", "--run", run)

    def test_missing_vocabulary(self, run: Path, refused: Refused) -> None:
        (run / "vocab.txt").unlink()
        assert "vocab.txt: no readable vocabulary" in refused("generate", "--run", run)

    @pytest.mark.parametrize(
        "words, complaint",
        [
            (b"\xff\xfe", "no readable vocabulary"),
            (b"the\nhen\n", "not a vocabulary of this course"),
            (b"", "not a vocabulary of this course"),
            (b"</s>\n<unk>\nhen\nhen\n", "'hen' twice"),
        ],
    )
    def test_broken_vocabulary(self, tmp_path: Path, words: bytes, complaint: str) -> None:
        (tmp_path / "vocab.txt").write_bytes(words)
        with pytest.raises(UserError, match=complaint):
            Vocabulary.load(tmp_path / "vocab.txt")

    def test_vocabulary_of_another_size(self, run: Path, refused: Refused) -> None:
        with open(run / "vocab.txt", "a", encoding="utf-8") as file:
            file.write("wombat\n")
        assert "model.npz: contains" in refused("generate", "--run", run)

    def test_no_epoch_finished(self, run: Path, refused: Refused) -> None:
        (run / "model.npz").unlink()
        assert "model.npz: no such file" in refused("generate", "--run", run)

    def test_model_cut_short(self, run: Path, refused: Refused) -> None:
        path = run / "model.npz"
        path.write_bytes(path.read_bytes()[:-40])
        for program in ("generate", "visualize"):
            assert "model.npz: cut short" in refused(program, "--run", run)

    def test_no_pickle_is_ever_loaded(self, tmp_path: Path) -> None:
        """An array of Python objects would run code when it is read."""
        import dynet
        import numpy as np

        path = tmp_path / "model.npz"
        np.savez(path, about=np.array(json.dumps({"model": "any"})), parameter000=np.array([{}, []], dtype=object))
        with pytest.raises(UserError, match="not a saved model"):
            load_parameters(path, DynetParameters(SimpleNamespace(collection=dynet.ParameterCollection())), "any")

    def test_model_cut_anywhere(self, run: Path) -> None:
        """Every length that a copy can break off at, and the model that is there stays as it was."""
        import dynet

        path = run / "model.npz"
        data = path.read_bytes()
        for kept in range(0, len(data), 97):
            path.write_bytes(data[:kept])
            with pytest.raises(UserError, match="cut short"):
                load_parameters(path, DynetParameters(SimpleNamespace(collection=dynet.ParameterCollection())), "any")

    def test_nothing_to_draw(self, corpus: Path, call: Call, refused: Refused, tmp_path: Path) -> None:
        run = tmp_path / "plain"
        call("train", *TINY, "--corpus", corpus, "--epochs", 1, "--score", "none", "--run-dir", run)
        assert "--score none" in refused("visualize", "--run", run)
        assert not (run / "attention").exists()


class TestScoring:
    def test_bad_text(self, run: Path, refused: Refused, tmp_path: Path) -> None:
        text = write_lines(tmp_path / "text.txt", ["the hen .", "", "a goat ."])
        assert "text.txt, line 2: an empty line" in refused("generate", "--run", run, "--score", text)
        assert "no such file" in refused("generate", "--run", run, "--score", tmp_path / "nowhere.txt")
        assert "line 2" in refused("visualize", "--run", run, "--file", text)
        assert not (run / "attention").exists()

    def test_unknown_word_in_a_closed_vocabulary(self, run: Path, refused: Refused, tmp_path: Path) -> None:
        text = write_lines(tmp_path / "text.txt", ["the hen sees a yak ."])
        assert "'yak'" in refused("generate", "--run", run, "--score", text, "--unk", "closed")

    def test_standard_input(self, run: Path) -> None:
        for text, complaint in [("", "standard input is empty"), ("the hen .\n\n.\n", "standard input, line 2")]:
            result = run_program("generate", "--run", str(run), "--score", "-", stdin=text)
            assert result.returncode == 2 and complaint in error_line(result.stderr)
            assert result.stdout == ""


class TestExits:
    @pytest.mark.skipif(os.name == "nt", reason="Windows says of such a name that it is not there")
    def test_a_name_that_is_too_long(self, capsys: pytest.CaptureFixture) -> None:
        with pytest.raises(SystemExit) as stopped:
            exits_cleanly(lambda: os.stat("x" * 300))()
        assert stopped.value.code == 2
        line = error_line(capsys.readouterr().err)
        assert "xxx: File name too long" in line and len(line) < 120

    @pytest.mark.parametrize(
        "error, status, said",
        [
            (UserError("the cow is gone"), 2, "error: the cow is gone"),
            (
                PermissionError(errno.EACCES, "Permission denied", "/farm/gate"),
                2,
                "error: /farm/gate: Permission denied",
            ),
            (KeyboardInterrupt(), 130, "\ninterrupted"),
        ],
    )
    def test_status(self, capsys: pytest.CaptureFixture, error: BaseException, status: int, said: str) -> None:
        def main() -> None:
            raise error

        with pytest.raises(SystemExit) as stopped:
            exits_cleanly(main)()
        assert stopped.value.code == status
        assert capsys.readouterr().err == said + "\n"

    @pytest.mark.slow
    def test_a_corpus_in_a_run_that_has_none(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The config of a run of chapter 3 that was changed: there was no name of a corpus to show."""
        call = make_call(monkeypatch, "03_neural_networks")
        call("train", "--epochs", 2, "--run-dir", tmp_path / "run")
        config = json.loads((tmp_path / "run" / "config.json").read_text("utf-8"))
        config["fingerprints"]["corpus"] = "x"
        (tmp_path / "run" / "config.json").write_text(json.dumps(config), "utf-8")
        with pytest.raises(SystemExit) as stopped:
            call("train", "--resume", "--run-dir", tmp_path / "run")
        assert stopped.value.code == 2

    def test_a_result_that_is_not_finite(
        self, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
    ) -> None:
        """Of numbers in a model that were changed to be huge: metrics.json cannot hold it."""
        call = make_call(monkeypatch)
        call("train", *TINY, "--epochs", 1, "--corpus", corpus, "--run-dir", tmp_path / "run")
        figures = Text.figures
        monkeypatch.setattr(Text, "figures", lambda *rest: figures(*rest) | {"perplexity": float("inf")})
        line = make_refused(call, capsys)("train", "--resume", "--run-dir", tmp_path / "run")
        assert "a result is not finite" in line

    def test_translations_of_a_model_that_is_damaged_are_not_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
    ) -> None:
        """Neither those of dev, whose result is finite, nor those of test, whose is not."""
        call, run = make_call(monkeypatch, "07_encoder_decoder"), tmp_path / "run"
        call("train", *TINY, "--epochs", 1, "--corpus", write_pairs(tmp_path / "pairs"), "--run-dir", run)
        figures, texts = Pairs.figures, [run / f"{split}.hypotheses.txt" for split in ("dev", "test")]
        monkeypatch.setattr(
            Pairs,
            "figures",
            lambda self, model, words, *others: (
                figures(self, model, words, *others)
                | ({"perplexity": float("inf")} if words is self.words.test else {})
            ),
        )
        for text in texts:
            text.write_text("kept\n", "utf-8")
        assert "a result is not finite" in make_refused(call, capsys)("train", "--resume", "--run-dir", run)
        assert [text.read_text("utf-8") for text in texts] == ["kept\n"] * 2

    def test_a_fault_of_our_own_is_not_hidden(self) -> None:
        def main() -> None:
            raise ValueError("a bug")

        with pytest.raises(ValueError, match="a bug"):
            exits_cleanly(main)()

    @pytest.mark.skipif(os.name != "posix", reason="elsewhere the names of files are text")
    def test_a_name_that_is_no_text(self, tmp_path: Path) -> None:
        corpus = os.fsencode(write_corpus(tmp_path / "farm", train=20, others=5)).replace(b"farm", b"\xff")
        os.rename(tmp_path / "farm", corpus)
        flags = ["--order", "2", "--corpus", os.fsdecode(corpus), "--run-dir", os.fsdecode(tmp_path / "run")]
        result = run_program("train", *flags, chapter="01_ngram_lm")
        assert result.returncode == 0, result.stderr
        assert r"corpus \udcff: " in result.stdout

    def test_words_that_the_terminal_cannot_show(self, tmp_path: Path) -> None:
        """Where Python would print in a code page, as to a pipe on Windows, the course prints UTF-8."""
        corpus = write_corpus(tmp_path / "farm", train=20, others=5)
        train = corpus / "train.txt"
        train.write_text(train.read_text("utf-8").replace("anton", "あんと").replace("hen", "λ"), "utf-8")
        environment = {"PYTHONIOENCODING": "ascii", "COURSE_RUNS": str(tmp_path / "runs")}
        result = run_program("train", *TINY, "--corpus", str(corpus), env=environment)
        assert result.returncode == 0, result.stderr
        assert "λ" in result.stdout or "あんと" in result.stdout
