"""Trees are read from brackets, checked against their sentences, and balanced where there are none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common.errors import UserError
from common.text.corpus import SPLITS
from common.text.dividing import in_parts
from common.text.pairs import load_pairs, make_pair_batches
from common.text.trees import Parsed, TreeVocabulary, balanced, check_files, parse_tree, read_trees, tree_with
from common.text.vocab import Vocabulary
from tests.pairs import write_pairs
from tests.programs import write_lines


def test_a_tree_is_read_from_below() -> None:
    words, tree = parse_tree("((the hen) (sees (an ox)))", "here")
    assert words == ["the", "hen", "sees", "an", "ox"]
    assert tree == [(0, 1), (3, 4), (2, 6), (5, 7)]
    assert parse_tree("hen", "here") == (["hen"], [])
    assert parse_tree(" ( hen(waits . ) )", "here") == (["hen", "waits", "."], [(1, 2), (0, 3)])


@pytest.mark.parametrize(
    "line",
    ["", "()", "(hen)", "the hen", "(the old hen)", "((the hen)", "(the hen))", "(the hen) (sees ox)", ")(", "(a b) c"],
)
def test_what_is_no_binary_tree_is_refused(line: str, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "train.trees", ["(a b)", line])
    with pytest.raises(UserError, match=r"train\.trees, line 2: "):
        read_trees(path)


def test_a_very_high_tree_is_read() -> None:
    words, tree = parse_tree("(" * 4999 + "a" + " b)" * 4999, "here")
    assert len(words) == 5000 and tree[:2] == [(0, 1), (5000, 2)] and tree[-1] == (9997, 4999)


@pytest.mark.parametrize("length", [*range(1, 20), 1000])
def test_a_balanced_tree_is_as_low_as_can_be(length: int) -> None:
    tree, heights, spans = balanced(length), [0] * length, [(word, word + 1) for word in range(length)]
    for left, right in tree:
        heights.append(1 + max(heights[left], heights[right]))
        assert spans[left][1] == spans[right][0], "children are neighbours"
        spans.append((spans[left][0], spans[right][1]))
    assert len(tree) == length - 1 and spans[-1] == (0, length)
    assert heights[-1] == (length - 1).bit_length()


class TestOfACorpus:
    def test_all_splits_have_theirs(self, tmp_path: Path) -> None:
        corpus = load_pairs(str(write_pairs(tmp_path / "farm", trees=True)))
        for split in ("train", "dev", "test"):
            lines = (tmp_path / "farm" / f"{split}.trees").read_text("utf-8").splitlines()
            for pair, line in zip(getattr(corpus, split), lines, strict=True):
                assert (pair.source, pair.source.tree) == parse_tree(line, "here")

    def test_without_any_there_are_none(self, tmp_path: Path) -> None:
        corpus = load_pairs(str(write_pairs(tmp_path / "farm")))
        assert {tree_with(pair.source) for pair in corpus.train} == {None}

    @pytest.mark.parametrize(
        "split, change, complaint",
        [
            ("train", lambda lines: [*lines, "(a b)"], "train.trees, line 81: a tree without a sentence, 'a b'"),
            ("train", lambda lines: lines[:-1], "train.trees, line 80: no tree for the sentence"),
            (
                "dev",
                lambda lines: [lines[0], "(an ox)", *lines[2:]],
                "dev.trees, line 2: the words of the tree are not",
            ),
            ("test", lambda lines: ["(" + lines[0], *lines[1:]], "test.trees, line 1: "),
            ("train", None, "train.trees: no such file, but other splits have trees"),
        ],
    )
    def test_bad_ones_are_refused_by_those_that_ask(self, tmp_path: Path, split: str, change, complaint: str) -> None:
        folder = write_pairs(tmp_path / "farm", trees=True)
        path = folder / f"{split}.trees"
        lines = path.read_text("utf-8").splitlines()
        path.unlink()
        if change is not None:
            write_lines(path, change(lines))
        corpus = load_pairs(str(folder))
        with pytest.raises(UserError) as refused:
            check_files(folder, {split: getattr(corpus, split)[0].source for split in SPLITS})
        assert complaint in str(refused.value)


def test_batches_keep_the_trees() -> None:
    """However they are made, shared out and copied."""
    lines = ["((a b) c)", "(a (b c))", "(a b)", "((a b) (c a))"]
    parsed = [parse_tree(line, "here") for line in lines]
    vocab = TreeVocabulary(Vocabulary(["a", "b", "c"]))
    sources = [vocab.encode(Parsed(*item)) for item in parsed]
    for batch in make_pair_batches(sources, [[2]] * 4, 3, np.random.default_rng(1)):
        for part in (batch, *in_parts(batch, 1)):
            for column, index in enumerate(part.target.indices):
                assert part.trees[column] == parsed[index][1]
