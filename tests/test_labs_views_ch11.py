"""The views of lab 11: interventions on a Transformer, against the NumPy model in which the same is changed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from book.labs.views import ch11 as views, ch11_by_hand as by_hand
from book.labs.views.small import SmallPairs
from book.lessons.cells import namespace
from common.errors import UserError
from common.nn.parameters import DynetParameters
from common.text.pairs import Pair, make_pair_batches
from tests import rnn_reference, transformer_reference as reference
from tests.transformer_models import make_model
from tests.translator_models import Twin, make_model as make_translator

TEXT = "w4 w2 w6 w3 w3"
IDS = [0, 4, 2, 6, 3, 3]


def steps_of(model, ids=IDS) -> list[reference.Step]:
    weights = rnn_reference.weights_of(reference.parameters_of(model))
    settings = "sinusoidal" if model.positions else "none"
    return reference.run(weights, reference.Kind(model.blocks[0].attention.heads, settings), ids)


def assert_is(passage: views.Look, steps: list[reference.Step]) -> None:
    np.testing.assert_allclose(np.log(passage.distributions), [step.log_probs for step in steps], atol=2e-4)
    for t, step in enumerate(steps):
        np.testing.assert_allclose(passage.weights[:, :, t, : t + 1], step.maps, atol=1e-5)
        assert not passage.weights[:, :, t, t + 1 :].any()


def test_a_look_is_the_models_own_computation() -> None:
    model = make_model()
    passage = views.look(model, TEXT)
    assert passage.read == ["<s>", *TEXT.split()] and passage.predicted == [*TEXT.split(), "</s>"]
    assert_is(passage, steps_of(model))


def without_heads(without: list[views.Head], kind: str = ""):
    """`reference.attend` without heads of each block's attention of this kind."""
    attend = reference.attend

    def attend_without(weights, part, settings, query, place, read, rotate):
        """The sum over the heads that are left of W_o's columns times the head's context."""
        attended, maps = attend(weights, part, settings, query, place, read, rotate)
        size = len(attended) // settings.heads
        for head in (head for at, head in without if part == f"decoder{at} {kind}"):
            rows = slice(head * size, (head + 1) * size)
            context = sum(a * (weights[f"{part}W_v"][rows] @ x) for a, x in zip(maps[head], read, strict=True))
            attended = attended - weights[f"{part}W_o"][:, rows] @ context
        return attended, maps

    return attend_without


@pytest.mark.parametrize("without", [[(0, 1)], [(1, 0)], [(0, 0), (1, 1)], [(0, 0), (0, 1), (1, 0), (1, 1)]])
def test_a_head_that_is_pulled_out_adds_nothing(without, monkeypatch) -> None:
    model = make_model()
    with views.changed(model, without=without):
        passage = views.look(model, TEXT)
    own = views.look(model, TEXT)
    monkeypatch.setattr(reference, "attend", without_heads(without))
    assert_is(passage, steps_of(model))
    assert np.abs(passage.distributions - own.distributions).max() > 0.01


PAIRS = SmallPairs(
    [Pair(["hen", "sees", "ox", "waits"], ["ba", "do", "ku", "ba"]), Pair(["ox", "hen"], ["ku", "do"])],
    [{(0, 0), (2, 1), (1, 3)}, {(1, 0), (0, 1)}],
)


def encoded(model) -> list[list[list[int]]]:
    """The sources, then the targets of PAIRS."""
    sides = zip(*PAIRS.pairs, strict=True)
    return [[vocab.encode(sentence) for sentence in side]
            for vocab, side in zip((model.source_vocab, model.vocab), sides, strict=True)]  # fmt: skip


@pytest.mark.parametrize("without", [[(0, 1)], [(1, 0)], [(0, 0), (0, 1), (1, 0), (1, 1)]])
def test_a_head_of_a_translator_that_is_pulled_out_reads_nothing_of_the_source(without, monkeypatch) -> None:
    model = make_translator()
    batch = make_pair_batches(*encoded(model), 2)[0]
    own = model.log_probs(batch)
    with views.changed(model, without=without):
        changed = model.log_probs(batch)
    monkeypatch.setattr(reference, "attend", without_heads(without, "source_"))
    sides = list(zip(*encoded(model), strict=True))
    for column, index in enumerate(batch.target.indices):
        source, target = sides[index]
        steps = Twin(model).steps(source, [0, *target])
        expected = [step.log_probs[word] for step, word in zip(steps, [*target, 0], strict=True)]
        np.testing.assert_allclose(changed[: len(expected), column], expected, atol=2e-4)
    assert np.abs(changed - own).max() > 0.01


