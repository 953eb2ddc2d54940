"""What visualize.py shows of a model that is a few tables: every number is known."""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

from common.errors import OneLineParser, UserError
from common.programs import visualising
from common.search.attending import force
from common.search.searches import Decoding, translate
from common.text.subwords import PairSplitter
from tests.pairs import write_pairs
from tests.programs import write_lines
from tests.table_translation import TableTranslation

SOURCE_WORDS, WORDS = "the a hen goat sees".split(), "la ne zul mik lira".split()
SOURCES = [line.split() for line in ("the hen sees a goat", "goat", "a wombat sees the hen", "a hen")]
TARGETS = [line.split() for line in ("la zul ne mik lira", "mik", "ne la", "ne zul wombat zul")]


class State(NamedTuple):
    tables: np.ndarray
    attention: np.ndarray
    word_attention: np.ndarray
    gates: np.ndarray


class Gated(TableTranslation):
    """Attends to words in the opposite order of annotations; a gate is a tenth of the word read, by its id."""

    def encode(self, sources: Sequence[Sequence[int]]) -> State:
        tables, attention = super().encode(sources)
        return State(tables, attention, attention[:, ::-1], np.empty(len(sources)))

    def advance(self, state: State, words: Sequence[int]) -> tuple[State, np.ndarray]:
        _, log_probs = super().advance(state, words)
        return state._replace(gates=np.array(words) / 10), log_probs

    def select(self, state: State, rows: Sequence[int]) -> State:
        return State(*(part[list(rows)] for part in state))


def table_model() -> TableTranslation:
    return TableTranslation(SOURCE_WORDS, WORDS)


def gated_model() -> Gated:
    return Gated(SOURCE_WORDS, WORDS)


def test_a_model_without_attention_is_refused() -> None:
    with pytest.raises(UserError, match="attends to nothing.*choose another --run"):
        force(TableTranslation(SOURCE_WORDS, WORDS, attends=False), SOURCES, TARGETS)


Visualise = Callable[..., list[dict]]


def parse(*flags: object) -> argparse.Namespace:
    parser = OneLineParser()
    visualising.add_arguments(parser)
    arguments = parser.parse_args(list(map(str, flags)))
    visualising.check(arguments)
    return arguments


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "farm", train=5, others=5)


@pytest.fixture
def visualise(tmp_path: Path, corpus: Path) -> Visualise:
    """A function that does what visualize.py does and returns what the page holds."""

    def run(*flags: object, model: TableTranslation | None = None, subwords: int = 0) -> list[dict]:
        settings = SimpleNamespace(corpus=str(corpus), subwords=subwords)
        visualising.run(model or table_model(), settings, parse(*flags), tmp_path / "run")
        return page_of(tmp_path / "run")

    return run


def page_of(folder: Path) -> list[dict]:
    text = (folder / "attention.html").read_text(encoding="utf-8")
    return json.loads(re.search(r'type="application/json"[^>]*>(.*?)</script>', text, re.S)[1])


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "text.txt", [" ".join(source) for source in SOURCES])


@pytest.fixture
def references(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "references.txt", [" ".join(target) for target in TARGETS])


@pytest.fixture
def pictures(monkeypatch: pytest.MonkeyPatch) -> list[tuple]:
    """What is asked to be drawn, instead of a picture."""
    calls: list[tuple] = []
    for name in ("draw_attention", "draw_gates"):
        monkeypatch.setattr(visualising, name, lambda *arguments, name=name: calls.append((name, *arguments)))
    return calls


