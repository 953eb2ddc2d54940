"""Part 3 of chapter 4: what is recorded has the form that its figures read."""

from __future__ import annotations

from pathlib import Path

from book.figures import ch04_skipgram, ch04_skipgram_record
from book.figures.recorded import recorded
from tests.programs import write_small_village


def test_the_record_has_the_form_of_what_is_trained(tmp_path: Path) -> None:
    flags = {"corpus": str(write_small_village(tmp_path / "village")), "embedding_size": 4, "epochs": 1}
    kept = recorded(ch04_skipgram.CHAPTER, ch04_skipgram.RECORD)
    found = ch04_skipgram_record.numbers(ch04_skipgram_record.sampling.NegativeSamplingSettings(**flags))
    for side in ("input", "output"):
        for name, kinds in found[side]["places"].items():
            assert {kind: len(places) for kind, places in kinds.items()} == {
                kind: len(places) for kind, places in kept[side]["places"][name].items()
            }
        assert set(kept[side]["own class"]) == {"nouns", "verbs"} and 0 <= kept[side]["variance"] <= 1
