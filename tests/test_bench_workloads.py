"""The batches of the benchmarks are like the corpora's that they stand for; generation is greedy search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common.errors import UserError
from common.text.vocab import Vocabulary
from tests.bench_cases import ragged_pairs
from tests.pairs import write_pairs
from tests.table_lm import TableLM
from tools.bench.decoding import decoded_steps
from tools.bench.language_models import PTB_LONGEST, PTB_MEAN, PTB_SPREAD, Recurrent, SentenceSettings, random_sentences
from tools.bench.translation_models import EncoderDecoder, PairSettings
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
    workload, again = (
        Recurrent.make_workload(SentenceSettings(batches=6)),
        Recurrent.make_workload(SentenceSettings(batches=6)),
    )
    for batch, same in zip(workload.batches, again.batches, strict=True):
        assert np.array_equal(batch.inputs, same.inputs) and np.array_equal(batch.mask, same.mask)
    assert workload.predictions == sum(int(batch.mask.sum()) for batch in workload.batches) < workload.positions
    times = sorted(len(batch.inputs) for batch in workload.batches)
    assert times[0] < PTB_MEAN - 8 and times[-1] > PTB_MEAN + 8
    other = Recurrent.make_workload(SentenceSettings(batches=6, seed=2))
    assert any(
        not np.array_equal(first.inputs, second.inputs)
        for first, second in zip(workload.batches, other.batches, strict=True)
    )


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
    assert EncoderDecoder.make_workload(PairSettings(batches=1)).source == "pairs of village_pairs"
    write_pairs(tmp_path / "multi30k")
    workload = EncoderDecoder.make_workload(PairSettings(batches=3))
    assert workload.source == "pairs of multi30k"
    assert sum(batch.source.shape[1] for batch in workload.batches) == 80
    assert (
        EncoderDecoder.make_workload(PairSettings(batches=1, corpus="village_pairs")).source == "pairs of village_pairs"
    )


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
