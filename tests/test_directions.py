"""One model of several directions, as a user trains and asks it: results by direction, --to, and pivoting."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from common.evaluation.metrics import bleu
from common.files import write_json
from common.programs.chapters import load_run
from common.search.translation import target_log_probs
from common.text.pairs import load_pairs, read_pairs
from common.text.subwords import PairSplitter
from common.text.vocab import Vocabulary
from tests.beyond_models import CHAPTER, of_chapter
from tests.pairs import write_pairs
from tests.programs import Call, Refused, make_call, metrics_of, write_lines
from tests.tongues_corpus import DIRECTIONS, ZERO, write_tongues

pytestmark = pytest.mark.slow

asking, directions = of_chapter("asking"), of_chapter("directions")
SMALL = ["--hidden-size", 24, "--batch-size", 8, "--learning-rate", 0.02, "--epochs", 6, "--likelihood-epochs", 6]
KINDS = {"words": [], "characters": ["--subwords", "characters"]}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tongues(tmp_path_factory.mktemp("directions") / "three")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as monkeypatch:
        for kind, flags in KINDS.items():
            call = make_call(monkeypatch, CHAPTER)
            call("train", *SMALL, *flags, "--corpus", corpus, "--run-dir", folder / kind)
    return {kind: folder / kind for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_results_by_direction_are_those_of_its_pairs_alone(runs: dict[str, Path], corpus: Path, kind: str) -> None:
    """Recomputed from the model and from what it wrote; all directions together are the split."""
    run, pairs = runs[kind], load_pairs(str(corpus)).test
    model, settings = load_run(run)
    assert settings.subwords == (kind == "characters")
    read = PairSplitter.load(run, model.source_vocab, model.vocab).pairs(pairs) if settings.subwords else pairs
    actual, metrics = metrics_of(run)["test"]["directions"], metrics_of(run)["test"]
    written = [line.split() for line in (run / "test.hypotheses.txt").read_text("utf-8").split("\n")[:-1]]
    assert list(actual) == list(DIRECTIONS)
    total = 0.0
    for number, direction in enumerate(DIRECTIONS):
        part, entry = slice(8 * number, 8 * number + 8), actual[direction]
        references = [pair.target for pair in pairs[part]]
        assert entry["bleu"] == pytest.approx(bleu(written[part], references).value)
        nats = sum(row.sum() for row in target_log_probs(model, read[part], "uniform"))
        assert entry["predictions"] == sum(len(words) + 1 for words in references)
        assert entry["perplexity"] == pytest.approx(math.exp(-nats / entry["predictions"]), rel=1e-5)
        total += entry["predictions"] * math.log(entry["perplexity"])
    assert metrics["perplexity"] == pytest.approx(math.exp(total / metrics["predictions"]), rel=1e-5)
    assert list(metrics_of(run)["zero"]["directions"]) == list(ZERO)
    log = (run / "log.txt").read_text("utf-8")
    for split, names in (("test, by direction", DIRECTIONS), ("directions without training", ZERO)):
        table = log.partition(f"\n{split}")[2].splitlines()[1 : len(names) + 1]
        assert [line.split()[0] for line in table] == list(names)
        figures = metrics_of(run)["zero" if names is ZERO else "test"]["directions"]
        assert [line.split()[1] for line in table] == [f"{figures[name]['bleu']:.2f}" for name in names]


def test_the_tag_decides_the_language(runs: dict[str, Path]) -> None:
    """The tiny model has learnt it: from English nearly all words are in the language asked for."""
    actual = metrics_of(runs["words"])["test"]["directions"]
    assert min(actual[f"english-{language}"]["asked"] for language in ("veldran", "bremish")) > 0.9


def test_shares_and_words_of_languages_by_hand(tmp_path: Path) -> None:
    folder = tmp_path / "hand"
    folder.mkdir()
    for split in ("train", "dev", "test"):
        write_lines(folder / f"{split}.source", ["<2x> hen mira .", "<2y> hen eats ."])
        write_lines(folder / f"{split}.target", ["zul mira .", "luz ate ."])
        write_lines(folder / f"{split}.directions", ["e-x", "e-y"])
    words = directions.words_of_languages(load_pairs(str(folder)))
    assert words == {"e": {"hen", "eats"}, "x": {"zul"}, "y": {"luz", "ate"}}, "mira and the full stop are of two"
    messages = [["zul", "mira", "luz"], ["ate", "zul", "<unk>"]]
    assert directions.share_asked(messages, "x", words) == pytest.approx(2 / 4)
    assert directions.share_asked(messages, "e", words) == 0 and directions.share_asked([[]], "x", words) == 0


def test_asking_by_hand() -> None:
    vocab = Vocabulary(["<2y>", "▁<2x>", "hen", "<2>", "a<2z>"])
    languages = asking.languages_of(vocab)
    assert languages == ["x", "y"]
    assert asking.ask_for("x", languages, ["hen"]) == ["<2x>", "hen"]
    assert asking.ask_for("x", languages, ["<2y>", "hen"]) == ["<2x>", "hen"], "the flag wins"
    assert asking.ask_for("", languages, ["<2y>", "hen"]) == ["<2y>", "hen"]
    assert asking.ask_for("", [], ["<2y>", "hen"]) == ["<2y>", "hen"], "a word like any other"


@pytest.mark.parametrize("kind", KINDS)
def test_translating_into_the_language_that_is_asked_for(
    call: Call, runs: dict[str, Path], corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture, kind: str
) -> None:
    """With --to a source needs no tag; what comes out is what the run itself wrote."""
    expected = (runs[kind] / "test.hypotheses.txt").read_text("utf-8").splitlines()
    sources = [" ".join(pair.source[1:]) for pair in load_pairs(str(corpus)).test]
    for number, direction in enumerate(DIRECTIONS):
        path = write_lines(tmp_path / direction, sources[8 * number : 8 * number + 8])
        capsys.readouterr()
        call("translate", path, "--run", runs[kind], "--to", direction.split("-")[1])
        assert capsys.readouterr().out.splitlines() == expected[8 * number : 8 * number + 8]
    call("translate", corpus / "test.source", "--run", runs[kind])
    assert capsys.readouterr().out.splitlines() == expected, "the tags of the file do as well"


def test_pivoting_is_translating_twice(
    call: Call, runs: dict[str, Path], corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """By translate.py called twice; the second step may be another model's."""
    for second in (None, runs["characters"]):
        capsys.readouterr()
        flags = ["--second", second] if second else []
        call("pivot", "--run", runs["words"], "--corpus", corpus, *flags)
        table = [line for line in capsys.readouterr().out.splitlines() if "through" in line]
        assert len(table) == 2
        for line, direction in zip(table, ZERO, strict=True):
            last = direction.split("-")[1]
            pairs = read_pairs(corpus, "zero")[8 * ZERO.index(direction) :][:8]
            source = write_lines(tmp_path / "source", [" ".join(pair.source) for pair in pairs])
            call("translate", source, "--run", runs["words"], "--to", "english")
            middle = write_lines(tmp_path / "middle", capsys.readouterr().out.splitlines())
            call("translate", middle, "--run", second or runs["words"], "--to", last)
            actual = [line.split() for line in capsys.readouterr().out.splitlines()]
            score = bleu(actual, [pair.target for pair in pairs]).value
            assert line.startswith(f"{direction}, through english") and f"{score:.2f}" in line


