"""Synchronous grammars against brute force: every pair of a small one, with its probability, one by one."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable

import pytest

from common.errors import UserError
from data.grammar import END, Nonterminal
from data.pair_truth import PairTruth, bracketed
from data.synchronous import SynchronousGrammar

Pair = tuple[tuple[str, ...], tuple[str, ...]]


def small_grammar() -> PairTruth:
    """With ambiguous sources (`bass`, and where `today` belongs), free order, synonyms, words left out and dropped."""
    grammar = SynchronousGrammar()
    rule = grammar.rule

    @rule
    def sentence():
        both = {"0 2 1": 2, "0 na/case 2 1": 1, "2 0 1": 1}
        return [
            (3, [who(), sees(), what()], both),
            (1, [who(), sees(), what(), when()], "3 0 2 1"),
            (1, ["the", what(), "sleeps"], "0 dormu"),
            (1, [who(), "looks after", what()], {"0 1 penda/idiom": 1}),
        ]

    @rule
    def who():
        return [(2, "mira", "mira/name"), (1, "she", {"ta": 0.5, "": 0.5}), (1, ["mira", when()], "0 mira/name")]

    @rule
    def sees():
        return [(1, "sees", {"vida/agreement": 0.75, "loka/agreement": 0.25}), (1, "looks after", "penda kora/idiom")]

    @rule
    def what():
        return [
            (1, "bass", "fisk/ambiguity"),
            (2, "bass", "gita/ambiguity"),
            (1, ["old", what_else()], {"0": 1, "vell 0": 1}),
        ]

    @rule
    def what_else():
        return [(1, "barn", {"haus": 0.5, "skur": 0.5}), (1, "bass", "gita/ambiguity")]

    @rule
    def when():
        return [(1, "today", "nun"), (1, "now and then", {"nun": 0.25, "seldu": 0.75})]

    return PairTruth(grammar, sentence())


TRUTH = small_grammar()


def enumerate_pairs(
    symbol: Nonterminal, ordered: Callable = lambda symbol, side: side, spelt: Callable[[str], str] = str
) -> list[tuple[tuple[str, ...], tuple[str, ...], float]]:
    """Every way to derive a pair, with its probability, from the rules alone; shares no code with the oracle.

    ordered: the items of a target side of a symbol, in the order in which they are said. spelt: the words of targets.
    """
    pairs = []
    for rule in TRUTH.grammar.expand(symbol):
        parts = [part for part in rule.source if isinstance(part, Nonterminal)]
        for combination in itertools.product(*(enumerate_pairs(part, ordered, spelt) for part in parts)):
            children = iter(combination)
            source = [word for part in rule.source for word in ([part] if isinstance(part, str) else next(children)[0])]
            prob = rule.prob * math.prod(child_prob for _, _, child_prob in combination)
            for side_prob, side in rule.targets:
                items = (
                    combination[item][1] if isinstance(item, int) else [spelt(item.text)]
                    for item in ordered(symbol, side)
                )
                pairs.append((tuple(source), tuple(itertools.chain(*items)), prob * side_prob))
    return pairs


JOINT: defaultdict[Pair, float] = defaultdict(float)
for _source, _target, _prob in enumerate_pairs(TRUTH.start):
    JOINT[_source, _target] += _prob
SOURCES: defaultdict[tuple[str, ...], dict[tuple[str, ...], float]] = defaultdict(dict)
for (_source, _target), _prob in JOINT.items():
    SOURCES[_source][_target] = _prob


def test_brute_force_sums_to_one():
    assert len(JOINT) > 300 and len(SOURCES) > 30
    assert math.fsum(JOINT.values()) == pytest.approx(1, abs=1e-12)


def test_conditional_probabilities_agree_with_brute_force_and_sum_to_one():
    for source, targets in SOURCES.items():
        marginal = math.fsum(targets.values())
        probs = {target: math.exp(TRUTH.log_prob(source, target)) for target in targets}
        assert math.fsum(probs.values()) == pytest.approx(1, abs=1e-12)
        for target, joint in targets.items():
            assert probs[target] == pytest.approx(joint / marginal, abs=1e-12)


def test_every_prefix_of_a_target_has_the_probability_of_brute_force():
    for source, targets in list(SOURCES.items())[::3]:
        marginal = math.fsum(targets.values())
        for target in targets:
            log_probs = TRUTH.token_log_probs(source, target)
            assert len(log_probs) == len(target) + 1
            for end in range(len(target) + 1):
                prefix = math.fsum(prob for other, prob in targets.items() if other[:end] == target[:end]) / marginal
                assert math.exp(math.fsum(log_probs[:end])) == pytest.approx(prefix, abs=1e-12)


@pytest.mark.slow
def test_next_words_are_a_distribution_that_agrees_with_the_token_costs():
    for source, target in list(JOINT)[::5]:
        for position, log_prob in enumerate(TRUTH.token_log_probs(source, target)):
            probs = TRUTH.next_word_probs(source, target[:position])
            assert math.fsum(probs.values()) == pytest.approx(1, abs=1e-12)
            assert math.log(probs[(*target, END)[position]]) == pytest.approx(log_prob, abs=1e-12)


def test_samples_follow_the_joint_probabilities():
    count = 4_000
    sample = TRUTH.grammar.sampler(TRUTH.start, seed=3)
    counts: Counter[Pair] = Counter()
    for _ in range(count):
        derivation, words = sample()
        counts[tuple(derivation.source()), tuple(word.text for word in words)] += 1
    assert set(counts) <= set(JOINT)
    for pair, prob in JOINT.items():
        assert abs(counts[pair] - count * prob) < 5 * math.sqrt(count * prob * (1 - prob)) + 3


def test_the_most_probable_target():
    """Wherever every target is written in one way only, which a pronoun that may be left out prevents."""
    for source, targets in SOURCES.items():
        if len(TRUTH.derivations(source)) == 1 and "she" not in source:
            best = tuple(TRUTH.best_target(source))
            assert targets[best] == pytest.approx(max(targets.values()))


@pytest.mark.parametrize(
    "target", ["", "mira", "mira vida", "mira gita vida vida", "mira gita vida na", "zoe gita vida"]
)
def test_what_the_grammar_cannot_write_has_no_probability(target):
    source = "mira sees bass".split()
    assert TRUTH.log_prob(source, target.split()) == -math.inf


def test_a_target_side_that_names_no_symbol_is_refused():
    grammar = SynchronousGrammar()

    @grammar.rule
    def start():
        return [(1, ["a", start()], "1")]

    with pytest.raises(ValueError, match="start: the target side '1' does not fit"):
        grammar.expand(start())


def test_errors_name_the_sentence_and_the_word():
    with pytest.raises(UserError, match="does not allow the source sentence: mira sees"):
        TRUTH.log_prob("mira sees".split(), ["mira"])
    with pytest.raises(UserError, match="target word 2, 'nun', in: mira sees bass"):
        TRUTH.phenomena("mira sees bass".split(), "mira nun".split())
    assert TRUTH.next_word_probs("mira sees bass".split(), ["nun"]) == {}


def test_alignments_join_the_words_of_lexical_rules():
    source = "mira looks after old barn now and then".split()
    assert TRUTH.alignment(source, "seldu mira skur penda kora".split()) == [
        (5, 0), (6, 0), (7, 0), (0, 1), (4, 2), (1, 3), (2, 3), (1, 4), (2, 4),
    ]  # fmt: skip


def test_phenomena_are_choices_only_where_several_words_are_possible():
    source = "mira sees old bass today".split()
    labels = TRUTH.phenomena(source, "nun mira vell gita vida".split())
    assert labels == ["reordering", "name", "choice", "ambiguity", "choice"]
    source = "the old barn sleeps".split()
    assert TRUTH.phenomena(source, "haus dormu".split()) == ["choice", "local"]
    skipping = PairTruth(TRUTH.grammar, TRUTH.start, skip="selection")
    source = "she looks after old bass today".split()
    target = "nun gita penda kora".split()
    assert TRUTH.phenomena(source, target)[0] == "reordering"
    assert skipping.phenomena(source, target)[0] == "selection"


def test_trees_are_binary_and_hold_the_source():
    assert TRUTH.tree("mira sees old barn now and then".split()) == (
        "( mira ( sees ( ( old barn ) ( now ( and then ) ) ) ) )"
    )
    for source in SOURCES:
        for derivation in TRUTH.derivations(source):
            tree = bracketed(derivation)
            assert [token for token in tree.split() if token not in "()"] == list(source)
            assert tree.split().count("(") == tree.split().count(")") == len(source) - 1
