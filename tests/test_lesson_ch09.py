"""The cells of chapter 9's lesson compute what the chapter's model does; what is recorded fits lesson and figures."""

from __future__ import annotations

import math
import re
from pathlib import Path
from statistics import mean
from types import SimpleNamespace

import dynet as dy
import numpy as np
import pytest

from book import blocks
from book.figures import ch09_record
from book.figures.ch09_runs import gated, published_difference, variants
from book.figures.recorded import recorded
from book.lessons import read
from book.lessons.cells import namespace
from chapters.word_attention.model import Reading, WordAttentionModel
from common.evaluation.rouge import ROUGE_KINDS, Rouge
from common.nn.recurrent import HiddenState
from common.nn.source_attention import Memory
from common.text import pairs
from common.text.vocab import Vocabulary
from tests.attention_reference import softmax
from tests.recorded_form import cut_pairs, keys, tiny_record
from tools.significance import critical_value

CHAPTER = "09_word_attention"
PAGE = read(f"chapters/{CHAPTER}/README.md")
LESSON, PART2, PART3 = (namespace("09", part) for part in (1, 2, 3))


def values(expression: dy.Expression) -> np.ndarray:
    return np.array(expression.npvalue()).ravel().astype(float)


def model(variant: str, output_contexts: str = "gated"):
    """The chapter's model with a simple recurrent cell and the matrices of the worked step."""
    settings = {"hidden_size": 2, "cell": "rnn", "variant": variant, "query": "state", "dropout": 0.0}
    if variant == "gates":
        settings["output_contexts"] = output_contexts
    source, target = Vocabulary(LESSON["words"]), Vocabulary(list(LESSON["targets"])[1:])
    model, identity = WordAttentionModel(source, target, **settings), np.eye(2)
    matrices = [(model.decoder.layers[0].W_x, 0.2 * identity), (model.decoder.layers[0].W_h, 0.5 * identity)]
    matrices += [(model.decoder.layers[0].b, np.zeros(2)), *((W, identity) for W in model.decoder.W_c)]
    for score in model.scores:
        matrices += [(score.W_query, identity), (score.W_source, 2 * identity), (score.w, np.array([[2, -2]]))]
    if model.gated:
        gate = (model.W_o, model.U_o, *model.C_o)
        matrices += [(W, factor * identity) for W, factor in zip(gate, (0.5, 1, 1, -1), strict=True)]
    matrices.append((model.W_g, np.hstack([0 * identity, *[identity] * (1 + len(model.scores))])))
    for parameter, matrix in matrices:
        parameter.set_value(matrix)
    return model


def reading(model) -> Reading:
    """What the model has read: <s>."""
    dy.renew_cg()
    return model.read(dy.inputTensor(LESSON["last"][:, None])).at(0)


READINGS = (("rnnsearch", "gated"), ("word", "gated"), ("gates", "gated"), ("gates", "plain"))


@pytest.mark.equation("wu2018", 1, 2, 3, 4, 5, 6)
@pytest.mark.parametrize(("system", "number"), list(zip(READINGS, range(4), strict=True)))
def test_the_step_is_that_of_the_model(system: tuple[str, str], number: int) -> None:
    """Weights, gate, contexts, state and probabilities, with one context, with two, and with both readings of gates."""
    chapter = model(*system)
    word = reading(chapter)
    rows = (LESSON["h"], LESSON["x"])
    memories = [Memory.of(W, dy.inputTensor(m.T), np.array([3])) for W, m in zip(chapter.scores, rows, strict=False)]
    step = chapter.step(memories, [HiddenState(dy.inputTensor(LESSON["state"]))], word)
    for weights, memory in zip(step.weights, rows, strict=False):
        np.testing.assert_allclose(values(weights), LESSON["attention"](memory)[-1], atol=1e-6)
    if chapter.gated:
        np.testing.assert_allclose(values(step.gate), LESSON["o"], atol=1e-6)
        np.testing.assert_allclose([values(context) for context in step.contexts], LESSON["read"], atol=1e-6)
    state, _, probabilities = list(LESSON["steps"].values())[number]
    np.testing.assert_allclose(values(step.layers[-1].hidden), state, atol=1e-6)
    seen = dy.concatenate([word.embedded, step.layers[-1].hidden, *step.for_output])
    scores = LESSON["M"] @ values(dy.affine_transform([chapter.b_g, chapter.W_g, seen]))
    np.testing.assert_allclose(softmax(scores), probabilities, atol=1e-6)


