"""What heads are for: a silenced head adds nothing, weights are those of the places, and names follow an exchange."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import dynet as dy
import numpy as np
import pytest

from common.errors import UserError
from common.text.corpus import load_corpus
from common.text.vocab import Vocabulary
from tests.programs import TINY, make_call, write_small_village
from tests.transformer_models import make_model
from tools.analyse import heads

CHAPTER = "11_transformer"
SENTENCES = ["a sees b and a".split(), "b sees a , a sees b".split()]
LABELS = [["name", "local", "name", "local", "recall", "local"], [*["name", "local"] * 2, *["recall", "local"] * 2]]


def test_a_silenced_head_is_one_without_values() -> None:
    """The rows of a head in W_v are the values that it reads. Afterwards the model is what it was."""
    model = make_model(heads=2, layers=2)
    before = model.blocks[1].attention.W_o.as_array()

    def logits() -> np.ndarray:
        dy.renew_cg()
        return model.logits(np.array([[0, 2, 3, 4]]).T).npvalue()

    whole = logits()
    with heads.silenced(model, 1, 0):
        silent = logits()
    np.testing.assert_array_equal(model.blocks[1].attention.W_o.as_array(), before)
    np.testing.assert_allclose(logits(), whole, atol=1e-6)
    values = model.blocks[1].attention.W_v
    without = values.as_array().copy()
    without[: model.blocks[1].attention.head_size] = 0
    values.set_value(without)
    np.testing.assert_allclose(logits(), silent, atol=1e-5)
    assert abs(silent - whole).max() > 1e-3


class Fixed:
    """One block with one head, whose weight on column t is (t + 1) / sum: the later, the more."""

    vocab = Vocabulary("ab")

    def attention(self, inputs: np.ndarray) -> np.ndarray:
        weights = np.triu(np.tile(np.arange(1.0, len(inputs) + 1)[:, None], len(inputs)))
        return (weights / weights.sum(axis=0))[None, None, :, :, None]


def test_mean_weights_by_hand() -> None:
    weights = heads.mean_weights(Fixed(), SENTENCES[:1], LABELS[:1])
    read = range(2, 7)  # words and <s> read at each prediction but the first, of 6
    sums = [sum(range(1, n + 1)) for n in read]
    assert weights["last word"].item() == pytest.approx(np.mean([n / s for n, s in zip(read, sums, strict=True)]))
    before = [(n - 1) / s for n, s in zip(read, sums, strict=True)][1:]  # at the first of them it is <s>
    assert weights["word before"].item() == pytest.approx(np.mean(before))
    assert weights["<s>"].item() == pytest.approx(np.mean([1 / s for s in sums]))
    assert weights["the name"].item() == pytest.approx(2 / 15), "the second a is predicted after <s> a sees b and"


def test_names_after_the_same_word() -> None:
    """In the second sentence a comes back after a comma, and b after a word that was before a."""
    assert heads.after_the_same_word(SENTENCES, LABELS) == (0, 3)
    assert heads.after_the_same_word(["x a y x a".split()], [[*["local"] * 4, "recall", "local"]]) == (1, 1)
    assert heads.after_the_same_word(["a x a".split()], [["name", "local", "recall", "local"]]) == (0, 1), "first word"


@pytest.mark.parametrize(("copies", "share"), [(True, 1), (False, 0)])
def test_what_follows_an_exchange(monkeypatch: pytest.MonkeyPatch, copies: bool, share: float) -> None:
    """A model that expects any word of the sentence again, and one that always expects a and d."""

    def log_probs(model: object, sentences: list[list[str]], unk: str) -> list[np.ndarray]:
        def cost(words: list[str], place: int) -> float:
            return 0.0 if (words[place] in words[:place] if copies else words[place] in "ad") else -1.0

        return [np.array([cost(words, place) for place in range(len(words))]) for words in sentences]

    monkeypatch.setattr(heads, "sentence_log_probs", log_probs)
    sentences = ["a sees a".split(), "d sees d".split()]
    labels = [["name", "local", "recall", "local"]] * 2
    if not copies:
        sentences = [sentences[0], "c sees c".split()]
    result = heads.follows_the_exchange(SimpleNamespace(), sentences, labels)
    assert result == (share if copies else 0.5), "c is exchanged for a in the second sentence, which it expects"


def test_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus, runs = write_small_village(tmp_path / "small"), [tmp_path / "two", tmp_path / "one"]
    for run, number in zip(runs, (2, 1), strict=True):
        flags = [*TINY, "--corpus", corpus, "--heads", number, "--run-dir", run]
        make_call(monkeypatch, CHAPTER)("train", *flags)
    village = load_corpus("village")
    monkeypatch.setattr(heads, "load_corpus", lambda name: SimpleNamespace(test=village.test[:30]))
    with pytest.raises(UserError, match="two: heads are those of a run of chapter 11 on village"):
        heads.by_head(SimpleNamespace(runs=runs))
    monkeypatch.setattr(heads, "VILLAGE", str(corpus))
    lines = heads.by_head(SimpleNamespace(runs=runs)).splitlines()
    first = lines[: lines.index("")]
    assert first[0] == str(runs[0]) and first[1].startswith("without") and first[2].startswith("no head ")
    rows = [line for line in lines if line.startswith("block ")]
    assert [row.count("%") for row in rows] == [4] * len(rows) and lines.count("") == 2
    assert lines[-1].endswith(" names come back after a word that they came after before")
