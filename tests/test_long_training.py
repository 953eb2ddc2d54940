"""What keeps a recurrent language model from learning its text by heart: masks that stay, weight decay, averaging."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import dynet as dy
import numpy as np
import pytest

from common.chapters import chapter_module
from common.nn.adam_means import weighted_sum
from common.nn.optimiser import OPTIMISERS, make_optimiser
from common.nn.parameters import DynetParameters
from common.nn.weight_decay import Decayed
from common.training import averaging, checkpoint, loop
from common.training.averaging import AveragedTraining, LastEnds
from common.training.loop import EpochRecord, Training
from tests import attentive_reference as reference
from tests.attentive_models import SCORES, loss_of, make_model
from tests.programs import TINY, call_and_kill, comparable, make_call, write_corpus
from tests.small_models import SENTENCES, H, V, vocabulary, whole_batch

CHAPTERS = {5: "05_rnn_lm", 6: "06_attentive_lm"}


# --- masks that stay the same through a sentence


class Masks:
    """Stands for DyNet's random numbers: what was drawn, each (size, batch), and with which probability it is kept."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch):
        self.drawn, self.kept, self.rng = [], [], np.random.default_rng(3)
        monkeypatch.setattr(dy, "random_bernoulli", self.draw)

    def draw(self, dim: tuple[int], p: float, scale: float, batch_size: int) -> dy.Expression:
        self.kept.append(p)
        self.drawn.append((self.rng.random((*dim, batch_size)) < p) * scale)
        return dy.inputTensor(self.drawn[-1], batched=True)


