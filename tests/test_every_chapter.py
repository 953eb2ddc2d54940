"""What every chapter on language models must do: its programs, called as a user calls them, on a small corpus."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from matplotlib.image import imread

from common import files
from common.text.corpus import read_sentences
from common.training import report
from tests.programs import (
    Call,
    Killed,
    Refused,
    call_and_kill,
    check_damaged_run,
    check_help,
    check_run,
    comparable,
    contents,
    make_call,
    metrics_of,
    write_corpus,
    write_lines,
)

NEURAL = ["--hidden-size", "6", "--epochs", "2", "--batch-size", "8"]
SMALL = {
    "01_ngram_lm": [],
    "02_loglinear_lm": ["--epochs", "2", "--batch-size", "8"],
    "04_feedforward_lm": NEURAL,
    "05_rnn_lm": NEURAL,
    "06_attentive_lm": NEURAL,
    "11_transformer": [*NEURAL, "--heads", "2"],
}
"""The language-model chapters, each with flags that make its training short."""

TRAINED_BY_EPOCHS = [chapter for chapter in SMALL if chapter != "01_ngram_lm"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def trained(runs: Path, corpus: Path) -> Callable[[str], Path]:
    """A function that gives the finished run of a chapter, trained when it is first asked for."""

    def run_of(chapter: str) -> Path:
        folder = runs / chapter / "001"
        if not (folder / "metrics.json").exists():
            with pytest.MonkeyPatch.context() as monkeypatch:
                call = make_call(monkeypatch, chapter, curve=True)
                call("train", *SMALL[chapter], "--corpus", corpus, "--run-dir", folder)
        return folder

    return run_of


@pytest.fixture(params=SMALL)
def chapter(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def call(chapter: str, monkeypatch: pytest.MonkeyPatch, runs: Path) -> Call:
    """Runs a program of the chapter; runs are looked for where `trained` puts them."""
    monkeypatch.setenv("COURSE_RUNS", str(runs))
    return make_call(monkeypatch, chapter)


@pytest.mark.slow
def test_the_run_explains_itself(chapter: str, trained: Callable, corpus: Path) -> None:
    run = trained(chapter)
    check_run(run, chapter, {split: read_sentences(corpus / f"{split}.txt") for split in ("dev", "test")}, 1000)
    assert {"config.json", "log.txt", "metrics.json", "model.npz", "vocab.txt"} <= {file.name for file in run.iterdir()}
    pictures = [imread(picture) for picture in run.glob("*.png")]
    assert pictures or chapter.startswith("01"), "one of learning; counting draws one where smoothings are compared"


@pytest.mark.slow
def test_scores_agree_with_the_evaluation(
    chapter: str, call: Call, trained: Callable, corpus: Path, capsys: pytest.CaptureFixture, tmp_path: Path
) -> None:
    """Each sentence for itself and all together: to 1e-6 a word."""
    run = trained(chapter)
    capsys.readouterr()
    call("generate", "--run", run, "--score", corpus / "test.txt")
    scores = [float(line) for line in capsys.readouterr().out.splitlines()]
    figures = metrics_of(run)["test"]
    assert len(scores) == figures["sentences"]
    assert sum(scores) == pytest.approx(figures["log_prob"], abs=1e-6 * figures["predictions"])
    item = (corpus / "test.txt").read_text("utf-8").splitlines()[-1]
    call("generate", "--run", run, "--score", write_lines(tmp_path / "one.txt", [item]))
    alone = float(capsys.readouterr().out)
    assert alone == pytest.approx(scores[-1], abs=2e-6 * (len(item.split()) + 1))


def test_samples_follow_the_seed(chapter: str, call: Call, trained: Callable, capsys: pytest.CaptureFixture) -> None:
    run, outputs = trained(chapter), []
    capsys.readouterr()  # what training printed, where this test is the first
    for seed in (1, 1, 2):
        call("generate", "--run", run, "--number", 4, "--seed", seed)
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] != outputs[2]
    known_words = set((run / "vocab.txt").read_text("utf-8").split()) | {"..."}
    assert set(outputs[0].split()) <= known_words and len(outputs[0].splitlines()) == 4


def test_the_latest_run_is_the_one_used(call: Call, trained: Callable, chapter: str, capsys) -> None:
    trained(chapter)
    capsys.readouterr()
    call("generate", "--number", 1)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_help_explains_every_flag(chapter: str, call: Call, capsys: pytest.CaptureFixture) -> None:
    check_help(call, chapter, capsys)


@pytest.mark.parametrize("chapter", TRAINED_BY_EPOCHS, indirect=True)
def test_an_interrupted_training_ends_with_the_same_figures(
    chapter: str, call: Call, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags = [*SMALL[chapter], "--epochs", 3, "--corpus", corpus]
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    call("train", *flags, "--run-dir", whole)
    call_and_kill(call, monkeypatch, *flags, "--run-dir", killed)
    assert not (killed / "metrics.json").exists()
    call("train", "--resume", "--run-dir", killed)
    assert comparable(killed) == comparable(whole)
    assert len(metrics_of(killed)["epochs"]) == 3


def test_the_numbers_are_written_last(chapter: str, corpus: Path, tmp_path: Path, monkeypatch) -> None:
    """A run that has them is taken for finished: its picture is there before, and what the log says of it."""
    samples, write = [], files.atomic_write

    def write_or_die(path: Path, *mode: str) -> AbstractContextManager:
        if path.name == "metrics.json":
            raise Killed
        return write(path, *mode)

    monkeypatch.setattr(files, "atomic_write", write_or_die)
    monkeypatch.setattr(report, "draw_history", lambda *arguments: samples.append(arguments))
    call = make_call(monkeypatch, chapter, curve=True)
    with pytest.raises(Killed):
        call("train", *SMALL[chapter], "--corpus", corpus, "--run-dir", tmp_path / "run")
    assert "everything is in" in (tmp_path / "run" / "log.txt").read_text("utf-8")
    assert len(samples) == (chapter in TRAINED_BY_EPOCHS)


class TestBadInput:
    """One line each, and nothing half-made."""

    @pytest.mark.parametrize(
        "flags, complaint",
        [
            (["--preset", "huge"], "--preset huge: there is no such preset"),
            (["--speed", "9"], "--speed"),
            (["--seed", "0"], "--seed 0: must be at least 1"),
            (["--min-count", "0"], "--min-count 0: must be at least 1"),
            (["--corpus", "nowhere"], "no corpus 'nowhere'"),
            (["--unk", "closed"], "'wombat'"),
        ],
    )
    def test_flags(
        self, chapter: str, corpus: Path, tmp_path: Path, refused: Refused, flags: list, complaint: str
    ) -> None:
        folder = tmp_path / "run"
        assert complaint in refused("train", *SMALL[chapter], "--corpus", corpus, *flags, "--run-dir", folder)
        assert not folder.exists()

    @pytest.mark.parametrize("content, complaint", [(b"", "is empty"), (b"a\n\nb\n", "line 2"), (b"\xff\n", "UTF-8")])
    def test_text(self, chapter: str, tmp_path: Path, refused: Refused, content: bytes, complaint: str) -> None:
        broken = write_corpus(tmp_path / "broken")
        (broken / "dev.txt").write_bytes(content)
        line = refused("train", *SMALL[chapter], "--corpus", broken, "--run-dir", tmp_path / "run")
        assert "dev.txt" in line and complaint in line
        assert not (tmp_path / "run").exists()

    def test_a_folder_that_holds_a_run(self, chapter: str, corpus: Path, trained: Callable, refused: Refused) -> None:
        before = contents(trained(chapter))
        line = refused("train", *SMALL[chapter], "--corpus", corpus, "--run-dir", trained(chapter))
        assert "already contains a run" in line
        assert contents(trained(chapter)) == before

    def test_a_model_cut_short(self, chapter: str, trained: Callable, refused: Refused, tmp_path: Path) -> None:
        check_damaged_run(trained(chapter), tmp_path, refused, "generate")

    def test_text_to_score(self, chapter: str, trained: Callable, refused: Refused, tmp_path: Path) -> None:
        assert "no such file" in refused("generate", "--run", trained(chapter), "--score", tmp_path / "none.txt")
        bad = write_lines(tmp_path / "bad.txt", ["a hen", "", "a goat"])
        assert "line 2" in refused("generate", "--run", trained(chapter), "--score", bad)
