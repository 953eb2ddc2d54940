"""The programs of chapter 9 with every variant: what the tests of every translation chapter leave out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from matplotlib.image import imread

from common.text.pairs import load_pairs
from tests.pairs import write_pairs
from tests.programs import (
    Call,
    Refused,
    leftovers,
    make_call,
    metrics_of,
    write_lines,
)
from tests.word_attention_models import CHAPTER, VARIANTS

SMALL = ["--hidden-size", "6", "--epochs", "2", "--batch-size", "8", "--learning-rate", "0.02"]
KINDS = {variant: ["--variant", variant] for variant in VARIANTS} | {
    "printed": ["--preset", "printed"],
    "scaled": ["--output-contexts", "plain", "--gate-scale", "2", "--gate-bias", "-1"],
}
"""Runs by name, with the flags that make them."""
each_kind = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> dict[str, Path]:
    """A finished run of each of KINDS, and of chapters 7 and 8."""
    folder = tmp_path_factory.mktemp("runs")
    kinds = {kind: (CHAPTER, flags) for kind, flags in KINDS.items()}
    kinds |= {chapter: (chapter, []) for chapter in ("07_encoder_decoder", "08_attention")}
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name, (chapter, flags) in kinds.items():
            make_call(monkeypatch, chapter)("train", *SMALL, *flags, "--corpus", corpus, "--run-dir", folder / name)
    return {name: folder / name for name in kinds}


@pytest.mark.parametrize(
    "others", [["word", "rnnsearch"], ["07_encoder_decoder"], ["08_attention", "word"], ["printed", "scaled"]]
)
def test_variants_and_other_chapters_translate_together(
    others: list[str], call: Call, runs: dict, corpus: Path, capsys: pytest.CaptureFixture
) -> None:
    ensemble = [runs[name] for name in others]
    flags = ["--beam", 2, "--nbest", 1]
    call("translate", corpus / "test.source", "--run", runs["gates"], *flags)
    alone = capsys.readouterr().out.splitlines()
    call("translate", corpus / "test.source", "--run", runs["gates"], "--ensemble", *ensemble, *flags)
    joint = capsys.readouterr().out.splitlines()
    assert len(alone) == len(joint) and alone != joint


@pytest.mark.slow
@each_kind
def test_what_a_model_has_is_drawn(
    kind: str, call: Call, runs: dict, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """Both attentions side by side, and the gates under them; the page knows the same."""
    call("visualize", corpus / "test.source", "--run", runs[kind], "--pictures", 1, "--out", tmp_path)
    picture, page = imread(tmp_path / "attention-1.png"), (tmp_path / "attention.html").read_text("utf-8")
    assert picture.std() > 0.05 and leftovers(tmp_path) == []
    entries = page.partition('<script type="application/json"')[2].partition(">")[2].partition("</script>")[0]
    first = json.loads(entries)[0]
    expected = {"source", "target", "attention", "word_attention", "gates"}
    assert set(first) == expected - {"rnnsearch": {"word_attention", "gates"}, "word": {"gates"}}.get(kind, set())
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_a_corpus_of_summaries(call: Call, tmp_path: Path) -> None:
    """Judged by ROUGE too, whatever the variant."""
    pytest.importorskip("rouge_score")
    corpus = write_pairs(tmp_path / "news")
    write_lines(corpus / "corpus.json", ['{"task": "summarisation"}'])
    call("train", *SMALL, "--corpus", corpus, "--run-dir", tmp_path / "run")
    figures = metrics_of(tmp_path / "run")["test"]
    assert all(0 <= figures[kind] <= 100 for kind in ("rouge1", "rouge2", "rougeL"))


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
