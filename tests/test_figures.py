"""Figures of the lessons: each can be drawn, is the file in the repository, and follows the data."""

from __future__ import annotations

import re
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.text import Text

from book.figures import ch01_part2
from book.figures.__main__ import drawings, drawn
from book.figures.diagrams import box, canvas
from book.figures.recorded import recorded
from book.figures.style import PAGE_WIDTH, SMALLEST, as_svg, styled
from book.lessons import ROOT
from common.errors import UserError

PINNED = dict(re.findall(r"^(matplotlib|numpy)==([\d.]+)", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE))
HERE = {"matplotlib": matplotlib.__version__, "numpy": np.__version__}


DECIMAL = re.compile(rb"-?\d+\.\d+")
INVISIBLE = 0.02
"""Points. By so little a place may differ: another processor rounds the last digits of what is drawn in another way."""


def as_committed(path: str, picture: bytes) -> bool:
    """Whether a picture is the file in the repository: the same but for its places, and these nearly so."""
    files = (ROOT / path).read_bytes(), picture
    if DECIMAL.split(files[0]) != DECIMAL.split(files[1]):
        return False
    before, after = (np.array(DECIMAL.findall(file), dtype=float) for file in files)
    return bool(np.abs(before - after).max() <= INVISIBLE)


@pytest.mark.slow
@pytest.mark.parametrize("path", drawings())
def test_a_figure_is_drawn_and_is_the_one_committed(path: str) -> None:
    picture = drawn(drawings()[path])
    assert picture.startswith(b"<?xml") and picture.count(b"<path") > 10
    assert b"<text" not in picture and b"<dc:date>" not in picture  # letters are paths, and no day is written down
    assert b"fill: #ffffff" not in picture.partition(b'<g id="axes')[0]  # the ground is transparent
    if HERE["matplotlib"] != PINNED["matplotlib"]:
        pytest.skip(f"drawn with matplotlib {PINNED['matplotlib']}, this is {HERE['matplotlib']}")
    assert as_committed(path, picture), "run: make figures"


def test_no_other_files_are_committed() -> None:
    assert {path.relative_to(ROOT).as_posix() for path in ROOT.glob("chapters/*/figures/*.svg")} == set(drawings())


def test_a_missing_record_names_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("book.figures.recorded.ROOT", tmp_path)
    with pytest.raises(UserError, match=r"python -m book.figures.ch05_record"):
        recorded("05_rnn_lm")


def test_a_place_may_differ_by_what_nobody_sees() -> None:
    path = "chapters/01_ngram_lm/figures/surprise_by_word.svg"
    committed = (ROOT / path).read_bytes()
    place = DECIMAL.findall(committed)[-1]
    moved = [committed.replace(place, b"%.6f" % (float(place) + by)) for by in (0.01, 0.03)]
    assert as_committed(path, moved[0]) and not as_committed(path, moved[1])
    assert not as_committed(path, committed.replace(b"<path", b"<line", 1))


def test_look_up_ends_at_the_models_probability() -> None:
    """The product along the way down is what the model itself gives the word."""
    lm = ch01_part2.data.trained("kneser-ney", 4)
    for query in (ch01_part2.QUERY, "belongs to mira sleeps".split(), "the hen of mira".split()):
        steps = ch01_part2.data.look_up(query)
        inputs, target = np.array(lm.vocab.encode(query[:-1])), np.array(lm.vocab.encode(query[-1:]))
        contexts = [context[-1:] for context in lm.contexts(inputs)]
        assert np.isclose(np.prod([step.number for step in steps]), np.exp(lm.score(contexts, target))[0], rtol=1e-12)
        assert [step.seen for step in steps] == [False] * (len(steps) - 1) + [True]


@pytest.mark.parametrize(("width", "smallest"), [(6.0, SMALLEST), (2 * PAGE_WIDTH, 2 * SMALLEST)])
def test_letters_can_be_read_where_a_figure_is_as_wide_as_the_page(width: float, smallest: float) -> None:
    """Texts, ticks and legends; a figure that is twice as wide as the page is shrunk to half."""
    with styled():
        figure, axes = canvas(width, 2, 1.0)
        box(axes, 1, 1, "small", size=4)
        axes.text(3, 1, "large", fontsize=30)
        axes.plot([0, 1], [0, 1], label="line")
        axes.legend(fontsize=5)
        as_svg(figure)
    sizes = {text.get_text(): text.get_fontsize() for text in figure.findobj(Text) if text.get_text()}
    assert sizes["small"] == sizes["line"] == smallest and sizes["large"] == 30
    assert min(sizes.values()) >= smallest
