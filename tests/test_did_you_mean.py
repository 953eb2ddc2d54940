"""A name that nobody knows: the one line names the known name that may have been meant."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from book.labs.running import find
from common.endings import did_you_mean
from common.errors import OneLineParser, UserError
from common.text.corpus import find_corpus
from common.training.cli import parse_settings
from data import show
from data.__main__ import main as data_main
from data.registry import find_entry, load_registry
from data.tongues import check_directions
from exercises.__main__ import main as exercises_main
from solutions.sets import choose, find_sets
from tools.experiment.runs import select_systems
from tools.experiment.sweep import find_chapter, read_sets


def test_the_name_that_is_most_like_it() -> None:
    names = ["ptb", "wikitext2", "Multi30k"]
    assert did_you_mean("wikitext-2", names) == "; did you mean wikitext2?"
    assert did_you_mean("WikiText2", names) == "; did you mean wikitext2?"
    assert did_you_mean("multi-30k", names) == "; did you mean Multi30k?"
    assert did_you_mean("penn treebank", names) == did_you_mean("", names) == did_you_mean("ptb", []) == ""


def settings_with(preset: str) -> None:
    from chapters.rnn_lm import settings as chapter

    parse_settings(chapter.Settings, chapter.CHAPTER, "", ["--preset", preset])


@pytest.mark.parametrize(
    ("refused", "suggestion"),
    [
        (lambda: find_corpus("vilage"), "village"),
        (lambda: find_entry("wikitext-2", load_registry()), "wikitext2"),
        (lambda: show.find_folder("multi-30k"), "multi30k"),
        (lambda: check_directions(["english-veldrann"]), "english-veldran"),
        (lambda: settings_with("quik"), "quick"),
        (lambda: choose(find_sets(), "ch6_attentive_lm"), "ch06_attentive_lm"),
        (lambda: find(["ch6"]), "ch06"),
        (lambda: find_chapter("chapters/06_attention_lm"), "06_attentive_lm"),
        (lambda: read_sets(["hiden_size=8"], ["hidden_size", "layers"]), "hidden_size"),
        (lambda: select_systems("word-words", {"word-word": None, "gates-word": None}), "word-word"),
    ],
)
def test_whatever_has_a_name(refused, suggestion: str) -> None:
    with pytest.raises(UserError) as caught:
        refused()
    assert str(caught.value).endswith(f"; did you mean {suggestion}?"), caught.value


def test_an_exercise_that_its_chapter_does_not_have() -> None:
    with pytest.raises(UserError, match=r"^no exercise 2\.9; there are 2\.1, 2\.2, 2\.3, .*2\.\d$"):
        choose(find_sets(), "2.9")


@pytest.mark.parametrize(
    ("main", "words", "suggestion"),
    [
        (data_main, ["shwo", "village"], "show"),
        (data_main, ["oracle", "vilage"], "village"),
        (exercises_main, ["reveal", "1.1", "--give_up"], "--give-up"),
    ],
)
def test_commands_flags_and_choices(main: Callable, words: list[str], suggestion: str, refuse_main: Callable) -> None:
    assert f"; did you mean {suggestion}?" in refuse_main(main, *words)


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [
        (["--hiden-size", "8"], "; did you mean --hidden-size?"),
        (["--hiden-size=8"], "; did you mean --hidden-size?"),
        (["--cell", "lstn"], "; did you mean lstm?"),
        (["--xyz"], ""),
    ],
)
def test_a_parser(words: list[str], suggestion: str, refuse_main: Callable) -> None:
    parser = OneLineParser(allow_abbrev=False)
    parser.add_argument("--hidden-size", type=int)
    parser.add_argument("--cell", choices=("lstm", "gru"))
    parser.add_argument("--layers", type=int, choices=(1, 2))
    assert refuse_main(parser.parse_args, *words).endswith(f"{suggestion}; --help lists the flags")
