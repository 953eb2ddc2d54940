"""What chapter 9's lesson prints and draws: the worked examples beside plain arithmetic, and the recorded runs."""

from __future__ import annotations

import math
import re
from pathlib import Path
from statistics import mean, stdev
from types import SimpleNamespace

import numpy as np
import pytest

from book import blocks
from book.figures import ch09_record
from book.figures.recorded import recorded
from book.lessons import read
from book.worked import ch09 as worked, ch09_measures as measures
from common.text import alignment, pairs
from tests.attention_reference import softmax
from tests.programs import make_call

CHAPTER = "09_word_attention"
LESSON = read(f"chapters/{CHAPTER}/README.md")


def contexts() -> list[np.ndarray]:
    """Both contexts, by NumPy alone."""
    found = []
    for rows in (worked.ANNOTATIONS, worked.EMBEDDINGS):
        scores = np.tanh(worked.STATE + 2 * rows) @ [2.0, -2.0]
        found.append(softmax(scores) @ rows)
    return found


def gate_of(alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-(0.5 * np.array([-1.0, -1.0]) + worked.STATE + alpha - beta)))


@pytest.mark.equation("wu2018", 1, 2, 5)
def test_contexts_and_gate_of_the_worked_step() -> None:
    found, (alpha, beta) = worked.step("gates"), contexts()
    np.testing.assert_allclose(found.plain, [alpha, beta], atol=1e-6)
    gate = gate_of(alpha, beta)
    np.testing.assert_allclose(found.gate, gate, atol=1e-6)
    np.testing.assert_allclose(found.contexts, [gate * alpha, (1 - gate) * beta], atol=1e-6)
    np.testing.assert_allclose(np.sum(worked.gate_terms(found), axis=0), found.inner, atol=1e-6)


@pytest.mark.equation("wu2018", 3, 4, 6)
@pytest.mark.parametrize("reading", worked.READINGS, ids="-".join)
def test_the_next_word_of_the_worked_step(reading: tuple[str, str]) -> None:
    """State and probabilities, with one context, with two, and with both readings of the gates."""
    alpha, beta = contexts()
    gate = gate_of(alpha, beta)
    read = {"rnnsearch": [alpha], "word": [alpha, beta], "gates": [gate * alpha, (1 - gate) * beta]}[reading[0]]
    state = np.tanh(0.2 * np.array([-1.0, -1.0]) + 0.5 * worked.STATE + sum(read))
    shown = [alpha, beta] if reading == ("gates", "plain") else read
    scores = np.array(list(worked.TARGETS.values())) @ (state + sum(shown))
    found = worked.step(*reading)
    np.testing.assert_allclose(found.state, state, atol=1e-6)
    np.testing.assert_allclose(list(found.probabilities.values()), softmax(scores), atol=1e-6)


def test_the_arithmetic_of_the_new_state_is_that_of_the_step() -> None:
    printed, found = list(worked.new_state()), worked.step("gates")
    np.testing.assert_allclose(np.tanh(printed[10:12]), found.state, atol=1e-6)
    exponentials = np.array(printed[19::5])
    np.testing.assert_allclose(exponentials / exponentials.sum(), list(found.probabilities.values()), atol=1e-6)


def test_the_gradient_through_the_gate_is_the_one_derived() -> None:
    """The lesson's derivation against DyNet's gradient, and against finite differences."""
    alpha, beta = contexts()
    gate, (toward_alpha, toward_beta) = gate_of(alpha, beta), worked.GRADIENTS
    delta = gate * (1 - gate) * (toward_alpha * alpha - toward_beta * beta)
    found = worked.gradients()
    np.testing.assert_allclose(found["gate"], delta, atol=1e-6)
    np.testing.assert_allclose(found["annotations"], gate * toward_alpha + delta, atol=1e-6)
    np.testing.assert_allclose(found["words"], (1 - gate) * toward_beta - delta, atol=1e-6)

    def loss(moved: np.ndarray) -> float:
        open_ = gate_of(moved, beta)
        return float(open_ * moved @ toward_alpha + (1 - open_) * beta @ toward_beta)

    for place in range(2):
        step = 1e-6 * np.eye(2)[place]
        slope = (loss(alpha + step) - loss(alpha - step)) / 2e-6
        assert math.isclose(slope, found["annotations"][place], abs_tol=1e-6)


def test_parameters_follow_the_formulas() -> None:
    H = measures.H
    assert measures.size_of("word", "state") - measures.size_of("rnnsearch", "state") == 7 * H * H + H
    assert measures.size_of("word", "word") - measures.size_of("rnnsearch", "word") == 8 * H * H + H
    assert measures.size_of("gates", "word") - measures.size_of("word", "word") == 4 * H * H
    runs = measures.variants()["village_pairs"]["runs"]
    for variant in ("word", "rnnsearch"):
        published = {query: runs[f"{variant}-{query}"][0]["parameters"] for query in ("word", "state")}
        added = measures.size_of(variant, "word") - measures.size_of(variant, "state")
        assert published["word"] - published["state"] == added


