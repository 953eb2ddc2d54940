"""Chapter 1: counting and smoothing on disk gives, to the bit, what is computed in memory."""

from __future__ import annotations

import os
import random
import re
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from common.chapters import chapter_module
from common.errors import UserError
from common.text import corpus as corpus_module
from common.text.vocab import Vocabulary
from common.training.cli import make_parser
from tests.clusters import Processes
from tests.ngram_models import CHAPTER, bounded, counts, loading, methods, sentence_lists, smoothing
from tests.programs import (
    Call,
    Refused,
    comparable,
    error_line,
    leftovers,
    metrics_of,
    run_program,
)

budget, disk_counts, disk_smoothing, on_disk, pruning, chapter_settings, streamed = (
    chapter_module(CHAPTER, name)
    for name in "disk_budget disk_counts disk_smoothing on_disk pruning settings streamed".split()
)
DISK_METHODS = disk_smoothing.DISK_METHODS
prunings = st.just([]) | st.lists(st.integers(0, 3), max_size=4).map(lambda some: [0, *some])


def parts_of(sentences: Iterable[Sequence[int]], words: int) -> Iterator[np.ndarray]:
    """Sentences of ids as the parts of a text, with about so many words each."""
    part = [0]
    for sentence in sentences:
        part += [*sentence, 0]
        if len(part) > words:
            yield np.array(part)
            part = [0]
    if len(part) > 1:
        yield np.array(part)


def both(
    sentences: Sequence[Sequence[str]], method: str, order: int, most: int, place: Path, spells=False, prune: str = ""
):
    """The model in memory and the one on disk."""
    thresholds = chapter_settings.Settings(smoothing=method, order=order, prune=prune).thresholds
    vocab = Vocabulary.from_sentences(sentences)
    ids, zero = [vocab.encode(sentence) for sentence in sentences], smoothing.order_zero(len(vocab), spells)
    first, levels = disk_counts.count_on_disk(parts_of(ids, most), order, len(vocab), place, most)
    result = disk_smoothing.interpolate_on_disk(
        vocab, first, levels, zero, DISK_METHODS[method], place, most, thresholds
    )
    levels = counts.count_ngrams(ids, order, len(vocab))
    levels = pruning.mark(levels, thresholds) if prune else levels
    return methods.METHODS[method](vocab, levels, zero, []), result


def assert_same_bits(first, second) -> None:
    for part, same in zip(parts(first), parts(second), strict=True):
        assert part.dtype == same.dtype and part.tobytes() == same.tobytes()


def parts(lm) -> list[np.ndarray]:
    return [*lm.keys, *lm.log_probabilities, *lm.log_factors]


@pytest.mark.parametrize("method", DISK_METHODS)
@bounded
@given(train=sentence_lists, order=st.integers(1, 8), most=st.integers(1, 12), spells=st.booleans(), prune=prunings)
def test_the_same_model_to_the_bit(
    method: str, train, order: int, most: int, spells: bool, prune: list, tmp_path_factory
) -> None:
    """With room for few rows, so that many runs are merged."""
    pruned = ",".join(map(str, sorted(prune)[:order]))
    assert_same_bits(*both(train, method, order, most, tmp_path_factory.mktemp("place"), spells, pruned))


@pytest.mark.slow
def test_memory_does_not_grow_with_the_text(tmp_path: Path) -> None:
    """Three times the text, of the same words: about the same peak."""
    rng, peaks, vocab = random.Random(3), [], Vocabulary([f"w{n}" for n in range(30)])
    for number in (300, 900):
        ids = ([rng.randrange(2, 32) for _ in range(rng.randrange(1, 14))] for _ in range(number))
        place = tmp_path / str(number)
        place.mkdir()
        tracemalloc.start()
        words = budget.words_that_fit(500, 4)
        first, levels = disk_counts.count_on_disk(parts_of(ids, words), 4, len(vocab), place, 500)
        zero = smoothing.order_zero(len(vocab), False)
        method = DISK_METHODS["modified-kneser-ney"]
        disk_smoothing.interpolate_on_disk(vocab, first, levels, zero, method, place, 500, [0, 0, 1, 1])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.4 * peaks[0]


