"""A sweep: settings are checked before anything is trained, nothing is trained twice, the table is what was found."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import mean, stdev
from types import SimpleNamespace

import pytest
from matplotlib.image import imread

from common.chapters import chapter_module
from common.errors import UserError
from common.executor import Children
from common.files import write_json
from tests.programs import make_call, metrics_of
from tools.experiment import __main__ as experiment, sweep, sweep_report
from tools.experiment.equal_care import best_on_dev, difference_table
from tools.experiment.sweep_report import check_corpora, in_common, table

CHAPTER = "03_neural_networks"
SIZES = ("--set", "hidden_size=2,4", "--set", "epochs=5", "--seeds", "2")


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[list[str]]:
    """The processes that were asked for; they are run within this one, without the chapter's pictures."""
    calls: list[list[str]] = []
    monkeypatch.setattr(chapter_module(CHAPTER, "report"), "draw", lambda *arguments: None)
    call = make_call(monkeypatch, CHAPTER)

    def run(command: list[str], **options: object) -> SimpleNamespace:
        calls.append(command)
        call("train", *command[2:])
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setenv("COURSE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setattr(Children, "run", staticmethod(run))
    return calls


@pytest.fixture
def without_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than the small trainings."""
    monkeypatch.setattr(sweep_report, "draw", lambda *arguments: None)


SWEEP = (experiment.main, "sweep", f"chapters/{CHAPTER}", "--jobs", "1")


@pytest.fixture
def call(run_main: Callable[..., str], commands: list) -> Callable[..., str]:
    return partial(run_main, *SWEEP)


@pytest.fixture
def refuse(refuse_main: Callable[..., str], commands: list) -> Callable[..., str]:
    return partial(refuse_main, *SWEEP)


def folders(tmp_path: Path) -> dict[str, Path]:
    return {path.name: path for path in (tmp_path / "runs" / "sweeps" / CHAPTER).glob("*seed*")}


def test_table_and_picture_are_of_the_runs(call: Callable, commands: list, tmp_path: Path) -> None:
    call(*SIZES)
    assert len(commands) == 4 and len(folders(tmp_path)) == 4
    out = tmp_path / "runs" / "sweeps" / CHAPTER / "over-hidden_size"
    content = json.loads((out / "sweep.json").read_text("utf-8"))
    assert [row["values"]["hidden_size"] for row in content["rows"]] == ["2", "4"]
    text = (out / "sweep.md").read_text("utf-8")
    for size, row in zip((2, 4), content["rows"], strict=True):
        every = map(metrics_of, folders(tmp_path).values())
        runs = [run for run in every if (run["settings"]["hidden_size"], run["settings"]["epochs"]) == (size, 5)]
        by_seed = {str(run["seed"]): run["test"]["loss"] for run in runs}
        assert {seed: run["test"]["loss"] for seed, run in row["runs"].items()} == by_seed and len(by_seed) == 2
        line = next(line for line in text.splitlines() if line.startswith(f"| `{size}` |"))
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        losses = [by_seed["1"], by_seed["2"]]
        assert cells[1] == str(runs[0]["parameters"])
        assert [float(part) for part in cells[2].split(" ± ")] == pytest.approx(
            [mean(losses), stdev(losses)], abs=0.006
        )
        assert [float(cell) for cell in cells[4:6]] == pytest.approx(losses, abs=0.006)
    assert "All have epochs 5." in text and "none is made here" in text
    assert imread(out / "sweep.png").ndim == 3


@pytest.mark.usefixtures("without_picture")
def test_runs_are_kept_shared_and_resumed(call: Callable, commands: list, tmp_path: Path) -> None:
    call(*SIZES)
    before = {name: (path / "metrics.json").read_bytes() for name, path in folders(tmp_path).items()}
    call("--set", "hidden_size=4", "--set", "epochs=5", "--set", "activation=tanh,relu", "--seeds", "2")
    assert len(commands) == 6, "two are trained already"
    now = folders(tmp_path)
    assert len(now) == 6 and all((now[name] / "metrics.json").read_bytes() == before[name] for name in before)
    unfinished = next(path for name, path in folders(tmp_path).items() if "relu" not in name)
    (unfinished / "metrics.json").unlink()
    call(*SIZES, "--finished")
    assert len(commands) == 6
    call(*SIZES)
    ((*command, last),) = commands[6:]
    assert command[:4] == [*commands[0][:2], "--run-dir", str(unfinished)] and last == "--resume"
    assert "--epochs=5" in command, "device and threads are not kept: a run goes on with its flags"


@pytest.mark.usefixtures("without_picture")
def test_finished_reports_on_what_is_there(call: Callable, refuse: Callable, commands: list, tmp_path: Path) -> None:
    assert "no run of this sweep is finished; the first would be in" in refuse(*SIZES, "--finished")
    call("--set", "hidden_size=2", "--set", "epochs=5", "--seeds", "1")
    call("--set", "hidden_size=2,4", "--set", "epochs=5", "--finished", "--out", str(tmp_path / "out"))
    rows = json.loads((tmp_path / "out" / "sweep.json").read_text("utf-8"))["rows"]
    assert [(row["values"]["hidden_size"], [*row["runs"]]) for row in rows] == [("2", ["1"])] and len(commands) == 1


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--set", "size=3"], "the chapter has no setting 'size'; there are activation, "),
        (["--set", "hidden_size=2,many"], "argument --hidden-size: invalid int value: 'many'"),
        (["--set", "hidden_size=4,0"], "--hidden-size 0: must be at least 1"),
        (["--set", "activation=tanh,cosine"], "invalid choice: 'cosine'"),
        (["--set", "preset=small"], "--preset small: there is no such preset"),
        (["--set", "hidden_size"], "write a setting and its values"),
        (["--set", "hidden_size=2,"], "write a setting and its values"),
        (["--set", "hidden_size=2;;"], "write a setting and its values"),
        (["--set", "hidden_size=2", "--set", "hidden-size=3"], "given twice"),
        (["--set", "hidden_size=2,2"], "given twice; put a ; behind a single value that contains commas"),
        (["--set", "hidden_size=2,02"], "two combinations of the values of --system, --recipe and --set are the same"),
        (["--set", "seed=1,2"], "--seeds chooses seeds"),
        (["--set", "threads=1,2"], "does not change the model"),
        (["--seeds", "0"], "--seeds and --jobs must be at least 1"),
        (["--seeds", "99999"], "--seeds 99999: must be at most 10000"),
        (["--scheduler", "nowhere"], "--scheduler nowhere: no Dask scheduler answers there"),
        (["--system", "a", "size=3"], "the chapter has no setting 'size'"),
        (["--system", "a", "epochs"], "write a setting and its values"),
        (["--system", "a", "epochs=3", "--system", "a"], "--system a: given twice"),
        (["--system", "a", "epochs=3", "--recipe", "b", "epochs=4"], "recipe b: the setting epochs is chosen twice"),
        (["--system", "a", "--system", "b"], "two combinations of the values of --system, --recipe and --set"),
    ],
)
def test_what_is_refused(refuse: Callable, commands: list, tmp_path: Path, arguments: list[str], message: str) -> None:
    """In one line, before anything is trained, also where only the last of many values is wrong."""
    if arguments[0] == "--scheduler":
        pytest.importorskip("distributed")
    assert message in refuse(*arguments)
    assert not commands and not folders(tmp_path)


def test_switches_and_values_with_commas() -> None:
    cells = sweep.make_cells("01_ngram_lm", ["cache=true,false", "order=2"])
    assert [cell.flags for cell in cells] == [("--cache", "--order=2"), ("--order=2",)]
    assert [cell.settings.cache for cell in cells] == [True, False]
    cells = sweep.make_cells("02_loglinear_lm", ["features=word1;word1,word2"])
    assert [cell.settings.features for cell in cells] == ["word1", "word1,word2"]
    cells = sweep.make_cells("02_loglinear_lm", ["features=word1,word2;"])
    assert [cell.flags for cell in cells] == [("--features=word1,word2",)]
    assert [cell.settings.features for cell in cells] == ["word1,word2"]
    assert sweep.read_sets(["order=2;"], ["order"]) == {"order": ["2"]}
    with pytest.raises(UserError, match="--set cache=yes: must be true or false"):
        sweep.make_cells("01_ngram_lm", ["cache=yes"])


@pytest.mark.usefixtures("without_picture")
def test_results_that_are_damaged_or_not_in_common(call: Callable, refuse: Callable, tmp_path: Path) -> None:
    call(*SIZES)
    run = next(iter(folders(tmp_path).values()))
    metrics = metrics_of(run)
    results = {name: value for name, value in metrics["test"].items() if name not in ("loss", "accuracy")}
    for change, message in (
        ({"parameters": "x"}, "no readable results"),
        ({"versions": {}}, "no readable results"),
        ({"test": results}, "the runs have none of the results"),
    ):
        write_json(run / "metrics.json", {**metrics, **change})
        assert message in refuse(*SIZES, "--finished", "--out", tmp_path / "out")
        assert not (tmp_path / "out").exists()
    config = json.loads((run / "config.json").read_text("utf-8"))
    write_json(run / "config.json", {**config, "fingerprints": [1]})
    with pytest.raises(UserError, match="damaged"):
        check_corpora(CHAPTER, [run])


def test_runs_on_another_corpus_of_the_same_name(tmp_path: Path) -> None:
    for name, content in (("old", "aa"), ("new", "bb"), ("newer", "bb")):
        config = {"chapter": CHAPTER, "settings": {"corpus": "farm"}, "fingerprints": {"corpus": content}}
        write_json(tmp_path / name / "config.json", config)
    check_corpora(CHAPTER, [tmp_path / "new", tmp_path / "newer"])
    with pytest.raises(UserError, match="newer: not trained on the same farm as .*old; remove the older one"):
        check_corpora(CHAPTER, [tmp_path / "old", tmp_path / "newer"])


def test_only_what_all_runs_have_is_shown() -> None:
    """Two ways of counting, where every run has both; runs without a result in common are refused."""
    both = {"perplexity": 95.0, "salton2017_perplexity": 74.0}
    run = {"parameters": 9, "seconds": 1.0, "dev": both, "test": both}
    assert in_common([run, run]) == ["perplexity", "salton2017_perplexity"]
    assert in_common([run, {**run, "test": {"perplexity": 90.0}}]) == ["perplexity"]
    with pytest.raises(UserError, match="none of the results"):
        in_common([run, {**run, "test": {"bleu": 30.0}}])
    head, _, line, *_ = table([{"values": {"score": "none"}, "runs": {1: run}}], ["score"], in_common([run]))
    cells = dict(zip(*([cell.strip() for cell in text.strip("|").split("|")] for text in (head, line)), strict=True))
    assert cells["test salton2017_perplexity"] == "74.0" and cells["dev perplexity"] == "95.0"


SYSTEMS = ("--system", "bent", "activation=tanh", "--system", "straight", "activation=relu")
RECIPES = ("--recipe", "short", "epochs=1", "--recipe", "long", "epochs=30", "learning_rate=0.05")


def leave_results(command: list[str], **options: object) -> SimpleNamespace:
    """Stands for a training: leaves a run whose results depend on its flags and its seed, on dev and test alike."""
    flags = dict(flag.removeprefix("--").split("=") for flag in command if flag.startswith("--") and "=" in flag)
    folder, seed = Path(command[command.index("--run-dir") + 1]), int(command[command.index("--seed") + 1])
    loss = {"tanh": 2.0, "relu": 2.2}[flags["activation"]] - int(flags["epochs"]) / int(flags["hidden-size"]) / 100
    dev, test = ({"loss": loss + shift + 0.1 * seed} for shift in (0.0, 0.3 * seed))
    versions = {"machine": "Linux", "python": "3.11", "numpy": "2.0"}
    metrics = {"seed": seed, "parameters": 9, "seconds": 1.0, "versions": versions, "dev": dev, "test": test}
    write_json(folder / "config.json", {"chapter": CHAPTER, "settings": {}})
    write_json(folder / "metrics.json", metrics)
    return SimpleNamespace(returncode=0, stderr="")


@pytest.mark.usefixtures("without_picture")
def test_every_system_gets_every_recipe_and_is_judged_by_its_best_on_dev(
    call: Callable, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(Children, "run", lambda _, command, **rest: commands.append(command) or leave_results(command))
    call(*SYSTEMS, *RECIPES, "--set", "hidden_size=2,4", "--seeds", "2", "--out", str(tmp_path / "out"))
    assert len(commands) == 2 * 2 * 2 * 2
    rows = json.loads((tmp_path / "out" / "sweep.json").read_text("utf-8"))["rows"]
    best_rows = {}
    for row in rows:
        dev = mean(run["dev"]["loss"] for run in row["runs"].values())
        best = best_rows.setdefault(row["values"]["system"], (dev, row))
        best_rows[row["values"]["system"]] = min(best, (dev, row), key=lambda pair: pair[0])
    part = (tmp_path / "out" / "sweep.md").read_text("utf-8").partition("## With equal care")[2]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if "`" in line]
    losses = {}
    for (name, (_, row)), line in zip(best_rows.items(), cells[:2], strict=True):
        values = row["values"]
        assert line[:3] == [f"`{name}`", f"recipe {values['recipe']}, hidden_size {values['hidden_size']}", "2"]
        losses[name] = [run["test"]["loss"] for run in row["runs"].values()]
        half = 12.706 * stdev(losses[name]) / 2**0.5  # Student's t with one degree of freedom
        assert [float(part) for part in line[4].split(" ± ")] == pytest.approx([mean(losses[name]), half], abs=0.006)
    differences = [other - first for first, other in zip(*losses.values(), strict=True)]
    assert cells[2][:2] == ["`straight` − `bent`", "loss"]
    assert float(cells[2][2]) == pytest.approx(mean(differences), abs=6e-5) and cells[2][5].endswith(" of 2")
    assert "A pair has only 2 of the 5 seeds" in part
    call(*SYSTEMS, *RECIPES, "--set", "hidden_size=2,4", "--seeds", "2", "--out", str(tmp_path / "again"))
    assert len(commands) == 16, "a finished run is not trained again"


def test_the_best_on_dev_is_the_lowest_perplexity_and_the_highest_bleu() -> None:
    """Of the recipes with the most seeds: one lucky seed does not win."""

    def row(system: str, *values: float) -> dict:
        runs = {seed: {"dev": {"perplexity": value, "bleu": value}} for seed, value in enumerate(values)}
        return {"values": {"system": system}, "runs": runs}

    rows = [row("a", 5.0, 6.0), row("a", 4.0, 5.0), row("a", 1.0), row("b", 7.0)]
    assert best_on_dev(rows, "perplexity") == [rows[1], rows[3]]
    assert best_on_dev(rows, "bleu") == [rows[0], rows[3]]
    del rows[0]["runs"][0]["dev"]
    with pytest.raises(UserError, match="no results on dev"):
        best_on_dev(rows, "bleu")


def test_perplexities_of_other_predictions_are_not_compared() -> None:
    def row(system: str, predictions: int) -> dict:
        runs = {
            seed: {"test": {"perplexity": 9.0 + seed * predictions, "bleu": 1.0 * seed, "predictions": predictions}}
            for seed in (1, 2)
        }
        return {"values": {"system": system}, "runs": runs}

    _, _, line, *_ = difference_table([row("a", 7), row("b", 8)], ["perplexity", "bleu"])
    assert line.split(" | ")[1] == "bleu"
    log, bleu = difference_table([row("a", 7), row("b", 7)], ["perplexity", "bleu"])[2:4]
    assert "log perplexity | +0.0000" in log and "bleu | +0.00 " in bleu
