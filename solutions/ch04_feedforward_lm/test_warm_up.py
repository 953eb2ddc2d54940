"""Graders of warm_up.py."""

from common.text.vocab import Vocabulary
from solutions.checks import check, close, equal, plain, task


@task("4.1")
def test_the_size_of_the_model(work):
    """The chapter's own models are counted."""
    from chapters.feedforward_lm.model import FeedForwardLM
    from chapters.feedforward_lm.settings import Settings

    settings = Settings(embedding_size=4, hidden_size=3, order=3)
    collection = FeedForwardLM.from_settings(settings, Vocabulary(f"w{number}" for number in range(2, 11))).collection
    message = "parameters with V = 11, L = 4, H = 3, n = 3: M, W_mh, b_h, W_hs, b_s"
    equal(work.how_many_parameters(11, 4, 3, 3), collection.parameter_count(), message)


@task("4.1")
def test_the_scores_of_a_word(work):
    message = "V = 100, 4 classes: a score for each class, and for each word of one class"
    close(work.scores_a_word(100, 4), 4 + 25, message)


@task("4.1")
def test_the_best_number_of_classes(work):
    for words in (16, 36, 2500, 10000):
        best = min(range(1, words + 1), key=lambda classes: classes + words / classes)
        number = plain(work.best_number_of_classes(words), "the number of classes")
        message = f"V = {words}: there is a number of classes with fewer scores a word than {number}; try some others"
        check(number == best, message)