# --- the programs


@pytest.mark.parametrize(
    "flags",
    [
        ["--smoothing", "modified-kneser-ney", "--order", 4],
        ["--smoothing", "modified-kneser-ney", "--order", 4, "--prune", "0,0,1"],
        ["--smoothing", "witten-bell", "--order", 3, "--unk", "characters", "--cache"],
        ["--smoothing", "absolute", "--order", 1, "--unk", "uniform", "--min-count", 1],
    ],
)
def test_a_run_on_disk_is_a_run_in_memory(flags: list, call: Call, corpus: Path, tmp_path: Path, monkeypatch) -> None:
    """The same file, byte by byte, the same figures, and the same lines, but for where it is."""
    monkeypatch.setattr(budget, "MOST", 50)
    runs = {where: tmp_path / where for where in ("memory", "disk")}
    for where, run in runs.items():
        call("train", "--corpus", corpus, *flags, "--counting", where, "--run-dir", run)
    first, other = (run / "model.npz" for run in runs.values())
    assert first.read_bytes() == other.read_bytes()
    actual = [comparable(run) for run in runs.values()]
    assert [metrics["settings"].pop("counting") for metrics in actual] == ["memory", "disk"]
    assert actual[0] == actual[1]
    logs = [(run / "log.txt").read_text("utf-8").replace(str(run), "RUN") for run in runs.values()]
    assert logs[0] == logs[1] and "different n-grams: " in logs[0]
    assert not [*tmp_path.rglob(".counts"), *leftovers(tmp_path)]


def test_what_does_not_fit_into_memory_goes_to_disk(call: Call, corpus: Path, tmp_path: Path, monkeypatch) -> None:
    """By itself, with --counting auto, and the model is mapped where it is scored with."""
    monkeypatch.setattr(budget, "BASE", 0)
    monkeypatch.setattr(budget, "FEWEST", 10)
    flags = ["--corpus", corpus, "--smoothing", "kneser-ney", "--order", 3]
    seen, cut = [], streamed.FileSentences.parts
    monkeypatch.setattr(
        streamed.FileSentences, "parts", lambda *arguments: seen.append(arguments[-1]) or cut(*arguments)
    )
    call("train", *flags, "--memory", "1GB", "--run-dir", tmp_path / "large")
    assert not seen
    call("train", *flags, "--memory", "0.08MB", "--run-dir", tmp_path / "small")
    assert len(seen) == 1 and 10 <= seen[0] < 1_000
    assert (tmp_path / "large" / "model.npz").read_bytes() == (tmp_path / "small" / "model.npz").read_bytes()


def test_scoring_with_little_memory_does_not_read_the_model(
    call: Call, corpus: Path, tmp_path: Path, monkeypatch, capsys
) -> None:
    call("train", "--corpus", corpus, "--smoothing", "kneser-ney", "--order", 3, "--run-dir", tmp_path / "run")
    scores = []
    for size in ("1GB", "1KB"):
        capsys.readouterr()
        call("generate", "--run", tmp_path / "run", "--memory", size, "--score", corpus / "test.txt")
        scores.append(capsys.readouterr().out)
        monkeypatch.setattr(loading, "read_arrays", lambda path: pytest.fail("read whole"))
    assert scores[0] == scores[1] and len(scores[0].splitlines()) == 16


