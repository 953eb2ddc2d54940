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
    invent_sentences,
)
from tools.bench.sides import DyNetSide
from tools.bench.translation_models import (
    Attention,
    EncoderDecoder,
    PairSettings,
    PairWorkload,
    TranslationSide,
    WordAttention,
)
from tools.bench.workloads import Workload, predicted


@pytest.fixture
def no_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no real corpus were installed."""
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)


def test_invented_lengths_resemble_ptb() -> None:
    sentences = invent_sentences(80_000, 10_000, np.random.default_rng(1))
    lengths = np.array([len(sentence) for sentence in sentences])
    assert lengths.mean() == pytest.approx(PTB_MEAN, rel=0.02)
    assert lengths.std() == pytest.approx(PTB_SPREAD, rel=0.03)
    assert lengths.min() >= 1 and lengths.max() <= PTB_LONGEST
    words = np.concatenate([np.array(sentence) for sentence in sentences])
    assert words.min() == 1 and words.max() < 10_000


@pytest.mark.parametrize(
    ("side", "flags"), [(Recurrent, {}), (EncoderDecoder, {"corpus": "village_pairs"})], ids=["words", "pairs"]
)
def test_a_workload_is_fixed_by_the_seed_and_spread_over_the_lengths(
    no_corpora: None, side: type[DyNetSide], flags: dict
) -> None:
    workload, again, other = (
        [predicted(batch) for batch in side.make_workload(side.Settings(batches=6, seed=seed, **flags)).batches]
        for seed in (1, 1, 2)
    )
    for batch, same in zip(workload, again, strict=True):
        assert np.array_equal(batch.inputs, same.inputs) and np.array_equal(batch.mask, same.mask)
    assert not all(map(np.array_equal, [batch.inputs for batch in workload], [batch.inputs for batch in other]))
    times = sorted({len(batch.inputs) for batch in workload})
    assert len(times) > 3
    if side is Recurrent:
        assert times[0] < PTB_MEAN - 8 and times[-1] > PTB_MEAN + 8


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

SENTENCES = Workload([ragged_batch()], "invented")
"""A batch of five sentences, 8 steps."""
PAIRS = PairWorkload([pairs_of((3, 4), (1, 2))], "invented pairs", (WORDS, WORDS))
"""A batch of two pairs: 7 source words, 5 predictions, 3 * 2 + 4 * 3 = 18 looks of a prediction at a word."""
OUTPUT, TIME = 2 * WORDS, 8


@pytest.mark.parametrize(
    ("side", "flags", "products"),
    [
        # 3 embeddings read by 2 units, a second layer
        (FeedForward, {"order": 4, "layers": 2}, 12 + 4 + OUTPUT),
        # in each layer W_x 16 and W_h 16
        (Recurrent, {"layers": 3}, 3 * 32 + OUTPUT),
        # W_x and W_h 32; W_c 4 or 8, W_s 4, W_q 4, v_s 2 or 2T, context 2T
        (Attentive, {"score": "none", "layers": 1}, 32 + OUTPUT + 4),
        (Attentive, {"score": "single", "layers": 1}, 32 + OUTPUT + 8 + 4 + 2 + 2 * TIME),
        (Attentive, {"score": "combined", "layers": 1}, 32 + OUTPUT + 8 + 2 * 4 + 2 * TIME + 2 * TIME),
        # in each block W_q to W_o 4 * 4, scores and contexts 2T each, W_1 and W_2 2 * 12
        (Transformer, {"layers": 2, "heads": 2, "inner_size": 3}, 2 * (16 + 4 * TIME + 24) + OUTPUT),
        # a word costs 4 gates * 2 * (2 + 2) on either side
        (EncoderDecoder, {}, (7 * 32 + 5 * (32 + OUTPUT)) / 5),
        # a source word 2 directions * 4 gates * (2 + 1) and its keys 2 * 2, the bridge 2 * 2 a pair; a target word:
        # decoder 4 gates * 2 * (2 + 2 + 2), query 2 * 2, W_o 2 * 4; a look: score 2, context 2
        (Attention, {}, (7 * (24 + 4) + 2 * 4 + 5 * (48 + 4 + 8 + OUTPUT) + 18 * 4) / 5),
        # a target word: decoder, query, gate where there is one, and W_g
        (WordAttention, {"variant": "rnnsearch"}, (7 * (24 + 4) + 2 * 4 + 5 * (48 + 8 + 12 + OUTPUT) + 18 * 4) / 5),
        (
            WordAttention,
            {"variant": "gates"},
            (7 * (24 + 4 * 2) + 2 * 4 + 5 * (64 + 16 + 16 + 16 + OUTPUT) + 18 * 4 * 2) / 5,
        ),
    ],
)
def test_operations_are_counted_as_by_hand(side: type[DyNetSide], flags: dict, products: float) -> None:
    """Of a token, in the forward pass; the output is 2 * V."""
    of_pairs = issubclass(side, TranslationSide)
    sizes = {"layers": 1} if of_pairs else {"vocabulary": WORDS}
    settings = side.Settings(hidden_size=2, **{**sizes, **flags})
    assert side.flops_per_token(settings, PAIRS if of_pairs else SENTENCES) == pytest.approx(6 * products)
