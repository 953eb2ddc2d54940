"""Right answers in other styles, which graders and exam must accept: each takes the place of the answer's function."""


@style("1.1")
def predictions():
    return 13.0


@style("1.1")
def predictions():
    return sum(len(sentence.split()) + 1 for sentence in ("the hen sees the goat .", "the goat follows mira ."))


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
def probability_of_a_new_pair():
    return 0


@style("1.1")
def how_many_sentences(vocabulary_size, words):
    import numpy as np

    return np.prod([float(vocabulary_size)] * words)


@style("1.1")
def how_many_parameters(vocabulary_size, n):
    total = 1
    for _ in range(n):
        total *= vocabulary_size
    return float(total)


@style("1.2")
def count_ngrams(sentences, n):
    from collections import defaultdict

    counts = defaultdict(int)
    for sentence in sentences:
        words = (START,) + tuple(sentence) + (END,)
        start = 0
        while start + n <= len(words):
            ngram = words[start : start + n]
            if ngram != (START,):
                counts[ngram] += 1
            start += 1
    return counts


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
    counts = {}
    for sentence in sentences:
        words = [START, *sentence, END]
        for end in range(max(n, 2), len(words) + 1):
            ngram = tuple(words[end - n : end])
            counts[ngram] = counts.get(ngram, 0.0) + 1.0
    return counts


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
def sentence_log_prob(bigrams, sentence):
    words = [START] + list(sentence) + [END]
    probabilities = [maximum_likelihood(bigrams, (before,), word) for before, word in zip(words, words[1:])]
    return -math.inf if 0 in probabilities else math.fsum(map(math.log, probabilities))


@style("1.3")
def sentence_log_prob(bigrams, sentence):
    import numpy as np

    with np.errstate(divide="ignore"):
        pairs = zip([START, *sentence], [*sentence, END])
        return np.sum([np.log(np.float64(maximum_likelihood(bigrams, (before,), word))) for before, word in pairs])


@style("1.4")
def interpolated(counts, alphas, context, word, vocabulary_size):
    def of_order(n, history):
        if n == 0:
            return 1 / vocabulary_size
        shorter = of_order(n - 1, history[1:])
        seen = {ngram[-1]: count for ngram, count in counts[n - 1].items() if ngram[: n - 1] == history}
        if not seen:
            return shorter
        return (1 - alphas[n - 1]) * seen.get(word, 0) / sum(seen.values()) + alphas[n - 1] * shorter

    return of_order(len(context) + 1, context)


@style("1.5")
def perplexity(log_prob, predictions):
    nats = -log_prob / predictions
    return math.exp(nats) if nats < 700 else float("inf")


@style("1.5")
def perplexity(log_prob, predictions):
    import numpy as np

    with np.errstate(over="ignore"):
        return np.exp(np.float64(-log_prob) / predictions)


@style("1.5")
def evaluate(log_prob, sentences, vocabulary):
    cost, predictions, unknown = 0, 0, 0
    for sentence in sentences:
        words = [word if word in vocabulary else UNKNOWN for word in sentence] + [END]
        unknown += sum(word not in vocabulary for word in sentence)
        for place, word in enumerate(words):
            cost += log_prob(tuple(words[:place]), word)
        predictions += len(words)
    return [cost - unknown * math.log(WORDS_OF_THE_LANGUAGE), predictions, unknown]


@style("1.6")
def discounts(counts):
    from collections import Counter

    n = Counter(counts)
    Y = n[1] / (n[1] + 2 * n[2])
    return [1 - 2 * Y * n[2] / n[1], 2 - 3 * Y * n[3] / n[2], 3 - 4 * Y * n[4] / n[3]]


@style("1.6")
def continuation_counts(counts, longer):
    before = {}
    for first, *rest in longer:
        before.setdefault(tuple(rest), set()).add(first)
    result = {}
    for ngram in counts:
        result[ngram] = counts[ngram] if ngram[0] == START else len(before.get(ngram, ()))
    return result


@style("1.6")
def kneser_ney(counts, discount, context, word, vocabulary_size):
    def discounted(n, count):
        return discount[n - 1][min(count, 3) - 1] if count else 0.0

    def of_order(n, history):
        if n == 0:
            return 1 / vocabulary_size
        lower = of_order(n - 1, history[1:])
        seen = {ngram: count for ngram, count in counts[n - 1].items() if ngram[:-1] == history}
        total = sum(seen.values())
        if total == 0:
            return lower
        count = seen.get(history + (word,), 0)
        mass = sum(discounted(n, count) for count in seen.values())
        return (count - discounted(n, count) + mass * lower) / total

    return of_order(len(context) + 1, context)


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
