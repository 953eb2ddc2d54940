"""What chapter 6's lesson prints and draws: the worked example beside plain arithmetic, and the recorded runs."""

from __future__ import annotations

from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from book.figures import ch06, ch06_evenness_record, ch06_record
from book.figures.ch06 import CHAPTER
from book.figures.recorded import recorded
from book.figures.style import styled
from book.lessons import ROOT
from book.lessons.cells import namespace
from common.files import read_json
from common.nn.attention import combined_scores, contexts, single_scores
from common.text.corpus import load_corpus
from data.oracle import phenomena
from tests.attention_reference import softmax
from tests.programs import edit_settings, write_small_village
from tests.recorded_form import train_tiny
from tools.analyse import evenness
from tools.metrics import spread

LESSON = namespace("06")
STATES, V, W = LESSON["h"], np.ones((1, 2)), np.eye(2)


def course_weights(query: np.ndarray | None) -> np.ndarray:
    """By the course's own functions, the weights of the lesson's three states: (3,)."""
    dy.renew_cg()
    v, W_s, W_q, past = (dy.inputTensor(one) for one in (V, W, 2 * np.eye(2), STATES.T))
    if query is None:
        scores = single_scores(v, W_s, past)
    else:
        scores = combined_scores(v, W_s, W_q, past, dy.inputTensor(query[:, None]))
    return dy.softmax(dy.reshape(scores, (3,))).npvalue()


@pytest.mark.equation("salton2017", 3, 4, 9, 10)
@pytest.mark.parametrize(
    ("name", "query"), [("weights", None), ("after_floran", "floran_brings"), ("after_orlek", "orlek_brings")]
)
def test_the_cells_compute_what_the_course_does(name: str, query: str | None) -> None:
    weights = course_weights(query and LESSON[query])
    np.testing.assert_allclose(LESSON[name], weights, atol=1e-6)
    mean = contexts(dy.inputTensor(STATES.T), dy.inputTensor(weights[:, None])).npvalue().ravel()
    np.testing.assert_allclose(LESSON[name] @ STATES, mean, atol=1e-6)
    assert np.allclose(LESSON["context"], mean, atol=1e-6) == (query is None)


def test_the_gradient_of_a_score_is_its_weight_times_its_advantage() -> None:
    """The derivation of the lesson, against DyNet's gradient and against finite differences."""
    dy.renew_cg()
    parameter = dy.ParameterCollection().add_parameters(3, init=dy.NumpyInitializer(LESSON["scores"]))
    mean = contexts(dy.inputTensor(STATES.T), dy.reshape(dy.softmax(parameter), (3, 1)))
    loss = dy.dot_product(dy.inputTensor(LESSON["g"]), dy.reshape(mean, (2,)))
    loss.scalar_value()
    loss.backward()
    np.testing.assert_allclose(LESSON["slopes"], parameter.grad_as_array(), atol=1e-6)
    for place in range(3):
        moved = [softmax(LESSON["scores"] + h * np.eye(3)[place]) @ STATES @ LESSON["g"] for h in (1e-5, -1e-5)]
        assert np.isclose((moved[0] - moved[1]) / 2e-5, LESSON["slopes"][place], atol=1e-8)


def test_predictions_of_changed_cells_are_right() -> None:
    """What the boxes answer, by the course's own functions."""
    longer = np.vstack([STATES, STATES[0]])
    dy.renew_cg()
    scores = single_scores(*(dy.inputTensor(part) for part in (V, W, longer.T)))
    np.testing.assert_allclose(LESSON["longer"], softmax(scores.npvalue().ravel()), atol=1e-6)
    np.testing.assert_allclose(LESSON["both"], course_weights(np.array([0.9, 0.9])), atol=1e-6)
    scores = np.log(LESSON["settled"])
    for place, slope in enumerate(LESSON["settled_slopes"]):
        moved = [softmax(scores + step * np.eye(3)[place]) @ STATES @ LESSON["g"] for step in (1e-5, -1e-5)]
        assert np.isclose((moved[0] - moved[1]) / 2e-5, slope, atol=1e-8)


def test_returns_are_names_that_the_sentence_has_had() -> None:
    words = ch06_record.SENTENCE.split()
    assert ch06_record.returns(words) == [(8, 6), (10, 10)]
    assert [words[place] for place, _ in ch06_record.returns(words)] == ["floran", "orlek"]
    assert phenomena(words)[8] == phenomena(words)[10] == "recall"


