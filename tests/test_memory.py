"""What a batch takes is known before its graph is built, and batches are split so that a limit holds."""

from __future__ import annotations

import dataclasses
import json
import math
import subprocess
import sys
from pathlib import Path

import dynet as dy
import numpy as np
import pytest

from common import memory, memory_limit
from common.chapters import chapter_module
from common.errors import UserError
from common.evaluation.perplexity import sentence_log_probs
from common.memory import Footprint
from common.memory_limit import GIGABYTE, cgroup_limit
from common.nn.parameters import DynetParameters
from common.programs.chapters import CHAPTERS, NAMES
from common.search.room import bytes_of_search
from common.search.translation import KEPT_WEIGHT, most_words, target_log_probs
from common.sizes import check_memory
from common.text.corpus import SPLITS
from common.text.dividing import parts_that_fit, sizes_of
from common.text.pairs import Pair
from common.training.pairs import Pairs
from common.training.text import Text
from tests.memory_models import CASES, loss_of, make_batch_for, make_model
from tests.programs import write_corpus

each_case = pytest.mark.parametrize("name", CASES)
MANY = 10**9
LENGTHS = [9, 3, 7, 1, 4, 9, 2]


def leave_room_for(model, batch, rows: int, trained: bool) -> None:
    """Let the limit allow so many sentences of the batch side by side."""
    _, words, source = sizes_of(batch)
    row_bytes = model.footprint.sentence(words, source, trained)
    memory.set_limit((model.footprint.model(trained) + rows * row_bytes) / GIGABYTE)


@each_case
def test_parameters_are_bounded_from_their_sizes(name: str) -> None:
    for sizes in ({"hidden_size": 16}, {"hidden_size": 64}, {"hidden_size": 16, "words": 500}):
        model = make_model(name, **sizes)
        real = sum(array.size for array in DynetParameters(model).arrays())
        assert real <= model.footprint.parameters <= 3 * real, sizes


PEAK = """
import dynet_config
dynet_config.set(mem=64, random_seed=1)
import dynet as dy, json, resource, sys
from common.text.dividing import sizes_of
from tests.memory_models import loss_of, make_batch_for, make_model
name, words, length, rows = sys.argv[1], 1_000, int(sys.argv[2]), int(sys.argv[3])
model = make_model(name, words=words, hidden_size=64)
def peak():  # not ru_maxrss where it can be helped: Linux lets a process begin with the peak of the one that started it
    try:
        return 1024 * int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
small, large = (make_batch_for(model, [length] * number) for number in (2 * rows // 3, rows))
found = [peak()]
model.log_probs(large)
found.append(peak())
for batch in (small, large):
    dy.renew_cg()
    loss = loss_of(model, batch)
    loss.scalar_value()
    loss.backward()
found.append(peak())
_, *sizes = sizes_of(large)
print(json.dumps([found[1] - found[0], rows * model.footprint.sentence(*sizes), found[2] - found[0],
                  rows * model.footprint.sentence(*sizes, trained=True)]))
"""
MEASURED = {
    "feed-forward": (100, 250),
    "LSTM": (60, 250),
    "pointer": (250, 24),
    "combined score": (250, 9),
    "a memory": (25, 300),
    "Transformer": (60, 90),
    "encoder-decoder": (60, 150),
    "attention": (120, 16),
    "own past": (120, 10),
    "Transformer translator": (60, 60),
    "gates": (120, 10),
    "ABS": (120, 90),
    "RAS-LSTM": (120, 60),
}


