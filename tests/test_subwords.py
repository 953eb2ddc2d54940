"""Words in pieces: nothing is lost, the figures are those of words, and the programs go all the way with them."""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.errors import UserError
from common.evaluation.metrics import bleu, chrf
from common.evaluation.perplexity import summarise
from common.evaluation.pieces import by_words, log_probs_of_words
from common.programs.chapters import load_run
from common.search.length_prior import LengthPrior
from common.search.translation import target_log_probs
from common.text.pairs import Pair, load_pairs
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
from tests.pairs import write_pairs
from tests.programs import (
    Call,
    Refused,
    call_and_kill,
    comparable,
    leftovers,
    make_call,
    metrics_of,
    write_lines,
)
from tools.pair_phenomena import log_probs_of, model_and_splitter, model_of

TEXT = [line.split() for line in ("lower lowest low low", "new newest newer new", "wider widest wide")] * 3
SMALL = ["--hidden-size", "6", "--epochs", "3", "--batch-size", "8", "--learning-rate", "0.02", "--subwords", "45"]
CHAPTER = "07_encoder_decoder"

words = st.text(st.characters(codec="utf-8"), min_size=1).map(lambda text: "".join(text.split())).filter(bool)
awkward = st.sampled_from(["▁", "\\", "\\_", "\\▁", "▁▁low", "<unk>", "</s>", "<s>x", "☃☃", "a☃b", "\0", "▅", "\ufeff"])


@pytest.fixture(scope="module")
def inventory() -> bytes:
    return learn(TEXT, 25)


# --- cutting and joining


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(sentence=st.lists(st.one_of(words, awkward, st.sampled_from(["low", "newest", "wides", "lowlow"])), max_size=8))
def test_nothing_is_lost(inventory: bytes, sentence: list[str]) -> None:
    vocab = Vocabulary(["▁low", "▁", "n", "e", "w"])
    for splitter in (Splitter(inventory), Splitter(inventory, vocab)):
        pieces = splitter(sentence)
        assert join(pieces) == sentence
        assert sum(piece.startswith(MARK) for piece in pieces) == len(sentence)
        assert vocab.boundary not in vocab.encode(pieces)


@settings(max_examples=60, deadline=None, derandomize=True, database=None)
@given(pieces=st.lists(st.sampled_from(["▁", "▁low", "er", "\\", "_", UNKNOWN, "▁n"]), max_size=8))
def test_what_a_model_invents_is_words_with_single_blanks(inventory: bytes, pieces: list[str]) -> None:
    found = join(pieces)
    assert " ".join(found).split() == found
    assert join(Splitter(inventory)(found)) == found


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


def test_characters_are_the_smallest_inventory() -> None:
    """No pair is joined; words are told apart by the sign before each."""
    splitter = Splitter(learn(TEXT, CHARACTERS))
    assert splitter(["lower", "lot"]) == [MARK, *"lower", MARK, *"lot"]
    characters = len(set("lowerstnid") | {MARK})
    assert learn(TEXT, CHARACTERS) == learn(TEXT, characters)


def test_a_tag_is_never_cut_nor_learnt() -> None:
    """What says into which language to translate is one piece, and its letters are no letters of the text."""
    tagged = [["<2east>", *sentence] for sentence in TEXT]
    assert learn(tagged, 25) == learn(TEXT, 25)
    splitter = Splitter(learn(TEXT, 25), Vocabulary(["▁<2east>"]))
    assert splitter(["<2east>"]) == ["▁<2east>"] and join(["▁<2east>"]) == ["<2east>"]
    assert splitter(["<2west>"]) == [MARK, *"<2west>"], "one that training lacks is spelt"


def test_learning_again_gives_the_same_bytes() -> None:
    assert learn(TEXT, 25) == learn(iter(TEXT), 25) != learn(TEXT, 26)


def test_every_piece_of_training_that_is_frequent_is_known(inventory: bytes) -> None:
    vocab = vocabulary(inventory, TEXT, 3)
    counts = Counter(piece for sentence in TEXT for piece in Splitter(inventory, vocab)(sentence))
    assert all(counts[piece] >= 3 for piece in vocab.words[2:])
    assert len(vocab.words) - 2 == sum(count >= 3 for count in counts.values())


