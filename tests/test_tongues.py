"""The corpus of three languages holds what it promises: Bremish mirrors Veldran, links and the oracle are exact."""

from __future__ import annotations

import itertools
import json
import math
from collections import defaultdict
from collections.abc import Sequence
from functools import cache

import pytest

from common.errors import UserError
from data import bremish, pairs_lexicon, tongues, veldran as first_language
from data.grammar import Nonterminal
from data.oracle import known_words
from data.pair_truth import PairTruth
from data.pairs import FOLDER
from tests.programs import error_line, run_python
from tests.test_pairs_grammar import TRUTH as SMALL, enumerate_pairs

CORPUS = FOLDER / tongues.NAME


@cache
def lines(split: str, kind: str) -> list[list[str]]:
    return [line.split() for line in (CORPUS / f"{split}.{kind}").read_text(encoding="utf-8").splitlines()]


def pairs(split: str, direction: str) -> list[tuple[list[str], list[str], list[str]]]:
    """Sources without their tags, targets, and alignments."""
    rows = zip(*(lines(split, kind) for kind in ("source", "target", "align", "directions")), strict=True)
    return [(source[1:], target, links) for source, target, links, (name,) in rows if name == direction]


# --- the language


def ours(word: str) -> str:
    """Some words of the small grammar happen to be words of Veldran."""
    return bremish.words().get(word, word)


def mirrored(symbol: Nonterminal, side: Sequence) -> Sequence:
    """Target sides are read backwards, but for the start symbol's."""
    return side if symbol.rule == "sentence" else side[::-1]


def test_the_truth_about_a_mirrored_grammar_agrees_with_brute_force() -> None:
    truth, joint = PairTruth(bremish.Bremish(SMALL.grammar), SMALL.start), defaultdict(float)
    sources: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for source, target, prob in enumerate_pairs(SMALL.start, mirrored, ours):
        joint[source, target] += prob
        sources[source] += prob
    assert math.fsum(sources.values()) == pytest.approx(1, abs=1e-12)
    for (source, target), prob in list(joint.items())[::3]:
        assert math.exp(truth.log_prob(source, target)) == pytest.approx(prob / sources[source], abs=1e-12)
    changed = [pair for pair in joint if SMALL.log_prob(*pair) == -math.inf]
    assert len(changed) > 20, "some targets are none of the grammar that was mirrored"


def test_bremish_by_hand() -> None:
    """One clause backwards, word by word; the order of clauses and the full stop stay."""
    truth, words = tongues.TRUTHS["bremish"], bremish.words()
    source = "the girl who reads the letter cuts the hay .".split()
    verb, stem = pairs_lexicon.stems()["verb", "cut"], "wa"
    assert truth.best_target(source)[0].startswith(stem), "the verb comes first, and agrees with a light subject"
    assert words[first_language.inflect("verb", verb, "e")] == truth.best_target(source)[0]
    turned = [words[word] for word in reversed(tongues.TRUTHS["veldran"].best_target(source)[:-1])]
    assert truth.best_target(source) == [*turned, "."]
    two = "mira reads the letter , but tavin cuts the hay .".split()
    halves = " ".join(tongues.TRUTHS["veldran"].best_target(two)[:-1]).split(" , ")
    but = pairs_lexicon.stems()["adverb", "but"] + "ei"
    expected = [halves[0].split()[::-1], [",", but], halves[1].removeprefix(f"{but} ").split()[::-1], ["."]]
    assert truth.best_target(two) == [words.get(word, word) for part in expected for word in part]


def test_every_word_of_veldran_is_another_one_in_bremish() -> None:
    words = bremish.words()
    assert len(set(words.values())) == len(words) > 1_500
    spoken = {language: set() for language in tongues.LANGUAGES}
    for direction in tongues.DIRECTIONS:
        for source, target, _ in pairs("train", direction):
            for language, sentence in zip(direction.split("-"), (source, target), strict=True):
                spoken[language].update(sentence)
    names = {*pairs_lexicon.names_of("e"), *pairs_lexicon.names_of("o")}
    for first, second in itertools.combinations(tongues.LANGUAGES, 2):
        assert spoken[first] & spoken[second] - names == {".", ",", "?"} & spoken[first] & spoken[second]
    assert spoken["bremish"] - names - {".", ",", "?"} <= set(words.values())
    for kind, prefixes in bremish.PREFIXES.items():
        stem = next(stem for (first, _), stem in pairs_lexicon.stems().items() if first == kind)
        for agreement, prefix in prefixes.items():
            assert words[first_language.inflect(kind, stem, agreement)].startswith(prefix)


# --- the corpus


