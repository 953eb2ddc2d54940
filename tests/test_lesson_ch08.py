"""What is recorded for chapter 8's lesson fits its figures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from book.figures import ch08_record
from book.figures.recorded import record, recorded
from common.text.pairs import load_pairs
from common.text.vocab import UNKNOWN, Vocabulary
from tests import encoder_models
from tests.attention_models import AttentionalModel


def tiny(vocabulary: Vocabulary, sources: Vocabulary, kind: type, **options):
    return kind(sources, vocabulary, hidden_size=4, dropout=0.0, **options)


@pytest.mark.slow
def test_what_is_recorded(tmp_path: Path) -> None:
    """Untrained models give all that the figures read, in the same form, and weights that sum to one."""
    corpus = load_pairs("village_pairs")
    sources, words = (Vocabulary.from_sentences([pair[side] for pair in corpus.train], min_count=2) for side in (0, 1))
    pairs = corpus.test[:40]
    found = [list(pair.target) for pair in pairs]
    found[0] = [UNKNOWN, *found[0][1:]]
    kinds = {"encoder-decoder": encoder_models.EncoderDecoder, "attention": AttentionalModel}
    systems = {name: [ch08_record.System(tiny(words, sources, kind), found)] for name, kind in kinds.items()}
    variants = {name: tiny(words, sources, AttentionalModel) for name in ch08_record.VARIANTS}
    told = ch08_record.measure(systems, variants, pairs)
    published = recorded(ch08_record.CHAPTER)
    assert told.keys() == published.keys() - {"command", "settings"}
    assert told["long"]["weights"].keys() == published["long"]["weights"].keys() == {"default", *ch08_record.VARIANTS}
    for part in ("phenomena", "unknown", "example", "short"):
        assert told[part].keys() <= published[part].keys()
    for rows in (*told["long"]["weights"].values(), *told["short"]["weights"].values()):
        np.testing.assert_allclose(np.sum(rows, axis=1), 1, atol=1e-5)
    unknown = told["unknown"]
    assert unknown["replaced"] == [1] and unknown["none"][0] < 100
    record(ch08_record.CHAPTER, ch08_record.COMMAND, {}, told, tmp_path)
