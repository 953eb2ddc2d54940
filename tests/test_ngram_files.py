"""Files of n-gram models: what is saved and loaded, and ARPA files, ours and those of others."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from common.errors import UserError
from common.evaluation.perplexity import sentence_log_probs
from tests.ngram_models import (
    FARM,
    UNSEEN,
    arpa,
    build,
    characters,
    loading,
    methods,
    mixtures,
    storage,
)

METHODS = list(methods.METHODS)


def assert_same(first, second, sentences=FARM + UNSEEN, rtol: float = 1e-12) -> None:
    for this, other in zip(sentence_log_probs(first, sentences), sentence_log_probs(second, sentences), strict=True):
        np.testing.assert_allclose(this, other, rtol=rtol)


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    _, _, mixed = mixtures()
    vocab = characters.SpellingVocabulary(mixed.vocab.words[2:], characters.train_letters(["hen"], 3))
    base, *_ = storage.parts(mixed)
    base.vocab = mixed.base.vocab = mixed.vocab = vocab
    storage.save_model(tmp_path / "model.npz", mixed, "kneser-ney")
    loaded, name = loading.load_model(tmp_path / "model.npz", vocab.words)
    assert name == "kneser-ney"
    assert_same(loaded, mixed)
    np.testing.assert_allclose(loaded.vocab.spell(["hat", "hen"]), vocab.spell(["hat", "hen"]))
    assert storage.count_numbers(loaded) == storage.count_numbers(mixed) > 100
    with pytest.raises(UserError, match="wrong run"):
        loading.load_model(tmp_path / "model.npz", vocab.words[:-1])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", [1, 2, 4])
def test_arpa_there_and_back(method: str, order: int, tmp_path: Path) -> None:
    lm = build(method, order=order)
    arpa.write_arpa(tmp_path / "farm.arpa", lm)
    again = arpa.read_arpa(tmp_path / "farm.arpa")
    assert again.vocab.words == lm.vocab.words and again.order == order
    assert_same(again, lm, rtol=1e-7)


@pytest.mark.parametrize("method", ["katz", "modified-kneser-ney"])
def test_others_read_our_arpa_files(method: str, tmp_path: Path) -> None:
    """KenLM gives the same probabilities."""
    kenlm = pytest.importorskip("kenlm")
    lm = build(method, order=3)
    arpa.write_arpa(tmp_path / "farm.arpa", lm)
    judge = kenlm.Model(str(tmp_path / "farm.arpa"))
    for sentence, log_probs in zip(FARM + UNSEEN, sentence_log_probs(lm, FARM + UNSEEN), strict=True):
        assert log_probs.sum() / math.log(10) == pytest.approx(judge.score(" ".join(sentence)), rel=1e-5)


FOREIGN = """
\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-1.0 <unk>
-99 <s> -0.5
-0.7 </s>
-0.3 a -0.2
-0.6 b

\\2-grams:
-0.1 <s> b
-0.2 b a -0.4
-0.3 a </s>

\\3-grams:
-0.05 <s> b a

