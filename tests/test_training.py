"""Schedules, optimisers, early stopping: against values computed by hand."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from types import SimpleNamespace

import dynet as dy
import numpy as np
import pytest

from common.chapters import chapter_module
from common.errors import UserError
from common.nn.optimiser import make_optimiser
from common.nn.parameters import DynetParameters
from common.runtime import epoch_rng
from common.training.checkpoint import EpochRecord, Training
from common.training.neural_settings import GradientSettings
from common.training.schedules import SCHEDULES, Schedule
from common.training.start_bias import log_frequencies


def history_of(*dev_perplexities: float) -> list[dict]:
    return [{"epoch": number, "dev_perplexity": figure} for number, figure in enumerate(dev_perplexities, start=1)]


class TestSchedule:
    def test_published_code_on_the_penn_treebank(self) -> None:
        """Rate 1 up to epoch 12, counted from 0, and from there halved each epoch; constant within an epoch."""
        schedule = Schedule("decay", rate=1.0, epochs=100, decay=0.5, start=12)
        assert [schedule(epoch, []) for epoch in range(13)] == [1.0] * 13
        assert [schedule(epoch, []) for epoch in (13, 14, 15, 20)] == [0.5, 0.25, 0.125, 1 / 256]
        assert schedule(12.99, []) == 1.0 and schedule(13.01, []) == schedule(13.99, []) == 0.5

    def test_cosine(self) -> None:
        schedule = Schedule("cosine", rate=0.4, epochs=6)
        expected = [0.4, 0.3, 0.2, 0.1, 0.0]  # cos of 0, 60, 90, 120 and 180 degrees
        assert [schedule(epochs, []) for epochs in (0, 2, 3, 4, 6)] == pytest.approx(expected, abs=1e-12)
        assert schedule(7, []) == pytest.approx(0, abs=1e-12)

    def test_constant(self) -> None:
        schedule = Schedule("constant", rate=0.3, epochs=5, decay=0.1)
        assert {schedule(epochs, history_of(9, 9.5)) for epochs in (0, 2.5, 5, 50)} == {0.3}

    @pytest.mark.parametrize(
        "perplexities, rate",
        [
            ((), 0.8),
            ((9,), 0.8),
            ((9, 8, 7), 0.8),
            ((9, 9), 0.2),  # it stopped improving
            ((9, 8, 8.5), 0.2),  # it got worse
            ((9, 8, 8.5, 8.2), 0.2),  # better than the epoch before, if not than the best
            ((9, 8, 8.5, 8.6, 7), 0.05),
        ],
    )
    def test_plateau(self, perplexities: tuple[float, ...], rate: float) -> None:
        """Times a quarter after each epoch whose dev perplexity is no lower than that of the epoch before."""
        schedule = Schedule("plateau", rate=0.8, epochs=9, decay=0.25)
        for within in (0, 0.5):
            assert schedule(len(perplexities) + within, history_of(*perplexities)) == pytest.approx(rate)

    def test_only_known_schedules(self) -> None:
        """Neither at the flag nor in Python does an unknown name stand for another one."""
        with pytest.raises(UserError, match="--schedule linear: choose from cosine, decay, plateau, inverse_root, "):
            Schedule("linear", rate=0.3, epochs=5)
        for settings_class in (GradientSettings, chapter_module("02_loglinear_lm", "settings").Settings):
            (field,) = (field for field in dataclasses.fields(settings_class) if field.name == "schedule")
            assert tuple(field.metadata["choices"]) == tuple(SCHEDULES)


def step_of(kind: str, clip: float, rate: float, slope: float) -> np.ndarray:
    """How far one update moves four parameters whose gradient is `slope` each (its norm is twice that)."""
    collection = dy.ParameterCollection()
    parameter = collection.add_parameters(4, init=0)
    optimiser = make_optimiser(kind, collection, clip)
    optimiser.learning_rate = rate
    dy.renew_cg()
    loss = dy.sum_elems(parameter) * slope
    loss.forward()
    loss.backward()
    optimiser.update()
    return parameter.as_array()


class TestOptimiser:
    def test_sgd(self) -> None:
        """The norm is 6, and nothing clips it: DyNet itself would at 5."""
        assert step_of("sgd", clip=0, rate=0.1, slope=3.0) == pytest.approx(-0.3)

    def test_the_norm_is_clipped_not_each_element(self) -> None:
        """The norm of (5, 5, 5, 5) is 10; clipped at 2 it becomes (1, 1, 1, 1)."""
        assert step_of("sgd", clip=2, rate=0.1, slope=5.0) == pytest.approx(-0.1)
        assert step_of("sgd", clip=10.5, rate=0.1, slope=5.0) == pytest.approx(-0.5)

    def test_adam_begins_with_steps_of_the_learning_rate(self) -> None:
        for slope in (0.01, 1.0, -1.0):
            assert step_of("adam", clip=0, rate=0.1, slope=slope) == pytest.approx(-math.copysign(0.1, slope), rel=1e-4)


def draws(seed: int, epoch: int) -> tuple[list[int], list[float]]:
    """What is random in an epoch: the order of the sentences, and dropout."""
    order = epoch_rng(seed, epoch).permutation(20).tolist()
    dy.renew_cg()
    return order, dy.dropout(dy.inputVector([1.0] * 40), 0.5).value()


def test_an_epoch_is_random_in_its_own_way() -> None:
    first = draws(1, 3)
    assert draws(1, 3) == first
    for seed, epoch in ((1, 4), (2, 3)):
        order, dropped = draws(seed, epoch)
        assert order != first[0] and dropped != first[1]


def test_log_frequencies() -> None:
    """Three words, the boundary twice, and one more for each of five: 10 in all."""
    result = log_frequencies([[2, 3], [2]], 5)
    assert np.exp(result) == pytest.approx([0.3, 0.1, 0.3, 0.2, 0.1])


@pytest.fixture
def training(tmp_path: Path) -> Training:
    collection = dy.ParameterCollection()
    collection.add_parameters((2, 3), init=0)
    collection.add_lookup_parameters((4, 2))
    return Training.begin(tmp_path, DynetParameters(SimpleNamespace(collection=collection)), "toy", resume=False)


def weight(training: Training) -> dy.Parameters:
    return training.parameters.collection.parameters_list()[0]


def run_epochs(training: Training, perplexities: list[float], epochs: int = 100, patience: int = 100) -> list[int]:
    """Go through the epochs with these dev perplexities; the weights of an epoch are its number."""
    done = []
    for epoch in training.epochs_left(epochs, patience):
        if len(done) == len(perplexities):
            break
        weight(training).set_value(np.full((2, 3), epoch))
        training.finish_epoch(EpochRecord(epoch, 9.0, perplexities[len(done)], 0.1, 50, 1.0))
        done.append(epoch)
    return done


class TestEarlyStopping:
    def test_patience_counts_from_the_best_epoch(self, training: Training) -> None:
        assert run_epochs(training, [9, 7, 8, 6, 6, 7, 8, 1], patience=3) == [1, 2, 3, 4, 5, 6, 7]
        assert training.best["epoch"] == 4, "the first among equals"

    def test_the_number_of_epochs_is_a_limit(self, training: Training) -> None:
        assert run_epochs(training, [9, 8, 7, 6, 5], epochs=3) == [1, 2, 3]

    def test_rolls_back_to_the_best(self, training: Training) -> None:
        run_epochs(training, [9, 7, 8, 8])
        assert np.all(weight(training).as_array() == 4)
        training.roll_back()
        assert np.all(weight(training).as_array() == 2)

    def test_knows_whether_it_is_at_the_best(self, training: Training) -> None:
        run_epochs(training, [9, 7])
        assert training.is_at_best
        run_epochs(training, [9, 7, 8])
        assert not training.is_at_best

    def test_tells_when_the_model_has_improved(self, training: Training) -> None:
        improved = [
            training.finish_epoch(EpochRecord(epoch, 9.0, perplexity, 0.1, 50, 1.0))
            for epoch, perplexity in enumerate([9.0, 9.0, 8.0, 8.5], start=1)
        ]
        assert improved == [True, False, True, False]

    def test_continues_from_the_last_epoch_not_from_the_best(self, training: Training) -> None:
        run_epochs(training, [9, 7, 8])
        weight(training).set_value(np.zeros((2, 3)))  # what was being done when the process died
        resumed = Training.begin(training.folder, training.parameters, "toy", resume=True)
        assert np.all(weight(resumed).as_array() == 3)
        assert resumed.history == training.history and resumed.best["epoch"] == 2
        assert run_epochs(resumed, [8, 8, 8], patience=3) == [4, 5]

    def test_a_new_training_does_not_read_an_old_checkpoint(self, training: Training) -> None:
        run_epochs(training, [9])
        assert Training.begin(training.folder, training.parameters, "toy", resume=False).history == []

    def test_every_parameter_is_saved_exactly(self, training: Training) -> None:
        lookup = training.parameters.collection.lookup_parameters_list()[0]
        before = lookup.as_array().copy()
        run_epochs(training, [9])
        lookup.init_from_array(np.zeros((4, 2)))
        training.roll_back()
        assert np.array_equal(lookup.as_array(), before)
        with np.load(training.folder / "model.npz", allow_pickle=False) as archive:
            assert json.loads(str(archive["about"]))["model"] == "toy"
