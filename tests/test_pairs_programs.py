"""`python -m data` makes, measures and shows the pairs as a user would."""

from __future__ import annotations

import io
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import cache
from itertools import islice, product
from pathlib import Path

import pytest

from common.copying import copy_tree
from common.errors import UserError
from common.files import write_json
from common.text.alignment import true_alignments
from common.text.pairs import load_pairs
from data import __main__ as program, pairs
from data.oracle import known_words
from data.pairs import (
    FOLDER,
    LINES,
    SIZES,
    TRUTHS,
    draw,
    draw_splits,
    print_pair_oracle,
    truth_of,
    write_more_pairs,
)
from data.show import describe
from tests.pairs import write_pairs
from tests.programs import error_line, run_python
from tests.test_pairs import stored

NAME = "village_pairs"


@pytest.fixture(scope="module")
def generate() -> Iterator[Callable[..., str]]:
    """`python -m data generate ARGUMENTS`, where each committed corpus is drawn only once. Returns what it prints."""

    def run(*arguments: str) -> str:
        printed = io.StringIO()
        monkeypatch.setattr(sys, "argv", ["data", "generate", *arguments])
        with redirect_stdout(printed):
            program.main()
        return printed.getvalue()

    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("data.pairs.draw_splits", cache(draw_splits))
        yield run


@pytest.mark.slow
@pytest.mark.parametrize("name", TRUTHS)
def test_generate_writes_the_committed_files_byte_for_byte(name: str, tmp_path: Path, generate: Callable[..., str]):
    generate(name, "--out", str(tmp_path), "--text-only")
    assert len(list(tmp_path.iterdir())) == len(SIZES) * len(LINES) + 1  # corpus.json
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (FOLDER / name / path.name).read_bytes()


@pytest.mark.slow
def test_the_printed_figures_are_those_stored(capsys):
    print_pair_oracle("village_pairs", ["dev"])
    printed = capsys.readouterr().out.splitlines()
    truth = stored()["dev"]
    (line,) = [line for line in printed if line.startswith("dev ")]
    assert f"{truth['perplexity']:.3f}" in line and f"{truth['known_perplexity']:.3f}" in line
    for label, found in stored()["phenomena"].items():
        (line,) = [line for line in printed if line.startswith(label + " ")]
        assert f"{found['share']:.2%}" in line and f"{found['nats']:.3f}" in line


def test_show_describes_pairs_with_the_truth():
    text = describe(FOLDER / "village_pairs")
    assert "village_pairs (parallel)" in text
    assert f"dev{stored()['dev']['perplexity']:>11.2f}" in text
    assert text.count("    = ") == 3


@pytest.fixture(scope="module")
def more(tmp_path_factory: pytest.TempPathFactory, generate: Callable[..., str]) -> Path:
    """A folder of 300 other pairs to train on, and dev and test."""
    folder = tmp_path_factory.mktemp("more") / "larger"
    printed = generate(NAME, "--pairs", "300", "--seed", "11", "--out", str(folder), "--text-only")
    assert printed == f"wrote 300 training pairs, and dev and test of {NAME}, to {folder}\n"
    return folder


@pytest.mark.slow
def test_more_pairs_stand_beside_the_same_dev_and_test(more: Path):
    for split, kind in product(("dev", "test"), LINES):
        assert (more / f"{split}.{kind}").read_bytes() == (FOLDER / NAME / f"{split}.{kind}").read_bytes()
    corpus, embedded = load_pairs(str(more)), load_pairs(NAME)
    assert len(corpus.train) == 300 and not corpus.summarises
    known = {tuple(map(tuple, pair)) for pair in (*embedded.train, *embedded.dev, *embedded.test)}
    copied = sum(tuple(map(tuple, pair)) in known for pair in corpus.train)
    assert copied < 30, "a pair stands twice by chance alone"


def test_more_pairs_are_aligned_bracketed_and_cost_what_the_grammar_says(more: Path):
    corpus = load_pairs(str(more))
    truth, links = truth_of(corpus.name, corpus.facts), true_alignments(corpus, "train")
    trees = (more / "train.trees").read_text(encoding="utf-8").splitlines()
    assert truth is TRUTHS[NAME]
    for pair, linked, tree in list(zip(corpus.train, links, trees, strict=True))[:60]:
        assert set(truth.alignment(*pair)) == linked
        assert truth.tree(pair.source) == tree
        assert truth.log_prob(*pair) > -math.inf


