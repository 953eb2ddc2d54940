"""Lexicons and copying in chapter 10's programs, as a user runs them on a few invented pairs."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from common.errors import UserError
from common.programs.chapters import load_run
from common.search.translation import target_log_probs
from common.text.pairs import Pair
from tests.programs import Call, Refused, make_call, metrics_of
from tests.rare_word_models import make_model, of_chapter

CHAPTER = "10_beyond"
SMALL = ["--hidden-size", 8, "--batch-size", 8, "--learning-rate", 0.03, "--epochs", 3, "--likelihood-epochs", 2]
BOTH = ["--lexicon", "bias", "--copying"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> Path:
    """A run with a lexicon and copying, the last epoch of minimum risk by ROUGE."""
    folder = tmp_path_factory.mktemp("runs") / "both"
    with pytest.MonkeyPatch.context() as monkeypatch:
        call = make_call(monkeypatch, CHAPTER)
        call("train", *SMALL, *BOTH, "--risk", "rouge", "--share", 0.3, "--corpus", corpus, "--run-dir", folder)
    return folder


@pytest.mark.slow
def test_a_run_goes_on_with_the_parts_of_another(call: Call, corpus: Path, trained: Path, tmp_path: Path) -> None:
    """Also where that one went on itself; all needed is in the run's own folder."""
    before = trained
    for name in ("second", "third"):
        flags = ["--start-from", before, "--objective", "reinforce", "--epochs", 1, "--share", 0.3, "--batch-size", 8]
        call("train", *flags, "--corpus", corpus, "--run-dir", tmp_path / name)
        assert load_run(tmp_path / name)[0].name == load_run(trained)[0].name
        assert metrics_of(tmp_path / name)["before"]["dev"]["bleu"] == metrics_of(before)["dev"]["bleu"]
        before = tmp_path / name
    Settings = of_chapter("settings").Settings
    start, anew = Settings(start_from=str(before)), Settings(lexicon="bias", copying=True, hidden_size=8)
    assert start.footprint(3000, 3000) == anew.footprint(3000, 3000), "its parts take as much as those of a new model"
    (tmp_path / "second").rename(tmp_path / "elsewhere")
    assert load_run(tmp_path / "third")[0].copies


def test_without_the_flags_nothing_is_added(call: Call, corpus: Path, tmp_path: Path) -> None:
    call("train", *SMALL, "--objective", "likelihood", "--corpus", corpus, "--run-dir", tmp_path / "run")
    model, _ = load_run(tmp_path / "run")
    assert not hasattr(model, "parts") and not (tmp_path / "run" / "lexicon.npz").exists()


def test_damaged_runs_are_refused_in_one_line(refused: Refused, trained: Path, tmp_path: Path) -> None:
    lexicon, config, saved = (shutil.copytree(trained, tmp_path / name) for name in ("lexicon", "config", "kept"))
    (lexicon / "lexicon.npz").write_bytes(b"no lexicon")
    assert "lexicon.npz: cut short or not a lexicon" in refused("names", "--run", lexicon)
    text = (config / "config.json").read_text("utf-8")
    (config / "config.json").write_text(text.replace('"lexicon": "bias"', '"lexicon": "magic"'), "utf-8")
    assert "--lexicon magic: choose from none, bias, linear" in refused("translate", "--run", config)
    inner = json.loads(text)["settings"]
    about = {"chapter": "08_attention", "settings": {"hidden_size": inner["hidden_size"]}, "parts": {"copying": "yes"}}
    (saved / "model.json").write_text(json.dumps(about), "utf-8")
    assert "model.json: --copying yes: must be true or false" in refused("translate", "--run", saved)


# --- the program that counts names


def test_names_are_counted_by_how_often_training_shows_them() -> None:
    names = of_chapter("names")
    pairs = [
        Pair(["anna", "sees", "bo", "."], ["bo", "anna", "lira", "."]),
        Pair(["anna", "and", "cy", "9", "."], ["cy", "ya", "9", "."]),
        Pair(["the", "hen"], ["la", "zul"]),
    ]
    assert names.names_of(pairs[0]) == {"anna", "bo"} and names.names_of(pairs[1]) == {"cy"}
    seen = Counter({"anna": 7, "bo": 1})
    actual = [["<unk>", "anna", "."], ["dora", "."], ["la"]]
    replaced = [["bo", "anna", "."], ["cy", "."], ["la"]]
    rows = names.count_right(pairs, seen, actual, replaced)
    assert rows["never"] == (1, 0, 1) and rows["once"] == (1, 0, 1) and rows["5 to 19 times"] == (1, 1, 1)
    assert rows["2 to 4 times"] == rows["20 times or more"] == (0, 0, 0)
    labels = [names.frequency(count) for count in (0, 1, 2, 4, 5, 19, 20, 900)]
    never, once, few, more, many = names.LEAST
    assert labels == [never, once, few, few, more, more, many, many]


@pytest.mark.parametrize("kind", ["bias", "copying"])
def test_only_copied_words_need_no_spelling(tmp_path: Path, kind: str) -> None:
    """yak is in the source and unknown, zo is unknown only."""
    model, pairs = make_model(tmp_path, kind), [Pair(["hen", "yak"], ["yak", "zo", "ba"])]
    total = sum(float(actual.sum()) for actual in target_log_probs(model, pairs))
    spelt = 1 if kind == "copying" else 2
    expected = np.exp(-(total - spelt * np.log(10_000_000)) / 4)
    assert of_chapter("names").perplexity_of_words(model, pairs) == pytest.approx(expected)


def test_the_program_counts_and_draws(call: Call, trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """wombat, the only word that both sides have, is in one test pair; no training pair has it."""
    capsys.readouterr()
    call("names", "--run", trained)
    actual = json.loads((trained / "names.json").read_text("utf-8"))
    assert [row["names"] for row in actual["names"].values()] == [1, 0, 0, 0, 0]
    assert actual["bleu"] == pytest.approx(metrics_of(trained)["test"]["bleu"])
    hypothesis = (trained / "test.hypotheses.txt").read_text("utf-8").splitlines()[-1]
    assert actual["names"]["never"]["right"] == ("wombat" in hypothesis.split())
    assert f"{actual['perplexity']:.3f}" in capsys.readouterr().out
    call("visualize", "--run", trained, "--split", "test", "--number", 2, "--pictures", 1, "--out", tmp_path)
    assert (tmp_path / "attention-1.png").exists() and (tmp_path / "attention.html").exists()


def test_what_names_refuses(call: Call, refused: Refused, corpus: Path, tmp_path: Path) -> None:
    assert "no run here" in refused("names", "--run", tmp_path)
    flags = [*SMALL, "--epochs", 2, "--model", "encoder-decoder", "--corpus", corpus]
    call("train", *flags, "--run-dir", tmp_path / "run")
    assert "has no attention" in refused("names", "--run", tmp_path / "run")


def test_a_corpus_that_says_something_else_is_not_taken(tmp_path: Path) -> None:
    """A lexicon is that of the run's own corpus, or one line says what is missing."""
    parts = of_chapter("networks").PartSettings(lexicon="bias")
    network = make_model(tmp_path, "copying").network
    (tmp_path / "lexicon.npz").unlink()
    settings = type("Settings", (), {"corpus": str(tmp_path / "gone"), "init_scale": 0.1})
    with pytest.raises(UserError, match="no corpus"):
        of_chapter("rare_words").add_parts(network, parts, tmp_path, settings)
    assert not (tmp_path / "lexicon.npz").exists()
