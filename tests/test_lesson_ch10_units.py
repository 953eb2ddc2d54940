"""What part 3 of chapter 10 computes and records: pieces by hand are those of the library, recorded numbers fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from book.figures import ch10_units_record
from book.figures.ch10_units_record import recorded_units
from book.figures.recorded import rounded
from book.lessons.cells import namespace
from common.text.subwords import MARK, Splitter, learn
from tests.pairs import write_pairs
from tests.programs import make_call, metrics_of
from tests.tongues_corpus import DIRECTIONS, ZERO, write_tongues

LESSON = namespace("10", 3)


@pytest.mark.parametrize("number", range(5))
def test_joining_by_hand_is_what_the_library_does(number: int) -> None:
    counts, count_pairs, join = LESSON["text"], LESSON["count_pairs"], LESSON["join"]
    text = [[word] for word, count in counts.items() for _ in range(count)]
    splitter = Splitter(learn(text, len({MARK, *"".join(counts)}) + number))
    words = {(MARK, *word): count for word, count in counts.items()}
    for _ in range(number):
        ((best, _),) = count_pairs(words).most_common(1)
        words = {join(pieces, best): count for pieces, count in words.items()}
    assert [tuple(splitter([word])) for word in counts] == list(words)
    if number == len(LESSON["steps"]):
        assert words == LESSON["words"]
    assert all(count > next_best for *_, count, next_best in LESSON["steps"]), "no step is left to chance"


def test_pairs_are_counted_within_words() -> None:
    counts = LESSON["count_pairs"]({("a", "b", "a", "b"): 2, ("b", "b"): 1})
    assert counts == {("a", "b"): 4, ("b", "a"): 2, ("b", "b"): 1}
    assert LESSON["join"](("a", "b", "a", "b", "b"), ("a", "b")) == ("ab", "ab", "b")


def test_perplexities_by_words_and_by_pieces_agree() -> None:
    """What was recorded by words is the power of what was recorded by pieces, in every run."""
    runs = [one for by_seed in recorded_units()["units"].values() for one in by_seed.values()]
    assert runs
    for one in runs:
        power = one["piece_perplexity"] ** (one["piece_predictions"] / one["predictions"])
        assert power == pytest.approx(one["perplexity"], rel=1e-3)


@pytest.mark.slow
def test_recorded_cuts_are_those_of_the_corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    some = {name: ch10_units_record.CUTS[name] for name in ("characters", "500")}
    monkeypatch.setattr(ch10_units_record, "CUTS", some)
    recorded = recorded_units()["cuts"]
    for name, cuts in rounded(ch10_units_record.cuts()).items():
        assert cuts == recorded[name]
        assert "".join(cuts["example"]).replace(MARK, "") == "".join(recorded["words"]["example"])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Runs of tiny models with the names that are looked for, and the corpus of three languages."""
    folder = tmp_path_factory.mktemp("runs")
    corpus, small = write_tongues(folder / "three", train=20), ["--hidden-size", 8, "--batch-size", 8]
    likelihood = [*small, "--epochs", 1, "--likelihood-epochs", 1]
    with pytest.MonkeyPatch.context() as monkeypatch:
        call = make_call(monkeypatch, "10_beyond")
        for name in ("all", *ch10_units_record.STEPS):
            call("train", *likelihood, "--corpus", corpus, "--run-dir", folder / f"{name}-1")
        call = make_call(monkeypatch, "08_attention")
        farm = write_pairs(folder / "farm")
        call("train", *small, "--epochs", 1, "--subwords", 45, "--corpus", farm, "--run-dir", folder / "sub500-1")
    return folder, corpus


def test_what_is_recorded_is_what_the_figures_read(runs: tuple[Path, Path]) -> None:
    folder, corpus = runs
    found = {"units": ch10_units_record.units(folder, ["sub500"], ["1"])}
    found["directions"] = ch10_units_record.directions(folder, ["1"])
    found["pivots"] = ch10_units_record.pivots(folder, str(corpus), ["1"])
    kept = recorded_units()
    assert found["units"].keys() <= kept["units"].keys()
    assert found["units"]["sub500"]["1"].keys() == kept["units"]["sub1000"]["1"].keys()
    assert found["units"]["sub500"]["1"]["bleu"] == metrics_of(folder / "sub500-1")["test"]["bleu"]
    assert list(found["directions"]["all"]["1"]) == [*DIRECTIONS, *ZERO] == list(kept["directions"]["all"]["1"])
    own = metrics_of(folder / "english-bremish-1")["test"]["directions"]["english-bremish"]
    assert found["directions"]["single"]["1"]["english-bremish"]["bleu"] == own["bleu"]
    assert found["pivots"]["one model"]["1"].keys() == set(ZERO) == kept["pivots"]["one model"]["1"].keys()
    assert found["pivots"]["two models"]["1"].keys() == {ZERO[0]}
    for system in (name for name, by_seed in kept["pivots"].items() if by_seed):
        ways = found["pivots"][system]["1"][ZERO[0]].keys()
        assert ways == kept["pivots"][system]["1"][ZERO[0]].keys()
    zero = metrics_of(folder / "all-1")["zero"]["directions"][ZERO[0]]
    assert found["pivots"]["one model"]["1"][ZERO[0]]["at once"]["bleu"] == pytest.approx(zero["bleu"])
    lines = ch10_units_record.tables(found)
    assert f"| english-bremish | single | 1 | {own['bleu']:.2f} |" in "\n".join(lines)
