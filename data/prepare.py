"""From the texts of an archive to the course's form: one tokenised sentence per line, words apart by one space."""

from __future__ import annotations

import re
from collections.abc import Callable

from common.errors import UserError
from common.text.corpus import LONGEST_LINE, problem_of
from common.text.vocab import UNKNOWN, split_words
from data import talks

HEADING = re.compile(r"=( .*)? =")  # ` = Title = `, ` = = Section = = `
END_MARKS = (".", "?", "!")
CLOSERS = {")": "(", "]": "["}
LINE_END = "<eos>"
UNK = re.compile(r"(?<!\S)UNK(?!\S)")
MAX_LINES = 5_000_000
"""Of a split: ten times those of the largest real one. A short line takes twenty times its bytes in memory."""

Lines = dict[str, list[str]]
"""The lines of each text, by its name."""
Way = Callable[[Lines], Lines]


class BadText(UserError):
    """A text that cannot become a corpus."""


def prepare(texts: dict[str, bytes], entry: dict) -> dict[str, list[str]]:
    """Return the lines of every file of a corpus: split file -> sentences.

    texts: split file -> the bytes from the archive. entry: the corpus's entry in the registry.
    Raises `BadText` for text that is not UTF-8, an empty split, sides of unequal length, or a sentence that no model
    can be trained on.
    """
    lines = {split: decode(content, split) for split, content in texts.items()}
    prepared = WAYS[entry.get("prepare", entry["kind"])](lines)
    for split, sentences in prepared.items():
        if not sentences:
            raise BadText(f"{split} would contain no sentence; is it the right archive?")
        for number, sentence in enumerate(sentences, start=1):
            problem = problem_of(split_words(sentence))
            if problem:
                raise BadText(f"{split}, sentence {number}: {problem}")
    return prepared


def decode(content: bytes, name: str) -> list[str]:
    """Split UTF-8 bytes into lines at line feeds alone.

    Raises `BadText` with the line where UTF-8 ends or one is too long, and for more than `MAX_LINES` lines.
    """
    if content.count(b"\n") > MAX_LINES:
        raise BadText(f"{name}: more than {MAX_LINES:,} lines; is it the right archive?")
    lines = []
    for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), start=1):
        if len(line) > LONGEST_LINE:
            raise BadText(f"{name}, line {number}: more than {LONGEST_LINE:,} bytes; is it one sentence per line?")
        try:
            lines.append(line.removesuffix(b"\r").decode("utf-8"))
        except UnicodeDecodeError as error:
            raise BadText(f"{name}, line {number}: not UTF-8; convert the file first") from error
    return [lines[0].lstrip("\ufeff"), *lines[1:]] if content else []


def lines_to_sentences(lines: list[str]) -> list[str]:
    """Return the lines that hold words, with single spaces between the words."""
    return [" ".join(words) for line in lines if (words := split_words(line))]


def paragraphs_to_sentences(lines: list[str]) -> list[str]:
    """Cut lines that hold a paragraph each (WikiText) into sentences; headings, being no sentences, are left out."""
    sentences = []
    for line in lines:
        words = split_words(line)
        if words and not HEADING.fullmatch(" ".join(words)):
            sentences += [" ".join(sentence) for sentence in cut_sentences(words)]
    return sentences


def paragraphs_with_ends(lines: list[str]) -> list[str]:
    """Cut paragraphs into sentences, with the end symbols of the code of Salton et al. 2017: a word `<eos>` ends every
    line, also that of a heading, which is kept whole; a blank line is `<eos>` alone. A reader adds `</s>` to every
    sentence, as theirs does, so that the last one of a line has two end symbols.
    """
    sentences = []
    for line in lines:
        words = split_words(line)
        *earlier, last = [words] if HEADING.fullmatch(" ".join(words)) else cut_sentences(words) or [[]]
        sentences += [" ".join(sentence) for sentence in (*earlier, [*last, LINE_END])]
    return sentences


