"""Exercise 1.5: how good is a language model? Perplexity, with `</s>` and unknown words counted as they should be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

UNKNOWN, END = "<unk>", "</s>"
WORDS_OF_THE_LANGUAGE = 10_000_000


def perplexity(log_prob: float, predictions: int) -> float:
    """exp(-log_prob / predictions) (Neubig 2017, Eq. 15), and infinity where that is too large for a float.

    log_prob: log P(all sentences), in nats. predictions: how many words and `</s>` were predicted.

    perplexity(4 * math.log(1 / 8), 4) == 8: as uncertain as a choice among 8 equally probable words.
    """
    # BEGIN SOLUTION 1.5
    try:
        return math.exp(-log_prob / predictions)
    except OverflowError:
        return math.inf
    # END SOLUTION


def evaluate(
    log_prob: Callable[[tuple[str, ...], str], float], sentences: Sequence[Sequence[str]], vocabulary: set[str]
) -> tuple[float, int, int]:
    """Evaluate a text: (log P of all of it in nats, the number of predictions, how often a word was unknown).

    log_prob(words before it, word): log P(word | all words of the sentence before it, without <s>), in nats, from any
    language model whose words are those of `vocabulary`, `<unk>` and `</s>`. A word that is not in the vocabulary is
    unknown: the model must get `<unk>` in its place, both as the word to predict and as a word before. Spelling it out
    adds log(1 / WORDS_OF_THE_LANGUAGE) (Neubig 2017, section 3.4).

    With a model that assigns 1/4 to every word: evaluate(model, [["a"], []], {"a"}) == (3 * math.log(1 / 4), 3, 0).
    """
    # BEGIN SOLUTION 1.5
    total, predictions, unknown = 0.0, 0, 0
    for sentence in sentences:
        before: tuple[str, ...] = ()
        for word in [*sentence, END]:
            if word != END and word not in vocabulary:
                word = UNKNOWN
                unknown += 1
                total += math.log(1 / WORDS_OF_THE_LANGUAGE)
            total += log_prob(before, word)
            predictions += 1
            before = (*before, word)
    return total, predictions, unknown
    # END SOLUTION
