"""The generator writes the village corpus again byte for byte, and more of its sentences."""

from __future__ import annotations

import argparse
import tracemalloc
from pathlib import Path

import pytest

from data import generate
from data.__main__ import main
from data.oracle import read_sentences
from tests.programs import run_python

ROOT = Path(__file__).resolve().parents[1]
VILLAGE = ROOT / "data" / "village"
SPLITS = {split: read_sentences(VILLAGE / f"{split}.txt") for split in ("train", "dev", "test")}


def test_generate_writes_the_committed_splits_byte_for_byte(tmp_path):
    done = run_python("-m", "data", "generate", "--out", str(tmp_path), "--text-only")
    assert done.returncode == 0, done.stderr
    for split in SPLITS:
        assert (tmp_path / f"{split}.txt").read_bytes() == (VILLAGE / f"{split}.txt").read_bytes()


def test_generate_gives_more_sentences_from_another_seed(tmp_path, run_main):
    for name, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        run_main(main, "generate", "--out", tmp_path / name, "--sentences", "20", "--seed", seed)
    a, b, c = ((tmp_path / name / "sample.txt").read_text(encoding="utf-8") for name in "abc")
    assert a == b != c
    assert len(a.splitlines()) == 20


def test_more_sentences_than_memory_holds_can_be_written(tmp_path, monkeypatch):
    """20 MB of them are never there together, and none is there where writing them failed."""

    def long_sentences(seed: int):
        for number in range(10_000):
            yield [f"{number:02000}"]

    monkeypatch.setattr(generate, "village_sentences", long_sentences)
    arguments = argparse.Namespace(corpus=None, sentences=10_000, seed=5, out=tmp_path)
    tracemalloc.start()
    generate.generate_sample(arguments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (tmp_path / "sample.txt").stat().st_size == 10_000 * 2001 and peak < 1_000_000
    with pytest.raises(ZeroDivisionError):
        generate.write_sentences(tmp_path / "sample.txt", ([str(1 // number)] for number in (1, 0)))
    assert [path.name for path in tmp_path.iterdir()] == ["sample.txt"]
    assert (tmp_path / "sample.txt").stat().st_size == 10_000 * 2001


def test_no_sentences_is_one_line_and_status_2(tmp_path, refuse_main):
    line = refuse_main(main, "generate", "--out", tmp_path, "--sentences", "0")
    assert line == "error: --sentences 0: must be at least 1" and not list(tmp_path.iterdir())
