"""Graders of drawing.py."""

import dynet as dy
import numpy as np

from common.nn.arrays import input_batch
from solutions.checks import check, close, equal, task

MUTANTS = [
    ("10.3", "-np.log(-np.log(uniform))", "np.log(-np.log(uniform))"),
    ("10.3", "-np.log(-np.log(uniform))", "-np.log(uniform)"),
    ("10.3", "-np.log(-np.log(uniform))", "-np.log(1 - uniform)"),
    ("10.3", "-np.log(-np.log(uniform))", "-np.log(-np.log(1 - uniform))"),
    ("10.3", "(log_probs + noise).argmax(axis=0)", "(np.exp(log_probs) + noise).argmax(axis=0)"),
    ("10.3", "(log_probs + noise).argmax(axis=0)", "(log_probs - noise).argmax(axis=0)"),
    ("10.3", "(log_probs + noise).argmax(axis=0)", "(log_probs * noise).argmax(axis=0)"),
    ("10.3", "(log_probs + noise).argmax(axis=0)", "(log_probs + noise).argmin(axis=0)"),
    ("10.3", "(log_probs + noise).argmax(axis=0)", "(log_probs + noise).argmax(axis=1)"),
    ("10.3", "(log_probs + noise).argmax(axis=0)", "log_probs.argmax(axis=0)"),
    ("10.3", "(log_probs + noise).argmax(axis=0)", "noise.argmax(axis=0)"),
    ("10.3", "(log_probs + noise).argmax(axis=0)", "(log_probs + noise).max(axis=0)"),
    ("10.3", "(log_probs + noise).argmax(axis=0)", "(log_probs + noise).argmax()"),
    ("10.3", "next_words(list(words)) + g", "next_words(list(words)) + noise[0]"),
    ("10.3", "next_words(list(words)) + g", "next_words([]) + g"),
    ("10.3", "next_words(list(words)) + g", "next_words(words[-1:]) + g"),
    ("10.3", "next_words(list(words)) + g", "next_words([0, *words]) + g"),
    ("10.3", "        if words[-1] == 0:\n            break\n", ""),
    ("10.3", "            break\n", "            words.pop()\n            break\n"),
    ("10.3", "    return words\n", "    return words if words[-1] == 0 else [*words, 0]\n"),
]

P = np.array([[0.5, 0.1, 1 / 3], [0.25, 0.2, 1 / 3], [0.25, 0.7, 1 / 3]])


@task("10.3")
def test_noise_by_hand(work):
    u = np.exp(-np.exp(-np.array([[0.0, 1.0, -1.5], [2.0, -0.5, 6.0]])))
    close(work.gumbel_noise(u), -np.log(-np.log(u)), "noise of six numbers: two logarithms, two minus signs")


@task("10.3")
def test_the_distribution_of_the_noise(work):
    """P(g < x) = exp(-exp(-x)); the mean is Euler's constant."""
    g = np.asarray(work.gumbel_noise(np.random.default_rng(0).random(40_000)), dtype=float)
    check(abs(g.mean() - np.euler_gamma) < 0.03, f"the mean of Gumbel noise is 0.577; yours is {g.mean():.3f}")
    below = (g < 0).mean()
    check(abs(below - np.exp(-1)) < 0.02, f"a share of 1/e of Gumbel noise is negative; of yours it is {below:.3f}")


@task("10.3")
def test_words_by_hand(work):
    log_probs = np.log(P)
    noise = np.array([[0.0, 5.0, -1.0], [3.0, 0.5, 0.2], [2.0, 0.0, 0.1]])
    message = "three rows of three words: the largest log P + g of each row, which is a column here"
    close(work.draw_words(log_probs, noise), np.array([1, 0, 1]), message)
    wide = np.log(np.array([[0.2, 0.9], [0.3, 0.05], [0.5, 0.05]]))
    close(work.draw_words(wide, np.zeros((3, 2))), np.array([2, 0]), "no noise: the most probable word of either row")
    close(work.draw_words(wide[:, :1], np.zeros((3, 1))), np.array([2]), "one row: still an array, (1,)")


@task("10.3")
def test_the_frequencies_are_the_probabilities(work):
    rng, rows = np.random.default_rng(1), 20_000
    for column in range(3):
        noise = -np.log(-np.log(rng.random((3, rows))))
        found = np.asarray(work.draw_words(np.repeat(np.log(P[:, column : column + 1]), rows, axis=1), noise))
        check(found.shape == (rows,), f"{rows} rows: as many words; yours has the shape {found.shape}")
        shares = np.array([(found == word).mean() for word in range(3)])
        told = f"P = {P[:, column].round(3).tolist()}, {rows} draws"
        close(shares, P[:, column], f"{told}: the shares of the words must be near P", tolerance=0.02)


@task("10.3")
def test_the_chapter_draws_the_same(work):
    from chapters.beyond.sampling import draw_words as course

    log_probs = np.log(np.random.default_rng(2).dirichlet(np.ones(7), 5).T)
    dy.reset_random_seed(3)
    expected = course(input_batch(log_probs))
    dy.renew_cg()
    dy.reset_random_seed(3)
    noise = np.reshape(dy.random_gumbel((7,), batch_size=5).npvalue(), (7, 5), order="F")
    close(work.draw_words(log_probs, noise), expected, "the chapter's words, from the same noise")


class Asked:
    """A model that notes what it was asked. Whoever has read an odd sum finds the second word probable."""

    def __init__(self):
        self.prefixes = []

    def __call__(self, words):
        self.prefixes.append(list(words))
        return np.log([0.1, 0.2, 0.7] if sum(words) % 2 else [0.2, 0.5, 0.3])


def quiet(rows):
    return np.zeros((rows, 3))


@task("10.3")
def test_a_sentence_reads_itself(work):
    asked, noise = Asked(), quiet(5)
    noise[3, 0] = 9.0
    found = work.draw_sentence(asked, noise)
    equal(list(found), [1, 2, 2, 0], "the noise lets the fourth word be </s>; the others are the most probable ones")
    message = "next_words is asked for the word after all words so far, each time"
    equal(asked.prefixes, [[], [1], [1, 2], [1, 2, 2]], message)


@task("10.3")
def test_a_sentence_ends(work):
    asked, noise = Asked(), quiet(4)
    noise[0, 0] = 9.0
    equal(list(work.draw_sentence(asked, noise)), [0], "</s> is drawn at once: it is all there is")
    equal(len(asked.prefixes), 1, "</s> is drawn at once: nothing more has to be asked")
    found = work.draw_sentence(Asked(), quiet(3))
    equal(list(found), [1, 2, 2], "three rows of noise, and no </s>: three words, and no </s> behind them")
