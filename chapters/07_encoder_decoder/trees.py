"""Binary trees over sentences: read from brackets, or balanced where nobody has drawn any."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from common.errors import UserError
from common.files import reading
from common.text.corpus import SPLITS, Sentence
from common.text.pairs import ParallelCorpus
from common.text.vocab import Vocabulary
from common.text.words import split_lines, split_words

Tree = list[tuple[int, int]]
"""The inner nodes of a sentence's tree, from below: the numbers of each one's left and right child.

The words of a sentence of n words are the nodes 0 to n-1; the inner nodes are n, n+1, ... in the order of the list, so
that children come before their parents and the last of the n-1 inner nodes is the root.
"""


def parse_tree(line: str, place: str) -> tuple[Sentence, Tree]:
    """The words and the tree of `((the hen) (sees (an ox)))`. Raises `UserError` where the brackets are no binary tree.

    place: the name to use in the error message.
    """
    words: list[str] = []
    merges: list[tuple[object, object]] = []
    open_brackets: list[list] = [[]]
    for token in split_words(line.replace("(", " ( ").replace(")", " ) ")):
        if token == "(":
            open_brackets.append([])
        elif token == ")":
            children = open_brackets.pop()
            if len(children) != 2 or not open_brackets:
                raise UserError(f"{place}: brackets must hold two parts each, words or brackets, and be balanced")
            open_brackets[-1].append(("inner", len(merges)))
            merges.append((children[0], children[1]))
        else:
            open_brackets[-1].append(("word", len(words)))
            words.append(token)
    if len(open_brackets) != 1 or len(open_brackets[0]) != 1:
        raise UserError(f"{place}: one tree per line, with every bracket closed, is needed")
    first = {"word": 0, "inner": len(words)}
    tree = [tuple(first[kind] + number for kind, number in children) for children in merges]
    return words, tree


def read_trees(path: Path) -> list[tuple[Sentence, Tree]]:
    """The sentences and trees of a file, one per line. Raises `UserError`, with the line, where one is not a tree."""
    broken = "no readable file of trees, one per line in UTF-8"
    with reading(path, broken, broken):
        lines = split_lines(path.read_bytes().decode("utf-8-sig"))
    return [parse_tree(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1)]


def balanced(length: int) -> Tree:
    """The tree of a sentence of `length` words that is cut in halves again and again."""
    tree: Tree = []

    def node(start: int, end: int) -> int:
        if end - start == 1:
            return start
        middle = (start + end + 1) // 2
        children = node(start, middle), node(middle, end)
        tree.append(children)
        return length + len(tree) - 1

    node(0, length)
    return tree


class Treebank:
    """Gives a sentence of word ids its tree: the one that was drawn for it, or else a balanced one."""

    def __init__(self) -> None:
        self.trees: dict[tuple[int, ...], Tree] = {}

    def add(self, trees: Iterable[tuple[Sentence, Tree]], vocab: Vocabulary) -> None:
        """Keep these trees, in place of those that the sentences had; of a sentence that comes twice the first one."""
        found: dict[tuple[int, ...], Tree] = {}
        for sentence, tree in trees:
            found.setdefault(tuple(vocab.encode(sentence)), tree)
        self.trees |= found

    @classmethod
    def from_corpus(cls, corpus: ParallelCorpus, vocab: Vocabulary) -> Treebank:
        """The trees of the source sentences, from train.trees, dev.trees and test.trees where the corpus has them.

        Raises `UserError` where one of the files is missing, or a tree is not that of its sentence.
        """
        treebank, found = cls(), []
        paths = {split: corpus.folder / f"{split}.trees" for split in SPLITS}
        for split, path in paths.items() if any(path.is_file() for path in paths.values()) else ():
            trees = read_trees(path)
            sources = [pair.source for pair in getattr(corpus, split)]
            if len(trees) != len(sources):
                raise UserError(f"{path}: {len(trees)} trees for {len(sources)} sentences; line by line they must fit")
            for number, ((words, _), source) in enumerate(zip(trees, sources, strict=True), start=1):
                if words != source:
                    raise UserError(f"{path}, line {number}: the tree has other words than the source sentence")
            found += trees
        treebank.add(found, vocab)
        return treebank

    def __call__(self, sentence: Sequence[int]) -> Tree:
        """The tree of a sentence of word ids."""
        return self.trees.get(tuple(sentence)) or balanced(len(sentence))
