"""metrics.json of a translation chapter is what a fresh process finds, on a text with 20,000 different unknown words.

Nothing that a model does for a sentence may depend on what its process has read before, in training or since.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from common.evaluation.metrics import bleu
from common.text.corpus import read_sentences
from tests.programs import metrics_of, run_program, run_python, write_lines

NAMES = 9
"""Of a sentence; no other sentence has them."""
SIZES = {"train": 1300, "dev": 20, "test": 903}
SMALL = ["--hidden-size", "12", "--batch-size", "16", "--epochs", "1", "--min-count", "2"]
COPYING = ["--copying", "--epochs", "2", "--likelihood-epochs", "2", "--learning-rate", "0.02"]
SYSTEMS = {
    "treelstm": ("07_encoder_decoder", ["--encoder", "treelstm"]),
    "word attention": ("09_word_attention", []),
    "copying": ("10_beyond", COPYING),
    "lexicon and copying, by risk": ("10_beyond", [*COPYING, "--epochs", "3", "--lexicon", "bias", "--share", "0.1"]),
    "scheduled copying": ("10_beyond", [*COPYING, "--epochs", "3", "--objective", "scheduled", "--share", "0.5"]),
}
PERPLEXITIES = """
import sys
from common.programs.chapters import load_run
from common.search.translation import evaluate_pairs
from common.text.pairs import load_pairs
from pathlib import Path
model, settings = load_run(Path(sys.argv[1]))
corpus = load_pairs(settings.corpus)
for pairs in (corpus.test, corpus.dev):
    print(evaluate_pairs(model, pairs, settings.unk).perplexity)
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs `see NAME ... NAME .` and `vidi NAME ... NAME .`."""
    folder, first = tmp_path_factory.mktemp("corpora"), 0
    for split, number in SIZES.items():
        texts = [" ".join(f"n{first + NAMES * line + place}" for place in range(NAMES)) for line in range(number)]
        write_lines(folder / f"{split}.source", [f"see {text} ." for text in texts])
        write_lines(folder / f"{split}.target", [f"vidi {text} ." for text in texts])
        first += NAMES * number
    assert first > 20_000
    return folder


def translated(chapter: str, run: Path, text: Path) -> list[list[str]]:
    """The translations of a text by translate.py in a process of its own."""
    done = run_program("translate", str(text), "--run", str(run), chapter=chapter, fresh=True)
    assert done.returncode == 0, done.stderr
    return [line.split(" ") for line in done.stdout.removesuffix("\n").split("\n")]


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_figures_are_those_of_a_fresh_process(system: str, corpus: Path, tmp_path: Path) -> None:
    chapter, flags = SYSTEMS[system]
    run = tmp_path / "run"
    settings = [*SMALL, *flags, "--corpus", str(corpus), "--run-dir", str(run)]
    done = run_program("train", *settings, chapter=chapter, fresh=True)
    assert done.returncode == 0, done.stderr
    metrics = metrics_of(run)
    for split in ("dev", "test"):
        actual = translated(chapter, run, corpus / f"{split}.source")
        references: Sequence = read_sentences(corpus / f"{split}.target")
        assert bleu(actual, references).value == pytest.approx(metrics[split]["bleu"], abs=1e-9), split
        assert metrics[split]["unknown"] == NAMES * SIZES[split]
    if "copying" in system:
        assert metrics["test"]["bleu"] > 90, "names are copied, so that the comparison is about something"
    lines = (corpus / "test.source").read_text("utf-8").splitlines()[-30:]
    assert translated(chapter, run, write_lines(tmp_path / "last", lines)) == actual[-30:]
    printed = run_python("-c", PERPLEXITIES, str(run), fresh=True).stdout.split()
    assert [float(value) for value in printed[-2:]] == [
        pytest.approx(metrics[split]["perplexity"], rel=1e-5) for split in ("test", "dev")
    ]
