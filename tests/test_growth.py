"""How the cost of training grows: the points are those asked for, in turn, and their tokens are counted right."""

from __future__ import annotations

import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from common.errors import UserError
from data.generate import village_sentences
from tests.programs import error_line, run_python
from tools import growth, growth_corpus, growth_models
from tools.bench import attentive_lm
from tools.bench.rounds import Peak
from tools.bench.sides import even_places
from tools.growth_models import Point, in_new_process, sentences_by_length
from tools.growth_report import draw, show

SMALL = "--sentences 40,400 --batch-sizes 1,3 --hidden-sizes 8,16 --batches 1000 --seconds 0.01 --rounds 1".split()
SEED = 5


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    """One run of all curves where no real corpus is installed: the folder with its files, and what it printed."""
    folder = tmp_path_factory.mktemp("growth")
    (folder / "temporary").mkdir()
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(folder / "temporary")) | {"COURSE_DATA": str(folder)}
    files = ["--json", str(folder / "growth.json"), "--png", str(folder / "growth.png")]
    result = run_python("-m", "tools.growth", *SMALL, "--seed", str(SEED), *files, env=places)
    assert result.returncode == 0, result.stderr
    yield folder, result.stdout


@pytest.fixture
def result(program: tuple[Path, str]) -> dict:
    return json.loads((program[0] / "growth.json").read_text("utf-8"))


def test_points_come_in_order_with_finite_figures(result: dict) -> None:
    points = {name: curve["points"] for name, curve in result["curves"].items()}
    assert list(points) == ["corpus", "batch", "hidden"]
    assert [point["sentences"] for point in points["corpus"]] == [40, 400]
    assert [(point["batch_size"], point["hidden_size"]) for point in points["batch"]] == [(1, 256), (3, 256)]
    assert [(point["batch_size"], point["hidden_size"]) for point in points["hidden"]] == [(32, 8), (32, 16)]
    for point in [point for curve in points.values() for point in curve]:
        spreads = [value for value in [*point.values(), *point["seconds"].values()] if isinstance(value, dict)]
        for spread in [spread for spread in spreads if "rounds" in spread]:
            assert len(spread["rounds"]) == 1 and 0 < spread["min"] <= spread["median"] <= spread["max"] < math.inf
        assert point["tokens_per_second"]["max"] < 1e7


def test_corpora_are_drawn_from_the_grammar_and_counted_right(result: dict) -> None:
    for point in result["curves"]["corpus"]["points"]:
        drawn = list(islice(village_sentences(SEED), point["sentences"]))
        words = Counter(word for sentence in drawn for word in sentence)
        assert point["predictions"] == point["trained"] == sum(words.values()) + len(drawn)
        assert point["vocabulary"] == 2 + sum(count > 1 for count in words.values())
        stages = [point["seconds"][stage]["rounds"] for stage in ("read", "count", "encode", "bias", "batches")]
        assert np.sum(stages, axis=0) == pytest.approx(point["seconds"]["before"]["rounds"])
        seconds = np.array(point["seconds"]["training"]["rounds"])
        assert seconds * point["tokens_per_second"]["rounds"] == pytest.approx(point["trained"])


def test_operations_and_their_share_follow_from_the_tokens(result: dict) -> None:
    """Of 2 layers, single score, 10,000 words: multiplications for a token without those that depend on its place."""
    for name in ("batch", "hidden"):
        curve = result["curves"][name]
        gflops = [one for point in curve["points"] for one in point["gflops_per_thread"]["rounds"]]
        shares = [one for point in curve["points"] for one in point["share_of_product"]["rounds"]]
        products = curve["product_gflops_per_thread"]["rounds"]
        assert np.array(shares) * products == pytest.approx(gflops)
        for point in curve["points"]:
            size, flops = point["hidden_size"], point["flops_per_token"]
            per_word = 2 * 8 * size**2 + 10_000 * size + 3 * size**2 + size
            assert per_word < flops / 6 < per_word + 83 * size
            speeds = np.array(point["tokens_per_processor_second"]["rounds"])
            assert speeds * flops / 1e9 == pytest.approx(point["gflops_per_thread"]["rounds"])
            seconds = np.array(point["seconds"]["rounds"])
            assert seconds * point["tokens_per_second"]["rounds"] == pytest.approx(point["predictions"])


def test_tables_picture_and_nothing_left_behind(program: tuple[Path, str], result: dict) -> None:
    folder, printed = program
    assert printed == show(result) + "\n"
    cells = [line.split() for line in printed.splitlines()]
    for curve, key in (("corpus", "sentences"), ("batch", "batch_size"), ("hidden", "hidden_size")):
        for point in result["curves"][curve]["points"]:
            speed = f"{point['tokens_per_second']['median']:,.0f}"
            assert any(row[:1] == [f"{point[key]:,}"] and speed in row for row in cells)
    assert "random words in sentences as long as PTB's" in printed
    assert list((folder / "temporary").iterdir()) == []
    height, width, _ = imread(folder / "growth.png").shape
    draw({"curves": {"batch": result["curves"]["batch"]}}, folder / "one.png")
    assert imread(folder / "one.png").shape[1] < width / 2 and width > 2 * height