@pytest.mark.needs("proc", "time")
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell a process's largest size this way")
@pytest.mark.parametrize("name", MEASURED)
def test_the_estimate_against_the_memory_of_a_process(name: str) -> None:
    """Never below, and at most three times what was taken, by the first batch of a process and by a later one.

    Chapter 4's evaluation takes less than a batch would: it goes through the predictions of a batch piece by piece. So
    does that of a memory of earlier sentences.
    """
    arguments = [sys.executable, "-c", PEAK, name, *map(str, MEASURED[name])]
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=CHAPTERS.parent, timeout=300)
    assert done.returncode == 0, done.stderr
    read, reading, trained, training = json.loads(done.stdout)
    in_pieces = name in ("feed-forward", "a memory")
    assert min(trained, trained if in_pieces else read) > 100e6, "large enough to be measured"
    assert read <= reading and (in_pieces or reading <= 3 * read), (read, reading)
    assert trained <= training <= 3 * trained, (trained, training)


@each_case
def test_the_gradient_of_a_batch_is_that_of_its_parts(name: str) -> None:
    model = make_model(name)
    batch = make_batch_for(model, LENGTHS)
    leave_room_for(model, batch, 2, True)
    parts = parts_that_fit(batch, model.footprint, trained=True)
    assert [sizes_of(part)[0] for part in parts] == [2, 2, 2, 1]
    assert sizes_of(parts[0])[1] < sizes_of(parts[-1])[1], "padded to the longest of its own"
    whole, loss = gradients(model, [batch])
    added, losses = gradients(model, parts)
    assert losses == pytest.approx(loss, rel=1e-5)
    for expected, actual in zip(whole, added, strict=True):
        np.testing.assert_allclose(actual, expected, atol=2e-5 * max(1, np.abs(expected).max()))
    assert any(np.abs(expected).max() > 1e-2 for expected in whole)


def gradients(model, batches: list) -> tuple[list[np.ndarray], float]:
    """The gradients of all parameters after a backward pass for each batch, and the summed losses."""
    collection, total = model.collection, 0.0
    dy.SimpleSGDTrainer(collection, learning_rate=0).update()  # what earlier passes have left is gone
    for batch in batches:
        dy.renew_cg()
        loss = loss_of(model, batch)
        total += loss.scalar_value()
        loss.backward()
    each = [*collection.parameters_list(), *collection.lookup_parameters_list()]
    return [np.array(parameter.grad_as_array()) for parameter in each], total


@each_case
def test_the_log_probabilities_of_a_batch_are_those_of_its_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make_model(name)
    batch = make_batch_for(model, LENGTHS)
    sentences = [[f"w{2 + (3 * place + length) % 28}" for place in range(length)] for length in LENGTHS]
    if hasattr(model, "source_vocab"):
        score = lambda: target_log_probs(model, [Pair(words[::-1], words) for words in sentences])  # noqa: E731
    else:
        score = lambda: sentence_log_probs(model, sentences)  # noqa: E731
    whole, seen, log_probs = score(), [], model.log_probs
    monkeypatch.setattr(model, "log_probs", lambda part: (seen.append(sizes_of(part)[0]), log_probs(part))[1])
    leave_room_for(model, batch, 2, False)
    split = score()
    assert len(seen) >= 4 and max(seen) <= 2 and sum(seen) == len(LENGTHS)
    for expected, actual in zip(whole, split, strict=True):
        np.testing.assert_allclose(actual, expected, atol=1e-5)


def test_what_does_not_fit_is_refused_in_one_line() -> None:
    memory.set_limit(1)
    small = Footprint(1_000_000, 2_000, pair=300)
    assert small.rows(MANY, 20) > small.rows(MANY, 40) > small.rows(MANY, 40, trained=True) > 1
    with pytest.raises(
        UserError, match=r"a sentence of 1000 words takes up to 2\.\d GB .* may be used; make it shorter"
    ):
        small.rows(MANY, 1001)
    with pytest.raises(UserError, match=r"a model with about 100,000,000 parameters takes up to 7\.\d GB"):
        small._replace(parameters=100_000_000).rows(1, 2)


