"""Chapter 10's programs as a user runs them, on a few invented pairs; and what measures exposure bias."""

from __future__ import annotations

import math
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from common.files import read_json, write_json
from common.programs.chapters import load_run
from common.text.pairs import Pair, PairBatch, load_pairs
from common.text.vocab import Vocabulary
from common.training.loop import Training
from data.pairs import truth_of
from tests.beyond_models import CHAPTER, of_chapter
from tests.explorer_runs import write_veldran
from tests.pairs import write_pairs
from tests.programs import (
    Call,
    Refused,
    call_and_kill,
    comparable,
    make_call,
    metrics_of,
    run_program,
    write_corpus,
)

SMALL = ["--hidden-size", 8, "--batch-size", 8, "--learning-rate", 0.02, "--objective-rate", 0.02]
OTHERS = {"encoder-decoder": "07_encoder_decoder", "attention": "08_attention", "word-attention": "09_word_attention"}


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> dict[str, Path]:
    """A finished run of each chapter that this one can go on with."""
    folder = tmp_path_factory.mktemp("others")
    with pytest.MonkeyPatch.context() as monkeypatch:
        for chapter in OTHERS.values():
            flags = ["--hidden-size", 8, "--batch-size", 8, "--epochs", 4, "--learning-rate", 0.05]
            make_call(monkeypatch, chapter)("train", *flags, "--corpus", corpus, "--run-dir", folder / chapter)
    return {name: folder / chapter for name, chapter in OTHERS.items()}


