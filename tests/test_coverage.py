"""What the coverage penalty of search is, and what it changes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from common.search.coverage import coverage_score
from common.search.decoding import Hypothesis
from common.search.length_prior import best_first
from common.search.translation import Decoding, translate
from tests.pairs import write_pairs
from tests.prior_models import KINDS, model_of
from tests.programs import Call, make_call, make_refused, write_lines

CHAPTER = "08_attention"
SMALL = ["--hidden-size", "4", "--epochs", "1", "--batch-size", "16"]


def test_the_score_by_hand() -> None:
    """Three words: looked at for 1.5 steps in all, for 0.5 and for 0.25."""
    attention = np.array([[0.9, 0.1, 0.0], [0.5, 0.25, 0.25], [0.1, 0.15, 0.0]])
    assert coverage_score(attention) == pytest.approx(math.log(0.5) + math.log(0.25))


def test_what_was_never_looked_at_is_the_worst_but_has_a_score() -> None:
    never, hardly = (coverage_score(np.array([[1.0, rest]])) for rest in (0.0, 1e-6))
    assert -math.inf < never < hardly < 0


def test_it_prefers_translations_that_leave_nothing_out() -> None:
    """Half the source costs log 2 times beta, which outweighs 0.3 nats at 0.5 but not at 0.4."""
    whole = Hypothesis(["a", "b"], -2.3, True, np.array([[1.0, 0.0], [0.0, 1.0]]))
    part = Hypothesis(["a"], -2.0, True, np.array([[1.0, 0.5]]))
    for beta, expected in ((0.0, part), (0.4, part), (0.5, whole)):
        assert best_first([whole, part], "none", coverage=beta)[0] is expected
    cut = Hypothesis(["a", "b"], -0.1, False, whole.attention)
    assert best_first([cut, part], "none", coverage=5.0)[0] is part, "what did not end still comes last"
    assert best_first([part, whole], "normalise", coverage=0.1)[0] is whole, "both add up"


def test_a_beam_is_ordered_by_the_sum_of_both() -> None:
    """Of sentences of different lengths side by side: padding is no word that was left out."""
    model, decoding = model_of("position"), Decoding(beam=30, coverage=2.0)
    sources = [["ox", "sees"], ["hen"], ["sees", "ox", "ox"], ["hen", "sees", "ox", "waits", "hen", "sees"]]
    compared = 0
    for source, actual in zip(sources, translate(model, sources, decoding), strict=True):
        key = [
            (hypothesis.finished, hypothesis.log_prob + 2.0 * coverage_score(hypothesis.attention[:, : len(source)]))
            for hypothesis in actual
        ]
        assert key == sorted(key, reverse=True)
        compared += len(key) > 1
    assert compared > 1


@pytest.mark.parametrize("name", KINDS)
def test_it_only_puts_what_was_found_in_another_order(name: str) -> None:
    model, source = model_of(name), [["hen", "sees", "ox"]]
    plain, covered = (translate(model, source, Decoding(beam=4, coverage=beta))[0] for beta in (0.0, 3.0))
    assert sorted(tuple(hypothesis.words) for hypothesis in plain) == sorted(
        tuple(hypothesis.words) for hypothesis in covered
    )


# --- the programs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of chapter 7, which has no attention, and one of chapter 8."""
    folder = tmp_path_factory.mktemp("coverage")
    corpus = write_pairs(folder / "farm")
    with pytest.MonkeyPatch.context() as monkeypatch:
        for chapter in ("07_encoder_decoder", "08_attention"):
            call = make_call(monkeypatch, chapter)
            call("train", *SMALL, "--corpus", corpus, "--run-dir", folder / chapter)
    return folder


def test_translate_orders_by_coverage(call: Call, runs: Path, capsys: pytest.CaptureFixture) -> None:
    text = write_lines(runs / "text", ["the hen sees a goat", "the old duck feeds a grey farmer"])
    outputs = []
    for beta in (0, 20):
        capsys.readouterr()
        call("translate", text, "--run", runs / CHAPTER, "--beam", 4, "--nbest", 4, "--coverage", beta)
        outputs.append(capsys.readouterr().out.splitlines())
    assert outputs[0] != outputs[1] and sorted(outputs[0]) == sorted(outputs[1])


@pytest.mark.parametrize(
    "flags, complaint",
    [
        (["--coverage", "0.2"], "raise --beam"),
        (["--coverage", "-1", "--beam", "2"], "must be a number of 0 or more"),
        (["--coverage", "nan", "--beam", "2"], "must be a finite number"),
    ],
)
def test_flags_that_make_no_sense(
    call: Call, runs: Path, capsys: pytest.CaptureFixture, flags: list, complaint: str
) -> None:
    refused, text = make_refused(call, capsys), write_lines(runs / "text", ["the hen sees a goat"])
    assert complaint in refused("translate", text, "--run", runs / CHAPTER, *flags)


def test_a_model_without_attention_covers_nothing(
    monkeypatch: pytest.MonkeyPatch, runs: Path, capsys: pytest.CaptureFixture
) -> None:
    refused = make_refused(make_call(monkeypatch, "07_encoder_decoder"), capsys)
    text = write_lines(runs / "text", ["the hen sees a goat"])
    flags = ["--run", runs / "07_encoder_decoder", "--beam", 2, "--coverage", 0.2]
    assert "no attention" in refused("translate", text, *flags)
