"""Chapter 11's visualize.py, called as a user calls it."""

from __future__ import annotations

from pathlib import Path

from matplotlib.image import imread

from tests.programs import Call, Refused

CHAPTER = "11_transformer"


def test_a_map_of_each_sentence(trained: Path, tmp_path: Path, call: Call, capsys) -> None:
    capsys.readouterr()
    sentences = ["the hen sees mira .", "mira waits ."]
    flags = [part for sentence in sentences for part in ("--sentence", sentence)]
    call("visualize", "--run", trained, *flags, "--out", tmp_path)
    assert [line.partition(": ")[2] for line in capsys.readouterr().out.splitlines()] == sentences
    first, second = (imread(tmp_path / f"0{number}.png").shape for number in (1, 2))
    assert first[1] > 1.5 * first[0], "four heads beside each other, two blocks below each other"
    assert second[0] < first[0], "a shorter sentence"


def test_more_heads_than_a_picture_has_room_for(corpus: Path, tmp_path: Path, call: Call, refused: Refused) -> None:
    run = tmp_path / "run"
    size = ("--hidden-size", 72, "--heads", 72, "--layers", 1, "--epochs", 1)
    call("train", *size, "--corpus", corpus, "--run-dir", run)
    assert "has 72 heads, and more than 64 make no readable picture" in refused("visualize", "--run", run)
    assert not (run / "attention").exists()
