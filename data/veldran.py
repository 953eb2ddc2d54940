"""Veldran, a language of this project's own: how its words sound, and how they are inflected.

Stems are coined from syllables by a hash of what they mean, so that the same meaning gets the same stem on every
machine. The ending shows what kind of word it is, and no two kinds share an ending:

    nouns       a stem in k, l, m, t or g;           plural -ai
    verbs       with a subject of the light gender -a, of the dark gender -u, plural -en; infinitive -ir
    adjectives  with a noun of the light gender -e, of the dark gender -o, plural -i
    the rest    -ei (adverbs, times, joining words), -oi (postpositions)

The gender of a noun ("e" light, "o" dark; "p" is the plural, which has no gender) does not follow from its meaning
nor from its sound, but for people: women are light, men are dark.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

SOUNDS = {
    "C": "p t k b d g m n l r s v z h y pr tr kr dr gr sk sv".split(),
    "c": "t d k g m n l r s v z".split(),
    "m": "t k d g m n l r s v z ld rn sk nt mb lv nd rv lm rk st zd".split(),
    "n": "k l m t g".split(),
    "V": "a e i o u".split(),
}
SHAPES = {
    "noun": ("CVmVn", "CVmVn", "CVcVmVn"),
    "verb": ("CVmVc", "CVm"),
    "adjective": ("CVm", "CVcVm"),
    "adverb": ("CVc",),
    "postposition": ("CVc",),
}

VERB_ENDINGS = {"e": "a", "o": "u", "p": "en", "i": "ir"}
ADJECTIVE_ENDINGS = {"e": "e", "o": "o", "p": "i"}
PLURAL = "ai"
PARTICLE_ENDINGS = {"adverb": "ei", "postposition": "oi"}


def coin(kind: str, meaning: str, attempt: int = 0) -> str:
    """A stem for a meaning. attempt: 1, 2, ... give others."""
    digest = sha256(f"{kind} {meaning} {attempt}".encode()).digest()
    shape = SHAPES[kind][digest[0] % len(SHAPES[kind])]
    return "".join(SOUNDS[sound][byte % len(SOUNDS[sound])] for sound, byte in zip(shape, digest[1:], strict=False))


def coin_all(meanings: Iterable[tuple[str, str]], reserved: Iterable[str]) -> dict[tuple[str, str], str]:
    """A stem for each (kind, meaning): all of their forms are different, and none is in `reserved`."""
    used = set(reserved)
    stems = {}
    for kind, meaning in dict.fromkeys(meanings):
        attempt = 0
        while not used.isdisjoint(forms(kind, stem := coin(kind, meaning, attempt))):
            attempt += 1
        used.update(forms(kind, stem))
        stems[kind, meaning] = stem
    return stems


def forms(kind: str, stem: str) -> set[str]:
    """All forms of a word."""
    endings = {"verb": VERB_ENDINGS, "adjective": ADJECTIVE_ENDINGS}.get(kind, "ep")
    return {inflect(kind, stem, agreement) for agreement in endings}


def gender(meaning: str) -> str:
    """The gender of a noun that does not mean a woman or a man: "e" (light) or "o" (dark), by no rule."""
    return "eo"[sha256(f"gender {meaning}".encode()).digest()[0] % 2]


def inflect(kind: str, stem: str, agreement: str) -> str:
    """The form of a word. agreement: "e", "o" or "p" (plural), for verbs also "i" (infinitive); others ignore it."""
    if kind == "verb":
        return stem + VERB_ENDINGS[agreement]
    if kind == "adjective":
        return stem + ADJECTIVE_ENDINGS[agreement]
    if kind == "noun":
        return stem + PLURAL if agreement == "p" else stem
    return stem + PARTICLE_ENDINGS[kind]
