"""More mutants of chapter 1: wrong answers by kind of mistake, (task, right, wrong) each."""

MUTANTS = [
    # changes what it was given, or leaves what it should change
    ("1.2", "words = [START, *sentence, END]", "sentence.append(END)\n        words = [START, *sentence]"),
    ("1.3", "counts.get((*context, word), 0)", "counts.setdefault((*context, word), 0)"),
    ("1.3", "for word in [*sentence, END]:", "sentence += [END]\n    for word in sentence:"),
    ("1.4", "level.get((*history, word), 0)", "level.setdefault((*history, word), 0)"),
    ("1.4", "counts[order - 1], alphas[order - 1]", "counts[order - 1], alphas.pop(0)"),
    ("1.5", "                word = UNKNOWN", "                vocabulary.add(word)\n                word = UNKNOWN"),
    ("1.5", "for word in [*sentence, END]:", "sentence.append(END)\n        for word in sentence:"),
    (
        "1.6",
        "    return {\n        ngram: count if ngram[0] == START else sum(other[1:] == ngram for other in longer)\n"
        "        for ngram, count in counts.items()\n    }",
        "    for ngram in counts:\n        if ngram[0] != START:\n"
        "            counts[ngram] = sum(other[1:] == ngram for other in longer)\n    return counts",
    ),
    # no error, or another one
    ("1.5", "        return math.inf", "        raise"),
    # the state of another call or step
    ("1.2", "counts: Counter[Ngram] = Counter()", 'counts = vars(count_ngrams).setdefault("counts", Counter())'),
    (
        "1.5",
        "    for sentence in sentences:\n        before: tuple[str, ...] = ()\n",
        "    before: tuple[str, ...] = ()\n    for sentence in sentences:\n",
    ),
    # a batch of one, length 1, what is empty, what comes twice
    ("1.1", "vocabulary_size**words", "max(vocabulary_size**words, vocabulary_size)"),
    ("1.2", "for sentence in sentences:", "for sentence in sentences:\n        if not sentence:\n            continue"),
    ("1.2", "for sentence in sentences:", "for sentence in dict.fromkeys(map(tuple, sentences)):"),
    ("1.2", "range(first, len(words) - n + 1)", "range(first, max(len(words) - n + 1, 1))"),
    ("1.3", "for word in [*sentence, END]:", "for word in [*sentence, END] if sentence else []:"),
    ("1.3", "for word in [*sentence, END]:", "for word in dict.fromkeys([*sentence, END]):"),
    ("1.5", "for sentence in sentences:", "for sentence in filter(None, sentences):"),
    ("1.6", "seen = list(counts)", "seen = counts"),
    ("1.6", "sum(after.values())", "len(after)"),
    # numbers too large, too small, or not exact enough
    ("1.1", "return 0.0", "return 1e-6"),
    ("1.3", "return -math.inf", "return -1e9"),
    ("1.3", "if probability == 0:", "if probability < 1e-3:"),
    (
        "1.3",
        "total += math.log(probability)\n        before = word\n    return total",
        "total = (math.exp(total) if before != START else 1.0) * probability\n"
        "        total, before = math.log(total) if total else -math.inf, word\n    return total",
    ),
    ("1.4", "probability = 1 / vocabulary_size", "probability = 1e-5"),
    ("1.5", "return math.inf", "return 0.0"),
    ("1.5", "math.exp(-log_prob / predictions)", "math.exp(-log_prob) ** (1 / predictions)"),
    ("1.5", "math.exp(-log_prob / predictions)", "math.exp(min(-log_prob / predictions, 100))"),
    (
        "1.6",
        "tuple(r - (r + 1) * share * n[r + 1] / n[r] for",
        "tuple(max(r - (r + 1) * share * n[r + 1] / n[r], 0.0) for",
    ),
    # right for the example only
    ("1.1", "vocabulary_size**words", "9"),
    ("1.1", "vocabulary_size**n", "25"),
    ("1.1", "1 * (1 / 3) * 1 * (2 / 3) * (1 / 2)", "0.11"),
    ("1.1", "return 2 / 3", "return 0.67"),
    ("1.5", "unknown += 1", "unknown = 1"),
    # right only where two sizes are equal, or one is small
    ("1.1", "vocabulary_size**n", "vocabulary_size * vocabulary_size"),
    ("1.2", "words = [START, *sentence, END]", "words = [START] * max(n - 1, 1) + [*sentence, END]"),
    ("1.3", "ngram[:-1] == context", "ngram[-2:-1] == context[-1:]"),
    ("1.4", "alphas[order - 1]", "alphas[0]"),
    ("1.5", "log_prob(before, word)", "log_prob(before[-1:], word)"),
    ("1.5", "log_prob(before, word)", "log_prob(before[-2:], word)"),
    ("1.6", "other[1:] == ngram", "other[-1] == ngram[-1]"),
    ("1.6", "*discount[order - 1])", "*discount[-1])"),
    # one too many, or too few
    ("1.1", "vocabulary_size**words", "sum(vocabulary_size**length for length in range(words + 1))"),
    ("1.2", "len(words) - n + 1", "max(len(words) - n, 0)"),
    ("1.6", "[seen.count(r) for r in range(5)]", "[*(seen.count(r) for r in range(4)), sum(one >= 4 for one in seen)]"),
    # another order
    ("1.6", "other[1:] == ngram", "other[:-1] == ngram"),
    ("1.6", "context[len(context) - order + 1 :]", "context[: order - 1]"),
    # rounded
    ("1.3", "counts.get((*context, word), 0) / followed", "counts.get((*context, word), 0) // followed"),
    ("1.4", "0) / followed +", "0) // followed +"),
    ("1.5", "math.exp(-log_prob / predictions)", "math.exp(-log_prob // predictions)"),
    # numbers of a wrong type, or no numbers
    ("1.2", "tuple(words[i : i + n])", '" ".join(words[i : i + n])'),
    ("1.5", "log_prob(before, word)", "log_prob(list(before), word)"),
    # another formula
    ("1.2", "1 if n == 1 else 0", "1"),
    ("1.3", "sum(count for ngram, count in counts", "sum(1 for ngram, count in counts"),
    ("1.3", "if followed else 0.0", "if followed else 1 / max(len(counts), 1)"),
    ("1.3", "        before = word\n", "        before = START\n"),
    (
        "1.4",
        "(1 - alpha) * level.get((*history, word), 0) / followed + alpha * probability",
        "alpha * level.get((*history, word), 0) / followed + (1 - alpha) * probability",
    ),
    ("1.4", "if followed:", "if followed and (*history, word) in level:"),
    ("1.4", "+ alpha * probability\n", "+ alpha * probability\n        else:\n            probability *= alpha\n"),
    ("1.4", "probability = 1 / vocabulary_size", "probability = 1 / len(counts[0])"),
    ("1.5", "before = (*before, word)", "before = tuple(sentence[: len(before) + 1])"),
    ("1.5", "            predictions += 1", "            predictions += word != UNKNOWN"),
    ("1.6", "seen.count(r) for r in range(5)", "sum(one for one in seen if one == r) for r in range(5)"),
    ("1.6", "n[1] + 2 * n[2]", "n[1] + n[2]"),
    (
        "1.6",
        "sum(other[1:] == ngram for other in longer)",
        "sum(count for other, count in longer.items() if other[1:] == ngram)",
    ),
    ("1.6", "sum(D[min(count, 3)] for count in after.values())", "D[min(after.get(word, 0), 3)] * len(after)"),
    ("1.6", "if followed:", "if word in after:"),
]
