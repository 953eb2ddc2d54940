"""The talks of IWSLT 2014: from the files of their archive to pairs, much as fairseq's prepare-iwslt14.sh does it.

Training pairs are what is not in a tag of `train.tags.*`, and the titles and descriptions; test, the segments of the
XML files, all years together in the order of the registry. Everything is tokenised and in lower case. Training pairs
that are too long, or too unequal in length, are left out; then every 23rd becomes dev. The tokens are those of BLEU's
`13a`, where others take those of Moses: the numbers of pairs and words differ somewhat from the published ones.
"""

from __future__ import annotations

import re
from itertools import chain

TITLES = re.compile(r"</?(title|description)>")
TAG = re.compile(r"\s*</?[a-z]")
SEGMENT = re.compile(r"<seg id=[^>]*>(.*)</seg>")
LONGEST, RATIO, EVERY = 50, 1.5, 23
Pairs = list[tuple[str, str]]


def spoken(lines: list[str]) -> list[str]:
    """The lines of a `train.tags` file that are text: not in a tag, or in that of a title or a description."""
    return [line for line in (TITLES.sub("", line) for line in lines) if not TAG.match(line)]


def segments(lines: list[str]) -> list[str]:
    """The segments of an XML file, one a line."""
    return [match[1] for match in map(SEGMENT.search, lines) if match]


def tokenised(lines: list[str]) -> list[str]:
    """The lines as tokens in lower case."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    tokenise = Tokenizer13a()
    return [tokenise(line.replace("\u2019", "'")).lower() for line in lines]


def even(source: str, target: str) -> bool:
    """Whether a pair of tokenised sentences is fit for training."""
    shorter, longer = sorted((len(source.split()), len(target.split())))
    return longer <= min(LONGEST, RATIO * shorter)


def into_splits(pairs: dict[str, Pairs]) -> dict[str, Pairs]:
    """train, dev and test of the pairs of each text; that of "train" is divided."""
    train = [pair for pair in pairs["train"] if even(*pair)]
    dev = train[EVERY - 1 :: EVERY]
    del train[EVERY - 1 :: EVERY]
    return {"train": train, "dev": dev, "test": list(chain(*(pairs[name] for name in pairs if name != "train")))}
