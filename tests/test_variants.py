"""The comparison of chapter 9's systems: nothing is trained twice, and the tables say what was measured."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from shlex import quote
from types import SimpleNamespace

import pytest

from common.chapters import chapter_module
from common.evaluation.metrics import bleu
from common.executor import Children
from common.text.pairs import load_pairs
from tests.pairs import write_pairs
from tests.programs import Call, call_and_kill, make_call, metrics_of, write_lines
from tools.experiment import __main__ as experiment, variants
from tools.experiment.systems import QUESTIONS, TRANSLATION_MODELS, VARIANTS, variant
from tools.experiment.variants import write_report

SMALL = ["--hidden-size", 4, "--epochs", 2, "--batch-size", 16]
THREE = ["rnnsearch-state", "word-state", "gates-state-plain"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pairs(tmp_path_factory.mktemp("variants") / "farm")


@pytest.fixture
def train(monkeypatch: pytest.MonkeyPatch) -> Call:
    return make_call(monkeypatch, variants.CHAPTER)


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, train: Call) -> list[list[str]]:
    """The processes that were asked for; they are run within this one, and train small models."""
    requests: list[list[str]] = []

    def run(command: list[str], **options: object) -> SimpleNamespace:
        requests.append(command)
        train("train", *command[2:], *([] if "--resume" in command else SMALL))
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setenv("COURSE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(Children, "run", staticmethod(run))
    return requests


@pytest.fixture
def command(corpus: Path, tmp_path: Path) -> tuple[object, ...]:
    """The program and its first flags: of the corpus, and writing to `tmp_path`."""
    return experiment.main, "variants", "--corpus", corpus, "--out", tmp_path, "--jobs", 1, "--resamples", 20


@pytest.fixture
def compare(run_main: Callable[..., str], command: tuple) -> Callable[..., str]:
    return partial(run_main, *command)


@pytest.fixture
def refuse(refuse_main: Callable[..., str], command: tuple) -> Callable[..., str]:
    return partial(refuse_main, *command)


def folder_of(system: str, corpus: Path, seed: int) -> Path:
    return variant(system).folder(str(corpus), seed)


def rows(text: str) -> dict[str, list[str]]:
    """The rows of all tables by their first cell; of several the first."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row[1:] for row in reversed(cells)}


