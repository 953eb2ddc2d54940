"""Chapter 1: tuned weights, spelt unknown words, skip-grams, the cache, storage and ARPA files."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.errors import UserError
from common.evaluation.perplexity import evaluate, sentence_log_probs
from common.text.batching import make_batches
from common.text.vocab import Vocabulary
from tests.ngram_models import (
    FARM,
    UNSEEN,
    arpa,
    build,
    characters,
    counts,
    distribution,
    longer,
    methods,
    model,
    smoothing,
    storage,
    tuning,
)

METHODS = list(methods.METHODS)
letters_of = st.text(alphabet="abcd", min_size=0, max_size=6)
bounded = settings(max_examples=12, deadline=None, derandomize=True, database=None)


def sets_of_counts(sentences, order: int = 3):
    vocab = Vocabulary.from_sentences(sentences)
    levels = counts.count_ngrams([vocab.encode(one) for one in sentences], order, len(vocab))
    return vocab, levels, smoothing.order_zero(len(vocab), False)


# --- weights


def test_tuned_weights_are_the_best_on_the_text_they_are_tuned_on() -> None:
    """Moving any one of them, either way, makes the text (and the one prediction added each way) less likely."""
    vocab, levels, zero = sets_of_counts(FARM)
    dev = UNSEEN * 3
    weights = tuning.tune_weights(vocab, levels, zero, [vocab.encode(one) for one in dev])

    def log_likelihood(tried) -> float:
        lm = smoothing.interpolate(vocab, levels, zero, smoothing.fixed_weights(tried))
        prior = sum(math.log(alpha) + math.log(1 - alpha) for alpha in tried)
        return sum(log_probs.sum() for log_probs in sentence_log_probs(lm, dev)) + prior

    best = log_likelihood(weights)
    for order in range(3):
        for change in (-0.02, 0.02):
            tried = [*weights[:order], weights[order] + change, *weights[order + 1 :]]
            assert log_likelihood(tried) < best


def test_weights_tuned_on_train_trust_the_longest_ngrams_alone() -> None:
    """Which is maximum likelihood again, on new text all but impossible."""
    vocab, levels, zero = sets_of_counts(FARM * 50)
    ids = [vocab.encode(one) for one in FARM * 50]
    on_train = tuning.tune_weights(vocab, levels, zero, ids)
    on_dev = tuning.tune_weights(vocab, levels, zero, [vocab.encode(one) for one in UNSEEN])
    assert max(on_train[1:]) < 0.01 < 0.2 < min(on_dev[1:]), "the unigrams of train are never asked"
    perplexities = [
        evaluate(smoothing.interpolate(vocab, levels, zero, smoothing.fixed_weights(one)), UNSEEN, "token").perplexity
        for one in (on_train, on_dev)
    ]
    assert perplexities[0] > 2 * perplexities[1]


@bounded
@given(st.lists(st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)), min_size=3, max_size=30))
def test_one_weight_is_the_best_of_all(pairs: list[tuple[float, float]]) -> None:
    first, second = np.array(pairs).T
    found = tuning.tune_weight(first, second)
    grid = np.linspace(0.001, 0.999, 999)
    values = [np.log((1 - a) * first + a * second).sum() + math.log(a * (1 - a)) for a in [found, *grid]]
    assert values[0] >= max(values) - 1e-4


# --- spelling


@bounded
@given(words=st.lists(letters_of.filter(bool), min_size=1, max_size=8))
def test_spellings_sum_to_one(words: list[str]) -> None:
    """All words of up to two letters and all beginnings of three together have probability one."""
    lm = characters.train_letters(words, 3)
    alphabet = [*lm.vocab.words[2:], "<new>"]
    short = ["", *alphabet]
    short = [[letter] if letter else [] for letter in short] + [[a, b] for a in alphabet for b in alphabet]
    finished = sum(math.exp(log_probs.sum()) for log_probs in sentence_log_probs(lm, short))
    going_on = [
        log_probs[:3].sum()
        for log_probs in sentence_log_probs(lm, [[a, b, c] for a in alphabet for b in alphabet for c in alphabet])
    ]
    assert finished + sum(map(math.exp, going_on)) == pytest.approx(1)


def test_a_word_like_others_is_spelt_more_easily() -> None:
    letters = characters.train_letters(["selina", "selena", "ranina", "ranena"], 4)
    likely, unlikely, new = characters.spell(letters, ["selina", "aniles", "sel\u00efna"])
    assert likely > unlikely > new
    assert new < -math.log(characters.UNICODE), "a letter never seen is one in all that there are"
    one_by_one = [characters.spell(letters, [word])[0] for word in ("selina", "aniles")]
    np.testing.assert_allclose([likely, unlikely], one_by_one)


def test_what_known_words_would_take_goes_to_the_unknown() -> None:
    """A language of one letter: P(word of n letters) is known, and the words that are known are left out."""
    letters = characters.train_letters(["a", "aa"], 1)
    vocab = characters.SpellingVocabulary(["a", "aa"], letters)
    ending, letter = (math.exp(letters.log_probabilities[0][i]) for i in (0, 2))
    outside = 1 - ending - letter * ending - letter**2 * ending
    assert math.exp(vocab.spell(["aaa"])[0]) == pytest.approx(letter**3 * ending / outside)


def test_spelt_words_are_charged_their_letters() -> None:
    lm = build("witten-bell", spells=True)
    lm.vocab = characters.SpellingVocabulary(lm.vocab.words[2:], characters.train_letters(["hen", "goat"], 3))
    sentences = [["the", "heat"], ["the", "hen"], ["goal", "goal"]]
    uniform, token, spelt = (evaluate(lm, sentences, kind) for kind in ("uniform", "token", "characters"))
    assert spelt.unknown == uniform.unknown == 3
    assert spelt.unknown_log_prob == pytest.approx(lm.vocab.spell(["heat", "goal", "goal"]).sum())
    assert spelt.log_prob == pytest.approx(token.log_prob + spelt.unknown_log_prob)
    assert spelt.model_log_prob == pytest.approx(token.model_log_prob)
    assert uniform.unknown_log_prob == pytest.approx(-3 * math.log(10_000_000))
    single = [float(log_probs.sum()) for log_probs in sentence_log_probs(lm, sentences, "characters")]
    assert sum(single) == pytest.approx(spelt.log_prob) and single[1] == pytest.approx(
        float(sentence_log_probs(lm, sentences[1:2], "token")[0].sum())
    )


# --- skip-grams and the cache


def mixtures():
    base = build("kneser-ney")
    ids = [base.vocab.encode(one) for one in FARM]
    extras = [
        longer.train_skip_gram(base.vocab, ids, 2),
        longer.train_skip_gram(base.vocab, ids, 3),
        longer.Cache(len(base.vocab)),
    ]
    return base, extras, longer.Mixture(longer.Mixture(base, extras[0], 0.2), extras[2], 0.3)


def test_a_mixture_is_the_weighted_sum() -> None:
    base, (skip, _, _), _ = mixtures()
    (batch,) = make_batches([base.vocab.encode(one) for one in FARM + UNSEEN], 100)
    expected = 0.8 * np.exp(base.log_probs(batch)) + 0.2 * skip.probs(batch)
    np.testing.assert_allclose(np.exp(longer.Mixture(base, skip, 0.2).log_probs(batch)), expected)


def test_mixtures_step_by_step_and_in_batches() -> None:
    base, _, mixed = mixtures()
    encoded = [base.vocab.encode(sentence) for sentence in FARM + UNSEEN]
    (batch,) = make_batches(encoded, 100)
    together, state = mixed.log_probs(batch), mixed.start(len(batch.indices))
    for step, (inputs, targets) in enumerate(zip(batch.inputs, batch.targets, strict=True)):
        state, rows = mixed.advance(state, inputs.tolist())
        here = batch.mask[step] > 0
        assert np.exp(rows[here]).sum(axis=1) == pytest.approx(np.ones(here.sum()))
        np.testing.assert_allclose(rows[np.arange(len(targets)), targets][here], together[step][here], rtol=1e-9)


def test_the_cache_by_hand() -> None:
    vocab = Vocabulary(["a", "b"])
    cache = longer.Cache(len(vocab))
    (batch,) = make_batches([[2, 3, 2, 2]], 1)
    np.testing.assert_array_equal(cache.probs(batch)[:, 0], [np.nan, 0, 1 / 2, 2 / 3, 0])
    base = build("witten-bell", [["a", "b", "a"], ["b"]], 2)
    mixed = longer.Mixture(base, longer.Cache(len(base.vocab)), 0.5)
    assert np.array_equal(distribution(mixed, []), distribution(base, [])), "no opinion on the first word"
    after = distribution(mixed, ["a", "b"])
    a, b = base.vocab.ids["a"], base.vocab.ids["b"]
    assert after[a] == pytest.approx(0.5 * distribution(base, ["a", "b"])[a] + 0.25)
    assert after[b] == pytest.approx(0.5 * distribution(base, ["a", "b"])[b] + 0.25)


@pytest.mark.parametrize("distance", [2, 3, 4])
def test_skip_grams_are_bigrams_of_every_other_word(distance: int) -> None:
    """Pairs `distance` apart, counted by hand, `<s>` standing before the beginning; and only that word matters."""
    base = build("kneser-ney")
    vocab = base.vocab
    _, pairs = longer.count_pairs([vocab.encode(one) for one in FARM], distance, len(vocab))
    expected = {}
    for sentence in FARM:
        text = [0] * distance + vocab.encode(sentence) + [0]
        for before, word in zip(text, text[distance:], strict=False):
            expected[before * len(vocab) + word] = expected.get(before * len(vocab) + word, 0) + 1
    assert dict(zip(pairs.keys.tolist(), pairs.counts.tolist(), strict=True)) == expected
    extra = longer.train_skip_gram(vocab, [vocab.encode(one) for one in FARM], distance)
    state = extra.start(2)
    histories = [["the", *["hen"] * (distance - 1)], ["the", *["a"] * (distance - 1)]]
    for words in zip([0, *vocab.encode(histories[0])], [0, *vocab.encode(histories[1])], strict=True):
        state, rows = extra.advance(state, words)
    assert np.array_equal(rows[0], rows[1]) and rows.sum(axis=1) == pytest.approx([1, 1])


# --- files


def assert_same(first, second, sentences=FARM + UNSEEN, rtol: float = 1e-12) -> None:
    for one, other in zip(sentence_log_probs(first, sentences), sentence_log_probs(second, sentences), strict=True):
        np.testing.assert_allclose(one, other, rtol=rtol)


def test_what_is_saved_is_what_is_loaded(tmp_path: Path) -> None:
    _, _, mixed = mixtures()
    vocab = characters.SpellingVocabulary(mixed.vocab.words[2:], characters.train_letters(["hen"], 3))
    base, *_ = storage.parts(mixed)
    base.vocab = mixed.base.vocab = mixed.vocab = vocab
    storage.save_model(tmp_path / "model.npz", mixed, "kneser-ney")
    loaded, name = storage.load_model(tmp_path / "model.npz", vocab.words)
    assert name == "kneser-ney"
    assert_same(loaded, mixed)
    np.testing.assert_allclose(loaded.vocab.spell(["hat", "hen"]), vocab.spell(["hat", "hen"]))
    assert storage.count_numbers(loaded) == storage.count_numbers(mixed) > 100
    with pytest.raises(UserError, match="wrong run"):
        storage.load_model(tmp_path / "model.npz", vocab.words[:-1])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("order", [1, 2, 4])
def test_arpa_there_and_back(method: str, order: int, tmp_path: Path) -> None:
    lm = build(method, order=order)
    arpa.write_arpa(tmp_path / "farm.arpa", lm)
    again = arpa.read_arpa(tmp_path / "farm.arpa")
    assert again.vocab.words == lm.vocab.words and again.order == order
    assert_same(again, lm, rtol=1e-7)


def arpa_score(path: Path, sentence: list[str]) -> float:
    """log10 P of a sentence, straight from the text of an ARPA file: the longest match, and back-off weights."""
    table = {}
    for line in path.read_text("utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) > 1:
            table[tuple(fields[1].split())] = (float(fields[0]), float(fields[2]) if len(fields) > 2 else 0.0)
    order = max(map(len, table))
    text, total = ["<s>", *(word if (word,) in table else "<unk>" for word in sentence), "</s>"], 0.0
    for end in range(1, len(text)):
        history = tuple(text[max(0, end - order + 1) : end])
        while (*history, text[end]) not in table:
            total += table.get(history, (0.0, 0.0))[1]
            history = history[1:]
        total += table[(*history, text[end])][0]
    return total


@pytest.mark.parametrize("method", ["katz", "modified-kneser-ney"])
def test_others_read_our_arpa_files(method: str, tmp_path: Path) -> None:
    """A scorer that knows only the format, and KenLM where it is installed, give the same probabilities."""
    lm = build(method, order=3)
    arpa.write_arpa(tmp_path / "farm.arpa", lm)
    scores = [log_probs.sum() / math.log(10) for log_probs in sentence_log_probs(lm, FARM + UNSEEN)]
    assert scores == pytest.approx([arpa_score(tmp_path / "farm.arpa", one) for one in FARM + UNSEEN], rel=1e-6)
    try:
        import kenlm
    except ImportError:
        return
    judge = kenlm.Model(str(tmp_path / "farm.arpa"))
    assert scores == pytest.approx([judge.score(" ".join(one)) for one in FARM + UNSEEN], rel=1e-5)


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


@pytest.mark.parametrize(
    "old, new, line, complaint",
    [
        ("ngram 2=3", "ngram 2=4", 19, "3 2-grams, but the head of the file says 4"),
        ("ngram 2=3", "ngram 2=2", 17, "expected \\3-grams: here"),
        ("ngram 2=3", "ngram two", 4, "expected 'ngram 2=NUMBER'"),
        ("-0.6 b", "much b", 12, "not a number"),
        ("-0.6 b", "nan b", 12, "expected a logarithm"),
        ("-0.2 b a -0.4", "-0.2 b a -0.4 7", 16, "expected a logarithm, 2 words"),
        ("-0.2 b a -0.4", "-0.2 b ox", 16, "'ox' is not among the 1-grams"),
        ("-0.2 b a -0.4", "-0.2 </s> a", 16, "<s> may only begin"),
        ("-0.05 <s> b a", "-0.05 a a b", 20, "no n-gram of this file"),
        ("-0.1 <s> b", "-0.1 a </s>", 17, "is in the file twice"),
        ("\\end\\", "", 23, "\\end\\ is missing"),
        ("-0.7 </s>", "-0.7 c", 12, "must hold <s> and </s>"),
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


def test_the_factor_of_a_context_never_seen_is_one() -> None:
    """What the table's last row, number -1, stands for."""
    lm = model.NgramLM.from_probabilities(
        Vocabulary(["a"]),
        [np.arange(3), np.array([2])],
        [np.array([0.5, 0.2, 0.3]), np.array([0.9])],
        [np.full(3, 0.1)],
    )
    np.testing.assert_allclose(distribution(lm, []), [0.05, 0.02, 0.9])
    assert lm.find(2, np.array([-1, 0, 0, 2]), np.array([2, 2, 1, 2])).tolist() == [-1, 0, -1, -1]
