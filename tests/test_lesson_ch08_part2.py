"""Part 2 of chapter 8: its worked steps are plain arithmetic, and its figures show what the course computes."""

from __future__ import annotations

import numpy as np
import pytest

from book.figures import ch08_data, ch08_part2
from book.figures.style import styled
from book.worked import ch08 as lesson, ch08_part2 as worked
from common.plots.plotting import plt
from common.text.alignment import true_alignments
from common.text.pairs import load_pairs
from tests.attention_reference import softmax

ROWS = lesson.ANNOTATIONS


def step(query: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights and context under the dot score."""
    weights = softmax(ROWS @ query)
    return weights, weights @ ROWS


@pytest.mark.parametrize("name", lesson.QUERIES)
def test_the_attentional_state_is_plain_arithmetic(name: str) -> None:
    query = lesson.QUERIES[name]
    np.testing.assert_allclose(worked.attentional(name), np.tanh(step(query)[1] + query / 2), atol=1e-6)


@pytest.mark.parametrize("fed", [False, True])
def test_the_second_step_is_plain_arithmetic(fed: bool) -> None:
    """Fed, the state before it has been read: mirena leads without, galin with it."""
    query = lesson.QUERIES["mirena"]
    inner = np.array([0.3, 0.3]) + query / 2
    if fed:
        inner = inner - np.tanh(step(query)[1] + query / 2)
    found, state, weights = worked.second_step(fed)
    np.testing.assert_allclose(found, inner, atol=1e-5)
    np.testing.assert_allclose(state, np.tanh(inner), atol=1e-6)
    np.testing.assert_allclose(weights, softmax(ROWS @ np.tanh(inner)), atol=1e-6)
    assert lesson.SOURCE[int(weights.argmax())] == ("galin" if fed else "mirena")


def test_the_step_under_coverage_is_plain_arithmetic() -> None:
    worked.step_weights()
    found, query = worked.third_step(), np.array([0.3, 0.2])
    first, second = (step(query)[0] for query in lesson.QUERIES.values())
    fertilities = np.array([1, 1.5, 1])
    np.testing.assert_allclose(found.amounts, [first / fertilities, (first + second) / fertilities], atol=1e-6)
    plain = np.tanh(query + ROWS).sum(axis=1)
    told = np.tanh(query + ROWS - 2 * ((first + second) / fertilities)[:, None]).sum(axis=1)
    for scores, weights, expected in zip(found.scores, found.weights, (plain, told), strict=True):
        np.testing.assert_allclose(scores, expected, atol=1e-6)
        np.testing.assert_allclose(weights, softmax(expected), atol=1e-6)
    assert [lesson.SOURCE[int(weights.argmax())] for weights in found.weights] == ["galin", "greets"]


@pytest.mark.parametrize("reach", [1, 3, 10])
def test_the_share_of_links_in_a_window(reach: int) -> None:
    """Counted link by link with the window that the model has."""
    corpus, seen, count = load_pairs("village_pairs"), 0, 0
    for pair, links in list(zip(corpus.test, true_alignments(corpus, "test"), strict=True))[:100]:
        for i, j in links:
            count += 1
            seen += bool(worked.window_of(j + 1, len(pair.source), reach)[i])
    first = [(size, links) for size, links in worked.links_of_test()[:100]]
    places = [abs(i + 1 - min(j + 1, size)) <= reach for size, links in first for i, j in links]
    assert (seen, count) == (sum(places), len(places))
    assert worked.share_seen(1) < worked.share_seen(3) < worked.share_seen(10) < 1


def test_the_sizes_are_those_of_the_equations() -> None:
    """More than the default's: the matrix of a fed vector less, W and v of local-p, V and U_f, and V with a GRU of ten
    numbers that reads an annotation, a weight and a query."""
    H, d = 128, 10
    gru = 3 * d * (H + 1 + H + 1) + 3 * d * d
    more = [0, 0, 0, -4 * H * H, 0, H * H + H, 2 * H, H * d + gru]
    assert [size - worked.sizes()[0] for size in worked.sizes()] == more


def test_figures_show_what_was_computed() -> None:
    with styled():
        heights = [patch.get_height() for patch in ch08_part2.feeding_by_hand().axes[2].patches[:3]]
        np.testing.assert_allclose(heights, worked.second_step(True)[2], atol=1e-4)
        left, middle, right = ch08_part2.coverage_by_hand().axes
        tops = [one.get_y() + one.get_height() for one in left.patches[3:]]
        np.testing.assert_allclose(tops, worked.third_step().amounts[1], atol=1e-4)
        for axes, weights in zip((middle, right), worked.third_step().weights, strict=True):
            np.testing.assert_allclose([one.get_height() for one in axes.patches], weights, atol=1e-4)
        shares, bell, product = (
            np.array([one.get_height() for one in axes.patches[:7]]) for axes in ch08_part2.local_p_in_parts().axes
        )
        assert shares.sum() == pytest.approx(1, abs=2e-3), "a softmax over the window"
        np.testing.assert_allclose(shares * bell, product, atol=1e-3)
        np.testing.assert_allclose(product, ch08_data.three_ways()[3], atol=1e-3)
        plt.close("all")


def test_crosses_are_the_links_that_local_m_cannot_see() -> None:
    with styled():
        axes = ch08_part2.windows_of_local_m().axes[0]
        crossed = {(int(line.get_xdata()[0]), int(line.get_ydata()[0])) for line in axes.lines}
        frames = {(round(one.get_x() + 0.45), round(one.get_y() + 0.45)) for one in axes.patches}
        plt.close("all")
    assert crossed == {(i, j) for i, j in frames if abs(i - j) > worked.REACH} and len(crossed) == 9 < len(frames)
