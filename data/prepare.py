"""From the texts of an archive to the course's form: one tokenised sentence a line, words apart by one space."""

from __future__ import annotations

from common.errors import UserError


def decode(content: bytes, name: str) -> list[str]:
    """Split UTF-8 bytes into lines at line feeds alone. Raises `UserError` with the line where UTF-8 ends."""
    try:
        return content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UserError(f"{name}, line {line}: not UTF-8; the archive is not the one expected") from error


def as_sentences(lines: list[str]) -> list[str]:
    """Return the lines that hold words, with single spaces between the words."""
    spaced = (" ".join(line.split()) for line in lines)
    return [line for line in spaced if line]


def as_pairs(source: list[str], target: list[str], name: str) -> tuple[list[str], list[str]]:
    """Return the pairs of which both sides hold words. Raises `UserError` if the numbers of lines differ."""
    source, target = _without_last_empty(source), _without_last_empty(target)
    if len(source) != len(target):
        raise UserError(f"{name}: {len(source)} source lines but {len(target)} target lines; the archive is damaged")
    spaced = ((" ".join(one.split()), " ".join(other.split())) for one, other in zip(source, target, strict=True))
    kept = [(one, other) for one, other in spaced if one and other]
    return [one for one, _ in kept], [other for _, other in kept]


def _without_last_empty(lines: list[str]) -> list[str]:
    return lines[:-1] if lines and not lines[-1] else lines


def prepare(texts: dict[str, bytes], entry: dict) -> dict[str, list[str]]:
    """Return the lines of every file of a corpus: split file -> sentences.

    texts: split file -> the bytes from the archive. entry: the corpus's entry in the registry.
    Raises `UserError` for text that is not UTF-8, an empty split, or sides of unequal length.
    """
    lines = {split: decode(content, split) for split, content in texts.items()}
    if entry["kind"] == "parallel":
        prepared = {}
        for split in sorted({name.rsplit(".", 1)[0] for name in lines}):
            names = f"{split}.source", f"{split}.target"
            prepared |= zip(names, as_pairs(*(lines[name] for name in names), split), strict=True)
    else:
        cut = PREPARATIONS[entry["prepare"]]
        prepared = {split: cut(content) for split, content in lines.items()}
    for split, sentences in prepared.items():
        if not sentences:
            raise UserError(f"{split} holds no sentence; the archive is not the one expected")
    return prepared


PREPARATIONS = {"lines": as_sentences}
