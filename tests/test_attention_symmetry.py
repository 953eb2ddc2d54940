"""Two directions trained together: their objective by hand, a usable run of either, and resuming to the digit."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import dynet as dy
import pytest

from common.chapters import chapter_module
from common.programs.chapters import load_run
from common.search.translation import target_log_probs
from common.text.alignment import true_alignments
from common.text.batching import make_batch, pad
from common.text.pairs import PairBatch, load_pairs, read_pairs
from common.text.vocab import Vocabulary
from common.training.loop import Training
from tests.attention_models import CHAPTER, SOURCE_WORDS, SOURCES, TARGETS, WORDS, AttentionalModel, H, Settings
from tests.pairs import write_pairs
from tests.prior_models import Objective, PriorTwin
from tests.programs import Call, Killed, Refused, comparable, leftovers, make_call, metrics_of, write_lines
from tests.rnn_reference import randomise
from tests.small_models import check_gradients

symmetry = chapter_module(CHAPTER, "symmetry")
GAMMA = 0.7
PAIRS = [0, 1, 3, 4, 5]  # those that are not empty on either side
SMALL = ["--hidden-size", "4", "--epochs", "3", "--batch-size", "16", "--learning-rate", "0.02"]


# --- the objective


class Both:
    """A model for each direction with random parameters, and their twins."""

    def __init__(self) -> None:
        settings = Settings(hidden_size=H, dropout=0.0, layers=1, symmetry=GAMMA)
        sides = Vocabulary(SOURCE_WORDS), Vocabulary(WORDS)
        self.models = [AttentionalModel.from_settings(settings, *order) for order in (sides, sides[::-1])]
        for seed, model in enumerate(self.models, start=5):
            randomise(dict(enumerate(model.collection.parameters_list())), 0.8, seed)
        self.twins = [PriorTwin(model, "soft") for model in self.models]
        objective = Objective(self.models[1], settings, None)
        setup, training = SimpleNamespace(settings=settings), SimpleNamespace(history=[])
        self.backward = symmetry.Backward(setup, self.models[1], training, None, objective, TARGETS, SOURCES)
        self.backward.loss, self.backward.predictions = 0.0, 0
        self.forward = Objective(self.models[0], settings, None)

    def total(self, numbers: list[int]) -> dy.Expression:
        batch = PairBatch(*pad([SOURCES[number] for number in numbers]), make_batch(TARGETS, numbers))
        dy.renew_cg()
        cost = self.forward(batch)
        return cost.total + self.backward.cost(numbers, cost.weights)

    def by_hand(self, number: int) -> float:
        """L(E | F) + L(F | E) - gamma sum over t and j of A_tj A'_jt, of one pair."""
        source, target, total, matrices = SOURCES[number], TARGETS[number], 0.0, []
        for twin, (read, written) in zip(self.twins, ((source, target), (target, source)), strict=True):
            steps = twin.steps(read, [0, *written])
            total -= sum(step.log_probs[word] for step, word in zip(steps, [*written, 0], strict=True))
            matrices.append([step.weights for step in steps])
        there, back = matrices
        return total - GAMMA * sum(there[t][j] * back[j][t] for t in range(len(target)) for j in range(len(source)))


def test_the_objective_of_both_is_what_the_equation_says() -> None:
    both = Both()
    expected = [both.by_hand(number) for number in PAIRS]
    assert both.total(PAIRS).scalar_value() == pytest.approx(sum(expected), rel=1e-5)
    for number, alone in zip(PAIRS, expected, strict=True):
        assert both.total([number]).scalar_value() == pytest.approx(alone, rel=1e-5)


def test_gradients_of_both_are_those_of_finite_differences() -> None:
    both, numbers = Both(), [0, 3]
    both.total(numbers).forward()
    both.total(numbers).backward()
    for twin in both.twins:
        actual = {key: parameter.grad_as_array() for key, parameter in twin.parameters.items()}
        loss = lambda: sum(both.by_hand(number) for number in numbers)  # noqa: E731
        check_gradients(actual, twin.weights, loss, least=0)


