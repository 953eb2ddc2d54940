"""Trees are read from brackets, checked against their sentences, and balanced where there are none."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from common.errors import UserError
from common.text.pairs import load_pairs
from common.text.vocab import Vocabulary
from tests.pairs import write_pairs
from tests.programs import write_lines

trees_module = importlib.import_module("chapters.07_encoder_decoder.trees")
Treebank = trees_module.Treebank
balanced = trees_module.balanced
parse_tree = trees_module.parse_tree
read_trees = trees_module.read_trees


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


def test_a_sentence_gets_its_own_tree_or_a_balanced_one() -> None:
    vocab, trees = Vocabulary(["hen", "ox", "sees"]), Treebank()
    trees.add([parse_tree("(hen (sees (ox hen)))", "here"), parse_tree("(((hen sees) ox) hen)", "here")], vocab)
    assert trees(vocab.encode(["hen", "sees", "ox", "hen"])) == [(2, 3), (1, 4), (0, 5)], "the first stays"
    trees.add([parse_tree("((hen sees) (ox hen))", "here")], vocab)
    assert trees(vocab.encode(["hen", "sees", "ox", "hen"])) == [(0, 1), (2, 3), (4, 5)], (
        "those that are given later win"
    )
    assert trees([2, 2, 2, 2]) == [(0, 1), (2, 3), (4, 5)]
    assert trees([2]) == []


class TestOfACorpus:
    def test_all_splits_have_theirs(self, tmp_path: Path) -> None:
        corpus = load_pairs(str(write_pairs(tmp_path / "farm", trees=True)))
        vocab = Vocabulary.from_sentences(pair.source for pair in corpus.train)
        trees = Treebank.from_corpus(corpus, vocab)
        for split in ("train", "dev", "test"):
            lines = (tmp_path / "farm" / f"{split}.trees").read_text("utf-8").splitlines()
            for pair, line in zip(getattr(corpus, split), lines, strict=True):
                assert trees(vocab.encode(pair.source)) == parse_tree(line, "here")[1]

    def test_without_any_all_are_balanced(self, tmp_path: Path) -> None:
        corpus = load_pairs(str(write_pairs(tmp_path / "farm")))
        vocab = Vocabulary.from_sentences(pair.source for pair in corpus.train)
        assert Treebank.from_corpus(corpus, vocab)([2, 3, 4, 5]) == balanced(4)

    @pytest.mark.parametrize(
        "split, change, complaint",
        [
            ("train", lambda lines: [*lines, "(a b)"], "train.trees: 81 trees for 80 sentences"),
            ("dev", lambda lines: [lines[0], "(an ox)", *lines[2:]], "dev.trees, line 2: the tree has other words"),
            ("test", lambda lines: ["(" + lines[0], *lines[1:]], "test.trees, line 1: "),
            ("train", None, "train.trees: no readable file"),
            ("test", None, "test.trees: no readable file"),
        ],
    )
    def test_bad_ones_are_refused(self, tmp_path: Path, split: str, change, complaint: str) -> None:
        folder = write_pairs(tmp_path / "farm", trees=True)
        path = folder / f"{split}.trees"
        lines = path.read_text("utf-8").splitlines()
        path.unlink()
        if change is not None:
            write_lines(path, change(lines))
        corpus = load_pairs(str(folder))
        with pytest.raises(UserError) as refused:
            Treebank.from_corpus(corpus, Vocabulary(["hen"]))
        assert complaint in str(refused.value)
