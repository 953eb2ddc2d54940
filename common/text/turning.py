"""The other direction of translation: pairs whose source and target are exchanged, and their alignments."""

from __future__ import annotations

from pathlib import Path

from common.files import write_lines
from common.text.alignment import Links, true_alignments
from common.text.corpus import SPLITS
from common.text.pairs import ParallelCorpus


def turned(links: Links) -> Links:
    """The same links seen from the other direction."""
    return {(j, i) for i, j in links}


def write_turned(corpus: ParallelCorpus, folder: Path) -> None:
    """Write the pairs with source and target exchanged, and their true alignments where they have some, as a corpus."""
    files = {}
    for split in SPLITS:
        pairs, links = getattr(corpus, split), true_alignments(corpus, split)
        files[f"{split}.source"] = [" ".join(pair.target) for pair in pairs]
        files[f"{split}.target"] = [" ".join(pair.source) for pair in pairs]
        if links is not None:
            files[f"{split}.align"] = [" ".join(f"{i}-{j}" for i, j in sorted(turned(sentence))) for sentence in links]
    for name, lines in files.items():  # once all is read, and so known to be good
        write_lines(folder / name, lines)