def test_what_cannot_be_on_disk_is_one_line(refused: Refused, corpus: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    for flags, complaint in (
        (
            ["--counting", "disk", "--smoothing", "all"],
            "--counting disk: not with --smoothing all; choose from witten-bell, absolute",
        ),
        (["--counting", "disk", "--smoothing", "absolute", "--skip", 2], "--counting disk: not with --skip"),
        (["--counting", "memory", "--scheduler", "tcp://127.0.0.1:1"], "--scheduler counts on disk"),
        (
            ["--scheduler", "tcp://127.0.0.1:1", "--smoothing", "all"],
            "--scheduler: not with --smoothing all; choose from witten-bell",
        ),
        (
            ["--memory", "70MB", "--smoothing", "all"],
            "takes about 140 MB, and 70 MB may be used (--memory); on disk: not with --smoothing",
        ),
        (["--memory", "70MB", "--smoothing", "absolute"], "counting on disk takes 159 MB with these words"),
        (["--memory", "lots"], "'lots' is not an amount of memory; write 2, 1.5GB or 500MB"),
    ):
        assert complaint in refused("train", "--corpus", corpus, "--run-dir", run, *flags)
    assert not run.exists()


def test_samples_of_every_order_are_counted_where_they_fit(
    call: Call, refused: Refused, corpus: Path, tmp_path: Path
) -> None:
    call("train", "--corpus", corpus, "--smoothing", "kneser-ney", "--order", 2, "--run-dir", tmp_path / "run")
    line = refused("generate", "--run", tmp_path / "run", "--orders", "--memory", "60MB")
    assert "--orders: counting in memory takes about 140 MB, and 60 MB may be used" in line


def test_what_amounts_of_memory_are_understood() -> None:
    parser = make_parser("", chapter_settings.Settings)
    for text, gigabytes in {"2": 2, "1.5GB": 1.5, "1gb": 1, "512MB": 0.5, "2 TB": 2048, "0": 0}.items():
        assert parser.parse_args(["--memory", text]).memory == gigabytes
    for text in ("", "MB", "1PB", "one GB", "5 apples"):
        with pytest.raises(SystemExit):
            parser.parse_args(["--memory", text])


def test_an_interruption_leaves_nothing(call: Call, corpus: Path, tmp_path: Path, monkeypatch) -> None:
    flags = ["--corpus", corpus, "--smoothing", "kneser-ney", "--counting", "disk", "--run-dir", tmp_path / "run"]
    seen = []

    def interrupt(*arguments) -> None:
        seen.extend((tmp_path / "run" / ".counts").iterdir())
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(on_disk, "interpolate_on_disk", interrupt)
        with pytest.raises(SystemExit) as stopped:
            call("train", *flags)
    assert stopped.value.code == 130 and len(seen) > 8
    killed = tmp_path / "run" / ".counts"
    assert not killed.exists() and not (tmp_path / "run" / "model.npz").exists()
    killed.mkdir()
    (killed / "by_key").write_bytes(b"half")
    call("train", *flags[:-4], "--counting", "memory", *flags[-2:], "--resume")  # where it is counted may change
    assert not killed.exists() and metrics_of(tmp_path / "run")["dev"]["perplexity"] > 1


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on the size of files")
def test_a_disk_that_is_full_is_one_line(corpus: Path, tmp_path: Path) -> None:
    """The operating system itself refuses to write more than 4,000 bytes a file."""
    import resource

    flags = ["--corpus", corpus, "--smoothing", "absolute", "--counting", "disk", "--run-dir", tmp_path / "run"]
    result = run_program(
        "train",
        *map(str, flags),
        chapter=CHAPTER,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000)),
    )
    assert result.returncode == 2 and "File too large; free some space" in error_line(result.stderr)
    assert sorted(path.name for path in (tmp_path / "run").iterdir()) == [
        ".lock",
        "config.json",
        "log.txt",
        "vocab.txt",
    ]


