"""Alignments: reading them, taking them from attention, and counting how wrong they are, by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from common.errors import UserError
from common.text.alignment import (
    alignment_error_rate,
    alignment_figures,
    links_of,
    of_aligned_words,
    read_alignments,
)
from common.text.ibm_model1 import Lexicon
from common.text.pairs import Pair
from tests.pairs import write_pairs
from tests.programs import write_lines
from tools import align
from tools.align import alignment_lines, dictionary_lines, likelihood_lines, some_words

TRUE = [{(0, 0), (1, 2), (2, 1)}, {(0, 0), (0, 1)}]
PREDICTED = [{(0, 0), (1, 1), (1, 2), (2, 3)}, {(0, 1), (1, 0)}]
"""Of 6 links 3 are true; 3 of 5 are found. The first sentence's target word 3 has no partner."""


class TestCounting:
    def test_by_hand(self) -> None:
        assert of_aligned_words(PREDICTED, TRUE) == [{(0, 0), (1, 1), (1, 2)}, PREDICTED[1]]
        assert alignment_figures(PREDICTED, TRUE) == {
            "error_rate": pytest.approx(5 / 11),
            "precision": 1 / 2,
            "recall": 3 / 5,
            "error_rate_of_aligned_words": pytest.approx(1 - 6 / 10),
        }

    def test_extremes(self) -> None:
        for predicted, true, error_rate, precision, recall in (
            (TRUE, TRUE, 0, 1, 1),
            ([{(5, 5)}, set()], TRUE, 1, 0, 0),
            ([set(), set()], TRUE, 1, 1, 0),
            ([set()], [set()], 0, 1, 1),
            ([{(0, 0)}], [set()], 1, 0, 1),
        ):
            actual = alignment_figures(predicted, true)
            assert (actual["error_rate"], actual["precision"], actual["recall"]) == (error_rate, precision, recall)
        assert alignment_error_rate([], []) == 0
        with pytest.raises(ValueError):
            alignment_error_rate(PREDICTED, TRUE[:1])


def test_attention_points_at_its_largest_weight() -> None:
    """Three target words and `</s>`; the last of the words is undecided."""
    attention = np.array([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1], [0.2, 0.4, 0.4], [0.0, 0.0, 1.0]])
    assert links_of(attention) == {(1, 0), (0, 1), (1, 2)}
    assert links_of(attention[-1:]) == set()


class TestReading:
    PAIRS = [Pair(["a", "b"], ["x"]), Pair(["c"], ["y", "z"]), Pair(["d"], ["w"])]

    def test_lines(self, tmp_path: Path) -> None:
        path = write_lines(tmp_path / "x.align", ["0-0 1-0", "", "0-0  0-0"])
        assert read_alignments(path) == read_alignments(path, self.PAIRS) == [{(0, 0), (1, 0)}, set(), {(0, 0)}]
        path.write_bytes(b"0-0\r\n10-12")
        assert read_alignments(path) == [{(0, 0)}, {(10, 12)}]

    @pytest.mark.parametrize(
        "part", ["0", "0-", "-1-0", "a-b", "0-0-0", "1:2", "0–0", "²-0", "0-0,1-0", "1" * 5000 + "-0"]
    )
    def test_bad_lines(self, tmp_path: Path, part: str) -> None:
        path = write_lines(tmp_path / "x.align", ["0-0", f"0-0 {part}"])
        with pytest.raises(UserError, match=r"x\.align, line 2: .* is not a link; write i-j") as caught:
            read_alignments(path)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("content", "complaint"),
        [
            (b"0-0\n\xff-0\n0-0\n", ", line 2"),
            (b"1-0\n1-0\n0-0\n", ", line 2: 1-0, but the words of this pair are 0 to 0 and 0 to 1"),
            (b"1-0\n0-2\n0-0\n", ", line 2: 0-2, but the words of this pair are 0 to 0 and 0 to 1"),
            (b"0-0\n", ": one line per pair is needed, so 3 and not 1"),
            (None, ": No such file"),
        ],
    )
    def test_bad_files(self, tmp_path: Path, content: bytes | None, complaint: str) -> None:
        """Other encodings, links to words that are not there, another number of lines, no file."""
        if content is not None:
            (tmp_path / "x.align").write_bytes(content)
        with pytest.raises(UserError, match=rf"x\.align{complaint}"):
            read_alignments(tmp_path / "x.align", self.PAIRS)


class TestProgram:
    """Pairs in which target word j renders source word j, and the verb is last."""

    PAIRS = [Pair(["hen", "eats"], ["zul", "na"]), Pair(["ox", "eats"], ["bo", "na"]), Pair(["ox"], ["bo"])]

    def test_words_from_frequent_to_rare(self) -> None:
        texts = [["a"] * 5, ["b"] * 4, ["c"] * 3, ["d"] * 2, ["e"]]
        assert some_words(texts) == ["a", "b", "d"]
        assert some_words(texts[:1]) == ["a"]

    def test_lines_say_what_was_learnt(self) -> None:
        lexicon = Lexicon.learn(self.PAIRS, 5)
        lines = list(likelihood_lines(lexicon, self.PAIRS))
        assert len(lines) == 6 and lines[0].split()[:2] == ["iteration", "0"]
        assert float(lines[0].split()[-4]) == pytest.approx(np.log(1 / 3), abs=1e-3), "three words, all alike"
        known_words, unknown = list(dictionary_lines(lexicon, ["ox", "yak"]))
        assert known_words.split()[:2] == ["ox", "bo"] and "not in the training pairs" in unknown
        true = [{(0, 0), (1, 1)}, {(0, 0), (1, 1)}, set()]
        figures = [line.split()[-1] for line in alignment_lines(lexicon, self.PAIRS, true)]
        assert figures == ["11.11%", "80.00%", "100.00%", "0.00%"], "5 links, of which the last is wrong"

    def test_it_runs(self, tmp_path: Path, run_main: Callable, refuse_main: Callable) -> None:
        corpus = write_pairs(tmp_path / "farm")
        printed = run_main(align.main, corpus, "--words", "hen", "wombat", "--iterations", "3")
        assert "no test.align" in printed and "hen     zul" in printed
        write_lines(corpus / "test.align", ["0-0"] * 15 + ["0-9"])
        assert "test.align, line 16: 0-9" in refuse_main(align.main, corpus)
        assert "--iterations 0" in refuse_main(align.main, tmp_path / "none", "--iterations", "0")
