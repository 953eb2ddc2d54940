"""One model, several directions: the results of each, and of those that training lacked.

A corpus of several languages has a tag before each source (`common/text/languages.py`) and beside its pairs the
files `train.directions`, `dev.directions`, `test.directions`, with a line such as `english-veldran` for each pair.
It may also have `zero.source`, `zero.target`, `zero.directions`, pairs in directions that were not trained.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from common.errors import UserError
from common.evaluation.metrics import translation_figures
from common.search.translation import TranslationModel, translate_words
from common.text.corpus import SPLITS, Sentence, read_sentences
from common.text.pairs import Pair, ParallelCorpus, read_pairs
from common.text.vocab import counted, split_words
from common.training.setup import Setup

ZERO = "zero"
"""The split of directions that training lacked."""
FIGURES = ("perplexity", "oracle_perplexity", "predictions", "sentences")
"""What metrics.json has of each direction beside the quality of its translations."""
COLUMNS = {"bleu": "BLEU", "perplexity": "perplexity", "oracle_perplexity": "oracle", "asked": "in the language"}


def read_directions(folder: Path, split: str, pairs: int) -> list[str]:
    """The direction of each pair of a split. Raises `UserError` for a file that does not fit the pairs."""
    path = folder / f"{split}.directions"
    directions = [" ".join(line) for line in read_sentences(path)]
    if len(directions) != pairs:
        raise UserError(
            f"{path}: {counted(len(directions), 'line')} for {counted(pairs, 'pair')}; write the corpus again"
        )
    for number, line in enumerate(directions, start=1):
        if not re.fullmatch(r"[a-z]+-[a-z]+", line):
            raise UserError(f"{path}, line {number}: {line!r:.40} is not a direction such as english-veldran")
    return directions


def by_direction(directions: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of the pairs of each direction, in the order in which directions occur first."""
    numbers: dict[str, list[int]] = defaultdict(list)
    for number, direction in enumerate(directions):
        numbers[direction].append(number)
    return dict(numbers)


def words_of_languages(corpus: ParallelCorpus) -> dict[str, frozenset[str]]:
    """For each language the words that training has in it and in no other, on either side: no names, no full stop."""
    directions = read_directions(corpus.folder, "train", len(corpus.train))
    seen: dict[str, set[str]] = defaultdict(set)
    for pair, direction in zip(corpus.train, directions, strict=True):
        source, target = direction.split("-")
        seen[source].update(pair.source[1:])  # without the tag
        seen[target].update(pair.target)
    languages = Counter(word for words in seen.values() for word in words)
    return {name: frozenset(word for word in words if languages[word] == 1) for name, words in seen.items()}


def share_asked(hypotheses: Sequence[Sentence], language: str, words: Mapping[str, frozenset[str]]) -> float:
    """Of all words that belong to one language alone, the share that belongs to this one, from 0 to 1."""
    every = (word for hypothesis in hypotheses for word in hypothesis)
    counts = Counter(name for word in every for name, own in words.items() if word in own)
    return counts[language] / max(counts.total(), 1)


def by_split(corpus: ParallelCorpus) -> dict[str, tuple[list[Pair], dict[str, list[int]]]]:
    """Of dev, test, and `ZERO` where the corpus has it: the pairs, and their numbers by direction.

    Raises `UserError` for a file of one of the splits that does not fit the pairs.
    """
    read_directions(corpus.folder, "train", len(corpus.train))
    splits = {split: getattr(corpus, split) for split in SPLITS[1:]}
    if (corpus.folder / f"{ZERO}.source").exists():
        splits[ZERO] = read_pairs(corpus.folder, ZERO)
    return {
        split: (pairs, by_direction(read_directions(corpus.folder, split, len(pairs))))
        for split, pairs in splits.items()
    }


def written_translations(folder: Path, split: str) -> list[Sentence]:
    """The greedy translations of a split that the run has just written."""
    lines = (folder / f"{split}.hypotheses.txt").read_text(encoding="utf-8").split("\n")[:-1]
    return [split_words(line) for line in lines]


def report_directions(setup: Setup, model: TranslationModel, metrics: dict[str, Any]) -> None:
    """Add the results of each direction to what metrics.json will say, and log them.

    Those of dev and test stand there as "directions" of the split, those of directions without training as "zero".
    """
    corpus = setup.data.words
    own = words_of_languages(corpus)
    for split, (pairs, numbers) in by_split(corpus).items():
        if split == ZERO:
            hypotheses = translate_words(model, setup.data.splitter, [pair.source for pair in pairs])
        else:
            hypotheses = written_translations(setup.folder, split)
        results = {}
        for direction, rows in numbers.items():
            some, written = [pairs[number] for number in rows], [hypotheses[number] for number in rows]
            figures = setup.data.figures(model, some, setup.settings.unk, corpus.oracle(split, direction))
            entry = {name: figures[name] for name in FIGURES if name in figures}
            entry |= translation_figures(written, [pair.target for pair in some])
            results[direction] = entry | {"asked": share_asked(written, direction.split("-")[1], own)}
        metrics.setdefault(split, {})["directions"] = results
        for line in direction_lines(split, results):
            setup.log(line)


def direction_lines(split: str, results: Mapping[str, Mapping[str, float]]) -> list[str]:
    """The results of each direction as a table."""
    title = "directions without training" if split == ZERO else f"{split}, by direction"
    lines = [f"{title:30}" + "".join(f"{name:>17}" for name in COLUMNS.values())]
    for direction, entry in results.items():
        forms = {"asked": "17.1%"}
        cells = (format(entry[key], forms.get(key, "17.2f")) if key in entry else " " * 17 for key in COLUMNS)
        lines.append(f"  {direction:28}" + "".join(cells))
    return [*lines, ""]
