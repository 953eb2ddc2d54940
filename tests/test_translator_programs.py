"""The translator of chapter 11 in every program that takes a model which translates, called as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from matplotlib.image import imread

from book.explorer.server import label
from book.explorer.shelf import TRANSLATION, Shelf, chapters_to_train
from common import program_of
from common.nn.parameters import DynetParameters
from common.programs.chapters import load_run
from common.text.pairs import load_pairs
from common.text.vocab import UNKNOWN
from common.training.checkpoint import save_parameters
from tests.pairs import write_pairs
from tests.programs import Call, Refused, make_call, metrics_of, write_lines

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


def test_it_translates_with_chapter_8(root: Path, corpus: Path, call: Call, capsys: pytest.CaptureFixture) -> None:
    run, text, outputs = root / CHAPTER / "001", corpus / "test.source", []
    for more in ((), ("--ensemble", root / "08_attention" / "001")):
        capsys.readouterr()
        call("translate", text, "--run", run, "--beam", 3, "--nbest", 1, "--coverage", 0.1, *more)
        outputs.append(capsys.readouterr().out.splitlines())
    assert len(outputs[0]) == len(outputs[1]) and outputs[0] != outputs[1]


def test_unknown_words_are_copied(root: Path, call: Call, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Every word of this model is `<unk>`, so that all words printed are those of the source."""
    run, copy = root / CHAPTER / "001", tmp_path / "copy"
    copy.mkdir()
    for path in run.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    model, _ = load_run(run)
    model.b.set_value([50.0 if word == UNKNOWN else -50.0 for word in model.vocab.words])
    save_parameters(copy / "model.npz", DynetParameters(model), {"model": model.name})
    text = write_lines(tmp_path / "text", ["the wombat sees a goat"])
    capsys.readouterr()
    call("translate", text, "--run", copy, "--replace-unknown", "copy", "--max-length-ratio", 1)
    words = capsys.readouterr().out.split()
    assert len(words) == 15 and set(words) <= {"the", "wombat", "sees", "a", "goat"}


def test_what_it_attends_to_is_drawn(root: Path, call: Call, tmp_path: Path) -> None:
    call(
        "visualize",
        "--split",
        "test",
        "--number",
        2,
        "--pictures",
        1,
        "--run",
        root / CHAPTER / "001",
        "--out",
        tmp_path,
    )
    assert imread(tmp_path / "attention-1.png").std() > 0.02
    page = (tmp_path / "attention.html").read_text("utf-8")
    entries = json.loads(
        page.partition('<script type="application/json"')[2].partition(">")[2].partition("</script>")[0]
    )
    assert len(entries) == 2 and entries[0]["attention"]


def test_programs_refuse_the_runs_of_the_language_model(root: Path, refused: Refused) -> None:
    assert "a run of chapter 08_attention" in refused("translate", "--run", root / "08_attention" / "001")


def test_the_explorer_knows_it(root: Path) -> None:
    (run,) = [run for run in Shelf(root).runs() if run.chapter == CHAPTER]
    assert run.kind == TRANSLATION and run.trained
    assert label(CHAPTER, run.settings) == "11, part 2. A Transformer that translates"
    assert {CHAPTER, "11_transformer"} <= set(chapters_to_train())
    assert load_run(run.folder, CHAPTER)[0].name.startswith("Transformer translator")