def test_the_gradient_through_the_gate_is_the_one_derived() -> None:
    """The lesson's derivation against DyNet's gradient."""
    chapter = model("gates")
    word, collection = reading(chapter), dy.ParameterCollection()
    contexts = [collection.add_parameters(2, init=dy.NumpyInitializer(context)) for context in LESSON["whole"]]
    gated = chapter.gated_contexts(chapter.gate(word, dy.inputTensor(LESSON["state"]), contexts), contexts)
    slopes = (PART3["g_h"], PART3["g_x"])
    loss = dy.esum([dy.dot_product(c, dy.inputTensor(g)) for c, g in zip(gated, slopes, strict=True)])
    loss.forward()
    loss.backward()
    for context, whole in zip(contexts, (PART3["by_h"], PART3["by_x"]), strict=True):
        np.testing.assert_allclose(context.grad_as_array(), whole, atol=1e-6)


def test_parameters_are_those_of_the_model() -> None:
    runs, size, (state, word) = PART3["runs"], PART3["size"], PART3["added"]
    assert size(128, "word", "state") - size(128, "rnnsearch", "state") == state
    assert size(128, "word") - size(128) == word
    assert size(128, "gates") - size(128, "word") == 4 * 128**2 == PART3["parts"][0, 3]
    assert size(128, "rnnsearch") - size(128, "rnnsearch", "state") == 128**2
    assert (size(128), size(128, "word")) == (PART3["smaller"], PART3["larger"])
    assert size(128, "gates") == runs["gates-word-plain"][0]["parameters"]
    assert size(138) < PART3["larger"] <= PART3["wider"], "no smaller one is as large as the one with word attention"


def test_rouge_by_hand_is_that_of_the_library() -> None:
    texts = [" ".join(PART2[name]) for name in ("reference", "candidate")]
    scores = [Rouge(kind).scorer.score(*texts)[kind] for kind in ROUGE_KINDS]
    m, c, r = PART2["m"], PART2["c"], PART2["r"]
    np.testing.assert_allclose(
        [[s.precision, s.recall, s.fmeasure] for s in scores], np.transpose([m / c, m / r, 2 * m / (c + r)])
    )


PAIR = ("rnnsearch-state", "word-state")
"""The systems of the interval."""


def test_the_interval_by_hand_is_close_to_the_published_one() -> None:
    """The bootstrap over seeds is the t interval of Welch, but for the chance of drawing."""
    row = published_difference(*PAIR, "log perplexity")
    np.testing.assert_allclose(PART3["interval"], [row["low"], row["high"]], atol=0.001)
    assert PART3["logs"].shape == (2, 5)
    np.testing.assert_array_equal(PART3["logs"], LESSON["logs"])
    assert LESSON["row"] == row
    limits = "0.815 and 0.847", "0.779 and 0.800"
    page = read(f"chapters/{CHAPTER}/PART3.md")
    for values, text in zip(PART3["logs"], limits, strict=True):
        assert text == f"{values.min():.3f} and {values.max():.3f}" and text.split(" and ")[1] in page


def test_the_paired_interval_is_students_over_the_differences_by_seed() -> None:
    differences = LESSON["logs"][1] - LESSON["logs"][0]
    np.testing.assert_array_equal(LESSON["by_seed"], differences.round(4))
    half = critical_value(4) * differences.std(ddof=1) / math.sqrt(5)
    expected = differences.mean() + half * np.array([-1, 1])
    np.testing.assert_allclose(LESSON["paired"], expected, atol=1e-4)
    assert "factor is then 12.706." in PAGE and critical_value(1) == pytest.approx(12.706, abs=5e-4)


def test_the_interval_of_bleu_counts_the_luck_of_the_runs_once() -> None:
    """What both kinds of chance make together, but for the chance that drawn seeds and sentences agree."""
    drawn = recorded(CHAPTER)["bootstrap"]["deviations"]["both"]
    assert math.isclose(PART3["error_of_gain"], drawn, abs_tol=0.005)
    half, row = PART3["t_of_gain"] * PART3["error_of_gain"], published_difference(*PAIR, "BLEU")
    np.testing.assert_allclose([PART3["gain"] - half, PART3["gain"] + half], [row["low"], row["high"]], atol=0.005)