def test_each_head_of_a_translator_aligns() -> None:
    """Over the target words that have an aligned word: all but the third of the first pair."""
    model, errors = make_translator(), []
    for head in range(1, 5):
        twin = Twin(model, alignment_head=head)
        links = [
            {(int(step.weights.argmax()), j) for j, step in enumerate(twin.steps(source, [0, *target[:-1]]))}
            for source, target in zip(*encoded(model), strict=True)
        ]
        hits = sum(len(found & true) for found, true in zip(links, PAIRS.links, strict=True))
        errors.append(1 - 2 * hits / (5 + 5))
    assert list(views.head_errors(model, PAIRS).values()) == pytest.approx(errors) and len(set(errors)) > 1


@pytest.mark.parametrize("sharpness", [0.0, 0.5, math.sqrt(4)])
def test_sharpness_multiplies_every_score(sharpness: float, monkeypatch) -> None:
    """With the root of the head size, here 4, the root of Eq. 1 is gone."""
    model, softmax = make_model(), reference.softmax
    with views.changed(model, sharpness=sharpness):
        passage = views.look(model, TEXT)
    monkeypatch.setattr(reference, "softmax", lambda scores: softmax([score * sharpness for score in scores]))
    assert_is(passage, steps_of(model))


@pytest.mark.parametrize("order", [[0, 3, 2, 1, 4, 5], [7, 8, 9, 10, 11, 12], [0] * 6])
def test_steps_get_the_positions_of_the_order(order: list[int], monkeypatch) -> None:
    model, wave = make_model(), reference.wave
    with views.changed(model, order=order):
        passage = views.look(model, TEXT)
        state = model.start(1)
        for t, word in enumerate(IDS):  # one word at a time, as in generation
            state, log_probs = model.advance(state, [word])
            np.testing.assert_allclose(np.exp(log_probs[0]), passage.distributions[t], atol=1e-5)
    monkeypatch.setattr(reference, "wave", lambda place, size: wave(order[place], size))
    assert_is(passage, steps_of(model))


def test_an_order_that_cannot_be_given_is_refused() -> None:
    with (
        pytest.raises(UserError, match="this model adds no positions"),
        views.changed(make_model(positions="rotary"), order=range(6)),
    ):
        raise AssertionError("not reached")
    model = make_model()
    with pytest.raises(UserError, match="3 positions for 6 steps"), views.changed(model, order=range(3)):
        views.look(model, TEXT)
    assert views.swapped(5, 1, 3) == [0, 3, 2, 1, 4]
    with pytest.raises(UserError, match="step 5: there are steps 0 to 4"):
        views.swapped(5, 1, 5)


def test_after_a_change_the_model_is_as_before() -> None:
    """Also after an error."""
    model = make_model()
    before, positions = DynetParameters(model).arrays(), model.positions
    with pytest.raises(KeyError), views.changed(model, [(0, 0), (1, 1)], 3.0, range(6)):
        assert not np.array_equal(DynetParameters(model).arrays()[1], before[1])
        raise KeyError
    for array, own in zip(DynetParameters(model).arrays(), before, strict=True):
        np.testing.assert_array_equal(array, own)
    assert model.positions is positions


SENTENCES = [["w2", "w3", "w2", "w6", "w2"], ["w4", "w6"], ["w2", "goat", "w2"]]
PEOPLE = {"w2", "w6"}


def test_costs_and_weights_at_returns_are_means_over_predictions() -> None:
    """w2 is repeated at the places 2 and 4 of the first sentence; the third has an unknown word."""
    model = make_model()
    steps = [steps_of(model, [0, *model.vocab.encode(sentence)]) for sentence in SENTENCES[:2]]
    targets = [[*model.vocab.encode(sentence), 0] for sentence in SENTENCES[:2]]
    nats = [
        [-step.log_probs[word] for step, word in zip(*pair, strict=True)] for pair in zip(steps, targets, strict=True)
    ]
    repeated = [nats[0][2], nats[0][4]]
    others = [nats[0][0], nats[0][1], nats[0][3], nats[0][5], *nats[1]]
    cost = views.costs(model, SENTENCES, PEOPLE)
    np.testing.assert_allclose(cost, [np.mean(repeated), np.mean(others)], atol=1e-4)
    second, fourth = (np.array(steps[0][place].maps) for place in (2, 4))
    weights = views.at_returns(model, SENTENCES, PEOPLE)
    expected = {
        "the name": second[:, :, 1] + fourth[:, :, 1] + fourth[:, :, 3],
        "<s>": second[:, :, 0] + fourth[:, :, 0],
        "the word read last": second[:, :, 2] + fourth[:, :, 4],
    }
    assert list(weights) == list(expected)
    for kind, total in expected.items():
        np.testing.assert_allclose(weights[kind], total / 2, atol=1e-5)


