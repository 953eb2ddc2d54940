"""ARPA files: the text format in which n-gram models travel between programs.

One line an n-gram: log10 of its probability, its words, log10 of its factor as a context (left out where that is 0).
There `<s>` and `</s>` are two words; here both are the id 0, as a context and as a target.
"""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import NoReturn

import numpy as np

from common.errors import UserError
from common.files import atomic_write
from common.text.vocab import BEGIN, BOUNDARY, SEPARATORS, UNKNOWN, Vocabulary, split_words

from .counts import NOWHERE
from .model import NgramLM

UNKNOWN_TOO = "<UNK>"
"""How some programs write `<unk>`. As in KenLM, `<S>` is an ordinary word."""
ZERO = -99.0
"""Replaces the logarithm of a probability of zero."""


def write_arpa(path: str | Path, model: NgramLM) -> None:
    """Write a model as an ARPA file, whole or not at all."""
    keys, log_probs, log_factors = model.tables()
    size = len(model.vocab)
    as_context, as_target = [BEGIN, *model.vocab.words[1:]], model.vocab.words
    contexts = [""]
    with atomic_write(path) as file:
        file.write("\\data\\\n")
        for order, level in enumerate(keys, start=1):
            file.write(f"ngram {order}={len(level) + (order == 1)}\n")
        for order in range(1, model.order + 1):
            words = keys[order - 1] % size
            before = [contexts[number] for number in keys[order - 1] // size]
            probs = log10(log_probs[order - 1])
            factors = log10(log_factors[order - 1]) if order < model.order else np.zeros(len(words))
            file.write(f"\n\\{order}-grams:\n")
            if order == 1:
                file.write(f"{ZERO:g}\t{BEGIN}\t{factors[0]:.9g}\n")
            for context, word, prob, factor in zip(before, words.tolist(), probs, factors, strict=True):
                ending = f"\t{factor:.9g}" if word != Vocabulary.boundary and factor != 0 else ""
                file.write(f"{prob:.9g}\t{context}{as_target[word]}{ending}\n")
            contexts = [f"{context}{as_context[word]} " for context, word in zip(before, words, strict=True)]
        file.write("\n\\end\\\n")


def log10(natural: np.ndarray) -> np.ndarray:
    return np.maximum(natural / math.log(10), ZERO)


class Reader:
    """The lines of an ARPA file, and where in it we are."""

    def __init__(self, path: Path):
        self.path, self.number = path, 0
        try:
            self.lines = path.read_bytes().split(b"\n")
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}") from None

    def next_line(self) -> str:
        """The next line that is not empty, or "" at the end of the file."""
        while self.number < len(self.lines):
            self.number += 1
            try:
                text = self.lines[self.number - 1].decode("utf-8").strip(SEPARATORS)
            except UnicodeDecodeError:
                self.fail("not UTF-8; convert the file first")
            if text:
                return text
        return ""

    def fail(self, problem: str, line: int | None = None) -> NoReturn:
        raise UserError(f"{self.path}, line {line or self.number}: {problem}")


def read_arpa(path: str | Path) -> NgramLM:
    """Read a model from an ARPA file. Raises `UserError`, with the line, where the file is not a whole model."""
    reader = Reader(Path(path))
    sizes = read_header(reader)
    unigrams = read_section(reader, 1, sizes[0])
    names = [words[0] for words, *_ in unigrams]
    vocab = Vocabulary(dict.fromkeys(name for name in names if name not in (BEGIN, BOUNDARY, UNKNOWN)))
    if BEGIN not in names or BOUNDARY not in names:
        reader.fail(f"the 1-grams must contain {BEGIN} and {BOUNDARY}; is it a model of sentences?")
    keys = [np.arange(len(vocab))]
    log_probs, log_factors = [np.full(len(vocab), -np.inf)], [np.zeros(len(vocab))]
    seen: set[str] = set()
    for words, log_prob, log_factor, line in unigrams:
        if words[0] in seen:
            reader.fail("this n-gram is in the file twice", line)
        seen.add(words[0])
        number = 0 if words[0] == BEGIN else encode(vocab, words, reader, line)[0]
        if words[0] != BEGIN:
            log_probs[0][number] = log_prob
        if words[0] != BOUNDARY:
            log_factors[0][number] = log_factor
    for order, size in enumerate(sizes[1:], start=2):
        model = NgramLM(vocab, keys, log_probs, log_factors)  # as far as it goes: it finds the contexts
        parts: tuple[list[np.ndarray], ...] = (keys, log_probs, log_factors)
        for part, array in zip(parts, read_level(reader, model, order, size), strict=True):
            part.append(array)
    if reader.next_line() != "\\end\\":
        reader.fail("\\end\\ is missing; the file is cut short, or has more n-grams than its header gives")
    return NgramLM(vocab, keys, log_probs, log_factors[:-1])


