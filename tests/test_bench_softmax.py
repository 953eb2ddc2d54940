"""The text that softmaxes are measured on has the distribution that it claims; the benchmark shows what it measured."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tools.zipf_text import END, GROUPS, ZipfText

ROOT = Path(__file__).resolve().parents[1]


def test_probabilities_of_a_word_sum_to_one_after_any_prefix() -> None:
    text = ZipfText(200, seed=3)
    for prefix in ([], [5], [7, 150, 60]):
        probabilities = [np.exp(text.log_probs([*prefix, word])[len(prefix)]) for word in range(2, 200)]
        end = np.exp(text.log_probs(prefix)[-1]) if prefix else 0
        assert sum(probabilities) + end == pytest.approx(1)


def test_text_follows_its_distribution() -> None:
    """Words, pairs of groups and lengths of 6,000 sentences, within five standard deviations."""
    text = ZipfText(200, seed=3)
    sentences = text.sentences(6000, seed=1)
    assert sentences[:100] == text.sentences(6000, seed=1)[:100] != text.sentences(6000, seed=2)[:100]
    total = sum(map(len, sentences))
    assert total == pytest.approx(6000 / END, rel=0.06)
    words = Counter(word for sentence in sentences for word in sentence)
    expected = np.exp(text.unigram())
    assert expected.sum() == pytest.approx(1) and words.keys() <= set(range(2, 200))
    for word in (2, 3, 4, 50, 199):
        share = expected[word]
        assert words[word] / (total + 6000) == pytest.approx(share, abs=0.002 + 0.05 * share)
    assert expected[0] == pytest.approx(6000 / (total + 6000), rel=0.06)
    pairs = np.zeros((GROUPS, GROUPS))
    for sentence in sentences:
        groups = text.group_of[sentence]
        np.add.at(pairs, (groups[:-1], groups[1:]), 1)
    counts = pairs.sum(axis=1, keepdims=True)
    spread = np.sqrt(text.after * (1 - text.after) / np.maximum(counts, 1))
    assert (np.abs(pairs / np.maximum(counts, 1) - text.after) < 5 * spread + 1e-3)[counts[:, 0] > 100].all()


def run_bench(*flags: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tools.bench_softmax", *flags]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120)


def test_program_prints_a_table_and_writes_its_figures(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    flags = ["--vocabularies", "100,150", "--seconds", "0.1", "--rounds", "2", "--test-sentences", "50"]
    result = run_bench(*flags, "--hidden-size", "16", "--json", str(path))
    assert result.returncode == 0, result.stderr
    figures = json.loads(path.read_text(encoding="utf-8"))["vocabularies"]
    assert list(figures) == ["100", "150"]
    for vocabulary in figures.values():
        assert list(vocabulary["softmaxes"]) == ["full", "class", "hierarchical", "sampled", "nce"]
        for one in vocabulary["softmaxes"].values():
            assert 0.9 * vocabulary["truth"] < one["perplexity"] < 1.1 * vocabulary["unigram"]
            assert 0 < one["tokens_per_second"]["min"] <= one["tokens_per_second"]["max"]
            assert f"{one['predictions']:,}" in result.stdout


@pytest.mark.parametrize("flags", [("--vocabularies", "12"), ("--vocabularies", "x"), ("--softmaxes", "soft")])
def test_bad_flags_get_one_line(flags: tuple[str, ...]) -> None:
    result = run_bench(*flags)
    assert result.returncode == 2 and len(result.stderr.splitlines()) == 1 and flags[1] in result.stderr