def test_differences_of_the_table_are_those_of_the_prose() -> None:
    """The means of BLEU are printed with so many digits that a reader's difference is the one that is claimed."""
    runs = variants()["village_pairs"]["runs"]
    rows = re.findall(r"^\| `(state|word)`[^|]*\|(.*)\|$", PAGE.partition("| query | `rnnsearch` |")[2], re.MULTILINE)
    printed = {query: [float(one) for one in blocks.numbers(row)] for query, row in rows}
    names = ("rnnsearch-{}", "word-{}", "gates-{}-plain", "gates-{}-gated")
    for query, found in printed.items():
        assert found == [round(mean(run["BLEU"] for run in runs[name.format(query)]), 2) for name in names]
    gains = [printed["state"][1] - printed["state"][0], printed["word"][1] - printed["word"][0],
             printed["state"][2] - printed["state"][1], printed["word"][3] - printed["word"][1]]  # fmt: skip
    assert [round(gain, 1) for gain in gains] == [1.5, 1.1, 0.5, -0.8]
    for claimed in ("+1.5 BLEU", "+1.1 with ours", "+0.5 as printed", "harm: −0.8"):
        assert claimed in PAGE


@pytest.mark.slow
def test_what_is_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tiny runs give everything that the figures read, in the same form."""
    cut_pairs(monkeypatch)
    flags = ("--hidden-size", 4, "--epochs", 1)
    found = tiny_record(ch09_record, monkeypatch, tmp_path, *flags, SEEDS=(1, 2), RESAMPLES=20)
    published = recorded(CHAPTER)
    assert keys({"command": "", "settings": published["settings"], **found}, 2) == keys(published, 2)
    for system, told in found["opened"].items():
        assert told.keys() == published["opened"][system].keys()
        assert told["gates"].keys() == published["opened"][system]["gates"].keys()
        assert all(len(row["share"]) == 2 and 0 < row["share"][0] < 1 for row in told["by_kind"].values())
    np.testing.assert_allclose(np.sum(found["sentence"]["attention"], axis=1), 1, atol=1e-4)
    np.testing.assert_allclose(np.sum(found["sentence"]["word_attention"], axis=1), 1, atol=1e-4)
    assert sum(found["bootstrap"]["drawn"]["both"]) == 20
    for name in ("same", "different"):
        assert math.isclose(sum(found["similarity"][name]), 1)


def test_what_was_recorded_is_what_the_lesson_says() -> None:
    """Seeds and BLEU are those of the chapter's comparison; names have less of the word context."""
    found, runs = recorded(CHAPTER), variants()["village_pairs"]["runs"]
    for system, values in found["bootstrap"]["scores"].items():
        np.testing.assert_allclose(values, [run["BLEU"] for run in runs[system]], atol=1e-4)
    row = published_difference(*PAIR, "BLEU")
    np.testing.assert_allclose([found["bootstrap"]["found"], *found["bootstrap"]["interval"]],
                               [row["found"], row["low"], row["high"]], atol=1e-4)  # fmt: skip
    name, sentence, other, where, _ = found["similarity"]["example"][0]
    assert f"> {sentence}\n" in PAGE and f"*{name}*" in PAGE and f"*{other}* in *{where}*" in PAGE
    for system in found["opened"].values():
        shares = {kind: told["share"] for kind, told in system["by_kind"].items()}
        for kind in ("reordering", "choice", "agreement", "idiom", "ambiguity", "case", "local"):
            assert all(name < other for name, other in zip(shares["name"], shares[kind], strict=True)), kind


def test_weights_behind_the_gate() -> None:
    """Each row is the mean over two gates, 0.9 and 0.3, of what the decoder reads of each source word."""
    alpha, beta, gate = np.array([0.25, 0.75]), np.array([0.5, 0.5]), np.array([0.9, 0.3])
    example = {"attention": [alpha], "word_attention": [beta], "gates": [np.mean(1 - gate)]}
    read = [np.outer(gate, alpha).mean(axis=0), np.outer(1 - gate, beta).mean(axis=0)]
    np.testing.assert_allclose(np.concatenate(gated(example)), read)
    assert math.isclose(np.sum(gated(example)), 1)


def test_the_nearest_annotation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two sentences with the words a and b, where the annotation of the second b is nearer to that of a."""
    rows = [("a", 0, [1.0, 0.0]), ("b", 0, [0.0, 1.0]), ("a", 1, [1.0, 0.0]), ("b", 1, [0.8, 0.6])]
    monkeypatch.setattr(ch09_record, "annotations", lambda *_: [(w, n, np.array(v)) for w, n, v in rows])
    sentences = [pairs.Pair(["a", "b"], ["a"]), pairs.Pair(["a", "b"], ["a"])]
    found = ch09_record.similarity(SimpleNamespace(source_vocab={"a", "b"}), sentences)
    assert found["missed"] == {"names": [2, 0.0], "other words": [2, 0.5]}
    assert math.isclose(found["means"]["same"], (1 + 0.6) / 2) and math.isclose(found["means"]["different"], 0.4)
