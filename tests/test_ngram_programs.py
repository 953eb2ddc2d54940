"""The programs of chapter 1: what its own flags do. What all chapters share is in test_every_chapter.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.chapters import chapter_module
from common.evaluation.perplexity import evaluate
from common.programs.chapters import load_run
from tests.ngram_models import CHAPTER, build, distribution
from tests.programs import Call, Refused, metrics_of


def lines(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text("utf-8").splitlines()]


def table_of(log: str) -> list[str]:
    """The rows of the comparison."""
    below = log.split("perplexity on dev, order")[1].splitlines()[1:]
    return below[: below.index("")]


def test_the_best_on_dev_is_kept(call: Call, corpus: Path, tmp_path: Path) -> None:
    """The table names every smoothing at every order, and its figures are those of the models."""
    run = tmp_path / "run"
    call("train", "--corpus", corpus, "--smoothing", "all", "--order", 3, "--run-dir", run)
    log = (run / "log.txt").read_text("utf-8")
    rows = {line.split()[0]: [float(figure) for figure in line.split()[1:]] for line in table_of(log)}
    smoothings = chapter_module(CHAPTER, "settings").SMOOTHINGS
    assert set(rows) == {"maximum-likelihood", *smoothings}
    train, dev = lines(corpus / "train.txt"), lines(corpus / "dev.txt")
    for method in ("kneser-ney", "fixed-weights"):
        lm = build(method, train, 2, spells=True, dev=dev, min_count=2)
        assert rows[method][1] == pytest.approx(evaluate(lm, dev, "uniform").perplexity, abs=0.005)
    best = min(min(rows[smoothing]) for smoothing in smoothings)
    metrics = metrics_of(run)
    assert metrics["dev"]["perplexity"] == pytest.approx(best, abs=0.005)
    settings = metrics["settings"]
    assert rows[settings["smoothing"]][settings["order"] - 1] == best
    assert (run / "perplexity_by_order.png").is_file()


ARPA = """
\\data\\
ngram 1=4

\\1-grams:
-99 <s>
-0.7 </s>
-0.3 hen
-99 ox

\\end\\
"""


def test_what_makes_a_perplexity_infinite_is_listed(call: Call, tmp_path: Path, capsys) -> None:
    """The file has no <unk>, and nothing for ox."""
    (tmp_path / "model.arpa").write_text(ARPA, encoding="utf-8")
    (tmp_path / "text.txt").write_text("hen wombat ox\nhen\nwombat zebra\n", encoding="utf-8")
    call("generate", "--arpa", tmp_path / "model.arpa", "--score", tmp_path / "text.txt")
    out, err = capsys.readouterr()
    assert out.split() == ["-inf", "-2.302585", "-inf"]
    assert "3 unknown words" in err and "perplexity inf" in err
    assert "4 predictions with the probability 0: wombat, ox, zebra;" in err


def test_one_smoothing_with_everything(call: Call, corpus: Path, tmp_path: Path, capsys) -> None:
    """Skip-grams, cache and spelling together: saved, loaded, sampled and scored as evaluated."""
    run = tmp_path / "run"
    flags = ["--smoothing", "witten-bell", "--order", 2, "--skip", 3, "--cache", "--unk", "characters"]
    call("train", "--corpus", corpus, *flags, "--run-dir", run)
    figures = metrics_of(run)["test"]
    assert figures["unknown"] == 1 and figures["unknown_log_prob"] < 0
    model, _ = load_run(run)
    assert figures["unknown_log_prob"] == pytest.approx(model.vocab.spell(["wombat"])[0])
    assert distribution(model, ["the", "hen"]).sum() == pytest.approx(1)
    log = (run / "log.txt").read_text("utf-8")
    for extra in ("skip-grams of distance 2", "skip-grams of distance 3", "a cache"):
        assert f"with {extra}, weight" in log
    capsys.readouterr()
    call("generate", "--run", run, "--score", corpus / "test.txt")
    scores = [float(line) for line in capsys.readouterr().out.splitlines()]
    assert sum(scores) == pytest.approx(figures["log_prob"], abs=1e-6 * figures["predictions"])


def test_samples_of_every_order(call: Call, corpus: Path, tmp_path: Path, capsys) -> None:
    run = tmp_path / "run"
    call("train", "--corpus", corpus, "--smoothing", "katz", "--order", 2, "--run-dir", run)
    for flags, orders in ((["--orders"], 2), (["--orders", "4"], 4)):
        capsys.readouterr()
        call("generate", "--run", run, *flags, "--number", 2)
        out = capsys.readouterr().out.splitlines()
        assert [line for line in out if line.startswith("---")] == [f"--- katz of order {n + 1}" for n in range(orders)]
        assert len(out) == 3 * orders


@pytest.mark.parametrize(
    "program, flags, complaint",
    [
        ("export", ["--out", "{place}/mixed.arpa", "--run", "{run}"], "train without --cache and --skip"),
        ("generate", ["--arpa", "{place}/none.arpa"], "none.arpa: No such file"),
        ("generate", ["--arpa", "{place}/none.arpa", "--run", "{run}"], "leave out --run, --orders and --smoothing"),
        (
            "generate",
            ["--arpa", "{place}/none.arpa", "--smoothing", "katz"],
            "leave out --run, --orders and --smoothing",
        ),
        ("generate", ["--run", "{run}", "--orders", "0"], "N must be at least 1"),
        ("generate", ["--arpa", "{place}/none.arpa", "--orders", "0"], "leave out --run, --orders and --smoothing"),
        ("generate", ["--run", "{run}", "--smoothing", "absolute"], "--smoothing absolute: only with --orders"),
    ],
)
def test_what_cannot_be_is_one_line(
    program: str, flags: list[str], complaint: str, call: Call, refused: Refused, corpus: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    call("train", "--corpus", corpus, "--smoothing", "absolute", "--order", 1, "--cache", "--run-dir", run)
    assert complaint in refused(program, *(flag.format(place=tmp_path, run=run) for flag in flags))
    assert not list(tmp_path.glob("*.arpa"))
