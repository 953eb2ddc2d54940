"""The village's paragraphs: the truth about them against every paragraph of a small grammar, and against samples."""

from __future__ import annotations

import json
import math
from collections import Counter
from itertools import islice

import pytest

from common.errors import UserError
from common.text.corpus import load_corpus
from data import paragraphs as retold
from data.__main__ import main
from data.grammar import Grammar, New, Recall
from data.paragraph_files import FOLDER, SIZES, truth_of
from data.returns import by_distance, distances, group_of
from tests.programs import run_python

TRUTH = json.loads((FOLDER / "oracle.json").read_text("utf-8"))
CORPUS = load_corpus("village_paragraphs")
NAMES = {"f": {"ann": 0.5, "bea": 0.3, "eve": 0.2}, "m": {"tom": 0.6, "ben": 0.4}}


def tiny() -> tuple[retold.Retelling, object]:
    """`ann sees tom`, `ann sees bea and ann`, or `tom sleeps`; a later sentence may mention them again."""
    grammar = Grammar(NAMES)

    @grammar.rule
    def start() -> list[tuple]:
        two_women = (New("A", "f"), "sees", New("B", "f"), "and", Recall("A"))
        return [(1, New("A", "f"), "sees", New("B", "m")), (2, *two_women), (1, New("A", "m"), "sleeps")]

    return retold.Retelling(grammar, 0.75), start()


def new_name(kind: str, used: list[str], earlier: list[str]) -> dict[str, float]:
    """P(name), by the words of the module's first paragraph: 3/4 for those who may come back, 1/4 for the list."""
    left = {name: prob for name, prob in NAMES[kind].items() if name not in used}
    fresh = {name: prob / sum(left.values()) for name, prob in left.items()}
    back = [name for name in earlier if name in left]
    if not back:
        return fresh
    return {name: 0.25 * prob + 0.75 * back.count(name) / len(back) for name, prob in fresh.items()}


def sentences_after(earlier: list[str]) -> Counter[str]:
    """P(sentence) of every sentence of the small grammar, by plain enumeration."""
    probs: Counter[str] = Counter()
    for a, p in new_name("f", [], earlier).items():
        for b, q in new_name("m", [a], earlier).items():
            probs[f"{a} sees {b}"] += 0.25 * p * q
        for b, q in new_name("f", [a], earlier).items():
            probs[f"{a} sees {b} and {a}"] += 0.5 * p * q
    for a, p in new_name("m", [], earlier).items():
        probs[f"{a} sleeps"] += 0.25 * p
    return probs


@pytest.mark.parametrize("earlier", [[], ["eve"], ["tom", "ann"], ["bea", "ann", "eve", "ben"]])
def test_every_sentence_of_a_small_grammar_has_its_probability(earlier: list[str]) -> None:
    grammar, start = tiny()
    registers = tuple((f"earlier {number}", name) for number, name in enumerate(earlier))
    expected = sentences_after(earlier)
    assert math.fsum(expected.values()) == pytest.approx(1)
    for sentence, prob in expected.items():
        states, actual = grammar.initial(start, registers), 1.0
        for word in sentence.split():
            step, states = grammar.advance(states, word)
            actual *= step
        assert actual * grammar.end_prob(states) == pytest.approx(prob, abs=1e-12), sentence


def test_samples_of_a_small_grammar_follow_these_probabilities() -> None:
    grammar, start = tiny()
    sample, count = grammar.sampler(start, 3), 5_000
    registers = (("earlier 0", "tom"), ("earlier 1", "eve"), ("earlier 2", "bea"))
    counts = Counter(" ".join(sample(registers)) for _ in range(count))
    expected = sentences_after(["tom", "eve", "bea"])
    assert set(counts) <= set(expected)
    for sentence, prob in expected.items():
        assert abs(counts[sentence] - count * prob) < 4.5 * math.sqrt(count * prob), sentence


