"""Exams of chapter 1."""

import math

from solutions.grading.exam import call, exam


@exam("1.1", 1e-6)
def by_hand(work, draw):
    for name in ("predictions", "probability_of_goat", "probability_of_a_patchwork", "probability_of_a_new_pair"):
        yield name, call(getattr(work, name))
    for _ in range(4):
        size, number = draw.integer(2, 40), draw.integer(1, 9)
        yield f"sentences, V = {size}, {number} words", call(work.how_many_sentences, size, number)
        yield f"parameters, V = {size}, n = {number}", call(work.how_many_parameters, size, number)
    yield "sentences of no words", call(work.how_many_sentences, draw.integer(2, 40), 0)


def texts(draw):
    """Texts of several sizes, with empty sentences, repeated ones, and none at all."""
    for lengths in draw.lengths():
        text = draw.text(lengths, "abc")
        yield [*text, text[0]]
    yield []


@exam("1.2", 1e-6)
def counting(work, draw):
    for text in texts(draw):
        for n in (1, 2, 3, 5):
            case = f"n = {n}, sentences of the lengths {[*map(len, text)]}"
            yield case, call(work.count_ngrams, text, n)
    yield "sentences as tuples", call(work.count_ngrams, tuple(map(tuple, draw.text([3, 0, 2]))), 2)


def counts_of(draw, n, ngrams=30, letters="abc"):
    """Counts of n-grams, as a text might give them."""
    counts = {}
    for _ in range(ngrams):
        ngram = tuple(draw.words(n, letters))
        counts[ngram] = counts.get(ngram, 0) + draw.integer(1, 9)
    return counts


@exam("1.3", 1e-6)
def likelihood(work, draw):
    for n in (1, 2, 3, 4):
        counts = counts_of(draw, n)
        seen = draw.random.sample(sorted(counts), 3)
        for *context, word in (*seen, *(draw.words(n, "abcz") for _ in range(6))):
            yield f"an n-gram of order {n}", call(work.maximum_likelihood, counts, tuple(context), word)
        yield f"order {n}, nothing was counted", call(work.maximum_likelihood, {}, ("a",) * (n - 1), "b")
    words = ["<s>", *"ab"]
    bigrams = {(before, word): draw.integer(1, 99) for before in words for word in ("a", "b", "</s>")}
    some = {pair: count for pair, count in bigrams.items() if pair != ("a", "a")}
    ending = {pair: count * 10**6 if pair[1] == "</s>" else count for pair, count in bigrams.items()}
    for length in (7, 2, 1, 0, 300):  # a recursion comes as far
        sentence = draw.words(length, "ab")
        yield f"log P of {length} words", call(work.sentence_log_prob, bigrams, sentence)
        yield f"log P of {length} words, `a a` unseen", call(work.sentence_log_prob, some, sentence)
        yield f"log P of {length} words, each of them improbable", call(work.sentence_log_prob, ending, sentence)
    yield "log P where a word is unknown", call(work.sentence_log_prob, bigrams, ["a", "z", "b"])
    rare = {("<s>", "a"): 1, ("<s>", "b"): draw.integer(10**6, 10**9), ("a", "</s>"): 1}
    yield "log P of a rare sentence", call(work.sentence_log_prob, rare, ["a"])


def levels_of(draw, longest):
    return [counts_of(draw, n, 12 * n) for n in range(1, longest + 1)]


@exam("1.4", 1e-6)
def interpolation(work, draw):
    for longest in (1, 2, 3, 4):
        counts, alphas = levels_of(draw, longest), [draw.number(0, 1) for _ in range(longest)]
        for size in (*range(longest), longest - 1, longest - 1):
            context, word = tuple(draw.words(size, "abcz")), draw.words(1, "abcz")[0]
            result = call(work.interpolated, counts, alphas, context, word, draw.integer(5, 900))
            yield f"order {longest}, {size} words before", result


@exam("1.5", 1e-6)
def perplexity(work, draw):
    for predictions in (1, 7, 100000):
        log_prob = -draw.number(0.1, 6) * predictions
        yield f"the perplexity of {predictions} predictions", call(work.perplexity, log_prob, predictions)
    yield "the perplexity of what is certain", call(work.perplexity, 0.0, 3)
    yield "the perplexity of what is nearly impossible", call(work.perplexity, -1e6, draw.integer(1, 9))
    yield "the perplexity of what is impossible", call(work.perplexity, -math.inf, 3)
    for lengths in [*draw.lengths(), []]:
        text, seen = draw.text(lengths), {}

        def log_prob(before, word):
            hash(before)  # a model may look it up in a dictionary
            seen[(*before, word)] = True
            return -0.1 * len(before) - 0.01 * ["a", "b", "c", "<unk>", "</s>"].index(word)

        yield f"sentences of the lengths {lengths}", call(work.evaluate, log_prob, text, {"a", "b", "c"})
        yield "what the model was asked", seen


@exam("1.6", 1e-6)
def kneser_ney(work, draw):
    for _ in range(3):
        counts = [r for r in range(1, 8) for _ in range(draw.integer(1, 9))]
        draw.random.shuffle(counts)
        yield "discounts", call(work.discounts, counts)
        yield "discounts of counts that come one by one", call(lambda: work.discounts(iter(counts)))
    counts = [*[1] * 9, 2, *[3] * draw.integer(8, 20), 4]
    yield "discounts, one of them negative", call(work.discounts, counts)
    for n in (1, 2, 3):
        shorter, longer = counts_of(draw, n, 20, ["<s>", *"abc"]), counts_of(draw, n + 1, 25, ["<s>", *"abc"])
        yield f"continuation counts, n = {n}", call(work.continuation_counts, shorter, longer)
    for longest in (1, 2, 3, 4):
        counts, alike = levels_of(draw, longest), range(longest)
        discount = [tuple(sorted(draw.number(0.1, 1) for _ in range(3))) for _ in alike]
        for size in (*alike, longest - 1, longest - 1):
            context, word = tuple(draw.words(size, "abcz")), draw.words(1, "abcz")[0]
            result = call(work.kneser_ney, counts, discount, context, word, draw.integer(5, 900))
            yield f"order {longest}, {size} words before", result
