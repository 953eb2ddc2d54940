"""How even attention is, and whether two scores attend alike: by hand, and of runs that a command line names."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from common.text.corpus import load_corpus
from tests.programs import make_call
from tests.test_analyse import write_part
from tests.test_analyse_attention import WEIGHTS
from tools.analyse import __main__ as analyse, evenness
from tools.analyse.attention import even


def random_attention(predictions: int, seed: int) -> np.ndarray:
    """Weights of a sentence, (T, T), a column a prediction: the first has nothing to attend to."""
    rng, weights = np.random.default_rng(seed), np.zeros((predictions, predictions))
    for column in range(1, predictions):
        weights[:column, column] = rng.dirichlet(np.ones(column))
    return weights


def test_figures_of_a_sentence_by_hand() -> None:
    """Its last two predictions, with two states and three; that with one state has no choice."""
    entropy = -(0.2 * math.log(0.2) + 0.3 * math.log(0.3) + 0.5 * math.log(0.5))
    expected = {
        "evenness": (1, entropy / math.log(3)),
        "latest": (0.5, 0.5),
        "<s>": (0.5, 0.2),
        "largest": (0.5, 0.5),
        "even": (0.5, 1 / 3),
        "moved": (0, 0.5 - 1 / 3),
    }
    for name, row in zip(evenness.FIGURES, evenness.figures(WEIGHTS), strict=True):
        assert row == pytest.approx(expected[name]), name


def test_the_figures_of_even_weights() -> None:
    evenly = dict(zip(evenness.FIGURES, evenness.figures(even(20)), strict=True))
    np.testing.assert_allclose(evenly["evenness"], 1)
    np.testing.assert_allclose(evenly["moved"], 0, atol=1e-12)
    for name in ("latest", "<s>", "largest", "even"):
        np.testing.assert_allclose(evenly[name], 1 / np.arange(2, 20))


def test_groups_of_predictions() -> None:
    """Each prediction counts among all, among those with as many states, and with each construction of its sentence."""
    lines = ["the hens of mira clap .".split(), "mira claps .".split(), ["mira"]]
    weights = [random_attention(len(line) + 1, seed) for seed, line in enumerate(lines)]
    measured = evenness.measure(weights, lines, "village")
    counts = {name: group["predictions"] for name, group in measured.items()}
    assert counts == {"all": 7, "nominal modifier": 5, "2 to 3 states": 4, "4 to 7 states": 3}
    first = np.mean([weights[0][:, column].max() for column in range(2, 7)])
    assert measured["nominal modifier"]["largest"] == pytest.approx(first)
    few = [weights[0][1, 2], weights[0][2, 3], weights[1][1, 2], weights[1][2, 3]]
    assert measured["2 to 3 states"]["latest"] == pytest.approx(np.mean(few))


def test_two_attentions_are_compared_over_all_weights() -> None:
    left, right = ([random_attention(n, seed + n) for n in (3, 6, 2)] for seed in (0, 50))
    compared = evenness.compare(left, right)
    shares, scaled = [], [[], []]
    for first, second in zip(left, right, strict=True):
        for n in range(2, len(first)):
            shares.append(sum(max(first[i, n] - second[i, n], 0) for i in range(n)))
            for weights, values in zip((first, second), scaled, strict=True):
                values += [n * weights[i, n] - 1 for i in range(n)]
    a, b = (np.array(values) for values in scaled)
    expected = np.mean(a * b) / np.sqrt(np.mean(a**2) * np.mean(b**2))  # the deviations of a prediction sum to zero
    assert compared == pytest.approx({"moved": np.mean(shares), "correlation": expected})
    assert evenness.compare(left, left) == pytest.approx({"moved": 0, "correlation": 1})


def test_every_two_runs_are_compared_once() -> None:
    runs = [[random_attention(6, seed)] for seed in range(5)]
    names = [name for name, _ in evenness.pairs({"a": runs[:2], "b": runs[2:]})]
    assert names == ["a, a"] + ["a, b"] * 6 + ["b, b"] * 3


def test_the_weight_on_the_noun_that_a_verb_agrees_with() -> None:
    """`are` agrees with `harnesses`, whose state is the third, after that of `<s>`; no clause with `who`."""
    lines = [
        "the harnesses that the old uncle fetches are leather .".split(),
        "the goats of the uncles are restless .".split(),
        "the miller who is bored buys wheat .".split(),
        "mira claps .".split(),
    ]
    weights = [random_attention(len(line) + 1, seed) for seed, line in enumerate(lines)]
    assert evenness.on_heads(weights, lines) == {
        "relative clause": {"verbs": 1, "weight": weights[0][2, 7], "even": pytest.approx(1 / 7)},
        "nominal modifier": {"verbs": 1, "weight": weights[1][2, 5], "even": pytest.approx(1 / 5)},
    }


def test_every_verb_of_the_test_split_is_found() -> None:
    lines = load_corpus("village").test
    weights = [even(len(line) + 1) for line in lines]
    figures = evenness.on_heads(weights, lines)
    assert min(row["verbs"] for row in figures.values()) > 100
    assert all(row["weight"] == pytest.approx(row["even"]) for row in figures.values())


@pytest.mark.slow
def test_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_main: Callable, refuse_main: Callable) -> None:
    """Tables of both scores, on a small corpus that is no village; the record has the same numbers."""
    write_part(tmp_path / "few", "village", train=100, dev=50, test=50)
    train, small = make_call(monkeypatch, "06_attentive_lm"), ["--hidden-size", 8, "--epochs", 1, "--batch-size", 64]
    for name, *flags in (("single", "--score", "single"), ("combined",), ("none", "--score", "none")):
        train("train", *small, "--corpus", tmp_path / "few", *flags, "--run-dir", tmp_path / name)
    systems = [part for name in ("single", "combined") for part in ("--system", name, tmp_path / name)]
    table = run_main(analyse.main, "--by", "evenness", *systems, "--record", tmp_path / "numbers.json")
    record = json.loads((tmp_path / "numbers.json").read_text("utf-8"))
    (pair,) = record["pairs"]["single, combined"]
    assert table.splitlines()[-1].split()[-2:] == [f"{pair['moved']:.3f}", f"{pair['correlation']:.3f}"]
    (of_single,) = record["runs"]["single"]
    assert f"{of_single['all']['evenness']:.3f}" in table and record["heads"] == {}
    assert "trained with --score none" in refuse_main(
        analyse.main, "--by", "evenness", *systems, "--system", "none", tmp_path / "none"
    )