@pytest.mark.slow
def test_what_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiny runs give everything that the figures read, in the same form; weights sum to one and see no future."""
    village = write_small_village(tmp_path / "village")
    flags = ["--epochs", 1, "--hidden-size", 4, "--corpus", village]
    train_tiny(ch06_record, monkeypatch, tmp_path, *flags, SEEDS=(1,))
    for system in ch06_record.SYSTEMS.values():
        edit_settings(tmp_path / system.folder("village", 1).name, corpus="village")  # whose sentences these are
    monkeypatch.setattr(ch06_record, "load_corpus", lambda _: load_corpus(str(village)))
    record = ch06_record.measure(tmp_path)[1]
    published = recorded(CHAPTER)
    assert record.keys() == published.keys() - {"command", "settings"}
    assert record["phenomena"].keys() == published["phenomena"].keys()
    for score, weights in record["attention"].items():
        matrix = np.array(weights)
        np.testing.assert_allclose(matrix.sum(axis=1), [0, *[1] * (len(matrix) - 1)], atol=1e-5)
        assert not np.triu(matrix).any()
        for case in record["attended"][score].values():
            assert np.isclose(sum(case.values()), 1, atol=1e-5)
    even_record = recorded(CHAPTER, ch06_evenness_record.NAME)
    monkeypatch.setattr(ch06_evenness_record, "SEEDS", (1,))
    measured = ch06_evenness_record.measure(tmp_path)[1]
    assert {"command", "settings", *measured} == even_record.keys()
    assert measured["heads"]["single"][0].keys() == even_record["heads"]["single"][0].keys()
    for group, row in measured["runs"]["single"][0].items():
        assert row["predictions"] == even_record["runs"]["single"][0][group]["predictions"]
    shown, kept = ([part["sentence"] for part in whole["examples"].values()] for whole in (measured, even_record))
    assert shown == kept
    assert (
        sum(bucket["returns"] for bucket in published["distances"]) == published["phenomena"]["recall"]["predictions"]
    )


def test_evenness_on_the_page_of_results_is_what_was_recorded() -> None:
    """Every row of the tables of the village, from five runs of each score."""
    record = recorded(CHAPTER, ch06_evenness_record.NAME)
    page = (ROOT / "chapters" / CHAPTER / "RESULTS.md").read_text("utf-8")
    for score in ch06_evenness_record.SCORES:
        runs = record["runs"][score]
        assert len(runs) == 5
        for group in runs[0]:
            cells = [spread([run[group][name] for run in runs], 2) for name in evenness.FIGURES if name != "even"]
            even = f"{runs[0][group]['even']:.2f}"
            row = f"| `{score}`, {group} | {runs[0][group]['predictions']:,} | {' | '.join(cells)} | {even} |"
            assert row.replace("<s>", "`<s>`") in page, row
        for name, row in record["heads"][score][0].items():
            weights = [run[name]["weight"] for run in record["heads"][score]]
            seeds = ", ".join(f"{weight:.2f}" for weight in weights)
            row = f"| `{score}`, {name} | {row['verbs']} | {seeds} | {spread(weights, 2)} | {row['even']:.2f} |"
            assert row in page, row
    for pair, found in record["pairs"].items():
        cells = [spread([one[name] for one in found], 2) for name in ("moved", "correlation")]
        row = f"| {pair.replace(', ', ' and ')} | {len(found)} | {' | '.join(cells)} |"
        assert row in page, row


def test_recall_by_epoch_is_what_the_page_of_results_claims() -> None:
    """Five seeds each; the means of the figure, and the claim, which is computed here once more."""
    best, curves = {}, {}
    for score in ("none", "combined"):
        runs = read_json(ROOT / "chapters" / CHAPTER / "figures" / f"epochs_{score}.json")["runs"]
        assert sorted(run["seed"] for run in runs) == [1, 2, 3, 4, 5] and {run["system"] for run in runs} == {score}
        chosen = [min(run["epochs"], key=lambda epoch: epoch["dev"]["perplexity"])["test"] for run in runs]
        best[score] = {label: np.array([test[label] for test in chosen]) for label in ("perplexity", "recall")}
        curves[score] = np.mean([[epoch["test"]["recall"] for epoch in run["epochs"]] for run in runs], axis=0)
    with styled():
        lines = ch06.recall_by_epoch().axes[0].lines
    for line, score in zip(lines, ("none", "combined"), strict=True):
        np.testing.assert_allclose(line.get_ydata(), curves[score])
    gains = np.log(best["none"]["perplexity"] / best["combined"]["perplexity"])
    page = (ROOT / "chapters" / CHAPTER / "RESULTS.md").read_text("utf-8")
    assert f"{gains.mean():.3f} nats" in page and (gains > 0).all()
    for score in best:
        for values in best[score].values():
            assert f"{values.mean():.2f} ± {values.std(ddof=1):.2f}" in page
