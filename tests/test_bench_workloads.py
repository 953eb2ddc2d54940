"""The batches of the benchmarks are like the corpora's that they stand for; operations are counted as by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common.errors import UserError
from common.text.vocab import Vocabulary
from tests.bench_cases import WORDS, pairs_of, ragged_batch, ragged_pairs
from tests.pairs import write_pairs
from tests.table_lm import TableLM
from tools.bench.decoding import decoded_steps
from tools.bench.language_models import (
    PTB_LONGEST,
    PTB_MEAN,
    PTB_SPREAD,
    Attentive,
    FeedForward,
    Recurrent,
    SentenceSettings,
    Transformer,
    random_sentences,
)
from tools.bench.translation_models import Attention, EncoderDecoder, PairSettings, PairWorkload, WordAttention
from tools.bench.workloads import Workload


@pytest.fixture
def no_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no real corpus were installed."""
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_invented_lengths_resemble_ptb() -> None:
    settings = SentenceSettings(batches=64)
    sentences = random_sentences(settings, np.random.default_rng(1))
    lengths = np.array([len(sentence) for sentence in sentences])
    assert lengths.mean() == pytest.approx(PTB_MEAN, rel=0.02)
    assert lengths.std() == pytest.approx(PTB_SPREAD, rel=0.03)
    assert lengths.min() >= 1 and lengths.max() <= PTB_LONGEST
    words = np.concatenate([np.array(sentence) for sentence in sentences])
    assert words.min() == 1 and words.max() < settings.vocabulary


def test_workload_is_fixed_by_the_seed_and_spread_over_the_lengths(no_corpora: None) -> None:
    workload, again = (Recurrent.make_workload(SentenceSettings(batches=6)) for _ in range(2))
    for batch, same in zip(workload.batches, again.batches, strict=True):
        assert np.array_equal(batch.inputs, same.inputs) and np.array_equal(batch.mask, same.mask)
    assert workload.predictions == sum(int(batch.mask.sum()) for batch in workload.batches) < workload.positions
    times = sorted(len(batch.inputs) for batch in workload.batches)
    assert times[0] < PTB_MEAN - 8 and times[-1] > PTB_MEAN + 8
    other = Recurrent.make_workload(SentenceSettings(batches=6, seed=2))
    assert not all(map(np.array_equal, [b.inputs for b in workload.batches], [b.inputs for b in other.batches]))


def test_workload_reads_an_installed_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    (tmp_path / "ptb").mkdir()
    lines = ["often often often rare", "often seldom", "often seldom"] * 4
    (tmp_path / "ptb" / "train.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    workload = Recurrent.make_workload(SentenceSettings(vocabulary=4, batch_size=4, batches=3))
    assert workload.source == "sentences of PTB"
    assert sorted(len(batch.inputs) for batch in workload.batches) == [3, 3, 5]
    longest = max(workload.batches, key=lambda batch: len(batch.inputs))
    assert longest.targets.T.tolist() == [[2, 2, 2, Vocabulary.unknown, Vocabulary.boundary]] * 4
    with pytest.raises(UserError, match="there are only 3"):
        Recurrent.make_workload(SentenceSettings(vocabulary=4, batch_size=4, batches=4))


@pytest.mark.slow
def test_pairs_of_the_real_corpus_are_read_where_it_is_installed(no_corpora: None, tmp_path: Path) -> None:
    village = "pairs of village_pairs"
    assert EncoderDecoder.make_workload(PairSettings(batches=1)).source == village
    write_pairs(tmp_path / "multi30k")
    workload = EncoderDecoder.make_workload(PairSettings(batches=3))
    assert workload.source == "pairs of multi30k"
    assert sum(batch.source.shape[1] for batch in workload.batches) == 80
    assert EncoderDecoder.make_workload(PairSettings(batches=1, corpus="village_pairs")).source == village


def test_workload_of_pairs_is_fixed_by_the_seed_and_spread_over_the_lengths() -> None:
    settings = PairSettings(batches=6, corpus="village_pairs")
    workload, again = EncoderDecoder.make_workload(settings), EncoderDecoder.make_workload(settings)
    for batch, same in zip(workload.batches, again.batches, strict=True):
        assert (batch.source == same.source).all() and (batch.target.inputs == same.target.inputs).all()
    assert len({batch.target.inputs.shape[0] for batch in workload.batches}) > 3


def test_predictions_of_pairs_are_counted_with_and_without_padding() -> None:
    """Targets of 3, 2, 0, 6 and 6 words, and one more prediction each."""
    workload = Workload([ragged_pairs()], "invented pairs")
    assert (workload.predictions, workload.positions) == (22, 35)


def test_greedy_search_goes_on_after_the_end_of_a_sentence() -> None:
    """From the boundary to word 2, to word 3, to the boundary, and to word 2 again."""
    table = np.full((4, 4), 0.1)
    table[0, 2], table[2, 3], table[3, 0], table[1, 1] = 0.7, 0.7, 0.7, 0.7
    model = TableLM(["two", "three"], table)
    assert decoded_steps(model, model.start(3), 3, 4) == pytest.approx(3 * 4 * np.log(0.7))
    table[3] = [0.4, 0.2, 0.2, 0.2]
    model = TableLM(["two", "three"], table)
    assert decoded_steps(model, model.start(1), 1, 4) == pytest.approx(3 * np.log(0.7) + np.log(0.4))


# --- operations, of models small enough to count by hand: 2 units


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


def test_transformer() -> None:
    """Two blocks, 10 words: W_q to W_o 4 * 4, scores and contexts 2T each, W_1 and W_2 2 * 12; the output 20."""
    settings = Transformer.Settings(layers=2, hidden_size=2, heads=2, inner_size=3, vocabulary=10)
    assert Transformer.flops_per_token(settings, sentences()) == pytest.approx(6 * (2 * (16 + 4 * 8 + 24) + 20))


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
