"""The corpus of pairs holds what it promises, and the truth about it is the truth."""

from __future__ import annotations

import json
import math
from collections import Counter
from functools import cache

import pytest

from data import pairs_lexicon as lexicon
from data.oracle import known_words
from data.pair_truth import PairTruth
from data.pairs import FOLDER, SIZES, TRUTHS, label_table, split_truth
from data.veldran import forms

NAME = "village_pairs"
TRUTH = TRUTHS[NAME]


@cache
def lines(split: str, kind: str, name: str = NAME) -> list[list[str]]:
    text = (FOLDER / name / f"{split}.{kind}").read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines()]


@cache
def stored(name: str = NAME) -> dict:
    return json.loads((FOLDER / name / "oracle.json").read_text(encoding="utf-8"))


def pairs(split: str, count: int, name: str = NAME) -> list[tuple[list[str], list[str]]]:
    return list(zip(lines(split, "source", name)[:count], lines(split, "target", name)[:count], strict=True))


def costs(truth: PairTruth, some: list[tuple[list[str], list[str]]]) -> list[float]:
    return [-truth.log_prob(source, target) for source, target in some]


def check_recovered(name: str, count: int) -> None:
    """From the two sentences alone the truth finds the alignment and the tree with which they were drawn."""
    for number, (source, target) in enumerate(pairs("dev", count, name)):
        alignment = [f"{i}-{j}" for i, j in TRUTHS[name].alignment(source, target)]
        assert alignment == lines("dev", "align", name)[number]
        assert TRUTHS[name].tree(source).split() == lines("dev", "trees", name)[number]


def check_entropy(name: str, count: int, seed: int) -> None:
    """Pairs of another seed cost as much as the splits do, within sampling error."""
    truth = TRUTHS[name]
    sample = truth.grammar.sampler(truth.start, seed)
    drawn = [(derivation.source(), [w.text for w in words]) for derivation, words in (sample() for _ in range(count))]
    found = costs(truth, drawn)
    mean = math.fsum(found) / count
    error = math.sqrt(math.fsum((cost - mean) ** 2 for cost in found)) / count
    for split, size in SIZES.items():
        assert abs(mean + stored(name)[split]["log_prob"] / size) < 4 * error * math.sqrt(1 + count / size)


def check_oracle(name: str, count: int) -> None:
    """What is stored is what the oracle says now: the sum over a split, from its sizes, and anew on some pairs."""
    for split, size in SIZES.items():
        truth, targets = stored(name)[split], lines(split, "target", name)
        assert len(targets) == len(lines(split, "source", name)) == size
        assert truth["predictions"] == sum(len(target) + 1 for target in targets)
        assert truth["perplexity"] == pytest.approx(math.exp(-truth["log_prob"] / truth["predictions"]), rel=1e-6)
    known = known_words(lines("train", "target", name))
    unknown = sum(word not in known for target in lines("test", "target", name) for word in target)
    assert stored(name)["test"]["predictions"] - stored(name)["test"]["known_predictions"] == unknown > 0
    table = label_table(TRUTHS[name], pairs("dev", count, name))
    truth = split_truth(TRUTHS[name], tuple(zip(*pairs("dev", count, name), strict=True)), known)
    assert sum(found["share"] for found in table.values()) == pytest.approx(1, abs=1e-5)
    cost = math.fsum(found["share"] * found["nats"] for found in table.values())
    assert cost == pytest.approx(math.log(truth["perplexity"]), rel=1e-4)
    assert all(found["nats"] == 0 for label, found in table.items() if label not in ("choice", "</s>"))


def test_alignments_and_trees_are_found_from_the_text_alone():
    check_recovered(NAME, 150)


@pytest.mark.slow
def test_the_stored_truth():
    check_oracle(NAME, 150)
    assert all(1.2 < stored()[split]["perplexity"] < 1.6 for split in SIZES)


@pytest.mark.slow
def test_the_entropy_of_another_sample_agrees():
    check_entropy(NAME, 300, seed=2024)


def test_every_source_has_one_derivation_or_two_that_differ_in_a_word():
    counts = Counter()
    for source in lines("test", "source")[:300]:
        derivations = TRUTH.derivations(source)
        counts[len(derivations)] += 1
        assert len({" ".join(derivation.source()) for derivation in derivations}) == 1
    assert counts[1] > 0.9 * counts.total() and set(counts) <= {1, 2, 4}


def test_no_source_of_dev_and_test_stands_in_train():
    train = set(map(tuple, lines("train", "source")))
    for split in ("dev", "test"):
        assert sum(tuple(source) in train for source in lines(split, "source")) < 10


def test_names_are_copied_and_a_sixth_of_them_are_unknown():
    everybody = set(lexicon.names_of("e") + lexicon.names_of("o"))
    known = known_words(lines("train", "target"))
    unknown = total = 0
    for source, target in pairs("test", 1000):
        names = [word for word in target if word in everybody]
        assert Counter(names) == Counter(word for word in source if word in everybody)
        total += len(names)
        unknown += sum(name not in known for name in names)
    assert total > 700
    assert 0.12 < unknown / total < 0.25


def test_veldran_words_are_all_different_and_no_word_of_the_source():
    found = Counter(form for (kind, _), stem in lexicon.stems().items() for form in forms(kind, stem))
    found.update(lexicon.PARTICLES)
    assert len(found) > 1_500 and max(found.values()) == 1
    sources = {word for split in SIZES for source in lines(split, "source") for word in source}
    assert not sources & set(found)


def test_phenomena_of_a_sentence():
    source = "mira looks after the horse of tavin .".split()
    target = TRUTH.best_target(source)
    labels = TRUTH.phenomena(source, target)
    assert [labels[target.index(word)] for word in ("mira", "tavin", "ri", "na")] == ["name", "name", "case", "case"]
    assert "idiom" in labels
    assert len(labels) == len(target)
    assert TRUTH.phenomena(source, [*target[:-1], "ya", "."])[-2:] == ["choice", "local"]  # both render the full stop
