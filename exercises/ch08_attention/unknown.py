"""Exercise 8.5: an <unk> in a translation is replaced by the source word that the model attended to."""

from __future__ import annotations

from common.errors import UserError
from common.search.decoding import Hypothesis
from common.text.corpus import Sentence
from common.text.ibm_model1 import Lexicon
from common.text.vocab import UNKNOWN


def replace_unknown(hypothesis: Hypothesis, source: Sentence, lexicon: Lexicon | None = None) -> Sentence:
    """The words of a translation, each UNKNOWN replaced (Neubig 2017, section 8.5); the hypothesis stays as it is.

    hypothesis.words: a list of words. hypothesis.attention: an array with a row for each of them, and mostly one more,
    that of </s>; a row has the weight of each source word. source: the words of the source.

    An unknown word becomes the source word of the largest weight in its row. Where a lexicon is given and knows that
    word, it becomes its translation: lexicon.translate(word), which is None for a word that the lexicon does not know.

    Raises `UserError`, with a line that says what to do, where hypothesis.attention is None.

    With words ["ba", "<unk>"], attention [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]] and source ["the", "yak"], it is ["ba",
    "yak"]; with a lexicon that translates "yak" by "yakai", it is ["ba", "yakai"].
    """
    # TODO 8.5: unknown words in translations
    raise NotImplementedError("Exercise 8.5: unknown words in translations")