def test_pivoting_at_once_is_the_zero_shot_result(
    call: Call, runs: dict[str, Path], corpus: Path, capsys: pytest.CaptureFixture
) -> None:
    call("pivot", "--run", runs["words"], "--corpus", corpus, "--direction", ZERO[1])
    lines = capsys.readouterr().out.splitlines()
    zero = metrics_of(runs["words"])["zero"]["directions"]
    assert f"{ZERO[1]}, at once" in lines[1] and f"{zero[ZERO[1]]['bleu']:.2f}" in lines[1]
    assert not any(ZERO[0] in line for line in lines)


def test_one_line_for_what_cannot_be(
    call: Call, refused: Refused, runs: dict[str, Path], corpus: Path, tmp_path: Path
) -> None:
    text, run = write_lines(tmp_path / "text", ["the hen sees the goat ."]), runs["words"]
    assert "choose from bremish, english, veldran" in refused("translate", text, "--run", run, "--to", "klingon")
    assert "choose one with --to: bremish" in refused("translate", text, "--run", run)
    tagged = write_lines(tmp_path / "tagged", ["<2klingon> the hen sees the goat ."])
    assert "klingon: this model does not write that" in refused("translate", tagged, "--run", run)
    assert f"--direction {DIRECTIONS[0]}: three has" in refused(
        "pivot", "--run", run, "--corpus", corpus, "--direction", DIRECTIONS[0]
    )
    assert "zero.source: no such file" in refused("pivot", "--run", run, "--corpus", "village_pairs")
    assert "does not write that" in refused("pivot", "--run", run, "--corpus", corpus, "--through", "klingon")
    for end in ZERO[0].split("-"):
        assert f"an end of {ZERO[0]}" in refused("pivot", "--run", run, "--corpus", corpus, "--through", end)
    plain = tmp_path / "plain"
    farm = write_pairs(tmp_path / "farm")
    call("train", *SMALL, "--epochs", 1, "--likelihood-epochs", 1, "--corpus", farm, "--run-dir", plain)
    assert "this model writes one language" in refused("translate", text, "--run", plain, "--to", "veldran")
    assert "cannot be told which language to write" in refused("pivot", "--run", plain, "--corpus", corpus)
    assert "directions" not in metrics_of(plain)["test"]
    bad = write_tongues(tmp_path / "bad")
    write_lines(bad / "zero.directions", ["veldran to bremish"] * 16)
    assert "line 1: 'veldran to bremish' is not a direction" in refused("pivot", "--run", run, "--corpus", bad)


