"""Chapter 1: pruned models. Each is compared with the definition, computed by dictionaries in float64.

That a model pruned on disk is the same to the bit as one in memory is in test_ngram_disk.py.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common.chapters import chapter_module
from common.errors import UserError
from common.programs.chapters import load_run
from tests.ngram_models import CHAPTER, FARM, UNSEEN, arpa, distribution, methods, sets_of_counts
from tests.ngram_reference import Reference, count, discounts
from tests.programs import Call, metrics_of

pruning, chapter_settings = (chapter_module(CHAPTER, name) for name in ("pruning", "settings"))
METHODS = tuple(chapter_module(CHAPTER, "disk_smoothing").DISK_METHODS)
CASES = [(2, "0,1"), (3, "0,0,1"), (3, "0,2"), (4, "0,0,1,2"), (4, "0,1,1,9"), (5, "0,0,1")]


class Pruned(Reference):
    """P(word | history), where an n-gram that is left out has no own part: what is not kept is passed on."""

    def __init__(self, sentences, order, words, zero, method, thresholds):
        self.plain, self.thresholds = count(sentences, order), thresholds
        super().__init__(sentences, order, words, zero, method)

    def keeps(self, ngram: tuple[str, ...]) -> bool:
        return len(ngram) == 1 or self.plain[len(ngram)][ngram] > self.thresholds[len(ngram) - 1]

    def of(self, word: str, history: tuple[str, ...]) -> float:
        n = len(history) + 1
        below = self.of(word, history[1:]) if history else self.zero[word]
        seen = self.after[n].get(history, {})
        if self.method == "witten-bell":
            own = {w: c / (sum(seen.values()) + len(seen)) for w, c in seen.items()}
        else:
            discount = discounts(self.counts[n], 3 if self.method.startswith("modified") else 1)
            own = {w: (c - discount(c)) / sum(seen.values()) for w, c in seen.items()}
        saved = {w: part for w, part in own.items() if self.keeps((*history, w))}
        return saved.get(word, 0.0) + (1 - sum(saved.values())) * below


def settings(order: int, prune: str, smoothing: str = "kneser-ney"):
    return chapter_settings.Settings(order=order, prune=prune, smoothing=smoothing)


def pruned(method: str, order: int, prune: str, sentences=FARM):
    """The chapter's model, and the same by dictionaries."""
    thresholds, (vocab, levels, zero) = settings(order, prune).thresholds, sets_of_counts(sentences, order)
    lm = methods.METHODS[method](vocab, pruning.mark(levels, thresholds), zero, [])
    return lm, Pruned(sentences, order, vocab.words, dict.fromkeys(vocab.words, 1 / len(vocab)), method, thresholds)


def histories(sentences):
    return {tuple(sentence[:length]) for sentence in sentences for length in range(len(sentence) + 1)}


@pytest.mark.parametrize(("order", "prune"), CASES)
@pytest.mark.parametrize("method", METHODS)
def test_every_probability_is_that_of_the_definition(method: str, order: int, prune: str) -> None:
    lm, reference = pruned(method, order, prune)
    for history in histories([*FARM, *UNSEEN]):
        actual = distribution(lm, history)
        known_words = ["<s>", *(word if word in lm.vocab else "<unk>" for word in history)]
        expected = [reference.prob(word, known_words) for word in lm.vocab.words]
        np.testing.assert_allclose(actual, expected, rtol=1e-9)
        assert actual.sum() == pytest.approx(1, abs=1e-12)


def test_an_order_of_which_nothing_is_kept(tmp_path: Path) -> None:
    """It is a model of shorter n-grams, and an ARPA file keeps it."""
    lm, reference = pruned("kneser-ney", 3, "0,0,99")
    assert [len(keys) > 0 for keys in lm.tables()[0]] == [True, True, False]
    actual = distribution(lm, ["the", "hen"])
    np.testing.assert_allclose(actual, [reference.prob(word, ["<s>", "the", "hen"]) for word in lm.vocab.words])
    arpa.write_arpa(tmp_path / "some.arpa", lm)
    np.testing.assert_allclose(distribution(arpa.read_arpa(tmp_path / "some.arpa"), ["the", "hen"]), actual, rtol=1e-7)


