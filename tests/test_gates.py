"""Where the gates open: every prediction is counted once, and only models with gates are asked."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from tests.programs import error_line, make_call
from tests.word_attention_models import CHAPTER
from tools import gates

LABELS = [["name", "local", "</s>"], ["name", "</s>"]]


def test_means_by_label() -> None:
    found = gates.by_label(LABELS, [np.array([0.75, 0.25, 0.5]), np.array([0.5, 0.25])])
    assert found == {"name": (2, 0.625), "</s>": (2, 0.375), "local": (1, 0.25)}
    assert list(found) == ["name", "</s>", "local"], "the largest first"
    other = {label: (words, gate / 2) for label, (words, gate) in reversed(found.items())}
    heading, *rows = gates.table({"one": found, "two": other}).splitlines()
    assert rows[0].split() == ["name", "2", "0.625", "0.312", "0.469", "0.221"]
    assert rows[-2:] == ["[1] one", "[2] two"]
    assert gates.table({"one": found}).splitlines()[1].split() == ["name", "2", "0.625"]


@pytest.mark.parametrize("variant", ["gates", "word"])
def test_program(variant: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """On headlines, cut down to what trains in a moment; `</s>` has as many rows as there are pairs."""
    from common import pairs

    read = pairs.read_pairs
    monkeypatch.setattr(pairs, "read_pairs", lambda folder, split: read(folder, split)[:40])
    make_call(monkeypatch, CHAPTER)(
        *["train", "--corpus", "village_headlines", "--hidden-size", 4, "--epochs", 1, "--variant", variant],
        *["--run-dir", tmp_path / "run"],
    )
    capsys.readouterr()
    monkeypatch.setattr(sys, "argv", ["gates", str(tmp_path / "run"), "--corpus", "village_headlines"])
    if variant == "gates":
        gates.main()
        cells = [line.split() for line in capsys.readouterr().out.splitlines()[1:-1]]
        assert ["</s>", "40"] in [row[:2] for row in cells]
        assert all(0 < float(row[2]) < 1 for row in cells)
        return
    with pytest.raises(SystemExit) as stopped:
        gates.main()
    assert stopped.value.code == 2 and "has no gates" in error_line(capsys.readouterr().err)
