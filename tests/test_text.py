"""Text as it comes: marks that editors leave, words that look like formulas."""

from __future__ import annotations

import codecs
import io

import numpy as np
import pytest

from common.text.corpus import stream_sentences
from common.text.vocab import counted


def test_a_byte_order_mark_is_no_part_of_the_first_word() -> None:
    text = b"the hen\nthe cat\n"
    assert (
        list(stream_sentences(io.BytesIO(codecs.BOM_UTF8 + text), "here"))
        == list(stream_sentences(io.BytesIO(text), "here"))
        == [["the", "hen"], ["the", "cat"]]
    )


@pytest.mark.parametrize("kind", [int, np.int64])
def test_a_number_with_its_noun(kind: type) -> None:
    expected = ["0 words", "1 word", "2 words", "1,200 words"]
    assert [counted(kind(number), "word") for number in (0, 1, 2, 1_200)] == expected