def test_the_last_threshold_is_for_all_further_orders() -> None:
    actual = [settings(order, prune).thresholds for order, prune in ((1, ""), (4, ""), (5, "0,0,1"), (4, "0,1,1,3"))]
    assert actual == [[0], [0, 0, 0, 0], [0, 0, 1, 1, 1], [0, 1, 1, 3]]


@pytest.mark.parametrize(
    ("prune", "complaint"),
    [
        ("1,1", "write one whole number per order, 0 for single words"),
        ("0,0.5", "write one whole number per order"),
        ("0,\u0661", "write one whole number per order"),
        ("0,1\n", "write one whole number per order"),
        ("0," + "9" * 5000, "write one whole number per order"),
        ("0,0,1,2", "numbers for 4 orders, but --order 3"),
    ],
)
def test_thresholds_that_cannot_be(prune: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint) as message:
        settings(3, prune)
    assert "\n" not in str(message.value) and len(str(message.value)) < 140


@pytest.mark.parametrize("method", sorted({"all", *chapter_settings.SMOOTHINGS} - {*METHODS}))
def test_methods_that_cannot_prune(method: str) -> None:
    with pytest.raises(UserError, match=f"--prune: not with --smoothing {method}; choose from witten-bell, absolute,"):
        settings(3, "0,0,1", method)
    settings(3, "", method)


# --- the programs


def test_a_pruned_run(call: Call, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Smaller, as its log says; scored, sampled and exported as any other, and read again with the same scores."""
    runs, flags = [tmp_path / "whole", tmp_path / "pruned"], ["--smoothing", "modified-kneser-ney", "--order", 4]
    call("train", "--corpus", corpus, *flags, "--run-dir", runs[0])
    call("train", "--corpus", corpus, *flags, "--prune", "0,0,1", "--run-dir", runs[1])
    whole, lm = (load_run(run)[0] for run in runs)
    sizes = [list(zip(map(len, item.tables()[0]), range(1, 5), strict=True)) for item in (lm, whole)]
    expected = ", ".join(f"{few:,} of {all_:,} of order {n}" for (few, n), (all_, _) in zip(*sizes, strict=True))
    log = (runs[1] / "log.txt").read_text("utf-8")
    assert f"n-grams kept by --prune 0,0,1: {expected}\n" in log and "kept" not in (runs[0] / "log.txt").read_text()
    assert sizes[0][:2] == sizes[1][:2] and sizes[0][2] < sizes[1][2] and sizes[0][3] < sizes[1][3]
    assert (runs[1] / "model.npz").stat().st_size < (runs[0] / "model.npz").stat().st_size
    call("export", "--run", runs[1], "--out", tmp_path / "pruned.arpa")
    scores = []
    for model in (["--run", runs[1]], ["--run", runs[1], "--memory", "1KB"], ["--arpa", tmp_path / "pruned.arpa"]):
        capsys.readouterr()
        call("generate", *model, "--unk", "token", "--score", corpus / "test.txt")
        scores.append([float(line) for line in capsys.readouterr().out.splitlines()])
    assert scores[0] == scores[1] and scores[0] == pytest.approx(scores[2], rel=1e-6) and len(scores[0]) == 16
    call("generate", "--arpa", tmp_path / "pruned.arpa", "--number", 2)
    assert len(capsys.readouterr().out.splitlines()) == 2
    assert metrics_of(runs[1])["dev"]["perplexity"] != metrics_of(runs[0])["dev"]["perplexity"]


def test_samples_of_every_order_are_of_pruned_models(call: Call, corpus: Path, tmp_path: Path, monkeypatch) -> None:
    run, program = tmp_path / "run", chapter_module(CHAPTER, "generate")
    flags = ["--smoothing", "absolute", "--order", 2, "--prune", "0,1"]
    call("train", "--corpus", corpus, *flags, "--run-dir", run)
    seen = []
    monkeypatch.setattr(program.generation, "generate", lambda model, *arguments: seen.append(model))
    for smoothing_flags in ([], ["--smoothing", "katz"]):
        call("generate", "--run", run, "--orders", 3, *smoothing_flags)
    assert [len(keys) for keys in seen[1].tables()[0]] == [len(keys) for keys in load_run(run)[0].tables()[0]]
    assert len(seen[2].tables()[0][2]) < len(seen[5].tables()[0][2])
