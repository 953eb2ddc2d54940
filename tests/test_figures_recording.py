"""What figures show of trained models: which runs a recording needs, and how it trains, measures and writes them."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from book.figures import recording
from book.figures.recorded import recorded
from book.figures.recording import Recording
from book.lessons import ROOT
from common.chapters import chapter_module
from common.training.cli import parse_settings
from tools.experiment.runs import Training
from tools.metrics import WRITTEN_TO_THE_END

RECORDINGS = {
    path.stem: importlib.import_module(f"book.figures.{path.stem}").RECORDING
    for path in sorted((ROOT / "book/figures").glob("*_record.py"))
}


@pytest.mark.parametrize("name", RECORDINGS)
def test_every_run_has_flags_that_its_program_reads(name: str) -> None:
    for training in RECORDINGS[name].trainings(Path("/RUNS")):
        own = chapter_module(training.chapter, "settings")
        _, *flags = training.command()
        settings, _ = parse_settings(own.Settings, training.chapter, "", flags)
        assert Path(settings.run_dir) == training.folder
        assert "RUNS" not in str(settings).replace("/RUNS/", "")


@pytest.mark.parametrize("name", RECORDINGS)
def test_the_file_in_the_repository_is_where_it_would_be_written(name: str) -> None:
    own = RECORDINGS[name]
    assert {"command", "commands"} & set(recorded(own.chapter, own.name))


def test_only_missing_runs_are_trained_and_numbers_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """In order, each with its flags; a run that was interrupted is resumed; then nothing is left to train."""
    commands = []

    def train_all(trainings: list[Training], *_: object) -> None:
        for training in trainings:
            if not training.is_finished():
                commands.append(training.command()[1:])
                training.folder.mkdir(exist_ok=True)
                (training.folder / WRITTEN_TO_THE_END).write_text("{}", "utf-8")

    monkeypatch.setattr(recording, "train_all", train_all)
    runs, chapter = tmp_path / "my runs", "05_rnn_lm"
    flags = {"gru": "--cell gru", "lstm": "--start-from RUNS/gru", "rnn": "--cell rnn"}
    own = Recording(
        chapter, "python -m record", lambda folder: ({"seed": 1}, {"runs": [len(list(folder.iterdir())), 0.12346]}),
        {name: (chapter, text) for name, text in flags.items()}, tables=lambda numbers: [f"{numbers['runs'][1]}"],
    )  # fmt: skip
    for name, file in (("gru", WRITTEN_TO_THE_END), ("lstm", "config.json")):
        (runs / name).mkdir(parents=True)
        (runs / name / file).write_text("{}", "utf-8")
    for _ in range(2):
        own.make(runs, tmp_path)
    assert commands == [
        ["--run-dir", str(runs / "lstm"), "--start-from", f"{runs}/gru", "--resume"],
        ["--run-dir", str(runs / "rnn"), "--cell", "rnn"],
    ]
    written = json.loads((tmp_path / "figures/recorded.json").read_text("utf-8"))
    assert written == {"command": "python -m record", "settings": {"seed": 1}, "runs": [3, 0.1235]}
    assert capsys.readouterr().out.splitlines()[1] == "0.1235"