# --- the programs


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs whose first word has the first one as its partner, and the last one the last but two."""
    folder = write_pairs(tmp_path_factory.mktemp("symmetry") / "farm", train=60)
    for split in ("train", "dev", "test"):
        lengths = [(len(source), len(target)) for source, target in read_pairs(folder, split)]
        write_lines(folder / f"{split}.align", [f"0-0 {source - 3}-{target - 1}" for source, target in lengths])
    return folder


@pytest.fixture(scope="module")
def run(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "both"
    with pytest.MonkeyPatch.context() as monkeypatch:
        flags = ["--symmetry", 0.5, "--fertility", 0.1, "--position-bias", "--supervised", 0.1]
        make_call(monkeypatch, CHAPTER)("train", *SMALL, *flags, "--corpus", corpus, "--run-dir", folder)
    return folder


def test_either_direction_has_a_run_that_translates(
    call: Call, run: Path, corpus: Path, capsys: pytest.CaptureFixture
) -> None:
    """With search of all kinds, and its own dictionary and lengths: those of its own corpus, which is turned round."""
    for folder, side in ((run, "source"), (run / "backward", "target")):
        expected = (folder / "test.hypotheses.txt").read_text("utf-8")
        capsys.readouterr()
        call("translate", corpus / f"test.{side}", "--run", folder)
        assert capsys.readouterr().out == expected
        flags = ["--beam", 3, "--length", "prior", "--coverage", 0.2, "--replace-unknown", "dictionary"]
        call("translate", corpus / f"test.{side}", "--run", folder, *flags)
        assert len(capsys.readouterr().out.splitlines()) == 16
    forward, backward = load_pairs(str(corpus)), load_pairs(load_run(run / "backward")[1].corpus)
    assert [pair[::-1] for pair in forward.test] == [tuple(pair) for pair in backward.test]
    for there, back in zip(true_alignments(forward, "dev"), true_alignments(backward, "dev"), strict=True):
        assert there == {(i, j) for j, i in back}


def test_either_direction_has_its_own_figures(run: Path) -> None:
    for folder in (run, run / "backward"):
        model, settings = load_run(folder)
        metrics = metrics_of(folder)
        rows = target_log_probs(model, load_pairs(settings.corpus).test, "uniform")
        assert metrics["test"]["log_prob"] == pytest.approx(sum(row.sum() for row in rows), abs=1e-4)
        assert len(metrics["epochs"]) == 3 and 0 <= metrics["test"]["alignment"]["error_rate"] <= 1
    assert metrics["test"]["perplexity"] != metrics_of(run)["test"]["perplexity"]
    assert leftovers(run) == []


@pytest.mark.slow
@pytest.mark.parametrize("deaths", [1, 2, 3, 4])
def test_a_training_killed_anywhere_ends_with_the_same_figures(
    call: Call, run: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deaths: int
) -> None:
    """Two epochs are kept for either direction: it dies after the first, second ... of the four."""
    finish, saved = Training.finish_epoch, []

    def finish_and_die(self: Training, record) -> bool:
        improved = finish(self, record)
        saved.append(record)
        if len(saved) == deaths:
            raise Killed
        return improved

    flags = ["--symmetry", 0.5, "--fertility", 0.1, "--position-bias", "--supervised", 0.1, "--corpus", corpus]
    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(Training, "finish_epoch", finish_and_die)
        call("train", *SMALL, *flags, "--run-dir", tmp_path / "killed")
    call("train", "--resume", "--run-dir", tmp_path / "killed")
    for folder, killed in ((run, tmp_path / "killed"), (run / "backward", tmp_path / "killed" / "backward")):
        actual, expected = comparable(killed), comparable(folder)
        for metrics in (actual, expected):
            metrics["settings"].pop("corpus")  # a folder within the run
        assert actual == expected
        assert (killed / "test.hypotheses.txt").read_bytes() == (folder / "test.hypotheses.txt").read_bytes()


def test_the_run_of_the_other_direction_is_not_resumed_alone(refused: Refused, run: Path) -> None:
    assert "one folder up" in refused("train", "--resume", "--run-dir", run / "backward")


def test_unknown_words_of_either_side_count_where_none_are_allowed(
    refused: Refused, corpus: Path, tmp_path: Path
) -> None:
    """Only the source has one, which is a target in the other direction."""
    folder = tmp_path / "farm"
    folder.mkdir()
    for path in corpus.iterdir():
        write_lines(folder / path.name, path.read_text("utf-8").replace("ne wombat", "ne zul").splitlines())
    flags = [*SMALL, "--unk", "closed", "--corpus", folder, "--run-dir", tmp_path / "run"]
    line = refused("train", *flags, "--symmetry", 1)
    assert "'wombat'" in line and "test.source" in line
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("damage", ["removed", "a link to itself"])
@pytest.mark.parametrize("where", ["", "backward"])
def test_a_checkpoint_that_is_not_there_is_told(
    call: Call, refused: Refused, run: Path, tmp_path: Path, where: str, damage: str
) -> None:
    """Only the forward one may be removed: then both directions begin anew. Nothing is half done."""
    copy = shutil.copytree(run, tmp_path / "run")
    checkpoint = copy / where / "checkpoint.npz"
    checkpoint.unlink()
    if damage != "removed":
        checkpoint.symlink_to(checkpoint)
    elif not where:
        call("train", "--resume", "--run-dir", copy)
        assert comparable(copy)["test"] == comparable(run)["test"]
        return
    assert str(checkpoint) in refused("train", "--resume", "--run-dir", copy)


@pytest.mark.parametrize("content", [None, "{}", '{"chapter": '])
def test_a_damaged_config_of_the_other_direction_is_told(
    refused: Refused, run: Path, tmp_path: Path, content: str | None
) -> None:
    copy = shutil.copytree(run, tmp_path / "run")
    config = copy / "backward" / "config.json"
    config.unlink()
    if content is not None:
        config.write_text(content, "utf-8")
    assert str(config.parent) in refused("train", "--resume", "--run-dir", copy)
