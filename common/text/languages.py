"""Tags that say into which language to translate, for a corpus of pairs in several languages.

`<2veldran> mira sleeps .` asks for Veldran (Johnson et al. 2017). A model reads the tag like any other word.
"""

from __future__ import annotations

import re

TAG = re.compile(r"<2([a-z]+)>")


def tag(language: str) -> str:
    """The word before a source that is to be translated into this language."""
    return f"<2{language}>"


def tagged_language(word: str) -> str | None:
    """The language that a tag names; `None` for a word that is no tag."""
    match = TAG.fullmatch(word)
    return match and match[1]
