"""The programs of chapter 7 with encoders that follow trees, and the comparison of searches."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pairs import write_pairs
from tests.programs import Call, Refused, make_call, metrics_of, write_lines

CHAPTER = "07_encoder_decoder"
SMALL = ["--hidden-size", "4", "--epochs", "1", "--batch-size", "16"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("encoders") / "farm", trees=True)


@pytest.mark.slow
@pytest.mark.parametrize("encoder", ["recursive", "treelstm"])
def test_trees_are_followed_in_training_and_translation(
    encoder: str, call: Call, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """What training found is what translate.py finds; the other encoders are in test_every_translation_chapter.py."""
    run = tmp_path / "run"
    call("train", *SMALL, "--encoder", encoder, "--layers", 2, "--corpus", corpus, "--run-dir", run)
    assert encoder in (run / "log.txt").read_text("utf-8")
    capsys.readouterr()
    call("translate", corpus / "test.source", "--run", run, "--trees", corpus / "test.trees")
    assert capsys.readouterr().out == (run / "test.hypotheses.txt").read_text("utf-8")


def test_a_sentence_is_read_with_the_tree_in_its_line(
    call: Call, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """Twice the same words, and words that training does not know: each with its own tree, alone and in an ensemble."""
    run, other = tmp_path / "run", tmp_path / "other"
    flags = [*SMALL, "--init-scale", 1, "--corpus", corpus]  # so large that a tree shows in six decimals
    call("train", *flags, "--encoder", "treelstm", "--run-dir", run)
    call("train", *flags, "--encoder", "reverse", "--run-dir", other)

    def found(lines: list[str], *more: object) -> list[str]:
        bare = [line.replace("(", "").replace(")", "") for line in lines]
        text, trees = write_lines(tmp_path / "text", bare), write_lines(tmp_path / "trees", lines)
        capsys.readouterr()
        call("translate", text, "--run", run, "--nbest", 1, "--trees", trees, *more)
        return [line.partition(" ||| ")[2] for line in capsys.readouterr().out.splitlines()]

    lines = ["((the emu) (sees ox))", "(((the emu) sees) ox)", "((the gnu) (sees ox))", "(the ((gnu sees) ox))"]
    alone = [found([line])[0] for line in lines]
    assert found(lines) == alone and len(set(alone)) == 3, "emu and gnu are both unknown: 0 and 2 are alike"
    assert alone[0] == alone[2]
    joint = found(lines, "--ensemble", other)
    assert len(set(joint)) == 3
    call("translate", tmp_path / "text", "--run", other, "--ensemble", run, "--nbest", 1, "--trees", tmp_path / "trees")
    assert [line.partition(" ||| ")[2] for line in capsys.readouterr().out.splitlines()] == joint
    call("translate", tmp_path / "text", "--run", run, "--nbest", 1)
    out, err = capsys.readouterr()
    balanced = [line.partition(" ||| ")[2] for line in out.splitlines()]
    assert balanced == found(["((the emu) (sees ox))"] * 4) and "no --trees" in err


def test_a_model_that_follows_trees_goes_on_in_another_chapter(
    call: Call, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Chapter 10 reads the trees of its sentences as chapter 7 did, in training, in evaluation, and in translate.py."""
    trees, run = tmp_path / "trees", tmp_path / "run"
    call("train", *SMALL, "--init-scale", 1, "--encoder", "treelstm", "--corpus", corpus, "--run-dir", trees)
    beyond = make_call(monkeypatch, "10_beyond")
    flags = ["--start-from", trees, "--epochs", 1, "--share", 0.5, "--samples", 2, "--corpus", corpus]
    beyond("train", *flags, "--run-dir", run)
    for split in ("dev", "test"):
        before, expected = metrics_of(run)["before"][split], metrics_of(trees)[split]
        assert before["perplexity"] == pytest.approx(expected["perplexity"], rel=1e-6)
    capsys.readouterr()
    beyond("translate", corpus / "test.source", "--run", run, "--trees", corpus / "test.trees")
    assert capsys.readouterr().out == (run / "test.hypotheses.txt").read_text("utf-8")


def test_trees_that_do_not_fit(call: Call, corpus: Path, tmp_path: Path, refused: Refused) -> None:
    """In a translation and in a training; what there may be is in test_trees.py."""
    text, trees = write_lines(tmp_path / "text", ["the hen"]), write_lines(tmp_path / "trees", ["(the hen)", "(a b)"])
    for encoder, complaint in (
        ("recursive", "trees, line 2: a tree without a sentence, 'a b'"),
        ("forward", "this model uses none"),
    ):
        call("train", *SMALL, "--encoder", encoder, "--corpus", corpus, "--run-dir", tmp_path / encoder)
        assert complaint in refused("translate", text, "--trees", trees, "--run", tmp_path / encoder)
    broken = write_pairs(tmp_path / "broken", trees=True)
    write_lines(broken / "dev.trees", ["(the hen)"])
    flags = [*SMALL, "--encoder", "recursive", "--corpus", broken]
    assert "dev.trees, line 1: the words of the tree are not" in refused("train", *flags, "--run-dir", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_searches_are_compared(
    call: Call, refused: Refused, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """The first line is what training found; no other order of one search has more log P; its scores only gain."""
    run = tmp_path / "run"
    call("train", *SMALL, "--init-scale", 1, "--corpus", corpus, "--run-dir", run)
    capsys.readouterr()
    call("compare_search", "--run", run, "--beams", 1, 3)
    head, names, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith("log P of the references: -") and names.split()[:4] == ["beam", "length", "in", "BLEU"]
    cells = [row.split() for row in rows]
    both = [["3", kind, place] for kind in ("normalise", "prior") for place in ("reranking", "search")]
    assert [row[:3] for row in cells] == [["1", "none", "-"], ["3", "none", "-"], *both]
    assert float(cells[0][3]) == pytest.approx(metrics_of(run)["test"]["bleu"], abs=0.006)
    assert all(float(cells[1][5]) >= float(row[5]) for row in cells if row[2] == "reranking")
    gains = [row[7:9] for row in cells if row[2] == "search"]
    assert all(float(gain[1:-1]) >= float(loss[1:-1]) and (gain[0], loss[0]) == ("+", "-") for gain, loss in gains)
    assert float(gains[0][0][1:-1]) > 0
    assert "--beams" in refused("compare_search", "--run", run, "--beams", 0)