@pytest.mark.needs("time")
def test_parts_counted_on_a_cluster_give_the_same_model(call: Call, corpus: Path, tmp_path: Path, monkeypatch) -> None:
    """The cluster is stood in for by its worker's function, in threads that end out of turn."""
    monkeypatch.setattr(budget, "MOST", 50)
    flags = ["--corpus", corpus, "--smoothing", "modified-kneser-ney", "--order", 3]
    call("train", *flags, "--counting", "memory", "--run-dir", tmp_path / "memory")
    requests, counted, count_part = [], [], disk_counts.count_part

    @contextmanager
    def threads(jobs: int, scheduler: str, shared: Path) -> Iterator[Executor]:
        requests.append((scheduler, shared))
        with ThreadPoolExecutor(4) as pool:
            yield pool

    def count_later(path: Path, *arguments: int) -> None:
        time.sleep(random.Random(str(path)).random() / 20)
        counted.append(path)
        count_part(path, *arguments)

    monkeypatch.setattr(on_disk, "open_executor", threads)
    monkeypatch.setattr(disk_counts, "count_part", count_later)
    run = tmp_path / "cluster"
    call("train", *flags, "--scheduler", "tcp://there:8786", "--run-dir", run)
    assert requests == [("tcp://there:8786", run)] and len(counted) > 10
    assert counted != sorted(counted, key=lambda path: int(path.name.removeprefix("part")))
    assert (run / "model.npz").read_bytes() == (tmp_path / "memory" / "model.npz").read_bytes()


@pytest.mark.needs("loopback")
@pytest.mark.slow
def test_a_real_cluster_gives_the_same_model(call: Call, corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    flags = ["--corpus", corpus, "--smoothing", "absolute", "--order", 3]
    call("train", *flags, "--counting", "memory", "--run-dir", tmp_path / "memory")
    processes = Processes(tmp_path)
    try:
        processes.add("one")
        call("train", *flags, "--scheduler", processes.address, "--run-dir", tmp_path / "cluster")
    finally:
        processes.close()
    first, other = (tmp_path / where / "model.npz" for where in ("memory", "cluster"))
    assert first.read_bytes() == other.read_bytes()


# --- the text


LINES = ["a cow", "cow\t b  a\r", "a a a a a", "\u00a0", "<unk> a", "a" * 14]
BAD_LINES = ["a a a a a a", "a" * 15, "a" * 16, "", " \t", "a <s>", "</s>", "\udcff"]


@pytest.mark.parametrize("block", [1, 4, 100])
def test_a_text_that_is_read_once(block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its numbers are the ids of its sentences, and what cannot be read is refused as elsewhere."""
    monkeypatch.setattr(streamed, "BLOCK", block)
    for module in (streamed, corpus_module):
        monkeypatch.setattr(module, "MAX_WORDS", 5)
        monkeypatch.setattr(module, "LONGEST_LINE", 15)
    path, some = tmp_path / "train.txt", ["", "b cow\n"]
    for before, line, after, mark in product(
        some, [*LINES, *BAD_LINES], ["", "\n", "\ncow", "\ncow\n"], ["", "\ufeff"]
    ):
        if mark and len(line) > 10:  # the mark's three bytes count in the first line elsewhere
            continue
        path.write_bytes((mark + before + line + after).encode("utf-8", "surrogateescape"))
        text = streamed.FileSentences(path, tmp_path)
        try:
            sentences = corpus_module.read_sentences(path)
        except UserError as error:
            with pytest.raises(UserError, match=f"^{re.escape(str(error))}$"):
                text.tally  # noqa: B018
        else:
            kinds = Counter(word for sentence in sentences for word in sentence)
            assert text.tally == (len(sentences), kinds) and list(text.tally[1]) == list(kinds)
            vocab = Vocabulary.from_counts(kinds, 2)
            parts = list(text.parts(vocab, 3))
            assert all(part[0] == part[-1] == vocab.boundary and len(part) > 1 for part in parts)
            expected = counts.join([vocab.encode(sentence) for sentence in sentences])[1]
            assert np.concatenate([part[1:] for part in parts]).tolist() == expected.tolist()
    assert os.listdir(tmp_path) == ["train.txt"]