@pytest.mark.slow
def test_systems_are_trained_compared_and_shown(
    commands: list, compare: Callable, train: Call, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of the runs was interrupted before and goes on; a second call trains nothing."""
    start = folder_of("word-state", corpus, 2)
    flags = ["--variant", "word", "--query", "state", "--seed", 2, "--corpus", corpus, "--run-dir", start]
    call_and_kill(train, monkeypatch, *SMALL, *flags)
    arguments = ["--seeds", 2, "--systems", ",".join(THREE)]
    compare(*arguments)
    assert len(commands) == 6
    assert [command for command in commands if "--resume" in command] == [
        [*commands[0][:2], "--run-dir", str(start), "--corpus", str(corpus), "--seed", "2"]
        + ["--variant", "word", "--query", "state", "--resume"]
    ]
    compare(*arguments)
    assert len(commands) == 6
    actual = json.loads((tmp_path / "variants.json").read_text("utf-8"))["farm"]
    references = [pair.target for pair in load_pairs(str(corpus)).test]
    assert list(actual["runs"]) == THREE
    for name, runs in actual["runs"].items():
        for seed, run in zip((1, 2), runs, strict=True):
            place = folder_of(name, corpus, seed)
            metrics, settings = metrics_of(place), json.loads((place / "config.json").read_text("utf-8"))["settings"]
            hypotheses = [line.split() for line in (place / "test.hypotheses.txt").read_text("utf-8").splitlines()]
            assert (run["seed"], run["parameters"], run["epochs"]) == (seed, metrics["parameters"], 2)
            assert run["perplexity"] == {split: metrics[split]["perplexity"] for split in ("dev", "test")}
            assert run["BLEU"] == pytest.approx(bleu(hypotheses, references).value)
            built = [settings[part] for part in ("variant", "query", "output_contexts")]
            assert built[: name.count("-") + 1] == name.split("-") and settings["seed"] == seed
    pairs = {(row["first"], row["second"]) for row in actual["differences"]}
    assert pairs == {("rnnsearch-state", "word-state"), ("word-state", "gates-state-plain")}
    metrics = ["log perplexity", *actual["metrics"]]
    assert [(row["metric"], row["runs"]) for row in actual["differences"]] == [(name, [2, 2]) for name in metrics] * 2
    text = (tmp_path / "VARIANTS.md").read_text("utf-8")
    assert all(
        rows(text)[f"`{name}`"][:2] == ["2", f"{runs[0]['parameters']:,}"] for name, runs in actual["runs"].items()
    )
    assert "only 2 of the 5 seeds" in text and "### Contexts" not in text


def test_partial_results(commands: list, compare: Callable, refuse: Callable, corpus: Path, tmp_path: Path) -> None:
    """A run by an older version of the code counts, one that is not finished does not, and nothing is trained."""
    compare("--systems", "rnnsearch-word,word-word", "--seeds", 1)
    first, other = folder_of("word-word", corpus, 1), folder_of("word-word", corpus, 3)
    other.mkdir()
    for path in first.iterdir():
        content = path.read_bytes()
        (other / path.name).write_bytes(
            content.replace(b'"seed": 1', b'"seed": 3') if path.suffix == ".json" else content
        )
    config = json.loads((other / "config.json").read_text("utf-8"))
    del config["settings"]["output_contexts"], config["settings"]["query"]
    write_lines(other / "config.json", [json.dumps(config)])
    unfinished = folder_of("word-word", corpus, 2)
    unfinished.mkdir()
    write_lines(
        unfinished / "config.json", [(first / "config.json").read_text("utf-8").replace('"seed": 1', '"seed": 2')]
    )
    compare("--finished")
    actual = json.loads((tmp_path / "variants.json").read_text("utf-8"))["farm"]
    assert {name: [run["seed"] for run in runs] for name, runs in actual["runs"].items()} == {
        "rnnsearch-word": [1],
        "word-word": [1, 3],
    }
    assert all(row["p"] is None and row["runs"] == [1, 2] and row["of"] == 1 for row in actual["differences"])
    listed = compare("--list", "--systems", "word-word,gates-word-plain", "--seeds", 3).splitlines()
    program = "python chapters/09_word_attention/train.py --run-dir"
    assert len(commands) == 2 and len(listed) == 1 + 3
    flags = "--seed 2 --variant word --query word --resume"
    assert listed[0] == f"{program} {quote(str(unfinished))} --corpus {quote(str(corpus))} {flags}"
    folder = folder_of("gates-word-plain", corpus, 3)
    flags = "--variant gates --query word --output-contexts plain"
    assert listed[3] == f"{program} {quote(str(folder))} --corpus {quote(str(corpus))} --seed 3 {flags}"
    (first / "metrics.json").unlink()
    (other / "metrics.json").unlink()
    (folder_of("rnnsearch-word", corpus, 1) / "metrics.json").unlink()
    assert "no finished run on" in refuse("--finished")


def test_eight_systems_and_their_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COURSE_RUNS", str(tmp_path))
    assert len(set(VARIANTS)) == 8
    assert {name for pairs in QUESTIONS.values() for pair in pairs for name in pair} == set(VARIANTS)
    rung = variant("gates-state-plain")
    assert rung.flags == ("--variant", "gates", "--query", "state", "--output-contexts", "plain")
    folder = tmp_path / "ladder" / "village_pairs-09_word_attention-gates-state-plain-seed3"
    assert rung.folder("village_pairs", 3) == rung.folder("/some/where/village_pairs", 3) == folder
    other = variant("word-state", "multi30k")
    assert other.flags == ("--variant", "word", "--query", "state", "--preset", "multi30k")
    folder = tmp_path / "ladder" / "multi30k-09_word_attention-multi30k-word-state-seed1"
    assert other.folder("multi30k", 1) == folder


def test_the_ladder_shares_its_runs() -> None:
    """Its models of chapter 9 are three of the systems: folders and settings are the same."""
    settings = chapter_module(variants.CHAPTER, "settings").Settings()
    assert (settings.query, settings.output_contexts) == ("word", "gated")
    names = {"rnnsearch": "rnnsearch-word", "word": "word-word", "gates": "gates-word-gated"}
    of_ladder = [rung for rung in TRANSLATION_MODELS if rung.chapter == variants.CHAPTER]
    assert len(of_ladder) == 3
    for rung in of_ladder:
        system = variant(names[rung.flags[1]])
        assert rung.flags == system.flags[:2] and rung.folder("farm", 1) == system.folder("farm", 1)


def invented(metric: str, found: float, low: float | None, high: float | None, p: float | None) -> dict:
    names = {"first": "rnnsearch-word", "second": "word-word", "metric": metric}
    difference = {"found": found, "low": low, "high": high, "p": p, "alike": 2, "of": 2}
    return names | difference | {"runs": [5, 5] if p is not None else [1, 2]}


def make_invented(last: dict) -> dict:
    return {
        "preset": "quick",
        "metrics": {"BLEU": "nrefs:1", "chrF": "nc:6"},
        "runs": {
            name: [
                {
                    **{"seed": seed, "parameters": 1234, "perplexity": {"dev": 3.0, "test": best + seed}},
                    **{"BLEU": 10.0 * seed, "chrF": 50.0, "seconds": 60.0 * seed},
                }
                for seed in (1, 2)
            ]
            for name, best in (("rnnsearch-word", 2.0), ("word-word", 1.0))
        },
        "differences": [last],
    }


def test_report(tmp_path: Path) -> None:
    sure = make_invented(invented("log perplexity", -0.04321, -0.1, 0.01, 0.0123))
    unsure = make_invented(invented("BLEU", 0.375, None, None, None))
    text = write_report({"farm": sure, "yard": unsure}, tmp_path).read_text("utf-8")
    farm, yard = text.split("## farm")[1].split("## yard")
    assert rows(farm)["`rnnsearch-word`"] == [
        *("2", "1,234", "3.00 ± 0.00", "3.50 ± 0.71", "15.00 ± 7.07", "50.0 ± 0.0")
    ]
    name = "`word-word` − `rnnsearch-word`"
    assert rows(farm)[name] == ["log perplexity", "-0.0432", "-0.1000 to +0.0100", "0.012", "2 of 2"]
    assert rows(yard)[name] == ["BLEU", "+0.38", "", "", "2 of 2"]
    assert "### Word attention" in farm and "### Gates" not in farm and "- BLEU: `nrefs:1`" in farm
    assert "only 1 of the 5 seeds" in yard and "only" not in farm
    small = make_invented(invented("BLEU", 1.0, 0.5, 1.5, 0.0001))
    assert "| < 0.001 |" in write_report({"farm": small}, tmp_path).read_text("utf-8")


def test_a_run_on_another_corpus_of_the_same_name(
    commands: list, compare: Callable, refuse: Callable, tmp_path: Path
) -> None:
    first = ["--seeds", 1, "--systems", "word-word"]
    compare(*first)
    other = write_pairs(tmp_path / "yard" / "farm", seed=2)
    assert "trained on another corpus" in refuse(*first, "--corpus", other)
    assert len(commands) == 1


@pytest.mark.parametrize("setting, value", [("seed", 7), ("query", "word"), ("dropout", 0.3)])
def test_a_run_in_the_wrong_folder(commands: list, refuse: Callable, corpus: Path, setting: str, value: object) -> None:
    """It is noticed before anything is trained."""
    folder = variant("word-state", "headlines").folder(str(corpus), 2)
    folder.mkdir(parents=True)
    content = {"seed": 2, "query": "state", "dropout": 0.2, "corpus": "village_pairs"}
    for values, complaint in (
        (content, "no finished run on"),
        (content | {setting: value}, f"contains a run with --{setting} {value}"),
    ):
        config = {"chapter": variants.CHAPTER, "settings": values}
        write_lines(folder / "config.json", [json.dumps(config)])
        assert complaint in refuse("--preset", "headlines", "--finished")
    assert commands == []


def test_what_was_measured_is_not_lost(commands: list, compare: Callable, refuse: Callable, tmp_path: Path) -> None:
    """Fewer systems of a corpus, or another preset, want a folder of their own, before anything is trained."""
    compare("--systems", "rnnsearch-word,word-word", "--seeds", 1)
    saved = (tmp_path / "variants.json").read_bytes()
    for flags, lost in ((["--systems", "word-word"], "rnnsearch-word"), (["--preset", "headlines"], "--preset quick")):
        assert f"has {lost}, which would be lost; give another folder" in refuse(*flags, "--seeds", 1)
    assert len(commands) == 2 and (tmp_path / "variants.json").read_bytes() == saved
    compare("--systems", "word-word", "--seeds", 1, "--out", tmp_path / "other")
    assert list(json.loads((tmp_path / "other" / "variants.json").read_text("utf-8"))["farm"]["runs"]) == ["word-word"]


@pytest.mark.parametrize(
    "flags, complaint",
    [
        (["--seeds", 0], "must be at least 1"),
        (["--corpus", "nowhere"], "no corpus 'nowhere'"),
        (["--systems", "word-word,wrod"], "no system 'wrod'; there are rnnsearch-word"),
        (["--preset", "quik"], "no preset 'quik'; there are quick"),
    ],
)
def test_bad_flags(refuse: Callable, flags: list, complaint: str) -> None:
    assert complaint in refuse(*flags)