@pytest.mark.parametrize(
    ("first", "second", "length"),
    [("a b c d", "b d", 2), ("a b", "c", 0), ("a b a b", "b a b a", 3), (", a , b", "b , a ,", 3)],
)
def test_the_longest_common_subsequence(first: str, second: str, length: int) -> None:
    found = measures.common_subsequence(first.split(), second.split())
    assert len(found) == length
    assert all(first.split()[i] == second.split()[j] for i, j in found)
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in zip(found, found[1:], strict=False))


def test_rouge_by_hand_is_that_of_the_library() -> None:
    printed = list(measures.rouge())
    for (match, candidate, reference), *scores in zip(
        measures.matches(), printed[3::6], printed[4::6], printed[5::6], strict=True
    ):
        precision, recall = match / candidate, match / reference
        np.testing.assert_allclose(scores, [precision, recall, 2 * match / (candidate + reference)])


def test_the_interval_by_hand_is_close_to_the_published_one() -> None:
    """The bootstrap over seeds is the t interval of Welch, but for the chance of drawing."""
    *_, low, high = measures.interval()
    published_low, published_high = (measures.published("log perplexity")[end] for end in ("low", "high"))
    assert abs(low - published_low) < 0.001 and abs(high - published_high) < 0.001
    first, second = (measures.log_perplexities(name) for name in measures.COMPARED)
    assert len(first) == len(second) == 5
    assert all(two < one for one in first for two in second)  # said in the lesson


def block(name: str) -> str:
    """What stands in the worked block of this function of ch09_measures."""
    return re.search(rf"ch09_measures {name} -->\n(.*?)\n<!--", LESSON, re.DOTALL)[1]


def test_a_reader_can_recalculate_the_interval() -> None:
    """From the numbers as they are printed, each of the following ones results to its last digit."""
    table, squares_of_one, rest, spread = map(block, ("runs", "deviation", "interval", "spread"))
    rows = [[float(number) for number in blocks.numbers(line)] for line in table.splitlines()[-2:]]
    for *runs, average, deviation, error in rows:
        assert round(mean(runs), 5) == average and round(stdev(runs), 5) == deviation
        assert round(deviation / math.sqrt(5), 4) == error
    total, estimate, deviation = map(float, blocks.numbers(squares_of_one))
    assert round(sum((one - rows[0][5]) ** 2 for one in rows[0][:5]), 5) == total
    assert estimate == total / 4 and deviation == round(math.sqrt(estimate), 5) == rows[0][6]
    difference, error, freedom, factor, low, high = (float(one.replace("−", "-")) for one in blocks.numbers(rest))
    assert round(rows[1][5] - rows[0][5], 5) == difference
    squares = [row[6] ** 2 / 5 for row in rows]
    assert round(math.sqrt(sum(squares)), 5) == error
    assert round(sum(squares) ** 2 / sum(square**2 / 4 for square in squares), 2) == freedom
    assert [round(difference + sign * factor * error, 4) for sign in (-1, 1)] == [low, high]
    gain, first, second, sentences, luck, *_, left, freedom, factor, low, high = map(float, blocks.numbers(spread))
    assert round(sentences - luck, 3) == left
    error = math.sqrt(first + second + left)
    assert round(error**4 / ((first**2 + second**2) / 4), 1) == freedom
    assert [round(gain + sign * factor * error, 2) for sign in (-1, 1)] == [low, high]
    assert np.allclose([low, high], [measures.published("BLEU")[end] for end in ("low", "high")], atol=0.005)


def test_differences_of_the_table_are_those_of_the_prose() -> None:
    """The means of BLEU are printed with so many digits that a reader's difference is the one that is claimed."""
    runs = measures.variants()["village_pairs"]["runs"]
    rows = re.findall(r"^\| `(state|word)`[^|]*\|(.*)\|$", LESSON.partition("| query | `rnnsearch` |")[2], re.MULTILINE)
    printed = {query: [float(one) for one in blocks.numbers(row)] for query, row in rows}
    names = ("rnnsearch-{}", "word-{}", "gates-{}-plain", "gates-{}-gated")
    for query, found in printed.items():
        assert found == [round(mean(run["BLEU"] for run in runs[name.format(query)]), 2) for name in names]
    gains = [printed["state"][1] - printed["state"][0], printed["word"][1] - printed["word"][0],
             printed["state"][2] - printed["state"][1], printed["word"][3] - printed["word"][1]]  # fmt: skip
    assert [round(gain, 1) for gain in gains] == [1.5, 1.1, 0.5, -0.8]
    for claimed in ("+1.5 BLEU", "+1.1 with ours", "+0.5 as printed", "harm: −0.8"):
        assert claimed in LESSON


def test_sizes_are_those_of_the_published_runs() -> None:
    runs, printed = measures.variants()["village_pairs"]["runs"], list(measures.larger())
    assert printed[:2] == [runs[name][0]["parameters"] for name in ("rnnsearch-word", "word-word")]
    *_, added, _ = measures.parameters()
    assert added == runs["gates-word-plain"][0]["parameters"] - printed[1]
    assert measures.size_of("rnnsearch", "word", printed[3] - 2, measures.CORPUS) < printed[1] <= printed[4]


