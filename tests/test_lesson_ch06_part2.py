"""What the second part of chapter 6 prints and draws: worked examples beside plain arithmetic, and the measurements."""

from __future__ import annotations

import json
import math
import re
from collections import Counter

import dynet as dy
import numpy as np

from book.figures import ch06_part2 as figures
from book.lessons import ROOT
from book.lessons.cells import namespace
from chapters.attentive_lm.memory import window
from common.nn.attention import combined_scores, contexts
from common.text.corpus import load_corpus
from data.oracle import log_prob
from data.paragraphs import next_word_probs
from data.returns import distances
from tools.metrics import spread

LESSON = namespace("06", 2)


def test_who_may_come_back_is_the_truth_about_paragraphs() -> None:
    before = "tavin sees halika at the trough , and halika shows tavin the gentle cow .".split()
    for probabilities, truth in (
        (LESSON["alone"], next_word_probs(["without"])),
        (LESSON["after"], next_word_probs(["without"], [before])),
    ):
        np.testing.assert_allclose(probabilities, [truth[name] for name in LESSON["names"]], rtol=1e-9)
    assert log_prob(before) > -math.inf


def test_the_window_is_that_of_the_model() -> None:
    assert (LESSON["window"] == window(LESSON["past"], LESSON["time"], LESSON["N"])).all()


def test_a_step_with_three_parts_is_the_course_s() -> None:
    keys, query = LESSON["keys"], LESSON["key_now"]
    dy.renew_cg()
    v, W, W_q, past, now = (dy.inputTensor(np.atleast_2d(one)) for one in (2.0, 1.0, 0.5, keys, query))
    np.testing.assert_allclose(LESSON["scores"], combined_scores(v, W, W_q, past, now).npvalue().ravel(), atol=1e-6)
    mean = contexts(dy.inputTensor(LESSON["values"][None]), dy.inputTensor(LESSON["weights"][:, None])).scalar_value()
    assert math.isclose(mean, LESSON["weights"] @ LESSON["values"], abs_tol=1e-6)


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
