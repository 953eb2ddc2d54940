"""The grammar library against brute force: every derivation of a small grammar, one by one."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

import pytest

from data.grammar import END, Grammar, New, Nonterminal, Recall, Word

NAMES = {"f": {"ada": 3.0, "eva": 1.0, "ida": 0.5}, "m": {"ben": 2.0, "jon": 1.0, "tim": 1.0}}


def small_grammar() -> tuple[Grammar, Nonterminal]:
    """Ambiguous (two derivations of `ada sees ada`-like strings), with empty right sides and two registers."""
    grammar = Grammar(NAMES)
    rule = grammar.rule

    @rule
    def start():
        return [(3, who("f"), "sees", again(), end()), (2, who("m"), "sees", New("B", "f"), end()), (1, "rain falls")]

    @rule
    def who(kind):
        return [(2, New("A", kind)), (1, often(), New("A", kind)), (1, often(), often(), New("A", kind))]

    @rule
    def often():
        return [(1, ""), (1, "often")]

    @rule
    def again():
        return [(5, Recall("A")), (1, New("B", "f")), (1, New("B", "m")), (1, Word("ada"), often())]

    @rule
    def end():
        return [(4, ""), (1, "today"), (1, "and", again(), end_once())]

    @rule
    def end_once():
        return [(1, ""), (1, ".", often())]

    return grammar, start()


def enumerate_sentences(grammar: Grammar, start: Nonterminal) -> dict[tuple[str, ...], float]:
    """All sentences with their probabilities, by walking through all derivations; shares no code with the oracle."""
    sentences: defaultdict[tuple[str, ...], float] = defaultdict(float)

    def walk(words, stack, names, prob):
        if not stack:
            sentences[words] += prob
            return
        top, below = stack[0], stack[1:]
        if isinstance(top, Nonterminal):
            for rule_prob, right_side in grammar.expand(top):
                walk(words, right_side + below, names, prob * rule_prob)
        elif isinstance(top, Word):
            walk((*words, top.text), below, names, prob)
        elif isinstance(top, Recall):
            walk((*words, names[top.register]), below, names, prob)
        else:
            free = {name: weight for name, weight in NAMES[top.kind].items() if name not in names.values()}
            for name, weight in free.items():
                walk((*words, name), below, names | {top.register: name}, prob * weight / sum(free.values()))

    walk((), (start,), {}, 1.0)
    return dict(sentences)


GRAMMAR, START = small_grammar()
SENTENCES = enumerate_sentences(GRAMMAR, START)


def test_brute_force_sums_to_one_and_agrees_sentence_by_sentence():
    assert len(SENTENCES) > 500
    assert math.fsum(SENTENCES.values()) == pytest.approx(1, abs=1e-12)
    for sentence, prob in SENTENCES.items():
        assert GRAMMAR.log_prob(START, sentence) == pytest.approx(math.log(prob), abs=1e-10)


def test_prefix_probabilities_agree_with_brute_force():
    prefixes: defaultdict[tuple[str, ...], float] = defaultdict(float)
    for sentence, prob in SENTENCES.items():
        for end in range(len(sentence) + 1):
            prefixes[sentence[:end]] += prob
    for sentence in list(SENTENCES)[::2]:
        log_probs = GRAMMAR.token_log_probs(START, sentence)
        assert len(log_probs) == len(sentence) + 1
        for end in range(len(sentence) + 1):
            assert math.fsum(log_probs[:end]) == pytest.approx(math.log(prefixes[sentence[:end]]), abs=1e-10)


def test_next_words_are_a_distribution_that_agrees_with_the_token_costs():
    for sentence in list(SENTENCES)[::7]:
        states = GRAMMAR.initial(START)
        for word, log_prob in zip([*sentence, END], GRAMMAR.token_log_probs(START, sentence), strict=True):
            probs = GRAMMAR.next_words(states)
            assert math.fsum(probs.values()) == pytest.approx(1, abs=1e-12)
            assert math.log(probs[word]) == pytest.approx(log_prob, abs=1e-12)
            _, states = GRAMMAR.advance(states, word)


@pytest.mark.parametrize("sentence", ["", "snow falls", "rain", "ada sees", "ada sees ada ada", "ben sees tim", "zoe"])
def test_what_the_grammar_cannot_say_has_no_probability(sentence):
    assert tuple(sentence.split()) not in SENTENCES
    assert GRAMMAR.log_prob(START, sentence.split()) == -math.inf


def test_samples_follow_the_probabilities():
    count = 10_000
    sample = GRAMMAR.sampler(START, seed=3)
    counts = Counter(tuple(sample()) for _ in range(count))
    assert set(counts) <= set(SENTENCES)
    for sentence, prob in SENTENCES.items():
        assert abs(counts[sentence] - count * prob) < 5 * math.sqrt(count * prob * (1 - prob)) + 3


def test_a_name_of_two_kinds_is_refused():
    with pytest.raises(ValueError, match="two kinds"):
        Grammar({"f": {"kim": 1.0}, "m": {"kim": 1.0}})


def test_running_out_of_names_is_an_error_not_an_endless_search():
    grammar = Grammar({"f": {"ada": 1.0}})

    @grammar.rule
    def two():
        return [(1, New("A", "f"), New("B", "f"))]

    with pytest.raises(ValueError, match="every name of kind 'f' is taken already"):
        grammar.sampler(two(), seed=1)()