def test_the_luck_of_the_runs_is_subtracted() -> None:
    """What both kinds of chance make together, but for the chance that drawn seeds and sentences agree."""
    found = recorded(CHAPTER)["bootstrap"]
    assert math.isclose(list(measures.spread())[11], found["deviations"]["both"], abs_tol=0.005)


def test_what_a_gate_gives_and_takes_is_told_number_by_number() -> None:
    found = worked.step("gates")
    printed = list(worked.behind())
    np.testing.assert_allclose(printed[4:6], [printed[0] * printed[1], printed[2] * printed[3]], atol=1e-6)
    np.testing.assert_allclose(printed[10:], found.contexts[1], atol=1e-6)
    np.testing.assert_allclose(np.add(printed[0:3:2], printed[6:9:2]), 1, atol=1e-6)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """All splits of the embedded pairs are cut down to what trains in a moment."""
    read_pairs, read_alignments = pairs.read_pairs, alignment.read_alignments
    monkeypatch.setattr(alignment, "read_alignments", lambda path, _: read_alignments(path)[:40])
    monkeypatch.setattr(pairs, "read_pairs", lambda folder, split: read_pairs(folder, split)[:40])


@pytest.mark.slow
def test_what_is_recorded(small: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Tiny runs give everything that the figures read, in the same form."""
    call, folders = make_call(monkeypatch, CHAPTER), {}
    for variant in ("rnnsearch", "word", "gates"):
        folders[variant] = [tmp_path / f"{variant}{seed}" for seed in (1, 2)]
        for seed, folder in enumerate(folders[variant], start=1):
            flags = ["--hidden-size", 4, "--epochs", 1, "--variant", variant, "--seed", seed, "--run-dir", folder]
            call("train", *flags)
    published = recorded(CHAPTER)
    runs = {system: folders[system.split("-")[0]] for system in published["settings"]["systems"]}
    found = ch09_record.measure(runs, pairs.load_pairs(ch09_record.CORPUS), resamples=20, sentences=30)
    assert found.keys() == published.keys() - {"command", "settings"}
    for name in found:
        assert found[name].keys() == published[name].keys(), name
    for system, told in found["opened"].items():
        assert told.keys() == published["opened"][system].keys()
        assert told["gates"].keys() == published["opened"][system]["gates"].keys()
        assert all(len(row["share"]) == 2 and 0 < row["share"][0] < 1 for row in told["by_kind"].values())
    np.testing.assert_allclose(np.sum(found["sentence"]["attention"], axis=1), 1, atol=1e-4)
    np.testing.assert_allclose(np.sum(found["sentence"]["word_attention"], axis=1), 1, atol=1e-4)
    assert sum(found["bootstrap"]["drawn"]["both"]) == 20
    for name in ("same", "different"):
        assert math.isclose(sum(found["similarity"][name]), 1)


def test_what_was_recorded_is_what_the_lesson_says() -> None:
    """Seeds and BLEU are those of the chapter's comparison; names have less of the word context."""
    found, runs = recorded(CHAPTER), measures.variants()["village_pairs"]["runs"]
    for system, values in found["bootstrap"]["scores"].items():
        np.testing.assert_allclose(values, [run["BLEU"] for run in runs[system]], atol=1e-4)
    row = measures.published("BLEU")
    np.testing.assert_allclose([found["bootstrap"]["found"], *found["bootstrap"]["interval"]],
                               [row["found"], row["low"], row["high"]], atol=1e-4)  # fmt: skip
    name, sentence, other, where, _ = found["similarity"]["example"][0]
    text = read(f"chapters/{CHAPTER}/README.md")
    assert f"> {sentence}\n" in text and f"*{name}*" in text and f"*{other}* in *{where}*" in text
    for system in found["opened"].values():
        shares = {kind: told["share"] for kind, told in system["by_kind"].items()}
        for kind in ("reordering", "choice", "agreement", "idiom", "ambiguity", "case", "local"):
            assert all(name < other for name, other in zip(shares["name"], shares[kind], strict=True)), kind


def test_the_nearest_annotation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two sentences with the words a and b, where the annotation of the second b is nearer to that of a."""
    rows = [("a", 0, [1.0, 0.0]), ("b", 0, [0.0, 1.0]), ("a", 1, [1.0, 0.0]), ("b", 1, [0.8, 0.6])]
    monkeypatch.setattr(ch09_record, "annotations", lambda *_: [(w, n, np.array(v)) for w, n, v in rows])
    sentences = [pairs.Pair(["a", "b"], ["a"]), pairs.Pair(["a", "b"], ["a"])]
    found = ch09_record.similarity(SimpleNamespace(source_vocab={"a", "b"}), sentences)
    assert found["missed"] == {"names": [2, 0.0], "other words": [2, 0.5]}
    assert math.isclose(found["means"]["same"], (1 + 0.6) / 2) and math.isclose(found["means"]["different"], 0.4)
