"""Tests that need time, cores, /proc, an ordinary user or connections say so by a mark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.needs import SIGNS, read_needs

TESTS = Path(__file__).parent


@pytest.mark.parametrize("name", sorted(path.name for path in TESTS.glob("test_*.py") if path != Path(__file__)))
def test_the_mark_says_what_the_source_needs(name: str) -> None:
    for test, needs, says in read_needs(TESTS / name):
        assert says <= SIGNS.keys(), f"{test}: there is no {says - SIGNS.keys()}"
        assert needs == says, f"{test}: @pytest.mark.needs({', '.join(map(repr, sorted(needs)))})"
