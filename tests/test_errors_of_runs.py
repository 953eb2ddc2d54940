"""A run that cannot be written, or is not whole, gets one line that names the file; nothing is left half-written."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.programs import CHAPTER, TINY, Call, Refused, error_line, leftovers, run_program, write_lines


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    """A copy of a finished run, to be spoilt."""
    return Path(shutil.copytree(trained, tmp_path / "runs" / CHAPTER / "001"))


class TestWriting:
    def test_a_run_folder_below_a_file(self, corpus: Path, refused: Refused, tmp_path: Path) -> None:
        file = write_lines(tmp_path / "file.txt", ["precious"])
        for place in (file, file / "run"):
            assert "cannot write" in refused("train", *TINY, "--corpus", corpus, "--run-dir", place)
        assert file.read_text("utf-8") == "precious\n"

    @pytest.mark.parametrize("victim", ["config.json", "vocab.txt", "model.npz", "checkpoint.npz", "metrics.json"])
    def test_a_disk_that_is_full(
        self, corpus: Path, tmp_path: Path, refused: Refused, monkeypatch: pytest.MonkeyPatch, victim: str
    ) -> None:
        """The bytes of one file never reach the disk; the files before it are whole, and it leaves nothing."""
        fsync, runs = os.fsync, tmp_path / "runs"

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

    def test_broken_config(self, run: Path, refused: Refused) -> None:
        broken = ["", "{", "null", "[]", "{}", '{"chapter": 6}', '{"chapter": "06_attentive_lm", "settings": 3}']
        for text in broken:
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

    def test_vocabulary_of_another_size(self, run: Path, refused: Refused) -> None:
        with open(run / "vocab.txt", "a", encoding="utf-8") as file:
            file.write("wombat\n")
        assert "model.npz: contains" in refused("generate", "--run", run)

    def test_nothing_to_draw(self, corpus: Path, call: Call, refused: Refused, tmp_path: Path) -> None:
        run = tmp_path / "plain"
        call("train", *TINY, "--corpus", corpus, "--epochs", 1, "--score", "none", "--run-dir", run)
        assert "--score none" in refused("visualize", "--run", run)
        assert not (run / "attention").exists()

    @pytest.mark.parametrize(
        "program, flags",
        [
            ("generate", ["--number", "0"]),
            ("generate", ["--max-words", "0"]),
            ("generate", ["--number", f"1{'0' * 20}"]),
            ("generate", ["--seed", "-1"]),
            ("visualize", ["--seed", "-1"]),
            ("visualize", ["--sentence", " "]),
        ],
    )
    def test_flags_of_programs_that_read_it(self, run: Path, refused: Refused, program: str, flags: list[str]) -> None:
        before = sorted(path.name for path in run.iterdir())
        assert flags[0] in refused(program, "--run", run, *flags)
        assert sorted(path.name for path in run.iterdir()) == before

    def test_flags_are_checked_before_the_model_is_loaded(self, run: Path, refused: Refused, tmp_path: Path) -> None:
        assert "--number" in refused("generate", "--run", tmp_path / "none", "--number", "0")
        assert "--memory" in refused("generate", "--run", run, "--memory", "1MB")


class TestScoring:
    def test_bad_text_to_draw(self, run: Path, refused: Refused, tmp_path: Path) -> None:
        text = write_lines(tmp_path / "text.txt", ["the hen .", "", "a goat ."])
        assert "text.txt, line 2: an empty line" in refused("visualize", "--run", run, "--file", text)
        assert not (run / "attention").exists()

    def test_standard_input(self, run: Path) -> None:
        for text, complaint in [("", "standard input is empty"), ("the hen .\n\n.\n", "standard input, line 2")]:
            result = run_program("generate", "--run", str(run), "--score", "-", stdin=text)
            assert result.returncode == 2 and complaint in error_line(result.stderr)
            assert result.stdout == ""
