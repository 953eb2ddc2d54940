"""Words in pieces: nothing is lost, and the figures are those of words."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from common.errors import UserError
from common.evaluation.perplexity import summarise
from common.evaluation.pieces import by_words, log_probs_of_words
from common.text.pairs import Pair
from common.text.subwords import (
    CHARACTERS,
    FILE,
    LONGEST_WORD,
    MARK,
    MAX_PIECES,
    PairSplitter,
    Splitter,
    join,
    learn,
    vocabulary,
)
from common.text.vocab import UNKNOWN, Vocabulary

TEXT = [line.split() for line in ("lower lowest low low", "new newest newer new", "wider widest wide")] * 3

words = st.text(st.characters(codec="utf-8", exclude_characters=" \t\n"), min_size=1)
AWKWARD = ["▁", "\\", "\\_", "\\▁", "\\\\5", "\\0", "▁▁low", "<unk>", "</s>", "<s>x", "</unk>", "☃☃", "a☃b", "\0", "▅"]
AWKWARD += ["<pad>", "<mask>", "⁇", "<0x41>", "a\u00a0b", "\u3000", "\u2028x", "\ufeff", "\U0010ffff", "▁▁"]
awkward = st.sampled_from(AWKWARD)


@pytest.fixture(scope="module")
def inventory() -> bytes:
    return learn(TEXT, 25)


# --- cutting and joining


@settings(max_examples=20, deadline=None, derandomize=True, database=None)
@given(sentence=st.lists(st.one_of(words, awkward, st.sampled_from(["low", "newest", "wides", "lowlow"])), max_size=8))
def test_nothing_is_lost(inventory: bytes, sentence: list[str]) -> None:
    vocab = Vocabulary(["▁low", "▁", "n", "e", "w"])
    for splitter in (Splitter(inventory), Splitter(inventory, vocab)):
        pieces = splitter(sentence)
        assert join(pieces) == sentence
        assert sum(piece.startswith(MARK) for piece in pieces) == len(sentence)
        assert vocab.boundary not in vocab.encode(pieces)


def test_joining_by_hand() -> None:
    assert join(["▁low", "er", "▁", "n", "ew", "▁."]) == ["lower", "new", "."]
    assert join(["er", "▁", "▁low"]) == ["er", "low"], "a word may begin without its mark, and may be nothing"
    assert join(["▁n", UNKNOWN]) == ["n<unk>"]
    assert join(["▁a\\_", "b", "▁c\\\\"]) == ["a▁b", "c\\"]
    assert join([]) == []


def test_frequent_pairs_become_pieces() -> None:
    """`lo` is the most frequent pair of neighbours, then `low`: byte-pair encoding by hand."""
    text = [["low"]] * 5 + [["lot"]] * 3 + [["wt"]]
    characters = {MARK, "l", "o", "w", "t"}
    assert Splitter(learn(text, 5))(["low"]) == [MARK, "l", "o", "w"]
    for number, pieces in ((6, "▁ lo w"), (7, "▁lo w"), (8, "▁low")):
        assert Splitter(learn(text, number))(["low"]) == pieces.split(), number
    assert set(vocabulary(learn(text, 5), text, 1).words[2:]) == characters


@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(text=st.lists(st.one_of(words, awkward), min_size=1, max_size=6))
def test_any_text_is_cut_into_its_characters(text: list[str]) -> None:
    """Whatever sentencepiece reserves: `<unk>` is five characters of a text, and the sign for unknown ones is one."""
    inventory = learn([text, ["low"]], CHARACTERS)
    vocab = vocabulary(inventory, [text, ["low"]], 1)
    pieces = Splitter(inventory, vocab)([*text, "low"])
    assert max(map(len, pieces)) == 1 and join(pieces) == [*text, "low"]
    assert vocab.unknown not in vocab.encode(pieces), "what was learnt from is known"


@pytest.mark.parametrize("word", AWKWARD)
def test_pieces_are_learnt_from_any_word(word: str) -> None:
    """One that comes often becomes few pieces, unless it is a boundary; the number is the one that was asked for."""
    text = [[word, "low"], [f"a{word}", "lot"]] * 4
    characters = learn(text, CHARACTERS)
    number = Splitter(characters).processor.get_piece_size() - 1
    assert Splitter(learn(text, number + 2)).processor.get_piece_size() - 1 == number + 2
    splitter = Splitter(learn(text, number + 2), vocabulary(learn(text, number + 2), text, 1))
    assert all(join(splitter(sentence)) == sentence for sentence in text)


def test_a_tag_is_never_cut_nor_learnt() -> None:
    """What says into which language to translate is one piece, and its letters are no letters of the text."""
    tagged = [["<2east>", *sentence] for sentence in TEXT]
    assert learn(tagged, 25) == learn(TEXT, 25)
    splitter = Splitter(learn(TEXT, 25), Vocabulary(["▁<2east>"]))
    assert splitter(["<2east>"]) == ["▁<2east>"] and join(["▁<2east>"]) == ["<2east>"]
    assert splitter(["<2west>"]) == [MARK, *"<2west>"], "one that training lacks is spelt"


def test_every_piece_of_training_that_is_frequent_is_known(inventory: bytes) -> None:
    vocab = vocabulary(inventory, TEXT, 3)
    counts = Counter(piece for sentence in TEXT for piece in Splitter(inventory, vocab)(sentence))
    assert all(counts[piece] >= 3 for piece in vocab.words[2:])
    assert len(vocab.words) - 2 == sum(count >= 3 for count in counts.values())


def test_what_looks_like_a_boundary_in_a_word_is_characters() -> None:
    """sentencepiece gives characters that it has never seen as one piece, were they those of `</s>`."""
    inventory, vocab = learn([["low"]], 5), Vocabulary(["▁", "l", "o", "w"])
    assert "</s>" in Splitter(inventory).processor.encode("low</s>", out_type=str), "this test is about something"
    for splitter in (Splitter(inventory), Splitter(inventory, vocab)):
        assert splitter(["low</s>"])[-4:] == list("</s>")


def test_the_two_sides_cut_a_name_alike() -> None:
    pairs = [Pair(["orlek", "sees", "a", "hen"], ["orlek", "zul", "lira"]), Pair(["orl", "sees"], ["ek", "lira"])] * 3
    splitter = PairSplitter.learn(pairs, 22, 1)
    assert splitter.source(["orlek"]) == splitter.target(["orlek"])
    cut = splitter.pairs(pairs)
    assert [Pair(join(source), join(target)) for source, target in cut] == pairs
    assert all(UNKNOWN not in splitter.vocab.decode(splitter.vocab.encode(target)) for _, target in cut)
    assert "▁zul" not in splitter.source_vocab


# --- figures


def test_figures_of_words_by_hand() -> None:
    vocab = Vocabulary(["▁a", "b", "▁c"])
    targets = [["▁a", "b", "▁c"], ["▁c", "☃", "b"]]
    log_probs = [np.array([-1.0, -2.0, -4.0, -8.0]), np.array([-0.5, -20.0, -0.25, -3.0])]
    by_pieces = summarise(vocab, targets, log_probs, "uniform")
    actual = by_words(by_pieces, vocab, targets, log_probs)
    assert (by_pieces.predictions, actual.predictions, actual.sentences) == (8, 5, 2), "ab c </s>, c☃b </s>"
    assert (by_pieces.unknown, actual.unknown) == (1, 1)
    assert actual.log_prob == pytest.approx(-38.75) and actual.perplexity == pytest.approx(math.exp(38.75 / 5))
    assert actual.unknown_log_prob == pytest.approx(-math.log(1e7)), "the snowman is spelt once"
    assert actual.known_log_prob == pytest.approx(-3 - 4 - 8 - 3), "all but c☃b"
    assert actual.after_first_log_prob == pytest.approx(-4 - 8 - 3)
    assert list(log_probs_of_words(targets[0], log_probs[0])) == [-3, -4, -8]
    assert list(log_probs_of_words([], np.array([-2.0]))) == [-2], "only </s>"


# --- bad input


def test_numbers_of_pieces_that_the_text_has_not() -> None:
    characters = len(set("lowerstnid") | {MARK})
    with pytest.raises(
        UserError, match=rf"--subwords 5: the training pairs have {characters} characters; give as many"
    ):
        learn(TEXT, 5)
    learn(TEXT, characters)
    with pytest.raises(UserError, match=r"--subwords 5000: the training text has only (\d+) to learn") as refused:
        learn(TEXT, 5000)
    most = int(str(refused.value).split("has only ")[1].split()[0])
    learn(TEXT, most)
    with pytest.raises(UserError, match=f"has only {most} to learn"):
        learn(TEXT, most + 1)


def test_broken_pieces(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the pieces of this run are missing"):
        PairSplitter.load(tmp_path, Vocabulary([]), Vocabulary([]))
    for content in (b"nonsense", b""):
        (tmp_path / FILE).write_bytes(content)
        with pytest.raises(UserError, match="no readable inventory"):
            PairSplitter.load(tmp_path, Vocabulary([]), Vocabulary([]))


def test_a_word_too_long_to_learn_from() -> None:
    longest = ["a" * LONGEST_WORD]
    assert learn([longest, ["a", "b"]], 4)
    with pytest.raises(UserError, match="has 65,536 characters; at most 65,535 can be used"):
        learn([[longest[0] + "a"], ["a", "b"]], 4)


def test_a_word_as_long_as_a_book(inventory: bytes) -> None:
    """A model would read its pieces one by one, for minutes."""
    splitter = Splitter(inventory, Vocabulary([]))
    assert len(splitter(["["] * 1000)) <= MAX_PIECES
    with pytest.raises(UserError, match=rf"the word \[\[\[.*, {MAX_PIECES} letters, has .* more than {MAX_PIECES}"):
        splitter(["x", "[" * MAX_PIECES])
