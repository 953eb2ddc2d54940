"""What models attend to: every prediction is counted once, by distance (chapter 6) or on aligned words (chapter 9)."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from common.search.attending import Shown
from common.text.pairs import Pair
from common.text.vocab import Vocabulary
from tests.attention_models import SOURCES, TARGETS
from tests.attention_reference import context
from tests.programs import make_call
from tests.recorded_form import cut_pairs
from tests.test_analyse import write_part
from tests.word_attention_models import CHAPTER, OUTPUT_CONTEXTS, Twin, make_model
from tools.analyse import __main__ as analyse, attention

LABELS = [["name", "local", "</s>"], ["name", "</s>"]]
HIDDEN = [np.array([[0.5, 0.25, 0.25], [0.125, 0.25, 0.625], [1, 0, 0]]), np.array([[0.25, 0.75], [0, 1]])]
WORDS = [np.array([[0, 1, 0], [0, 0.5, 0.5], [1, 0, 0]]), np.array([[1, 0], [0, 1]])]
GATES = [np.array([0.75, 0.25, 0.5]), np.array([0.5, 0.25])]
LINKS = [{(1, 0), (0, 1), (2, 1)}, {(1, 0)}]


def shown(gates: bool) -> list[Shown]:
    facts = zip(HIDDEN, WORDS, GATES, strict=True)
    return [Shown([], [], hidden, words, gate if gates else None) for hidden, words, gate in facts]


def test_means_by_label() -> None:
    """A word with two aligned words gets the weight of both; `</s>` has none."""
    means = attention.by_label(LABELS, shown(True), LINKS)
    heading, *rows = (line.split() for line in attention.label_table([means]).splitlines())
    assert heading == ["decided", "by", "words", "1", "-", "o", "annotation", "word"]
    assert rows[:2] == [["name", "2", "0.625", "0.500", "0.500"], ["</s>", "2", "0.375"]]
    assert rows[2:] == [["local", "1", "0.250", "0.750", "0.500"]]
    half = {label: (words, *(figure / 2 for figure in figures)) for label, (words, *figures) in means.items()}
    assert attention.label_table([means, half]).splitlines()[1].split()[:5] == ["name", "2", "0.469", "±", "0.221"]
    ungated = attention.by_label(LABELS, shown(False), LINKS)
    assert ["local", "1", "0.750", "0.500"] in [line.split() for line in attention.label_table([ungated]).splitlines()]


@pytest.mark.parametrize("contexts", OUTPUT_CONTEXTS)
def test_elements_of_the_gates_and_norms_are_those_of_the_equations(contexts: str) -> None:
    """Of every prediction and no padding, on contexts as the decoder reads them, whatever the output layer reads."""
    model = make_model(output_contexts=contexts, gate_scale=2.0, layers=1, scale=1.2)
    twin, gates, norms = Twin(model), [], []
    for source, target in zip(SOURCES, TARGETS, strict=True):
        annotations, words, _ = twin.read(source)
        for step in twin.steps(source, [0, *target]):
            gates.extend(step.gate)
            read = 2 * step.gate * context(annotations, step.alpha), 2 * (1 - step.gate) * context(words, step.beta)
            norms.append([np.sqrt(np.sum(vector**2)) for vector in read])
    attended = [
        Pair([model.source_vocab.words[word] for word in source], [model.vocab.words[word] for word in target])
        for source, target in zip(SOURCES, TARGETS, strict=True)
    ]
    o = np.array(gates)
    shares = [np.mean(o < 0.1), np.mean(abs(o - 0.5) <= 0.1), np.mean(o > 0.9)]
    assert min(shares) > 0 and len(set(shares)) == 3, "the test can tell them apart"
    figures = attention.gate_figures(model, attended)
    np.testing.assert_allclose(list(figures.values()), [*shares, *np.mean(norms, axis=0)], rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["gates", "rnnsearch"])
def test_program(
    variant: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run_main: Callable, refuse_main: Callable
) -> None:
    """On headlines, cut down to what trains in a moment."""
    cut_pairs(monkeypatch)
    small = ["--corpus", "village_headlines", "--hidden-size", 4, "--epochs", 1, "--variant", variant]
    make_call(monkeypatch, CHAPTER)("train", *small, "--run-dir", tmp_path / "run")
    command = analyse.main, "--by", "attention", tmp_path / "run", "--corpus", "village_headlines"
    if variant == "rnnsearch":
        assert "does not attend to words" in refuse_main(*command)
        return
    lines = run_main(*command).splitlines()[1:]
    cells, gates = [line.split() for line in lines[:-5]], lines[-5:]
    assert [line.split()[0] for line in gates] == ["elements"] * 3 + ["norm"] * 2
    assert ["</s>", "40"] in [row[:2] for row in cells]
    assert all(0 < float(figure) < 1 for row in cells for figure in row[2:])


# --- by distance

WEIGHTS = np.array([[0, 1, 0.5, 0.2], [0, 0, 0.5, 0.3], [0, 0, 0, 0.5], [0, 0, 0, 0]])
"""A sentence of three words; a column a prediction, the last that of `</s>`."""


def test_shares_of_a_sentence_by_hand() -> None:
    on_groups, states = attention.shares(WEIGHTS)
    shares = dict(zip(attention.GROUPS, on_groups.tolist(), strict=True))
    assert shares.pop("<s>") == pytest.approx(1 + 0.5 + 0.2)
    assert shares.pop("1 back") == pytest.approx(0.5 + 0.5) and shares.pop("2 back") == pytest.approx(0.3)
    assert not any(shares.values())
    last = math.exp(-(0.2 * math.log(0.2) + 0.3 * math.log(0.3) + 0.5 * math.log(0.5)))
    assert states == pytest.approx(1 + 2 + last)


def test_an_even_attention_is_on_all_states() -> None:
    """Its number of states is the number that there are: 1 + 2 + ... + 29; every group has its share."""
    on_groups, states = attention.shares(attention.even(30))
    assert states == pytest.approx(29 * 30 / 2) and on_groups.sum() == pytest.approx(29) and (on_groups > 0).all()
    assert on_groups[0] == pytest.approx(sum(1 / before for before in range(1, 30)))
    assert on_groups[-1] == pytest.approx(1 / 26 + 2 / 27 + 3 / 28 + 4 / 29)


def test_padding_is_left_out() -> None:
    """Two sentences of one batch: the means are over 3 + 1 predictions, whatever the padding has."""
    vocab = Vocabulary(["a", "b"])

    def weights(inputs: np.ndarray) -> np.ndarray:
        of_batch = np.full((4, 4, 2), 9.0)
        for column, first in enumerate(inputs[1]):  # the word after <s>
            if first == vocab.encode(["a"])[0]:
                of_batch[..., column] = WEIGHTS
            else:
                of_batch[:2, :2, column] = [[0, 1], [0, 0]]
        return of_batch

    figures = attention.measure(SimpleNamespace(vocab=vocab, attention=weights), [["a", "b", "a"], ["b"]])
    assert figures["<s>"] == pytest.approx(((1.7 + 1) / 4, (1 + 1 / 2 + 1 / 3 + 1) / 4))
    assert figures["1 back"] == pytest.approx((1 / 4, (1 / 2 + 1 / 3) / 4))
    assert figures["states"][1] == pytest.approx((1 + 2 + 3 + 1) / 4) and "25 or more" not in figures


@pytest.mark.slow
def test_runs_of_chapter_6(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run_main: Callable, refuse_main: Callable
) -> None:
    """The table adds up to one; no attention, one over sentences, and two corpora are each told in a line."""
    small = ["--hidden-size", 8, "--epochs", 1, "--batch-size", 64]
    for name in ("few", "others"):
        write_part(tmp_path / name, "village", train=100, dev=100, test=100)
    for name, corpus, *flags in (
        ("combined", "few"),
        ("none", "few", "--score", "none"),
        ("memory", "few", "--memory-states", 5),
        ("other", "others"),
    ):
        train = make_call(monkeypatch, "06_attentive_lm")
        train("train", *small, "--corpus", tmp_path / corpus, *flags, "--run-dir", tmp_path / name)
    table = run_main(analyse.main, "--by", "distance", tmp_path / "combined")
    rows = [line.rsplit(maxsplit=2)[-2:] for line in table.splitlines()[1:]]
    for column in zip(*rows[:-1], strict=True):
        assert sum(map(float, column)) == pytest.approx(1, abs=0.005)
    assert float(rows[-1][0]) <= float(rows[-1][1])
    for names, message in (
        (("none",), "trained with --score none"),
        (("memory",), "attends to earlier sentences, too"),
        (("combined", "other"), "choose runs on one corpus"),
    ):
        assert message in refuse_main(analyse.main, "--by", "distance", *(tmp_path / name for name in names))
