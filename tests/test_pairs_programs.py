"""`python -m data` makes, measures and shows the pairs as a user would."""

from __future__ import annotations

import pytest

from data.pairs import FOLDER, LINES, SIZES, TRUTHS, print_pair_oracle
from data.show import describe
from tests.test_pairs import stored
from tests.test_village import run_data


@pytest.mark.parametrize("name", TRUTHS)
def test_generate_writes_the_committed_files_byte_for_byte(name: str, tmp_path):
    done = run_data("generate", name, "--out", str(tmp_path), "--text-only")
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.iterdir())) == len(SIZES) * len(LINES) + 1  # corpus.json
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (FOLDER / name / path.name).read_bytes()


def test_only_the_village_gives_more_sentences(tmp_path):
    done = run_data("generate", "village_pairs", "--out", str(tmp_path), "--sentences", "5")
    assert done.returncode == 2
    assert done.stderr == "error: --sentences is for the village, not for village_pairs\n"
    assert not list(tmp_path.iterdir())


def test_the_printed_figures_are_those_stored(capsys):
    print_pair_oracle("village_pairs", ["dev"])
    printed = capsys.readouterr().out.splitlines()
    truth = stored()["dev"]
    (line,) = [line for line in printed if line.startswith("dev ")]
    assert f"{truth['perplexity']:.3f}" in line and f"{truth['known_perplexity']:.3f}" in line
    for label, found in stored()["phenomena"].items():
        (line,) = [line for line in printed if line.startswith(label + " ")]
        assert f"{found['share']:.2%}" in line and f"{found['nats']:.3f}" in line


def test_show_describes_pairs_with_the_truth():
    text = describe(FOLDER / "village_pairs")
    assert "village_pairs (parallel)" in text
    assert f"dev{stored()['dev']['perplexity']:>11.2f}" in text
    assert text.count("    = ") == 3
