"""Part 2 of chapter 1: its worked examples are plain arithmetic, and its figures show what the course computes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from book.figures import ch01_part2
from book.figures.style import styled
from book.worked import ch01_part2 as worked
from common.plots.plotting import plt
from common.text.corpus import load_corpus

BIGRAM = [1, 1 / 3, 0, 1, 1, 1]
UNIGRAM = [3 / 16, 1 / 16, 1 / 16, 1 / 16, 3 / 16, 3 / 16]
ONCE = [2, 3, 4]
"""The predictions of *the son feeds ponies .* whose histories (son, feeds, ponies) were seen once."""


def test_the_two_histories_are_counted_in_the_text() -> None:
    found = list(worked.two_histories())
    for word, (seen, kinds, mean) in zip(("hen", "miss"), np.reshape(found, (2, 3)), strict=True):
        after = []
        for line in load_corpus("village").train:
            after += [b for a, b in zip(line, [*line[1:], "</s>"], strict=True) if a == word]
        vocab = worked.village()[0]
        known = [one if one in vocab else "<unk>" for one in after]
        assert (seen, kinds, mean) == (len(known), len(set(known)), len(known) / len(set(known)))


def test_a_round_of_em_in_each_class() -> None:
    alphas, shares = worked.hand_rounds(2)
    alpha = {True: 0.5, False: 0.5}
    for number in range(2):
        expected = []
        for place, (b, u) in enumerate(zip(BIGRAM, UNIGRAM, strict=True)):
            a = alpha[place in ONCE]
            expected.append(a * u / ((1 - a) * b + a * u))
        np.testing.assert_allclose(shares[number], expected)
        alpha = {kind: float(np.mean([one for place, one in enumerate(expected) if (place in ONCE) == kind]))
                 for kind in (True, False)}  # fmt: skip
        np.testing.assert_allclose(alphas[number + 1], [alpha[True], alpha[False]])
    assert list(worked.em_by_class())[-1] == pytest.approx(0.380, abs=5e-4)


def test_the_caches_by_hand() -> None:
    """Words 7 to 13 of the story, the last ten before each."""
    words = "mira reads the letter . </s> the girl reads the letter . </s>".split()
    histories = ["<s>", *words[:-1]]
    histories[6] = "<s>"
    model, unigram, bigram, mixed = worked.story_probs()
    for t in range(6, 13):
        lately = range(max(t - 10, 0), t)
        assert unigram[t] == pytest.approx(sum(words[i] == words[t] for i in lately) / len(lately))
        same = [i for i in lately if histories[i] == histories[t]]
        expected = 0.8 * model[t] + 0.2 * unigram[t]
        if same:
            share = sum(words[i] == words[t] for i in same) / len(same)
            assert bigram[t] == pytest.approx(share)
            expected = 0.8 * expected + 0.2 * share
        else:
            assert math.isnan(bigram[t]) and words[t] == "reads"
        assert mixed[t] == pytest.approx(expected)


def test_figures_show_what_was_computed() -> None:
    with styled():
        left, right = ch01_part2.em_in_classes().axes
        heights = [one.get_height() for one in right.patches]
        np.testing.assert_allclose(heights, worked.hand_rounds(2)[1][0])
        levels = {round(float(line.get_ydata()[0]), 4) for line in right.lines}
        assert levels == {round(float(np.mean([heights[i] for i in ONCE])), 4), round(heights[0], 4)}
        axes = ch01_part2.weights_found().axes[0]
        trigrams = dict(zip(*axes.lines[2].get_data(), strict=True))
        for kind in (0, 2, 8):
            assert trigrams[2 ** ((kind + 0.5) / 2)] == worked.tuned()[0][2][kind]
        curves = ch01_part2.reach_and_perplexity().axes[0].lines
        assert min(zip(curves[0].get_ydata(), curves[0].get_xdata(), strict=True))[1] == 20
        bars = ch01_part2.cache_along_a_text().axes[0]
        gains = [one.get_height() for one in bars.patches]
        names = [one.get_text() for one in bars.get_xticklabels()]
        assert names[int(np.argmax(gains))] == "fenan" and max(gains) > 2
        (cache,) = worked.running.tune(worked.paragraphs()[0], (1,))
        assert min(gains) == pytest.approx(math.log(1 - cache.weight))
        plt.close("all")


def test_histories_of_two_words_are_counted_in_the_text() -> None:
    found: dict[tuple[str, str], int] = {}
    vocab = worked.village()[0]
    for line in load_corpus("village").train:
        words = ["<s>", *(one if one in vocab else "<unk>" for one in line)]
        for pair in zip(words, words[1:], strict=False):
            found[pair] = found.get(pair, 0) + 1
    all_of_them, once, _ = worked.many_histories()
    assert (len(found), sum(times == 1 for times in found.values())) == (all_of_them, once)


def test_pruning_by_hand() -> None:
    """After *the*, from the definition; after *girl*, where all is pruned, the shares alone."""
    shares = {"girl": 0.1, "son": 0.1, "giggles": 0.2, "feeds": 0.1, "ponies": 0.1, ".": 0.2, "the": 0.1, "</s>": 0.1}
    for pruned, mass in ((False, 0.4), (True, 0.4 + 0.4 / 3)):
        own, found, more, probs = worked.after_the(pruned)
        assert own == pytest.approx({"girl": 1.4 / 3, "son": 0.4 / 3}) and more == pytest.approx(mass)
        kept = {"girl": 1.4 / 3} if pruned else own
        for word, share in shares.items():
            assert found[word] == pytest.approx(share)
            assert probs[word] == pytest.approx(kept.get(word, 0) + mass * share)


def test_long_n_grams_are_counted_in_the_text() -> None:
    vocab, found = worked.village()[0], []
    for order in (3, 5):
        seen: dict[tuple[str, ...], int] = {}
        for line in load_corpus("village").train:
            words = ["<s>", *(one if one in vocab else "<unk>" for one in line), "</s>"]
            for start in range(len(words) - order + 1):
                ngram = tuple(words[start : start + order])
                seen[ngram] = seen.get(ngram, 0) + 1
        found += [len(seen), sum(times == 1 for times in seen.values())]
    assert found == list(worked.seen_once())
