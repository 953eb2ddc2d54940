"""`python -m tools.growth`: the exponents, and the page that has those of the recorded runs."""

from __future__ import annotations

import math

from common.files import read_json
from tests.programs import ROOT
from tools.growth import exponent, table


def test_a_run_no_longer_than_a_start_has_no_exponent() -> None:
    assert math.isnan(exponent([[5, 0.0, 100], [10, 0.2, 100]]))


def test_the_recorded_exponents_stand_on_the_page() -> None:
    lines = table(read_json(ROOT / "tools/growth.json"))
    page = (ROOT / "SPEED.md").read_text("utf-8")
    assert len(lines) == 2 + 10 and [line for line in lines if line not in page] == []
