"""The programs of chapter 9 with every variant: what the tests of every translation chapter leave out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from matplotlib.image import imread

from common.text.pairs import load_pairs
from tests.pairs import write_pairs
from tests.programs import Call, Refused, leftovers, metrics_of, write_lines
from tests.word_attention_models import CHAPTER as CHAPTER, VARIANTS

SMALL = ["--hidden-size", "6", "--epochs", "2", "--batch-size", "8", "--learning-rate", "0.02"]


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_what_a_model_has_is_drawn(
    variant: str, call: Call, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """Both attentions side by side, and the gates under them; the page knows the same."""
    run = tmp_path / "run"
    call("train", *SMALL, "--variant", variant, "--corpus", corpus, "--run-dir", run)
    capsys.readouterr()
    call("visualize", corpus / "test.source", "--run", run, "--pictures", 1, "--out", tmp_path)
    picture, page = imread(tmp_path / "attention-1.png"), (tmp_path / "attention.html").read_text("utf-8")
    assert picture.std() > 0.05 and leftovers(tmp_path) == []
    entries = page.partition('<script type="application/json"')[2].partition(">")[2].partition("</script>")[0]
    first = json.loads(entries)[0]
    expected = {"source", "target", "attention", "word_attention", "gates"}
    assert set(first) == expected - {"rnnsearch": {"word_attention", "gates"}, "word": {"gates"}}.get(variant, set())
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_attention_is_judged_where_the_truth_is_known(call: Call, refused: Refused, tmp_path: Path) -> None:
    aligned = write_pairs(tmp_path / "aligned")
    for split in ("train", "dev", "test"):
        pairs = getattr(load_pairs(str(aligned)), split)
        write_lines(aligned / f"{split}.align", ["0-0" for _ in pairs])
    call("train", *SMALL, "--corpus", aligned, "--run-dir", tmp_path / "run")
    figures = metrics_of(tmp_path / "run")["test"]["alignment"]
    assert 0 <= figures["error_rate_of_aligned_words"] <= figures["error_rate"] <= 1
    write_lines(aligned / "test.align", ["0-99"])
    assert "test.align" in refused("train", *SMALL, "--corpus", aligned, "--run-dir", tmp_path / "other")
    assert not (tmp_path / "other").exists()
