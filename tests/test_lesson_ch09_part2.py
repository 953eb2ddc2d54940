"""The cells of chapter 9's second part compute what the chapter's models do; what is recorded fits its figures."""

from __future__ import annotations

from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from book.figures import ch09_part2_record as recording, ch09_part2_runs as runs
from book.lessons import read
from book.lessons.cells import namespace
from chapters.word_attention.abs_model import ABS
from chapters.word_attention.ras_model import RASElman
from common.nn.dropout import NO_DROPOUT
from common.nn.encoders import Source
from common.nn.source_attention import attention_weights
from common.nn.source_scores import DotScore
from common.text.vocab import Vocabulary
from tests.programs import metrics_of
from tests.recorded_form import cut_pairs, tiny_record

CHAPTER = "09_word_attention"

LESSON = namespace("09", 2)
SOURCE_WORDS = dict(zip(LESSON["source"], LESSON["x"], strict=True)) | dict(
    zip(LESSON["words"], LESSON["one"], strict=True)
)
SUMMARY_WORDS = {"</s>": (1, 0), "selena": (0, 1), "sells": (-1, -1), "soup": (1, -1), "osan": (0, 1)}
"""Embeddings of summary words, of which the lesson needs the first three."""


def rows(vocab: Vocabulary, vectors: dict) -> np.ndarray:
    """A row for each word of a vocabulary; zeros for those that the lesson has not."""
    return np.array([vectors.get(word, (0, 0)) for word in vocab.words], dtype=float)


def vocabularies() -> tuple[Vocabulary, Vocabulary]:
    return Vocabulary(list(SOURCE_WORDS)), Vocabulary([word for word in SUMMARY_WORDS if word != "</s>"])


def abs_model(encoder: str) -> ABS:
    """The chapter's ABS with the lesson's vectors."""
    source, target = vocabularies()
    smooth = 1 if encoder == "attention" else 2
    model = ABS(source, target, encoder=encoder, hidden_size=2, dropout=0.0, context=2, smooth=smooth)
    model.source_embedding.set_value(rows(source, SOURCE_WORDS))
    model.embedding.set_value(rows(target, SUMMARY_WORDS))
    if encoder == "attention":
        model.encoder.G.set_value(rows(target, SUMMARY_WORDS))
        model.encoder.P.set_value(LESSON["P"])
    model.U[0].set_value(np.hstack([0 * np.eye(2), np.eye(2)]))
    for parameter, name in ((model.V, "V"), (model.W, "W")):
        parameter.set_value(rows(target, dict(zip(LESSON["next_words"], LESSON[name], strict=True))))
    bias = np.zeros(len(target))
    bias[Vocabulary.unknown] = -30.0
    model.b.set_value(bias)
    return model


def step(model: ABS, source: list[str], number: int) -> tuple[np.ndarray, np.ndarray]:
    """Weights and P(next word), in the order of the lesson, after so many words of the headline."""
    written = ["</s>", "</s>", *LESSON["headline"][:number]][-2:]
    words = np.array([model.vocab.ids[word] for word in written]).reshape(2, 1, 1)
    dy.renew_cg()
    memory = model.read(Source.of(model.source_embedding, [model.source_vocab.encode(source)]), NO_DROPOUT)
    logits, weights = model.logits(memory, words, NO_DROPOUT)
    probs = np.exp(dy.log_softmax(logits).npvalue()).ravel()
    return weights.npvalue().ravel(), probs[[model.vocab.ids[word] for word in LESSON["next_words"]]]


@pytest.mark.parametrize("encoder", ["attention", "bag-of-words"])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_steps_of_abs_are_the_chapters(number: int, encoder: str) -> None:
    weights, probs = step(abs_model(encoder), LESSON["source"], number)
    expected = LESSON["p"][:, number] if encoder == "attention" else np.full(5, 0.2)
    np.testing.assert_allclose(weights, expected, atol=1e-6)
    right = LESSON["right"](LESSON["enc" if encoder == "attention" else "bag"])
    word = LESSON["next_words"].index(LESSON["headline"][number])
    assert probs[word] == pytest.approx(right[number], abs=1e-6)


def test_mirrored_sources_are_the_chapters() -> None:
    model = abs_model("attention")
    for words, weights, probs in zip(
        (LESSON["words"], LESSON["words"][::-1]), LESSON["by_abs"], LESSON["P_next"], strict=True
    ):
        actual_weights, actual_probs = step(model, words, 0)
        np.testing.assert_allclose(actual_weights, weights, atol=1e-6)
        np.testing.assert_allclose(actual_probs, probs, atol=1e-6)


def test_weights_by_place_are_those_of_ras() -> None:
    source, target = vocabularies()
    model = RASElman(source, target, hidden_size=2, dropout=0.0, width=3, positions=3)
    model.source_embedding.set_value(rows(source, SOURCE_WORDS))
    model.place_embedding.set_value(LESSON["l"].astype(float))
    model.W_z.set_value(np.hstack([0 * np.eye(2), np.eye(2), 0 * np.eye(2)]))
    model.first[0].set_value(LESSON["h_0"].astype(float))
    for words, weights in zip((LESSON["words"], LESSON["words"][::-1]), LESSON["by_ras"], strict=True):
        dy.renew_cg()
        state = model.encode([model.source_vocab.encode(words)])
        actual = attention_weights(DotScore(), state.memory, state.layer.hidden).npvalue().ravel()
        np.testing.assert_allclose(actual, weights, atol=1e-6)


def test_scores_by_system_are_those_of_the_runs() -> None:
    """Three of rouge for each run; as many runs of each system as were recorded."""
    found = runs.scores()
    assert list(found) == list(runs.NAMES)
    for name, one in runs.recorded()["runs"].items():
        assert found[name].shape == (len(one), 3) and len({run["seed"] for run in one}) == len(one)
        np.testing.assert_allclose(found[name][0], [one[0][kind] for kind in runs.ROUGE])
    for name in runs.AS_PRINTED:
        assert len(found[name]) == 5


def test_the_table_of_results_is_that_of_the_runs() -> None:
    rows, text = list(recording.table(runs.recorded()["runs"])), read(f"chapters/{CHAPTER}/RESULTS.md")
    assert len(rows) == 2 + len(runs.NAMES)
    for row in rows:
        assert row + "\n" in text


def test_what_is_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tiny runs give everything that the figures read, in the same form."""
    cut_pairs(monkeypatch)
    found = tiny_record(recording, monkeypatch, tmp_path, "--hidden-size", 4, "--epochs", 1, SEEDS=(1,))
    published = runs.recorded()
    assert found.keys() == published.keys() - {"command"}
    for name, (entry,) in found["runs"].items():
        assert entry.keys() == published["runs"][name][0].keys()
        assert entry["ROUGE-L"] == metrics_of(tmp_path / f"{name}-1")["test"]["rougeL"]
    assert found["sentence"].keys() == published["sentence"].keys()
    assert found["sentence"]["source"] == published["sentence"]["source"]
    for weights in found["sentence"]["attention"].values():
        assert np.array(weights).shape == (len(found["sentence"]["target"]) + 1, len(found["sentence"]["source"]))
        np.testing.assert_allclose(np.sum(weights, axis=1), 1, atol=1e-4)