def test_heads_are_pulled_out_in_the_order_that_keeps_returns_cheapest() -> None:
    model = make_model()
    measure = lambda: views.costs(model, SENTENCES, PEOPLE)  # noqa: E731
    names = views.heads_of(model)
    assert names == {
        "block 1, head 1": (0, 0), "block 1, head 2": (0, 1), "block 2, head 1": (1, 0), "block 2, head 2": (1, 1),
    }  # fmt: skip
    alone = views.each_without(model, measure)
    assert list(alone) == list(names)
    for name, head in names.items():
        with views.changed(model, without=[head]):
            assert alone[name] == measure()
    steps = views.pull_out(model, measure)
    assert sorted(name for name, _ in steps) == sorted(names)
    assert steps[0] == min(alone.items(), key=lambda item: item[1].returns)
    first, second = (names[name] for name, _ in steps[:2])
    rest = {}
    for head in set(names.values()) - {first}:
        with views.changed(model, without=[first, head]):
            rest[head] = measure()
    assert steps[1][1] == rest[second] and rest[second].returns == min(rest.values()).returns


def test_figures_show_the_numbers() -> None:
    model = make_model()
    own = views.look(model, TEXT)
    panels = views.maps(model, TEXT).axes
    for axes, weights in zip(panels, own.weights.reshape(4, 6, 6), strict=True):
        np.testing.assert_allclose(axes.images[0].get_array().filled(0), weights, atol=1e-6)
    with views.changed(model, without=[(0, 1)]):
        now = views.look(model, TEXT)
    left, right = views.at_step(model, TEXT, 5, without=[(0, 1)]).axes
    drawn = left.images[0].get_array()
    assert drawn.mask.all(axis=1).tolist() == [False, True, False, False]
    np.testing.assert_allclose(drawn.filled(0)[2:], now.weights[1, :, 4, :5], atol=1e-6)
    words = [label.get_text() for label in right.get_yticklabels()]
    ids = [model.vocab.ids[word] for word in words]
    for bars, passage in zip(right.containers, (own, now), strict=True):
        np.testing.assert_allclose(bars.datavalues, passage.distributions[4, ids], atol=1e-6)
    with pytest.raises(UserError, match="steps 1 to 6"):
        views.at_step(model, TEXT, 7)
    with views.changed(model, sharpness=3.0):
        sharp = views.look(model, TEXT)
    targets = [*IDS[1:], 0]
    for bars, passage in zip(views.surprises(model, TEXT, sharpness=3.0).axes[0].containers, (own, sharp), strict=True):
        np.testing.assert_allclose(bars.datavalues, -np.log(passage.distributions[range(6), targets]), atol=1e-5)


def test_positions_are_points_that_turn() -> None:
    figure = by_hand.turned(position=3, distance=5, size=4)
    for pair, axes in enumerate(figure.axes):
        for line, position in zip(axes.lines, (3, 8), strict=True):
            angle = position / 10_000 ** (2 * pair / 4)
            np.testing.assert_allclose(line.get_xydata()[1], [math.cos(angle), math.sin(angle)], atol=1e-12)
        degrees = math.degrees(5 / 10_000 ** (2 * pair / 4))
        assert axes.get_title() == f"pair {pair + 1}: turned by {degrees:.1f}°"


def test_the_power_divides_the_scores() -> None:
    def heights(size: int, power: float) -> list[np.ndarray]:
        return [np.array([bar.get_height() for bar in axes.patches]) for axes in by_hand.random_keys(size, power).axes]

    plain, rooted = heights(64, 0.0), heights(64, 0.5)
    other = by_hand.random_keys(64, 0.0, draw=2).axes[0].patches
    assert not np.isclose([bar.get_height() for bar in other], plain[0]).any()
    np.testing.assert_allclose(rooted[0], plain[0] / 8)
    for scores, weights in (plain, rooted):
        np.testing.assert_allclose(weights, reference.softmax(scores))


def test_one_head_multiplies_the_weights_of_two() -> None:
    lesson = namespace("11")
    np.testing.assert_allclose(by_hand.one_head(1, 0), lesson["head1"])
    np.testing.assert_allclose(by_hand.one_head(1, 1), lesson["both"])
    product = lesson["head1"] ** 0.5 * lesson["head2"] ** 2
    np.testing.assert_allclose(by_hand.one_head(0.5, 2), product / product.sum())
    last = by_hand.two_jobs(0.5, 2).axes[2]
    np.testing.assert_allclose([bar.get_height() for bar in last.patches], by_hand.one_head(0.5, 2))
    with pytest.raises(UserError, match="-1: give each job a number of at least 0"):
        by_hand.one_head(-1, 1)
