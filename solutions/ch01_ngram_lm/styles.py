"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("1.1")
def probability_of_goat():
    from fractions import Fraction

    return Fraction(2, 3)


@style("1.1")
def probability_of_goat():
    import numpy as np

    return np.float32(2) / np.float32(3)


@style("1.1")
def probability_of_a_patchwork():
    from decimal import Decimal

    return Decimal(1) / Decimal(9)


@style("1.1")
def how_many_sentences(vocabulary_size, words):
    import numpy as np

    return np.prod([float(vocabulary_size)] * words)


@style("1.1")
def probability_of_a_patchwork():
    import numpy as np

    factors = np.array([1, 1 / 3, 1, 1, 2 / 3, 1 / 2, 1, 1, 1])
    return np.array(np.exp(np.log(factors).sum()))


@style("1.2")
def count_ngrams(sentences, n):
    import numpy as np

    ngrams = []
    for sentence in sentences:
        padded = [START] + list(sentence) + [END]
        ngrams += zip(*(padded[place:] for place in range(n)))
    return {ngram: np.int64(ngrams.count(ngram)) for ngram in set(ngrams) if ngram != (START,)}


@style("1.2")
def count_ngrams(sentences, n):
    return Counter(ngram for sentence in sentences for ngram in ngrams_of(sentence, n))


def ngrams_of(sentence, n):
    """One after the other, without a list."""
    window = ()
    for word in (START, *sentence, END):
        window = (*window, word)[-n:]
        if len(window) == n and window != (START,):
            yield window


@style("1.3")
def maximum_likelihood(counts, context, word):
    from fractions import Fraction

    total = of_word = 0
    for (*before, last), count in counts.items():
        if tuple(before) == context:
            total += count
            if last == word:
                of_word = count
    if total == 0:
        return 0
    return Fraction(of_word, total)


@style("1.3")
def sentence_log_prob(bigrams, sentence, before=START):
    word = sentence[0] if sentence else END
    p = maximum_likelihood(bigrams, (before,), word)
    if p == 0:
        return -math.inf
    return math.log(p) + (sentence_log_prob(bigrams, sentence[1:], word) if sentence else 0)


@style("1.4")
class Interpolation:
    def __call__(self, counts, alphas, context, word, vocabulary_size):
        self.counts, self.alphas = counts, alphas
        shares, left = [], 1.0
        for k in reversed(range(len(context) + 1)):
            of_word, of_context = self.look_up(k, tuple(context[len(context) - k :]), word)
            if of_context:
                shares.append(left * (1 - self.alphas[k]) * of_word / of_context)
                left *= self.alphas[k]
        return math.fsum([*shares, left / vocabulary_size])

    def look_up(self, k, history, word):
        total = sum(count for ngram, count in self.counts[k].items() if ngram[:k] == history)
        return self.counts[k].get((*history, word), 0), total


import math

interpolated = Interpolation()


@style("1.5")
def evaluate(log_prob, sentences, vocabulary):
    total, predictions, unknown = 0.0, 0, 0
    for sentence in sentences:
        known = [word if word in vocabulary else UNKNOWN for word in sentence]
        unknown += known.count(UNKNOWN)
        predictions += len(known) + 1
        steps = [(tuple(known[:place]), word) for place, word in enumerate([*known, END])]
        total += sum(log_prob(*step) for step in steps if log_prob(*step) < 0)
    return total + unknown * math.log(1 / WORDS_OF_THE_LANGUAGE), predictions, unknown


@style("1.5")
def evaluate(log_prob, sentences, vocabulary):
    from functools import lru_cache

    log_prob = lru_cache(maxsize=None)(log_prob)
    total, predictions, unknown = 0.0, 0, 0
    for sentence in sentences:
        before = ()
        for word in [*sentence, END]:
            if word != END and word not in vocabulary:
                word = UNKNOWN
                unknown += 1
                total -= math.log(WORDS_OF_THE_LANGUAGE)
            total += log_prob(before, word)
            before += (word,)
            predictions += 1
    return total, predictions, unknown


@style("1.5")
def evaluate(log_prob, sentences, vocabulary):
    import numpy as np

    texts = [tuple(word if word in vocabulary else UNKNOWN for word in sentence) + (END,) for sentence in sentences]
    costs = [log_prob(text[:place], text[place]) for text in texts[::-1] for place in range(len(text))[::-1]]
    unknown = np.sum([word not in vocabulary for sentence in sentences for word in sentence], dtype=int)
    return np.sum(costs) - unknown * np.log(WORDS_OF_THE_LANGUAGE), np.int64(len(costs)), unknown


@style("1.6")
def discounts(counts):
    import numpy as np

    n = np.bincount([c for c in counts if c < 5], minlength=5).astype(float)
    r = np.arange(1, 4)
    return r - (r + 1) * n[1] / (n[1] + 2 * n[2]) * n[2:] / n[1:4]


@style("1.6")
def kneser_ney(counts, discount, context, word, vocabulary_size):
    import numpy as np

    p = np.float64(1) / vocabulary_size
    for k, table in enumerate(counts[: len(context) + 1]):
        history = context[len(context) - k :]
        values = np.array([count for ngram, count in table.items() if ngram[:k] == history], dtype=int)
        if values.size:
            D = np.array([0, *discount[k]])
            count = table.get((*history, word), 0)
            p = (count - D[min(count, 3)] + D[np.minimum(values, 3)].sum() * p) / values.sum()
    return p
