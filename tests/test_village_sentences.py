"""Every sentence that a lesson, a help text or a default quotes from an embedded corpus is one its grammar can say."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.pairs import TRUTHS
from tests.quotations import ROOT, can_say, impossible, translations

FOLDERS = [ROOT / name for name in ("chapters", "exercises", "solutions", "book")]
LESSONS = [*ROOT.glob("*.md"), *(ROOT / "data").glob("*.md")] + [
    path for folder in FOLDERS for path in sorted(folder.rglob("*.md"))
]
PROGRAMS = [path for folder in (*FOLDERS, ROOT / "common") for path in sorted(folder.rglob("*.py"))] + [
    *sorted((ROOT / "solutions").rglob("*.toml")),
    ROOT / "data" / "village_grammar.py",
]

BY_HAND = "the two or three sentences of an exercise, to be counted by hand; no corpus holds them"
THEIRS = ("the hen sees the goat .", "the goat follows mira .")
SAMPLED = (
    "when kasika visits fenan beside the stage , and velek gives miran a horses .",
    "the poor foresters secretly admires that cheap letter outside the stage while they snow .",
)
ON_PURPOSE = {
    "exercises/ch01_ngram_lm/by_hand.py": dict.fromkeys(THEIRS, BY_HAND),
    "solutions/ch01_ngram_lm/by_hand.py": dict.fromkeys(THEIRS, BY_HAND),
    "solutions/ch05_rnn_lm/answers.md": dict.fromkeys(
        SAMPLED, "what a model wrote that had not learnt the grammar yet"
    ),
    "book/labs/ch01_lab.py": {"spoon the of dora quietly .": "words in no order, to be scored"},
    "book/labs/ch06_lab.py": {"the goat .": "the end of a sentence, put in place of another end"},
    "chapters/02_loglinear_lm/PART2.md": {"the girl feeds .": "a sentence whose features are counted by hand"},
    "chapters/04_feedforward_lm/PART3.md": {"an old letter .": "the window of a word, at the end of a sentence"},
    **dict.fromkeys(
        ("chapters/05_rnn_lm/PART2.md", "chapters/05_rnn_lm/saliency.py"),
        {"the cat beside the old singers is": "the beginning of a sentence, up to the verb that is predicted"},
    ),
    "chapters/09_word_attention/PART2.md": {
        **dict.fromkeys(
            ("dalashin , ildolil buy old plum , say foresters", "ildolil , dalashin buy plum , say foresters"),
            "a headline and its candidate for ROUGE: the grammar says sentences, not headlines",
        ),
        "selena sells soup": "three words by hand: only real headlines are longer",
    },
    "chapters/10_beyond/PART3.md": {"gundek of orlika misses orlika .": "what a model wrote in the wrong language"},
}
"""What may stand although no grammar says it: file -> string -> the reason."""

SPOILT = [
    ("chapters/01_ngram_lm/README.md", "> the hen of mira follows mira", "> the hen of mira follow mira"),
    ("chapters/02_loglinear_lm/README.md", "*the miller offers*", "*the miller sells*"),
    ("chapters/05_rnn_lm/README.md", "**wait** until", "**waits** until"),
    ("chapters/06_attentive_lm/visualize.py", "follows mira behind the library", "follows mira"),
    ("chapters/08_attention/README.md", "`mirena greets nevika .`", "`mirena sees nevika .`"),
    ("data/README.md", '"the geese of mira follow mira at', '"the geese of mira follows mira at'),
    ("data/README.md", "brings orlek\\[recall] his", "brings orlek\\[recall] her"),
    ("data/village_grammar.py", "`mirela repairs her door", "`mirela mends her net"),
]
"""Mistakes as they have been made, or could be: file, what stands there, the mistake."""


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [*LESSONS, *PROGRAMS], ids=named)
def test_quoted_sentences_can_be_said(path: Path) -> None:
    actual = set(impossible(path, path.read_text("utf-8")))
    assert actual == set(ON_PURPOSE.get(named(path), {}))


@pytest.mark.parametrize(("name", "right", "wrong"), SPOILT, ids=str)
def test_a_spoilt_copy_is_found_out(name: str, right: str, wrong: str) -> None:
    text = (ROOT / name).read_text("utf-8")
    assert right in text
    assert len(impossible(ROOT / name, text.replace(right, wrong, 1))) > len(impossible(ROOT / name, text))


@pytest.mark.parametrize("path", [path for path in LESSONS if list(translations(path.read_text("utf-8")))], ids=named)
def test_quoted_translations_are_of_their_sources(path: Path) -> None:
    for source, target in translations(path.read_text("utf-8")):
        words = source.split(), target.split()
        corpus = next(name for name in TRUTHS if can_say(name, source))
        assert TRUTHS[corpus].log_prob(*words) > float("-inf"), f"{source} / {target}"


def test_a_translation_of_another_source_is_found_out() -> None:
    text = (ROOT / "chapters/07_encoder_decoder/README.md").read_text("utf-8")
    pairs = list(translations(text))
    assert ("the aunt paints the hail .", "rurnal mega ya .") in pairs and len(pairs) >= 3
    assert TRUTHS["village_pairs"].log_prob(pairs[0][0].split(), pairs[1][1].split()) == float("-inf")
