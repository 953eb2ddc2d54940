"""The village corpus holds what it promises, and the generator writes it again byte for byte."""

from __future__ import annotations

import argparse
import tracemalloc
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

from data import generate, village_lexicon as lexicon
from data.__main__ import main
from data.grammar import Nonterminal
from data.oracle import known_words, phenomena, read_sentences
from data.village_grammar import START
from data.village_phrases import article, village
from tests.programs import run_python

ROOT = Path(__file__).resolve().parents[1]
VILLAGE = ROOT / "data" / "village"
SPLITS = {split: read_sentences(VILLAGE / f"{split}.txt") for split in ("train", "dev", "test")}


def test_generate_writes_the_committed_splits_byte_for_byte(tmp_path):
    done = run_python("-m", "data", "generate", "--out", str(tmp_path), "--text-only")
    assert done.returncode == 0, done.stderr
    for split in SPLITS:
        assert (tmp_path / f"{split}.txt").read_bytes() == (VILLAGE / f"{split}.txt").read_bytes()


def test_generate_gives_more_sentences_from_another_seed(tmp_path, run_main):
    for name, seed in (("a", "5"), ("b", "5"), ("c", "6")):
        run_main(main, "generate", "--out", tmp_path / name, "--sentences", "20", "--seed", seed)
    a, b, c = ((tmp_path / name / "sample.txt").read_text(encoding="utf-8") for name in "abc")
    assert a == b != c
    assert len(a.splitlines()) == 20


