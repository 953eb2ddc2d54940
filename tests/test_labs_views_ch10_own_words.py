"""The other views of lab 10: possible next words, exposure, own words among the inputs, a little training."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.colors import to_rgba

from book.figures.ch10 import schedules
from book.labs.views import ch10_own_words as views
from common.errors import UserError
from common.text.pairs import Pair
from common.text.vocab import Vocabulary
from data.pairs import truth_of
from tests import beyond_models as tiny, rnn_reference as rnn
from tests.attention_models import AttentionalModel, Twin
from tests.small_models import parameters_of

SOURCE = "does cestolan park the cranes ?".split()
TARGET = "cestolan droduregai na trasku ka ?".split()
PAIR = Pair(SOURCE, TARGET)
TRUTH = truth_of("village_pairs", {})


def make_model(seed: int = 4):
    """A model of the pair's words and "nowhere", with random numbers."""
    model = AttentionalModel(Vocabulary(SOURCE), Vocabulary([*TARGET, "nowhere"]), hidden_size=4, dropout=0.0, layers=1)
    rnn.randomise(parameters_of(model), 0.9, seed)
    return model


def own_probabilities(model, prefix: list[str]) -> np.ndarray:
    source = model.source_vocab.encode(SOURCE)
    return np.exp(Twin(model).steps(source, [0, *model.vocab.encode(prefix)])[-1].log_probs)


@pytest.mark.slow
@pytest.mark.parametrize("length", [0, 2, 6])
def test_what_may_come_next(length: int) -> None:
    model = make_model()
    own = own_probabilities(model, TARGET[:length])
    true = TRUTH.next_word_probs(SOURCE, TARGET[:length])
    (axes,) = views.may_come_next(model, TRUTH, PAIR, " ".join(TARGET[:length])).axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    grammars, models = axes.containers
    possible = {word if word in model.vocab else "<unk>" for word in true}
    impossible = sum(p for word, p in zip(model.vocab.words, own, strict=True) if word not in possible)
    assert axes.get_title() == f"impossible in all: {impossible:.3f}"
    reds = {name for name, bar in zip(names, models, strict=True) if bar.get_facecolor() == to_rgba(views.RED)}
    assert reds == {name for name in names if name not in possible} and reds
    np.testing.assert_allclose([bar.get_width() for bar in models], own[model.vocab.encode(names)], atol=1e-5)
    for name, bar in zip(names, grammars, strict=True):
        expected = sum(p for word, p in true.items() if (word if word in model.vocab else "<unk>") == name)
        assert bar.get_width() == pytest.approx(expected)


def test_a_beginning_that_cannot_be() -> None:
    with pytest.raises(UserError, match="no translation of 'does cestolan park the cranes .' begins with 'na nowhere'"):
        views.may_come_next(make_model(), TRUTH, PAIR, "na nowhere")


class Typist:
    """A model that writes given words, one after the other."""

    def __init__(self, words: list[str]):
        self.vocab, self.written = Vocabulary([*TARGET, "nowhere"]), words

    def after(self, model, pair, prefix) -> np.ndarray:
        log_probs = np.full(len(self.vocab), -1e9)
        log_probs[self.vocab.ids[self.written[len(prefix)]]] = 0.0
        return log_probs


