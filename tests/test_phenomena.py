"""Perplexity by phenomenon: every prediction is counted once, under what decides it."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from common.corpus import ROOT, load_corpus
from data.oracle import phenomena, token_log_probs
from tools.phenomena import by_phenomenon


def test_by_hand() -> None:
    labels = [["local", "recall"], ["recall"]]
    log_probs = [np.log([0.5, 0.1, 0.25]), np.log([0.4, 1.0])]
    found = by_phenomenon(labels, log_probs)
    assert {label: words for label, (words, _) in found.items()} == {"local": 3, "recall": 2}
    assert found["local"][1] == pytest.approx((0.5 * 0.25 * 1.0) ** (-1 / 3))
    assert found["recall"][1] == pytest.approx((0.1 * 0.4) ** (-1 / 2))


def test_the_parts_make_up_the_oracle() -> None:
    sentences = load_corpus("village").test[:100]
    log_probs = [np.array(token_log_probs(sentence)) for sentence in sentences]
    found = by_phenomenon([phenomena(sentence) for sentence in sentences], log_probs)
    assert {"local", "selection", "agreement", "recall", "topic", "name"} == found.keys()
    total = math.fsum(words * math.log(perplexity) for words, perplexity in found.values())
    assert total == pytest.approx(-sum(sentence.sum() for sentence in log_probs))
    assert found["recall"][1] < 2 < found["name"][1]


def test_a_run_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tools.phenomena", str(tmp_path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert result.returncode == 2
    assert result.stderr.splitlines()[-1].startswith(f"error: {tmp_path}: no run here")
