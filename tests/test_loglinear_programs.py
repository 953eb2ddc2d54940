"""The programs of chapter 2, beyond what every language-model chapter must do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from common.programs.chapters import CHAPTERS
from tests.loglinear_reference import CHAPTER
from tests.programs import Call, Refused, metrics_of, run_python

SMALL = ["--epochs", "2", "--batch-size", "8", "--classes", "5"]


def test_sentences_in_which_nobody_trades(refused: Refused) -> None:
    """additive.py trains on those in which somebody does; of two sentences there was none, and a traceback."""
    assert "none of them is about trade" in refused("additive", "--sentences", 2, "--epochs", 1, "--seed", 1)


@pytest.mark.slow
def test_the_numpy_engine_leaves_dynet_alone(corpus: Path, tmp_path: Path) -> None:
    arguments = [*SMALL, "--corpus", str(corpus), "--run-dir", str(tmp_path / "run")]
    code = (
        f"import runpy, sys; sys.argv = ['train.py', *{arguments!r}]; sys.path.insert(0, {str(CHAPTERS / CHAPTER)!r})\n"
    )
    code += f"runpy.run_path({str(CHAPTERS / CHAPTER / 'train.py')!r}, run_name='__main__')\n"
    code += "sys.exit(f'DyNet was imported' if 'dynet' in sys.modules or '_dynet' in sys.modules else 0)"
    done = run_python("-c", code, fresh=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "metrics.json").exists()


def test_every_feature_and_both_engines_end_alike(call: Call, corpus: Path, tmp_path: Path) -> None:
    """Plain SGD remembers nothing, so the two engines make the same steps."""
    figures = []
    for engine in ("numpy", "dynet"):
        features = "word1,word2,class1,suffix1,bag,pair21,classpair21"
        flags = ["--features", features, "--optimiser", "sgd", "--engine", engine]
        call("train", *SMALL, *flags, "--corpus", corpus, "--run-dir", tmp_path / engine)
        figures.append(metrics_of(tmp_path / engine))
    assert figures[1]["test"]["perplexity"] == pytest.approx(figures[0]["test"]["perplexity"], rel=1e-5)
    assert figures[0]["parameters"] == figures[1]["parameters"]
    classes = (tmp_path / "numpy" / "classes.txt").read_text("utf-8").splitlines()
    words = (tmp_path / "numpy" / "vocab.txt").read_text("utf-8").split()
    assert len(classes) == 5 and sorted(" ".join(line.partition(": ")[2] for line in classes).split()) == sorted(words)


def test_moments_are_not_parameters(call: Call, corpus: Path, tmp_path: Path) -> None:
    call(
        "train", *SMALL, "--features", "word1", "--optimiser", "adam", "--corpus", corpus, "--run-dir", tmp_path / "run"
    )
    size = len((tmp_path / "run" / "vocab.txt").read_text("utf-8").split())
    assert metrics_of(tmp_path / "run")["parameters"] == size * size + size


def test_steps_that_are_all_too_large_are_told(call: Call, corpus: Path, tmp_path: Path, capsys) -> None:
    with pytest.raises(SystemExit):
        call("compare_optimisers", "--corpus", corpus, "--epochs", 2, "--factors", 1e5, "--out", tmp_path / "no.png")
    assert "no run has a dev perplexity that can be drawn" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.slow
def test_optimisers_are_compared(call: Call, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    picture = tmp_path / "optimisers.png"
    call("compare_optimisers", "--corpus", corpus, "--epochs", 2, "--factors", 0.1, 1, "--out", picture)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:-1]]
    assert [row[0] for row in rows] == [kind for kind in ("sgd", "momentum", "adagrad", "adam") for _ in range(2)]
    figures = np.array([[float(value) for value in row[3:]] for row in rows])
    assert figures.shape == (8, 3) and (figures > 1).all() and np.isfinite(figures).all()
    assert imread(picture).shape[2] == 4