@pytest.mark.parametrize(
    "chapter, flags", [("05_rnn_lm", {"state": "kept"}), ("06_attentive_lm", {"memory_states": 9})]
)
def test_streams_that_do_not_fit_are_refused_in_one_line(chapter: str, flags: dict, tmp_path: Path) -> None:
    settings = chapter_module(chapter, "settings").Settings(bptt=500, batch_size=400, **flags)
    data = Text.read(dataclasses.replace(settings, corpus=str(write_corpus(tmp_path / "corpus"))), tmp_path)
    memory.set_limit(0.5)
    with pytest.raises(UserError, match="training on a sentence, or pieces of streams, of 199999 words takes"):
        check_memory(settings.footprint(*data.sizes), data, settings.most_words)


NEURAL = sorted(name for name in NAMES if hasattr(chapter_module(name, "settings").Settings, "takes_much"))


@pytest.mark.parametrize("name", NEURAL)
def test_a_run_of_default_sizes_needs_no_look_at_the_memory(name: str) -> None:
    """Its batches, those of its evaluation and of its search take no more than may be taken without one."""
    settings = chapter_module(name, "settings").Settings(min_count=1)
    data = (Pairs if hasattr(settings, "subwords") else Text).read(settings, Path())
    longest, words = map(max, zip(*(pair for split in SPLITS for pair in data.lengths(split)), strict=True))
    footprint = settings.footprint(*data.sizes)
    trained = footprint.sentence(longest, words, trained=True)
    fits = footprint.model(True) + settings.batch_size * trained <= memory.SAFE
    assert fits != settings.takes_much and settings.has_default_sizes
    assert not dataclasses.replace(settings, corpus="another").has_default_sizes
    if fits:
        read = footprint.sentence(longest, words)
        assert footprint.model() + 64 * read <= memory.SAFE, "what evaluation reads at once"
        steps = most_words(words)
        search = bytes_of_search(footprint, 32, steps, words) if words else 0
        assert search + 32 * KEPT_WEIGHT * words * steps <= memory.AT_ONCE


def test_more_at_once_than_helps_is_never_read() -> None:
    memory.set_limit(1000)
    footprint = Footprint(1, 1_000_000)
    assert 1 < footprint.rows(MANY, 20) <= memory.AT_ONCE / footprint.sentence(20)
    assert footprint.rows(MANY, 10_000) == 1, "a sentence that is too long for that is read alone"
    assert footprint.rows(MANY, 20, trained=True) > memory.AT_ONCE / footprint.sentence(20, trained=True), (
        "training decides"
    )


def test_the_limit_is_a_share_of_the_machine_or_the_users() -> None:
    assert GIGABYTE / 4 < memory.limit() == int(memory.SHARE * memory_limit.machine_memory())
    memory.set_limit(2.5)
    assert memory.limit() == 2.5 * GIGABYTE


def test_limits_of_groups_of_processes(tmp_path: Path) -> None:
    """The smallest of all groups around the process counts, in both versions of Linux's interface."""
    own = tmp_path / "cgroup"
    own.write_text("5:cpu,cpuacct:/a\n4:memory:/a/b\n0::/x/y\n")
    assert cgroup_limit(tmp_path, own) == math.inf
    for name, content in (
        ("memory/a/memory.limit_in_bytes", "5000\n"),
        ("memory/a/b/memory.limit_in_bytes", "9223372036854771712\n"),
        ("x/memory.max", "4000\n"),
        ("x/y/memory.max", "max\n"),
        ("cpu,cpuacct/a/memory.max", "1\n"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    assert cgroup_limit(tmp_path, own) == 4000
    (tmp_path / "x" / "memory.max").unlink()
    assert cgroup_limit(tmp_path, own) == 5000
    assert cgroup_limit(tmp_path, tmp_path / "none") == math.inf


def test_settings_that_extend_a_chapters_have_its_footprint() -> None:
    settings = chapter_module("06_attentive_lm", "settings").Settings()
    extended = type("Extended", (type(settings),), {"__module__": __name__})()
    assert extended.footprint(100) == settings.footprint(100)
