"""`python -m data swap`: the same pairs the other way, with their alignments."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from common.errors import UserError
from common.text.alignment import true_alignments
from common.text.corpus import SPLITS
from common.text.pairs import load_pairs
from data.swap import swap
from tests.pairs import write_pairs
from tests.programs import error_line, run_python, write_lines
from tests.tongues_corpus import write_tongues

FACTS = {"unk": "token", "licence": "free"}
"""What stays true when source and target are exchanged."""


def test_pairs_and_alignments_are_exchanged(tmp_path: Path) -> None:
    folder = write_pairs(tmp_path / "farm")
    (folder / "corpus.json").write_text(json.dumps({"task": "translation", "seed": 3, **FACTS}), "utf-8")
    for split in SPLITS:
        pairs = getattr(load_pairs(str(folder)), split)
        write_lines(folder / f"{split}.align", [f"1-0 0-{len(pair.target) - 1}" for pair in pairs])
    done = run_python("-m", "data", "swap", str(folder), "--out", str(tmp_path / "other"))
    assert done.returncode == 0 and "wrote 111 pairs" in done.stdout, done.stderr
    original, swapped = load_pairs(str(folder)), load_pairs(str(tmp_path / "other"))
    for split in SPLITS:
        assert [(pair.target, pair.source) for pair in getattr(swapped, split)] == [
            *map(tuple, getattr(original, split))
        ]
        ahead, back = true_alignments(original, split), true_alignments(swapped, split)
        assert [{(j, i) for i, j in links} for links in ahead] == back
    assert swapped.oracle("test") is None
    assert swapped.facts["corpus"] == {"task": "translation", "swapped": "farm", **FACTS}
    swap(str(tmp_path / "other"), tmp_path / "again")
    for name in ("train.source", "train.target"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()


def test_an_interrupted_exchange_leaves_no_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs without their corpus.json would be read, and their unknown words cost something else."""
    folder = write_pairs(tmp_path / "farm")

    def interrupt(*rest: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("data.swap.write_json", interrupt)
        swap(str(folder), tmp_path / "new")
    assert not (tmp_path / "new").exists()
    swap(str(folder), tmp_path / "new")
    assert load_pairs(str(tmp_path / "new")).facts["corpus"]["swapped"] == "farm"
    assert [path.name for path in tmp_path.glob(".*")] == []


def test_one_line_for_what_cannot_be_exchanged(tmp_path: Path) -> None:
    folder = write_pairs(tmp_path / "farm")
    command = ["-m", "data", "swap", str(folder), "--out", str(folder)]
    assert "already exists" in error_line(run_python(*command).stderr)
    assert not (folder / "corpus.json").exists()
    (folder / "test.align").write_text("0-99\n", "utf-8")  # the last file that is read
    with pytest.raises(UserError, match="test.align"):
        swap(str(folder), tmp_path / "new")
    news = write_pairs(tmp_path / "news")
    (news / "corpus.json").write_text('{"task": "summarisation"}', "utf-8")
    for corpus in (news, write_tongues(tmp_path / "tongues", train=4, others=2)):
        with pytest.raises(UserError, match="one language into one other"):
            swap(str(corpus), tmp_path / "new")
    assert not (tmp_path / "new").exists(), "nothing is written before all is read"
