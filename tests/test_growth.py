"""`python -m tools.growth`: the exponents, and the page that has those of the recorded runs."""

from __future__ import annotations

import math

import pytest

from common.reading import read_json
from tests.programs import ROOT
from tools.growth import exponent, table


@pytest.mark.parametrize(("power", "factor"), [(0.0, 3.0), (1.0, 0.5), (2.0, 7.0)])
def test_the_exponent_of_a_power_is_found(power: float, factor: float) -> None:
    rows = [[size, factor * size**power, 100] for size in (5, 10, 20, 40)]
    assert exponent(rows) == pytest.approx(power, abs=1e-12)


def test_a_run_no_longer_than_a_start_has_no_exponent() -> None:
    assert math.isnan(exponent([[5, 0.0, 100], [10, 0.2, 100]]))


def test_the_recorded_exponents_stand_on_the_page() -> None:
    lines = table(read_json(ROOT / "tools/growth.json"))
    page = (ROOT / "SPEED.md").read_text("utf-8")
    assert len(lines) == 2 + 10 and [line for line in lines if line not in page] == []
