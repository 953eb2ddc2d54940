"""The worked examples of part 2 of chapter 2: margins. The features, votes and words are those of ch02.py."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from book.worked.ch02 import ACTIVE, BASE, CAME, MATRIX, RATE, WORDS
from chapters.loglinear_lm import margin, model

SHARES = (0.6, 0.9)
"""How often the first of two words comes, in two histories."""
SENTENCES = {
    "the girl feeds .": ((ACTIVE, "feeds"), ((), ".")),
    "the girl giggles .": ((ACTIVE, "giggles"), ((3,), ".")),
}
"""Two ways to go on after *the girl*: for each step its active features and its word. The first is the right one."""


def scores(active: tuple[int, ...]) -> np.ndarray:
    """The scores of the four words, (4,)."""
    return BASE + MATRIX[list(active)].sum(axis=0)


def gradient(wanted: float | None) -> tuple[float, np.ndarray]:
    """The loss and dl/ds of *feeds* after *the girl*: with this margin, or of the log-likelihood (None)."""
    found, target = scores(ACTIVE)[None], np.array([CAME])
    if wanted is None:
        log_p = model.log_softmax(found.copy())[0]
        dl_ds = np.exp(log_p)
        dl_ds[CAME] -= 1
        return -float(log_p[CAME]), dl_ds
    losses, dl_ds = margin.hinge(found, target, wanted)
    return float(losses[0]), dl_ds[0]


def after_a_step() -> np.ndarray:
    """The scores after a step of SGD on the margin loss: bias and both features move."""
    return scores(ACTIVE) - RATE * (1 + len(ACTIVE)) * gradient(1.0)[1]


def one_prediction() -> Iterator[float]:
    """Scores and gradients of both losses, the losses, the step, and the scores after it."""
    plain, wanted = gradient(None), gradient(1.0)
    for place in range(len(WORDS)):
        yield from (scores(ACTIVE)[place], plain[1][place], wanted[1][place])
    giggles, feeds = scores(ACTIVE)[[0, CAME]]
    yield plain[0]
    yield from (1, giggles, feeds, wanted[0])
    after = after_a_step()
    moved = 1 + len(ACTIVE)
    yield from (RATE, moved, giggles, RATE, moved, after[0], feeds, RATE, moved, after[CAME])


def expected(share: float, lead: float, loss: str) -> float:
    """The mean loss per prediction where the first word comes with this share and leads by so much."""

    def of(ahead: float) -> float:
        if loss == "likelihood":
            return math.log1p(math.exp(-ahead))
        pair = np.array([[ahead, 0.0]])
        return float(margin.hinge(pair, np.array([0]), margin.LOSSES[loss].margin)[0][0])

    return share * of(lead) + (1 - share) * of(-lead)


def best_lead(share: float, loss: str) -> float:
    """The lead with the smallest mean loss, in steps of a thousandth."""
    leads = np.arange(-500, 4001) / 1000
    return float(leads[int(np.argmin([expected(share, lead, loss) for lead in leads]))])


def two_shares() -> Iterator[float]:
    """For both shares the best lead of the log loss; then the mean margin losses at three leads."""
    for share in SHARES:
        lead = math.log(share / (1 - share))
        yield from (share, share, 1 - share, lead)
    share = SHARES[0]
    yield from (0, expected(share, 0, "margin"), 1, expected(share, 1, "margin"), 2, expected(share, 2, "margin"))
    share = SHARES[1]
    yield from (0, expected(share, 0, "margin"), 1, expected(share, 1, "margin"), 2, expected(share, 2, "margin"))
    assert round(1 / (1 + math.exp(-1)), 2) == 0.73  # "73%" on the page


def steps_of(sentence: str) -> list[float]:
    """The score of each step of a sentence."""
    return [float(scores(active)[WORDS.index(word)]) for active, word in SENTENCES[sentence]]


def whole_sentences() -> Iterator[float]:
    """The scores of two sentences, and the margin loss of the right one."""
    totals = []
    for sentence in SENTENCES:
        steps = steps_of(sentence)
        totals.append(sum(steps))
        yield from (*steps, totals[-1])
    yield from (1, totals[1], totals[0], 1 + totals[1] - totals[0])
