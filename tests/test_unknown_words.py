"""`<unk>` gives way to the source word that was attended to, or to its translation; in translate.py by a flag."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from common.errors import UserError
from common.programs import translating
from common.search.decoding import Hypothesis
from common.search.translation_ensemble import TranslationEnsemble
from common.search.unknown_words import lexicon_of_run, replace_unknown
from common.text.ibm_model1 import Lexicon
from common.text.pairs import load_pairs
from common.text.vocab import Vocabulary
from tests.pairs import write_pairs
from tests.programs import leftovers
from tests.table_translation import TableTranslation

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


def test_an_unfinished_hypothesis_has_no_row_of_its_end() -> None:
    cut = FOUND._replace(finished=False, attention=FOUND.attention[:-1])
    assert replace_unknown(cut, SOURCE) == ["yaks", "ba", "mira"]


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


class TestFlag:
    """Of translate.py, on a model whose attention is all on the last source word."""

    SOURCES = ["the hen feeds goat", "hen", "the farmer sees a duck", "the hen sees a wombat"]

    @pytest.fixture
    def corpus(self, tmp_path: Path) -> Path:
        return write_pairs(tmp_path / "farm")

    @pytest.fixture
    def run(self, corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> Callable:
        """A function that translates SOURCES with these flags and returns the lines."""

        def lines(*flags: str, model: object = None, folder: Path = corpus) -> list[str]:
            parser = argparse.ArgumentParser()
            translating.add_arguments(parser)
            arguments = parser.parse_args(list(flags))
            translating.check(arguments)
            text = "".join(f"{source}\n" for source in self.SOURCES).encode()
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
            translating.run(model or table_model(), SimpleNamespace(corpus=str(corpus), subwords=0), arguments, folder)
            return capsys.readouterr().out.splitlines()

        return lines

    def expected(self, lines: list[str], replacement: Callable[[str], str], each: int = 1) -> list[str]:
        """`lines` with every <unk> replaced as the last word of its source asks for."""
        assert "<unk>" in " ".join(lines) and len(lines) == each * len(self.SOURCES)
        lasts = [source.split()[-1] for source in self.SOURCES for _ in range(each)]
        return [line.replace("<unk>", replacement(last)) for line, last in zip(lines, lasts, strict=True)]

    @pytest.mark.parametrize(
        "flags, each", [([], 1), (["--beam", "3"], 1), (["--beam", "3", "--nbest", "3"], 3), (["--sample", "4"], 4)]
    )
    def test_copies_or_looks_up(self, run: Callable, corpus: Path, tmp_path: Path, flags: list, each: int) -> None:
        """In n-best lists and samples too; the log-probabilities remain those of what was found."""
        plain, lexicon = run(*flags), Lexicon.learn(load_pairs(str(corpus)).train)
        assert run(*flags, "--replace-unknown", "copy") == self.expected(plain, str, each)
        words = {word: lexicon.translate(word) or word for word in ("goat", "hen", "duck", "wombat")}
        assert words["wombat"] == "wombat" and words["hen"] == "zul"
        actual = run(*flags, "--replace-unknown", "dictionary", folder=tmp_path)
        assert actual == self.expected(plain, words.__getitem__, each)
        assert (tmp_path / "lexicon.npz").exists() and leftovers(tmp_path) == []

    @pytest.mark.parametrize("kind", ["copy", "dictionary"])
    def test_a_model_without_attention_is_refused_at_once(self, run: Callable, tmp_path: Path, kind: str) -> None:
        silent = table_model(attends=False)
        assert run(model=silent) == run()
        with pytest.raises(UserError, match=f"--replace-unknown {kind}: this model has no attention"):
            run("--replace-unknown", kind, model=silent, folder=tmp_path / "run")
        assert not (tmp_path / "run").exists()

    def test_one_member_that_attends_is_enough(self, run: Callable) -> None:
        ensemble = TranslationEnsemble([table_model(attends=False), table_model()])
        assert run("--replace-unknown", "copy", model=ensemble) == run("--replace-unknown", "copy")


def table_model(attends: bool = True) -> TableTranslation:
    """P(<unk>) is large everywhere, that of the other words is drawn."""
    model = TableTranslation(["hen", "goat", "the", "duck"], ["ba", "do", "ku"], attends=attends)
    tables = np.exp(model.tables)
    tables[..., Vocabulary.unknown] += 0.5
    tables[:, Vocabulary.unknown, Vocabulary.boundary] += 1
    model.tables = np.log(tables / tables.sum(axis=-1, keepdims=True))
    return model