@pytest.mark.parametrize("kind", ["greedy", "sampled"])
def test_a_translation_up_to_the_first_impossible_word(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for written, last in (
        ([*TARGET, "</s>"], "possible"),
        ([*TARGET[:2], "nowhere", "na"], "impossible; possible: na"),
        ([*TARGET[:4], "?"], "impossible; possible: ka"),
    ):
        typist = Typist(written)
        monkeypatch.setattr(views, "after", typist.after)
        lines = views.own_translation(typist, TRUTH, PAIR, kind, 1).splitlines()
        assert [line.split()[1:] for line in lines[:2]] == [SOURCE, TARGET]
        rows = [line.split(maxsplit=1) for line in lines[2:]]
        ends = next((n for n, word in enumerate(written) if word != [*TARGET, "</s>"][n]), len(written) - 1)
        assert [word for word, _ in rows] == written[: ends + 1]
        assert [verdict for _, verdict in rows[:-1]] == ["possible"] * ends and rows[-1][1] == last


def test_exposure_is_drawn_as_it_was_measured() -> None:
    kinds = {
        name: views.exposure.Positions(np.array(possible), np.array(wrong), np.zeros(4))
        for name, possible, wrong in (
            ("reference", [10.0, 10, 8, 2], [2.0, 5, 4, 1]),
            ("greedy", [10.0, 8, 4, 0], [2.0, 4, 1, 0]),
        )
    }
    np.testing.assert_allclose(views.survivors(kinds["reference"]), [10, 8, 4, 2])
    left, right = views.exposed(kinds, 4).axes
    np.testing.assert_allclose(left.lines[0].get_ydata(), [0.2, 0.5, 0.5, 0.5])
    np.testing.assert_allclose(left.lines[1].get_ydata(), [0.2, 0.5, 0.25])  # no rate where nothing is left
    assert [line.get_ydata().tolist() for line in right.lines] == [[10, 10, 8, 2], [10, 8, 4, 0], [10, 8, 4, 2]]
    assert [len(line.get_xdata()) for line in views.exposed(kinds, 2).axes[1].lines] == [2, 2, 2]


def test_what_is_read_in_scheduled_sampling() -> None:
    model = make_model()
    plain = views.what_is_read(model, PAIR, 0.0, 1).splitlines()
    assert [line.split() for line in plain[1:-1]] == [
        list(row) for row in zip(["<s>", *TARGET], [*TARGET, "</s>"], strict=True)
    ]
    assert plain[-1] == "0 of 7 are not the reference's"
    mixed = views.what_is_read(model, PAIR, 1.0, 1).splitlines()
    changed = 0
    for line, reference, target in zip(mixed[1:-1], ["<s>", *TARGET], [*TARGET, "</s>"], strict=True):
        *_, read, expected = line.split()
        assert expected == target and line.startswith("*") == (read != reference)
        changed += read != reference
    assert mixed[-1] == f"{changed} of 7 are not the reference's" and changed >= 2
    assert mixed == views.what_is_read(model, PAIR, 1.0, 1).splitlines()


def test_schedules_end_at_the_share() -> None:
    (axes,) = schedules(0.6).axes
    lines = {line.get_label(): line.get_ydata() for line in axes.lines}
    np.testing.assert_allclose([values[-1] for values in lines.values()], 0.4)
    halfway = [lines[name][50] for name in ("linear", "exponential", "constant")]
    np.testing.assert_allclose(halfway, [0.7, np.sqrt(0.4), 0.4], atol=1e-4)


@pytest.mark.trains
@pytest.mark.parametrize("objective", ["risk", "reinforce", "likelihood", "scheduled"])
def test_a_little_training_lowers_what_it_minimises(objective: str) -> None:
    model = tiny.make_model()
    pairs = [Pair(["hen", "ox"], ["ba", "ba"])]
    settings = SimpleNamespace(**vars(tiny.SETTINGS) | {"objective": objective, "objective_rate": 0.02, "clip": 5.0,
                                                        "optimiser": "adam"})  # fmt: skip

    def judged() -> float:
        if objective in ("risk", "reinforce"):
            return views.mean_cost(model, pairs, 2000, 1)
        return -tiny.log_prob(Twin(model), [2, 3], [2, 2, 0])

    before = judged()

    def judged_later() -> float:
        """After 40 batches more. With four seeds 40 left 0.42 to 0.79 to REINFORCE, at most 0.28 to others."""
        views.go_on(model, settings, [views.batch_of(model, pairs)] * 40, 1)
        return judged()

    assert any(judged_later() < 0.8 * before for _ in range(10))


def test_the_mean_cost_is_the_expected_one() -> None:
    """A model that ends at once, or writes `<unk>`, or "ba": every short sentence can be listed."""
    model = tiny.make_model()
    pair = Pair(["hen", "ox"], ["ba"])
    twin, expected, mass = Twin(model), 0.0, 0.0
    for predictions in tiny.all_predictions(3, 4):  # a sample is cut at twice the predictions of the reference
        p = np.exp(tiny.log_prob(twin, [2, 3], predictions))
        words = ["<unk>" if prediction == 1 else "ba" for prediction in predictions if prediction]
        expected += p * (1 - views.objectives.sentence_bleu(words, ["ba"]))
        mass += p
    assert mass == pytest.approx(1, abs=1e-5)
    assert views.mean_cost(model, [pair] * 2500, 2, 1) == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(5000))