def test_a_run_as_a_user_starts_it(corpus: Path, tmp_path: Path) -> None:
    """Two phases, and at the end what the second has gained."""
    flags = [*map(str, SMALL), "--epochs", "3", "--corpus", str(corpus), "--run-dir", str(tmp_path / "run")]
    done = run_program("train", *flags, chapter=CHAPTER)
    assert done.returncode == 0, done.stderr
    metrics = metrics_of(tmp_path / "run")
    assert "from epoch 3 on: risk" in done.stdout and len(metrics["epochs"]) == 3
    predictions = [record["predictions"] for record in metrics["epochs"]]
    assert predictions[0] == predictions[1] > 5 * predictions[2] > 0, (
        "an epoch of the objective is a share of the pairs"
    )
    for split in ("dev", "test"):
        assert {"bleu", "chrf", "perplexity"} <= metrics["before"][split].keys()
    gain = metrics["test"]["bleu"] - metrics["before"]["test"]["bleu"]
    assert f"{gain:+.2f} BLEU on test" in done.stdout
    assert ("a gain in this run" in done.stdout) != ("no gain in this run" in done.stdout)
    assert metrics["dev"]["bleu"] == pytest.approx(max(record["dev_bleu"] for record in metrics["epochs"]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, objective",
    [
        *((name, "risk") for name in OTHERS),
        *(("attention", other) for other in ("reinforce", "raml", "scheduled", "likelihood")),
    ],
)
def test_a_run_goes_on_from_a_model_of_each_chapter(
    call: Call, others: dict[str, Path], corpus: Path, tmp_path: Path, name: str, objective: str
) -> None:
    """What it was before is what that run reported; then the numbers move."""
    flags = ["--start-from", others[name], "--corpus", corpus, "--objective", objective, "--epochs", 1, "--share", 0.5]
    call("train", *flags, "--batch-size", 8, "--objective-rate", 0.1, "--run-dir", tmp_path / "run")
    metrics, other = metrics_of(tmp_path / "run"), metrics_of(others[name])
    for split in ("dev", "test"):
        for figure in ("perplexity", "bleu", "chrf"):
            assert metrics["before"][split][figure] == pytest.approx(other[split][figure], rel=1e-6)
    assert metrics["dev"]["perplexity"] != other["dev"]["perplexity"]
    model, _ = load_run(tmp_path / "run")
    assert type(model) is type(load_run(others[name])[0])


@pytest.mark.slow
def test_a_run_needs_the_other_one_no_more(
    call: Call, others: dict[str, Path], corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    moved = tmp_path / "moved"
    shutil.copytree(others["attention"], first)
    flags = ["--corpus", corpus, "--objective", "likelihood", "--epochs", 1, "--batch-size", 8]
    call("train", "--start-from", first, *flags, "--run-dir", second)
    first.rename(moved)
    capsys.readouterr()
    call("translate", corpus / "test.source", "--run", second)
    lines = capsys.readouterr().out.splitlines()
    assert lines == (second / "test.hypotheses.txt").read_text("utf-8").splitlines()
    call("train", "--start-from", second, *flags, "--run-dir", tmp_path / "third")
    assert metrics_of(tmp_path / "third")["before"]["dev"]["bleu"] == metrics_of(second)["dev"]["bleu"]


def test_a_preset_with_a_model_that_is_there(call: Call, others: dict, corpus: Path, tmp_path: Path) -> None:
    """The size in the preset is for a model of its own; the other model keeps its size."""
    flags = ["--preset", "multi30k", "--start-from", others["attention"], "--corpus", corpus, "--epochs", 1]
    call("train", *flags, "--run-dir", tmp_path / "run")
    assert metrics_of(tmp_path / "run")["parameters"] == metrics_of(others["attention"])["parameters"]


def test_another_run_that_is_damaged(call: Call, others: dict, corpus: Path, tmp_path: Path, refused: Refused) -> None:
    """It is read before anything is written; what the run has kept of it must fit it when the run goes on."""
    other, run = shutil.copytree(others["attention"], tmp_path / "other"), tmp_path / "run"
    flags = ["--start-from", other, "--corpus", corpus, "--epochs", 1, "--batch-size", 8]
    whole = (other / "model.npz").read_bytes()
    (other / "model.npz").write_bytes(whole[:-100])
    assert "other/model.npz: cut short or not a saved model" in refused("train", *flags, "--run-dir", run)
    assert not run.exists()
    (other / "model.npz").write_bytes(whole)
    call("train", *flags, "--run-dir", run)
    before = (run / "before.npz").read_bytes()
    (run / "before.npz").write_bytes(before[:-100])
    (run / "test.hypotheses.txt").unlink()
    assert "before.npz: cut short or not a saved model" in refused("train", "--resume", "--run-dir", run)
    assert not (run / "test.hypotheses.txt").exists(), "it is told before the results are made again"
    (run / "before.npz").write_bytes(before)
    saved = read_json(run / "model.json")
    saved["settings"]["hidden_size"] += 2
    write_json(run / "model.json", saved)
    assert "other/model.npz: contains" in refused("train", "--resume", "--run-dir", run)


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["risk", "reinforce", "raml", "scheduled"])
def test_a_run_killed_in_its_second_phase_ends_with_the_same_figures(
    call: Call, others: dict[str, Path], corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, objective: str
) -> None:
    flags = ["--start-from", others["attention"], "--corpus", corpus, "--objective", objective]
    flags += ["--epochs", 2, "--share", 0.4, "--batch-size", 8, "--objective-rate", 0.05]
    call("train", *flags, "--run-dir", tmp_path / "whole")
    call_and_kill(call, monkeypatch, *flags, "--run-dir", tmp_path / "killed")
    assert not (tmp_path / "killed" / "metrics.json").exists()
    call("train", "--resume", "--run-dir", tmp_path / "killed")
    assert comparable(tmp_path / "killed") == comparable(tmp_path / "whole")
    before, other = metrics_of(tmp_path / "killed")["before"]["dev"], metrics_of(others["attention"])["dev"]
    assert before["perplexity"] == pytest.approx(other["perplexity"], rel=1e-6), "not what one of its epochs has left"


def test_only_likelihood_has_nothing_to_compare(call: Call, corpus: Path, tmp_path: Path) -> None:
    call("train", *SMALL, "--epochs", 2, "--corpus", corpus, "--run-dir", tmp_path / "run")
    assert "before" not in metrics_of(tmp_path / "run")
    assert "a run with --epochs 3 has some of --objective" in (tmp_path / "run" / "log.txt").read_text("utf-8")


@pytest.mark.parametrize("name, chapter", OTHERS.items())
def test_the_model_is_of_the_chapter_that_is_named(
    call: Call, corpus: Path, tmp_path: Path, name: str, chapter: str
) -> None:
    """With the numbers that its own chapter would begin with: the first epoch is the same, digit for digit."""
    flags = ["--epochs", 1, "--hidden-size", 8, "--batch-size", 8, "--corpus", corpus, "--learning-rate", 0.02]
    call("train", *flags, "--model", name, "--likelihood-epochs", 1, "--run-dir", tmp_path / "own")
    with pytest.MonkeyPatch.context() as monkeypatch:
        dropout = ["--dropout", 0.1]
        make_call(monkeypatch, chapter)("train", *flags, *dropout, "--run-dir", tmp_path / "other")
    own, other = (metrics_of(tmp_path / folder) for folder in ("own", "other"))
    assert own["dev"]["perplexity"] == other["dev"]["perplexity"]
    assert own["parameters"] == other["parameters"]


def test_the_best_epoch_has_the_highest_bleu(tmp_path: Path) -> None:
    gain = of_chapter("gain")
    training = gain.BleuTraining(tmp_path, SimpleNamespace(arrays=lambda: [np.zeros(1)]), "none")
    for epoch, (figure, perplexity) in enumerate([(3.0, 9.0), (5.0, 9.5), (5.0, 9.1), (4.0, 2.0)], start=1):
        improved = training.finish_epoch(gain.BleuRecord(epoch, 9.0, perplexity, 0.1, 10, 1.0, figure))
        assert improved == (epoch in (1, 2, 3))
    assert training.best["epoch"] == 3, "of equals the one with the lower perplexity"
    assert Training(tmp_path, training.parameters, "none", training.history).best["epoch"] == 4


@pytest.mark.parametrize(
    "flags, complaint",
    [
        (["--start-from", "nowhere"], "nowhere: no run here"),
        (["--start-from", "LM"], "whose models do not translate"),
        (["--start-from", "OTHER", "--corpus", "DIFFERENT"], "has another vocabulary than different"),
        (["--start-from", "OTHER", "--hidden-size", 16], "--hidden-size: the model of --start-from"),
        (["--start-from", "OTHER", "--model", "encoder-decoder"], "--model: the model of --start-from"),
        (["--start-from", "OTHER", "--preset", "multi30k", "--layers", 2], "--layers: the model of --start-from"),
        (["--start-from", "OTHER", "--preset", "copying"], "--copying: the model of --start-from"),
    ],
)
def test_bad_flags(
    refused: Refused, others: dict[str, Path], corpus: Path, tmp_path: Path, flags: list, complaint: str
) -> None:
    folders = {"OTHER": others["attention"], "LM": tmp_path / "lm", "DIFFERENT": tmp_path / "different"}
    if "LM" in flags:
        with pytest.MonkeyPatch.context() as patched:
            texts = write_corpus(tmp_path / "texts")
            small = ["--hidden-size", 8, "--epochs", 1]
            make_call(patched, "05_rnn_lm")("train", *small, "--corpus", texts, "--run-dir", folders["LM"])
    if "DIFFERENT" in flags:
        path = write_pairs(folders["DIFFERENT"]) / "train.target"
        path.write_text(path.read_text("utf-8").replace("zul", "zol"), "utf-8")
    arguments = [folders.get(flag, flag) for flag in flags]
    where = [] if "--corpus" in flags else ["--corpus", corpus]
    assert complaint in refused("train", *arguments, *where, "--run-dir", tmp_path / "run")
    assert not (tmp_path / "run").exists()


# --- memory


def test_candidates_are_counted_before_they_are_drawn() -> None:
    """Each pair takes the room of all its candidates; likelihood that of the pair."""
    settings = of_chapter("settings").Settings
    plain, many = settings(objective="likelihood"), settings(objective="risk", samples=3)
    single, four = plain.footprint(50, 60), many.footprint(50, 60)
    of_one = single.sentence(20, 10, trained=True), single.sentence(0, 10, trained=True)
    assert four.sentence(20, 10, trained=True) == 8 * of_one[0] - 4 * of_one[1]
    assert four.parameters == single.parameters
    altered = settings(objective="raml", samples=3).footprint(50, 60)
    assert altered.sentence(20, 10, trained=True) == 4 * of_one[0], "altered references are as long as they were"


# --- exposure bias

exposure = of_chapter("exposure")


class Oracle:
    """A model that knows the grammar; at one position it gives some of its probability to an impossible word."""

    def __init__(self, pairs: Sequence[Pair], truth, astray: float = 0.0, position: int = 2):
        words = sorted({word for pair in pairs for word in pair.target})
        self.vocab = self.source_vocab = Vocabulary([*words, "nowhere"])
        self.truth, self.pairs, self.astray, self.position = truth, pairs, astray, position
        self.source_vocab = SimpleNamespace(encode=lambda source: source)

    def encode(self, sources):
        return [exposure.Truth(self.truth, source, self.vocab) for source in sources], 0

    def advance(self, state, words):
        truths, t = state
        log_probs = np.full((len(truths), len(self.vocab)), -1e9)
        for row, (truth, word) in enumerate(zip(truths, words, strict=True)):
            if t and word != Vocabulary.boundary and truth.states:
                truth.read(self.vocab.words[word])
            lost = self.astray if t == self.position else 0.0
            for number, p in exposure.as_ids(truth.next_words() if truth.states else {}, self.vocab).items():
                log_probs[row, number] = math.log(p * (1 - lost)) if p > 0 else -1e9
            if lost:
                log_probs[row, len(self.vocab) - 1] = math.log(lost)
        return (truths, t + 1), log_probs


@pytest.fixture(scope="module")
def village(tmp_path_factory: pytest.TempPathFactory):
    corpus = load_pairs(str(write_veldran(tmp_path_factory.mktemp("exposure") / "hamlet_pairs")))
    return truth_of(corpus.name, corpus.facts), corpus.dev


@pytest.mark.parametrize("prefixes", ["reference", "sampled", "greedy"])
def test_the_oracle_is_never_wrong(village, prefixes: str) -> None:
    truth, pairs = village
    actual = exposure.measure(Oracle(pairs, truth), truth, pairs, prefixes, np.random.default_rng(1))
    assert actual.possible[0] == len(pairs) and actual.wrong.sum() == 0
    np.testing.assert_allclose(actual.excess, 0, atol=1e-4)
    if prefixes == "reference":
        assert actual.possible.sum() == sum(len(pair.target) + 1 for pair in pairs)
        assert actual.possible.tolist() == [sum(len(p.target) >= t for p in pairs) for t in range(len(actual.possible))]


def test_a_known_error_is_measured_where_it_is_made(village) -> None:
    truth, pairs = village
    model = Oracle(pairs, truth, astray=0.6)
    after = {name: exposure.measure(model, truth, pairs, name, np.random.default_rng(1)) for name in exposure.PREFIXES}
    for actual in after.values():
        assert actual.excess[2] / actual.possible[2] == pytest.approx(-math.log(0.4), abs=1e-4)
        assert actual.wrong[2] >= actual.possible[2] * 0.5 and actual.wrong[[0, 1, 3, 4]].sum() == 0
    assert after["reference"].possible[3] > 0.5 * len(pairs), "the references go on behind it"
    assert 0 < after["sampled"].possible[3] < 0.75 * len(pairs), "six of ten leave the grammar"
    assert after["greedy"].possible[3] < after["sampled"].possible[3]
    lines = exposure.table(after)
    assert f"{-math.log(0.4):.3f}" in lines[3] and len(lines) == 14


def test_an_unknown_word_stands_for_one_that_the_vocabulary_lacks() -> None:
    vocab = Vocabulary(["a"])
    assert exposure.as_ids({"a": 0.5, "b": 0.2, "c": 0.2, "</s>": 0.1}, vocab) == {2: 0.5, 1: 0.4, 0: 0.1}


def test_exposure_as_a_user_measures_it(call: Call, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    folder = write_veldran(tmp_path / "hamlet_pairs")
    small = ["--hidden-size", 8, "--batch-size", 16, "--epochs", 1, "--corpus", folder]
    call("train", *small, "--run-dir", tmp_path / "run")
    capsys.readouterr()
    call("exposure", "--run", tmp_path / "run", "--sentences", 5)
    lines = capsys.readouterr().out.splitlines()
    assert all(f"{name}:" in lines[3] for name in exposure.PREFIXES) and lines[-1].split()[0] == "all"
    predictions = sum(len(pair.target) + 1 for pair in load_pairs(str(folder)).dev[:5])
    assert int(lines[-1].split()[1]) == predictions


@pytest.mark.parametrize(
    "flags, complaint",
    [
        (["--sentences", 0], "--sentences 0: must be at least 1"),
        (["--seed", -1], "--seed -1: cannot be negative"),
        (["--run", "nowhere"], "no run here"),
        ([], "not drawn from a grammar"),
    ],
)
def test_what_exposure_refuses(refused: Refused, others: dict[str, Path], flags: list, complaint: str) -> None:
    run = [] if "--run" in flags else ["--run", others["attention"]]
    assert complaint in refused("exposure", *flags, *run)


def test_an_epoch_of_the_objective_draws_its_pairs_anew() -> None:
    pairs = [Pair(["hen"], ["ba"] * (1 + number % 3)) for number in range(50)]
    model = SimpleNamespace(source_vocab=Vocabulary(["hen"]), vocab=Vocabulary(["ba"]))
    setup = SimpleNamespace(settings=SimpleNamespace(batch_size=4), corpus=SimpleNamespace(train=pairs))
    batches_of = of_chapter("train").batches_of

    def sizes(batches: list[PairBatch]) -> int:
        return sum(len(batch.target.indices) for batch in batches)

    assert sizes(batches_of(setup, model, 0.3, np.random.default_rng(1))) == 15
    assert sizes(batches_of(setup, model, 0.001, np.random.default_rng(1))) == 1
    assert sizes(batches_of(setup, model, 1.0, np.random.default_rng(1))) == 50
