"""`python -m tools.analyse --by distance`: how far back an attentive language model looks."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from tests.programs import make_call
from tools.analyse import __main__ as analyse, attention

WEIGHTS = np.array([[0, 1, 0.5, 0.2], [0, 0, 0.5, 0.3], [0, 0, 0, 0.5], [0, 0, 0, 0]])
"""A sentence of three words; a column a prediction, the last that of `</s>`."""


def test_shares_of_a_sentence_by_hand() -> None:
    on_groups, states = attention.shares(WEIGHTS)
    found = dict(zip(attention.GROUPS, on_groups.tolist(), strict=True))
    assert found.pop("<s>") == pytest.approx(1 + 0.5 + 0.2)
    assert found.pop("1 back") == pytest.approx(0.5 + 0.5) and found.pop("2 back") == pytest.approx(0.3)
    assert not any(found.values())
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
    lines = [["a", "b", "a"], ["b"]]

    def weights(inputs: np.ndarray) -> np.ndarray:
        found = np.full((4, 4, 2), 9.0)
        for column, first in enumerate(inputs[1]):  # the word after <s>
            found[..., column] = WEIGHTS if first == vocab.encode(["a"])[0] else found[..., column]
            if first == vocab.encode(["b"])[0]:
                found[:2, :2, column] = [[0, 1], [0, 0]]
        return found

    vocab = Vocabulary(["a", "b"])
    found = attention.measure(SimpleNamespace(vocab=vocab, attention=weights), lines)
    assert found["<s>"] == pytest.approx(((1.7 + 1) / 4, (1 + 1 / 2 + 1 / 3 + 1) / 4))
    assert found["1 back"] == pytest.approx((1 / 4, (1 / 2 + 1 / 3) / 4))
    assert found["states"][1] == pytest.approx((1 + 2 + 3 + 1) / 4) and "25 or more" not in found


@pytest.mark.slow
def test_runs_of_the_chapter(tmp_path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """The table adds up to one; no attention, one over sentences, and two corpora are each told in a line."""
    small = ["--hidden-size", 8, "--epochs", 1, "--batch-size", 64]
    for name in ("few", "others"):
        (tmp_path / name).mkdir()
        for split in ("train", "dev", "test"):
            lines = getattr(load_corpus("village"), split)[:100]
            (tmp_path / name / f"{split}.txt").write_text("".join(" ".join(line) + "\n" for line in lines), "utf-8")
    train = make_call(monkeypatch, "06_attentive_lm")
    for name, corpus, *flags in (
        ("combined", "few"),
        ("none", "few", "--score", "none"),
        ("memory", "few", "--memory-states", 5),
        ("other", "others"),
    ):
        train("train", *small, "--corpus", tmp_path / corpus, *flags, "--run-dir", tmp_path / "runs" / name)

    def call(*names: str) -> str:
        monkeypatch.setattr(
            "sys.argv", ["analyse", "--by", "distance", *(str(tmp_path / "runs" / name) for name in names)]
        )
        analyse.main()
        return capsys.readouterr().out

    capsys.readouterr()
    rows = [line.rsplit(maxsplit=2)[-2:] for line in call("combined").splitlines()[1:]]
    for column in zip(*rows[:-1], strict=True):
        assert sum(map(float, column)) == pytest.approx(1, abs=0.005)
    assert float(rows[-1][0]) <= float(rows[-1][1])
    for names, told in (
        (("none",), "trained with --score none"),
        (("memory",), "attends to earlier sentences, too"),
        (("combined", "other"), "choose runs on one corpus"),
    ):
        with pytest.raises(SystemExit):
            call(*names)
        assert told in capsys.readouterr().err
