"""Graders of drawing.py."""

import numpy as np

from solutions.checks import close, equal, task


@task("10.3")
def test_noise_by_hand(work):
    g = np.array([[0.0, 1.0, -1.5], [2.0, -0.5, 6.0]])
    close(work.gumbel_noise(np.exp(-np.exp(-g))), g, "noise of six numbers: two logarithms, two minus signs")


@task("10.3")
def test_words_by_hand(work):
    log_probs = np.log(np.array([[0.5, 0.1, 1 / 3], [0.25, 0.2, 1 / 3], [0.25, 0.7, 1 / 3]]))
    noise = np.array([[0.0, 5.0, -1.0], [3.0, 0.5, 0.2], [2.0, 0.0, 0.1]])
    message = "three rows of three words: the largest log P + g of each row, which is a column here"
    close(work.draw_words(log_probs, noise), np.array([1, 0, 1]), message)
    message = "two rows, no noise: the most probable word of each"
    close(work.draw_words(log_probs[:, :2], np.zeros((3, 2))), np.array([0, 2]), message)


def draw_sentence(work, rows, end=None):
    """A sentence and what the model was asked, with noise in one row only: there </s> comes."""
    prefixes, noise = [], np.zeros((rows, 3))
    if end is not None:
        noise[end, 0] = 9.0

    def next_words(words):
        """Whoever has read an odd sum finds the third word probable, others the second."""
        prefixes.append(list(words))
        return np.log([0.1, 0.2, 0.7] if sum(words) % 2 else [0.2, 0.5, 0.3])

    return list(work.draw_sentence(next_words, noise)), prefixes


@task("10.3")
def test_a_sentence_reads_itself_until_it_ends(work):
    words, prefixes = draw_sentence(work, 5, end=3)
    equal(words, [1, 2, 2, 0], "the noise lets the fourth word be </s>; the others are the most probable ones")
    message = "next_words is asked for the word after all words so far, each time, and not after </s>"
    equal(prefixes, [[], [1], [1, 2], [1, 2, 2]], message)
    message = "three rows of noise, and no </s>: three words, and no </s> behind them"
    equal(draw_sentence(work, 3)[0], [1, 2, 2], message)
