"""What chapter 8's lesson computes and records, beside the course's own functions."""

from __future__ import annotations

from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from book.figures import ch08_record
from book.figures.recorded import record, recorded
from book.lessons.cells import namespace
from common.nn.softmax import tied_logits
from common.nn.source_attention import Memory, MLPScore, Score, attention_weights, context
from common.nn.source_scores import BilinearScore, DotScore
from common.text.pairs import load_pairs
from common.text.vocab import UNKNOWN, Vocabulary
from tests import encoder_models
from tests.attention_models import AttentionalModel
from tests.attention_reference import softmax

LESSON = namespace("08")
ROWS, QUERY = LESSON["h"], LESSON["to_galin"]
COLLECTION = dy.ParameterCollection()
"""It lives as long as the parameters in it are used: DyNet frees them with it."""


def values(expression: dy.Expression) -> np.ndarray:
    return np.array(expression.npvalue(), dtype=float).ravel()


def score(name: str) -> Score:
    """One of the course's scores with the parameters of the lesson."""
    if name == "bilinear":
        made = BilinearScore(COLLECTION, 2, 2, 0.1)
        made.W_a.set_value(LESSON["W_a"])
    elif name == "mlp":
        made = MLPScore(COLLECTION, 2, 2, 2, 0.1)
        for parameter, value in ((made.W_query, np.eye(2)), (made.W_source, np.eye(2)), (made.w, [LESSON["w_a2"]])):
            parameter.set_value(value)
    return DotScore() if name == "dot" else made


@pytest.mark.equation("neubig2017", 72, 74, 75, 77, 78, 79, 80)
@pytest.mark.parametrize(
    ("name", "query", "scores"),
    [
        ("dot", "to_mirena", "mirena_scores"),
        ("dot", "to_galin", "galin_scores"),
        ("bilinear", "to_galin", "bilinear"),
        ("mlp", "to_galin", "mlp"),
    ],
)
def test_the_steps_are_the_courses(name: str, query: str, scores: str) -> None:
    dy.renew_cg()
    memory = Memory.of(score(name), dy.inputTensor(ROWS.T), np.array([3]))
    weights = attention_weights(score(name), memory, dy.inputTensor(LESSON[query]))
    np.testing.assert_allclose(values(weights), softmax(LESSON[scores]), atol=1e-6)
    np.testing.assert_allclose(values(context(memory, weights)), softmax(LESSON[scores]) @ ROWS, atol=1e-6)


@pytest.mark.equation("neubig2017", 76)
def test_the_prediction_is_the_courses() -> None:
    dy.renew_cg()
    matrix = dy.inputTensor(np.hstack([LESSON["for_state"], LESSON["for_context"]]))
    both = dy.inputTensor(np.concatenate([QUERY, LESSON["galin_context"]]))
    logits = tied_logits(matrix, dy.inputTensor(np.zeros(3)), both)
    np.testing.assert_allclose(values(dy.softmax(logits)), LESSON["probs"], atol=1e-6)


def tiny(vocabulary: Vocabulary, sources: Vocabulary, kind: type, **options):
    return kind(sources, vocabulary, hidden_size=4, dropout=0.0, **options)


@pytest.mark.slow
def test_what_is_recorded(tmp_path: Path) -> None:
    """Untrained models give all that the figures read, in the same form, and weights that sum to one."""
    corpus = load_pairs("village_pairs")
    sources, words = (Vocabulary.from_sentences([pair[side] for pair in corpus.train], min_count=2) for side in (0, 1))
    pairs = corpus.test[:40]
    found = [list(pair.target) for pair in pairs]
    found[0] = [UNKNOWN, *found[0][1:]]
    kinds = {"encoder-decoder": encoder_models.EncoderDecoder, "attention": AttentionalModel}
    systems = {name: [ch08_record.System(tiny(words, sources, kind), found)] for name, kind in kinds.items()}
    variants = {name: tiny(words, sources, AttentionalModel) for name in ch08_record.VARIANTS}
    told = ch08_record.measure(systems, variants, pairs)
    published = recorded(ch08_record.CHAPTER)
    assert told.keys() == published.keys() - {"command", "settings"}
    assert told["long"]["weights"].keys() == published["long"]["weights"].keys() == {"default", *ch08_record.VARIANTS}
    for part in ("phenomena", "unknown", "example", "short"):
        assert told[part].keys() <= published[part].keys()
    for rows in (*told["long"]["weights"].values(), *told["short"]["weights"].values()):
        np.testing.assert_allclose(np.sum(rows, axis=1), 1, atol=1e-5)
    unknown = told["unknown"]
    assert unknown["replaced"] == [1] and unknown["none"][0] < 100
    record(ch08_record.CHAPTER, ch08_record.COMMAND, {}, told, tmp_path)
