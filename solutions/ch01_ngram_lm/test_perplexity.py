"""Graders of perplexity.py."""

import math

import numpy as np

from common.evaluation.perplexity import evaluate
from common.text.vocab import Vocabulary
from solutions.checks import check, close, task

MUTANTS = [
    ("1.5", "math.exp(-log_prob / predictions)", "math.exp(log_prob / predictions)"),
    ("1.5", "math.exp(-log_prob / predictions)", "2 ** (-log_prob / predictions)"),
    ("1.5", "return math.inf", "raise"),
    ("1.5", "            predictions += 1", "            predictions += word != END"),
    ("1.5", "for word in [*sentence, END]:", "for word in sentence:"),
    ("1.5", "word != END and word not in vocabulary", "word not in vocabulary"),
    ("1.5", "                total += math.log(1 / WORDS_OF_THE_LANGUAGE)\n", ""),
    ("1.5", "                word = UNKNOWN\n", ""),
    ("1.5", "        before: tuple[str, ...] = ()\n", "        before = () if predictions == 0 else before\n"),
    ("1.5", "total += log_prob(before, word)", "total += log_prob(before, word) if word != END else 0"),
]

UNIGRAMS = {"a": 0.5, "b": 0.25, "<unk>": 0.05, "</s>": 0.2}


def unigram(before, word):
    return math.log(UNIGRAMS[word])


@task("1.5")
def test_a_uniform_model_has_the_size_of_its_vocabulary(work):
    close(work.perplexity(7 * math.log(1 / 12), 7), 12.0, "7 predictions, each with probability 1/12")
    close(work.perplexity(0.0, 3), 1.0, "a model that is always certain, and right")
    close(work.perplexity(-10.0, 4), math.exp(2.5), "log P = -10 nats over 4 predictions")


@task("1.5")
def test_a_model_that_is_hopeless(work):
    check(work.perplexity(-1e6, 10) == math.inf, "log P = -1e6 over 10 predictions is too much for a float: infinity")
    check(work.perplexity(-math.inf, 10) == math.inf, "a text with P = 0 has an infinite perplexity")


@task("1.5")
def test_the_end_costs_and_counts(work):
    log_prob, predictions, unknown = work.evaluate(unigram, [["a", "b"], ["b"], []], {"a", "b"})
    close(
        log_prob, math.log(0.5 * 0.25 * 0.25 * 0.2**3), "log P of `a b`, `b` and an empty sentence, all ends included"
    )
    close(predictions, 6, "predictions in `a b`, `b` and an empty sentence: every sentence has one more than words")
    close(unknown, 0, "unknown words, where there are none")


@task("1.5")
def test_unknown_words_are_spelt(work):
    log_prob, predictions, unknown = work.evaluate(unigram, [["a", "wombat", "b"]], {"a", "b"})
    expected = math.log(0.5 * 0.05 * 0.25 * 0.2) + math.log(1e-7)
    close(log_prob, expected, "log P of `a wombat b`: wombat costs P(<unk>) and one in ten million")
    close(predictions, 4, "predictions in `a wombat b`: an unknown word is one like the others")
    close(unknown, 1, "unknown words in `a wombat b`")


@task("1.5")
def test_what_the_model_is_shown(work):
    seen = []

    def model(before, word):
        seen.append((tuple(before), word))
        return -1.0

    work.evaluate(model, [["a", "wombat"], ["b"]], {"a", "b"})
    expected = [((), "a"), (("a",), "<unk>"), (("a", "<unk>"), "</s>"), ((), "b"), (("b",), "</s>")]
    check(sorted(seen) == sorted(expected), "the model must see each word with those before it, <unk> for unknown ones")


class Table:
    """A unigram model that satisfies `common.evaluation.perplexity.LanguageModel` as far as evaluation goes."""

    vocab = Vocabulary(["a", "b"])

    def log_probs(self, batch):
        table = np.log([UNIGRAMS[{"<s>": "</s>"}.get(word, word)] for word in self.vocab.words])
        return table[batch.targets]


@task("1.5")
def test_the_course_agrees(work):
    text = [["a", "b", "b"], ["zebra", "1984"], ["b", "a", "wombat", "a"]]
    expected = evaluate(Table(), text, unk="uniform")
    log_prob, predictions, unknown = work.evaluate(unigram, text, {"a", "b"})
    close(log_prob, expected.log_prob, "log P of three sentences, as the course's own evaluation has it")
    close(work.perplexity(log_prob, predictions), expected.perplexity, "their perplexity")