def test_rare_pieces_are_spelt_in_characters() -> None:
    """`quaquaqua` is a piece of few occurrences; as `<unk>` it would be lost, in characters it is not."""
    text = [["qua", "quit", "aqua", "it"]] * 2
    whole = learn(text, 9)
    rare = max(Splitter(whole)(["quit"]), key=len)
    assert len(rare) > 1
    vocab = Vocabulary(sorted({*"quait", MARK}))
    assert Splitter(whole, vocab)(["quit"]) == [MARK, *"quit"]
    assert vocab.unknown not in vocab.encode(Splitter(whole, vocab)(["quit"]))


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
    found = by_words(by_pieces, vocab, targets, log_probs)
    assert (by_pieces.predictions, found.predictions, found.sentences) == (8, 5, 2), "ab c </s>, c☃b </s>"
    assert (by_pieces.unknown, found.unknown) == (1, 1)
    assert found.log_prob == pytest.approx(-38.75) and found.perplexity == pytest.approx(math.exp(38.75 / 5))
    assert found.unknown_log_prob == pytest.approx(-math.log(1e7)), "the snowman is spelt once"
    assert found.known_log_prob == pytest.approx(-3 - 4 - 8 - 3), "all but c☃b"
    assert found.after_first_log_prob == pytest.approx(-4 - 8 - 3)
    assert list(log_probs_of_words(targets[0], log_probs[0])) == [-3, -4, -8]
    assert list(log_probs_of_words([], np.array([-2.0]))) == [-2], "only </s>"


# --- bad input


def test_numbers_of_pieces_that_the_text_has_not() -> None:
    characters = len(set("lowerstnid") | {MARK})
    with pytest.raises(UserError, match=rf"--subwords 5: the training pairs have {characters} characters; give no"):
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
    with pytest.raises(UserError, match="has 65,536 characters; 65,535 is most"):
        learn([[longest[0] + "a"], ["a", "b"]], 4)


def test_a_word_as_long_as_a_book(inventory: bytes) -> None:
    """A model would read its pieces one by one, for minutes."""
    splitter = Splitter(inventory, Vocabulary([]))
    assert len(splitter(["["] * 1000)) <= MAX_PIECES
    with pytest.raises(UserError, match=rf"the word \[\[\[.*, {MAX_PIECES} letters, has .* more than {MAX_PIECES}"):
        splitter(["x", "[" * MAX_PIECES])