def cut_sentences(words: list[str]) -> list[list[str]]:
    """Cut the words of one paragraph into sentences, all words kept, in order.

    A sentence ends at a word `.`, `?` or `!` outside of quotes and brackets. Inside them it ends where they close
    right after the mark, and takes the closing quote and brackets along, as in `" I know . "`. What follows a
    `?`, a `!` or a closed quote must not begin in lower case: in `" Why ? " she asked .` the sentence goes on.
    Quotes or brackets that are not balanced within the paragraph are taken for ordinary words.
    """
    quotes = words.count('"') % 2 == 0
    brackets = all(words.count(opener) == words.count(closer) for closer, opener in CLOSERS.items())
    sentences, start = [], 0
    quoted, depth, ended = False, 0, False  # ended: an end mark was seen, and since then only closing words
    for position, word in enumerate(words):
        closing = False
        if quotes and word == '"':
            closing, quoted = quoted, not quoted
        elif brackets and word in CLOSERS:
            closing, depth = True, depth - 1
        elif brackets and word in CLOSERS.values():
            depth += 1
        ended = word in END_MARKS or (ended and closing)
        following = words[position + 1] if position + 1 < len(words) else ""
        goes_on = following in END_MARKS or (word != "." and following[:1].islower())
        if ended and not quoted and depth <= 0 and not goes_on:
            sentences.append(words[start : position + 1])
            start, depth, ended = position + 1, 0, False
    return sentences + [words[start:]] if start < len(words) else sentences


def in_each(cut: Callable[[list[str]], list[str]]) -> Way:
    """What is done to each text by itself."""
    return lambda lines: {split: cut(content) for split, content in lines.items()}


def pair_up(lines: Lines) -> Lines:
    """Keep the pairs of which both sides hold words. Raises `BadText` if the numbers of lines differ."""
    return in_columns(pairs_of(lines))


def pairs_of(lines: Lines) -> dict[str, talks.Pairs]:
    """The pairs of which both sides hold words, by split. Raises `BadText` if the numbers of lines differ."""
    by_split = {}
    for split in dict.fromkeys(name.removesuffix(".source").removesuffix(".target") for name in lines):
        source, target = lines[f"{split}.source"], lines[f"{split}.target"]
        if len(source) != len(target):
            raise BadText(f"{split}: {len(source)} source lines but {len(target)} target lines; fetch it again")
        by_split[split] = [pair for pair in zip(source, target, strict=True) if all(map(split_words, pair))]
    return by_split


def in_columns(pairs: dict[str, talks.Pairs]) -> Lines:
    """Both sides of the pairs, each a text by itself."""
    return {
        f"{split}.{side}": lines_to_sentences([pair[column] for pair in sentences])
        for split, sentences in pairs.items()
        for column, side in enumerate(("source", "target"))
    }


def headlines_to_pairs(lines: Lines) -> Lines:
    """Gigaword's pairs: an unknown word is `<unk>` in train and dev, UNK in test; no other word is in upper case."""
    return pair_up({split: [UNK.sub(UNKNOWN, line) for line in content] for split, content in lines.items()})


def talks_to_pairs(lines: Lines) -> Lines:
    """The pairs of IWSLT's talks (`data.talks`), of texts named "train" and otherwise."""
    texts = {
        name: talks.tokenised((talks.spoken if name.startswith("train.") else talks.segments)(content))
        for name, content in lines.items()
    }
    return in_columns(talks.into_splits(pairs_of(texts)))


WAYS: dict[str, Way] = {
    "language-model": in_each(lines_to_sentences),
    "lines": in_each(lines_to_sentences),
    "paragraphs": in_each(paragraphs_to_sentences),
    "marked-paragraphs": in_each(paragraphs_with_ends),
    "parallel": pair_up,
    "headlines": headlines_to_pairs,
    "talks": talks_to_pairs,
}
"""How the texts of an archive become those of a corpus, by an entry's "prepare" or, where it has none, its "kind"."""