@pytest.mark.parametrize("share", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("score", SCORES)
def test_a_mask_stays_through_its_sentence(score: str, share: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """On embeddings, between layers, before the softmax and on each layer's own past: the loss against NumPy."""
    masks = Masks(monkeypatch)
    model = make_model(score, dropout=0.4, dropout_kind="variational", recurrent_share=share)
    actual = loss_of(model, whole_batch())
    whole, part = pytest.approx(0.6), pytest.approx(1 - 0.4 * share)
    if share:
        assert masks.kept == [whole, part, whole, part, whole]
        samples = masks.drawn
    else:
        assert masks.kept == [whole] * 3, "there is nothing to draw for the recurrent connections"
        ones = np.ones((H, len(SENTENCES)))
        samples = [masks.drawn[0], ones, masks.drawn[1], ones, masks.drawn[2]]
    weights = reference.weights_of(model)
    expected = [
        reference.loss(weights, [0, *words], [*words, 0], masks=[mask[:, column] for mask in samples])
        for column, words in enumerate(SENTENCES)
    ]
    assert actual == pytest.approx(sum(expected), rel=1e-4)
    assert abs(actual - loss_of(make_model(score), whole_batch())) > 0.1


@pytest.mark.parametrize("flags", [{"memory_states": 3}, {"parts": "key-value"}, {"softmax": "sampled", "samples": 3}])
def test_every_model_of_chapter_6_has_them(flags: dict, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two for each of two layers, and one before the softmax; outside training none."""
    from chapters.attentive_lm import variants as module

    defaults = {"layers": 2, "hidden_size": 4, "dropout": 0.3, "dropout_kind": "variational"}
    settings = chapter_module("06_attentive_lm", "settings").Settings(**defaults, **flags)
    model, masks = module.make_model(vocabulary(V), settings, np.full(V, -np.log(V))), Masks(monkeypatch)
    model.log_probs(whole_batch())
    assert masks.drawn == []
    dy.renew_cg()
    if "memory_states" in flags:
        model.loss_from(whole_batch(), None)
    else:
        model.loss(whole_batch(), np.random.default_rng(1))
    assert [mask.shape for mask in masks.drawn] == [(4, len(SENTENCES))] * 5


# --- weight decay


@pytest.mark.parametrize("kind", OPTIMISERS)
def test_weight_decay_is_beside_the_gradient(kind: str) -> None:
    """p <- (1 - rate * decay) p - step, the step as without decay (AdamW); in float64, matrices alone."""
    steps = {}
    for decay in (0.0, 0.5):
        collection, rng = dy.ParameterCollection(), np.random.default_rng(1)
        parameters = [collection.add_parameters(shape, init=dy.NumpyInitializer(rng.normal(size=shape)))
                      for shape in ((3, 2), (4,))]  # fmt: skip
        table = collection.add_lookup_parameters((5, 2))
        table.init_from_array(rng.normal(size=(5, 2)))
        optimiser, actual = Decayed(make_optimiser(kind, collection, 0), collection, decay), []
        for optimiser.learning_rate in (0.1, 0.3):
            before = [part.as_array().astype(np.float64) for part in (*parameters, table)]
            dy.renew_cg()
            losses = [weighted_sum(part, rng.normal(size=part.shape())) for part in parameters]
            (dy.esum([*losses, dy.sum_elems(table[1])])).backward()
            optimiser.update()
            shares = [optimiser.learning_rate * decay, 0, optimiser.learning_rate * decay]
            after = [part.as_array().astype(np.float64) for part in (*parameters, table)]
            actual += [new - (1 - share) * old for new, old, share in zip(after, before, shares, strict=True)]
        steps[decay] = actual
    for with_decay, without in zip(steps[0.5], steps[0.0], strict=True):
        np.testing.assert_allclose(with_decay, without, atol=1e-6)
    assert not steps[0.5][2][[0, 2, 3, 4]].any() or np.abs(steps[0.5][2][[0, 2, 3, 4]]).max() < 1e-6


# --- averaging


@pytest.fixture
def matrix() -> DynetParameters:
    collection = dy.ParameterCollection()
    collection.add_parameters((2, 3), init=0)
    collection.add_lookup_parameters((4, 2))
    return DynetParameters(SimpleNamespace(collection=collection))


def end_epoch(training: Training, arrays: list[np.ndarray], dev: float) -> list[np.ndarray]:
    """An epoch that ends with these parameters; the model that was evaluated."""
    training.parameters.set_arrays(arrays)
    training.average()
    evaluated = training.parameters.arrays()
    training.finish_epoch(EpochRecord(len(training.history) + 1, 9.0, dev, 0.1, 50, 1.0))
    return evaluated


def test_the_model_is_the_mean_of_the_last_ends(matrix: DynetParameters, tmp_path: Path) -> None:
    """In float64, also where fewer epochs are before; training goes on from the end itself, and so after dying."""
    rng = np.random.default_rng(1)
    ends = [[rng.normal(size=shape).astype(np.float32) for shape in matrix.shapes()] for _ in range(5)]
    training, other = (AveragedTraining.begin(tmp_path / name, matrix, "toy", False, most=3) for name in "ab")
    actual = []
    for number, (end, dev) in enumerate(zip(ends, [9, 8, 7, 5, 6], strict=True)):
        actual.append(end_epoch(training, end, dev))
        assert all(map(np.array_equal, matrix.arrays(), end)), "the next epoch begins at the end of this one"
        if number == 2:  # the process has died: all it knows is in its checkpoint
            matrix.set_arrays(other.parameters.arrays())
            training = AveragedTraining.begin(tmp_path / "a", matrix, "toy", True, most=3)
            assert all(map(np.array_equal, matrix.arrays(), end))
    for number, evaluated in enumerate(actual):
        for place, array in enumerate(evaluated):
            last = [end[place].astype(np.float64) for end in ends[max(0, number - 2) : number + 1]]
            np.testing.assert_allclose(array, sum(last) / len(last), rtol=1e-6, atol=1e-7)
    training.roll_back()
    assert all(map(np.array_equal, matrix.arrays(), actual[3])), "the best model is a mean, too"


@pytest.mark.parametrize("number", [-1, 4])
def test_a_checkpoint_with_another_number_of_ends_is_refused(number: int, matrix: DynetParameters) -> None:
    ends = LastEnds(matrix, 3)
    arrays = ends.arrays()
    arrays[0][0] = number
    with pytest.raises(ValueError, match="more ends of epochs than"):
        ends.set_arrays(arrays)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("long") / "farm")


def arrays_of(path: Path, part: str) -> dict[str, np.ndarray]:
    """The arrays of a model, or of the part of a checkpoint with this number."""
    with np.load(path, allow_pickle=False) as archive:
        start = f"array/{part}"
        return {name.removeprefix(start): archive[name] for name in archive.files if name.startswith(start)}


@pytest.mark.slow
@pytest.mark.parametrize("number, more", [(5, ()), (5, ("--state", "kept")), (6, ()), (6, ("--memory-states", 4))])
def test_averaging_in_the_programs(
    number: int, more: tuple, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The steps are those without it; model.npz is the mean; killed and resumed it ends with the same figures."""
    call = make_call(monkeypatch, CHAPTERS[number])
    flags = [*TINY, "--epochs", 3, "--schedule", "constant", "--learning-rate", 0.003, "--weight-decay", 0.1]
    flags += ["--dropout-kind", "variational", "--recurrent-share", 0.5, "--corpus", corpus, *more]
    ends, save = [], checkpoint.save_parameters

    def look_and_save(path: Path, parameters: checkpoint.Parameters, about: dict) -> None:
        save(path, parameters, about)
        if path.name == "checkpoint.npz":
            ends.append(arrays_of(path, "0/"))

    with monkeypatch.context() as patched:
        patched.setattr(loop, "save_parameters", look_and_save)
        call("train", *flags, "--run-dir", tmp_path / "plain")
    averaged = [*flags, "--average-epochs", 2]
    call("train", *averaged, "--run-dir", tmp_path / "whole")
    last = arrays_of(tmp_path / "whole" / "checkpoint.npz", "0/")
    assert all(np.array_equal(last[name], array) for name, array in ends[-1].items())
    metrics = comparable(tmp_path / "whole")
    figures = [record["dev_perplexity"] for record in metrics["epochs"]]
    assert min(figures) == figures[-1], "the last epoch is the best of so slow a training"
    model = arrays_of(tmp_path / "whole" / "model.npz", "")
    for name, array in model.items():
        mean = (ends[-2][name].astype(np.float64) + ends[-1][name]) / 2
        np.testing.assert_allclose(array, mean, rtol=1e-6, atol=1e-8)
    plain = [record["dev_perplexity"] for record in comparable(tmp_path / "plain")["epochs"]]
    assert figures[0] == plain[0] and all(first != other for first, other in zip(figures[1:], plain[1:], strict=True))
    call_and_kill(call, monkeypatch, *averaged, "--run-dir", tmp_path / "killed")
    call("train", "--resume", "--run-dir", tmp_path / "killed")
    assert comparable(tmp_path / "killed") == metrics


def test_without_it_nothing_more_is_kept(corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One end is no mean: a checkpoint has no more than the model and what the optimiser remembers."""
    monkeypatch.setattr(averaging, "AveragedTraining", None)
    make_call(monkeypatch, CHAPTERS[6])("train", *TINY, "--epochs", 1, "--corpus", corpus, "--run-dir", tmp_path)
    with np.load(tmp_path / "checkpoint.npz", allow_pickle=False) as archive:
        assert {name.split("/")[1] for name in archive.files if name != "about"} == {"0", "1"}
