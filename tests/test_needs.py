"""Tests that need time, cores, /proc, an ordinary user or connections say so by a mark."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.needs import SIGNS, definitions_of, marked, needs_of, read_needs

TESTS = Path(__file__).parent


@pytest.mark.parametrize("name", sorted(path.name for path in TESTS.glob("test_*.py") if path != Path(__file__)))
def test_the_mark_says_what_the_source_needs(name: str) -> None:
    for test, needs, says in read_needs(TESTS / name):
        assert says <= SIGNS.keys(), f"{test}: there is no {says - SIGNS.keys()}"
        assert needs == says, f"{test}: @pytest.mark.needs({', '.join(map(repr, sorted(needs)))})"


def test_needs_are_found_in_helpers_and_fixtures() -> None:
    source = """
def wait(): time.sleep(1)
@pytest.fixture
def server(): return HTTPServer(), os.cpu_count()
@pytest.mark.needs("time")
@pytest.mark.slow
def test_a(): wait()
WORK = "sleep(9)"
class TestB:
    def test_b(self, server): return Path("/proc/1"), os.geteuid()
def test_c(): pass
def test_d(): run(WORK)
"""
    definitions = definitions_of(ast.parse(source))
    assert needs_of("test_a", definitions) == {"time"} == marked(definitions["test_a"])
    assert needs_of("test_b", definitions) == {"loopback", "cores", "proc", "user"}
    assert needs_of("test_d", definitions) == {"time"}
    assert needs_of("test_c", definitions) == set() == marked(definitions["test_b"])
