"""Files that are written whole or not at all, run folders, and pictures."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.image import imread

from common.errors import UserError
from common.files import atomic_write, write_json
from common.plots import heatmaps, plotting
from common.text.vocab import Vocabulary
from common.training.cli import CommonSettings
from common.training.past_runs import latest_run
from common.training.runs import Log, begin_run, new_run


class TestAtomicWrite:
    def test_makes_folders_and_one_kind_of_line_ending(self, tmp_path: Path) -> None:
        path = tmp_path / "new" / "folder" / "text.txt"
        with atomic_write(path) as file:
            file.write("naïve\nλ\n")
        assert path.read_bytes() == "naïve\nλ\n".encode()
        with atomic_write(path, "wb") as file:
            file.write(b"\r\n\x00")
        assert path.read_bytes() == b"\r\n\x00"

    def test_what_utf_8_cannot_hold_is_escaped(self, tmp_path: Path) -> None:
        """Half of a pair of surrogates, in JSON or in the name of a file: a table with it is written all the same."""
        with atomic_write(tmp_path / "text.txt") as file:
            file.write("λ \ud800")
        assert (tmp_path / "text.txt").read_text("utf-8") == "λ \\ud800"

    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
    def test_an_error_half_way_leaves_the_old_file(self, tmp_path: Path, error: type[BaseException]) -> None:
        path = tmp_path / "text.txt"
        path.write_text("old", "utf-8")
        with pytest.raises(error), atomic_write(path) as file:
            file.write("new, but only ha")
            assert path.read_text("utf-8") == "old", "until the new file is whole"
            raise error
        assert path.read_text("utf-8") == "old"
        assert [child.name for child in tmp_path.iterdir()] == ["text.txt"]

    def test_what_cannot_be_renamed_is_removed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "taken" / "inside").mkdir(parents=True)
        for folder in (str(tmp_path / "taken"), "."):
            with pytest.raises(UserError, match=f"cannot write {re.escape(folder)}:"), atomic_write(folder) as file:
                file.write("a file where a folder is")
            assert [child.name for child in tmp_path.iterdir()] == ["taken"]

    @pytest.mark.parametrize("value", [float("nan"), [float("inf")], {"a": -float("inf")}])
    def test_json_has_no_infinity(self, tmp_path: Path, value: object) -> None:
        write_json(tmp_path / "value.json", {"word": "λ", "value": 0.1})
        with pytest.raises(UserError, match="value.json: a result is not finite"):
            write_json(tmp_path / "value.json", value)
        assert json.loads((tmp_path / "value.json").read_text("utf-8")) == {"word": "λ", "value": 0.1}


class TestRunFolders:
    @pytest.fixture(autouse=True)
    def root(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("COURSE_RUNS", str(tmp_path))
        return tmp_path

    def begin(self, name: str, chapter: str = "06_some") -> Path:
        folder, settings = new_run(chapter, CommonSettings(run_dir=name), {})
        begin_run(folder, chapter, settings, vocab=Vocabulary(["hen"]))
        return folder

    def test_numbers_go_on_after_the_highest(self, root: Path) -> None:
        assert self.begin("") == root / "06_some" / "001"
        self.begin(str(root / "06_some" / "my experiment"))
        self.begin(str(root / "06_some" / "041"))
        assert self.begin("") == root / "06_some" / "042"
        assert self.begin("", "07_other") == root / "07_other" / "001"

    def test_the_latest_is_the_one_written_to_last(self) -> None:
        first, second = self.begin(""), self.begin("")
        for age, folder in ((100, second), (50, first)):
            for file in folder.iterdir():
                os.utime(file, (1e9 - age, 1e9 - age))
        assert latest_run("06_some") == first
        Log(second)("one more line")
        (first / "notes.txt").symlink_to("nowhere")
        (first / ".checkpoint.npz.7.part").touch()
        os.utime(first / "notes.txt", (1, 1), follow_symlinks=False)
        assert latest_run("06_some") == second, "a link to nowhere and half a file do not count"


class TestPictures:
    @pytest.fixture
    def figures(self, monkeypatch: pytest.MonkeyPatch) -> list[plt.Figure]:
        """Every figure that was saved, to look at what is in it."""
        saved, save = [], plotting.save_figure

        def keep(figure: plt.Figure, path: Path) -> None:
            saved.append(figure)
            save(figure, path)

        monkeypatch.setattr(plotting, "save_figure", keep)
        monkeypatch.setattr(heatmaps, "save_figure", keep)
        return saved

    def test_learning_curve(self, figures: list[plt.Figure], tmp_path: Path) -> None:
        names = ("epoch", "train_perplexity", "dev_perplexity")
        history = [dict(zip(names, epoch, strict=True)) for epoch in ((1, 30.0, 20.0), (2, 12.0, 11.0))]
        plotting.learning_curve(history, tmp_path / "curve.png", oracle=7.5)
        lines = {line.get_label(): line for line in figures[0].axes[0].get_lines()}
        assert list(lines["train"].get_ydata()) == [30, 12] and list(lines["dev"].get_ydata()) == [20, 11]
        assert list(lines["dev"].get_xdata()) == [1, 2]
        assert set(lines["oracle on dev (7.50)"].get_ydata()) == {7.5}
        plotting.learning_curve(history, tmp_path / "plain.png")
        assert len(figures[1].axes[0].get_lines()) == 2
        assert imread(tmp_path / "curve.png").ndim == imread(tmp_path / "plain.png").ndim == 3
        assert plt.get_fignums() == [], "every figure is closed"

    def test_attention_maps(self, figures: list[plt.Figure], tmp_path: Path) -> None:
        """Each row is a prediction; what it may not look at is blank, not zero. A weight stands in its cell."""
        weights = np.array([[0.9, 0.9, 0.9], [1.0, 0.9, 0.9], [0.24996, 0.75004, 0.9]])
        other = np.array([[0, 0, 0], [1.0, 0, 0], [0.99996, 0.00004, 0]])
        words = ["<s>", "the", "λ"], ["the", "λ", "</s>"]
        heatmaps.attention_maps({"one": weights, "two": other}, *words, tmp_path / "map.png")
        panels = figures[0].axes[:2]
        assert [axes.get_title() for axes in panels] == ["one", "two"]
        for axes in panels:
            assert [label.get_text() for label in axes.get_xticklabels()] == words[0]
            assert [label.get_text() for label in axes.get_yticklabels()] == words[1]
        image = panels[0].get_images()[0].get_array()
        assert image.mask.tolist() == [[True, True, True], [False, True, True], [False, False, True]]
        assert image.compressed().tolist() == [1.0, 0.24996, 0.75004]
        numbers = {text.get_position(): (text.get_text(), text.get_color()) for text in panels[0].texts}
        assert numbers == {(0, 2): ("0.2500", "black"), (1, 2): ("0.7500", "white")}, "column, row"
        assert not panels[1].texts, "0 and 1, to four digits, are white and black"

    def test_a_picture_is_written_whole_or_not_at_all(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(figure: plt.Figure, file, **options) -> None:
            file.write(b"\x89PNG")
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(plt.Figure, "savefig", fail)
        with pytest.raises(UserError, match="curve.png: No space left"):
            plotting.learning_curve([], tmp_path / "curve.png")
        assert list(tmp_path.iterdir()) == []
