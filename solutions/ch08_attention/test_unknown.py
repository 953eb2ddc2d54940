"""Graders of unknown.py."""

import numpy as np

from common.search.decoding import Hypothesis
from common.text.ibm_model1 import Lexicon
from solutions.checks import equal, task

ATTENTION = np.array(
    [[0.1, 0.2, 0.05, 0.65], [0.3, 0.5, 0.1, 0.1], [0.7, 0.1, 0.1, 0.1], [0.1, 0.2, 0.6, 0.1], [0.2, 0.4, 0.1, 0.3]]
)
SOURCE = ["emus", "see", "grey", "yaks"]
TRANSLATION = Hypothesis(["<unk>", "ba", "<unk>", "<unk>"], -1.0, True, ATTENTION)


@task("8.5")
def test_copying(work):
    message = "attention rows with their maximum at word 4, 2, 1, 3: an <unk> becomes the source word of its own row's"
    equal(work.replace_unknown(TRANSLATION, SOURCE), ["yaks", "ba", "emus", "grey"], message)
    cut = TRANSLATION._replace(finished=False, attention=ATTENTION[:-1])
    message = "a translation that was cut off has no row of </s>, and the same words"
    equal(work.replace_unknown(cut, SOURCE), ["yaks", "ba", "emus", "grey"], message)


@task("8.5")
def test_the_dictionary(work):
    lexicon = Lexicon.learn([(["yaks"], ["yakai"]), (["see"], ["lira"]), (["emus"], ["emuai"])])
    message = "a lexicon that knows emus and yaks, but not grey: translate what it knows, copy what it does not"
    equal(work.replace_unknown(TRANSLATION, SOURCE, lexicon), ["yakai", "ba", "emuai", "grey"], message)