def test_more_sentences_than_memory_holds_can_be_written(tmp_path, monkeypatch):
    """20 MB of them are never there together, and none is there where writing them failed."""

    def long_sentences(seed: int):
        for number in range(10_000):
            yield [f"{number:02000}"]

    monkeypatch.setattr(generate, "village_sentences", long_sentences)
    arguments = argparse.Namespace(corpus=None, sentences=10_000, seed=5, out=tmp_path)
    tracemalloc.start()
    generate.generate_sample(arguments)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (tmp_path / "sample.txt").stat().st_size == 10_000 * 2001 and peak < 1_000_000
    with pytest.raises(ZeroDivisionError):
        generate.write_sentences(tmp_path / "sample.txt", ([str(1 // number)] for number in (1, 0)))
    assert [path.name for path in tmp_path.iterdir()] == ["sample.txt"]
    assert (tmp_path / "sample.txt").stat().st_size == 10_000 * 2001


def test_no_sentences_is_one_line_and_status_2(tmp_path, refuse_main):
    line = refuse_main(main, "generate", "--out", tmp_path, "--sentences", "0")
    assert line == "error: --sentences 0: must be at least 1" and not list(tmp_path.iterdir())


def test_sizes():
    assert [len(SPLITS[split]) for split in ("train", "dev", "test")] == [10_000, 1_000, 1_000]
    assert 900 < len({word for sentence in SPLITS["train"] for word in sentence}) < 1_300


def test_every_sentence_that_the_grammar_can_say_has_3_to_35_words():
    """Not of a sample: the shortest and the longest of all, by a walk through every rule that can be reached."""

    @cache
    def bounds(symbol):
        if not isinstance(symbol, Nonterminal):
            return 1, 1
        right_sides = [[bounds(part) for part in right_side] for _, right_side in village.expand(symbol)]
        shortest = min(sum(low for low, _ in parts) for parts in right_sides)
        return shortest, max(sum(high for _, high in parts) for parts in right_sides)

    shortest, longest = bounds(START)
    assert 3 <= shortest < longest <= 35


def test_names_are_many_rare_and_no_other_words():
    women, men = lexicon.names("f"), lexicon.names("m")
    assert len(set(women)) == len(set(men)) == 200
    words = {word for sentences in SPLITS.values() for sentence in sentences for word in sentence}
    everything = {"she", "he", "her", "his", "the", "a"} | set(" ".join(lexicon.COUNTABLE.values()).split())
    assert not (set(women) & set(men)) and not (set(women + men) & everything)
    counts = Counter(word for sentence in SPLITS["train"] for word in sentence)
    tokens = counts.total()
    seen = [name for name in women + men if name in words]
    assert len(seen) > 250
    assert all(counts[name] / tokens < 0.005 for name in seen)


@pytest.mark.slow
def test_names_recur_often_and_a_name_that_recurs_stood_before():
    recalled = tokens = 0
    for sentence in SPLITS["dev"][:150]:
        for position, label in enumerate(phenomena(sentence)):
            tokens += 1
            if label == "recall":
                recalled += 1
                assert sentence[position] in sentence[:position]
            if label == "name":
                assert sentence[position] not in sentence[:position]
    assert 0.03 < recalled / tokens < 0.05


def test_some_test_words_are_unknown_to_train():
    vocabulary = known_words(SPLITS["train"])
    tokens = [word for sentence in SPLITS["test"] for word in sentence]
    unknown = sum(word not in vocabulary for word in tokens)
    assert 0.001 < unknown / len(tokens) < 0.006


def test_whether_wares_are_sold_or_bought_needs_trade_and_verb_together():
    """For each trade, what it sells is bought by the next; so neither word alone tells flour from bread."""
    trade_of = {noun: trade for trade, (nouns, _) in lexicon.TRADES.items() for noun in nouns.split()}
    selling = set(map(lexicon.third_person, lexicon.SELLING.split()))
    buying = set(map(lexicon.third_person, lexicon.BUYING.split()))
    wares = defaultdict(set)
    for sentence in SPLITS["train"]:
        for subject, verb, ware in zip(sentence, sentence[1:], sentence[2:], strict=False):
            if subject in trade_of and verb in selling | buying:
                wares[trade_of[subject], verb in selling].add(ware)
    for ring in lexicon.RINGS:
        for seller, buyer in zip(ring, ring[1:] + ring[:1], strict=True):
            sold, bought = wares[seller, True], wares[buyer, False]
            assert sold and bought
            assert sold | bought <= set(lexicon.TRADES[seller][1].split())
            assert not sold & wares[seller, False]


def test_test_holds_unseen_combinations_of_known_words():
    """An n-gram model has not seen them; a model that knows which words are alike need not be surprised."""
    train = {pair for sentence in SPLITS["train"] for pair in zip(sentence, sentence[1:], strict=False)}
    words = {word for sentence in SPLITS["train"] for word in sentence}
    pairs = [pair for sentence in SPLITS["test"] for pair in zip(sentence, sentence[1:], strict=False)]
    unseen = [pair for pair in pairs if pair not in train and words.issuperset(pair)]
    assert len(unseen) / len(pairs) > 0.05


def test_number_agrees_across_what_stands_between():
    """`the goat beside the girls is hungry`: the noun next to the verb is often of the other number."""
    singulars, plurals = set(lexicon.ANIMALS.split()), set(map(lexicon.plural, lexicon.ANIMALS.split()))
    misleading = 0
    for sentence in SPLITS["train"]:
        if sentence[0] != "the" or sentence[2] not in ("beside", "of") or sentence[1] not in singulars | plurals:
            continue
        verbs = {"is", "are"} & set(sentence)
        if not verbs:
            continue
        assert verbs == ({"is"} if sentence[1] in singulars else {"are"})
        misleading += sentence[sentence.index(*verbs) - 1].endswith("s") == (sentence[1] in singulars)
    assert misleading > 20


def test_gender_agrees_across_the_clause():
    wrong = {"f": {"he", "his", "him"}, "m": {"she", "her"}}
    seen = Counter()
    for sentence in SPLITS["train"]:
        names = [word for word in sentence if word in village.kind_of]
        genders = {village.kind_of[name] for name in names}
        if len(genders) == 1 and sentence[-2:] != ["her", "."] and "her" not in sentence and "they" not in sentence:
            (gender,) = genders
            if "because" in sentence and sentence[0] in village.kind_of and "," not in sentence:
                assert not wrong[gender] & set(sentence), " ".join(sentence)
                seen[gender] += 1
    assert min(seen["f"], seen["m"]) > 10


def test_a_topic_colours_the_whole_sentence():
    """What the second clause is about depends on the first."""
    topic_of = {}
    for topic, actions in lexicon.ACTIONS.items():
        for verbs, _, _ in actions:
            topic_of |= {form: topic for base in verbs.split() for form in (base, lexicon.third_person(base))}
    same = pairs = 0
    for sentence in SPLITS["train"]:
        topics = [topic_of[word] for word in sentence if word in topic_of]
        for first, second in zip(topics, topics[1:], strict=False):
            pairs += 1
            same += first == second
    assert pairs > 1_000
    assert same / pairs > 1.5 / len(lexicon.TOPICS)


def test_plurals_and_the_third_person():
    nouns, verbs = "axe box pony donkey ox waltz".split(), "fetch supply play mow".split()
    assert " ".join(map(lexicon.plural, nouns)) == "axes boxes ponies donkeys oxen waltzes"
    assert " ".join(map(lexicon.third_person, verbs)) == "fetches supplies plays mows"


def test_articles_fit_in_the_corpus():
    for sentence in SPLITS["train"]:
        for word, following in zip(sentence, sentence[1:], strict=False):
            if word in ("a", "an"):
                assert word == article(following)
