"""Exercise 8.5: an <unk> in a translation is replaced by the source word that the model attended to."""

from __future__ import annotations

from common.errors import UserError
from common.search.decoding import Hypothesis
from common.text.corpus import Sentence
from common.text.ibm_model1 import Lexicon
from common.text.vocab import UNKNOWN


def replace_unknown(hypothesis: Hypothesis, source: Sentence, lexicon: Lexicon | None = None) -> Sentence:
    """The words of a translation, each UNKNOWN replaced (Neubig 2017, section 8.5); the hypothesis must not change.

    hypothesis.words: a list of words. hypothesis.attention: an array with a row for each of them, and usually one more,
    for </s>; a row contains the weight of each source word. source: the words of the source.

    An unknown word becomes the source word with the largest weight in its row or, if a lexicon is given and contains
    that source word, its translation: lexicon.translate(word), which is None for a word that is not in the lexicon.

    Raises `UserError`, with one line that explains what to do, if hypothesis.attention is None.

    With words ["ba", "<unk>"], attention [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]] and source ["the", "yak"], it is ["ba",
    "yak"]; with a lexicon that translates "yak" as "yakai", it is ["ba", "yakai"].
    """
    # BEGIN SOLUTION 8.5
    if hypothesis.attention is None:
        raise UserError("without attention, no source word replaces an <unk>; use a model that has it")
    words = list(hypothesis.words)
    for place, word in enumerate(words):
        if word == UNKNOWN:
            attended = source[int(hypothesis.attention[place].argmax())]
            translated = lexicon.translate(attended) if lexicon is not None else None
            words[place] = attended if translated is None else translated
    return words
    # END SOLUTION
