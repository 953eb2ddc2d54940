"""The corpus village_paragraphs: its files, and the truth about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from common.files import write_lines
from common.text.corpus import read_sentences
from data.oracle import known_words, print_figures, summarise, write_truth
from data.paragraphs import Sentence, as_lines, paragraphs, token_log_probs, with_befores
from data.returns import by_distance, distances, returns_table

NAME = "village_paragraphs"
FOLDER = Path(__file__).parent / NAME
SEED = 1867
SIZES = {"train": 3_300, "dev": 330, "test": 330}
"""The paragraphs of each split."""


def paragraph_splits() -> dict[str, list[Sentence]]:
    """The lines of the three splits as committed: independent paragraphs, nothing removed."""
    source = paragraphs(SEED)
    return {split: as_lines(islice(source, size)) for split, size in SIZES.items()}


def oracle_log_probs(lines: Sequence[Sentence]) -> list[list[float]]:
    """What the true distribution gives the words of each line and `</s>`, given the paragraph before it, in nats."""
    return [token_log_probs(line, before) for line, before in with_befores(lines)]


def write_paragraphs(folder: Path, with_truth: bool) -> None:
    """Write `train.txt`, `dev.txt`, `test.txt` and, with the truth, `oracle.json`."""
    splits = paragraph_splits()
    for split, lines in splits.items():
        write_lines(folder / f"{split}.txt", map(" ".join, lines))
    vocabulary = known_words(splits["train"])
    truth = {split: truth_of(lines, vocabulary) for split, lines in splits.items()} if with_truth else None
    write_truth(folder, truth)


def truth_of(lines: Sequence[Sentence], vocabulary: set[str]) -> dict:
    """As `data.oracle.split_truth`, and under `returns` how many names came back, and the perplexity, by distance."""
    log_probs = oracle_log_probs(lines)
    groups = by_distance(distances(lines), log_probs)
    returns = {
        group: {"predictions": number, "perplexity": round(value, 6)} for group, (number, value) in groups.items()
    }
    return {**summarise(lines, log_probs, vocabulary), "returns": returns}


def print_oracle(splits: Sequence[str]) -> None:
    """Compute the truth about each split anew, and print it; then what names that come back cost in each."""
    texts = {split: read_sentences(FOLDER / f"{split}.txt") for split in dict.fromkeys(["train", *splits])}
    vocabulary = known_words(texts["train"])
    log_probs = {split: oracle_log_probs(texts[split]) for split in splits}
    figures: Mapping = {
        split: (len(texts[split]), summarise(texts[split], log_probs[split], vocabulary)) for split in splits
    }
    print_figures(figures)
    for split in splits:
        table = returns_table(texts[split], {"oracle": log_probs[split]})
        print(f"names of {split} that come back across sentences\n{table}")
