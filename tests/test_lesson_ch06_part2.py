"""What the second part of chapter 6 says of distances, and its table of results."""

from __future__ import annotations

import json
import re
from collections import Counter

from book.figures import ch06_part2 as figures
from book.lessons import ROOT
from common.text.corpus import load_corpus
from data.returns import distances
from tools.metrics import spread


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
