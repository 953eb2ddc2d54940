"""What models attend to: every prediction is counted once, and weights are those on aligned words."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

from common.search.attending import Shown
from common.text import alignment, pairs
from common.text.pairs import Pair
from tests.attention_models import SOURCES, TARGETS
from tests.attention_reference import context
from tests.programs import error_line, make_call
from tests.word_attention_models import CHAPTER, OUTPUT_CONTEXTS, Twin, make_model
from tools.analyse import __main__ as analyse, attention

LABELS = [["name", "local", "</s>"], ["name", "</s>"]]
HIDDEN = [np.array([[0.5, 0.25, 0.25], [0.125, 0.25, 0.625], [1, 0, 0]]), np.array([[0.25, 0.75], [0, 1]])]
WORDS = [np.array([[0, 1, 0], [0, 0.5, 0.5], [1, 0, 0]]), np.array([[1, 0], [0, 1]])]
GATES = [np.array([0.75, 0.25, 0.5]), np.array([0.5, 0.25])]
LINKS = [{(1, 0), (0, 1), (2, 1)}, {(1, 0)}]


def shown(gates: bool) -> list[Shown]:
    told = zip(HIDDEN, WORDS, GATES, strict=True)
    return [Shown([], [], hidden, words, gate if gates else None) for hidden, words, gate in told]


def test_means_by_label() -> None:
    """A word with two aligned words gets the weight of both; `</s>` has none."""
    found = attention.by_label(LABELS, shown(True), LINKS)
    assert found["name"] == (2, 0.625, (0.25 + 0.75) / 2, 0.5)
    assert found["local"] == (1, 0.25, 0.75, 0.5)
    assert found["</s>"][:2] == (2, 0.375) and all(map(math.isnan, found["</s>"][2:]))


def test_table() -> None:
    found = attention.by_label(LABELS, shown(True), LINKS)
    heading, *rows = (line.split() for line in attention.label_table([found]).splitlines())
    assert heading == ["decided", "by", "words", "1", "-", "o", "annotation", "word"]
    assert rows[:2] == [["name", "2", "0.625", "0.500", "0.500"], ["</s>", "2", "0.375"]]
    assert rows[2:] == [["local", "1", "0.250", "0.750", "0.500"]]
    half = {label: (words, *(figure / 2 for figure in figures)) for label, (words, *figures) in found.items()}
    assert attention.label_table([found, half]).splitlines()[1].split()[:5] == ["name", "2", "0.469", "±", "0.221"]
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
            norms.append([np.sqrt(np.sum(one**2)) for one in read])
    given = [
        Pair([model.source_vocab.words[word] for word in source], [model.vocab.words[word] for word in target])
        for source, target in zip(SOURCES, TARGETS, strict=True)
    ]
    o = np.array(gates)
    shares = [np.mean(o < 0.1), np.mean(abs(o - 0.5) <= 0.1), np.mean(o > 0.9)]
    assert min(shares) > 0 and len(set(shares)) == 3, "the test can tell them apart"
    found = attention.gate_figures(model, given)
    np.testing.assert_allclose(list(found.values()), [*shares, *np.mean(norms, axis=0)], rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("variant, flags", [("gates", []), ("gates", ["--preset", "printed"]), ("rnnsearch", [])])
def test_program(
    variant: str, flags: list, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """On headlines, cut down to what trains in a moment."""
    read_pairs, read_alignments = pairs.read_pairs, alignment.read_alignments
    monkeypatch.setattr(alignment, "read_alignments", lambda path, _: read_alignments(path)[:40])
    monkeypatch.setattr(pairs, "read_pairs", lambda folder, split: read_pairs(folder, split)[:40])
    make_call(monkeypatch, CHAPTER)(
        *["train", "--corpus", "village_headlines", "--hidden-size", 4, "--epochs", 1, "--variant", variant],
        *[*flags, "--run-dir", tmp_path / "run"],
    )
    capsys.readouterr()
    monkeypatch.setattr(
        sys, "argv", ["analyse", "--by", "attention", str(tmp_path / "run"), "--corpus", "village_headlines"]
    )
    if variant == "rnnsearch":
        with pytest.raises(SystemExit) as stopped:
            analyse.main()
        assert stopped.value.code == 2 and "does not attend to words" in error_line(capsys.readouterr().err)
        return
    analyse.main()
    lines = capsys.readouterr().out.splitlines()[1:]
    cells, gates = [line.split() for line in lines[:-5]], lines[-5:]
    assert [line.split()[0] for line in gates] == ["elements"] * 3 + ["norm"] * 2
    assert ["</s>", "40"] in [row[:2] for row in cells]
    assert all(0 < float(figure) < 1 for row in cells for figure in row[2:])