@pytest.mark.slow
def test_a_paragraph_ends_after_two_to_four_sentences_equally_often() -> None:
    lengths = Counter(len(paragraph) for paragraph in islice(retold.paragraphs(5), 3_000))
    assert set(lengths) == {2, 3, 4}
    assert all(abs(number - 1_000) < 4.5 * math.sqrt(1_000) for number in lengths.values())
    sentences = [CORPUS.train[0], CORPUS.train[1]]
    ends = [math.exp(retold.log_prob([retold.BREAK], (sentences * 2)[:number])) for number in range(5)]
    assert ends == pytest.approx([0, 0, 1 / 3, 1 / 2, 1])
    assert retold.log_prob(sentences[0], sentences * 2) == -math.inf
    assert retold.next_word_probs([], sentences * 2) == {retold.BREAK: 1}
    assert retold.next_word_probs(["the"], sentences * 2) == {}


@pytest.mark.slow
def test_the_stored_truth_is_what_the_oracle_says_now() -> None:
    vocabulary = {word for word, count in Counter(word for line in CORPUS.train for word in line).items() if count > 1}
    actual, stored = truth_of(CORPUS.dev, vocabulary), TRUTH["dev"]
    assert actual.pop("returns") == {group: pytest.approx(entry) for group, entry in stored["returns"].items()}
    assert actual == pytest.approx({name: value for name, value in stored.items() if name != "returns"}, rel=1e-6)
    for split in SIZES:
        truth = TRUTH[split]
        assert truth["predictions"] == sum(len(line) + 1 for line in getattr(CORPUS, split))
        assert CORPUS.oracle(split)["perplexity"] == truth["perplexity"]
        parts = [entry["predictions"] for group, entry in truth["returns"].items() if group != "all"]
        assert sum(parts) == truth["returns"]["all"]["predictions"] > 0.02 * truth["predictions"]


def test_distances_by_hand() -> None:
    lines = [
        text.split() for text in ("mira sees tavin .", "tavin thanks mira , for mira sings .", "*", "mira waits .")
    ]
    words_ago = distances(lines)
    assert words_ago == [[0] * 5, [3, 0, 7, 0, 0, 0, 0, 0, 0], [0, 0], [0] * 4]
    assert [group_of(distance) for distance in (1, 10, 11, 30, 31, 99)] == [
        "1 to 10", "1 to 10", "11 to 20", "21 to 30", "31 or more", "31 or more"]  # fmt: skip
    log_probs = [[math.log(1 / 2)] * len(line) for line in words_ago]
    log_probs[1][2] = math.log(1 / 8)
    assert by_distance(words_ago, log_probs) == {"all": (2, pytest.approx(4)), "1 to 10": (2, pytest.approx(4))}


def test_labels() -> None:
    before = ["mira sees tavin at the bridge , and tavin brings mira a pear .".split()]
    line = "without mira nobody sings a hymn , so the sailors wait for mira .".split()
    labels = dict(zip(line, retold.phenomena(line, before), strict=True))
    assert retold.phenomena(line, before)[1] == "return" and retold.phenomena(line)[1] == "name"
    assert labels["hymn"] == "selection" and retold.phenomena(line, before)[-2] == "recall"
    assert retold.phenomena([retold.BREAK], before * 2) == ["local"]
    with pytest.raises(UserError, match="does not allow word 2, 'the'"):
        retold.phenomena(["the", "the"], before)


@pytest.mark.slow
def test_the_committed_text_is_written_again_byte_for_byte(tmp_path) -> None:
    done = run_python("-m", "data", "generate", "village_paragraphs", "--out", str(tmp_path), "--text-only")
    assert done.returncode == 0, done.stderr
    for split, size in SIZES.items():
        written = (tmp_path / f"{split}.txt").read_bytes()
        assert written == (FOLDER / f"{split}.txt").read_bytes()
        assert written.decode().splitlines().count(retold.BREAK) == size


def test_more_sentences_are_for_the_village(tmp_path, refuse_main) -> None:
    line = refuse_main(main, "generate", "village_paragraphs", "--sentences", "5", "--out", tmp_path)
    assert line == "error: --sentences is for the village, not for village_paragraphs"
