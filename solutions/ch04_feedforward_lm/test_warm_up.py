"""Graders of warm_up.py."""

from common.text.vocab import Vocabulary
from solutions.checks import check, close, equal, plain, task

MUTANTS = [
    ("4.1", "(order - 1) * embedding_size + 1", "order * embedding_size + 1"),
    ("4.1", "(order - 1) * embedding_size + 1", "embedding_size + 1"),
    ("4.1", "(hidden_size + 1) * vocabulary_size", "hidden_size * vocabulary_size"),
    ("4.1", "embeddings = vocabulary_size * embedding_size", "embeddings = 0"),
    ("4.1", "classes + vocabulary_size / classes", "vocabulary_size / classes"),
    ("4.1", "math.isqrt(vocabulary_size)", "vocabulary_size // 2"),
    ("4.1", "math.isqrt(vocabulary_size)", "round(math.log2(vocabulary_size))"),
]


@task("4.1")
def test_the_size_of_the_model(work):
    """The chapter's own models are counted."""
    from chapters.feedforward_lm.model import FeedForwardLM
    from chapters.feedforward_lm.settings import Settings

    for words, embedding, hidden, order in [(7, 2, 3, 2), (11, 4, 3, 3), (5, 3, 6, 4)]:
        settings = Settings(embedding_size=embedding, hidden_size=hidden, order=order)
        model = FeedForwardLM.from_settings(settings, Vocabulary(f"w{number}" for number in range(2, words)))
        parameters = [*model.collection.parameters_list(), *model.collection.lookup_parameters_list()]
        found = work.how_many_parameters(words, embedding, hidden, order)
        message = f"parameters with V = {words}, L = {embedding}, H = {hidden}, n = {order}: M, W_mh, b_h, W_hs, b_s"
        equal(found, sum(one.as_array().size for one in parameters), message)


@task("4.1")
def test_the_scores_of_a_word(work):
    for words, classes in [(12, 3), (100, 4), (10000, 50)]:
        message = f"V = {words}, {classes} classes: a score for each class, and for each word of one class"
        close(work.scores_a_word(words, classes), sum([1] * classes) + words / classes, message)


@task("4.1")
def test_the_best_number_of_classes(work):
    for words in (16, 36, 2500, 10000):
        best = min(range(1, words + 1), key=lambda classes: classes + words / classes)
        found = plain(work.best_number_of_classes(words), "the number of classes")
        message = f"V = {words}: there is a number of classes with fewer scores a word than {found}; try some others"
        check(found == best, message)