# --- the programs, from the beginning to the end


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs with an oracle that gives each target word a half."""
    folder = write_pairs(tmp_path_factory.mktemp("subwords") / "farm")
    facts = '{"perplexity": 2.0, "known_perplexity": 2.0, "known_predictions": 7}'
    write_lines(folder / "oracle.json", [f'{{"dev": {facts}, "test": {facts}}}'])
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, corpus: Path) -> Path:
    run = tmp_path_factory.mktemp("runs") / "pieces"
    with pytest.MonkeyPatch.context() as monkeypatch:
        make_call(monkeypatch, CHAPTER)("train", *SMALL, "--corpus", corpus, "--run-dir", run)
    return run


def test_phenomena_are_of_words(trained: Path, corpus: Path) -> None:
    """Each word of a model of pieces is compared with the same word of the others."""
    model, splitter = model_and_splitter(trained, str(corpus))
    pairs = load_pairs(str(corpus)).test
    found = log_probs_of(model, splitter, pairs)
    by_pieces = target_log_probs(model, splitter.pairs(pairs), "token")
    for pair, words, pieces in zip(pairs, found, by_pieces, strict=True):
        numbers = [len(splitter.target([word])) for word in pair.target] + [1]
        ends = np.cumsum(numbers)
        assert max(numbers) > 1 and ends[-1] == len(pieces)
        sums = [pieces[end - number : end].sum() for end, number in zip(ends, numbers, strict=True)]
        assert list(words) == pytest.approx(sums)
    with pytest.raises(UserError, match="works on words"):
        model_of(trained, str(corpus))


def test_a_run_with_pieces_reports_on_words(trained: Path, corpus: Path) -> None:
    model, run_settings = load_run(trained)
    splitter = PairSplitter.load(trained, model.source_vocab, model.vocab)
    pairs, metrics = load_pairs(str(corpus)), metrics_of(trained)
    assert run_settings.subwords == 45 and metrics["settings"]["subwords"] == 45
    for split in ("dev", "test"):
        figures, of_words = metrics[split], getattr(pairs, split)
        of_pieces = splitter.pairs(of_words)
        total = sum(row.sum() for row in target_log_probs(model, of_pieces, "uniform"))
        numbers = [sum(len(pair.target) + 1 for pair in part) for part in (of_words, of_pieces)]
        assert numbers[1] > numbers[0]
        assert figures["log_prob"] == pytest.approx(total, rel=1e-6)
        assert [figures["predictions"], figures["piece_predictions"]] == numbers
        assert figures["perplexity"] == pytest.approx(math.exp(-total / numbers[0]), rel=1e-6)
        assert figures["piece_perplexity"] == pytest.approx(math.exp(-total / numbers[1]), rel=1e-6)
        assert figures["oracle_perplexity"] == 2 and "oracle_known_perplexity" not in figures
        assert figures["oracle_piece_perplexity"] == pytest.approx(math.exp(numbers[0] * math.log(2) / numbers[1]))
        text = (trained / f"{split}.hypotheses.txt").read_text("utf-8")
        assert MARK not in text
        found = [line.split() for line in text.splitlines()]
        references = [pair.target for pair in of_words]
        assert figures["bleu"] == pytest.approx(bleu(found, references).value)
        assert figures["chrf"] == pytest.approx(chrf(found, references).value) and figures["chrf"] > 1
    history = metrics["epochs"]
    best = min(record["dev_perplexity"] for record in history)
    assert best == pytest.approx(metrics["dev"]["piece_perplexity"], rel=1e-5)
    log = (trained / "log.txt").read_text("utf-8")
    shown = log[log.index("\n  source ") :]
    assert MARK in log and MARK not in shown, "the pairs are shown in pieces, the translations in words"
    assert f"{metrics['test']['perplexity']:.2f}" in log and f"{metrics['test']['piece_perplexity']:.2f}" in log
    assert leftovers(trained) == []


def test_the_unknown_word_is_written_in_pieces(trained: Path) -> None:
    """No `wombat` is in training, but most of its letters are."""
    model = load_run(trained)[0]
    splitter = PairSplitter.load(trained, model.source_vocab, model.vocab)
    assert join(splitter.target(["wombat"])) == ["wombat"]
    known = [piece in model.vocab for piece in splitter.target(["wombat"])]
    assert any(known) and not all(known)


def test_resuming_takes_the_pieces_of_the_run(
    call: Call, corpus: Path, tmp_path: Path, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = tmp_path / "killed"
    call_and_kill(call, monkeypatch, *SMALL, "--corpus", corpus, "--run-dir", killed)
    assert (killed / FILE).read_bytes() == (trained / FILE).read_bytes()

    def forbidden(*arguments: object) -> None:
        raise AssertionError("learnt again")

    monkeypatch.setattr("common.text.subwords.learn", forbidden)
    call("train", "--resume", "--run-dir", killed)
    assert comparable(killed) == comparable(trained)
    assert (killed / "test.hypotheses.txt").read_bytes() == (trained / "test.hypotheses.txt").read_bytes()


def test_translating_takes_and_prints_words(
    call: Call, trained: Path, corpus: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = (trained / "test.hypotheses.txt").read_text("utf-8").splitlines()
    capsys.readouterr()
    call("translate", corpus / "test.source", "--run", trained)
    assert capsys.readouterr().out.splitlines() == expected
    call("translate", corpus / "test.source", "--run", trained, "--ensemble", trained)
    assert capsys.readouterr().out.splitlines() == expected
    counted, count = [], LengthPrior.__init__

    def watched(self, lengths: Iterable[tuple[int, int]]) -> None:
        counted.extend(lengths)
        count(self, counted)

    monkeypatch.setattr(LengthPrior, "__init__", watched)
    call("translate", corpus / "test.source", "--run", trained, "--beam", 3, "--nbest", 2, "--length", "prior")
    assert MARK not in capsys.readouterr().out
    in_words = [len(pair.target) for pair in load_pairs(str(corpus)).train]
    assert all(target > words for (_, target), words in zip(counted, in_words, strict=True)), "lengths are in pieces"


def test_one_line_for_what_cannot_be(
    call: Call, refused: Refused, trained: Path, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flags, run = [*SMALL, "--epochs", 1, "--corpus", corpus], tmp_path / "run"
    assert "--subwords 4000: the training text has only" in refused(
        "train", *flags, "--subwords", 4000, "--run-dir", run
    )
    assert "--subwords 4: the training pairs have" in refused("train", *flags, "--subwords", 4, "--run-dir", run)
    assert "'letters': write a number of pieces, or characters" in refused(
        "train", *flags, "--subwords", "letters", "--run-dir", run
    )
    assert "--subwords -1" in refused("train", *flags, "--subwords", -1, "--run-dir", run)
    assert "this run began with 45" in refused("train", "--resume", "--subwords", 44, "--run-dir", trained)
    assert "works on words" in refused("compare_search", "--run", trained)
    assert not run.exists()
    for name, number in (("others", 40), ("whole", 0)):
        call("train", *flags, "--subwords", number, "--run-dir", tmp_path / name)
        line = refused("translate", corpus / "test.source", "--run", trained, "--ensemble", tmp_path / name)
        assert "different words" in line and "--subwords" in line
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    assert "needs the package sentencepiece" in refused("train", *flags, "--run-dir", run)
    assert "needs the package sentencepiece" in refused("translate", corpus / "test.source", "--run", trained)
    assert not run.exists()


def test_a_line_of_unknown_letters_is_refused_before_training(refused: Refused, tmp_path: Path) -> None:
    """Its one word would make the perplexity of words infinite, which no metrics.json can hold."""
    corpus, run = write_pairs(tmp_path / "farm"), tmp_path / "run"
    lines = (corpus / "test.target").read_text("utf-8").splitlines()
    write_lines(corpus / "test.target", [*lines[:3], "☃" * 4000, *lines[4:]])
    line = refused("train", *SMALL, "--corpus", corpus, "--run-dir", run)
    assert "test.target, sentence 4: 4,000 unknown pieces; with so many the perplexity" in line
    assert not run.exists()
