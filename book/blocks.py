"""Code of the course in a lesson, and numbers as they are written. The marks are comments, which no reader sees.

<!-- excerpt: chapters/01_ngram_lm/counts.py join 3-6 -->   code of a file: a function or method, and lines of it,
<!-- end excerpt -->                                        counted without its docstring from 1 (all if not given)
"""

from __future__ import annotations

import ast
import math
import re
import textwrap

from book.lessons import ROOT
from common.errors import UserError

EXCERPT = re.compile(r"(<!-- excerpt: (\S+) (\S+)(?: (\d+)-(\d+))? -->\n)(.*?)(<!-- end excerpt -->)", re.DOTALL)
INDEX = re.compile(r"[_^](?:\{[^}]*\}|\w)")
NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:,\d{3})*(?:\.\d+)?")


def numbers(block: str) -> list[str]:
    """The numbers of a block as they are written, without indices and exponents, in reading order."""
    return NUMBER.findall(INDEX.sub("", block))


def agrees(written: str, value: float) -> bool:
    """Whether a number is what `value` rounds to, at the digits written; without a point it must be exact.

    What rounds to zero is written without a sign, whichever side of zero it is on.
    """
    plain = written.replace(",", "").replace("−", "-")
    digits = len(plain.partition(".")[2])
    if not digits:
        return math.isclose(int(plain), value, abs_tol=1e-9)
    rounded = f"{value:.{digits}f}"
    return plain == (rounded if float(rounded) else rounded.lstrip("-"))


def source(path: str, name: str, first: str = "", last: str = "") -> str:
    """The code of a function or method (`Class.method`), without its docstring, from its first to its last line."""
    code = (ROOT / path).read_text(encoding="utf-8")
    node: ast.AST | None = ast.parse(code)
    for part in name.split("."):
        node = next((one for one in getattr(node, "body", ()) if getattr(one, "name", None) == part), None)
    if node is None:
        raise UserError(f"{path}: no {name} here, though a lesson shows its code")
    lines = code.splitlines()
    kept = lines[node.lineno - 1 : node.end_lineno]
    if ast.get_docstring(node) is not None:
        documentation = node.body[0]
        kept = lines[node.lineno - 1 : documentation.lineno - 1] + lines[documentation.end_lineno : node.end_lineno]
    kept = kept[int(first) - 1 : int(last)] if first else kept
    if not kept or (first and len(kept) <= int(last) - int(first)):
        raise UserError(f"{path}: {name} has no lines {first} to {last}, which a lesson shows")
    return textwrap.dedent("\n".join(kept))


def with_excerpts(text: str) -> str:
    """The lesson with all its excerpts as the files have them now."""

    def renewed(found: re.Match) -> str:
        opening, path, name, first, last, _, closing = found.groups()
        return f"{opening}```python\n{source(path, name, first, last)}\n```\n{closing}"

    return EXCERPT.sub(renewed, text)
