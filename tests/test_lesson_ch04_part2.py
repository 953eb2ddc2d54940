"""Part 2 of chapter 4: its worked step is plain arithmetic, and its figures show what was computed or recorded."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np

from book.figures import ch04_part2, ch04_part2_record
from book.figures.recorded import recorded
from book.figures.style import styled
from book.worked import ch04_part2 as worked
from common.plots.plotting import plt
from common.text.corpus import load_corpus
from tests.programs import write_small_village

ROWS = np.array([[0.4, -0.3], [0.6, 0.1], [-0.2, 0.8]])
V = np.array([0.5, 0.2])


def test_the_step_is_plain_arithmetic() -> None:
    p = [1 / (1 + math.exp(-float(row @ V))) for row in ROWS]
    slopes = np.array([p[0] - 1, p[1], p[2]])
    loss, of_v, of_u = worked.step()
    assert math.isclose(loss, -math.log(p[0]) - math.log(1 - p[1]) - math.log(1 - p[2]))
    np.testing.assert_allclose(of_v, slopes @ ROWS)
    np.testing.assert_allclose(of_u, np.outer(slopes, V))
    v, u = worked.after()
    np.testing.assert_allclose(v, V - slopes @ ROWS)
    np.testing.assert_allclose(u @ v, (ROWS - np.outer(slopes, V)) @ (V - slopes @ ROWS))


def test_shares_of_text_and_samples() -> None:
    """Counted once more; words that train has but once are all <unk>."""
    counts = Counter(word for sentence in load_corpus("village").train for word in sentence)
    kept = {word: count for word, count in counts.items() if count > 1}
    kept["<unk>"] = sum(count for count in counts.values() if count == 1)
    raised = {word: count**0.75 for word, count in kept.items()}
    for word, (share, drawn) in worked.shares().items():
        assert math.isclose(share, 100 * counts[word] / sum(counts.values()))
        assert math.isclose(drawn, 100 * raised[word] / sum(raised.values()), rel_tol=1e-9)


def test_the_record_has_the_form_of_what_is_trained(tmp_path: Path) -> None:
    flags = {"corpus": str(write_small_village(tmp_path / "village")), "embedding_size": 4, "epochs": 1}
    kept = recorded(ch04_part2.CHAPTER, ch04_part2.RECORD)
    found = ch04_part2_record.numbers(ch04_part2_record.sampling.SkipGramSettings(**flags))
    for side in ("input", "output"):
        for name, kinds in found[side]["places"].items():
            assert {kind: len(places) for kind, places in kinds.items()} == {
                kind: len(places) for kind, places in kept[side]["places"][name].items()
            }
        assert set(kept[side]["own class"]) == {"nouns", "verbs"} and 0 <= kept[side]["variance"] <= 1


def test_figures_show_what_was_computed() -> None:
    with styled():
        bars = ch04_part2.samples_by_power().axes[0].containers
        for drawn, column in zip(bars, zip(*worked.shares().values(), strict=True), strict=True):
            np.testing.assert_allclose([bar.get_height() for bar in drawn], column, atol=1e-4)
        points = ch04_part2.one_vector_for_both().axes[0].lines
        kept = recorded(ch04_part2.CHAPTER, ch04_part2.RECORD)["input"]["places"]
        expected = [place for kind in ch04_part2.KINDS for name in ("nouns", "verbs") for place in kept[name][kind]]
        np.testing.assert_allclose(np.concatenate([np.column_stack(line.get_data()) for line in points]), expected)
        arrows = ch04_part2.one_pair_moved().axes[0].texts
        ends = [one.xy for one in arrows if one.arrow_patch is not None]
        np.testing.assert_allclose(ends, [worked.after()[0], *worked.after()[1]], atol=1e-4)
        plt.close("all")