class TestProgram:
    @pytest.mark.parametrize("beam", [1, 4])
    def test_its_own_translations(self, visualise: Visualise, text: Path, pictures: list, beam: int) -> None:
        """What is shown is what the search itself attended to."""
        hypotheses = [best for best, *_ in translate(gated_model(), SOURCES, Decoding(beam))]
        assert {hypothesis.finished for hypothesis in hypotheses} == ({True, False} if beam == 1 else {True})
        maps = visualise(text, "--beam", beam, model=gated_model())
        assert [entry["source"] for entry in maps] == SOURCES
        for entry, hypothesis in zip(maps, hypotheses, strict=True):
            assert entry["target"] == hypothesis.words + (["</s>"] if hypothesis.finished else [])
            np.testing.assert_allclose(entry["attention"], hypothesis.attention, atol=0.0006)
            assert len(entry["target"]) == len(entry["word_attention"]) == len(entry["gates"])

    def test_references_and_their_links(
        self, visualise: Visualise, text: Path, references: Path, tmp_path: Path, pictures: list
    ) -> None:
        links = write_lines(tmp_path / "links.txt", ["0-0 1-1", "0-0", "", "1-3"])
        maps = visualise(text, "--references", references, "--links", links, "--number", 3)
        assert [entry["target"] for entry in maps] == [[*target, "</s>"] for target in TARGETS[:3]]
        assert maps[2]["attention"] == [[0, 0, 0, 0, 1]] * 3, "on the last source word"
        assert [(call[0], call[2], call[-1]) for call in pictures] == [
            ("draw_attention", SOURCES[0], {(0, 0), (1, 1)}),
            ("draw_attention", SOURCES[1], {(0, 0)}),
            ("draw_attention", SOURCES[2], set()),
        ]

    def test_two_attentions_and_gates(self, visualise: Visualise, text: Path, pictures: list) -> None:
        maps = visualise(text, "--pictures", 1, model=gated_model())
        assert {"word_attention", "gates"} <= maps[0].keys()
        (call,) = pictures
        assert call[0] == "draw_gates"
        for drawn, name in zip(call[4:7], ("attention", "word_attention", "gates"), strict=True):
            np.testing.assert_allclose(drawn, maps[0][name], atol=0.0006)

    @pytest.mark.parametrize("flags", [[], ["-"]])
    def test_standard_input(
        self, visualise: Visualise, pictures: list, monkeypatch: pytest.MonkeyPatch, flags: list[str]
    ) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"the hen\n")))
        assert [entry["source"] for entry in visualise(*flags)] == [["the", "hen"]]

    def test_a_long_sentence_is_only_on_the_page(
        self, visualise: Visualise, tmp_path: Path, pictures: list, capsys: pytest.CaptureFixture
    ) -> None:
        text = write_lines(tmp_path / "long.txt", ["the " * 81, "the hen"])
        assert len(visualise(text)) == 2
        assert [call[1].name for call in pictures] == ["attention-2.png"]
        assert "attention-1.png not drawn, more than 80 words" in capsys.readouterr().out

    def test_letters_without_a_picture_are_told_once(
        self, visualise: Visualise, tmp_path: Path, capsys: pytest.CaptureFixture
    ) -> None:
        visualise(write_lines(tmp_path / "text.txt", ["\ue123 \ue124", "\ue123"]))
        captured = capsys.readouterr()
        assert captured.out.count("no font here has \ue123\ue124,") == 1 and captured.err == ""

    def test_pieces_of_words(
        self, visualise: Visualise, text: Path, references: Path, tmp_path: Path, pictures: list
    ) -> None:
        pytest.importorskip("sentencepiece")
        pairs = [visualising.Pair(source, target) for source, target in zip(SOURCES, TARGETS, strict=True)]
        splitter, model = PairSplitter.learn(pairs, 25, 1), table_model()
        splitter.save(tmp_path / "run")
        model.source_vocab, model.vocab = splitter.source_vocab, splitter.vocab
        model.tables = np.zeros((len(model.source_vocab), len(model.vocab), len(model.vocab)))
        maps = visualise(text, "--references", references, model=model, subwords=25)
        assert [entry["source"] for entry in maps] == [splitter.source(source) for source in SOURCES]
        assert [entry["target"][:-1] for entry in maps] == [splitter.target(target) for target in TARGETS]
        assert any(len(entry["source"]) > len(source) for entry, source in zip(maps, SOURCES, strict=True))
        with pytest.raises(UserError, match="--links.*pieces"):
            visualise(text, "--references", references, "--links", references, model=model, subwords=25)


class TestBadInput:
    @pytest.mark.parametrize(
        "flags",
        [
            ["--beam", 0],
            ["--pictures", -1],
            ["--number", 0],
            ["--split", "test", "file.txt"],
            ["--references", "file.txt", "--beam", 2],
            ["--links", "file.txt"],
        ],
    )
    def test_flags_that_make_no_sense(self, flags: list) -> None:
        with pytest.raises(UserError, match=f"^[^\n]*{flags[0]}[^\n]*$"):
            parse(*flags)

    def test_files_that_do_not_fit(self, visualise: Visualise, text: Path, references: Path, tmp_path: Path) -> None:
        short = write_lines(tmp_path / "short.txt", ["la"])
        given = (text, "--references", references)
        cases = {
            (*given[:2], short): r"short.txt has 1 line and .*text.txt 4; they need one line",
            ("--split", "dev", *given[1:]): r"references.txt has 4 lines and --split dev 5",
            (*given, "--links", short): r"short.txt: one line per pair is needed, so 4 and not 1",
            (tmp_path / "none.txt",): "none.txt: no such file",
        }
        for flags, message in cases.items():
            with pytest.raises(UserError, match=message):
                visualise(*flags)
        assert not (tmp_path / "run").exists(), "nothing is written"
