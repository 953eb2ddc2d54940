"""Graders of perplexity.py."""

import math

from solutions.checks import check, close, equal, task


def unigram(before, word):
    return math.log({"a": 0.5, "b": 0.25, "<unk>": 0.05, "</s>": 0.2}[word])


@task("1.5")
def test_a_uniform_model_has_the_size_of_its_vocabulary(work):
    close(work.perplexity(7 * math.log(1 / 12), 7), 12.0, "7 predictions, each with probability 1/12")
    close(work.perplexity(-10.0, 4), math.exp(2.5), "log P = -10 nats over 4 predictions")


@task("1.5")
def test_the_end_costs_and_counts(work):
    totals, text = work.evaluate(unigram, [["a", "b"], ["b"], []], {"a", "b"}), "`a b`, `b` and an empty sentence"
    close(totals[0], math.log(0.5 * 0.25 * 0.25 * 0.2**3), f"log P of {text}, all ends included")
    equal(totals[1], 6, f"predictions in {text}: every sentence has one more than words")


@task("1.5")
def test_unknown_words_are_spelt(work):
    log_prob, predictions, unknown = work.evaluate(unigram, [["a", "wombat", "b"]], {"a", "b"})
    expected = math.log(0.5 * 0.05 * 0.25 * 0.2) + math.log(1e-7)
    close(log_prob, expected, "log P of `a wombat b`: wombat costs P(<unk>) and one in ten million")
    equal(predictions, 4, "predictions in `a wombat b`: an unknown word is one like the others")
    equal(unknown, 1, "unknown words in `a wombat b`")


@task("1.5")
def test_what_the_model_is_shown(work):
    seen = []
    work.evaluate(lambda before, word: seen.append((tuple(before), word)) or -1.0, [["a", "wombat"], ["b"]], {"a", "b"})
    expected = [((), "a"), (("a",), "<unk>"), (("a", "<unk>"), "</s>"), ((), "b"), (("b",), "</s>")]
    check(set(seen) == set(expected), "the model must see each word with those before it, <unk> for unknown ones")