def read_header(reader: Reader) -> list[int]:
    """How many n-grams of each order the file says that it holds."""
    sizes = []
    while line := reader.next_line():
        if line == "\\data\\" and not sizes:
            continue
        if line == "\\1-grams:" and sizes:
            return sizes
        name, _, size = line.partition("=")
        if split_words(name) != ["ngram", str(len(sizes) + 1)] or not re.fullmatch(r"[ \t]*[0-9]{1,18}", size):
            reader.fail(f"expected 'ngram {len(sizes) + 1}=NUMBER' or \\1-grams:; is it an ARPA file?")
        sizes.append(int(size))
    reader.fail("the file ends before \\1-grams:; take another copy")


Ngram = tuple[list[str], float, float, int]
"""Words, log-probability and log-factor in nats, line."""


def read_section(reader: Reader, order: int, size: int) -> list[Ngram]:
    """The n-grams of an order, `size` of them, from below its title."""
    ngrams = []
    while len(ngrams) < size:
        line = reader.next_line()
        if not line or (line.startswith("\\") and len(split_words(line)) == 1):
            reader.fail(f"{len(ngrams)} {order}-grams, but the header gives {size}; the file is cut short")
        first, *rest = split_words(line)
        try:
            log_prob = float(first)
            log_factor = float(rest[order]) if len(rest) == order + 1 else 0.0
        except ValueError:
            reader.fail("a logarithm is not a number")
        if len(rest) not in (order, order + 1) or math.isnan(log_prob + log_factor):
            reader.fail(f"expected a logarithm, {order} word{'s' * (order > 1)} and perhaps another logarithm")
        if log_prob > 1e-6 or log_factor == math.inf:
            reader.fail("a probability above 1, or an infinite factor")
        words = [UNKNOWN if word == UNKNOWN_TOO else word for word in rest[:order]]
        ngrams.append((words, natural(log_prob), natural(log_factor), reader.number))
    return ngrams


def natural(common: float) -> float:
    return -math.inf if common <= ZERO else common * math.log(10)


def read_level(reader: Reader, shorter: NgramLM, order: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """keys, log_probs and log_factors of an order above 1, in the order of their keys."""
    if reader.next_line() != f"\\{order}-grams:":
        reader.fail(f"expected \\{order}-grams: here")
    ngrams = read_section(reader, order, size)
    lines = np.array([line for *_, line in ngrams], dtype=np.int64)
    ids = np.array([encode(shorter.vocab, words, reader, line) for words, _, _, line in ngrams], dtype=np.int64)
    ids = ids.reshape(size, order)
    contexts = ids[:, 0]
    for length in range(2, order):
        contexts = shorter.find(length, contexts, ids[:, length - 1])
        for line in lines[contexts == NOWHERE][:1]:
            reader.fail("its first words are no n-gram of this file; every context must have its own line", int(line))
    keys = contexts * len(shorter.vocab) + ids[:, -1]
    rising = np.argsort(keys, kind="stable")
    for line in lines[rising][1:][np.diff(keys[rising]) == 0][:1]:
        reader.fail("this n-gram is in the file twice", int(line))
    values = np.array([[log_prob, log_factor] for _, log_prob, log_factor, _ in ngrams]).reshape(size, 2)[rising]
    return keys[rising], values[:, 0], values[:, 1]


def encode(vocab: Vocabulary, words: list[str], reader: Reader, line: int) -> list[int]:
    """Word ids of an n-gram: `<s>` may only come first, and `</s>` last."""
    if BEGIN in words[1:] or BOUNDARY in words[:-1]:
        reader.fail(f"{BEGIN} may only begin an n-gram and {BOUNDARY} only end it", line)
    for word in words:
        if word not in vocab and word != BEGIN:
            reader.fail(f"{word!r} is not among the 1-grams", line)
    return [Vocabulary.boundary if word == BEGIN else vocab.ids[word] for word in words]
