"""The sentences that lessons, help texts, defaults and docstrings quote from the embedded corpora, and which are wrong.

How a quotation is recognised:
- in a command, `echo "..." |` before a program of a chapter, or `--sentence "..."`: always;
- a paragraph `> ...` of a lesson, or a line of code or of text that ends in ` .` or ` ?`, at most one of whose words is
  unknown to the corpora of that chapter;
- between back quotes, stars or double quotes: three words and more, all of them known; or a sentence, as above.

A sentence must be one that the grammar can say. What is not a whole sentence must be the beginning of one, or stand in
a sentence of the corpora.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from common.errors import UserError
from data.oracle import log_prob, next_word_probs
from data.pairs import TRUTHS
from data.village_phrases import village

ROOT = Path(__file__).parents[1]
SPLITS = ("train", "dev", "test")
COMMANDS = re.compile(r"""echo\s+"([^"]+)"\s*\||--sentence\s+\\?\s*"([^"]+)\"""")
QUOTED = re.compile(r"""`([^`]+)`|(?<![*\w])\*([^*]+)\*(?![*\w])|"([^"`]+)\"""")
LABEL = re.compile(r"\\?\[\w+\]")
CELLS = re.compile(r"\s{2,}|\|")


class Quotation(NamedTuple):
    """A quoted string, and whether it is claimed for certain (a command) or only if its words are those of a corpus."""

    text: str
    certain: bool = False


def corpora_of(path: Path) -> tuple[str, ...]:
    """The corpora that a file speaks of, by the number of its chapter; the second part of chapter 11 translates, and so
    does the end of its lab."""
    numbered = re.search(r"(?:ch)?(\d\d)_", str(path))
    if not numbered or numbered[1] == "10" or path.name == "ch11_lab.py":
        return ("village", *TRUTHS)
    if numbered[1] == "11" and re.search("part2|pairs|translat", path.name.lower()):
        return tuple(TRUTHS)
    return ("village",) if numbered[1] in ("01", "02", "03", "04", "05", "06", "11") else tuple(TRUTHS)


@cache
def lines_of(corpus: str) -> list[str]:
    name = "{}.txt" if corpus == "village" else "{}.source"
    paths = [ROOT / "data" / corpus / name.format(split) for split in SPLITS]
    return [line for path in paths for line in path.read_text("utf-8").splitlines()]


@cache
def words_of(corpus: str) -> frozenset[str]:
    names = village.kind_of if corpus == "village" else ()
    return frozenset(" ".join(lines_of(corpus)).split()) | frozenset(names)


@cache
def text_of(corpus: str) -> str:
    return "\n".join(f" {line} " for line in lines_of(corpus))


@cache
def can_say(corpus: str, text: str) -> bool:
    """Whether the grammar of a corpus can say the sentence."""
    if corpus == "village":
        return log_prob(text.split()) > float("-inf")
    try:
        return bool(TRUTHS[corpus].derivations(text.split()))
    except UserError:
        return False


@cache
def can_begin(corpus: str, text: str) -> bool:
    """Whether a sentence can begin so, or goes on so somewhere in the corpus."""
    begins = corpus == "village" and bool(next_word_probs(text.split()))
    return begins or f" {text} " in text_of(corpus) or can_say(corpus, f"{text} .")


def is_sentence(text: str) -> bool:
    return text[:1].isalpha() and text.endswith((" .", " ?", ' "'))


def is_of(corpora: tuple[str, ...], text: str) -> bool:
    """Whether these words are meant as words of one of the corpora: all known; in a sentence one may be unknown."""
    words = text.split()
    unknown = min(sum(word not in words_of(corpus) for word in words) for corpus in corpora)
    return (len(words) > 2 and unknown <= 1) if is_sentence(text) else (len(words) > 2 and unknown == 0)


def impossible(path: Path, text: str) -> list[str]:
    """What a file with this text quotes and its grammars cannot say."""
    corpora, wrong = corpora_of(path), []
    for quotation in quotations(path, text):
        claimed = " ".join(quotation.text.split())
        if quotation.certain or is_of(corpora, claimed):
            check = can_say if quotation.certain or is_sentence(claimed) else can_begin
            if not any(check(corpus, claimed) for corpus in corpora):
                wrong.append(claimed)
    return wrong


def quotations(path: Path, text: str) -> Iterator[Quotation]:
    """Everything in a file that may be a quotation."""
    if path.suffix == ".py":
        for string in strings(text):
            yield from plain(string)
            yield from inline(string)
    else:
        code = "\n".join(re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL))
        prose = re.sub(r"^```.*?^```|^\$\$.*?\$\$", "", text, flags=re.MULTILINE | re.DOTALL)
        yield from plain(code)
        yield from map(Quotation, re.findall(r'"([^"\n]+)"', code))
        for paragraph in re.split(r"\n(?:>?[ ]*)\n", prose):
            if paragraph.lstrip().startswith(">"):
                yield from block_quote(paragraph)
            else:
                yield from plain(paragraph)
                yield from inline(paragraph)


def plain(text: str) -> Iterator[Quotation]:
    """Commands, and lines or cells of tables that are sentences by themselves."""
    yield from (Quotation(block or inline, True) for block, inline in COMMANDS.findall(text))
    cells = (cell.strip() for line in text.splitlines() for cell in CELLS.split(line))
    yield from (Quotation(cell) for cell in cells if is_sentence(cell))


def inline(text: str) -> Iterator[Quotation]:
    for match in QUOTED.finditer(text.replace("**", "")):
        yield Quotation(next(group for group in match.groups() if group).removesuffix(" ..."))


def block_quote(paragraph: str) -> Iterator[Quotation]:
    """The source sentence of a block quote: without labels, emphasis, translations and glosses."""
    lines = [re.sub(r"^>\s?", "", line).strip() for line in paragraph.splitlines()]
    source = [line for line in lines if not re.match(r"\*[^*]|\(|reference:|found:", line)]
    yield Quotation(LABEL.sub("", " ".join(source)).replace("**", ""))


def translations(text: str) -> Iterator[tuple[str, str]]:
    """The pairs of a lesson: block quotes of a source sentence and, in stars, its translation or the reference."""
    for paragraph in re.split(r"\n(?:>?[ ]*)\n", text):
        match = re.match(r"> ([^*\n]+)\n> (?:reference: )?\*([^*]+)\*", paragraph)
        if match:
            yield match[1].strip(), match[2].strip()


def strings(code: str) -> list[str]:
    """All string constants of a program: docstrings, help texts, defaults."""
    constants = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant))
    return [node.value for node in constants if isinstance(node.value, str)]