def test_without_memory_the_column_is_left_out(result: dict, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert ("peak MB" in show(result)) == (sys.platform != "win32")
    for point in result["curves"]["corpus"]["points"]:
        point["peak_megabytes"] = None
    assert "peak" not in show(result)
    draw(result, tmp_path / "growth.png")
    monkeypatch.setitem(sys.modules, "resource", None)
    assert growth_corpus.peak_megabytes() is None


@pytest.mark.skipif(sys.platform == "win32", reason="the system does not tell")
def test_peak_memory_is_in_megabytes() -> None:
    before = growth_corpus.peak_megabytes()
    np.ones(int((before + 100) * 2**17))  # of 8 bytes
    assert before + 100 < growth_corpus.peak_megabytes() < 3 * before + 300


def test_corpora_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = []

    def measure(threads: int, function: object, path: Path, settings: growth.Settings) -> dict:
        turns.append(len(path.read_text("utf-8").splitlines()))
        assert (threads, function) == (2, growth_corpus.corpus_round)
        figures = dict.fromkeys(("sentences", "predictions", "vocabulary", "trained", "processor_seconds"), 1)
        seconds = dict.fromkeys(("read", "count", "encode", "bias", "batches", "training"), 1)
        return {**figures, "seconds": seconds, "peak_megabytes": len(turns)}

    monkeypatch.setattr(growth_corpus, "in_new_process", measure)
    curve = growth_corpus.corpus_curve(growth.Settings(rounds=2, threads=2), [3, 30])
    assert turns == [3, 30, 3, 30]
    assert [point["peak_megabytes"]["rounds"] for point in curve["points"]] == [[1, 3], [2, 4]]


def test_models_take_turns(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each is warmed up, then in each round each trains on its own batches."""
    turns, measure = [], Point.measure

    def remember(point: Point, product: Peak) -> None:
        turns.append(point.settings.batch_size)
        measure(point, product)

    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    monkeypatch.setattr(growth_models, "PEAK_SIZE", 64)
    monkeypatch.setattr(growth_models.runtime, "configure", lambda **options: None)
    monkeypatch.setattr(Point, "measure", remember)
    models = [small_model(size) for size in (1, 2)]
    curve = growth_models.measure_models(models, growth.Settings(rounds=3, seconds=0.01))
    assert turns == [1, 2] * 3 and len(curve["product_gflops_per_thread"]["rounds"]) == 6
    assert [point["batch_size"] for point in curve["points"]] == [1, 2]


def small_model(batch_size: int) -> attentive_lm.Settings:
    return attentive_lm.Settings(layers=1, hidden_size=4, vocabulary=30, batch_size=batch_size)


def test_batches_are_as_many_as_fit_and_of_all_lengths() -> None:
    sentences = [[2] * length for length in range(1, 31)]
    point = Point(small_model(2))
    point.choose_batches(sentences, seconds=0.0)
    assert [batch.predictions for batch in point.batches] == [6 + 7, 16 + 17, 26 + 27]
    point.choose_batches(sentences, seconds=1000.0)
    assert sum(batch.predictions for batch in point.batches) == sum(len(sentence) + 1 for sentence in sentences)
    assert sorted(batch.mask.shape[1] for batch in point.batches) == [2] * 15


def test_even_places() -> None:
    assert even_places(10, 2) == [2, 7] and even_places(3, 5) == [0, 1, 2] and even_places(0, 4) == []


def test_an_installed_corpus_is_used_where_it_is_large_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_DATA", str(tmp_path))
    (tmp_path / "ptb").mkdir()
    (tmp_path / "ptb" / "train.txt").write_text("c b a\na\nb a\n", encoding="utf-8")
    assert sentences_by_length(small_model(3)) == ([[2], [3, 2], [4, 3, 2]], "sentences of PTB")
    with pytest.raises(UserError, match="--batch-sizes 4: there are only 3 sentences"):
        sentences_by_length(small_model(4))


def test_a_process_that_dies_is_reported() -> None:
    with pytest.raises(UserError, match="died"):
        in_new_process(1, os._exit, 1)


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (("--sentences", "10,5"), "--sentences 10,5: give whole numbers"),
        (("--batch-sizes", "1,x"), "--batch-sizes 1,x: give whole numbers"),
        (("--batch-sizes", "2,2"), "--batch-sizes 2,2: give whole numbers"),
        (("--hidden-sizes", "0"), "--hidden-sizes 0: give whole numbers"),
        (("--hidden-sizes", ""), "give whole numbers"),
        (("--seconds", "0"), "--seconds 0: must be at least 0.01"),
        (("--curve", "depth"), "--curve"),
    ],
)
def test_bad_flags_get_one_line(
    flags: tuple[str, ...], complaint: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(sys, "argv", ["growth", *flags])
    with pytest.raises(SystemExit) as stopped:
        growth.main()
    captured = capsys.readouterr()
    assert stopped.value.code == 2 and complaint in error_line(captured.err) and captured.out == ""
