"""Chapter 1: caches of running text against a plain loop, their tuning, and the program adapt.py."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from common.chapters import chapter_module
from common.evaluation.perplexity import evaluate
from common.programs.chapters import load_run
from tests.ngram_models import CHAPTER, FARM
from tests.programs import Call, Refused, metrics_of, write_lines

running = chapter_module(CHAPTER, "running")
N, V = 200, 6


@pytest.fixture
def text():
    """Random words, with `<s>` read wherever `</s>`, 0, was predicted."""
    rng = np.random.default_rng(3)
    words = rng.integers(V, size=N)
    return running.RunningText(np.append(0, words[:-1]), words, np.log(rng.uniform(0.05, 0.5, N)))


def by_loop(text, t: int, word: int, order: int, window: int) -> float:
    """The share of a word among those that followed the same history lately: NaN if none did."""
    lately = range(max(t - window, 0), t)
    here = [i for i in lately if order == 1 or text.inputs[i] == text.inputs[t]]
    return sum(text.words[i] == word for i in here) / len(here) if here else math.nan


def test_caches_are_mixed_in_one_after_the_other(text) -> None:
    caches = [running.Cache(1, 20, 0.25), running.Cache(2, 50, 0.5)]
    actual = np.exp(running.adapted(text, caches))
    for t in range(N):
        expected = math.exp(text.log_probs[t])
        for cache in caches:
            share = by_loop(text, t, text.words[t], cache.order, cache.window)
            expected = expected if math.isnan(share) else (1 - cache.weight) * expected + cache.weight * share
        assert actual[t] == pytest.approx(expected)
    assert np.array_equal(running.adapted(text, []), text.log_probs)


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2])
def test_tuned_caches_are_the_best(order: int) -> None:
    """Of all windows, and of all weights in steps of a hundredth; the words of the text change every 100 steps."""
    rng = np.random.default_rng(5)
    words = np.concatenate([rng.choice(rng.choice(200, 12), 100) for _ in range(10)])
    text = running.RunningText(np.append(0, words[:-1]), words, np.full(1000, -math.log(200)))
    (actual,) = running.tune(text, [order])
    best = running.adapted(text, [actual]).sum()
    for window in running.WINDOWS:
        for weight in np.linspace(0.01, 0.99, 99):
            assert running.adapted(text, [running.Cache(order, window, weight)]).sum() < best + 0.02
    assert actual.window in (50, 100, 200) and actual.weight > 0.25


def test_the_second_cache_is_tuned_over_the_first(text) -> None:
    first, second = running.tune(text, (1, 2))
    assert [first] == running.tune(text, (1,))
    mixed = text._replace(log_probs=running.adapted(text, [first]))
    assert [second] == running.tune(mixed, (2,)) != running.tune(text, (2,))


# --- the program


@pytest.mark.parametrize("unk", ["uniform", "characters"])
def test_the_program(call: Call, corpus: Path, tmp_path: Path, capsys, unk: str) -> None:
    """Without a cache it finds what training reported; what it scores are the caches that it found best on dev."""
    run = tmp_path / "run"
    call("train", "--corpus", corpus, "--smoothing", "weights-by-mean-count", "--unk", unk, "--run-dir", run)
    capsys.readouterr()
    call("adapt", "--run", run)
    rows = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    figures = metrics_of(run)
    assert rows[0] == ["no", "cache", *(f"{figures[split]['perplexity']:.2f}" for split in ("dev", "test"))]
    names = [" ".join(row[: 1 if row[0] == "both" else 2]) for row in rows]
    assert names == ["no cache", *running.CACHES]
    figures_of = [[float(item) for item in row[len(name.split()) :][:2]] for name, row in zip(names, rows, strict=True)]
    _, best = min(figures_of[1:])
    call("adapt", "--run", run, "--score", corpus / "test.txt")
    output = capsys.readouterr()
    scores = [float(line) for line in output.out.splitlines()]
    on_test = math.exp(-sum(scores) / figures["test"]["predictions"])
    assert on_test == pytest.approx(best, abs=0.006)
    assert f"perplexity {best:.2f}, without a cache {figures['test']['perplexity']:.2f}" in output.err
    model, _ = load_run(run)
    text = chapter_module(CHAPTER, "adapt").Text(model, FARM, unk, "farm")
    assert text.perplexity([]) == pytest.approx(evaluate(model, FARM, unk).perplexity)


def test_an_unknown_word_in_a_closed_vocabulary(call: Call, refused: Refused, tmp_path: Path) -> None:
    for split in ("train", "dev", "test"):
        write_lines(tmp_path / f"{split}.txt", ["a hen sees a hen"] * 3)
    text = write_lines(tmp_path / "wombats.txt", ["a hen", "wombats see a hen"])
    flags = ["--corpus", tmp_path, "--smoothing", "witten-bell", "--unk", "closed", "--min-count", 1]
    call("train", *flags, "--run-dir", tmp_path / "run")
    line = refused("adapt", "--run", tmp_path / "run", "--score", text)
    assert "the input, sentence 2: the word 'wombats' is unknown" in line
