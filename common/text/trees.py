"""Binary trees over sentences: read from brackets, line by line; or balanced where nobody has drawn any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from common.errors import UserError
from common.files import reading
from common.text.corpus import Sentence
from common.text.vocab import Vocabulary, split_lines, split_words

Tree = list[tuple[int, int]]
"""The inner nodes of a sentence's tree: the numbers of each one's left and right child. The words are the nodes 0 to
n-1, the inner nodes n, n+1, ... in the order of the list, children before their parents, so that the last is the root.
"""


def tree_with(sentence: Sequence) -> Tree | None:
    """The tree that a sentence comes with, if it does."""
    return getattr(sentence, "tree", None)


def parse_tree(line: str, place: str) -> tuple[Sentence, Tree]:
    """The words and the tree of `((the hen) (sees (an ox)))`. Raises `UserError` where the brackets are no binary tree.
    place: the name to use in the error message."""
    words: list[str] = []
    merges: list[tuple[tuple[str, int], tuple[str, int]]] = []
    open_brackets: list[list] = [[]]
    for token in split_words(line.replace("(", " ( ").replace(")", " ) ")):
        if token == "(":
            open_brackets.append([])
        elif token == ")":
            children = open_brackets.pop()
            if len(children) != 2 or not open_brackets:
                raise UserError(f"{place}: brackets must be balanced and contain two parts each, words or brackets")
            open_brackets[-1].append(("inner", len(merges)))
            merges.append((children[0], children[1]))
        else:
            open_brackets[-1].append(("word", len(words)))
            words.append(token)
    if len(open_brackets) != 1 or len(open_brackets[0]) != 1:
        raise UserError(f"{place}: each line must be one tree, with every bracket closed")
    first = {"word": 0, "inner": len(words)}
    tree = [(first[left] + i, first[right] + j) for (left, i), (right, j) in merges]
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


class Parsed(list):
    """A sentence, in words or in word ids, with the tree that was drawn for it, if one was."""

    def __init__(self, words: Iterable, tree: Tree | None):
        super().__init__(words)
        self.tree = tree


class TreeVocabulary(Vocabulary):
    """The source vocabulary of a model that follows trees: the ids of a sentence keep its tree."""

    def __init__(self, vocab: Vocabulary):
        super().__init__(vocab.words[2:])

    def encode(self, sentence: Sequence[str]) -> Parsed:
        """Words to ids, with the tree."""
        return Parsed(super().encode(sentence), tree_with(sentence))


def with_trees(sentences: Iterable[Sentence], path: Path) -> Iterator[Parsed]:
    """Each sentence with the tree that a file has in the same line. Raises `UserError`, with the line, where a tree is
    missing, has other words, or has no sentence."""
    for number, (sentence, read) in enumerate(zip_longest(sentences, read_trees(path)), start=1):
        place = f"{path}, line {number}"
        if read is None:
            raise UserError(
                f"{place}: no tree for the sentence {' '.join(sentence)!r:.60}; it needs one tree per sentence"
            )
        words, tree = read
        if sentence is None:
            raise UserError(
                f"{place}: a tree without a sentence, {' '.join(words)!r:.60}; it needs one tree per sentence"
            )
        if words != sentence:
            raise UserError(
                f"{place}: the words of the tree are not those of the sentence: {' '.join(words)!r:.60} and not "
                f"{' '.join(sentence)!r:.60}; fix the line"
            )
        yield Parsed(sentence, tree)


def check_files(folder: Path, firsts: Mapping[str, Sentence]) -> None:
    """Raises `UserError` for a bad file of trees, and where some splits have one and others not. firsts: the first
    sentence of each split."""
    missing = [split for split, sentence in firsts.items() if tree_with(sentence) is None]
    if missing and len(missing) < len(firsts):
        raise UserError(f"{folder / missing[0]}.trees: no such file, but other splits have trees; add it")