@pytest.mark.parametrize(
    "name, lines, complaint",
    [
        ("dev.directions", ["english-veldran"], "dev.directions: 1 line for 32 pairs"),
        ("train.directions", ["english"], "train.directions: 1 line for 400 pairs"),
        ("zero.directions", ["english"] * 16, "line 1: 'english' is not a direction"),
        ("zero.target", ["zul"], "zero.source and zero.target must have one line for each pair, not 16 and 1"),
        ("oracle.json", ['{"directions": [1]}'], "oracle.json: directions is [1]"),
        ("oracle.json", ['{"directions": {"english-veldran": [1]}}'], "oracle.json: directions is {"),
        (
            "oracle.json",
            ['{"directions": {"english-veldran": {"dev": {"perplexity": "low"}}}}'],
            "the perplexity of dev is 'low'",
        ),
    ],
)
def test_what_does_not_fit_is_refused_before_training(
    refused: Refused, tmp_path: Path, name: str, lines: list[str], complaint: str
) -> None:
    bad = write_tongues(tmp_path / "bad")
    write_lines(bad / name, lines)
    assert complaint in refused("train", *SMALL, "--corpus", bad, "--run-dir", tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_an_oracle_that_is_not_whole_has_no_column(tmp_path: Path) -> None:
    figures = {"perplexity": 1.5, "known_perplexity": 1.4, "known_predictions": 9}
    corpus = write_tongues(tmp_path / "three")
    write_json(corpus / "oracle.json", {"directions": {"x-y": {"dev": figures, "test": {"perplexity": 2.0}}}})
    actual = load_pairs(str(corpus))
    assert actual.oracle("dev", "x-y") == figures and actual.oracle("test", "x-y") is None
    assert actual.oracle("dev", "y-x") is None and actual.oracle("dev") is None


def test_the_columns_of_results() -> None:
    """The oracle is known for some directions only; the share of the language stays in its column."""
    entry = {"bleu": 12.25, "perplexity": 2.0, "asked": 0.5}
    head, known_words, unknown, end = directions.direction_lines(
        "zero", {"x-y": entry | {"oracle_perplexity": 1.5}, "y-x": entry}
    )
    assert known_words.split() == ["x-y", "12.25", "2.00", "1.50", "50.0%"]
    assert unknown.split() == ["y-x", "12.25", "2.00", "50.0%"] and len(unknown) == len(known_words) == len(head)
