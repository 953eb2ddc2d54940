"""Bad text and bad flags get one line that says what is wrong and where, exit status 2, and leave nothing half-made."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from common.errors import UserError
from common.nn.parameters import DynetParameters
from common.text.corpus import find_corpus, read_sentences
from common.training.checkpoint import check_loss
from common.training.loop import EpochRecord, Training
from tests.programs import TINY, Refused, edit_settings, error_line, leftovers, run_program, write_corpus


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "farm", train=20, others=5)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COURSE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("COURSE_DATA", str(tmp_path / "installed"))
    return tmp_path / "runs"


class TestText:
    """A corpus that cannot be used is refused before anything is written."""

    @pytest.mark.parametrize("split", ["train", "dev", "test"])
    def test_is_refused(self, corpus: Path, runs: Path, refused: Refused, split: str) -> None:
        path = corpus / f"{split}.txt"
        for content, complaint in (
            ("the hen waits .\nthe ox sl\xe4ft .\n".encode("latin-1"), ", line 2: not UTF-8"),
            ("the hen\n".encode("utf-16"), ", line 1: not UTF-8"),
            (b"", ": the file is empty"),
            (b"\n", ", line 1: an empty line"),
            (b"the hen waits .\n\nthe ox sleeps .\n", ", line 2: an empty line"),
            (b"the hen waits .\n \t\n.\n", ", line 2: an empty line"),
            (b"the hen waits .\n" + b"la " * 10_000 + b"\n", ", line 2: 10000 words"),
            (b"the hen waits .\n<s> the ox sleeps . </s>\n", ", line 2: <s> and </s>"),
        ):
            path.write_bytes(content)
            assert f"{split}.txt{complaint}" in refused("train", *TINY, "--corpus", corpus)
        if split != "train":
            path.unlink()
            assert f"{path}: no such file" in refused("train", *TINY, "--corpus", corpus)
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


class TestDevice:
    def test_no_gpu(self, corpus: Path, tmp_path: Path) -> None:
        hidden = {"CUDA_VISIBLE_DEVICES": "-1", "COURSE_RUNS": str(tmp_path / "runs")}
        result = run_program("train", *TINY, "--corpus", str(corpus), "--device", "gpu", env=hidden, fresh=True)
        assert result.returncode == 2 and "--device gpu" in error_line(result.stderr)
        assert not (tmp_path / "runs").exists()


class TestLoss:
    """DyNet cannot go on after a number that is none, so these trainings have processes of their own."""

    def test_that_is_not_a_number_keeps_the_checkpoint_before(self, corpus: Path, tmp_path: Path) -> None:
        """The rate is small for one epoch, and then so large that the weights overflow."""
        flags = ["--optimiser", "sgd", "--schedule", "decay", "--decay", "1", "--epochs", "3"]
        run = tmp_path / "run"
        first = run_program("train", *TINY, "--corpus", str(corpus), *flags, "--epochs", "1", "--run-dir", str(run))
        assert first.returncode == 0
        edit_settings(run, epochs=3, learning_rate=1e6)
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

    @pytest.mark.parametrize("train, dev", [(1.0, float("inf")), (float("inf"), 1.0), (1.0, float("nan"))])
    def test_perplexity_without_bound(self, tmp_path: Path, train: float, dev: float) -> None:
        import dynet

        training = Training.begin(
            tmp_path, DynetParameters(SimpleNamespace(collection=dynet.ParameterCollection())), "any", resume=False
        )
        with pytest.raises(UserError, match="epoch 1: .* not finite"):
            training.finish_epoch(EpochRecord(1, train, dev, 0.1, 10, 1.0))
        assert list(tmp_path.iterdir()) == [] and training.history == []