def test_the_seed_decides_which_pairs_are_added(more: Path):
    first, other = (list(islice(draw(NAME, seed), 20)) for seed in (11, 12))
    assert first != other
    for kind in LINES:
        written = (more / f"train.{kind}").read_text(encoding="utf-8").splitlines()
        assert written[:20] == [pair[kind] for pair in first]


@pytest.mark.slow
def test_the_oracle_of_more_pairs_is_that_of_dev_and_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, generate: Callable[..., str]
):
    """What is known is what the new train split holds; what all words cost has not changed."""
    few = {split: drawn[:50] for split, drawn in pairs.draw_splits(NAME).items()}
    monkeypatch.setattr("data.pairs.draw_splits", lambda name: few)
    write_more_pairs(tmp_path, NAME, 80, 7, with_truth=True)
    corpus = load_pairs(str(tmp_path))
    known = known_words([pair.target for pair in corpus.train])
    for split in ("train", "dev", "test"):
        found = getattr(corpus, split)
        costs = [TRUTHS[NAME].log_prob(*pair) for pair in found]
        words = [word for pair in found for word in pair.target]
        figures = corpus.oracle(split)
        assert figures["log_prob"] == pytest.approx(math.fsum(costs), abs=1e-5)
        assert figures["predictions"] == len(words) + len(found)
        assert figures["known_predictions"] == sum(word in known for word in words) + len(found)
    assert corpus.facts["corpus"] == {"task": "translation", "grammar": NAME, "seed": 7}


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (["village", "--pairs", "5"], "--pairs 5: only for village_pairs and village_headlines"),
        (["village_pairs", "--sentences", "5"], "--sentences is for the village, not for village_pairs"),
        (["village_pairs", "--pairs", "5", "--sentences", "5"], "without --sentences"),
        (["village_pairs", "--pairs", "0"], "--pairs 0: must be from 1 to 1000000"),
        (["village_pairs", "--pairs", "1000001"], "--pairs 1000001: must be from 1 to 1000000"),
        (["village_pairs", "--pairs", "5", "--seed", "1881"], "--seed 1881: must be 0 or more, and not 1881"),
        (["village_headlines", "--pairs", "5", "--seed", "-1"], "--seed -1: must be 0 or more, and not 1894"),
        (["village_pairs", "--seed", "9", "--text-only"], "--seed 9: only with --sentences, --pairs"),
    ],
)
def test_bad_requests_for_more_pairs_are_one_line(flags: list, complaint: str, tmp_path: Path):
    done = run_python("-m", "data", "generate", *flags, "--out", str(tmp_path))
    assert done.returncode == 2 and complaint in error_line(done.stderr)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_corpus_without_truth_leaves_none_of_another_behind(tmp_path: Path, generate: Callable[..., str]):
    for name in ("village", NAME, "village_paragraphs", "village_tongues"):
        folder = tmp_path / name
        write_json(folder / "oracle.json", {"dev": {}})
        (folder / "zero.source").write_text("the miller sleeps .\n", "utf-8")
        more = ["--directions", "english-veldran"] if name == "village_tongues" else []
        generate(name, *more, "--text-only", "--out", str(folder))
        assert not (folder / "oracle.json").exists()
        assert (folder / "zero.source").exists() == (name != "village_tongues")


def test_damaged_files_of_the_oracle_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    copy_tree(FOLDER / NAME, tmp_path / NAME)
    monkeypatch.setattr(pairs, "FOLDER", tmp_path)
    lines = (tmp_path / NAME / "test.source").read_bytes().split(b"\n")
    (tmp_path / NAME / "test.source").write_bytes(b"\n".join(lines[1:]))
    with pytest.raises(UserError, match="must have one line for each pair"):
        pairs.print_pair_oracle(NAME, ["test"])
    (tmp_path / NAME / "test.source").write_bytes(b"\n".join([b"\xff", *lines[1:]]))
    with pytest.raises(UserError, match="test.source, line 1"):
        pairs.print_pair_oracle(NAME, ["test"])


def test_more_pairs_do_not_replace_the_committed_ones():
    done = run_python("-m", "data", "generate", NAME, "--pairs", "5")
    assert done.returncode == 2 and "name a folder with --out DIR" in error_line(done.stderr)


def test_the_truth_about_pairs_of_others_is_not_known(tmp_path: Path):
    with pytest.raises(UserError, match="not drawn from a grammar of the course"):
        truth_of("farm", load_pairs(str(write_pairs(tmp_path / "farm"))).facts)
    assert truth_of("village_headlines", load_pairs("village_headlines").facts) is TRUTHS["village_headlines"]
