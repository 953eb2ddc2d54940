"""What tests of recorded numbers share: the form of a record, and embedded pairs that train in a moment."""

from __future__ import annotations

import json

import pytest

from book.figures.recorded import rounded
from common.text import alignment, pairs


def keys(value: object, depth: int = 9) -> dict | None:
    """The keys of nested dictionaries in a record's file, so many levels of them; a list of dictionaries counts as its
    first."""
    value = json.loads(json.dumps(rounded(value)))
    value = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else value
    return {key: keys(entry, depth - 1) for key, entry in value.items()} if isinstance(value, dict) and depth else None


def cut_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """All splits of all pairs are cut down to forty."""
    read_pairs, read_alignments = pairs.read_pairs, alignment.read_alignments
    monkeypatch.setattr(alignment, "read_alignments", lambda path, _: read_alignments(path)[:40])
    monkeypatch.setattr(pairs, "read_pairs", lambda folder, split: read_pairs(folder, split)[:40])
