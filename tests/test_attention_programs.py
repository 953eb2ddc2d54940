"""The programs of chapter 8: what attention is good for, that is unknown words, and a look at it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from common.programs.chapters import load_run
from common.search.searches import Decoding, translate
from common.search.unknown_words import replace_unknown
from common.text.ibm_model1 import Lexicon
from common.text.pairs import load_pairs
from tests.attention_models import CHAPTER as CHAPTER
from tests.programs import TINY, Call, contents, make_call, make_refused, write_lines

# --- unknown words


@pytest.mark.parametrize("kind", ["copy", "dictionary"])
def test_unknown_words_are_replaced_by_what_was_attended_to(
    kind: str, call: Call, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """By a model that takes all nouns and verbs for unknown words."""
    run = tmp_path / "run"
    call("train", *TINY, "--min-count", 45, "--corpus", corpus, "--run-dir", run)
    sources = [pair.source for pair in load_pairs(str(corpus)).test]
    lexicon = Lexicon.learn(load_pairs(str(corpus)).train) if kind == "dictionary" else None
    found = [best for best, *_ in translate(load_run(run)[0], sources, Decoding())]
    assert sum(best.words.count("<unk>") for best in found) >= len(sources), "there is something to replace"
    pairs = zip(found, sources, strict=True)
    expected = [" ".join(replace_unknown(best, source, lexicon)) for best, source in pairs]
    capsys.readouterr()
    for more in ([], ["--nbest", 1]):
        call("translate", corpus / "test.source", "--run", run, "--replace-unknown", kind, *more)
        lines = capsys.readouterr().out.splitlines()
        assert [line.split(" ||| ")[1] if more else line for line in lines] == expected


def test_models_with_and_without_attention_translate_together(
    call: Call,
    trained: Path,
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture,
) -> None:
    """Whichever comes first; the one that attends tells where unknown words came from, the other one alone does not."""
    other = make_call(monkeypatch, "07_encoder_decoder")
    other("train", *TINY, "--corpus", corpus, "--run-dir", tmp_path / "other")
    capsys.readouterr()
    text, flags = corpus / "test.source", ["--beam", 2, "--nbest", 2, "--replace-unknown", "copy"]
    call("translate", text, "--run", trained, "--ensemble", tmp_path / "other", *flags)
    first = capsys.readouterr().out
    other("translate", text, "--run", tmp_path / "other", "--ensemble", trained, *flags)
    assert capsys.readouterr().out == first
    assert len(first.splitlines()) == 2 * len(load_pairs(str(corpus)).test) and "<unk>" not in first
    refused, before = make_refused(other, capsys), contents(tmp_path / "other")
    for kind in ("copy", "dictionary"):
        line = refused("translate", text, "--run", tmp_path / "other", "--replace-unknown", kind)
        assert f"--replace-unknown {kind}: this model has no attention" in line
    assert contents(tmp_path / "other") == before


# --- pictures


def test_attention_is_drawn(
    call: Call, trained: Path, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """Of what the model finds; and of references with true links, which show in the picture."""
    capsys.readouterr()
    call("visualize", "--run", trained, "--split", "test", "--number", 2, "--pictures", 1, "--out", tmp_path / "own")
    lines = capsys.readouterr().out.splitlines()
    hypotheses = (trained / "test.hypotheses.txt").read_text("utf-8").splitlines()
    assert lines[0].endswith(f"-> {hypotheses[0]}")
    assert not (tmp_path / "own" / "attention-2.png").exists()
    assert hypotheses[1].split()[0] in (tmp_path / "own" / "attention.html").read_text("utf-8")
    references = corpus / "test.target"
    links = write_lines(tmp_path / "links", ["0-0 1-1"] * len(references.read_text("utf-8").splitlines()))
    flags = ["--run", trained, "--split", "test", "--number", 1, "--references", references, "--links", links]
    call("visualize", *flags, "--out", tmp_path / "ringed")
    line = make_refused(call, capsys)("visualize", *flags[:4], "--references", "nowhere", "--out", tmp_path / "none")
    assert "nowhere: no such file" in line and not (tmp_path / "none").exists()
    plain, ringed = (imread(tmp_path / name / "attention-1.png")[..., :3] for name in ("own", "ringed"))
    coloured = [np.ptp(picture, axis=2).max() for picture in (plain, ringed)]
    assert coloured[0] < 0.01 < 0.5 < coloured[1], "the matrix is grey, rings are not"
