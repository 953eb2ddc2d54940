"""Chapter 4's programs: every softmax can be trained, saved and used, and embeddings can be looked at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from common.chapters import chapter_module
from common.errors import UserError
from common.training.unigram import kept_unigram, load_unigram
from tests.feedforward_models import CHAPTER, UNIGRAM
from tests.programs import Call, Refused, edit_settings, metrics_of

embeddings = chapter_module(CHAPTER, "embeddings")
TINY = ["--hidden-size", "6", "--epochs", "2", "--batch-size", "8", "--samples", "20"]


@pytest.mark.trains
@pytest.mark.parametrize("softmax", ["class", "hierarchical", "sampled", "nce"])
def test_every_softmax_is_trained_saved_and_used(
    softmax: str, call: Call, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """A saved model scores as the trained one did: its classes, its tree and its weights are the same again.

    It learns: with five seeds each softmax took 2 epochs.
    """
    run = tmp_path / "run"
    flags = [*TINY, "--epochs", "10", "--learning-rate", "0.05", "--softmax", softmax]
    call("train", *flags, "--corpus", corpus, "--run-dir", run)
    metrics = metrics_of(run)
    capsys.readouterr()
    call("generate", "--run", run, "--score", corpus / "test.txt")
    scores = [float(line) for line in capsys.readouterr().out.splitlines()]
    figures = metrics["test"]
    assert sum(scores) == pytest.approx(figures["log_prob"], abs=1e-6 * figures["predictions"])
    first, *later = (record["dev_perplexity"] for record in metrics["epochs"])
    assert min(later) < 0.9 * first


@pytest.mark.parametrize("softmax", ["sampled", "nce"])
def test_samples_follow_the_seed_when_a_training_is_resumed(
    softmax: str, call: Call, corpus: Path, tmp_path: Path
) -> None:
    flags = [*TINY, "--corpus", corpus, "--softmax", softmax, "--schedule", "constant"]
    call("train", *flags, "--run-dir", tmp_path / "whole")
    call("train", *flags, "--epochs", 1, "--run-dir", tmp_path / "parts")
    edit_settings(tmp_path / "parts", epochs=2)
    call("train", "--resume", "--run-dir", tmp_path / "parts")
    whole, parts = (metrics_of(tmp_path / name)["test"]["perplexity"] for name in ("whole", "parts"))
    assert whole == parts


def test_the_unigram_is_kept_to_the_last_digit(tmp_path: Path) -> None:
    kept_unigram(tmp_path, len(UNIGRAM), UNIGRAM)
    assert np.array_equal(load_unigram(tmp_path, len(UNIGRAM)), UNIGRAM)


@pytest.mark.parametrize(
    "content", [None, "", "-1\n-2\n", "-1\n" * 6 + "x\n", "-1\n" * 6 + "nan\n", "-1\n" * 6 + "800\n"]
)
def test_a_broken_unigram_is_one_line(content: str | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / "unigram.txt").write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match="train again"):
        load_unigram(tmp_path, 7)


# --- embeddings


def test_nearest_by_hand() -> None:
    vectors = np.array([[1, 0], [0, 0], [3, 0.3], [0, 2], [-1, 0], [1, 1]], dtype=float)
    actual = embeddings.nearest(vectors, 0, range(6), 5)
    assert [word for word, _ in actual] == [2, 5, 1, 3, 4]
    expected = [3 / np.hypot(3, 0.3), np.sqrt(0.5), 0, 0, -1]
    assert [cosine for _, cosine in actual] == pytest.approx(expected)
    assert embeddings.nearest(vectors, 0, [3, 4, 0], 1) == [(3, 0.0)]
    assert embeddings.nearest(vectors, 0, [0], 1) == [], "a language of one word"


def test_the_principal_plane_is_where_the_spread_is() -> None:
    """Points on a tilted plane in five dimensions, with a little noise off it: distances on the plane stay."""
    rng = np.random.default_rng(1)
    plane = rng.normal(size=(40, 2)) * [3, 1]
    directions = np.linalg.qr(rng.normal(size=(5, 2)))[0]
    places, share = embeddings.principal_plane(plane @ directions.T + 7)
    assert share == pytest.approx(1) and places.shape == (40, 2)
    distances = [np.linalg.norm(x[:, None] - x, axis=2) for x in (places, plane)]
    np.testing.assert_allclose(*distances, atol=1e-9)
    assert places[:, 0].var() > places[:, 1].var()
    _, share = embeddings.principal_plane(np.eye(4))
    assert share == pytest.approx(2 / 3), "three equal directions, of which two are shown"
    places, share = embeddings.principal_plane(np.ones((3, 2)))
    assert share == 1 and (places == 0).all(), "words that a model cannot tell apart"
    places, share = embeddings.principal_plane(np.array([[1.0], [3.0]]))
    assert share == 1 and np.abs(places) == pytest.approx(np.array([[1, 0], [1, 0]])), "vectors of one number"


def test_a_word_that_no_font_can_draw_is_no_warning(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    embeddings.draw_map(np.eye(3), {"words": [0, 1, 2]}, ["the", "\x85", "hen"], tmp_path / "map.png")
    assert [str(warning.message) for warning in recwarn] == [] and (tmp_path / "map.png").stat().st_size > 1000


def test_a_word_of_many_letters_has_a_short_label(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    labels: list[str] = []
    axes = embeddings.plt.Axes
    monkeypatch.setattr(axes, "annotate", lambda self, text, *args, **more: labels.append(text))
    embeddings.draw_map(np.eye(3), {"words": [0, 1, 2]}, ["the", "a" * 5000, "hen"], tmp_path / "map.png")
    assert labels[0] == "the" and labels[2] == "hen" and labels[1].startswith("aaa") and len(labels[1]) < 30


def test_share_of_neighbours_by_hand() -> None:
    vectors = np.array([[1, 0], [1, 0.1], [0, 1], [0.1, 1], [1, 0.2]])
    assert embeddings.own_class_share(vectors, {"a": [0, 1], "b": [2, 3, 4]}) == pytest.approx((3 / 5, (2 + 6) / 20))


def test_neighbours_are_listed_and_drawn(
    call: Call, refused: Refused, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    run = tmp_path / "run"
    call("train", *TINY, "--corpus", corpus, "--run-dir", run)
    for side in ("input", "output"):
        capsys.readouterr()
        call("neighbours", "--run", run, "--word", "hen", "--word", "the", "--of", side, "--number", 3)
        lines = capsys.readouterr().out.splitlines()
        assert lines[0].split()[0] == "hen" and lines[1].split()[0] == "the" and len(lines[0].split()) == 7
        assert imread(run / f"words_{side}.png").shape[0] > 100
    capsys.readouterr()
    for flags, complaint in ((["--word", "dragon"], "dragon"), (["--number", "0"], "at least 1")):
        assert complaint in refused("neighbours", "--run", run, *flags)


def test_words_by_default_are_those_that_the_model_knows(
    call: Call, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """A model of the village that knows few of its words."""
    run = tmp_path / "run"
    call("train", *TINY, "--corpus", corpus, "--run-dir", run)
    edit_settings(run, corpus="village")
    capsys.readouterr()
    call("neighbours", "--run", run, "--number", 3)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if "nouns" not in line and "verbs" not in line] == ["mira"]


def test_what_has_no_row_a_word_has_no_output_embeddings(
    call: Call, refused: Refused, corpus: Path, tmp_path: Path
) -> None:
    call("train", *TINY, "--corpus", corpus, "--softmax", "class", "--run-dir", tmp_path / "run")
    assert "--softmax class" in refused("neighbours", "--run", tmp_path / "run", "--of", "output")
