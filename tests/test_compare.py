"""Comparing runs and systems: equal ones do not differ, a much better one does, and the scores are BLEU's own."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from common.errors import UserError
from common.evaluation.metrics import bleu
from common.evaluation.rouge import rouge
from common.training.pairs import checksum_of_pairs
from tests.programs import write_lines
from tools import compare
from tools.metrics import read_metrics

WORDS = "ba do ku le mi no pa ru".split()
RATES = {"good": 0.1, "alike": 0.1, "bad": 0.3}
SEEDS = (1, 2, 3, 4, 5)


@pytest.fixture(scope="module")
def systems(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """References, and three systems of five runs each: good, as good with other mistakes, and bad."""
    rng, place = random.Random(1), tmp_path_factory.mktemp("compare")
    references = [[rng.choice(WORDS) for _ in range(rng.randrange(5, 12))] for _ in range(150)]

    def spoilt(rate: float) -> list[list[str]]:
        return [[word if rng.random() > rate else rng.choice(WORDS) for word in words] for words in references]

    for corpus in ("farm", "news"):
        for split in ("train", "dev", "test"):
            write_lines(make(place / corpus) / f"{split}.source", ["hen"] * len(references))
            write_lines(place / corpus / f"{split}.target", [" ".join(words) for words in references])
    write_lines(place / "news" / "corpus.json", ['{"task": "summarisation"}'])
    outputs = {(name, seed): spoilt(rate) for name, rate in RATES.items() for seed in SEEDS}
    for (name, seed), translations in outputs.items():
        write_run(place / f"{name}{seed}", place / "farm", seed, translations, 2 + 10 * RATES[name] + seed / 100)
    return {"place": place, "references": references, "outputs": outputs}


def make(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    return folder


def write_run(
    folder: Path, corpus: Path, seed: int, outputs: list[list[str]], perplexity: float, predictions: int = 9
) -> Path:
    figures = {"perplexity": perplexity, "predictions": predictions, "unknown": 0}
    config = {"settings": {"corpus": str(corpus)}, "fingerprints": {"corpus": checksum_of_pairs(Path(corpus))}}
    write_lines(make(folder) / "config.json", [json.dumps(config)])
    write_lines(folder / "metrics.json", [json.dumps({"seed": seed, "test": figures})])
    write_lines(folder / "test.hypotheses.txt", [" ".join(words) for words in outputs])
    return folder


@pytest.fixture
def call(run_main: Callable[..., str]) -> Callable[..., str]:
    """Runs the program with these arguments; what it prints."""
    return partial(run_main, compare.main)


def system(systems: dict, name: str, seeds: tuple[int, ...] = SEEDS) -> list[object]:
    return ["--system", name, *(systems["place"] / f"{name}{seed}" for seed in seeds)]


def bleu_of(systems: dict, name: str, seed: int) -> float:
    return bleu(systems["outputs"][name, seed], systems["references"]).value


def rows(text: str) -> dict[tuple[str, str], list[str]]:
    """The differences, by system and metric."""
    ends = [re.split(r"[/\\]", line)[-1] for line in text.splitlines()]  # a system may be the path of its run
    lines = [line.replace("log perplexity", "log-perplexity").split() for line in ends]
    return {(line[0], line[1]): line[2:] for line in lines if len(line) > 2 and line[2][0] in "+-"}


def test_systems(systems: dict, call: Callable) -> None:
    text = call(*system(systems, "good"), *system(systems, "alike"), *system(systems, "bad"), "--resamples", 150)
    expected = {name: [bleu_of(systems, name, seed) for seed in SEEDS] for name in RATES}
    mean = {name: sum(values) / 5 for name, values in expected.items()}
    table, cells = rows(text), next(line.split() for line in text.splitlines() if line.startswith("bad "))
    assert cells[1] == "5" and float(cells[5]) == pytest.approx(mean["bad"], abs=0.006)
    for name in ("alike", "bad"):
        actual, low, _, high, p, alike, _, of = table[name, "BLEU"]
        assert float(actual) == pytest.approx(mean[name] - mean["good"], abs=0.006)
        pairs = zip(expected[name], expected["good"], strict=True)
        signs = [(first > second) == (mean[name] > mean["good"]) for first, second in pairs]
        assert (int(alike), int(of)) == (sum(signs), 5)
        assert float(low) < float(actual) < float(high)
        assert (float(p) < 0.01 and float(high) < 0) if name == "bad" else (float(p) > 0.05 and float(low) < 0)
    logs = [sum(math.log(2 + 10 * rate + seed / 100) for seed in SEEDS) / 5 for rate in (0.1, 0.3)]
    actual = table["bad", "log-perplexity"]
    assert float(actual[0]) == pytest.approx(logs[1] - logs[0], abs=6e-5) and actual[-3:] == ["5", "of", "5"]
    assert "tok:none" in text and "chrF: " in text and "over resampled seeds and sentences" in text
    assert "claim" not in text and "not between systems" not in text


def test_few_seeds_are_no_claim(systems: dict, call: Callable) -> None:
    """Only the seeds that both systems have are compared one by one."""
    text = call(*system(systems, "good", (1, 2, 3, 5)), *system(systems, "bad", (3, 4, 5)), "--resamples", 50)
    assert "only 3 of the 5 seeds that a claim takes: none is made" in text
    assert rows(text)["bad", "BLEU"][-3:] == ["2", "of", "2"]
    alone = call(*system(systems, "good", (1,)), *system(systems, "bad"), "--resamples", 50)
    assert len(rows(alone)["bad", "BLEU"]) == 4 and "only 1 of the 5 seeds" in alone  # no interval, no p


def test_two_runs(systems: dict, call: Callable) -> None:
    text = call(*(systems["place"] / f"{name}1" for name in ("good", "alike", "bad")), "--resamples", 150)
    scores = {name: bleu_of(systems, name, 1) for name in RATES}
    table = rows(text)
    for name in ("alike", "bad"):
        actual, low, _, high, p = table[f"{name}1", "BLEU"]
        assert float(actual) == pytest.approx(scores[name] - scores["good"], abs=0.006)
        assert (float(p) < 0.01 and float(high) < 0) if name == "bad" else (float(p) > 0.05 and float(low) < 0)
    assert "differences between these runs, not between systems" in text and "over resampled sentences only" in text
    assert "over resampled seeds" not in text and len(table["bad1", "log-perplexity"]) == 1


def test_the_seed_decides(systems: dict, call: Callable) -> None:
    arguments = [*system(systems, "good", (1, 2)), *system(systems, "alike", (1, 2)), "--resamples", 20, "--seed"]
    first, again, other = (rows(call(*arguments, seed)) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.slow
def test_other_predictions_are_not_compared_by_perplexity(systems: dict, call: Callable, tmp_path: Path) -> None:
    outputs = systems["outputs"]["bad", 1]
    other = write_run(tmp_path / "other", systems["place"] / "farm", 1, outputs, 3.0, predictions=8)
    table = rows(call(systems["place"] / "good1", other, "--resamples", 20))
    assert ("other", "BLEU") in table and ("other", "log-perplexity") not in table


def write_language_model_run(folder: Path, corpus: str, seed: int, perplexity: float, predictions: int = 9) -> Path:
    figures = {"perplexity": perplexity, "predictions": predictions, "unknown": 0}
    write_lines(make(folder) / "metrics.json", [json.dumps({"corpus": corpus, "seed": seed, "test": figures})])
    write_lines(folder / "config.json", [json.dumps({"fingerprints": {"corpus": corpus}})])
    return folder


def test_language_models_are_compared_by_perplexity(call: Callable, tmp_path: Path) -> None:
    flags: list[object] = []
    for name, level in {"lstm": 11.0, "attention": 9.0}.items():
        flags += ["--system", name]
        flags += [write_language_model_run(tmp_path / f"{name}{n}", "village", n, level + n / 100) for n in SEEDS]
    text = call(*flags)
    expected = sum(math.log((9 + n / 100) / (11 + n / 100)) for n in SEEDS) / 5
    row = next(line for line in text.splitlines() if line.startswith("attention") and "log perplexity" in line)
    assert f"{expected:+.4f}" in row and row.endswith("5 of 5") and "BLEU" not in text
    assert "over seeds only" in text and "sentences" not in text


def test_summaries_are_compared_by_rouge(systems: dict, call: Callable, tmp_path: Path) -> None:
    pytest.importorskip("rouge_score")
    outputs, news = systems["outputs"], systems["place"] / "news"
    runs = [write_run(tmp_path / name, news, 1, outputs[name, 1], 2.0) for name in ("good", "bad")]
    text = call(*runs, "--resamples", 10)
    first, second = (rouge(outputs[name, 1], systems["references"]) for name in ("good", "bad"))
    table = rows(text)
    assert {metric for _, metric in table} == {"log-perplexity", "BLEU", "ROUGE-1", "ROUGE-2", "ROUGE-L"}
    for kind, name in (("rouge1", "ROUGE-1"), ("rouge2", "ROUGE-2"), ("rougeL", "ROUGE-L")):
        assert float(table["bad", name][0]) == pytest.approx(second[kind].value - first[kind].value, abs=0.006)
    assert "version:rouge-score." in text


@pytest.mark.parametrize(
    "arguments, complaint",
    [
        ([], "give either two runs or more, or systems"),
        (["good1", "--system", "bad", "bad1"], "give either two runs or more, or systems"),
        (["good1"], "two runs or more"),
        (["--system", "good", "good1", "good2"], "or two systems"),
        (["--system", "good", "good1", "--system", "bad"], "or two systems"),
        (["good1", "good1"], "name each once"),
        (["--system", "good", "good1", "--system", "good", "bad1"], "name each once"),
        (["good1", "farm"], "no finished run"),
        (["good1", "unfinished"], "metrics.json: missing"),
        (["good1", "bad1", "--resamples", "1"], "--resamples"),
        (["good1", "bad1", "--seed", "-1"], "--seed at least 0"),
        (["good1", "bad1", "--split", "dev"], "no dev.hypotheses.txt"),
        (["good1", "elsewhere"], "another corpus"),
        (["good1", "short"], "1 translations of 150 sentences"),
        (["--system", "good", "good1", "twice", "--system", "bad", "bad1"], "good: two of its runs have the same seed"),
        (["lm", "lm-ptb"], "of a language model on village"),
        (["lm", "lm-fewer"], "do not predict the same words"),
        (["lm", "lm-edited"], "trained on other texts"),
        (["changed1", "changed2"], "have changed since the run was trained"),
    ],
)
def test_bad_input(systems: dict, refuse_main: Callable, arguments: list[str], complaint: str) -> None:
    place, outputs = systems["place"], systems["outputs"]["bad", 1]
    (write_run(place / "unfinished", place / "farm", 1, outputs, 2.0) / "metrics.json").unlink()
    write_run(place / "elsewhere", place / "news", 1, outputs, 2.0)
    write_run(place / "short", place / "farm", 1, [["ba"]], 2.0)
    write_run(place / "twice", place / "farm", 1, outputs, 2.0)
    for name, corpus, *predictions in (
        ("", "village"),
        ("-ptb", "ptb"),
        ("-fewer", "village", 8),
        ("-edited", "village"),
    ):
        write_language_model_run(place / f"lm{name}", corpus, len(name), 9.0, *predictions)
    write_lines(place / "lm-edited" / "config.json", [json.dumps({"fingerprints": {"corpus": "edited"}})])
    for split, side in product(("train", "dev", "test"), ("source", "target")):
        write_lines(make(place / "changing") / f"{split}.{side}", ["hen"] * 3)
    for seed in (1, 2):
        write_run(place / f"changed{seed}", place / "changing", seed, [["hen"]] * 3, 2.0)
    write_lines(place / "changing" / "test.target", ["an ox"] * 3)
    names = [place / name if (place / name).exists() else name for name in arguments]
    assert complaint in refuse_main(compare.main, *names)


DAMAGED = [{"parameters": "12"}, {"seconds": [1]}, {"versions": {"python": 3}}, {"epochs": {}}, {"dev": []}]
DAMAGED += [{"test": {"accuracy": "high"}}, {"test": {"perplexity": 0}}, {"dev": {"perplexity": -2.5}}, {"seed": True}]
DAMAGED += [{"seed": "1"}, {"chapter": 9}, {"corpus": None}, {"test": 2.5}]


@pytest.mark.parametrize("damaged", DAMAGED, ids=str)
def test_results_of_another_kind_are_damage(damaged: dict, tmp_path: Path) -> None:
    """A perplexity that cannot be, too."""
    write_lines(tmp_path / "metrics.json", [json.dumps(damaged)])
    with pytest.raises(UserError, match="no readable results"):
        read_metrics(tmp_path)
