"""Asking a model of several languages for one of them, and translating through a third.

The model reads the language that is asked for as the first word of the source (`common/text/languages.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from common.endings import did_you_mean
from common.errors import UserError
from common.search.translation import TranslationModel, translate_words
from common.text.corpus import Sentence
from common.text.languages import tag, tagged_language
from common.text.subwords import MARK, PairSplitter
from common.text.vocab import Vocabulary


def languages_of(source_vocab: Vocabulary) -> list[str]:
    """The languages that a model with these source words, or pieces of words, can be asked for."""
    languages = (tagged_language(word.removeprefix(MARK)) for word in source_vocab.words)
    return sorted(language for language in languages if language)


def ask_for(language: str, languages: Sequence[str], source: Sentence) -> Sentence:
    """The source with the tag of a language in front. One that has a tag keeps it where no language is given.

    languages: those that the model knows. Raises `UserError` for another one, and where none is asked for.
    """
    if language and not languages:
        raise UserError(f"--to {language}: this model writes one language only; leave the flag out")
    if not languages:
        return source
    tagged = tagged_language(source[0])
    target = language or tagged
    if target is None:
        raise UserError(f"this model writes several languages; choose one with --to: {', '.join(languages)}")
    if target not in languages:
        choices = ", ".join(languages) + did_you_mean(target, languages)
        raise UserError(f"{target}: this model does not write that language; choose from {choices}")
    return [tag(target), *(source if tagged is None else source[1:])]


class Translator(NamedTuple):
    """A model, and what cuts words into its pieces, if it has any."""

    model: TranslationModel
    splitter: PairSplitter | None

    def into(self, language: str, sources: Sequence[Sentence]) -> list[Sentence]:
        """Greedy translations of sources in words. Raises `UserError` for a language that the model does not write."""
        languages = languages_of(self.model.source_vocab)
        return translate_words(self.model, self.splitter, [ask_for(language, languages, source) for source in sources])


def through(
    first: Translator, second: Translator, middle: str, last: str, sources: Sequence[Sentence]
) -> list[Sentence]:
    """Translations into the last language of translations into the middle one: pivoting."""
    return second.into(last, [words or [tag(last)] for words in first.into(middle, sources)])
