"""metrics.json of a language model is what a fresh process finds, on a text with 20,000 different unknown words.

Nothing that a model says of a sentence may depend on what its process has read before, in training or since.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.programs import SUBJECTS, VERBS, metrics_of, run_program, write_lines

NAMES = 9
"""In a sentence of the test split; no other sentence has them."""
SENTENCES = {"train": 150, "dev": 30, "test": 2_300}
SMALL = ["--hidden-size", "8", "--epochs", "1", "--batch-size", "16"]
SYSTEMS = {
    "n-grams": ("01_ngram_lm", ["--smoothing", "modified-kneser-ney", "--order", "3"]),
    "n-grams, skip-grams and a cache": ("01_ngram_lm", ["--smoothing", "katz", "--skip", "2", "--cache"]),
    "features": ("02_loglinear_lm", ["--features", "word1,suffix1", "--epochs", "1"]),
    "feed-forward": ("04_feedforward_lm", SMALL),
    "classes": ("04_feedforward_lm", [*SMALL, "--softmax", "class"]),
    "recurrent": ("05_rnn_lm", SMALL),
    "pointer": ("05_rnn_lm", [*SMALL, "--pointer"]),
    "attentive": ("06_attentive_lm", SMALL),
    "Transformer": ("11_transformer", SMALL),
}
UNK = dict.fromkeys(SYSTEMS, ["uniform"]) | {"n-grams": ["uniform", "token", "characters"], "attentive": ["token"]}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences of few words, with a test split full of names."""
    rng, folder = random.Random(1), tmp_path_factory.mktemp("names")
    plain = [f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {rng.choice(SUBJECTS)} ." for _ in range(180)]
    names = [[f"n{line}x{place}" for place in range(NAMES)] for line in range(SENTENCES["test"])]
    assert len({name for line in names for name in line}) > 20_000
    write_lines(folder / "train.txt", plain[: SENTENCES["train"]])
    write_lines(folder / "dev.txt", plain[SENTENCES["train"] :])
    test = [f"{rng.choice(SUBJECTS)} {rng.choice(VERBS)} {' '.join(line)} ." for line in names]
    write_lines(folder / "test.txt", test)
    return folder


def scores(system: str, run: Path, text: Path) -> list[float]:
    """log P of each sentence by generate.py, in a process of its own."""
    done = run_program("generate", "--run", str(run), "--score", str(text), chapter=SYSTEMS[system][0], fresh=True)
    assert done.returncode == 0, done.stderr
    return [float(line) for line in done.stdout.split("\n")[:-1]]


@pytest.mark.slow
@pytest.mark.parametrize("system, unk", [(system, unk) for system, kinds in UNK.items() for unk in kinds])
def test_figures_are_those_of_a_fresh_process(system: str, unk: str, corpus: Path, tmp_path: Path) -> None:
    """The last sentences have the same scores alone, after nothing, as after all others."""
    (chapter, flags), run = SYSTEMS[system], tmp_path / "run"
    settings = ["--corpus", str(corpus), "--unk", unk, "--run-dir", str(run)]
    done = run_program("train", *flags, *settings, chapter=chapter, fresh=True)
    assert done.returncode == 0, done.stderr
    figures = metrics_of(run)["test"]
    assert figures["unknown"] == NAMES * SENTENCES["test"]
    all_scores = scores(system, run, corpus / "test.txt")
    assert sum(all_scores) == pytest.approx(figures["log_prob"], rel=1e-6)
    lines = (corpus / "test.txt").read_text("utf-8").split("\n")[-31:-1]
    assert scores(system, run, write_lines(tmp_path / "last.txt", lines)) == pytest.approx(all_scores[-30:], rel=1e-5)