@pytest.mark.slow
def test_the_committed_files_are_what_is_drawn() -> None:
    splits = tongues.splits()
    assert list(splits) == ["train", "dev", "test", "zero"]
    for split, lines in splits.items():
        for kind in lines[0]:
            text = "".join(line[kind] + "\n" for line in lines)
            assert (CORPUS / f"{split}.{kind}").read_text(encoding="utf-8") == text


@pytest.mark.parametrize("language", tongues.TRUTHS)
def test_the_grammar_finds_the_links_in_the_text_alone(language: str) -> None:
    truth = tongues.TRUTHS[language]
    for source, target, links in pairs("dev", f"english-{language}")[:60]:
        assert [f"{i + 1}-{j}" for i, j in truth.alignment(source, target)] == links


@pytest.mark.slow
def test_links_between_two_languages_go_by_the_english_words() -> None:
    """Composed by hand from the links of either language with English."""
    test = tongues.sentences()["test"]
    for number, (source, target, links) in enumerate(pairs("zero", "veldran-bremish")[:60]):
        english = [word.text for word in test[number]["english"]]
        first, second = (tongues.TRUTHS[name].alignment(english, side)
                      for name, side in (("veldran", source), ("bremish", target)))  # fmt: skip
        expected = {f"{i + 1}-{j}" for e, i in first for f, j in second if e == f}
        assert set(links) == expected


def test_the_stored_truth_is_that_of_the_pairs() -> None:
    stored = json.loads((CORPUS / "oracle.json").read_text(encoding="utf-8"))["directions"]
    assert list(stored) == ["english-veldran", "english-bremish"]
    vocabulary = known_words(lines("train", "target"))
    for direction, by_split in stored.items():
        triples = pairs("test", direction)
        assert by_split["test"]["predictions"] == sum(len(target) + 1 for _, target, _ in triples)
        if direction == "english-bremish":  # Veldran's truth is that of village_pairs
            cost = math.fsum(tongues.TRUTHS["bremish"].log_prob(source, target) for source, target, _ in triples)
            assert by_split["test"]["log_prob"] == pytest.approx(cost, abs=1e-4)
        unknown = sum(word not in vocabulary for _, target, _ in triples for word in target)
        assert by_split["test"]["predictions"] - by_split["test"]["known_predictions"] == unknown > 0


def test_no_sentence_of_training_is_there_in_all_languages() -> None:
    english = {tuple(source) for source, _, _ in pairs("train", "english-veldran")}
    others = {tuple(source) for source, _, _ in pairs("train", "english-bremish")}
    assert len(english) > 3_900 and len(english & others) < 10
    assert {line[0] for line in lines("train", "directions")} == set(tongues.DIRECTIONS)
    assert {line[0] for line in lines("zero", "directions")} == {"veldran-bremish", "bremish-veldran"}
    test = {tuple(source) for source, _, _ in pairs("test", "english-veldran")}
    assert len(test & (english | others)) < 5
    both = pairs("test", "english-veldran"), pairs("test", "veldran-english")
    assert [(source, target) for source, target, _ in both[0]] == [(target, source) for source, target, _ in both[1]]


def test_what_is_zero_shot() -> None:
    assert tongues.zero_shot(["english-veldran"]) == []
    assert tongues.zero_shot(["english-veldran", "veldran-bremish"]) == ["english-bremish"]
    assert tongues.zero_shot(tongues.ALL) == []


@pytest.mark.slow
def test_other_directions_can_be_written(tmp_path) -> None:
    folder = tmp_path / "one"
    done = run_python("-m", "data", "generate", tongues.NAME, "--directions", "veldran-bremish", "--out", str(folder),
                      "--text-only")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "veldran-bremish" in done.stdout and not (folder / "zero.source").exists()
    train = (folder / "train.source").read_text(encoding="utf-8").splitlines()
    assert len(train) == tongues.SIZES["train"] and all(line.startswith("<2bremish> ") for line in train)
    klingon = ["--directions", "english-klingon", "--out", str(tmp_path / "x")]
    for flags, complaint in (
        (klingon, "--directions english-klingon: choose from"),
        (["--directions", "english-veldran"], "name a folder with --out DIR"),
    ):
        assert complaint in error_line(run_python("-m", "data", "generate", tongues.NAME, *flags).stderr)
    other = ["village_pairs", "--directions", "english-veldran", "--out", str(tmp_path / "x")]
    assert "only for village_tongues" in error_line(run_python("-m", "data", "generate", *other).stderr)
    with pytest.raises(UserError, match="name each direction once"):
        tongues.check_directions(["english-veldran", "english-veldran"])
    assert not (tmp_path / "x").exists()
