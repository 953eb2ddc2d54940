"""Chapter 10's second part: its page, the numbers on it, and what is recorded for its figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from book.blocks import with_excerpts, wrong_numbers
from book.figures import ch10_part2, ch10_part2_record
from book.figures.__main__ import figures_of
from book.figures.recorded import record
from book.figures.style import styled
from book.form import count_words, dead_links, in_figures, unknown_flags
from book.lessons import figures, read, sections
from book.worked import ch10_part2 as worked
from common.errors import UserError
from tests.pairs import write_pairs
from tests.programs import make_call

PAGE = "chapters/10_beyond/PART2.md"


def test_the_page_has_the_form_of_a_lesson() -> None:
    text = read(PAGE)
    assert list(wrong_numbers(text)) == [] and with_excerpts(text) == text
    without_captions = [one for one in in_figures(PAGE, text) if "lacks" in one]
    assert [*without_captions, *dead_links(PAGE, text), *unknown_flags(PAGE, text)] == []
    assert 800 <= count_words(text) <= 2000 and len(figures(text)) >= 4
    assert sections(text)["Check yourself"].count("<details>") >= 3
    drawn = {f"figures/{draw.__name__}.svg" for draw in figures_of(ch10_part2)}
    assert {address for _, address, _ in figures(text)} == drawn


def test_the_lexicon_by_hand_is_plain_arithmetic() -> None:
    columns = np.array([[worked.TRANSLATIONS[f].get(e, 0) for f in worked.SOURCE] for e in worked.TARGET])
    looked_up, biased, linear = worked.lexicon_table()
    np.testing.assert_allclose(looked_up, columns @ worked.ALPHA, atol=1e-6)
    product = worked.NETWORK * (columns @ worked.ALPHA + 0.001)
    np.testing.assert_allclose(biased, product / product.sum(), atol=1e-6)
    np.testing.assert_allclose(linear, (worked.NETWORK + columns @ worked.ALPHA) / 2, atol=1e-6)


def test_copying_by_hand_is_plain_arithmetic() -> None:
    rows = worked.copying_table()
    for network, copied, found in rows.values():
        assert found == pytest.approx(0.2 * network + 0.8 * copied, abs=1e-6)
    assert sum(found for _, _, found in rows.values()) == pytest.approx(1, abs=1e-6)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs that are recorded, one seed, on a few pairs."""
    folder = tmp_path_factory.mktemp("runs")
    corpus = write_pairs(folder / "farm")
    (corpus / "corpus.json").write_text('{"task": "summarisation"}\n', "utf-8")
    small = ["--hidden-size", 8, "--batch-size", 8, "--corpus", corpus, "--epochs", 1]
    flags = {"plain": [], "bias": ["--lexicon", "bias"], "linear": ["--lexicon", "linear"], "copying": ["--copying"]}
    with pytest.MonkeyPatch.context() as monkeypatch:
        call = make_call(monkeypatch, ch10_part2_record.CHAPTER)
        for system, own in flags.items():
            run = folder / f"{system}1"
            call("train", *small, "--likelihood-epochs", 1, *own, "--run-dir", run)
            call("names", "--run", run)
        for risk in ch10_part2_record.RISKS:
            flags = ["--start-from", folder / "plain1", "--risk", risk, "--objective", "reinforce"]
            call("train", *small[2:], *flags, "--run-dir", folder / f"by{risk}1")
    return folder


@pytest.mark.slow
def test_what_is_recorded_can_be_drawn(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ch10_part2_record.measure(runs, seeds=(1,), sentence="the hen sees a wombat")
    assert set(found["names"]) == set(ch10_part2_record.SYSTEMS) == set(ch10_part2.SYSTEMS)
    assert len(found["gate"]["words"]) == len(found["gate"]["copied"])
    assert all(0 < share < 1 for share in found["gate"]["copied"])
    assert 0.4 < found["share_of_lexicon"]["1"] < 0.6, "a few steps from one half"
    before = {str(found["risks"][risk]["1"]["before"]) for risk in ch10_part2_record.RISKS}
    assert len(before) == 1 and "rougeL" in before.pop()
    command = "python chapters/10_beyond/train.py"
    path = record("10_beyond", command, {}, found, tmp_path, name="figures/recorded_part2.json")
    assert path.name == "recorded_part2.json"
    for run in found["names"].values():
        for row in run["1"]["names"].values():
            row["names"] = 1
    monkeypatch.setattr(worked, "measured", lambda: found)
    with styled():
        for draw in figures_of(ch10_part2)[-2:]:
            assert draw().axes


def test_a_missing_run_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="RESULTS.md has the command"):
        ch10_part2_record.measure(tmp_path)
