"""What the second part of chapter 6 prints and draws: worked examples beside plain arithmetic, and the measurements."""

from __future__ import annotations

import json
import math
import re
from collections import Counter

import numpy as np
import pytest

from book.figures import ch06_part2 as figures
from book.lessons import ROOT
from book.worked import ch06_part2 as worked
from common.text.corpus import load_corpus
from data.oracle import log_prob
from data.returns import distances
from data.village_phrases import name_weights
from tools.metrics import spread


@pytest.mark.slow
def test_who_may_come_back_is_plain_arithmetic() -> None:
    """After *without*, a name of either gender; the only woman and the only man mentioned have 0.8 each."""
    for name, (alone, after) in worked.names().items():
        kind = "m" if name == "tavin" else "f"
        weights = name_weights(kind)
        share = weights[name] / sum(weights.values())
        assert math.isclose(alone, share / 2, rel_tol=1e-9)
        assert math.isclose(after, 0.5 * (0.2 * share + 0.8 * (name != "mira")), rel_tol=1e-9)
    assert log_prob(worked.BEFORE) > -math.inf


def test_a_step_with_three_parts_is_plain_arithmetic() -> None:
    scores = [2 * math.tanh(key + 0.5 * 1.0) for key in (1.5, -1.0, -2.0)]
    weights = np.exp(scores) / np.exp(scores).sum()
    np.testing.assert_allclose(worked.weights(), weights, atol=1e-6)
    assert math.isclose(worked.context(), float(weights @ [0.9, -0.3, 0.1]), abs_tol=1e-6)


def test_another_query_attends_elsewhere() -> None:
    """The weights follow the query: far below, all keys end at the same side of tanh."""
    low, now = worked.weights(np.array([-9.0])), worked.weights()
    assert now.argmax() == 0 and np.ptp(low) < 0.3 < np.ptp(now)


def test_the_shares_in_the_picture_of_distances() -> None:
    ago = [distance for line in distances(load_corpus("village_paragraphs").train) for distance in line if distance]
    page = (ROOT / "chapters/06_attentive_lm/PART2.md").read_text("utf-8")
    for reach in (10, 20, 30):
        share = sum(distance <= reach for distance in ago) / len(ago)
        assert f"{share:.0%}".replace("%", " percent") + f" within {reach}" in page
    assert Counter(ago).most_common(1)[0][0] in range(5, 16)


def test_the_table_of_results_is_what_was_recorded() -> None:
    record = json.loads(figures.RECORD.read_text("utf-8"))
    text = (ROOT / "chapters/06_attentive_lm/RESULTS.md").read_text("utf-8")
    village = text.partition("## Attention beyond the sentence")[2].partition("### On the Penn Treebank")[0]
    rows = re.findall(r"^\| ([^|]+) \| ([\d,]+) \|(.*)\|$", village, re.M)
    found = {kind: (number, [cell.strip() for cell in cells.split("|")]) for kind, number, cells in rows}
    for kind, first in record["oracle"][0].items():
        number, cells = found[kind]
        assert number == f"{first['predictions']:,}"
        assert cells == [spread([row[kind]["perplexity"] for row in systems], 2) for systems in record.values()]
