"""Paragraphs of the village: two to four sentences whose names come back, and the exact truth about them.

A sentence of a paragraph is one of the village's sentences with names, with one difference: where it needs a new name,
and the paragraph mentioned somebody of that gender before, the name is, with probability `RETURNS`, one of theirs. Who
was mentioned can be read off the text. So the forward algorithm of the grammar stays exact: given the sentences
before it, only the probabilities of names are others.

In a text every paragraph ends with a line of its own that holds the one word `BREAK`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from data import village_lexicon as lexicon
from data.grammar import END, Grammar, Registers
from data.oracle import labels_along
from data.village_grammar import opening, with_names
from data.village_phrases import rule, village

BREAK = "*"
"""The only word of the line that ends a paragraph."""
RETURNS = 0.8
"""P(a new name of a later sentence is one that the paragraph mentioned before), where there is one of the gender."""
ENDS = {2: 1 / 3, 3: 1 / 2, 4: 1.0}
"""P(the paragraph ends | so many sentences): two, three and four sentences are equally likely."""
EARLIER = "earlier"
"""How the registers begin that hold the names of earlier sentences."""

Sentence = Sequence[str]


@rule
def story() -> list[tuple]:
    """Start symbol: a topic of the sentence's own, and somebody who has a name."""
    return [(weight, opening(topic), with_names(topic)) for topic, weight in lexicon.TOPICS.items()]


class Retelling(Grammar):
    """The rules of another grammar, for sentences that may mention again whom earlier sentences mentioned.

    The registers that begin with `EARLIER` hold those names. share: P(a new name is one of them, each as likely as the
    others), where one is of the right kind and not in the sentence already.
    """

    def __init__(self, grammar: Grammar, share: float) -> None:
        super().__init__(grammar.names)
        self._rules, self.share = grammar._rules, share

    def _candidates(self, kind: str, registers: Registers) -> list[str]:
        """The earlier names of this kind that the sentence does not hold already, in the order of their mention."""
        used = {name for _, name in of_sentence(registers)}
        earlier = [name for register, name in registers if register.startswith(EARLIER)]
        return [name for name in earlier if self.kind_of[name] == kind and name not in used]

    def _draw_name(self, kind: str, by_register: dict[str, str], random: Callable[[], float]) -> str:
        candidates = self._candidates(kind, tuple(by_register.items()))
        if candidates and random() < self.share:
            return candidates[int(random() * len(candidates))]
        return super()._draw_name(kind, dict(of_sentence(by_register.items())), random)

    def _name_prob(self, name: str, registers: Registers) -> float:
        """P(new name) = (1 - share) P(it is drawn from all names) + share / candidates, if it is one of them."""
        fresh = super()._name_prob(name, of_sentence(registers))
        candidates = self._candidates(self.kind_of[name], registers)
        if not candidates:
            return fresh
        return (1 - self.share) * fresh + self.share * (name in candidates) / len(candidates)

    def _name_keys(self, name: str, registers: Registers) -> list:
        """A name of an earlier sentence has the phenomenon "return" where it is mentioned anew."""
        came_back = name in self._candidates(self.kind_of[name], registers)
        keys = super()._name_keys(name, registers)
        return [(key, prob, "return" if came_back and label == "name" else label) for key, prob, label in keys]


def of_sentence(registers: Iterable[tuple[str, str]]) -> Registers:
    """The registers that the sentence itself has written."""
    return tuple((register, name) for register, name in registers if not register.startswith(EARLIER))


START, retelling = story(), Retelling(village, RETURNS)


def registers_after(sentences: Iterable[Sentence]) -> Registers:
    """What a sentence that follows these may mention again: their names, in the order of their first mention."""
    names = dict.fromkeys(word for sentence in sentences for word in sentence if word in village.kind_of)
    return tuple((f"{EARLIER} {number}", name) for number, name in enumerate(names))


def paragraphs(seed: int) -> Iterator[list[list[str]]]:
    """Independent paragraphs, each a list of sentences, without end."""
    sample = retelling.sampler(START, seed)
    random = Random(seed).random  # the sampler's own numbers once more: lengths reuse what chose words long before
    while True:
        paragraph: list[list[str]] = []
        while len(paragraph) < min(ENDS) or random() >= ENDS[len(paragraph)]:
            paragraph.append(sample(registers_after(paragraph)))
        yield paragraph


def as_lines(written: Iterable[Sequence[Sentence]]) -> list[Sentence]:
    """The sentences of the paragraphs in running order, with the break behind each paragraph."""
    return [line for paragraph in written for line in [*paragraph, [BREAK]]]


def with_befores(lines: Iterable[Sentence]) -> Iterator[tuple[Sentence, list[Sentence]]]:
    """Each line of a text with the sentences of its paragraph before it."""
    before: list[Sentence] = []
    for line in lines:
        yield line, before
        before = [] if list(line) == [BREAK] else [*before, line]


# The truth


def end_prob(before: Sequence[Sentence]) -> float:
    """P(the paragraph ends after these sentences)."""
    return ENDS.get(len(before), 0.0 if len(before) < min(ENDS) else 1.0)


def token_log_probs(line: Sentence, before: Sequence[Sentence] = ()) -> list[float]:
    """log P(word | all words before it in the paragraph) for each word of a line and `</s>`: n + 1 numbers in nats.

    before: the sentences of the paragraph so far. The first word also costs the choice of a sentence, not the break.
    """
    ends = end_prob(before)
    if list(line) == [BREAK]:
        return [_log(ends), 0.0]
    states, log_probs = retelling.initial(START, registers_after(before)), []
    for word in line:
        prob, states = retelling.advance(states, word)
        log_probs.append(_log(prob))
    log_probs[0] += _log(1 - ends)
    return [*log_probs, _log(retelling.end_prob(states))]


def log_prob(line: Sentence, before: Sequence[Sentence] = ()) -> float:
    """log P(line | sentences before it in the paragraph), in nats."""
    return math.fsum(token_log_probs(line, before))


def next_word_probs(prefix: Sentence, before: Sequence[Sentence] = ()) -> dict[str, float]:
    """P(next word) for each possible word, `</s>` and the break; empty where the prefix cannot be said."""
    ends = end_prob(before)
    if list(prefix) == [BREAK]:
        return {END: 1.0} if ends else {}
    states = retelling.initial(START, registers_after(before))
    if not prefix:
        first = {word: (1 - ends) * prob for word, prob in retelling.next_words(states).items()}
        return {word: prob for word, prob in {**first, BREAK: ends}.items() if prob}
    if ends == 1:
        return {}
    return retelling.next_word_probs(states, prefix)


def phenomena(line: Sentence, before: Sequence[Sentence] = ()) -> list[str]:
    """What decides each word: as `data.oracle.phenomena`, "return" for a name of an earlier sentence, and "local" for
    the break. Raises `UserError` for a line that cannot be said."""
    if list(line) == [BREAK]:
        return ["local"]
    return labels_along(retelling, retelling.initial(START, registers_after(before)), line)


def _log(prob: float) -> float:
    return math.log(prob) if prob > 0 else -math.inf
