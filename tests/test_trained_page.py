"""book/trained.md: a trained model in three lines of Python. All that the page shows is run, on small models."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from book.lessons import ROOT
from common.evaluation.perplexity import sentence_log_probs
from common.programs.chapters import load_run
from common.text.vocab import BOUNDARY
from tests.explorer_runs import train_runs

CELLS = re.findall(r"^```python\n(.*?)^```$", (ROOT / "book/trained.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    train_runs(tmp_path / "runs", ("06_attentive_lm", "001", ()), ("08_attention", "001", ()))
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    names: dict = {"print": lambda *shown: printed.append(shown)}
    printed: list[tuple] = []
    for cell in CELLS:
        exec(cell, names)
    (log_probs,), (words, probs), (sampled,), (likely,), (translation, log_prob) = printed
    model, _ = load_run("runs/06_attentive_lm/001")
    sentence = "the hen of mira follows mira .".split()
    np.testing.assert_allclose(log_probs, sentence_log_probs(model, [sentence]), atol=1e-6)
    assert len([line for line in CELLS[0].splitlines() if line]) == 3 and len(log_probs[0]) == len(sentence) + 1
    assert len(words) == 5 and (np.diff(probs) <= 0).all()
    for word, prob in zip(words, probs, strict=True):
        if word != BOUNDARY:
            after = sentence_log_probs(model, [[*sentence[:4], word]])[0][4]
            assert np.exp(after) == pytest.approx(prob, rel=1e-4)
    assert len(sampled) == 3 and all(word in model.vocab for word in likely)
    assert log_prob < 0 and isinstance(translation, list)
