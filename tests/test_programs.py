"""The programs of chapter 6, run as a user runs them."""

from __future__ import annotations

import json
import math
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from common.programs.chapters import load_run
from tests.programs import (
    CHAPTER,
    CHAPTERS,
    TINY,
    Call,
    Refused,
    comparable,
    make_call,
    metrics_of,
    run_program,
    run_python,
    write_corpus,
    write_lines,
)


def oracle_of(split: Path, unknown: int = 0) -> dict:
    """A truth as a corpus folder tells it. The perplexities are invented, the number of known words is not."""
    sentences = split.read_text("utf-8").splitlines()
    predictions = sum(len(sentence.split()) + 1 for sentence in sentences)
    return {"perplexity": 4.0, "known_perplexity": 3.5, "known_predictions": predictions - unknown}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """A training from the command line, on a folder whose truth is known: where all is, and what was printed."""
    place = tmp_path_factory.mktemp("programs")
    corpus = write_corpus(place / "farm")
    oracle = {"dev": oracle_of(corpus / "dev.txt"), "test": oracle_of(corpus / "test.txt", unknown=1)}
    (corpus / "oracle.json").write_text(json.dumps(oracle), "utf-8")
    environment = {"COURSE_RUNS": str(place / "runs")}
    result = run_program("train", *TINY, "--corpus", str(corpus), "--accounting", "salton2017", env=environment)
    assert result.returncode == 0, result.stderr
    folder = place / "runs" / CHAPTER / "001"
    return {"run": folder, "corpus": corpus, "stdout": result.stdout, "stderr": result.stderr}


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, trained: dict) -> Call:
    monkeypatch.setenv("COURSE_RUNS", str(trained["run"].parents[1]))
    return make_call(monkeypatch)


def load_model(folder: Path):
    return load_run(folder, CHAPTER)[0]


class TestTrain:
    def test_metrics_say_what_was_measured(self, trained: dict) -> None:
        """Beside what test_every_chapter.py asks of each chapter."""
        metrics = metrics_of(trained["run"])
        assert {"python", "dynet", "numpy"} <= set(metrics["versions"])
        assert [record["epoch"] for record in metrics["epochs"]] == [1, 2]
        with np.load(trained["run"] / "model.npz", allow_pickle=False) as archive:
            assert metrics["parameters"] == sum(archive[name].size for name in archive.files if name != "about")
        for split in ("dev", "test"):
            oracle = [metrics[split][f"oracle_{figure}"] for figure in ("perplexity", "known_perplexity")]
            assert oracle == [4.0, 3.5]
        assert metrics["dev"]["perplexity"] == min(record["dev_perplexity"] for record in metrics["epochs"])
        assert (metrics["dev"]["unknown"], metrics["test"]["unknown"]) == (0, 1)
        assert metrics["test"]["unknown_log_prob"] == pytest.approx(-math.log(10_000_000))

    def test_ends_with_a_table(self, trained: dict) -> None:
        metrics, table = metrics_of(trained["run"]), trained["stdout"].split("\n\n")[1]
        figures = {row[:44].strip(): row[44:].split() for row in table.splitlines()}
        assert figures[""] == ["dev", "test"]
        for split, column in (("dev", 0), ("test", 1)):
            assert figures["perplexity"][column] == f"{metrics[split]['perplexity']:.2f}"
            assert figures["oracle: the best on average over texts"][column] == "4.00"
            assert figures["oracle"][column] == "3.50"
            published = figures["published accounting (Salton et al. 2017)"][column]
            assert published == f"{metrics[split]['salton2017_perplexity']:.2f}"
        gaps = [f"{metrics[split]['perplexity'] / 4 - 1:+.1%}" for split in ("dev", "test")]
        assert re.search(r"gap +" + " +".join(map(re.escape, gaps)), table)
        assert str(trained["run"]) in trained["stdout"]
        assert (trained["run"] / "log.txt").read_text("utf-8") == trained["stdout"]

    @pytest.mark.slow
    def test_the_seed_decides(self, trained: dict, tmp_path: Path, call: Call) -> None:
        flags = [*TINY, "--corpus", trained["corpus"], "--accounting", "salton2017"]
        again = run_program("train", *map(str, flags), "--run-dir", str(tmp_path / "again"))
        assert again.returncode == 0
        call("train", *flags, "--run-dir", tmp_path / "same")
        call("train", *flags, "--run-dir", tmp_path / "other", "--seed", 2)
        assert comparable(tmp_path / "again") == comparable(trained["run"])
        assert comparable(tmp_path / "same") == comparable(trained["run"]), "the tests' own way of calling is no other"
        other, same = comparable(tmp_path / "other"), comparable(trained["run"])
        assert other["epochs"][0]["dev_perplexity"] != same["epochs"][0]["dev_perplexity"]
        assert other["test"]["log_prob"] != same["test"]["log_prob"]

    def test_oracle_with_other_known_words(self, trained: dict, tmp_path: Path, call: Call) -> None:
        """Where the model knows fewer words than the oracle counted, their perplexities do not compare."""
        call("train", *TINY, "--corpus", trained["corpus"], "--epochs", 1, "--min-count", 70, "--run-dir", tmp_path)
        figures = metrics_of(tmp_path)["test"]
        assert figures["unknown"] > 1 and figures["oracle_perplexity"] == 4.0
        assert "oracle_known_perplexity" not in figures


