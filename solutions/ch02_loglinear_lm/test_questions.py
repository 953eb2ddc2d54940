"""Graders of questions.py."""

import numpy as np

from common.text.vocab import Vocabulary
from solutions.checks import answer, close, equal, task


@task("2.1")
def test_the_size_of_the_model(work):
    """The chapter's own models are counted."""
    from chapters.loglinear_lm.features import FeatureSet
    from chapters.loglinear_lm.model import LogLinearLM

    for words, spec in [(7, "word1"), (11, "word1,word2")]:
        vocab, distances = Vocabulary(f"w{number}" for number in range(2, words)), spec.count("word")
        model = LogLinearLM(FeatureSet(spec, vocab, np.zeros(words, dtype=int), {}))
        message = f"parameters with V = {words} and {distances} word(s) of context: W and b, all of them"
        equal(work.how_many_parameters(words, distances), model.W.size + model.b.size, message)


@task("2.1")
def test_what_moves(work):
    message = "V = 11, 2 words of context: which rows of W are read, what of b, how long is each?"
    equal(work.how_many_move(11, 2), 11 + 11 + 11, message)


@task("2.1")
def test_the_first_loss(work):
    message = "all 1154 words have the same score: what is the probability of each, and minus its logarithm?"
    close(work.loss_of_a_beginner(1154), -np.log(1 / 1154), message)


@task("2.1")
def test_five_more(work):
    answer(work.five_more(), "5d1a5697821575a6", "write the softmax of s + 5 down and look for a common factor")
