"""How far a model's attention is from true alignments; supervision by true links, or by those of IBM Model 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.chapters import chapter_module
from common.programs.chapters import load_run
from common.text.ibm_model1 import Lexicon
from common.text.pairs import load_pairs
from common.training.alignment_report import attention_figures
from tests.attention_models import CHAPTER
from tests.pairs import write_pairs
from tests.programs import Call, Refused, metrics_of, write_lines
from tests.table_translation import TableTranslation

SMALL = ["--hidden-size", "4", "--epochs", "1", "--batch-size", "16"]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Pairs whose words all stand for the first source word."""
    folder = write_pairs(tmp_path / "farm", train=40)
    for split in ("train", "dev", "test"):
        targets = (folder / f"{split}.target").read_text("utf-8").splitlines()
        write_lines(folder / f"{split}.align", [" ".join(f"0-{j}" for j in range(len(t.split()))) for t in targets])
    return folder


def test_figures_by_hand(tmp_path: Path) -> None:
    """A model that always looks at the last source word. Two of five links are right, one word has no partner.

    1 - 2 * 2 / (5 + 5) = 0.6 of all links; of the four words with an aligned word, 1 - 2 * 2 / (4 + 5).
    """
    lines = {"source": ["a b", "b c a"], "target": ["x y", "x y x"], "align": ["1-0 0-1", "2-0 0-1 1-1"]}
    for split in ("train", "dev", "test"):
        for end, content in lines.items():
            write_lines(tmp_path / f"{split}.{end}", content)
    model = TableTranslation(["a", "b", "c"], ["x", "y"])
    figures = attention_figures(model, load_pairs(str(tmp_path)), "dev")
    assert figures["error_rate"] == pytest.approx(0.6)
    assert figures["error_rate_of_aligned_words"] == pytest.approx(1 - 4 / 9)
    (tmp_path / "dev.align").unlink()
    assert attention_figures(model, load_pairs(str(tmp_path)), "dev") is None


def test_training_reports_them(call: Call, corpus: Path, tmp_path: Path) -> None:
    """Of the best model, on dev and test."""
    run = tmp_path / "run"
    call("train", *SMALL, "--corpus", corpus, "--run-dir", run)
    (model, _), figures = load_run(run), metrics_of(run)
    for split in ("dev", "test"):
        assert figures[split]["alignment"] == pytest.approx(attention_figures(model, load_pairs(str(corpus)), split))
    assert "alignment error rate of the attention" in (run / "log.txt").read_text("utf-8")


@pytest.mark.parametrize("with_links", [True, False])
def test_supervision_by_true_links_or_by_those_of_model_1(
    call: Call, corpus: Path, tmp_path: Path, with_links: bool
) -> None:
    """The log says by which."""
    pairs = load_pairs(str(corpus))
    if not with_links:
        (corpus / "train.align").unlink()
    links, _ = chapter_module(CHAPTER, "objective").training_links(pairs)
    lexicon = Lexicon.learn(pairs.train)
    expected = [
        {(0, j) for j in range(len(pair.target))} if with_links else lexicon.links(*pair) for pair in pairs.train
    ]
    assert links == expected
    call("train", *SMALL, "--supervised", 5, "--epochs", 6, "--corpus", corpus, "--run-dir", tmp_path / "run")
    log = (tmp_path / "run" / "log.txt").read_text("utf-8")
    assert ("supervised by the true alignments" in log, "IBM Model 1" in log) == (with_links, not with_links)
    if with_links:
        assert metrics_of(tmp_path / "run")["test"]["alignment"]["error_rate"] < 0.05, "all on the first word"


def test_bad_alignments_end_before_anything_is_written(corpus: Path, tmp_path: Path, refused: Refused) -> None:
    write_lines(corpus / "test.align", ["0-0", "0-99"])
    assert "test.align" in refused("train", *SMALL, "--corpus", corpus, "--run-dir", tmp_path / "run")
    assert not (tmp_path / "run").exists()