class TestGenerate:
    def test_long_samples_are_cut_and_say_so(self, call: Call, capsys: pytest.CaptureFixture) -> None:
        call("generate", "--number", 20, "--max-words", 2)
        for line in capsys.readouterr().out.splitlines():
            assert len(line.removesuffix(" ...").split()) <= 2
            assert line.endswith(" ...") == (len(line.removesuffix(" ...").split()) == 2)

    def test_unknown_words_cost_what_is_asked(self, call: Call, capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
        text, costs = write_lines(tmp_path / "text.txt", ["the yak sees a yak ."]), {}
        for unk in ("uniform", "token"):
            call("generate", "--score", text, "--unk", unk)
            costs[unk] = float(capsys.readouterr().out)
        assert costs["token"] - costs["uniform"] == pytest.approx(2 * math.log(10_000_000), abs=1e-5)


class TestVisualize:
    def test_given_sentences(self, trained: dict, tmp_path: Path) -> None:
        text = write_lines(tmp_path / "text.txt", ["."])
        flags = ["--sentence", "the hen sees a goat .", "--sentence", "a yak", "--file", str(text)]
        result = run_program("visualize", "--run", str(trained["run"]), *flags, "--out", str(tmp_path / "maps"))
        assert result.returncode == 0, result.stderr
        pictures = sorted((tmp_path / "maps").iterdir())
        assert [path.name for path in pictures] == ["01.png", "02.png", "03.png"]
        assert all(imread(path).ndim == 3 for path in pictures)
        assert "the hen sees a goat ." in result.stdout.splitlines()[0]

    def test_sampled_sentences(self, trained: dict, call: Call, capsys: pytest.CaptureFixture) -> None:
        call("visualize", "--number", 1)
        (line,) = capsys.readouterr().out.splitlines()
        path, words = line.split(": ", 1)
        assert Path(path).parent == trained["run"] / "attention" and imread(path).ndim == 3 and words

    def test_several_runs_side_by_side(
        self, trained: dict, call: Call, capsys: pytest.CaptureFixture, refused: Refused, tmp_path: Path
    ) -> None:
        """A picture is twice as wide with two runs; a run that is given twice, and too many, are refused."""
        second = shutil.copytree(trained["run"], tmp_path / "second")
        two, flags = ("--run", trained["run"], "--run", second), ("--sentence", "the hen sees a goat .", "--out")
        call("visualize", *two, *flags, tmp_path / "both")
        call("visualize", *two[:2], *flags, tmp_path / "one")
        (height, width, _), (of_one, alone, _) = (imread(tmp_path / name / "01.png").shape for name in ("both", "one"))
        assert 0.9 < height / of_one < 1.1 and width > 1.5 * alone
        assert "given twice" in refused("visualize", *two[:2], *two[:2])
        more = [part for number in range(5) for part in ("--run", tmp_path / str(number))]
        assert "--run: give at most 4" in refused("visualize", *more)


@pytest.mark.slow
def test_matplotlib_is_loaded_only_to_draw() -> None:
    """It takes as long as all else that a program loads."""
    names = [f"chapters.{path.parent.name[3:]}.{path.stem}" for path in CHAPTERS.glob("0[245-9]*/*.py")]
    programs = [name for name in names if name.endswith((".train", ".generate", ".translate"))]
    assert len(programs) == 14
    code = f"import importlib, sys; [importlib.import_module(name) for name in {programs}]; print(*sys.modules)"
    loaded = run_python("-c", code, fresh=True).stdout.split()
    assert set(programs) <= set(loaded) and "matplotlib" not in loaded
