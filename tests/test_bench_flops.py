"""The operations that the benchmarks count, of models small enough to count by hand: 2 units."""

from __future__ import annotations

import pytest

from tests.bench_cases import WORDS, pairs_of, ragged_batch
from tools.bench.language_models import Attentive, FeedForward, Recurrent
from tools.bench.translation_models import Attention, EncoderDecoder, PairWorkload, WordAttention
from tools.bench.workloads import Workload


def sentences() -> Workload:
    """A batch of five sentences, 8 steps."""
    return Workload([ragged_batch()], "invented")


def pairs() -> PairWorkload:
    """A batch of two pairs: 7 source words, 5 predictions, 3 * 2 + 4 * 3 = 18 looks of a prediction at a word."""
    return PairWorkload([pairs_of((3, 4), (1, 2))], "invented pairs", (WORDS, WORDS))


def test_feedforward_lm() -> None:
    """10 words: 3 embeddings read by 2 units 12, a second layer 4; the output 20."""
    settings = FeedForward.Settings(order=4, layers=2, hidden_size=2, vocabulary=10)
    assert FeedForward.flops_per_token(settings, sentences()) == pytest.approx(6 * (12 + 4 + 20))


def test_rnn_lm() -> None:
    """10 words: in each layer W_x 16 and W_h 16; the output 20."""
    settings = Recurrent.Settings(layers=3, hidden_size=2, vocabulary=10)
    assert Recurrent.flops_per_token(settings, sentences()) == pytest.approx(6 * (3 * 32 + 20))


def test_attentive_lm() -> None:
    """One layer, 10 words: W_x 16, W_h 16, output 20, W_c 4 or 8, W_s 4, W_q 4, v_s 2 or 2T, context 2T."""
    time = 8
    counts = {"none": 56, "single": 52 + 8 + 4 + 2 + 2 * time, "combined": 52 + 8 + 2 * 4 + 2 * time + 2 * time}
    for score, multiplications in counts.items():
        settings = Attentive.Settings(score=score, layers=1, hidden_size=2, vocabulary=10)
        assert Attentive.flops_per_token(settings, sentences()) == pytest.approx(6 * multiplications)


def test_encoder_decoder() -> None:
    """1 layer: a word costs 4 gates * 2 * (2 + 2) on either side, a target word 2 * V more."""
    products = 7 * 32 + 5 * (32 + 2 * WORDS)
    settings = EncoderDecoder.Settings(layers=1, hidden_size=2)
    assert EncoderDecoder.flops_per_token(settings, pairs()) == pytest.approx(6 * products / 5)


def test_attention() -> None:
    """1 layer: a source word 2 directions * 4 gates * (2 + 1) and its keys 2 * 2, the bridge 2 * 2 a pair.

    A target word: decoder 4 gates * 2 * (2 + 2 + 2), query 2 * 2, W_o 2 * 4, output 2 * V; a look: score 2, context 2.
    """
    products = 7 * (24 + 4) + 2 * 4 + 5 * (48 + 4 + 8 + 2 * WORDS) + 18 * 4
    settings = Attention.Settings(layers=1, hidden_size=2)
    assert Attention.flops_per_token(settings, pairs()) == pytest.approx(6 * products / 5)


@pytest.mark.parametrize(
    ("variant", "attentions", "a_word"), [("rnnsearch", 1, 48 + 8 + 12), ("gates", 2, 64 + 16 + 16 + 16)]
)
def test_word_attention(variant: str, attentions: int, a_word: int) -> None:
    """1 layer: a source word 2 * 4 * (2 + 1) and its keys, the bridge 4; a look 2 + 2.

    a_word: decoder, query, gate where there is one, and W_g; the output is 2 * V more.
    """
    products = 7 * (24 + 4 * attentions) + 2 * 4 + 5 * (a_word + 2 * WORDS) + 18 * 4 * attentions
    settings = WordAttention.Settings(variant=variant, layers=1, hidden_size=2)
    assert WordAttention.flops_per_token(settings, pairs()) == pytest.approx(6 * products / 5)
