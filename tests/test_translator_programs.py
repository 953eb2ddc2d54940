"""The translator of chapter 11 in every program that takes a model which translates, called as a user calls them."""

from __future__ import annotations

from pathlib import Path

import pytest

from book.explorer.server import label
from book.explorer.shelf import TRANSLATION, Shelf, chapters_to_train
from common import program_of
from common.programs.chapters import load_run
from common.text.pairs import load_pairs
from tests.pairs import write_pairs
from tests.programs import Call, make_call, metrics_of, write_lines

CHAPTER = "11_transformer_pairs"
SMALL = ("--hidden-size", 8, "--epochs", 2, "--batch-size", 8, "--learning-rate", 0.02)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs whose first words are aligned."""
    folder = write_pairs(tmp_path_factory.mktemp("translator") / "farm")
    for split in ("train", "dev", "test"):
        write_lines(folder / f"{split}.align", ["0-0" for _ in getattr(load_pairs(str(folder)), split)])
    return folder


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> Path:
    """The folder of a run of this chapter and of one of chapter 8."""
    root = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patched:
        for chapter in (CHAPTER, "08_attention"):
            make_call(patched, chapter)("train", *SMALL, "--corpus", corpus, "--run-dir", root / chapter / "001")
    return root


def test_the_names_of_its_programs() -> None:
    assert program_of(CHAPTER, "train") == "chapters/11_transformer/train_pairs.py"
    assert program_of(CHAPTER, "translate") == "chapters/11_transformer/translate.py"
    assert program_of("11_transformer", "train") == "chapters/11_transformer/train.py"
    assert program_of("nowhere_pairs", "train") == "chapters/nowhere_pairs/train.py"


def test_the_run_says_what_comes_next(root: Path) -> None:
    log = (root / CHAPTER / "001" / "log.txt").read_text("utf-8")
    assert f"next: python chapters/11_transformer/translate.py --run {root / CHAPTER / '001'}" in log


def test_alignments_are_judged_by_the_head_that_is_shown(root: Path, corpus: Path, call: Call, tmp_path: Path) -> None:
    mean = metrics_of(root / CHAPTER / "001")["test"]["alignment"]["error_rate"]
    call("train", *SMALL, "--corpus", corpus, "--run-dir", tmp_path / "run", "--alignment-head", 3)
    figures = metrics_of(tmp_path / "run")["test"]
    assert figures["alignment"]["error_rate"] != mean
    assert figures["perplexity"] == metrics_of(root / CHAPTER / "001")["test"]["perplexity"], "the same model"
    call("visualize", corpus / "test.source", "--pictures", 1, "--run", tmp_path / "run")
    assert (tmp_path / "run" / "attention-1.png").exists()


def test_the_explorer_knows_it(root: Path) -> None:
    (run,) = [run for run in Shelf(root).runs() if run.chapter == CHAPTER]
    assert run.kind == TRANSLATION and run.trained
    assert label(CHAPTER, run.settings) == "11, part 2. A Transformer that translates"
    assert {CHAPTER, "11_transformer"} <= set(chapters_to_train())
    assert load_run(run.folder, CHAPTER)[0].name.startswith("Transformer translator")
