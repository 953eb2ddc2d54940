"""Graders of questions.py."""

import numpy as np

from common.text.vocab import Vocabulary
from solutions.checks import answer, close, equal, task

MUTANTS = [
    ("2.1", "distances * vocabulary_size * vocabulary_size + vocabulary_size", "vocabulary_size ** (distances + 1)"),
    ("2.1", "vocabulary_size * vocabulary_size + vocabulary_size", "vocabulary_size * vocabulary_size"),
    ("2.1", "(distances + 1) * vocabulary_size", "distances * vocabulary_size"),
    ("2.1", "(distances + 1) * vocabulary_size", "distances + 1"),
    ("2.1", "math.log(vocabulary_size)", "math.log2(vocabulary_size)"),
    ("2.1", 'return "b"', 'return "a"'),
]


@task("2.1")
def test_the_size_of_the_model(work):
    """The chapter's own models are counted."""
    from chapters.loglinear_lm.features import FeatureSet
    from chapters.loglinear_lm.model import LogLinearLM

    for words, distances in [(7, 1), (11, 2), (5, 3)]:
        vocab = Vocabulary(f"w{number}" for number in range(2, words))
        spec = ",".join(f"word{distance}" for distance in range(1, distances + 1))
        model = LogLinearLM(FeatureSet(spec, vocab, np.zeros(words, dtype=int), {}))
        message = f"parameters with V = {words} and {distances} word(s) of context: W and b, all of them"
        equal(work.how_many_parameters(words, distances), model.W.size + model.b.size, message)


@task("2.1")
def test_what_moves(work):
    for words, distances in [(7, 1), (11, 2), (1000, 3)]:
        message = f"V = {words}, {distances} word(s) of context: which rows of W are read, what of b, how long is each?"
        equal(work.how_many_move(words, distances), sum([words] * distances) + words, message)


@task("2.1")
def test_the_first_loss(work):
    for words in (2, 1154, 10000):
        message = f"all {words} words have the same score: what is the probability of each, and minus its logarithm?"
        close(work.loss_of_a_beginner(words), -np.log(1 / words), message)


@task("2.1")
def test_five_more(work):
    answer(work.five_more(), "5d1a5697821575a6", "write the softmax of s + 5 down and look for a common factor")
