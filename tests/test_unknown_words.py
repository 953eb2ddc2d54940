"""`<unk>` gives way to the source word that was attended to, or to its translation; in translate.py by a flag."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common.errors import UserError
from common.search.decoding import Hypothesis
from common.search.unknown_words import lexicon_of_run, replace_unknown
from common.text.ibm_model1 import Lexicon
from common.text.pairs import load_pairs
from tests.pairs import write_pairs

SOURCE = ["mira", "sees", "yaks"]
LEXICON = Lexicon.learn([(["mira"], ["mira"]), (["sees"], ["lira"]), (["hens", "yaks"], ["zulai", "yakai"])] * 2)
FOUND = Hypothesis(
    ["<unk>", "ba", "<unk>"], -1.0, True, np.array([[0.2, 0.1, 0.7], [1, 0, 0], [0.5, 0.3, 0.2], [0, 0.9, 0.1]])
)
"""The first word looks at `yaks`, the second at `mira`, the third too; `</s>` at `sees`."""


def test_the_source_word_is_copied() -> None:
    assert replace_unknown(FOUND, SOURCE) == ["yaks", "ba", "mira"]
    assert FOUND.words == ["<unk>", "ba", "<unk>"], "the hypothesis itself stays"


def test_the_dictionary_is_asked_first() -> None:
    assert replace_unknown(FOUND, ["hens", "mira", "sees"], LEXICON) == ["lira", "ba", LEXICON.translate("hens")]
    assert replace_unknown(FOUND, ["emus", "hens", "mira"], LEXICON) == ["mira", "ba", "emus"], "unknown: copied"


def test_without_attention_it_cannot_be_done() -> None:
    for words in (["<unk>"], ["ba"]):
        with pytest.raises(UserError, match="chapter 8 or 9"):
            replace_unknown(Hypothesis(words, -1.0, True), SOURCE)


def test_the_lexicon_of_a_run_is_learnt_once(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    corpus, run = write_pairs(tmp_path / "farm"), tmp_path / "run"
    run.mkdir()
    first = lexicon_of_run(run, str(corpus))
    expected = Lexicon.learn(load_pairs(str(corpus)).train)
    assert np.array_equal(first.table, expected.table) and first.source == expected.source
    assert [path.name for path in run.iterdir()] == ["lexicon.npz"]
    printed = capsys.readouterr()
    assert printed.out == "" and "80 pairs" in printed.err
    (corpus / "train.source").unlink()
    assert np.array_equal(lexicon_of_run(run, str(corpus)).table, first.table)
    assert capsys.readouterr().err == ""
    with pytest.raises(UserError, match=r"train\.source"):
        lexicon_of_run(tmp_path, str(corpus))
    (run / "lexicon.npz").write_bytes(b"half")
    with pytest.raises(UserError, match="remove it"):
        lexicon_of_run(run, str(corpus))