\\end\\
"""


def test_we_read_arpa_files_of_others(tmp_path: Path) -> None:
    """Written by hand, not sorted, blanks for tabs. <s> b a | a wombat: each probability from the lines above."""
    path = tmp_path / "hand.arpa"
    path.write_text(FOREIGN, encoding="utf-8")
    lm = arpa.read_arpa(path)
    first, second = sentence_log_probs(lm, [["b", "a"], ["a", "wombat"]])
    np.testing.assert_allclose(first / math.log(10), [-0.1, -0.05, -0.4 - 0.3])
    np.testing.assert_allclose(second / math.log(10), [-0.5 - 0.3, -0.2 - 1.0, -0.7])


@pytest.mark.parametrize("letter", "\x0b\x0c\x1c\x1f\x85\xa0\u2003\u2028\u3000")
def test_a_blank_of_unicode_is_a_letter_of_its_word(letter: str, tmp_path: Path) -> None:
    """As in KenLM. The file has the words `a` and `b`, too, so that a word read as two would have a probability."""
    path, word = tmp_path / "blank.arpa", f"a{letter}b"
    text = FOREIGN.replace("ngram 1=5", "ngram 1=6").replace("-0.6 b\n", f"-0.6 b\n-0.9\t{word}\t-0.25\n")
    path.write_bytes(text.replace("-0.2 b a -0.4", f"-0.2 {word} a -0.4").replace("<s> b", f"<s> {word}").encode())
    lm = arpa.read_arpa(path)
    assert lm.vocab.words[2:] == ["a", "b", word]
    first, second, third = sentence_log_probs(lm, [[word, "a"], ["b"], ["a", "b"]])
    np.testing.assert_allclose(first / math.log(10), [-0.1, -0.05, -0.4 - 0.3])
    np.testing.assert_allclose(second / math.log(10), [-0.5 - 0.6, -0.7])
    np.testing.assert_allclose(third / math.log(10), [-0.5 - 0.3, -0.2 - 0.6, -0.7])
    arpa.write_arpa(tmp_path / "again.arpa", lm)
    assert_same(arpa.read_arpa(tmp_path / "again.arpa"), lm, [[word, "a"], ["a", "b"]], rtol=1e-7)


def test_carriage_returns_separate(tmp_path: Path) -> None:
    """As in KenLM, where files of Windows have them before each line feed."""
    path = tmp_path / "windows.arpa"
    path.write_bytes(FOREIGN.replace("-0.6 b", "-0.6\rb").replace("\n", "\r\n").encode())
    (actual,) = sentence_log_probs(arpa.read_arpa(path), [["b", "a"]])
    np.testing.assert_allclose(actual / math.log(10), [-0.1, -0.05, -0.4 - 0.3])


def test_the_unknown_word_in_capitals(tmp_path: Path) -> None:
    """<UNK> is <unk>, in longer n-grams, too; <S> is a word like any other, as in KenLM."""
    text = (
        FOREIGN.replace("<unk>", "<UNK>")
        .replace("-0.2 b a -0.4", "-0.2 b <UNK> -0.4")
        .replace("<s> b a", "<s> b <UNK>")
    )
    (tmp_path / "capitals.arpa").write_text(text, encoding="utf-8")
    lm = arpa.read_arpa(tmp_path / "capitals.arpa")
    assert lm.vocab.words == ["</s>", "<unk>", "a", "b"]
    first, second = sentence_log_probs(lm, [["b", "wombat"], ["<S>"]])
    np.testing.assert_allclose(first / math.log(10), [-0.1, -0.05, -0.4 - 0.7])
    np.testing.assert_allclose(second / math.log(10), [-0.5 - 1.0, -0.7])


@pytest.mark.parametrize(
    "old, new, line, complaint",
    [
        ("ngram 2=3", "ngram 2=4", 19, "3 2-grams, but the header gives 4"),
        ("ngram 2=3", "ngram 2=2", 17, "expected \\3-grams: here"),
        ("ngram 2=3", "ngram two", 4, "expected 'ngram 2=NUMBER'"),
        ("-0.6 b", "much b", 12, "not a number"),
        ("-0.6 b", "nan b", 12, "expected a logarithm"),
        ("-0.6 b", "2.5 b", 12, "a probability above 1"),
        ("-0.6 b", "-0.6 a", 12, "is in the file twice"),
        ("-0.6 b", "-0.6 <UNK>", 12, "is in the file twice"),
        ("-0.2 b a -0.4", "-0.2 b a -0.4 7", 16, "expected a logarithm, 2 words"),
        ("-0.2 b a -0.4", "-0.2 b ox", 16, "'ox' is not among the 1-grams"),
        ("-0.2 b a -0.4", "-0.2 </s> a", 16, "<s> may only begin"),
        ("-0.05 <s> b a", "-0.05 a a b", 20, "no n-gram of this file"),
        ("-0.1 <s> b", "-0.1 a </s>", 17, "is in the file twice"),
        ("\\end\\", "", 23, "\\end\\ is missing"),
        ("-0.7 </s>", "-0.7 c", 12, "must contain <s> and </s>"),
        (FOREIGN, "a hen\n", 1, "is it an ARPA file?"),
        (FOREIGN, "", 1, "the file ends before"),
    ],
)
def test_a_bad_arpa_file_is_named_with_its_line(old: str, new: str, line: int, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.arpa"
    path.write_text(FOREIGN.replace(old, new), encoding="utf-8")
    with pytest.raises(UserError, match=f"bad.arpa, line {line}: .*{re.escape(complaint)}"):
        arpa.read_arpa(path)


def test_an_arpa_file_that_is_not_there_or_not_text(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="none.arpa: No such file"):
        arpa.read_arpa(tmp_path / "none.arpa")
    (tmp_path / "latin.arpa").write_bytes(b"\\data\\\n\xff\n")
    with pytest.raises(UserError, match="line 2: not UTF-8"):
        arpa.read_arpa(tmp_path / "latin.arpa")
