"""Graders of unknown.py."""

import numpy as np

from common.errors import UserError
from common.search import unknown_words
from common.search.decoding import Hypothesis
from common.text.ibm_model1 import Lexicon
from solutions.checks import check, equal, refuses, task

MUTANTS = [
    ("8.5", ".argmax())]", ".argmin())]"),
    ("8.5", "hypothesis.attention[place].argmax()", "hypothesis.attention[:, place].argmax()"),
    ("8.5", "hypothesis.attention[place].argmax()", "hypothesis.attention[place + 1].argmax()"),
    ("8.5", "hypothesis.attention[place].argmax()", "place"),
    ("8.5", "hypothesis.attention[place].argmax()", "hypothesis.attention.sum(axis=0).argmax()"),
    ("8.5", "if word == UNKNOWN:", "if True:"),
    ("8.5", "words = list(hypothesis.words)", "words = hypothesis.words"),
    ("8.5", "attended if translated is None else translated", "attended"),
    ("8.5", "attended if translated is None else translated", "translated or UNKNOWN"),
    ("8.5", "lexicon.translate(attended)", "lexicon.translate(word)"),
    ("8.5", 'raise UserError("', 'return list(hypothesis.words) or ("'),
]

ATTENTION = np.array(
    [[0.1, 0.2, 0.05, 0.65], [0.3, 0.5, 0.1, 0.1], [0.7, 0.1, 0.1, 0.1], [0.1, 0.2, 0.6, 0.1], [0.2, 0.4, 0.1, 0.3]]
)
SOURCE = ["emus", "see", "grey", "yaks"]
LEXICON = Lexicon.learn([(["yaks"], ["yakai"]), (["see"], ["lira"]), (["emus"], ["emuai"])])


def found():
    """A translation with three unknown words."""
    return Hypothesis(["<unk>", "ba", "<unk>", "<unk>"], -1.0, True, ATTENTION)


@task("8.5")
def test_copying(work):
    message = "attention rows with their maximum at word 4, 2, 1, 3: an <unk> becomes the source word of its own row's"
    equal(work.replace_unknown(found(), SOURCE), ["yaks", "ba", "emus", "grey"], message)


@task("8.5")
def test_the_dictionary(work):
    message = "a lexicon that knows emus and yaks, but not grey: translate what it knows, copy what it does not"
    equal(work.replace_unknown(found(), SOURCE, LEXICON), ["yakai", "ba", "emuai", "grey"], message)


@task("8.5")
def test_lengths_differ(work):
    one = Hypothesis(["<unk>"], -1.0, True, np.array([[1.0], [1.0]]))
    equal(work.replace_unknown(one, ["yaks"]), ["yaks"], "one word from a source of one word")
    empty = Hypothesis([], -1.0, True, np.array([[0.5, 0.5]]))
    equal(work.replace_unknown(empty, ["yaks", "see"]), [], "a translation without words")
    cut = found()._replace(finished=False, attention=ATTENTION[:-1])
    message = "a translation that was cut off has no row of </s>, and the same words"
    equal(work.replace_unknown(cut, SOURCE), ["yaks", "ba", "emus", "grey"], message)
    longer = Hypothesis(
        ["ba", "<unk>", "<unk>"], -1.0, True, np.array([[1.0, 0.0], [0.4, 0.6], [0.8, 0.2], [0.5, 0.5]])
    )
    equal(work.replace_unknown(longer, ["a", "yaks"]), ["ba", "yaks", "a"], "a translation longer than its source")


@task("8.5")
def test_the_hypothesis_stays(work):
    hypothesis = found()
    work.replace_unknown(hypothesis, SOURCE)
    check(
        hypothesis.words == found().words,
        "the words of the hypothesis itself must stay as they were: write into a copy",
    )


@task("8.5")
def test_without_attention(work):
    for words in (["<unk>"], ["ba"]):
        message = f"the words {words} without attention: that must raise a UserError, which tells what to do"
        refuses(UserError, lambda: work.replace_unknown(Hypothesis(words, -1.0, True), SOURCE), message)  # noqa: B023


@task("8.5")
def test_the_course_agrees(work):
    rng = np.random.default_rng(3)
    for words in (["<unk>"] * 5, ["ba", "<unk>", "ku", "<unk>", "."]):
        hypothesis = Hypothesis(words, -1.0, True, rng.dirichlet(np.ones(4), len(words) + 1))
        for lexicon in (None, LEXICON):
            expected = unknown_words.replace_unknown(hypothesis, SOURCE, lexicon)
            equal(work.replace_unknown(hypothesis, SOURCE, lexicon), expected, "what translate.py would write")
